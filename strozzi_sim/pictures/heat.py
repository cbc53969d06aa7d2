"""Heat maps: as tables of cells, each with its value, colour, interval and n, for pages; and as figures of the same."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb

from strozzi_sim.declare import significance
from strozzi_sim.declare.figure_tables import Words, named, pick
from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.declare.printing import THIN, digits_for, format_value, half_width
from strozzi_sim.facts.figures import Figure
from strozzi_sim.pictures.ink import HERO, LIGHT, width_of, wrapped
from strozzi_sim.pictures.marks import Chart, numbers_of, sentence
from strozzi_sim.pictures.panel import LINE_HEIGHT, Face, Panel, Sheet
from strozzi_sim.pictures.series import in_order, players_title, scenario_words, scenarios
from strozzi_sim.stats.multiple_testing import benjamini_hochberg

_MANY = 8  # panels; more are drawn smaller
_GAP = 28  # pixels between panels
_STRIP = 3.4, 41  # width in pixels of a step of the colour scale; number of steps


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
    chunks: int = significance.MAX_CHUNKS,
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
    panels = []
    is_flat = False
    for title, players, rows_of_panel in _panels(heat_map, table, levels, words):
        shaded, flat = _shaded(heat_map, rows_of_panel, players, chunks, (low, high), two=is_two_sided)
        names = partial(_level_name, heat_map, words, players)
        cells = {(row.row, row.column): _cell(heat_map, row, names, digits) for row in shaded.itertuples(index=False)}
        lines = ((names("row", level), tuple(cells.get((level, top)) for top in levels[1])) for level in levels[0])
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
    counts = {panel.players for panel in panels}
    of_columns = partial(_level_name, heat_map, words, counts.pop() if len(counts) == 1 else None)
    column_names = tuple(of_columns("column", level) for level in levels[1])
    return HeatTables(*labels, column_names, tuple(panels), ends[0], ends[1], is_two_sided, "; ".join(notes))


def known_rows(heat_map: HeatMap, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a heat map's table that have a value to draw."""
    return table[(table["figure"] == heat_map.figure.name) & table["value"].notna() & (table["n"] > 0)]


def format_end(end: float, figure: Figure) -> str:
    """Return an end of a scale of colours as text: a count whole, others with at most three significant digits."""
    return format_value(end, figure, digits_for(end, 0.0, figure)).replace(THIN, " ")


