"""Draw heat maps: one panel per player count, variant and line-up, one scale for all panels.

All panels of a drawing share one axes in inches, from the top left corner, because many small axes take longer to draw
than all the cells. Cells without a value are blank; a panel whose cells do not differ significantly has one colour.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Rectangle

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.significance import MAX_CHUNKS
from strozzi_sim.pictures.heat_grid import (
    NOTE,
    TALLEST,
    TITLE,
    Grid,
    Line,
    Sheet,
    grid_of,
    heading_lines,
    height,
    over,
    panel_width,
    sheets_of,
)
from strozzi_sim.pictures.heat_panels import Panel, format_noise, known_rows, panels_of
from strozzi_sim.pictures.heat_scale import Scale, scale_of
from strozzi_sim.pictures.series import Words
from strozzi_sim.pictures.style import GREY, INK, PAPER, STYLE, WIDTH, compact, new_figure

_FLAT = "\N{ALMOST EQUAL TO}"


@dataclass(frozen=True)
class DrawnMap:
    """Drawings of a heat map.

    Attributes:
        drawings: (suffix of the file name, variant if each has a drawing, drawing).
        noise: sentence that names the panels without significant differences.
        flat: whether no panel shows a significant difference.
    """

    drawings: tuple[tuple[str, str, Drawing], ...]
    noise: str
    flat: bool


def draw_heat_map(
    heat_map: HeatMap, table: pd.DataFrame, words: Words, compared: pd.DataFrame | None = None
) -> Drawing | None:
    """Draw the heat map as a single drawing; return None if no cell has a value. Arguments: see `draw_panels`."""
    drawn = draw_panels(heat_map, table, words, tallest=math.inf, compared=compared)
    return None if drawn is None else drawn.drawings[0][2]


def draw_panels(
    heat_map: HeatMap,
    table: pd.DataFrame,
    words: Words,
    *,
    chunks: int = MAX_CHUNKS,
    tallest: float = TALLEST,
    compared: pd.DataFrame | None = None,
) -> DrawnMap | None:
    """Draw the heat map, one panel per player count, variant and line-up; return None if no cell has a value.

    Args:
        heat_map: heat map to draw.
        table: its table heat_<name>.
        words: raw row or column -> display name.
        chunks: chunks of the study from which the intervals were estimated.
        tallest: maximum height of a drawing in inches; panels beyond it go to further drawings.
        compared: rows of all drawings that share rows, columns and scale; default: table.
    """
    panels = panels_of(heat_map, table, chunks, compared)
    if panels is None:
        return None
    names, tops = ([words.get(level, level) for level in side] for side in panels.levels)
    known = known_rows(heat_map, table if compared is None else compared)
    scale = scale_of(heat_map, known)
    widest = max(len(scale.text(float(end))) for end in (known["value"].min(), known["value"].max()))
    grid = grid_of(panels, names, tops, widest)
    with rc_context(STYLE):
        drawings = tuple(
            (sheet.suffix, sheet.variant, _Sheet(heat_map, scale, grid, names, tops).draw(sheet))
            for sheet in sheets_of(grid, panels, len(names), len(tops), tallest)
        )
    return DrawnMap(drawings, format_noise(panels), all(panel.noise for panel in panels.every))


def cells_of(heat_map: HeatMap, table: pd.DataFrame) -> int:
    """Return the number of drawn cells of a table heat_<name>."""
    return len(known_rows(heat_map, table))


class _Sheet:
    """Renderer of the sheets of a heat map."""

    def __init__(
        self, heat_map: HeatMap, scale: Scale, grid: Grid, names: Sequence[str], tops: Sequence[str]
    ) -> None:  # fmt: skip
        self._map, self._scale, self._grid, self._names, self._tops = heat_map, scale, grid, names, tops

    def draw(self, sheet: Sheet) -> Drawing:
        """Return the drawing of a sheet."""
        grid, rows, tops = self._grid, len(self._names), len(self._tops)
        title = 0.24 if sheet.variant else 0.0
        tall = height(grid, sheet.lines, rows, tops) + title
        drawing = new_figure(tall)
        axes = drawing.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(tall, 0)
        if sheet.variant:
            axes.text(0.06, 0.16, f"Variant: {sheet.variant}", fontsize=9, fontweight="bold", va="baseline")
        y = grid.head + title
        if grid.small:
            self._heads(axes, sheet.lines, title + 0.15)
            self._column_labels(axes, sheet.lines, y - 0.03, "bottom")
        for line in sheet.lines:
            y += over(grid, line, tops)
            self._line(axes, line, y)
            y += rows * grid.cell[1] + grid.under
        if grid.small:
            self._column_labels(axes, sheet.lines, y - grid.under + 0.03, "top")
        foot = tall - 0.12
        self._scale.draw(axes, grid.left, foot)
        if any(panel.noise for line in sheet.lines for _, few in line.bands for panel in few):
            foot -= NOTE
            key = f"{_FLAT}  no significant difference between the cells of the panel: one colour"
            axes.text(grid.left, foot, key, fontsize=7, color=GREY, va="center")
        labels = f"{self._map.column_label}  \N{MIDDLE DOT}  rows: {self._map.row_label}"
        axes.text(grid.left, foot - 0.22, labels, fontsize=7.5, color=GREY, va="center")
        return drawing

    def _line(self, axes: Axes, line: Line, y: float) -> None:
        grid, width = self._grid, panel_width(self._grid, len(self._tops))
        for number, (heading, panels) in enumerate(line.bands):
            first = self._band_left(number)
            texts = heading_lines(grid, heading, len(self._tops))
            for k, text in enumerate(texts):
                spot = 0.06 if number == 0 else first
                up = y - over(grid, line, len(self._tops)) + 0.15 + 0.15 * k
                axes.text(spot, up, text, fontsize=8.0 if grid.small else 9.0, fontweight="bold", va="baseline")
            for column, panel in enumerate(panels):
                corner = first + column * width, y
                self._cells(axes, panel, corner)
                (self._range if grid.small else self._margins)(axes, panel, corner)
        for k, name in enumerate(self._names):
            spot = y + (k + 0.5) * grid.cell[1]
            axes.text(grid.left - 0.06, spot, name, ha="right", va="center", fontsize=grid.names)

    def _band_left(self, number: int) -> float:
        grid = self._grid
        return grid.left + number * (panel_width(grid, len(self._tops)) * grid.columns + 0.3 - grid.beside)

    def _cells(self, axes: Axes, panel: Panel, corner: tuple[float, float]) -> None:
        grid, value = self._grid, panel.value
        wide, tall = grid.cell
        there = np.argwhere(~np.isnan(value))
        if not len(there):
            return
        corners = [(corner[0] + j * wide, corner[1] + i * tall) for i, j in there]
        shades = panel.shade[~np.isnan(value)]
        if panel.noise:
            shades = np.full(len(shades), np.average(shades, weights=panel.n[~np.isnan(value)]))
        inks = self._scale.inks(shades)
        boxes = [[(x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall)] for x, y in corners]
        lines = 1.2 if not grid.small else 0.7 if min(wide, tall) > 0.1 else 0.3
        axes.add_collection(
            PolyCollection(boxes, facecolors=inks, edgecolors=PAPER, clip_on=False, linewidths=lines),
            autolim=False,
        )
        for i, j in np.argwhere(panel.marked) if panel.marked is not None else ():
            place = (corner[0] + j * wide, corner[1] + i * tall)
            axes.add_patch(
                Rectangle(place, wide, tall, fill=False, edgecolor=INK, linewidth=1.1, zorder=2, clip_on=False)
            )
        contrast = [INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.52 else PAPER for red, green, blue, _ in inks]
        if not grid.size:
            below = [k for k, (i, j) in enumerate(there) if value[i, j] < 0 and not panel.noise]
            dashes = [[(corners[k][0] + part * wide, corners[k][1] + tall / 2) for part in (0.32, 0.68)] for k in below]
            axes.add_collection(
                LineCollection(dashes, colors=[contrast[k] for k in below], linewidths=0.7), autolim=False
            )
            return
        for (i, j), (x, y), ink in zip(there, corners, contrast, strict=True):
            axes.text(
                x + wide / 2, y + tall / 2, self._scale.text(value[i, j]), ha="center", va="center",
                fontsize=grid.size, color=ink,
                fontstyle="italic" if self._map.equal and not panel.alarm[i, j] else "normal",
            )  # fmt: skip

    def _events(self, panel: Panel) -> list[int]:
        """Return the number of events of each row: the sum of its cells, or their common n if figures are shares of a row."""
        totals = []
        for events in panel.n:
            some = events[events > 0]
            same = self._scale.figure.unit == "share" and len(some) and (some == some[0]).all()
            totals.append(int(some[0] if same else some.sum()))
        return totals

    def _margins(self, axes: Axes, panel: Panel, corner: tuple[float, float]) -> None:
        """Write a large panel's title, n beside the rows and labels below the columns."""
        x, y = corner
        wide, tall = self._grid.cell
        own = [k for k in range(len(self._tops)) if not np.isnan(panel.value[:, k]).all()]
        axes.text(
            x,
            y - 0.09,
            panel.title + (f" {_FLAT}" if panel.noise else ""),
            fontsize=8.5,
            fontweight="bold",
            va="baseline",
        )
        for k in own:
            axes.text(
                x + (k + 0.5) * wide, y + tall * len(self._names) + 0.05, self._tops[k], ha="center", va="top",
                fontsize=self._grid.tops,
            )  # fmt: skip
        right = x + (max(own, default=-1) + 1) * wide + 0.05
        title = max(TITLE, 0.08 * len(panel.title) + 0.1)
        axes.text(max(right, x + title), y - 0.09, "n", va="baseline", fontsize=7, color=GREY, style="italic")
        for i, total in enumerate(self._events(panel)):
            if total:
                axes.text(right, y + (i + 0.5) * tall, compact(total), va="center", fontsize=6.5, color=GREY)

    def _range(self, axes: Axes, panel: Panel, corner: tuple[float, float]) -> None:
        """Write a small panel's n, and mark it if it shows no significant differences."""
        totals = [total for total in self._events(panel) if total]
        if not totals:
            return
        low, high = (compact(end) for end in (min(totals), max(totals)))
        width = self._grid.cell[0] * len(self._tops)
        events = low if low == high else f"{low}\N{EN DASH}{high}"
        text = f"{_FLAT}  n {events}" if panel.noise else f"n {events}"
        axes.text(
            corner[0] + width, corner[1] - 0.045, text, ha="right", va="baseline", fontsize=6 if width > 0.75 else 5,
            color=GREY,
        )  # fmt: skip

    def _heads(self, axes: Axes, lines: Sequence[Line], y: float) -> None:
        """Write the titles above the columns of small panels."""
        width = panel_width(self._grid, len(self._tops))
        titles = max((few for line in lines for _, few in line.bands), key=len)
        for number in range(max(len(line.bands) for line in lines)):
            for column, panel in enumerate(titles):
                size = min(8.0, max(6.0, (width - 0.03) / (0.0098 * len(panel.title))))
                fits = max(int((width - 0.03) / (0.0098 * size)), 4)
                title = panel.title if len(panel.title) <= fits else panel.title[: fits - 1] + "\N{HORIZONTAL ELLIPSIS}"
                x = self._band_left(number) + column * width
                axes.text(x, y, title, fontsize=size, fontweight="bold", va="baseline", color=INK)

    def _column_labels(self, axes: Axes, lines: Sequence[Line], y: float, side: str) -> None:
        """Write the labels of cell columns, once for all small panels below or above."""
        grid, width = self._grid, panel_width(self._grid, len(self._tops))
        longest = max(len(top) for top in self._tops) * 0.0084 * grid.tops
        every = 1 if grid.turned else max(1, math.ceil((longest + 0.02) / grid.cell[0]))
        for number in range(max(len(line.bands) for line in lines)):
            for column in range(grid.columns):
                shown = [
                    few[column].value for line in lines for k, (_, few) in enumerate(line.bands)
                    if k == number and column < len(few)
                ]  # fmt: skip
                for k in range(0, len(self._tops), every):
                    if any(not np.isnan(value[:, k]).all() for value in shown):
                        x = self._band_left(number) + column * width + (k + 0.5) * grid.cell[0]
                        axes.text(
                            x, y, self._tops[k], ha="center", va=side, fontsize=grid.tops, color=GREY,
                            rotation=90 if grid.turned else 0,
                        )  # fmt: skip
