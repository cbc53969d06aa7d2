"""Fact tables and their columns, as a game declares them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from strozzi_sim.errors import InputError, known_names
from strozzi_sim.kernel.units import WIN_UNITS

Array = np.ndarray[Any, Any]

SIZES = {"u1": 1, "u2": 2, "i4": 4}  # the dtypes of columns, and their bytes
ROWS = 4160  # most rows of a table between two counts; 4096 would give all columns the same lines of the cache


class Setting(NamedTuple):
    """What the values of a column may depend on: the number of players and the component data."""

    players: int
    components: Mapping[str, Any]


@dataclass(frozen=True)
class Levels:
    """The values of a column in order, some of them taken together.

    Attributes:
        names: of the levels, as tables print them.
        starts: the smallest value of each level, ascending; the first level takes what lies below it too.
        exact: whether each level is one value.
    """

    names: tuple[str, ...]
    starts: tuple[int, ...]
    exact: bool = True

    def __post_init__(self) -> None:
        """Names and starts go together."""
        assert len(self.names) == len(self.starts)
        assert list(self.starts) == sorted(set(self.starts))

    def of(self, values: Array) -> Array:
        """The number of the level of each value."""
        return np.maximum(np.searchsorted(np.asarray(self.starts), values, side="right") - 1, 0)


def labels(names: Sequence[str], first: int = 0) -> Levels:
    """One level a value, from `first` on."""
    return Levels(tuple(names), tuple(range(first, first + len(names))))


def numbers(values: Iterable[int], most: int | None = None) -> Levels:
    """The numbers that occur; those from `most` on are one level, called "most+"."""
    found = sorted({value if most is None else min(value, most) for value in values})
    names = [str(value) + ("+" if value == most else "") for value in found]
    return Levels(tuple(names), tuple(found), most is None)


def bands(starts: Sequence[int], scale: int = 1) -> Levels:
    """Levels by where they begin, what lies below the first one included; "<first", then each by its start.

    Args:
        starts: in words' units, ascending.
        scale: of the column.
    """
    names = [f"<{starts[0]}", *(str(start) for start in starts[:-1]), f"{starts[-1]}+"]
    below = scale * starts[0] - 1
    return Levels(tuple(names), (below, *(scale * start for start in starts)), exact=False)


YES_NO = labels(("no", "yes"))


@dataclass(frozen=True)
class Column:
    """A column of a fact table.

    Attributes:
        name: a word.
        text: what it is, in words.
        levels: the values it can be sorted by, or what makes them of a setting; None: it can be summed and compared alone.
        dtype: u1, u2 or i4.
        unit: of its numbers, "" for none.
        scale: what one unit counts as in the column.
        of: columns that it follows from; then it is not written, and `values` says how.
        values: setting -> its value by those of the columns in `of`, integers of shape [values of the first, ...].
    """

    name: str
    text: str
    levels: Levels | Callable[[Setting], Levels] | None = None
    dtype: str = "u1"
    unit: str = ""
    scale: int = 1
    of: tuple[str, ...] = ()
    values: Callable[[Setting], Array] | None = None

    def levels_in(self, setting: Setting) -> Levels | None:
        """Its levels in a setting."""
        return self.levels(setting) if callable(self.levels) else self.levels


# What every row about a seat has besides: how that seat fared in the end.
OUTCOMES = (
    Column("position", "position of the line-up at the seat", lambda setting: numbers(range(setting.players))),
    Column("score", "final score of the seat", dtype="i4"),
    Column("place", "final place of the seat; a shared one is the mean of the places", lambda setting: Levels(
        tuple(f"{place / 2:g}" for place in range(2, 2 * setting.players + 1)), tuple(range(2, 2 * setting.players + 1))),
        scale=2),
    Column("win", "the game as the seat won it; a shared win is a part of one", scale=WIN_UNITS),
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A fact table: one row for each thing of a kind that happened.

    Attributes:
        name: a word.
        text: what a row is.
        columns: those that are written, and those that follow from them. A column `seat` brings OUTCOMES with it.
        most: setting -> most rows of one game.
        rows: most rows between two counts.
        sampled: 0, or k if only deals that are multiples of k have rows.
        of_choices: whether some of it comes from `decided`, so that a journal cannot tell it.
        on_request: whether it is written only if something of it is counted or kept (its bit in `asked` of the sink).
    """

    name: str
    text: str
    columns: tuple[Column, ...]
    most: Callable[[Setting], int]
    rows: int = ROWS
    sampled: int = 0
    on_request: bool = False
    of_choices: bool = False
    _by_name: dict[str, Column] = field(default_factory=dict, compare=False, repr=False, init=False)

    def __post_init__(self) -> None:
        """Columns by name."""
        assert self.written, self.name
        self._by_name.update({column.name: column for column in self.all_columns})
        assert len(self._by_name) == len(self.all_columns), f"{self.name}: two columns of one name"

    @property
    def has_seat(self) -> bool:
        """Whether its rows are about a seat."""
        return any(column.name == "seat" for column in self.columns)

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """Its own columns, and OUTCOMES if its rows are about a seat."""
        return self.columns + (OUTCOMES if self.has_seat else ())

    @property
    def written(self) -> tuple[Column, ...]:
        """The columns that the game's handlers write."""
        return tuple(column for column in self.columns if not column.of)

    def column(self, name: str) -> Column:
        """A column by name.

        Raises:
            InputError: there is none; lists those there are.
        """
        if name not in self._by_name:
            raise InputError(f"table {self.name}: no column {name!r}; {known_names(name, self._by_name)}")
        return self._by_name[name]
