"""Strasbourg in words: how values are called."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.games.reporting import Tables

RANKS = {"1": "1 (master)", "2": "2", "3": "3"}
STEPS = {
    "A": "A nobility, church", "B": "B guild", "C": "C merchants", "D": "D guild", "E": "E merchants", "F": "F guild",
    "G": "G merchants, seat",
}  # fmt: skip
WORDS = {
    "all": "all together", "thing=all": "all edifices", "level=no": "in turn", "level=yes": "after waiting", **STEPS,
    **{f"rank={rank}": name for rank, name in RANKS.items()},
}  # fmt: skip
_TASKS = {
    "adjacent_to_edifice": "{min} beside {edifice}", "members_in_guild": "{min} {guild} spaces",
    "same_edifice": "{min} beside one edifice", "orthogonal_line": "row of {min}", "diagonal_line": "diagonal of {min}",
    "square_2x2": "square of 4", "council_members": "council seats", "distinct_edifices": "beside {min} edifices",
    "most_members_in_city": "most members", "most_coins": "most coins", "distinct_guilds": "members in {min} guilds",
    "guilds_with_pairs": "{min} members in {guilds} guilds", "distinct_chapels": "beside {min} chapels",
    "same_chapel": "{min} beside one chapel", "connected_group": "group of {min}", "border_members": "{min} on the border",
    "nobility_or_church": "nobility or church",
}  # fmt: skip


def task_names(data: Mapping[str, Any]) -> dict[str, str]:
    """What each task of the component data asks for, in a few words, by its id."""
    return {task["id"]: _TASKS[task["kind"]].format_map(task) for task in data.get("tasks", [])}


def words(tables: Tables, components: Mapping[str, Any]) -> dict[str, str]:
    """How the values in the tables are called: raw -> words; tasks and edifices with their points."""
    words_of = dict(WORDS)
    for data in reversed(list(components.values())):  # the first variant has the last word
        names = task_names(data)
        for printed in (*data["tasks"], *data["edifices"]):
            called = names.get(printed["id"], printed["id"])
            words_of[printed["id"]] = f"{called} \N{MIDDLE DOT} {printed['points']}"
    return words_of