def _panels(
    heat_map: HeatMap, table: pd.DataFrame, levels: tuple[list[str], list[str]], words: Words
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
        scenario_name = scenario_words(scenario, all_scenarios, words)
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
    shades = value
    is_equal = np.zeros(len(rows), bool)
    is_flat = False
    share = heat_map.figure.is_share
    if heat_map.equal:
        df = significance.degrees_of_freedom(n, deals, chunks)
        p = significance.p_value_of_share(value, low, high, 1 / players, df)
        is_equal = ~(benjamini_hochberg(p) < significance.ALPHA)
        shades = np.where(is_equal, 0.0, value - 1 / players)
    elif heat_map.shade_label:  # the table has the colours
        shades = rows["shade"].to_numpy(float)
    elif significance.no_significant_difference(value, low, high, n, deals, share=share, chunks=chunks):
        mean = 0.0 if two else float(np.average(value, weights=n))
        shades = np.full(len(rows), sum(ends) / 2 if np.isnan(mean) else mean)
        is_flat = True
    known = np.nan_to_num(shades)
    parts = np.abs(known) / (ends[1] or 1.0) if two else (known - ends[0]) / ((ends[1] - ends[0]) or 1.0)
    return rows.assign(part=parts, noise=is_equal, neg=two & (shades < 0)), is_flat


def _digits(heat_map: HeatMap, row: Any) -> int:
    """Return the decimals that the interval of a cell allows; its text has at most the larger of their median and 1."""
    figure = heat_map.figure
    return digits_for(row.value, half_width(row), figure, 1 if figure.measure.factor > 1 else 3)


def _level_name(heat_map: HeatMap, words: Words, players: int | None, key: str, level: str) -> str:
    """Return the display name of a level of the key `row` or `column`, at a player count."""
    return named(level, words, heat_map.column_of(key), players)


def _cell(heat_map: HeatMap, row: Any, names: Callable[[str, str], str], digits: int) -> HeatCell:
    places = names("row", row.row), names("column", row.column)
    where = f"{heat_map.row_label} {places[0]}, {heat_map.column_label} {places[1]}"
    if np.isnan(row.value):
        tip = f"{where}: n = {row.n:,.0f}, too few for a value"
        return HeatCell("\N{EN DASH}", "0", "few", tip, numbers_of(row))
    text = format_value(row.value, heat_map.figure, min(digits, _digits(heat_map, row)), bare=True)
    classes = {"noise": row.noise, "neg": row.neg, "marked": heat_map.shade_label and row.marked}
    applied = " ".join(name for name, applies in classes.items() if applies)
    return HeatCell(text, f"{row.part:.3f}", applied, sentence([where], row, heat_map.figure), numbers_of(row))


def draw_heat(heat_map: HeatMap, heat: HeatTables) -> Chart:
    """Return a heat map as a chart, as many panels in a row as fit."""
    label = heat_map.figure.label
    rows = [(panel.title, name, row) for panel in heat.panels for name, row in panel.rows]
    size, cell_height = (9.5, 16.0) if len(heat.panels) > _MANY else (12.0, 24.0)
    words = [*(cell.text for *_, row in rows for cell in row if cell), *heat.columns]
    cell_width = max(2.3 * size, *(width_of(text, size) + 8 for text in words))
    names = {name for panel in heat.panels for name, _ in panel.rows}
    corner = f"{heat.row_label} / {heat.column_label}"
    names_width = max(*(width_of(name, size) for name in names), width_of(corner, size) - 10) + 14
    panel_width = names_width + cell_width * len(heat.columns)
    strip = width_of(heat.low) + _STRIP[0] * _STRIP[1] + width_of(f"{heat.high}  \N{MIDDLE DOT}  {label}") + 24
    scale_width = max(strip, width_of(heat.note))

    def draw(sheet: Sheet) -> None:
        columns = int(max(1, min(len(heat.panels), (sheet.width + _GAP) // (panel_width + _GAP))))
        shrink = min(1.0, (sheet.width - names_width) / (cell_width * len(heat.columns)))
        width = cell_width * shrink * len(heat.columns)
        top = 0.0
        for first in range(0, len(heat.panels), columns):
            panels_of_row = heat.panels[first : first + columns]
            titles = [wrapped(panel.title, names_width + width, size + 1.5) for panel in panels_of_row]
            title_height = 34 + LINE_HEIGHT * max(title.count("\n") for title in titles)
            for k, (each, title) in enumerate(zip(panels_of_row, titles, strict=True)):
                left = names_width + k * (panel_width + _GAP)
                panel = sheet.panel(left, top + title_height, width, cell_height * len(each.rows), *faces[each].ends)
                panel.title(title, names_width, 24)
                for j, name in enumerate(heat.columns):
                    panel.text(j + 0.5, 0, name, "muted", (0, -7), size=size)
                panel.text(0, 0, corner, "muted", (-names_width, -7), "left", size=0.9 * size)
                for i, (name, _) in enumerate(each.rows):
                    panel.text(0, i + 0.5, name, shift=(-8, size / 3), side="right", size=size)
                _fill(panel, each, size if shrink > 0.8 else 0.0)
            top += title_height + max(cell_height * len(each.rows) for each in panels_of_row) + 16
        _scale(sheet.panel(0, top, scale_width, 14, (0, scale_width), (14, 0), 22), heat, label)

    def face(panel: HeatPanel) -> Face:
        row_names = [name for name, _ in panel.rows]
        fill = partial(_fill, heat_panel=panel, size=10.0)
        return Face(panel.title, heat.columns, row_names, fill, panel.players, (heat.column_label, heat.row_label))

    faces = {panel: face(panel) for panel in heat.panels}
    marks = []
    for title, name, row in rows:
        for column, cell in zip(heat.columns, row, strict=True):
            if cell:
                numbers = (float(text) if text else np.nan for text in cell.numbers)
                where = {"panel": title, "row": name, "column": column}
                marks.append(where | dict(zip(("value", "low", "high", "n"), numbers, strict=True)) | {"tip": cell.tip})
    needed = max(panel_width * len(heat.panels) + _GAP * (len(heat.panels) - 1), scale_width)
    width = min(HERO, needed)
    return Chart(draw, [*faces.values()], label, (), marks, width=width, name=heat_map.name, title=heat_map.title)


def heat_map_files(heat_map: HeatMap, table: pd.DataFrame, words: Words, chunks: int) -> dict[str, bytes]:
    """Return NAME.svg and .png of a heat map by file name; of several player counts NAME--3-players.svg and so on."""
    files: dict[str, bytes] = {}
    counts = sorted(int(players) for players in table["players"].unique())
    for players in counts:
        if heat := heat_tables(heat_map, pick(table, players=players), words, chunks=chunks, compared=table):
            chart = draw_heat(heat_map, heat)
            if len(counts) > 1:
                title = f"{chart.title}, {players_title(players)}"
                chart = replace(chart, name=f"{chart.name}--{players}-players", title=title)
            files |= {f"{chart.name}.{kind}": content for kind, content in chart.files().items()}
    return files


def _fill(panel: Panel, heat_panel: HeatPanel, size: float) -> None:
    cells = [(i, j, cell) for i, (_, row) in enumerate(heat_panel.rows) for j, cell in enumerate(row) if cell]
    boxes = [(j, i, j + 1, i + 1) for i, j, _ in cells]
    fills = [
        ("paper", 1.0) if cell.is_plain else _mixed("hneg" if "neg" in cell.classes else "h1", float(cell.part))
        for *_, cell in cells
    ]
    panel.boxes(boxes, fills, "paper", 1.6, [cell.tip for *_, cell in cells])
    framed = [box for box, (*_, cell) in zip(boxes, cells, strict=True) if "marked" in cell.classes]
    panel.boxes(framed, [("paper", 0.0)] * len(framed), "ink", 1.6)
    for i, j, cell in cells if size else ():
        ink = "muted" if cell.is_plain else "ink"
        panel.text(j + 0.5, i + 0.5, cell.text, ink, (0, size / 3), size=size)


def _mixed(ink: str, part: float) -> Any:
    """Return the colour (red, green, blue) at `part` of the way from "h0" to `ink`."""
    return tuple(part * np.array(to_rgb(LIGHT[ink])) + (1 - part) * np.array(to_rgb(LIGHT["h0"])))


def _scale(panel: Panel, heat: HeatTables, label: str) -> None:
    start, step = width_of(heat.low) + 10, _STRIP[0]
    parts = np.linspace(-1 if heat.two else 0, 1, _STRIP[1])
    boxes = [(start + step * k, 2, start + step * (k + 1), 12) for k in range(len(parts))]
    panel.boxes(boxes, [_mixed("h1" if part >= 0 else "hneg", abs(part)) for part in parts], "none", 0.0)
    panel.text(0, 7, heat.low, "muted", side="left")
    panel.text(boxes[-1][2] + 8, 7, f"{heat.high}  \N{MIDDLE DOT}  {label}", "muted", side="left")
    panel.text(0, 7, heat.note, "muted", (0, 24), side="left")
