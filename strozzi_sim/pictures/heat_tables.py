"""Heat maps as tables: the value in each cell, a colour by its size, its interval and n; one panel per player count, variant and line-up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import HeatMap, Unit
from strozzi_sim.game.reporting import THIN, digits_for, digits_shown, format_value
from strozzi_sim.game.significance import (
    ALPHA,
    MAX_CHUNKS,
    degrees_of_freedom,
    no_significant_difference,
    p_value_of_share,
)
from strozzi_sim.pictures.marks import sentence
from strozzi_sim.pictures.series import in_order, players_title, scenario_words, scenarios
from strozzi_sim.stats.multiple_testing import benjamini_hochberg

Array = np.ndarray[Any, Any]
_LARGE = 100  # amounts with one decimal at most


@dataclass(frozen=True)
class HeatCell:
    """A cell: text, colour from 0 to 1, classes, sentence, and value, low, high and n as text."""

    text: str
    part: str
    classes: str
    tip: str
    numbers: tuple[str, str, str, str]


@dataclass(frozen=True)
class HeatPanel:
    """A panel: its title and player count, and its rows of (name, cells); None is a cell that cannot occur."""

    title: str
    players: int
    rows: tuple[tuple[str, tuple[HeatCell | None, ...]], ...]


@dataclass(frozen=True)
class HeatTables:
    """The panels of a heat map, which share one scale.

    Attributes:
        row_label, column_label: what rows and columns are. columns: names of the columns.
        panels: the panels.
        low, high: the ends of the scale as text. two: whether colours show both sides of an equal share or of zero.
        note: what numbers and colours mean.
    """

    row_label: str
    column_label: str
    columns: tuple[str, ...]
    panels: tuple[HeatPanel, ...]
    low: str
    high: str
    two: bool
    note: str


class _Estimate(NamedTuple):
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class _Panel:
    """Cells of one player count, variant and line-up.

    Attributes:
        title: what tells it from the other panels. players: player count.
        value, low, high: figures with their intervals, float64[R, C]; NaN where none exists.
        n: events, int64[R, C].
        alarm: whether a share differs significantly from 1 / players, bool[R, C].
        noise: whether no two cells differ significantly.
        shade: what is coloured, float64[R, C]: the value less an equal share, or what the table says; NaN: no colour.
        marked: whether a cell is framed, bool[R, C].
    """

    title: str
    players: int
    value: Array
    low: Array
    high: Array
    n: Array
    alarm: Array
    noise: bool
    shade: Array
    marked: Array


def heat_tables(
    heat_map: HeatMap, table: pd.DataFrame, words: Mapping[str, str], *, chunks: int = MAX_CHUNKS,
    compared: pd.DataFrame | None = None,
) -> HeatTables | None:  # fmt: skip
    """Return the panels of a heat map, one per player count, variant and line-up; None if no cell has a value.

    Args:
        heat_map: the heat map.
        table: its table heat_<name>.
        words: raw row or column -> display name.
        chunks: chunks of the study from which the intervals were estimated.
        compared: rows of all parts that share rows, columns and scale; default: table.
    """
    if known_rows(heat_map, table).empty:
        return None
    compared = table if compared is None else compared
    known = known_rows(heat_map, compared)
    sides = compared[compared["row"].isin(known["row"]) & compared["column"].isin(known["column"])]
    sides = sides[sides["figure"] == heat_map.figure.name]
    levels = in_order(sides["row"], ()), in_order(sides["column"], ())  # the table's order
    panels = _panels(heat_map, table, levels, chunks)
    names, tops = ([words.get(level, level) for level in side] for side in levels)
    if heat_map.equal:
        shades = known["value"] - 1 / known["players"]
    else:
        shades = known["shade"] if heat_map.shade_label else known["value"]
    low, high = (float(end) for end in (shades.min(), shades.max())) if shades.notna().any() else (0.0, 0.0)
    two = heat_map.equal or bool(heat_map.shade_label) or low < 0
    low, high = (-max(-low, high), max(-low, high)) if two else (low, high)
    shown = []
    for panel in panels:
        cells = [[_cell(heat_map, panel, (i, j), (name, top), (low, high), two=two) for j, top in enumerate(tops)] for i, name in enumerate(names)]  # fmt: skip
        rows = tuple((name, tuple(row)) for name, row in zip(names, cells, strict=True) if any(row))
        shown.append(HeatPanel(panel.title, panel.players, rows))
    ends = [format_end(end, heat_map.figure.unit) for end in (low, high)]
    if two and heat_map.figure.unit == "share":
        ends = [f"{end.removesuffix(' %')} points" for end in ends]
    notes = ["in the cells: per cent"] if heat_map.figure.unit == "share" else []
    if heat_map.equal:
        notes.append("uncoloured: not told apart from an equal share")
    elif heat_map.shade_label:
        notes.append(f"colour: the difference {heat_map.shade_label}")
    elif any(panel.noise for panel in panels):
        notes.append("a panel in one colour: no significant differences")
    labels = heat_map.row_label, heat_map.column_label
    return HeatTables(*labels, tuple(tops), tuple(shown), ends[0], ends[1], two, "; ".join(notes))


def known_rows(heat_map: HeatMap, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table heat_<name> that have a value to draw."""
    return table[(table["figure"] == heat_map.figure.name) & table["value"].notna() & (table["n"] > 0)]


