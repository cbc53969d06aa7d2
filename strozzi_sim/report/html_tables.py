"""Tables of the page: tidy rows become lines of cells, one line per level and player count, or one per figure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import named, pick
from strozzi_sim.declare.pictures import Picture
from strozzi_sim.declare.printing import (
    digits_for,
    format_beside,
    format_interval,
    format_row,
    format_value,
    half_width,
)
from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.figures import Figure
from strozzi_sim.pictures.marks import numbers_of, rows_of
from strozzi_sim.pictures.series import levels_of

# the keys of a line, and (figure, player count, level) of each of its cells
Line = tuple[tuple[str, ...], Sequence[tuple[str, int, Any]]]


@dataclass(frozen=True)
class TableCell:
    """A cell of a table."""

    text: str
    interval: str = ""  # "± 2" or "(20 to 29)"
    tip: str = ""  # sentence on interval and n
    # value, low, high and n as text, or ""; a share is in per cent, as the cell shows it
    numbers: tuple[str, ...] = ("", "", "", "")


@dataclass(frozen=True)
class PageTable:
    """A table of the page."""

    keys: tuple[str, ...]  # names of the key columns
    columns: tuple[tuple[str, str, str], ...]  # (label, sign, figure) of the others; figure: "" without a single one
    rows: tuple[tuple[tuple[str, ...], tuple[TableCell | None, ...]], ...]  # keys and cells of each line
    left_out: tuple[str, ...] = ()  # levels without a value of the figure that sorts the lines
    sorted_by: str = ""  # label of that figure


def page_table(picture: Picture, table: pd.DataFrame, words: Mapping[str, str]) -> PageTable | None:
    """Return a picture of kind "table" in one variant and line-up; None without rows, or without values to sort by."""
    rows = rows_of(picture, table)
    if rows.empty:
        return None
    figures = picture.figures
    counts = [int(count) for count in sorted(rows["players"].unique())]
    lines: list[Line] = []
    if picture.x == "figure":  # a line for every figure, and a column for every player count
        for figure in figures:
            cells_of_line = [(figure.name, count, figure.name) for count in counts]
            lines.append(((heading(figure),), cells_of_line))
        columns = tuple((f"{count} players", "", "") for count in counts)
        return PageTable(("figure",), columns, _lines(picture, rows, lines))
    levels = levels_of(picture, rows)
    left_out: tuple[str, ...] = ()
    sorted_by = ""
    if picture.sort:
        sorted_by = next(figure.label for figure in figures if figure.name == picture.sort)
        with_value = {ALL, *pick(rows, figure=picture.sort).dropna(subset="value")[picture.x]}
        if with_value == {ALL}:
            return None
        left_out = tuple(named(level, words, picture.x) for level in levels if level not in with_value)
        levels = [level for level in levels if level in with_value]
    for level in levels:  # a line for every level and player count, and a column for every figure
        for count in counts:
            name = named(level, words, picture.x, count).replace("\n", "")
            keys_of_line = (name, str(count)) if len(counts) > 1 else (name,)
            lines.append((keys_of_line, [(figure.name, count, level) for figure in figures]))
    keys = (picture.x_label or picture.x, *(["players"] if len(counts) > 1 else []))
    columns = tuple((*_head(figure), figure.name) for figure in figures)
    return PageTable(keys, columns, _lines(picture, rows, lines), left_out, sorted_by)


def _lines(picture: Picture, rows: pd.DataFrame, lines: Iterable[Line]) -> Any:
    figures = {figure.name: (figure, _digits(rows, figure)) for figure in picture.figures}
    cells = {
        (row.figure, row.players, getattr(row, picture.x)): cell_of(row, *figures[row.figure])
        for row in rows.itertuples(index=False)
        if row.n
    }
    filled = [(keys, tuple(cells.get(place) for place in places)) for keys, places in lines]
    return tuple(line for line in filled if any(line[1]))


def heading(figure: Figure) -> str:
    """Return a figure's label with the sign of its unit: "games won, %"."""
    return ", ".join(filter(None, _head(figure)))


def _head(figure: Figure) -> tuple[str, str]:
    return figure.label, figure.measure.sign.strip()


def _digits(rows: pd.DataFrame, figure: Figure) -> int:
    """Return a column's number of decimals, from its median interval; `cell_of` uses fewer for wider intervals."""
    column = rows[rows["figure"] == figure.name].dropna(subset=["value", "low", "high"])
    half = float(((column["high"] - column["low"]) / 2).median()) if len(column) else 0.0
    return max(digits_for(0.0, half, figure), 0)


def cell_of(row: Any, figure: Figure, digits: int) -> TableCell:
    """Return the cell of a row of a table."""
    n = f"n = {row.n:,}"
    numbers = numbers_of(row, figure.measure.factor)
    if figure.unit == "p":
        return TableCell(format_row(row, figure), "", n, numbers)
    digits = min(digits, digits_for(row.value, half_width(row), figure))
    text = format_value(row.value, figure, digits, bare=True)
    if np.isnan(row.low) or np.isnan(row.value):
        return TableCell(text, "", n, numbers)
    tip = f"95 % interval {format_interval(row, figure, digits, as_ends=True)[0]}; {n}"
    return TableCell(text, format_beside(row, figure, digits), tip, numbers)
