"""Parts of a report's pages, for all games: tidy tables, pictures, and figures as text.

`game.pages.Report` combines them. A `cell` is a cell of a study with its counts (study.cells.CellCounts).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, product
from typing import Any, Literal

import numpy as np
import pandas as pd

from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.facts.pictures import Board, Figure, Unit
from strozzi_sim.game.sentences import listed as listed
from strozzi_sim.runtime.digits import decimals, most_digits, rounded_ends, rounded_up

Tables = Mapping[str, pd.DataFrame]
Level = str | int | Sequence[str] | Sequence[int]

CELL = ("players", "variant", "lineup")
FIGURE = ("figure", "value", "low", "high", "n", "deals")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
NUMBER_KEYS = ("seat", "position")
Kind = Literal["intervals", "lines", "dots", "bars", "spread", "scatter", "board", "table"]
SCENARIO = "scenario"  # a variant with a line-up
THIN = "\N{NARROW NO-BREAK SPACE}"


@dataclass(frozen=True)
class Picture:
    """The content of a picture or table of a report; the report decides how it looks."""

    name: str  # file name without ending
    page: str  # name of its page
    # intervals (dots with whiskers by a few levels), lines (by a number), dots (many levels, one row each), bars
    # (stacked sums), spread (quantiles), scatter (a figure over another), board (a figure on a map), table
    kind: Kind
    table: str  # name of the table with its figures
    # in `dots`, and in `intervals` by player count, one panel each; else in `intervals` and `lines` one panel together;
    # in `table` one column each, or one row (x "figure"); in `scatter` along x and along y; in `bars` the parts of a
    # bar; in `spread` five quantiles and a mark; in `board` one
    figures: tuple[Figure, ...]
    title: str
    caption: str = ""
    where: Mapping[str, str] = field(default_factory=dict)  # the rows shown, column -> value
    x: str = ""  # column of the axis, or of the rows ("players" compares player counts in one panel)
    series: str = ""  # column distinguished by colour; SCENARIO puts variants and line-ups into one picture
    levels: tuple[str, ...] = ()  # values of `x` in order; default: all in the table
    series_levels: tuple[str, ...] = ()  # values of `series` in order; default: all in the table
    # for `bars` only: name of a bar -> its parts, instead of `x` and `figures`
    groups: Mapping[str, tuple[Figure, ...]] = field(default_factory=dict)
    x_label: str = ""
    equal: bool = False  # show distances from an equal chance, 1 / players: a line there, on a board colours
    # for `board` only: function of a variant's component data that returns the positions of the levels of `x`
    board: Callable[[Mapping[str, Any]], Board] | None = None
    zero: bool = False  # for differences: draw a line at zero, and shares in points
    sort: str = ""  # figure by which the levels of `x` are sorted, largest first; default: the order of the table
    most: int = 0  # number of sorted levels shown; default: all

    def __post_init__(self) -> None:
        """Check that figures in one panel differ by colour, and that all or none are shares. Raises InputError."""
        by_panel = self.kind == "intervals" and self.x == "players" and self.series != "figure"
        if self.kind not in ("intervals", "lines") or len(self.figures) < 2 or by_panel:
            return
        if self.series != "figure" or len({figure.unit == "share" for figure in self.figures}) > 1:
            raise InputError(
                f"picture {self.name!r}: several figures in one panel of {self.kind} need one unit and "
                "series='figure'; use dots for a panel per figure"
            )


@dataclass(frozen=True)
class TablePart:
    """The figures that one call adds to a table: one figure at all combinations of levels."""

    players: int
    variant: str
    lineup: str
    deals: int
    figure: str
    levels: dict[str, Any]  # one level or a list, for every key
    estimate: Any  # stats.Estimate, with one axis for each list
    keep: Any  # True, or a bool array of this shape, False for impossible combinations

    @property
    def axes(self) -> dict[str, list[Any]]:
        """The keys with a list of levels, in order."""
        return {key: levels for key, levels in self.levels.items() if isinstance(levels, list)}


class FigureTable:
    """A tidy table of figures: players, variant, lineup, the keys, figure, value, low, high, n, deals.

    With `sums`, `parts` keep what paired differences need: counts of ratios, or figures without each chunk.
    """

    def __init__(self, *keys: str, sums: bool = False) -> None:
        self.columns = (*CELL, *keys, *FIGURE)
        self._keys, self._sums = keys, sums
        self.parts: list[TablePart] = []

    def add(self, cell: Any, figure: str, estimate: Any, *, keep: Any = True, **levels: Level) -> None:
        """Add an estimate of shape [L1, L2, ...], with one axis for each key given as a list, in the order of the keys.

        Every level has a row, even without an event: zero events are a result, and a share listed only when it
        occurred would be overestimated on average. `levels` has one level or a list for every key; `keep`, a bool
        array of this shape, is False for impossible combinations.
        """
        if not self._sums:
            estimate = replace(estimate, sums=None, without=None)
        known = {key: level if isinstance(level := levels[key], str | int) else list(level) for key in self._keys}
        part = TablePart(cell.players, cell.variant, cell.lineup, cell.deals, figure, known, estimate, keep)
        self.parts.append(part)

    def add_all(self, cell: Any, estimates: Mapping[str, Any], **levels: Level) -> None:
        """Add estimates by figure, all with the same levels."""
        for figure, estimate in estimates.items():
            self.add(cell, figure, estimate, **levels)

    def frame(self) -> pd.DataFrame:
        """Return the table; without rows it still has its columns and their types."""
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        for part in self.parts:
            entries = _entries(part)
            for name, column in columns.items():
                entry = entries[name]
                column.extend([entry] * len(entries["n"]) if isinstance(entry, str | int) else entry)
        types = dict.fromkeys(self.columns, "str")
        types |= dict.fromkeys(("players", "n", "deals", *NUMBER_KEYS), "int64")
        types |= dict.fromkeys(("value", "low", "high"), "float64")
        return pd.DataFrame({name: pd.Series(column, dtype=types[name]) for name, column in columns.items()})


def _entries(part: TablePart) -> dict[str, Any]:
    """Return the columns of a part: one entry for all rows, or one for each."""
    shape = tuple(len(axis) for axis in part.axes.values())
    is_possible = np.broadcast_to(part.keep, shape).ravel()
    rows = list(compress(product(*part.axes.values()), is_possible))
    entries: dict[str, Any] = {"players": part.players, "variant": part.variant, "lineup": part.lineup, **part.levels}
    entries |= {key: [row[k] for row in rows] for k, key in enumerate(part.axes)}
    for side in ("value", "low", "high", "n"):
        entries[side] = np.broadcast_to(getattr(part.estimate, side), shape).ravel()[is_possible]
    return entries | {"figure": part.figure, "deals": part.deals}


def unknown_figures(picture: Picture, table: pd.DataFrame) -> list[str]:
    """Return a message for each figure of a picture that its table lacks; [] for an empty table."""
    if table.empty:
        return []
    known = sorted(table["figure"].unique())
    bars = list(picture.groups.values()) or [picture.figures]
    names = dict.fromkeys([*(figure.name for bar in bars for figure in bar), *filter(None, [picture.sort])])
    return [f"unknown figure {short_repr(name)}; {suggest_names(name, known)}" for name in names if name not in known]


_SYMMETRIC = 1.25  # largest ratio of the sides of an interval that is shown as value ± half-width
_DIGITS: dict[Unit, int] = {"share": 1, "amount": 1, "number": 2, "count": 0}


def factor_of(unit: Unit) -> int:
    """Return the factor by which a shown figure is multiplied: 100 for a share, shown in per cent, else 1."""
    return 100 if unit == "share" else 1


def format_value(value: float, unit: Unit, digits: int | None = None, *, sign: str = f"{THIN}%") -> str:
    """Return a figure as text, a share in per cent followed by `sign`; `digits` -1 rounds to tens; NaN is a dash."""
    if np.isnan(value):
        return "\N{EN DASH}"
    digits = _DIGITS[unit] if digits is None else digits
    shown = round(factor_of(unit) * value, digits)
    return f"{shown:z,.{max(digits, 0)}f}{sign if unit == 'share' else ''}".replace("-", "\N{MINUS SIGN}")


def half_width(row: Any) -> float:
    """Return the distance from a row's value to the farther end of its interval; NaN without an interval."""
    return float(max(row.high - row.value, row.value - row.low))


