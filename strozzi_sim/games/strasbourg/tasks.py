"""The task cards as component data: kinds, the keys that each kind requires (F7), and tasks that no game can fulfil."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from strozzi_sim.errors import InputError, pluralize
from strozzi_sim.game.components import check_known
from strozzi_sim.games.strasbourg.geometry import Cell, City
from strozzi_sim.games.strasbourg.state import GUILD_SEAT, MAX_CELLS, MAX_GUILDS, MAX_POINTS, PLAYER_COUNTS, TASK_WORDS

Number = Annotated[int, Meta(ge=1, le=MAX_CELLS)]

# Keys that a kind requires besides `id` and `points`: those in TASK_WORDS. A square may have `min`, which must be 4.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    kind: tuple(sorted("min_by_players" if key == "seats" else key for _, key, *_ in Formatter().parse(words) if key))
    for kind, words in TASK_WORDS.items()
}


def task_names(data: Mapping[str, Any], players: int | None = None) -> dict[str, str]:
    """Return each task's condition by id: 2 beside E5. Without `players`, a number that depends on them is left out."""
    return {task["id"]: _condition(task, players) for task in data.get("tasks", [])}


def task_texts(data: Mapping[str, Any], players: int) -> dict[str, str]:
    """Return each task's condition with its points, by id: 2 beside E5, 5 points."""
    names = task_names(data, players)
    return {task["id"]: f"{names[task['id']]}, {pluralize(task['points'], 'point')}" for task in data["tasks"]}


def _condition(task: Mapping[str, Any], players: int | None) -> str:
    seats = task.get("min_by_players", {}).get(f"p{players}", "")
    return TASK_WORDS[task["kind"]].format_map({**task, "seats": seats}).lstrip()


class MinByPlayers(msgspec.Struct, forbid_unknown_fields=True):
    """Members needed with 3, 4 and 5 players."""

    p3: Number
    p4: Number
    p5: Number


