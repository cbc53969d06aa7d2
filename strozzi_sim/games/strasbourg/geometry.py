"""The map of Strasbourg, read from component data: cells, prices, building sites, chapel sites."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from strozzi_sim.errors import InputError, pluralize, short_repr
from strozzi_sim.game.components import check_known
from strozzi_sim.games.strasbourg.state import MAX_CELLS, MAX_PRICE, MAX_SITES

Cell = tuple[int, int]  # (column, row), both from 1, row 1 on top
SITE = "#"  # a building site in `guild_map`
NO_PRICE = "."  # its price in `price_map`


def column_name(column: int) -> str:
    """Return the letters of a column of the map, counted from 1: a .. z, aa, ab, .."""
    prefix, last = divmod(column - 1, 26)
    return (column_name(prefix) if prefix else "") + chr(ord("a") + last)


def space_name(cell: Sequence[int]) -> str:
    """Return the name of a cell: column letter and row number, c4."""
    return f"{column_name(cell[0])}{cell[1]}"


def corner_name(cell: Sequence[int]) -> str:
    """Return the name of a chapel site: the cells to its upper left and its lower right, c4d5."""
    return f"{space_name(cell)}{space_name((cell[0] + 1, cell[1] + 1))}"


@dataclass(frozen=True)
class City:
    """The map."""

    columns: int
    rows: int
    guilds: Mapping[Cell, str]  # the guild of each city space, row by row
    prices: Mapping[Cell, int]  # coins for each city space
    sites: tuple[Cell, ...]  # building sites, row by row
    chapel_sites: tuple[Cell, ...]  # corners, each by its upper left cell

    def number(self, cell: Cell) -> int:
        """Return the number of a cell, row by row from 0, as used in actions and sets."""
        column, row = cell
        return (row - 1) * self.columns + column - 1

    def cell(self, number: int) -> Cell:
        """Return the cell of a number."""
        row, column = divmod(number, self.columns)
        return column + 1, row + 1

    def set_of(self, cells: Iterable[Cell]) -> int:
        """Return a set of cells as one number."""
        return sum(1 << self.number(cell) for cell in cells)

    def spaces_of(self, guild: str) -> list[Cell]:
        """Return the city spaces of a guild."""
        return [cell for cell, owner in self.guilds.items() if owner == guild]

    def is_on_border(self, cell: Cell) -> bool:
        """Return whether a cell is on the border of the map."""
        return cell[0] in (1, self.columns) or cell[1] in (1, self.rows)

    def beside(self, cell: Cell) -> list[Cell]:
        """Return the city spaces orthogonally adjacent to a cell (R12.1)."""
        return self._near(cell, ((0, -1), (-1, 0), (1, 0), (0, 1)))

    def around(self, corner: Cell) -> list[Cell]:
        """Return the city spaces that meet at a corner (A36)."""
        return self._near(corner, ((0, 0), (1, 0), (0, 1), (1, 1)))

    def _near(self, cell: Cell, steps: Iterable[Cell]) -> list[Cell]:
        neighbours = ((cell[0] + across, cell[1] + down) for across, down in steps)
        return [neighbour for neighbour in neighbours if neighbour in self.guilds]


_MAPS = ("guild_map", "price_map")


def city_of(components: Mapping[str, Any], key: str = "city") -> City:
    """Return the map of plain component data. Raises InputError."""
    city, letters = components["city"], components["guilds"]["letters"]
    maps, corners = tuple(tuple(city[name]) for name in _MAPS), tuple(map(tuple, city["chapel_sites"]))
    return _read_city(city["columns"], city["rows"], maps, corners, tuple(letters.items()), key)


@lru_cache(maxsize=64)
def _read_city(
    columns: int, rows: int, maps: Sequence[Sequence[str]], corners: tuple[Cell, ...], letters: Iterable[Any], key: str
) -> City:
    if columns * rows > MAX_CELLS:
        size = f"{pluralize(columns, 'column')} and {pluralize(rows, 'row')}"
        raise InputError(f"{key}.columns: {size} are {columns * rows} cells; at most {MAX_CELLS}")
    guild_by_letter: dict[str, str] = dict(letters)
    owners, prices = (_read_map(part, columns, rows, f"{key}.{name}") for name, part in zip(_MAPS, maps, strict=True))
    guilds, coins, sites = {}, {}, []
    for cell, letter in owners.items():
        price, place = prices[cell], f"row {cell[1]}, column {cell[0]}"
        if (letter == SITE) != (price == NO_PRICE):
            rule = f"building sites ({SITE!r}), and only they, have the price {NO_PRICE!r}"
            raise InputError(f"{key}.price_map: {place}: {price!r}, and {letter!r} in guild_map; {rule}")
        if letter == SITE:
            sites.append(cell)
            continue
        check_known("letter", letter, [*guild_by_letter, SITE], f"{key}.guild_map: {place}")
        if not price.isascii() or not price.isdecimal() or int(price) > MAX_PRICE:
            raise InputError(f"{key}.price_map: {place}: expected coins, 0 to {MAX_PRICE}, got {price!r}")
        guilds[cell], coins[cell] = guild_by_letter[letter], int(price)
    if len(sites) > MAX_SITES:
        raise InputError(f"{key}.guild_map: {len(sites)} building sites; at most {MAX_SITES}")
    for corner in corners:
        if not (1 <= corner[0] < columns and 1 <= corner[1] < rows):
            inside = f"columns are 1 to {columns - 1}, rows 1 to {rows - 1}"
            raise InputError(f"{key}.chapel_sites: {short_repr(list(corner))} is no corner inside the city; {inside}")
        if corners.count(corner) > 1:
            raise InputError(f"{key}.chapel_sites: {short_repr(list(corner))} is listed {corners.count(corner)} times")
    return City(columns, rows, guilds, coins, tuple(sites), corners)


def _read_map(lines: Sequence[str], columns: int, rows: int, key: str) -> dict[Cell, str]:
    if len(lines) != rows:
        raise InputError(f"{key}: {pluralize(len(lines), 'row')}; city.rows is {rows}")
    cells: dict[Cell, str] = {}
    for row, line in enumerate(lines, 1):
        marks = line.split()
        if len(marks) != columns:
            raise InputError(f"{key}: row {row} has {pluralize(len(marks), 'cell')}; city.columns is {columns}")
        cells |= {(column, row): mark for column, mark in enumerate(marks, 1)}
    return cells
