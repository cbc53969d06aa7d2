"""Heat maps as tables of cells, each with its value, colour, interval and n."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.declare.printing import THIN, digits_for, format_value, half_width
from strozzi_sim.declare.significance import (
    ALPHA,
    MAX_CHUNKS,
    degrees_of_freedom,
    no_significant_difference,
    p_value_of_share,
)
from strozzi_sim.facts.figures import Figure
from strozzi_sim.pictures.marks import numbers_of, sentence
from strozzi_sim.pictures.series import in_order, players_title, scenario_words, scenarios
from strozzi_sim.stats.multiple_testing import benjamini_hochberg


@dataclass(frozen=True)
class HeatCell:
    """A cell of a heat map."""

    text: str
    part: str  # strength of its colour, from 0 to 1
    classes: str  # for the page: few, noise, neg and marked, as far as they apply, separated by blanks
    tip: str  # sentence of its value, interval and n
    numbers: tuple[str, ...]  # value, low, high and n as text; "" for NaN

    @property
    def is_plain(self) -> bool:
        """Whether the cell has no colour: too few events, or no significant difference."""
        return "noise" in self.classes or "few" in self.classes


@dataclass(frozen=True)
class HeatPanel:
    """A panel: its title and player count, and its rows of (name, cells); None is a cell without events."""

    title: str
    players: int
    rows: tuple[tuple[str, tuple[HeatCell | None, ...]], ...]


@dataclass(frozen=True)
class HeatTables:
    """The panels of a heat map, which share one scale."""

    row_label: str
    column_label: str
    columns: tuple[str, ...]  # their names
    panels: tuple[HeatPanel, ...]
    low: str  # ends of the scale as text
    high: str
    two: bool  # whether colours show both sides of an equal share or of zero
    note: str  # meaning of numbers and colours


def heat_tables(
    heat_map: HeatMap,
    table: pd.DataFrame,
    words: Mapping[str, str],
    *,
    chunks: int = MAX_CHUNKS,
    compared: pd.DataFrame | None = None,
) -> HeatTables | None:
    """Return the panels of a heat map, one per player count, variant and line-up; None if no cell has a value.

    `table` is that of the heat map, `words` raw row or column -> display name, `chunks` the number of chunks from which
    the intervals were estimated, and `compared` the table whose levels and scale are used; default: `table`.
    """
    if known_rows(heat_map, table).empty:
        return None
    compared = table if compared is None else compared
    rows_with_value = known_rows(heat_map, compared)
    shown = compared[compared["row"].isin(rows_with_value["row"]) & compared["column"].isin(rows_with_value["column"])]
    shown = shown[shown["figure"] == heat_map.figure.name]
    levels = in_order(shown["row"], ()), in_order(shown["column"], ())
    if heat_map.equal:
        shades = rows_with_value["value"] - 1 / rows_with_value["players"]
    else:
        shades = rows_with_value["shade"] if heat_map.shade_label else rows_with_value["value"]
    low, high = (float(end) for end in (shades.min(), shades.max())) if shades.notna().any() else (0.0, 0.0)
    is_two_sided = heat_map.equal or bool(heat_map.shade_label) or low < 0
    low, high = (-max(-low, high), max(-low, high)) if is_two_sided else (low, high)
    digits = max(int(np.median([_digits(heat_map, row) for row in rows_with_value.itertuples(index=False)])), 1)
    panels, is_flat = [], False
    for title, players, rows_of_panel in _panels(heat_map, table, levels):
        shaded, flat = _shaded(heat_map, rows_of_panel, players, chunks, (low, high), two=is_two_sided)
        shaded_rows = shaded.itertuples(index=False)
        cells = {(row.row, row.column): _cell(heat_map, row, words, digits) for row in shaded_rows}
        lines = ((words.get(level, level), tuple(cells.get((level, top)) for top in levels[1])) for level in levels[0])
        panels.append(HeatPanel(title, players, tuple(line for line in lines if any(line[1]))))
        is_flat |= flat
    figure = heat_map.figure
    ends = [format_end(end, figure.difference() if is_two_sided else figure) for end in (low, high)]
    notes = ["in the cells: per cent"] if figure.is_share else []
    if heat_map.equal:
        notes.append("uncoloured: not told apart from an equal share")
    elif heat_map.shade_label:
        notes.append(f"colour: the difference {heat_map.shade_label}")
    elif is_flat:
        notes.append("a panel in one colour: no significant differences")
    labels = heat_map.row_label, heat_map.column_label
    column_names = tuple(words.get(level, level) for level in levels[1])
    return HeatTables(*labels, column_names, tuple(panels), ends[0], ends[1], is_two_sided, "; ".join(notes))


def known_rows(heat_map: HeatMap, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a heat map's table that have a value to draw."""
    return table[(table["figure"] == heat_map.figure.name) & table["value"].notna() & (table["n"] > 0)]


