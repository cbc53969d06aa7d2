"""The task cards as component data: their kinds, and the keys that each kind requires (F7)."""

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from strozzi_sim.errors import InputError, pluralize, suggest_names
from strozzi_sim.games.strasbourg.state import MAX_CELLS, MAX_GUILDS, MAX_POINTS, PLAYER_COUNTS, TASK_KINDS

Number = Annotated[int, Meta(ge=1, le=MAX_CELLS)]

_WORDS = {
    "adjacent_to_edifice": "{min} beside {edifice}", "members_in_guild": "{min} {guild} spaces",
    "same_edifice": "{min} beside one edifice", "orthogonal_line": "row of {min}", "diagonal_line": "diagonal of {min}",
    "square_2x2": "square of 4", "council_members": "{seats} council seats", "distinct_edifices": "beside {min} edifices",
    "most_members_in_city": "most members", "most_coins": "most coins", "distinct_guilds": "members in {min} guilds",
    "guilds_with_pairs": "{min} members in {guilds} guilds", "distinct_chapels": "beside {min} chapels",
    "same_chapel": "{min} beside one chapel", "connected_group": "group of {min}", "border_members": "{min} on the border",
    "nobility_or_church": "nobility or church",
}  # fmt: skip
# Keys that a kind requires in addition to points, those in its words; a square can have `min`, which is always 4.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    kind: tuple(sorted("min_by_players" if key == "seats" else key for _, key, *_ in Formatter().parse(words) if key))
    for kind, words in _WORDS.items()
}


def task_names(data: Mapping[str, Any], players: int | None = None) -> dict[str, str]:
    """Return a short description of each task of plain component data, by id, with the number that `players` need."""
    return {task["id"]: _in_words(task, players) for task in data.get("tasks", [])}


def task_texts(data: Mapping[str, Any], players: int) -> dict[str, str]:
    """Return a description of each task with its points, by id: 2 beside E5, 5 points."""
    words = task_names(data, players)
    return {task["id"]: f"{words[task['id']]}, {pluralize(task['points'], 'point')}" for task in data["tasks"]}


def _in_words(task: Mapping[str, Any], players: int | None) -> str:
    needed = task.get("min_by_players", {}).get(f"p{players}", "")
    return _WORDS[task["kind"]].format_map({**task, "seats": needed}).lstrip()


class MinByPlayers(msgspec.Struct, forbid_unknown_fields=True):
    """Members needed with 3, 4 and 5 players."""

    p3: Number
    p4: Number
    p5: Number


class Task(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A task card."""

    id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_]{1,32}$")]
    kind: Literal[TASK_KINDS]  # type: ignore[valid-type]
    points: Annotated[int, Meta(ge=0, le=MAX_POINTS)]
    edifice: str | None = None
    guild: str | None = None
    guilds: Annotated[int, Meta(ge=1, le=MAX_GUILDS)] | None = None
    min: Number | None = None
    min_by_players: MinByPlayers | None = None
    text: str = ""
    provenance: Literal["rulebook", "page", "inferred", "reconstructed", "variant"] = "variant"

    def subject(self, guilds: Sequence[str], edifices: Sequence[str]) -> int:
        """Return the number of the task's edifice or guild, or its number of guilds; default: 0."""
        if self.edifice is not None:
            return edifices.index(self.edifice)
        return guilds.index(self.guild) if self.guild is not None else self.guilds or 0

    def minimum(self, players: int) -> int:
        """Return the number needed; 0 if the kind has no number, or `players` is not a player count of the game."""
        if self.min_by_players is None:
            return self.min or 0
        return int(getattr(self.min_by_players, f"p{players}")) if players in PLAYER_COUNTS else 0


def check_tasks(tasks: Sequence[Task], guilds: Sequence[str], edifices: Sequence[str], where: str) -> None:
    """Check that each task has exactly the keys of its kind, and names existing edifices and guilds.

    Raises:
        InputError: names the key.
    """
    for task in tasks:
        key, needed = f"{where}: tasks.{task.id}", PARAMETERS[task.kind]
        for name in ("edifice", "guild", "guilds", "min", "min_by_players"):
            there = getattr(task, name) is not None
            if name in needed and not there:
                raise InputError(f"{key}.{name}: missing; a task of kind {task.kind} has {', '.join(needed)}")
            if there and name not in needed and (task.kind, name) != ("square_2x2", "min"):
                words = ", ".join(needed) or "only points"
                raise InputError(f"{key}.{name}: unknown key; a task of kind {task.kind} has {words}")
        for name, known in (("edifice", edifices), ("guild", guilds)):
            value = getattr(task, name)
            if value is not None and value not in known:
                raise InputError(f"{key}.{name}: unknown {name} {value!r}; {suggest_names(value, known)}")
        if task.kind == "square_2x2" and task.min not in (None, 4):
            raise InputError(f"{key}.min: a square has 4 members, got {task.min}")