def digits_for(value: float, half: float, unit: Unit, most: int = 2) -> int:
    """Return the number of decimals of a figure with this half-width (0 or NaN: without interval); negative: tens.

    Counts without an interval have all their digits. With `most` = 0 a narrow interval adds no decimals to the unit's.
    """
    if not half > 0:
        return 0 if unit == "count" else decimals(factor_of(unit) * value, 0.0, _DIGITS[unit])
    digits = decimals(factor_of(unit) * value, factor_of(unit) * half, max(_DIGITS[unit], most))
    return max(digits, 0) if unit == "share" else digits


def format_row(row: Any, unit: Unit) -> str:
    """Return a row's figure as text without its interval, rounded to the digits that the interval makes meaningful."""
    return format_value(row.value, unit, digits_for(row.value, half_width(row), unit, 0))


def format_half_width(row: Any, unit: Unit, digits: int) -> str:
    """Return the half-width of a row's interval as text, rounded up at these decimals: 0.95 to 1; "" without one."""
    half = factor_of(unit) * half_width(row)
    if np.isnan(half):
        return ""
    half = rounded_up(half, digits)
    return f"{half:,.{max(min(digits, most_digits(half)), 0)}f}" if half > 0 else "0"


def is_plus_minus(row: Any, unit: Unit) -> bool:
    """Return whether value ± half-width tells a row's interval: nearly symmetric, and for a share in 0 to 100 %.

    >>> row = pd.Series({"value": 0.08, "low": 0.01, "high": 0.22})
    >>> is_plus_minus(row, "share"), is_plus_minus(row.replace(0.22, 0.15), "share")
    (False, True)
    """
    half, nearer = half_width(row), min(row.high - row.value, row.value - row.low)
    leaves_range = unit == "share" and (row.low >= 0 > row.value - half or row.high <= 1 < row.value + half)
    return bool(half <= _SYMMETRIC * nearer and not leaves_range)


