"""Labels of values in Strasbourg's tables."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.reporting import Tables
from strozzi_sim.games.strasbourg.tasks import task_names

RANKS = {"1": "1 (master)", "2": "2", "3": "3"}
STEPS = {
    "A": "A nobility, church", "B": "B guild", "C": "C merchants", "D": "D guild", "E": "E merchants", "F": "F guild",
    "G": "G merchants, seat",
}  # fmt: skip
WORDS = {
    "all": "all together", "thing=all": "all edifices", "level=no": "in turn", "level=yes": "deferred", **STEPS,
    **{f"rank={rank}": name for rank, name in RANKS.items()},
}  # fmt: skip


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels of values in the tables, by value; tasks and edifices with their points in this variant."""
    words_of = dict(WORDS)
    called = {edifice["id"]: edifice["id"] for edifice in data.get("edifices", [])} | task_names(data)
    for printed in (*data.get("tasks", []), *data.get("edifices", [])):
        words_of[printed["id"]] = f"{called[printed['id']]} \N{MIDDLE DOT} {printed['points']}"
    return words_of