def format_end(end: float, figure: Figure) -> str:
    """Return an end of a scale of colours as text: a count whole, others with at most three significant digits."""
    return format_value(end, figure, digits_for(end, 0.0, figure)).replace(THIN, " ")


def _panels(
    heat_map: HeatMap, table: pd.DataFrame, levels: tuple[list[str], list[str]]
) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Yield (title, player count, rows) of each panel, in the order of the table; with one player count by line-up."""
    rows = table[(table["figure"] == heat_map.figure.name) & (table["n"] > 0)]
    rows = rows[rows["row"].isin(levels[0]) & rows["column"].isin(levels[1])]
    groups: dict[Any, pd.DataFrame] = dict(list(rows.groupby(["variant", "lineup", "players"], sort=False)))
    all_scenarios, counts = scenarios(rows), sorted({players for _, _, players in groups})
    lineups = list(dict.fromkeys(lineup for _, lineup in all_scenarios))
    if len(counts) == 1:
        all_scenarios = sorted(all_scenarios, key=lambda scenario: lineups.index(scenario[1]))
    for scenario in all_scenarios:
        scenario_name = scenario_words(scenario, all_scenarios)
        for players in counts:
            if (*scenario, players) in groups:
                count_name = "" if len(counts) == 1 and scenario_name else players_title(players)
                title = ", ".join(filter(None, [scenario_name, count_name]))
                yield title, int(players), groups[*scenario, players]


def _shaded(
    heat_map: HeatMap, rows: pd.DataFrame, players: int, chunks: int, ends: tuple[float, float], *, two: bool
) -> tuple[pd.DataFrame, bool]:
    """Return the rows of a panel with their colours, and whether it has one colour, since no two differ significantly.

    The new columns are `part` (strength of the colour, 0 to 1 for known values), `noise` (whether the difference from
    an equal share is not significant) and `neg` (whether the colour is that of values below an equal share or zero).
    """
    value, low, high, n, deals = (rows[name].to_numpy() for name in ("value", "low", "high", "n", "deals"))
    shades, is_equal, is_flat, share = value, np.zeros(len(rows), bool), False, heat_map.figure.is_share
    if heat_map.equal:
        p = p_value_of_share(value, low, high, 1 / players, degrees_of_freedom(n, deals, chunks))
        is_equal = ~(benjamini_hochberg(p) < ALPHA)
        shades = np.where(is_equal, 0.0, value - 1 / players)
    elif heat_map.shade_label:  # the table has the colours
        shades = rows["shade"].to_numpy(float)
    elif no_significant_difference(value, low, high, n, deals, share=share, chunks=chunks):
        mean = 0.0 if two else float(np.average(value, weights=n))
        shades, is_flat = np.full(len(rows), sum(ends) / 2 if np.isnan(mean) else mean), True
    known = np.nan_to_num(shades)
    parts = np.abs(known) / (ends[1] or 1.0) if two else (known - ends[0]) / ((ends[1] - ends[0]) or 1.0)
    return rows.assign(part=parts, noise=is_equal, neg=two & (shades < 0)), is_flat


def _digits(heat_map: HeatMap, row: Any) -> int:
    """Return the decimals that the interval of a cell allows; its text has at most the larger of their median and 1."""
    figure = heat_map.figure
    return digits_for(row.value, half_width(row), figure, 1 if figure.measure.factor > 1 else 3)


def _cell(heat_map: HeatMap, row: Any, words: Mapping[str, str], digits: int) -> HeatCell:
    places = words.get(row.row, row.row), words.get(row.column, row.column)
    where = f"{heat_map.row_label} {places[0]}, {heat_map.column_label} {places[1]}"
    if np.isnan(row.value):
        tip = f"{where}: n = {row.n:,.0f}, too few for a value"
        return HeatCell("\N{EN DASH}", "0", "few", tip, numbers_of(row))
    text = format_value(row.value, heat_map.figure, min(digits, _digits(heat_map, row)), bare=True)
    classes = {"noise": row.noise, "neg": row.neg, "marked": heat_map.shade_label and row.marked}
    names = " ".join(name for name, applies in classes.items() if applies)
    return HeatCell(text, f"{row.part:.3f}", names, sentence([where], row, heat_map.figure), numbers_of(row))
