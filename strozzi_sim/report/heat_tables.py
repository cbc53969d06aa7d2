"""Heat maps as tables of a page: the value in each cell, a colour by its size, its interval and n when pointed at."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import THIN, format_value
from strozzi_sim.game.significance import MAX_CHUNKS
from strozzi_sim.pictures.heat_panels import Panel, cell_digits, known_rows, panels_of
from strozzi_sim.pictures.marks import sentence


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
    """A panel: its title, and its rows of (name, cells); None is a cell that cannot occur."""

    title: str
    rows: tuple[tuple[str, tuple[HeatCell | None, ...]], ...]


@dataclass(frozen=True)
class HeatTables:
    """The panels of a heat map, which share one scale.

    Attributes:
        row_label, column_label: what rows and columns are. columns: names of the columns.
        panels: the panels.
        low, high: the ends of the scale as text. two: whether colours show both sides of an equal share or of zero.
        note: what uncoloured means.
    """

    row_label: str
    column_label: str
    columns: tuple[str, ...]
    panels: tuple[HeatPanel, ...]
    low: str
    high: str
    two: bool
    note: str


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
    panels = panels_of(heat_map, table, chunks, compared)
    if panels is None:
        return None
    names, tops = ([words.get(level, level) for level in side] for side in panels.levels)
    known = known_rows(heat_map, table if compared is None else compared)
    if heat_map.equal:
        shades = known["value"] - 1 / known["players"]
    else:
        shades = known["shade"] if heat_map.shade_label else known["value"]
    low, high = (float(end) for end in (shades.min(), shades.max())) if shades.notna().any() else (0.0, 0.0)
    two = heat_map.equal or bool(heat_map.shade_label) or low < 0
    low, high = (-max(-low, high), max(-low, high)) if two else (low, high)
    shown = []
    for band in panels.bands:
        for panel in band.panels:
            title = ", ".join(filter(None, [band.heading, panel.title]))
            cells = [[_cell(heat_map, panel, (i, j), (name, top), (low, high), two=two) for j, top in enumerate(tops)] for i, name in enumerate(names)]  # fmt: skip
            shown.append(
                HeatPanel(title, tuple((name, tuple(row)) for name, row in zip(names, cells, strict=True) if any(row)))
            )
    ends = [format_value(end, heat_map.figure.unit).replace(THIN, " ") for end in (low, high)]
    if heat_map.equal:
        note = "uncoloured: not told apart from an equal share"
    elif heat_map.shade_label:
        note = f"colour: the difference {heat_map.shade_label}"
    else:
        note = "a panel in one colour: no significant differences" if any(panel.noise for panel in panels.every) else ""
    return HeatTables(heat_map.row_label, heat_map.column_label, tuple(tops), tuple(shown), ends[0], ends[1], two, note)


def _cell(
    heat_map: HeatMap,
    panel: Panel,
    at: tuple[int, int],
    names: tuple[str, str],
    ends: tuple[float, float],
    *,
    two: bool,
) -> HeatCell | None:
    value, low, high, n = (float(side[at]) for side in (panel.value, panel.low, panel.high, panel.n))
    if not n:
        return None
    where = f"{heat_map.row_label} {names[0]}, {heat_map.column_label} {names[1]}"
    if np.isnan(value):
        return HeatCell(
            "\N{EN DASH}", "0", "few", f"{where}: n = {n:,.0f}, too few for a value", ("", "", "", f"{n:.0f}")
        )
    estimate = Estimate(value, low, high, int(n))
    unit = heat_map.figure.unit
    text = format_value(value, unit, cell_digits((high - low) / 2, value, unit)).removesuffix(f"{THIN}%")
    classes = []
    if heat_map.equal:
        shade = value - 1 / panel.players if panel.alarm[at] else 0.0
    elif panel.noise:
        shade = float(np.average(panel.value[panel.n > 0], weights=panel.n[panel.n > 0])) if not two else 0.0
        shade = (ends[0] + ends[1]) / 2 if np.isnan(shade) else shade
    else:
        shade = float(np.nan_to_num(panel.shade[at]))
    part = abs(shade) / (ends[1] or 1.0) if two else (shade - ends[0]) / ((ends[1] - ends[0]) or 1.0)
    if heat_map.equal and not panel.alarm[at]:
        classes.append("noise")
    if two and shade < 0:
        classes.append("neg")
    if panel.marked is not None and panel.marked[at]:
        classes.append("marked")
    numbers = tuple("" if np.isnan(side) else f"{side:.6g}" for side in (value, low, high))
    tip = sentence([where], estimate, unit)
    return HeatCell(text, f"{part:.3f}", " ".join(classes), tip, (numbers[0], numbers[1], numbers[2], f"{n:.0f}"))


class Estimate(NamedTuple):
    """A figure with its interval and number of events."""

    value: float
    low: float
    high: float
    n: int
