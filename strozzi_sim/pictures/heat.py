"""Heat maps as figures, with the panels, values, colours and sentences of `heat_tables`, which a page shows."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb

from strozzi_sim.declare.figure_tables import pick
from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.pictures.heat_tables import HeatPanel, HeatTables, heat_tables
from strozzi_sim.pictures.ink import HERO, LIGHT, width_of, wrapped
from strozzi_sim.pictures.marks import Chart
from strozzi_sim.pictures.panel import Face, Panel, Sheet
from strozzi_sim.pictures.series import Words, players_title

_MANY = 8  # panels; more are drawn smaller
_GAP = 28  # pixels between panels
_STRIP = 3.4, 41  # width in pixels of a step of the colour scale; number of steps


def draw_heat(heat_map: HeatMap, heat: HeatTables) -> Chart:
    """Return a heat map as a chart, as many panels in a row as fit."""
    label = heat_map.figure.label
    rows = [(panel.title, name, row) for panel in heat.panels for name, row in panel.rows]
    size, cell_height = (9.5, 16.0) if len(heat.panels) > _MANY else (12.0, 24.0)
    words = [*(cell.text for *_, row in rows for cell in row if cell), *heat.columns]
    cell_width = max(2.3 * size, *(width_of(text, size) + 8 for text in words))
    names, corner = {name for panel in heat.panels for name, _ in panel.rows}, f"{heat.row_label} / {heat.column_label}"
    names_width = max(*(width_of(name, size) for name in names), width_of(corner, size) - 10) + 14
    panel_width = names_width + cell_width * len(heat.columns)
    strip = width_of(heat.low) + _STRIP[0] * _STRIP[1] + width_of(f"{heat.high}  \N{MIDDLE DOT}  {label}") + 24
    scale_width = max(strip, width_of(heat.note))

    def draw(sheet: Sheet) -> None:
        columns = int(max(1, min(len(heat.panels), (sheet.width + _GAP) // (panel_width + _GAP))))
        shrink = min(1.0, (sheet.width - names_width) / (cell_width * len(heat.columns)))
        top, width = 0.0, cell_width * shrink * len(heat.columns)
        for first in range(0, len(heat.panels), columns):
            panels_of_row = heat.panels[first : first + columns]
            titles = [wrapped(panel.title, names_width + width, size + 1.5) for panel in panels_of_row]
            title_height = 34 + 14 * max(title.count("\n") for title in titles)
            for k, (each, title) in enumerate(zip(panels_of_row, titles, strict=True)):
                left, height = names_width + k * (panel_width + _GAP), cell_height * len(each.rows)
                panel = sheet.panel(left, top + title_height, width, height, *faces[each].ends)
                panel.title(title, names_width, 24)
                for j, name in enumerate(heat.columns):
                    panel.text(j + 0.5, 0, name, "muted", (0, -7), size=size)
                panel.text(0, 0, corner, "muted", (-names_width, -7), "left", size=0.9 * size)
                for i, (name, _) in enumerate(each.rows):
                    panel.text(0, i + 0.5, name, at=(-8, size / 3), side="right", size=size)
                _fill(panel, each, size if shrink > 0.8 else 0.0)
            top += title_height + max(cell_height * len(each.rows) for each in panels_of_row) + 16
        _scale(sheet.panel(0, top, scale_width, 14, (0, scale_width), (14, 0), 22), heat, label)

    def face(panel: HeatPanel) -> Face:
        row_names = [name for name, _ in panel.rows]
        fill, labels = partial(_fill, heat_panel=panel, size=10.0), (heat.column_label, heat.row_label)
        return Face(panel.title, heat.columns, row_names, fill, panel.players, labels)

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
    """Draw the cells of a panel, with text of a size, or without text for size 0."""
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
    """Draw the scale of colours with its ends, and below it the meaning of numbers and colours."""
    start, step = width_of(heat.low) + 10, _STRIP[0]
    parts = np.linspace(-1 if heat.two else 0, 1, _STRIP[1])
    boxes = [(start + step * k, 2, start + step * (k + 1), 12) for k in range(len(parts))]
    panel.boxes(boxes, [_mixed("h1" if part >= 0 else "hneg", abs(part)) for part in parts], "none", 0.0)
    panel.text(0, 7, heat.low, "muted", side="left")
    panel.text(boxes[-1][2] + 8, 7, f"{heat.high}  \N{MIDDLE DOT}  {label}", "muted", side="left")
    panel.text(0, 7, heat.note, "muted", (0, 24), side="left")