def format_end(end: float, unit: Unit) -> str:
    """Return an end of a scale of colours as text, in at most three digits."""
    return format_value(end, unit, max(digits_shown(end, 0.0, unit), 0)).replace(THIN, " ")


def cell_digits(half: float, value: float, unit: Unit) -> int:
    """Return the decimals of a cell: what half its interval is worth, in per cent for shares; one without an interval."""
    most = 1 if unit == "share" or abs(value) >= _LARGE else 2 if abs(value) >= 1 else 3
    return 1 if np.isnan(half) else digits_for(half, unit, most)


def _panels(heat_map: HeatMap, table: pd.DataFrame, levels: tuple[list[str], list[str]], chunks: int) -> list[_Panel]:
    """Return the panels: player counts of a variant and line-up behind each other, or, at one count, variants or line-ups."""
    rows = table[(table["figure"] == heat_map.figure.name) & (table["n"] > 0)]
    rows = rows[rows["row"].isin(levels[0]) & rows["column"].isin(levels[1])]
    groups: dict[Any, pd.DataFrame] = dict(list(rows.groupby(["variant", "lineup", "players"], sort=False)))
    every, counts = scenarios(rows), sorted({players for _, _, players in groups})
    lineups = list(dict.fromkeys(lineup for _, lineup in every))
    if len(counts) == 1:
        every = sorted(every, key=lambda each: lineups.index(each[1]))
    found = []
    for scenario in every:
        who = scenario_words(scenario, every)
        for players in counts:
            if (*scenario, players) in groups:
                title = who if len(counts) == 1 and who else ", ".join(filter(None, [who, players_title(players)]))
                found.append(_panel(heat_map, groups[*scenario, players], levels, title, int(players), chunks))
    return found


def _panel(
    heat_map: HeatMap, rows: pd.DataFrame, levels: tuple[list[str], list[str]], title: str, players: int, chunks: int
) -> _Panel:
    places = [rows[side].map({level: k for k, level in enumerate(names)}) for side, names in zip(("row", "column"), levels, strict=True)]  # fmt: skip
    at = tuple(place.to_numpy(np.int64) for place in places)
    shape = len(levels[0]), len(levels[1])

    def spread(values: Any, nothing: Any) -> Array:
        cells = np.full(shape, nothing)
        cells[at] = values
        return cells

    value, low, high, n, deals = (rows[name].to_numpy() for name in ("value", "low", "high", "n", "deals"))
    alarm, marked, shade = np.zeros(shape, bool), np.zeros(shape, bool), spread(value, np.nan)
    noise = False
    if heat_map.equal:
        p = p_value_of_share(value, low, high, 1 / players, degrees_of_freedom(n, deals, chunks))
        alarm[at] = benjamini_hochberg(p) < ALPHA
        shade = shade - 1 / players
    if heat_map.shade_label:  # the table knows which cells differ
        shade, marked = spread(rows["shade"], np.nan), spread(rows["marked"].astype(bool), False)
    else:
        share = heat_map.figure.unit == "share"
        noise = no_significant_difference(value, low, high, n, deals, share=share, chunks=chunks)
    sides = spread(value, np.nan), spread(low, np.nan), spread(high, np.nan)
    return _Panel(title, players, *sides, spread(n, 0), alarm, noise, shade, marked)


def _cell(
    heat_map: HeatMap, panel: _Panel, at: tuple[int, int], names: tuple[str, str], ends: tuple[float, float], *, two: bool
) -> HeatCell | None:  # fmt: skip
    value, low, high, n = (float(side[at]) for side in (panel.value, panel.low, panel.high, panel.n))
    if not n:
        return None
    where = f"{heat_map.row_label} {names[0]}, {heat_map.column_label} {names[1]}"
    if np.isnan(value):
        tip = f"{where}: n = {n:,.0f}, too few for a value"
        return HeatCell("\N{EN DASH}", "0", "few", tip, ("", "", "", f"{n:.0f}"))
    unit = heat_map.figure.unit
    text = format_value(value, unit, cell_digits((high - low) / 2, value, unit)).removesuffix(f"{THIN}%")
    shade = float(np.nan_to_num(panel.shade[at]))
    if heat_map.equal:
        shade = shade if panel.alarm[at] else 0.0
    elif panel.noise:
        mean = np.nan if two else float(np.average(panel.value[panel.n > 0], weights=panel.n[panel.n > 0]))
        shade = 0.0 if two else sum(ends) / 2 if np.isnan(mean) else mean
    part = abs(shade) / (ends[1] or 1.0) if two else (shade - ends[0]) / ((ends[1] - ends[0]) or 1.0)
    classes = {"noise": heat_map.equal and not panel.alarm[at], "neg": two and shade < 0, "marked": panel.marked[at]}
    said = ["" if np.isnan(side) else f"{side:.6g}" for side in (value, low, high)]
    tip = sentence([where], _Estimate(value, low, high, int(n)), unit)
    numbers = said[0], said[1], said[2], f"{n:.0f}"
    return HeatCell(text, f"{part:.3f}", " ".join(name for name, is_so in classes.items() if is_so), tip, numbers)