def format_interval(row: Any, unit: Unit, digits: int) -> str:
    """Return the ends of a row's interval with these decimals: "29.9 to 31.1"."""
    low, high = rounded_ends(factor_of(unit) * row.low, factor_of(unit) * row.high, digits)
    return " to ".join(format_value(end / factor_of(unit), unit, digits, sign="") for end in (low, high))


def format_beside(row: Any, unit: Unit, digits: int) -> str:
    """Return a row's interval as text to stand after its value: "± 0.6" or "(29.9 to 31.1)"; "" without one."""
    if np.isnan(row.low) or row.low == row.high:
        return ""
    if is_plus_minus(row, unit):
        return f"±{THIN}{format_half_width(row, unit, digits)}"
    return f"({format_interval(row, unit, digits)})"


def format_estimate(row: Any, unit: Unit) -> str:
    """Return a row's figure as text: value ± half-width, or `format_range` if that would not tell the interval."""
    if np.isnan(row.value):
        return "no value"
    if np.isnan(row.low) or row.low == row.high:
        return format_row(row, unit)
    if not is_plus_minus(row, unit):
        return format_range(row, unit)
    digits = digits_for(row.value, half_width(row), unit)
    value, half_text = format_value(row.value, unit, digits, sign=""), format_half_width(row, unit, digits)
    return f"{value}{THIN}±{THIN}{half_text}{THIN + '%' if unit == 'share' else ''}"


def format_range(row: Any, unit: Unit) -> str:
    """Return a row's figure as text with the ends of its interval, if it has one: "30.5 % (29.9 to 31.1)"."""
    if np.isnan(row.low):
        return format_row(row, unit)
    digits = digits_for(row.value, half_width(row), unit)
    return f"{format_value(row.value, unit, digits)} ({format_interval(row, unit, digits)})"


def pick(table: pd.DataFrame, /, **where: Any) -> pd.DataFrame:
    """Return the rows of a table whose columns have these values."""
    keep = np.ones(len(table), bool)
    for column, value in where.items():
        keep &= (table[column] == value).to_numpy()
    return table[keep]


def first_scenario(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the table's first variant and line-up."""
    if table.empty:
        return table
    first = table.iloc[0]
    return pick(table, variant=first["variant"], lineup=first["lineup"])


def some_of(words: Sequence[str], most: int = 4) -> str:
    """Return the first `most` words and the number of the others as a list in text: "a, b, c, d and 2 more"."""
    return listed([*words[:most], f"{len(words) - most} more"] if len(words) > most else words)


def agent_names(lineup: pd.DataFrame, players: int) -> list[str]:
    """Return the names of a line-up's positions: agents by name, copies numbered ("first random").

    Without rows one agent plays itself, and the names are those of the seats: "seat 0".
    """
    agents = dict(zip(lineup["position"], lineup["agent"], strict=True))
    if not agents:
        return [f"seat {seat}" for seat in range(players)]
    many, named = Counter(agents.values()), Counter[str]()
    names = []
    for _, agent in sorted(agents.items()):
        named[agent] += 1
        names.append(agent if many[agent] == 1 else f"{_ORDINALS[named[agent] - 1]} {agent}")
    return names


def headline_players(table: pd.DataFrame) -> int:
    """Return the player count of the headline: 4, or the smallest."""
    return 4 if (table["players"] == 4).any() else int(table["players"].min())
