"""Fact tables and their columns, as a game declares them, and their descriptions for the command and the documents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from strozzi_sim.errors import InputError, suggest_names

Array = np.ndarray[Any, Any]

WIN_UNITS = 60  # a win in whole numbers: each of up to 6 seats that share it has WIN_UNITS // seats

_MAX_LISTED = 8  # most names listed in a description

SIZES = {"u1": 1, "u2": 2, "i4": 4}  # bytes of the dtypes of columns
ROWS = 4160  # default `Table.rows`; with 4096, a power of two, all columns would compete for the same cache lines


class GameConfig(NamedTuple):
    """A setting: player count and component data, on which levels and derived values of columns may depend."""

    players: int
    components: Mapping[str, Any]
    journal_rows: int = 0  # largest number of events of a game


@dataclass(frozen=True)
class Levels:
    """The values of a column in order, grouped into levels."""

    names: tuple[str, ...]  # names of the levels, as printed in tables
    starts: tuple[int, ...]  # smallest value of each level, ascending; the first level also has all smaller values
    exact: bool = True  # whether each level is one value

    def __post_init__(self) -> None:
        assert len(self.names) == len(self.starts)
        assert list(self.starts) == sorted(set(self.starts))

    @property
    def are_numbers(self) -> bool:
        """Whether the names are numbers, or ranges of numbers; the first name decides."""
        return self.names[0].lstrip("-<").rstrip("+").replace(".", "").isdigit()

    def of(self, values: Array) -> Array:
        """Return the level number of each value."""
        return np.maximum(np.searchsorted(np.asarray(self.starts), values, side="right") - 1, 0)


def labels(names: Sequence[str], first: int = 0) -> Levels:
    """Return levels of one value each, from `first` on."""
    return Levels(tuple(names), tuple(range(first, first + len(names))))


def numbers(values: Iterable[int], most: int | None = None) -> Levels:
    """Return one level for each distinct number; those from `most` on are one level, such as "5+"."""
    occurring = sorted({value if most is None else min(value, most) for value in values})
    names = [str(value) + ("+" if value == most else "") for value in occurring]
    return Levels(tuple(names), tuple(occurring), most is None)


def bands(starts: Sequence[int], scale: int = 1) -> Levels:
    """Return a level below the first of `starts`, and one from each to the next; with scale 1, names have both ends.

    >>> bands((1, 2, 5)).names
    ('<1', '1', '2 to 4', '5+')
    """
    pairs = pairwise(starts)
    inner = [f"{start} to {end - 1}" if end - start > 1 and scale == 1 else f"{start}" for start, end in pairs]
    names = [f"<{starts[0]}", *inner, f"{starts[-1]}+"]
    below = scale * starts[0] - 1
    return Levels(tuple(names), (below, *(scale * start for start in starts)), exact=False)


YES_NO = labels(("no", "yes"))


@dataclass(frozen=True)
class Column:
    """A column of a fact table."""

    name: str  # one word
    text: str  # meaning of the column
    # levels to count by, or a function setting -> levels; None: the column is only for sums and conditions
    levels: Levels | Callable[[GameConfig], Levels] | None = None
    dtype: str = "u1"  # u1, u2 or i4
    unit: str = ""  # unit of its numbers, "" for none
    scale: int = 1  # stored values are the numbers times `scale`
    derived_from: tuple[str, ...] = ()  # columns from which `values` computes the column, which is then not written
    # setting -> integers [i, j, ...]: the column's value where the columns in `derived_from` have the values i, j, ...
    values: Callable[[GameConfig], Array] | None = None
    # in a table without handlers: an expression of state, rules, seat and action, or a kernel of (state, rules, seat)
    of: str | Callable[..., Any] = ""

    def levels_in(self, setting: GameConfig) -> Levels | None:
        """Return the column's levels in a setting, or None."""
        return self.levels(setting) if callable(self.levels) else self.levels


def each_seat(setting: GameConfig) -> Levels:
    """Return a level for each seat."""
    return numbers(range(setting.players))


