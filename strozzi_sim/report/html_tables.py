"""Tables of the page: tidy rows -> the cells that the template prints, one line per level and player count."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import THIN, Picture, digits_for, format_half_width, format_value, pick
from strozzi_sim.pictures.series import levels_of, named
from strozzi_sim.runtime.digits import most_digits


@dataclass(frozen=True)
class Cell:
    """A cell: its text, half-width of its interval, sentence on interval and n, and value, low, high and n as numbers or ""."""

    text: str
    half_width: str = ""
    tip: str = ""
    numbers: tuple[str, str, str, str] = ("", "", "", "")


@dataclass(frozen=True)
class PageTable:
    """A table of the page.

    Attributes:
        keys: names of the key columns.
        columns: (label, figure) of the other columns; the figure is "" where rows are figures.
        rows: (keys, cells) of each line.
        left_out: names of levels without a value of the figure that sorts the lines. sorted_by: label of that figure.
    """

    keys: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Cell | None, ...]], ...]
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
    if picture.x == "figure":
        return _by_figure(picture, rows)
    levels = levels_of(picture, rows)
    if not picture.sort:
        return _by_level(picture, rows, levels, words)
    (sorter,) = (figure for figure in picture.figures if figure.name == picture.sort)
    known = {ALL, *pick(rows, figure=sorter.name).dropna(subset="value")[picture.x]}
    if known == {ALL}:
        return None
    found = _by_level(picture, rows, [level for level in levels if level in known], words)
    left_out = tuple(named(level, words, picture.x) for level in levels if level not in known)
    return replace(found, left_out=left_out, sorted_by=sorter.label)


def _by_level(picture: Picture, rows: pd.DataFrame, levels: list[Any], words: Mapping[str, str]) -> PageTable:
    """Return a table with a line for every level and player count, and a column for every figure."""
    counts = [int(count) for count in sorted(rows["players"].unique())]
    cells = {(row.figure, row.players, getattr(row, picture.x)): row for row in rows.itertuples(index=False) if row.n}
    digits = {figure.name: _digits(rows, figure) for figure in picture.figures}
    lines = []
    for level in levels:
        for count in counts:
            own = [cells.get((figure.name, count, level)) for figure in picture.figures]
            if any(row is not None for row in own):
                name = named(level, words, picture.x).replace("\n", "")
                keys = (name, str(count)) if len(counts) > 1 else (name,)
                made = (
                    None if row is None else cell_of(row, figure, digits[figure.name])
                    for figure, row in zip(picture.figures, own, strict=True)
                )  # fmt: skip
                lines.append((keys, tuple(made)))
    head = picture.x_label or picture.x
    keys = (head, "players") if len(counts) > 1 else (head,)
    return PageTable(keys, tuple((_label(figure), figure.name) for figure in picture.figures), tuple(lines))


def _by_figure(picture: Picture, rows: pd.DataFrame) -> PageTable:
    """Return a table with a line for every figure, and a column for every player count."""
    counts = [int(count) for count in sorted(rows["players"].unique())]
    cells = {(row.figure, row.players): row for row in rows.itertuples(index=False) if row.n}
    lines = []
    for figure in picture.figures:
        own = [cells.get((figure.name, count)) for count in counts]
        if any(row is not None for row in own):
            digits = _digits(rows, figure)
            lines.append(
                ((_label(figure),), tuple(None if row is None else cell_of(row, figure, digits) for row in own))
            )
    return PageTable(("figure",), tuple((f"{count} players", "") for count in counts), tuple(lines))


def _label(figure: Figure) -> str:
    return f"{figure.label}, %" if figure.unit == "share" else figure.label


def _digits(rows: pd.DataFrame, figure: Figure) -> int:
    """Return the decimals of a column: what its median interval is worth; a cell whose own is wider is rounded to tens."""
    own = rows[rows["figure"] == figure.name].dropna(subset=["value", "low", "high"])
    return max(digits_for(float(((own["high"] - own["low"]) / 2).median()) if len(own) else 0.0, figure.unit, 2), 0)


def cell_of(row: Any, figure: Figure, digits: int) -> Cell:
    """Return the cell of a row of a table."""
    n = f"n = {row.n:,}"
    numbers = tuple("" if np.isnan(side) else f"{side:.6g}" for side in (row.value, row.low, row.high))
    kept = numbers[0], numbers[1], numbers[2], str(row.n)
    if figure.name.endswith("_p"):
        return Cell(format_p(row.value), "", n, kept)
    digits = min(digits, most_digits((row.high - row.low) / 2 * (100 if figure.unit == "share" else 1)))
    text = format_value(row.value, figure.unit, digits).removesuffix(f"{THIN}%")
    if np.isnan(row.low) or np.isnan(row.value):
        return Cell(text, "", n, kept)
    low, high = (format_value(side, figure.unit, digits).removesuffix(f"{THIN}%") for side in (row.low, row.high))
    return Cell(text, format_half_width(row, figure.unit, digits), f"95 % interval {low} to {high}; {n}", kept)


def format_p(p: float) -> str:
    """Format a p-value with two decimals, or three below 0.1."""
    return "-" if np.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
