"""Draws heat maps: the value in every cell, cells without a value blank, n beside each row.

All panels of a heat map share one axes in inches, from the top left corner: many small axes would take longer to draw
than all the cells.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure as Drawing

from strozzi_sim.games.reporting import HeatMap, Unit
from strozzi_sim.games.verdicts import ALPHA, degrees_of_freedom, p_value_of_share
from strozzi_sim.reports.series import Words, in_order
from strozzi_sim.reports.style import GREY, INK, PAPER, SEQUENTIAL, STYLE, WIDTH, compact, new_figure
from strozzi_sim.stats.multiplicity import benjamini_hochberg

Array = np.ndarray[Any, Any]

_MANY = 12  # rows from which on they are drawn lower
_FOOT = 0.2  # inches for the scale
_GAP = 0.2  # between lines of panels
_MIN = 0.5  # that a scale of amounts or numbers spans: what looks the same in the cells is not told apart by colour
_TITLE = 0.75  # inches that the title of a panel needs


@dataclass(frozen=True)
class _Grid:
    """Where things are, in inches.

    Attributes:
        left: width of the row labels.
        cell: width and height of a cell.
        columns: panels side by side.
        beside: room right of a panel, for n.
        over, under: room above and below the cells, for the title and for the column labels.
        size: of the text in cells.
    """

    left: float
    cell: tuple[float, float]
    columns: int
    beside: float
    over: float
    under: float
    size: float


def draw_heat_map(heat_map: HeatMap, table: pd.DataFrame, words: Words) -> Drawing | None:
    """The heat map, one panel a player count, or None if there is nothing to show.

    Args:
        heat_map: what to show.
        table: heat_<name>, of one variant and line-up.
        words: raw row or column -> how it is called.
    """
    rows = table[table["figure"] == heat_map.figure.name]
    if rows["value"].isna().all():
        return None
    rows = rows[rows["n"] > 0]  # rows and columns that could occur, but never did, are in the table alone
    levels = in_order(rows["row"], ()), in_order(rows["column"], ())
    panels = sorted(rows["players"].unique())
    with rc_context(STYLE):
        return _draw(heat_map, rows, panels, levels, words)


def _layout(panels: int, names: list[str], tops: list[str]) -> _Grid:
    left = 0.12 + 0.063 * max(len(name) for name in names)
    many = len(names) > _MANY
    least = max(0.29 if len(tops) > 8 else 0.34, 0.072 * max(len(top) for top in tops))
    beside = 0.45
    room = WIDTH - left
    fits = int(max(1, min(panels, 4, room // (max(least, 0.38 if len(tops) < 5 else least) * len(tops) + beside))))
    columns = fits if fits >= panels or fits < 2 else 2
    cell = min((room - beside * columns) / columns / len(tops), max(0.55, least))
    return _Grid(
        left, (cell, 0.185 if many else 0.235), columns, beside, 0.28, 0.22, 6.5 if many or cell < 0.33 else 7.0
    )


def _draw(
    heat_map: HeatMap, rows: pd.DataFrame, panels: list[int], levels: tuple[list[str], list[str]], words: Words
) -> Drawing:
    names, tops = ([words.get(level, level) for level in side] for side in levels)
    grid = _layout(len(panels), names, tops)
    lines = -(-len(panels) // grid.columns)
    body = grid.cell[1] * len(names)
    step = grid.over + body + grid.under + _GAP
    height = lines * step + _FOOT
    drawing = new_figure(height)
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    norm = _scale_of(heat_map, rows)
    digits = _digits(float(rows["value"].max()), heat_map.figure.unit)
    for number, players in enumerate(panels):
        line, column = divmod(number, grid.columns)
        x = grid.left + column * (grid.cell[0] * len(tops) + grid.beside)
        y = grid.over + line * step
        axes.text(x, y - 0.09, f"{players} players", fontsize=8.5, fontweight="bold", va="baseline")
        _panel(axes, heat_map, rows[rows["players"] == players], players, levels, norm, digits, grid, (x, y))
        own = set(rows["column"][(rows["players"] == players) & rows["value"].notna()])
        for k, top in enumerate(tops):
            if levels[1][k] not in own:
                continue
            axes.text(x + (k + 0.5) * grid.cell[0], y + body + 0.05, top, ha="center", va="top", fontsize=7.5)
        if column == 0:
            for k, name in enumerate(names):
                spot = y + (k + 0.5) * grid.cell[1]
                axes.text(x - 0.06, spot, name, ha="right", va="center", fontsize=7 if len(names) > _MANY else 7.5)
    labels = f"{heat_map.column_label}  \N{MIDDLE DOT}  rows: {heat_map.row_label}"
    axes.text(grid.left, height - _FOOT - 0.2, labels, fontsize=7.5, color=GREY, va="top")
    _scale(axes, heat_map, norm, grid.left, height - 0.12)
    return drawing


def _scale_of(heat_map: HeatMap, rows: pd.DataFrame) -> Normalize:
    """From 0 unless the figures are far from it; near-equal shares get a middle tone, not a false contrast."""
    shade = rows["value"] * rows["players"] if heat_map.equal else rows["value"]
    low, high = float(shade.min()), float(shade.max())
    if heat_map.figure.unit == "share":
        top = high if low < 0.6 * high else 1.8 * high
        return Normalize(0.0, max(top if heat_map.equal else min(top, 1.0), 1e-9))
    start = min(low, 0.0) if low < 0.35 * high else low
    return Normalize(start, max(high, start + _MIN))


def _panel(
    axes: Axes, heat_map: HeatMap, rows: pd.DataFrame, players: int, levels: tuple[list[str], list[str]],
    norm: Normalize, digits: int, grid: _Grid, corner: tuple[float, float],
) -> None:  # fmt: skip
    value, n, p = _matrix(heat_map, rows, players, levels)
    alarms = benjamini_hochberg(p.ravel()).reshape(p.shape) < ALPHA
    share = heat_map.figure.unit == "share"
    there = np.argwhere(~np.isnan(value))
    wide, tall = grid.cell
    corners = [(corner[0] + j * wide, corner[1] + i * tall) for i, j in there]
    inks = SEQUENTIAL(norm(value[~np.isnan(value)] * (players if heat_map.equal else 1)))
    boxes = [[(x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall)] for x, y in corners]
    axes.add_collection(PolyCollection(boxes, facecolors=inks, edgecolors=PAPER, linewidths=1.2), autolim=False)
    for (i, j), (x, y), (red, green, blue, _) in zip(there, corners, inks, strict=True):
        number = 100 * value[i, j] if share else value[i, j]
        axes.text(
            x + wide / 2, y + tall / 2, f"{number:z.{digits}f}".replace("-", "\N{MINUS SIGN}"), ha="center", va="center", fontsize=grid.size,
            color=INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.52 else PAPER,
            fontstyle="italic" if heat_map.equal and not alarms[i, j] else "normal",
        )  # fmt: skip
    right = corner[0] + (there[:, 1].max(initial=-1) + 1) * wide + 0.05
    axes.text(
        max(right, corner[0] + _TITLE), corner[1] - 0.09, "n", va="baseline", fontsize=7, color=GREY, style="italic"
    )
    for i, events in enumerate(n):
        some = events[events > 0]
        if len(some):
            total = some[0] if share and (some == some[0]).all() else some.sum()
            axes.text(right, corner[1] + (i + 0.5) * tall, compact(total), va="center", fontsize=6.5, color=GREY)


def _matrix(
    heat_map: HeatMap, rows: pd.DataFrame, players: int, levels: tuple[list[str], list[str]]
) -> tuple[Array, Array, Array]:
    """Values, events, and p-values of an equal chance if that is the question; [row, column]."""
    shape = len(levels[0]), len(levels[1])
    value, n, p = np.full(shape, np.nan), np.zeros(shape, np.int64), np.full(shape, np.nan)
    for row in rows.itertuples(index=False):
        at = levels[0].index(row.row), levels[1].index(row.column)
        value[at], n[at] = row.value, row.n
        if heat_map.equal:
            p[at] = p_value_of_share(row.value, row.low, row.high, 1 / players, degrees_of_freedom(row.n, row.deals))
    return value, n, p


def _digits(largest: float, unit: Unit) -> int:
    if unit == "share":
        return 0 if largest > 0.2 else 1
    return 1 if largest < 100 else 0


def _scale(axes: Axes, heat_map: HeatMap, norm: Normalize, left: float, middle: float) -> None:
    """A thin colour scale at the foot, with its two ends and what it shows."""
    share = heat_map.figure.unit == "share"
    low, high = float(norm.vmin or 0.0), float(norm.vmax or 1.0)
    steps = np.linspace(low, high, 10)
    start, step, half = left + 0.36, 0.11, 0.045
    boxes = [
        [(start + k * step, middle + dy) for k, dy in ((k, -half), (k + 1, -half), (k + 1, half), (k, half))]
        for k in range(len(steps))
    ]
    axes.add_collection(
        PolyCollection(boxes, facecolors=SEQUENTIAL(norm(steps)), linewidths=0, antialiaseds=False), autolim=False
    )
    ends = [
        f"{end:z.1f}"
        if heat_map.equal
        else f"{100 * end:.0f} %"
        if share
        else f"{end:z,.1f}".replace("-", "\N{MINUS SIGN}")
        for end in (low, high)
    ]
    axes.text(start - 0.05, middle, ends[0], ha="right", va="center", fontsize=7, color=GREY)
    what = "times an equal chance; in the cells: " if heat_map.equal else ""
    label = f"{ends[1]} · {what}{heat_map.figure.label}{', %' if share else ''}"
    axes.text(start + step * len(steps) + 0.05, middle, label, ha="left", va="center", fontsize=7, color=GREY)
