"""Tables of the page: convert tidy rows to the cells that the template prints."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import THIN, Picture, digits_for, format_half_width, format_value, pick
from strozzi_sim.reports.series import levels_of, named
from strozzi_sim.reports.style import compact
from strozzi_sim.runtime.digits import most_digits

_WIDE = 14  # maximum columns of numbers on the page
_FIT = 7  # maximum columns in normal type
_FEW = 4  # up to this number of levels, rows are grouped by figure


@dataclass(frozen=True)
class Cell:
    """A number: its text, the half-width of its interval, and n as tooltip."""

    value: str
    half_width: str
    n: str


@dataclass(frozen=True)
class Row:
    """A line of a table: label, numbers, range of event counts; `head` starts a group of lines."""

    label: str
    cells: tuple[Cell | None, ...]
    n: str
    head: str = ""


@dataclass(frozen=True)
class PageTable:
    """A table of the page.

    Attributes:
        corner: heading of the row labels.
        groups: (label, number of columns) of the column groups; empty without groups.
        columns: column labels.
        rows: lines.
        wide: whether the table needs small type.
        left_out: names of levels without a value of the figure that sorts the lines.
        sorted_by: label of that figure.
    """

    corner: str
    groups: tuple[tuple[str, int], ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    wide: bool
    left_out: tuple[str, ...] = ()
    sorted_by: str = ""


def page_table(picture: Picture, table: pd.DataFrame, words: Mapping[str, str]) -> PageTable | None:
    """Return the table that `picture` describes, or None if it is empty.

    Args:
        picture: picture of kind "table".
        table: its table for one variant and line-up.
        words: raw value -> display name.
    """
    rows = pick(table, **picture.where)
    rows = rows[rows["figure"].isin([figure.name for figure in picture.figures])]
    if picture.x != "figure" and picture.levels:
        rows = rows[rows[picture.x].isin(picture.levels)]
    if rows.empty:
        return None
    levels = [] if picture.x == "figure" else levels_of(picture, rows)
    if not picture.sort:
        return _table(picture, rows, levels, words)
    (sorter,) = (figure for figure in picture.figures if figure.name == picture.sort)
    known = {ALL, *pick(rows, figure=sorter.name).dropna(subset="value")[picture.x]}
    if known == {ALL}:
        return None
    found = _table(picture, rows, [level for level in levels if level in known], words)
    left_out = tuple(named(level, words, picture.x) for level in levels if level not in known)
    return replace(found, left_out=left_out, sorted_by=sorter.label)


def _table(picture: Picture, rows: pd.DataFrame, levels: Sequence[Any], words: Mapping[str, str]) -> PageTable:
    """Return the table with these levels as lines."""
    players = sorted(rows["players"].unique())
    across = len(players) * len(picture.figures)
    grouped_by_figure = (len(levels) <= _FEW and (len(players) > 2 or across > _FIT)) or across > _WIDE
    wide = not grouped_by_figure and across > _FIT
    numbers = _Numbers(rows, picture, most=1 if wide else 2)
    heads = tuple(f"{count} players" for count in players)

    def lines(labels: Iterable[tuple[str, Any]], figures: Sequence[Figure]) -> tuple[Row, ...]:
        """Return the non-empty lines of these (label, level), with the figures side by side."""
        keys = [(label, [(figure, count, level) for figure in figures for count in players]) for label, level in labels]
        return tuple(line for label, own in keys if (line := _line(label, numbers, own)))

    if picture.x == "figure":
        single = [line for figure in picture.figures for line in lines([(_label(figure), "")], [figure])]
        return PageTable("", (), heads, tuple(single), wide=False)
    labels = [(named(level, words, picture.x), level) for level in levels]
    if grouped_by_figure:
        groups = [(_label(figure), lines(labels, [figure])) for figure in picture.figures]
        rows_of_groups = [
            replace(line, head="" if k else head) for head, group in groups for k, line in enumerate(group)
        ]
        return PageTable(picture.x_label, (), heads, tuple(rows_of_groups), wide=False)
    names = [_label(figure) for figure in picture.figures]
    body = lines(labels, picture.figures)
    if len(players) == 1:
        corner = f"{picture.x_label}, {heads[0]}" if picture.x_label else heads[0]
        return PageTable(corner, (), tuple(names), body, wide)
    columns = tuple(str(count) for _ in names for count in players)
    return PageTable(picture.x_label, tuple((name, len(players)) for name in names), columns, body, wide)


def _label(figure: Figure) -> str:
    return f"{figure.label}, %" if figure.unit == "share" else figure.label


class _Numbers:
    """Rows of a table by (figure, players, level), and the decimals of each figure."""

    def __init__(self, rows: pd.DataFrame, picture: Picture, most: int) -> None:
        self._rows: dict[tuple[str, int, Any], Any] = {}
        self._digits: dict[str, int] = {}
        rows = rows[rows["n"] > 0]  # the page omits lines without events; the CSV tables keep them
        valued = rows.dropna(subset="value")
        for row in rows.itertuples(index=False):
            level = "" if picture.x == "figure" else getattr(row, picture.x)
            self._rows[row.figure, row.players, level] = row
        for figure in picture.figures:
            half = ((valued["high"] - valued["low"]) / 2)[valued["figure"] == figure.name].dropna()
            self._digits[figure.name] = digits_for(float(half.median()) if len(half) else 0.0, figure.unit, most)

    def row(self, figure: Figure, players: int, level: Any) -> Any:
        return self._rows.get((figure.name, players, level))

    def cell(self, figure: Figure, row: Any) -> Cell:
        half = (row.high - row.low) / 2 * (100 if figure.unit == "share" else 1)
        digits = min(self._digits[figure.name], most_digits(half))
        n = f"n = {row.n:,}"
        if figure.name.endswith("_p"):
            return Cell(format_p(row.value), "", n)
        value = format_value(row.value, figure.unit, digits).removesuffix(f"{THIN}%")
        return Cell(value, "" if np.isnan(row.value) else format_half_width(row, figure.unit, digits), n)


def format_p(p: float) -> str:
    """Format a p-value with two decimals, or three below 0.1."""
    return "-" if np.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def _line(label: str, numbers: _Numbers, keys: Sequence[tuple[Figure, int, Any]]) -> Row | None:
    rows = [(figure, numbers.row(figure, players, level)) for figure, players, level in keys]
    there = [row.n for _, row in rows if row is not None]
    if not there:
        return None
    cells = tuple(None if row is None else numbers.cell(figure, row) for figure, row in rows)
    low, high = compact(min(there)), compact(max(there))
    return Row(label, cells, low if low == high else f"{low}\N{EN DASH}{high}")
