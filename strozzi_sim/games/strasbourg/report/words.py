"""Strasbourg in words: how values are called."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.games.reporting import Tables

RANKS = {"1": "1 (master)", "2": "2", "3": "3"}
STEPS = {
    "A": "A nobility, church", "B": "B guild", "C": "C merchants", "D": "D guild", "E": "E merchants", "F": "F guild",
    "G": "G merchants, seat",
}  # fmt: skip
WORDS = {"all": "all together", "thing=all": "all edifices", "no": "in turn", "yes": "after waiting", **STEPS}


def words(tables: Tables, components: Mapping[str, Any]) -> dict[str, str]:
    """How the values in the tables are called: raw -> words; tasks and edifices with their points."""
    words_of = {**WORDS, **{f"rank={rank}": name for rank, name in RANKS.items()}, "returned=0": "none"}
    for data in reversed(list(components.values())):  # the first variant has the last word
        for printed in (*data["tasks"], *data["edifices"]):
            words_of[printed["id"]] = f"{printed['id']} \N{MIDDLE DOT} {printed['points']}"
    return words_of