def yes_or_no(name: str, text: str) -> Column:
    """Return a column of yes and no."""
    return Column(name, text, YES_NO)


def derived(
    name: str, text: str, sources: str, values: Callable[..., Any], levels: Any = YES_NO, unit: str = "", **more: Any
) -> Column:
    """Return a column derived from `sources`, names of columns separated by spaces; see `Column`."""

    def integers(setting: GameConfig) -> Array:
        return np.asarray(values(setting), int)

    return Column(name, text, levels, unit=unit, derived_from=tuple(sources.split()), values=integers, **more)


def round_columns(
    rounds: Callable[[GameConfig], int], text: str = "round of the game, from 1"
) -> tuple[Column, Column]:
    """Return the columns `round` and `last`, given the number of rounds in a setting."""
    number = Column("round", text, lambda setting: numbers(range(1, rounds(setting) + 1)))
    # one entry for each value of a u1
    return number, derived("last", "it is the last round", "round", lambda setting: np.arange(256) == rounds(setting))


def _places(setting: GameConfig) -> Levels:
    """Return a level for each place and for the half between two places; values are twice the place."""
    halves = range(2, 2 * setting.players + 1)
    return Levels(tuple(f"{place / 2:g}" for place in halves), tuple(halves))


# Additional columns of every row about a seat: its position in the line-up, and its result at the end of the game.
OUTCOMES = (
    Column("position", "position of the line-up at the seat", each_seat),
    Column("score", "final score of the seat", dtype="i4"),
    Column("place", "final place of the seat; a shared one is the mean of the places", _places, scale=2),
    Column("win", "win of the seat; a shared win counts as a fraction", scale=WIN_UNITS),
)


@dataclass(frozen=True)
class Table:
    """A fact table: one row per event of a kind."""

    name: str  # one word
    text: str  # meaning of a row
    columns: tuple[Column, ...]  # written and derived columns. A column `seat` adds OUTCOMES.
    # setting -> largest number of rows of one game; default: the largest number of events
    max_rows: Callable[[GameConfig], int] = attrgetter("journal_rows")
    rows: int = ROWS  # largest number of rows between two counts
    sampled: int = 0  # k: only deals that are multiples of k have rows; 0: all deals
    optional: bool = False  # whether rows are written only if they are counted or kept: if their bit of `asked` is set
    of_choices: bool = False  # whether `on_decision` writes some of its values, which a journal lacks
    each: str = ""  # DECISION or SEAT: one row for each, written from `Column.of`; "": rows are written by handlers

    def __post_init__(self) -> None:
        assert self.written, self.name
        assert len(self._by_name) == len(self.all_columns), f"{self.name}: two columns of one name"

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.all_columns}

    @property
    def has_seat(self) -> bool:
        """Whether each row is about a seat."""
        return any(column.name == "seat" for column in self.columns)

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """All columns: the declared ones, and OUTCOMES if each row is about a seat."""
        return self.columns + (OUTCOMES if self.has_seat else ())

    @property
    def written(self) -> tuple[Column, ...]:
        """The columns that are not derived: written by handlers, or from `Column.of`."""
        return tuple(column for column in self.columns if not column.derived_from)

    def column(self, name: str) -> Column:
        """Return a column by name."""
        if name not in self._by_name:
            raise InputError(f"table {self.name}: no column {name!r}; {suggest_names(name, self._by_name)}")
        return self._by_name[name]


DECISION, SEAT = "on_decision", "close_game"  # verbs whose defaults write the rows of tables without handlers
_SEAT = Column("seat", "the seat, 0 starts the game", each_seat, of="seat")


