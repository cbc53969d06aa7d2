"""Tasks that no game can fulfil, found by upper bounds of what a player can have."""

from collections.abc import Iterable, Iterator

import msgspec

from strozzi_sim.errors import pluralize
from strozzi_sim.games.strasbourg.blocks import Components
from strozzi_sim.games.strasbourg.geometry import Cell, City, city_of
from strozzi_sim.games.strasbourg.state import GUILD_SEAT, PLAYER_COUNTS
from strozzi_sim.games.strasbourg.tasks import Task

_DIRECTIONS = {"orthogonal_line": ((1, 0), (0, 1)), "diagonal_line": ((1, 1), (-1, 1))}


def unfulfillable(components: Components) -> Iterator[str]:
    """Describe each task that no game can fulfil: the number it needs, and the most that a player can have.

    A player places at most one member in each auction of a guild (R7.1); one chapel and one edifice are built per round
    (R9.1, R10.1). Coins are ignored. The components must be checked.
    """
    box = _Box(components)
    for task in components.tasks:
        for (thing, which), needed, most in box.asked(task):
            if needed > most:
                yield f"{task.id} needs {pluralize(needed, thing)} {which}, and a player can have at most {most}"
                break


class _Box:
    """Upper bounds of what a player can have with a component set."""

    def __init__(self, components: Components) -> None:
        self.city: City = city_of(msgspec.to_builtins(components))
        self.guilds: list[str] = components.guilds.order
        self.rounds = len(components.round_cards)
        named = [guild for card in components.round_cards for guild in (card.guilds.B, card.guilds.D, card.guilds.F)]
        self.auctions = {guild: named.count(guild) for guild in self.guilds}
        self.sites = [self.members(self.city.beside(site)) for site in self.city.sites]
        corners = [self.members(self.city.around(corner)) for corner in self.city.chapel_sites]
        self.chapels = corners if components.chapels.count > 0 else []
        self.chapel_count = min(components.chapels.count, self.rounds)

    def members(self, cells: Iterable[Cell]) -> int:
        """Return the most members that a player can have on these city spaces."""
        owners = [self.city.guilds[cell] for cell in cells]
        return sum(min(owners.count(guild), self.auctions[guild]) for guild in set(owners))

    def asked(self, task: Task) -> Iterator[tuple[tuple[str, str], int, int]]:
        """Yield ((thing, which), number needed, most that a player can have); once per player count if they differ."""
        kind, needed = task.kind, task.min or 0
        of_guild = {guild: self.members(self._cells(guild)) for guild in self.guilds}
        if kind == "members_in_guild":
            guild, times = str(task.guild), self.auctions[str(task.guild)]
            spaces = pluralize(len(self._cells(guild)), "space")
            yield ("member", f"at {guild} ({spaces}, {pluralize(times, 'auction')})"), needed, of_guild[guild]
        elif kind in ("adjacent_to_edifice", "same_edifice"):
            yield ("member", "beside one edifice"), needed, max(self.sites, default=0)
        elif kind == "distinct_edifices":
            which = f"({pluralize(self.rounds, 'round')}, {pluralize(len(self.sites), 'building site')})"
            yield ("edifice", which), needed, min(self.rounds, sum(most > 0 for most in self.sites))
        elif kind == "same_chapel":
            yield ("member", "beside one chapel"), needed, max(self.chapels, default=0)
        elif kind == "distinct_chapels":
            which = f"({self.chapel_count} built at most, {pluralize(len(self.city.chapel_sites), 'chapel site')})"
            yield ("chapel", which), needed, min(self.chapel_count, sum(most > 0 for most in self.chapels))
        elif kind in _DIRECTIONS:
            yield ("member", "in a line"), needed, self._longest(_DIRECTIONS[kind])
        elif kind == "square_2x2":
            yield ("member", "on a square of spaces"), 4, max(map(self.members, self._squares()), default=0)
        elif kind == "connected_group":
            yield ("member", "in a connected group"), needed, max(map(self.members, self._groups()))
        elif kind == "border_members":
            yield ("member", "on the border"), needed, self.members(self._border())
        elif kind == "distinct_guilds":
            yield ("guild", f"(of {len(self.guilds)})"), needed, sum(most > 0 for most in of_guild.values())
        elif kind == "guilds_with_pairs":
            most = sum(most >= needed for most in of_guild.values())
            yield ("guild", f"with {pluralize(needed, 'member')} each"), task.guilds or 0, most
        elif kind == "council_members":
            most = GUILD_SEAT + sum(times > 0 for times in self.auctions.values())
            for players in PLAYER_COUNTS:
                yield ("seat", f"of the council with {players} players"), task.minimum(players), most

    def _cells(self, guild: str) -> list[Cell]:
        return [cell for cell, owner in self.city.guilds.items() if owner == guild]

    def _border(self) -> list[Cell]:
        ends = ((1, self.city.columns), (1, self.city.rows))
        return [cell for cell in self.city.guilds if cell[0] in ends[0] or cell[1] in ends[1]]

    def _longest(self, directions: Iterable[Cell]) -> int:
        """Return the most members in a line without a gap."""
        longest = 0
        for column, row in self.city.guilds:
            for right, down in directions:
                line = [(column, row)]
                while line[-1] in self.city.guilds and self.members(line) == len(line):
                    longest = max(longest, len(line))
                    line.append((line[-1][0] + right, line[-1][1] + down))
        return longest

    def _squares(self) -> Iterator[list[Cell]]:
        for column, row in self.city.guilds:
            block = self.city.around((column, row))
            if len(block) == 4:
                yield block

    def _groups(self) -> Iterator[list[Cell]]:
        """Yield the connected groups of city spaces."""
        left = {cell for cell, guild in self.city.guilds.items() if self.auctions[guild]}
        yield []
        while left:
            group = [left.pop()]
            for cell in group:
                beside = left.intersection(self.city.beside(cell))
                left -= beside
                group += beside
            yield group
