"""Strasbourg in words: how values are called."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.games.reporting import Tables
from strozzi_sim.games.strasbourg.state import SEATS
from strozzi_sim.games.strasbourg.tasks import task_names

RANKS = {"1": "1 (master)", "2": "2", "3": "3"}
STEPS = {
    "A": "A nobility, church", "B": "B guild", "C": "C merchants", "D": "D guild", "E": "E merchants", "F": "F guild",
    "G": "G merchants, seat",
}  # fmt: skip
WORDS = {
    "all": "all together", "thing=all": "all edifices", "level=no": "in turn", "level=yes": "after waiting", **STEPS,
    **{f"rank={rank}": name for rank, name in RANKS.items()}, **{f"position={k}": f"position {k}" for k in range(SEATS)},
}  # fmt: skip


def words(tables: Tables, components: Mapping[str, Any]) -> dict[str, str]:
    """How the values in the tables are called: raw -> words; tasks and edifices with their points."""
    words_of = dict(WORDS)
    for data in reversed(list(components.values())):  # the first variant has the last word
        called = {edifice["id"]: edifice["id"] for edifice in data["edifices"]} | task_names(data)
        for printed in (*data["tasks"], *data["edifices"]):
            words_of[printed["id"]] = f"{called[printed['id']]} \N{MIDDLE DOT} {printed['points']}"
    return words_of