class Task(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A task card."""

    id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_]{1,32}$(?!\n)")]
    kind: Literal[tuple(TASK_WORDS)]  # type: ignore[valid-type]
    points: Annotated[int, Meta(ge=0, le=MAX_POINTS)]
    edifice: str | None = None
    guild: str | None = None
    guilds: Annotated[int, Meta(ge=1, le=MAX_GUILDS)] | None = None
    min: Number | None = None
    min_by_players: MinByPlayers | None = None
    text: str = ""
    provenance: Literal["rulebook", "page", "inferred", "reconstructed", "variant"] = "variant"

    def subject(self, guilds: Sequence[str], edifices: Sequence[str]) -> int:
        """Return the index of the task's edifice or guild, or its number of guilds; default: 0."""
        if self.edifice is not None:
            return edifices.index(self.edifice)
        return guilds.index(self.guild) if self.guild is not None else self.guilds or 0

    def minimum(self, players: int) -> int:
        """Return the number needed with `players` players; 0 if the task has none."""
        if self.min_by_players is None:
            return self.min or 0
        return int(getattr(self.min_by_players, f"p{players}")) if players in PLAYER_COUNTS else 0


def check_tasks(tasks: Sequence[Task], guilds: Sequence[str], edifices: Sequence[str], where: str) -> None:
    """Check that each task has exactly the keys of its kind (see PARAMETERS) and names existing edifices and guilds."""
    for task in tasks:
        key, needed = f"{where}: tasks.{task.id}", PARAMETERS[task.kind]
        for name in ("edifice", "guild", "guilds", "min", "min_by_players"):
            is_given = getattr(task, name) is not None
            if name in needed and not is_given:
                raise InputError(f"{key}.{name}: missing; a task of kind {task.kind} has {', '.join(needed)}")
            if is_given and name not in needed and (task.kind, name) != ("square_2x2", "min"):
                keys = ", ".join(needed) or "only points"
                raise InputError(f"{key}.{name}: unknown key; a task of kind {task.kind} has {keys}")
        for name, allowed in (("edifice", edifices), ("guild", guilds)):
            if getattr(task, name) is not None:
                check_known(name, getattr(task, name), allowed, f"{key}.{name}")
        if task.kind == "square_2x2" and task.min not in (None, 4):
            raise InputError(f"{key}.min: a square has 4 members, got {task.min}")


_LINES = {"orthogonal_line": ((1, 0), (0, 1)), "diagonal_line": ((1, 1), (-1, 1))}


@dataclass(frozen=True)
class Bounds:
    """Upper bounds of what a player can have in a game, coins ignored.

    A player places at most one member in each auction of a guild (R7.1); at most one chapel and one edifice are
    built per round (R9.1, R10.1).
    """

    city: City
    auctions: Mapping[str, int]  # steps of each guild in a game
    rounds: int
    chapels: int  # in the pool

    def unfulfillable(self, tasks: Iterable[Task]) -> Iterator[str]:
        """Yield, for each task beyond these bounds, the number that it needs and the most that a player can have."""
        for task in tasks:
            for thing, which, needed, most in self._requirements(task):
                if needed > most:
                    yield f"{task.id} needs {pluralize(needed, thing)} {which}, and a player can have at most {most}"
                    break

    def _members(self, cells: Iterable[Cell]) -> int:
        owners = [self.city.guilds[cell] for cell in cells]
        return sum(min(owners.count(guild), self.auctions[guild]) for guild in set(owners))

    def _requirements(self, task: Task) -> Iterator[tuple[str, str, int, int]]:
        """Yield (thing, which, number needed, most that a player can have), for council seats by player count."""
        kind, needed, city = task.kind, task.min or 0, self.city
        of_guild = {guild: self._members(city.spaces_of(guild)) for guild in self.auctions}
        sites = [self._members(city.beside(site)) for site in city.sites]
        corners = [self._members(city.around(corner)) for corner in city.chapel_sites] if self.chapels else []
        if kind == "members_in_guild":
            guild = str(task.guild)
            spaces, times = len(city.spaces_of(guild)), pluralize(self.auctions[guild], "auction")
            yield "member", f"at {guild} ({pluralize(spaces, 'space')}, {times})", needed, of_guild[guild]
        elif kind in ("adjacent_to_edifice", "same_edifice"):
            yield "member", "beside one edifice", needed, max(sites, default=0)
        elif kind == "distinct_edifices":
            which = f"({pluralize(self.rounds, 'round')}, {pluralize(len(sites), 'building site')})"
            yield "edifice", which, needed, min(self.rounds, sum(most > 0 for most in sites))
        elif kind == "same_chapel":
            yield "member", "beside one chapel", needed, max(corners, default=0)
        elif kind == "distinct_chapels":
            built = min(self.chapels, self.rounds)
            which = f"({built} built at most, {pluralize(len(city.chapel_sites), 'chapel site')})"
            yield "chapel", which, needed, min(built, sum(most > 0 for most in corners))
        elif kind in _LINES:
            yield "member", "in a line", needed, self._longest(_LINES[kind])
        elif kind == "square_2x2":
            squares = [block for block in map(city.around, city.guilds) if len(block) == 4]
            yield "member", "on a square of spaces", 4, max(map(self._members, squares), default=0)
        elif kind == "connected_group":
            yield "member", "in a connected group", needed, max(map(self._members, self._groups()), default=0)
        elif kind == "border_members":
            yield "member", "on the border", needed, self._members(filter(city.is_on_border, city.guilds))
        elif kind == "distinct_guilds":
            yield "guild", f"(of {len(of_guild)})", needed, sum(most > 0 for most in of_guild.values())
        elif kind == "guilds_with_pairs":
            enough = sum(most >= needed for most in of_guild.values())
            yield "guild", f"with {pluralize(needed, 'member')} each", task.guilds or 0, enough
        elif kind == "council_members":
            most = GUILD_SEAT + sum(times > 0 for times in self.auctions.values())
            for players in PLAYER_COUNTS:
                yield "seat", f"of the council with {players} players", task.minimum(players), most

    def _longest(self, directions: Iterable[Cell]) -> int:
        longest = 0
        for first in self.city.guilds:
            for right, down in directions:
                line = [first]
                while line[-1] in self.city.guilds and self._members(line) == len(line):
                    longest = max(longest, len(line))
                    line.append((line[-1][0] + right, line[-1][1] + down))
        return longest

    def _groups(self) -> Iterator[list[Cell]]:
        ungrouped = {cell for cell, guild in self.city.guilds.items() if self.auctions[guild]}
        while ungrouped:
            group = [ungrouped.pop()]
            for cell in group:
                beside = ungrouped.intersection(self.city.beside(cell))
                ungrouped -= beside
                group += beside
            yield group