def decision_table(
    columns: Sequence[Column] = (),
    name: str = "decision",
    text: str = "a choice of a seat between several actions",
    rows: int = ROWS,
) -> Table:
    """Return a table of decisions, written without a handler: seat, action, choices, and `columns`.

    >>> pot = Column("pot", "chips on the table", bands((1, 2, 4)), of="state.pot")
    >>> [column.name for column in decision_table([pot]).columns]
    ['seat', 'action', 'choices', 'pot']
    """
    action = Column("action", "the number of the action", dtype="u2", of="action")
    choices = Column("choices", "number of legal actions, 2 or more", dtype="u2", of="count_legal(state, rules)")
    columns = (_SEAT, action, choices, *columns)
    return Table(name, text, columns, rows=rows, optional=True, of_choices=True, each=DECISION)


def seat_table(columns: Sequence[Column] = (), name: str = "seat", text: str = "a player in a game") -> Table:
    """Return a table of the players at the end of a game, written without a handler: seat, and `columns`."""
    return Table(name, text, (_SEAT, *columns), lambda setting: setting.players, each=SEAT)


def described_table(table: Table, setting: GameConfig) -> dict[str, Any]:
    """Return a fact table as plain data: name, text, sampled, on_request, and its columns (`described_column`)."""
    return {
        "name": table.name,
        "text": table.text,
        "sampled": table.sampled,
        "on_request": table.optional,
        "columns": [described_column(column, setting) for column in table.all_columns],
    }


def described_column(column: Column, setting: GameConfig) -> dict[str, Any]:
    """Return a column as plain data; `levels` are names of values or groups, None for a number without levels."""
    levels = column.levels_in(setting)
    names = list(levels.names) if levels else None
    return {
        "name": column.name,
        "text": column.text,
        "unit": column.unit,
        "levels": names,
        "values": _format_values(names, column.unit),
        "of": list(column.derived_from),
    }


def _format_values(names: list[str] | None, unit: str) -> str:
    if names is None:
        return unit or "number"
    are_numbers = all(name.lstrip("-").rstrip("+").isdigit() for name in names)
    if len(names) > 2 and are_numbers and names[0].lstrip("-").isdigit():
        return f"{names[0]} to {names[-1]}" + (f" {unit}" if unit else "")
    return ", ".join(names if len(names) <= _MAX_LISTED else [*names[: _MAX_LISTED - 2], "...", names[-1]])


def facts_page(title: str, name: str, tables: Sequence[dict[str, Any]]) -> str:
    """Format the fact tables of a game, from `described_table`, as a page of its documents (Markdown)."""
    of_seats = next((table for table in tables if _names_seat(table)), None)
    outcomes = {column.name for column in OUTCOMES} if of_seats else set()
    lines = [
        f"# The facts of {title}\n",
        "The events counted in a game: one table per kind of event, one row per event. Custom heat maps are made of",
        f"these columns (see [facts.md](../facts.md)). This page is the output of `strozzi facts {name} --markdown`.",
        "Columns marked * are derived from others when tables are made.",
    ]
    if of_seats:
        lines += ["", "A table with a column `seat` has these columns, too:", ""]
        lines += _column_lines([column for column in of_seats["columns"] if column["name"] in outcomes])
    for table in tables:
        notes = [f"of one deal in {table['sampled']}"] if table["sampled"] else []
        notes += ["only on request"] if table["on_request"] else []
        suffix = f" ({', '.join(notes)})" if notes else ""
        lines += ["", f"## {table['name']}", "", f"{table['text'][0].upper()}{table['text'][1:]}{suffix}.", ""]
        repeated = outcomes if _names_seat(table) else ()
        lines += _column_lines([column for column in table["columns"] if column["name"] not in repeated])
    return "\n".join(lines) + "\n"


def _names_seat(table: dict[str, Any]) -> bool:
    return any(column["name"] == "seat" for column in table["columns"])


def _column_lines(columns: Sequence[dict[str, Any]]) -> list[str]:
    """Return a Markdown table of described columns."""
    rows = [(f"`{each['name']}`{'*' * bool(each['of'])}", each["values"], each["text"]) for each in columns]
    lines = ["| column | values | meaning |", "|---|---|---|"]
    return lines + [f"| {' | '.join(row)} |".replace(">", "\\>") for row in rows]
