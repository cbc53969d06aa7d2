"""Board pictures: the values of a figure at the places of its levels, one panel per player count, one scale for all panels.

A board is drawn in inches from the upper left corner, like a heat map: squares, framed squares, and discs on top of them.
Places of one shape without significant differences have one colour. A dash marks places with too few events for a value;
places that the figure does not cover are grey.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Circle, Rectangle

from strozzi_sim.facts.pictures import Board, Place, Shape
from strozzi_sim.game.reporting import Picture
from strozzi_sim.reports.chance import no_significant_difference
from strozzi_sim.reports.heat_scale import Scale, scale_between
from strozzi_sim.reports.series import players_title
from strozzi_sim.reports.style import GREY, GROUND, INK, PAPER, WIDTH, compact_range, new_figure

_EDGE, _GAP, _HEAD, _LINE = (
    0.08,
    0.3,
    0.3,
    0.17,
)  # inches: side margin, gap between panels, head of a panel, line of text
_NAMES = 0.15  # inches for row names and for column names
_LARGEST = 0.62  # maximum cell size in inches
_FRAME, _DISC = 0.74, 0.19  # in cells: side of a framed square, radius of a disc
_SHAPES: tuple[Shape, ...] = ("square", "frame", "disc")  # bottom to top
_DASH = "\N{EN DASH}"


def draw_board(
    picture: Picture, rows: pd.DataFrame, components: Mapping[str, Any], every: pd.DataFrame
) -> Drawing | None:
    """Draw a board picture; return None if no level with a value is on the board.

    Args:
        picture: picture of kind "board"; its only figure is drawn.
        rows: rows of the picture's table, including rows without a value.
        components: component data of the variant.
        every: rows of all variants and line-ups shown alongside; all share one scale.
    """
    assert picture.board is not None
    board, figure = picture.board(components), picture.figures[0]
    rows = rows[rows[picture.x].isin(board.places)]
    valued = rows.dropna(subset="value")
    if valued.empty:
        return None
    counts = sorted(valued["players"].unique())
    shades = every["value"] * (every["players"] if picture.equal else 1)
    ends = float(shades.min()), float(shades.max())
    scale = scale_between(figure, ends, float(every["value"].abs().max()), equal=picture.equal)
    across = min(len(counts), 2)
    aside, above = _NAMES * bool(board.row_names), _HEAD + _NAMES * bool(board.column_names)
    cell = min(_LARGEST, ((WIDTH - 2 * _EDGE - _GAP * (across - 1)) / across - aside) / board.columns)
    step = aside + board.columns * cell + _GAP, above + board.rows * cell
    uncovered_shapes = {place.shape for level, place in board.places.items() if level not in set(rows[picture.x])}
    dashes = f"{_DASH} too few events for a value" if rows["value"].isna().any() else ""
    foot = _LINE * (len(board.key) + bool(dashes) + 1) + 0.12
    tall = -(-len(counts) // across) * step[1] + foot
    drawing = new_figure(tall)
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(tall, 0)
    for number, players in enumerate(counts):
        corner = _EDGE + aside + number % across * step[0], above + number // across * step[1]
        _Panel(axes, board, scale, corner, cell).draw(picture, rows[rows["players"] == players], players)
    for number, (shape, text) in enumerate(board.key.items()):
        label = f"{text}; grey: not covered" if shape in uncovered_shapes else text
        _key(axes, shape, label, tall - foot + 0.14 + _LINE * number, GROUND if shape in uncovered_shapes else PAPER)
    if dashes:
        axes.text(_EDGE, tall - foot + 0.14 + _LINE * len(board.key), dashes, fontsize=7.5, color=GREY, va="center")
    scale.draw(axes, _EDGE, tall - 0.12)
    return drawing


def _key(axes: Axes, shape: Shape, text: str, middle: float, face: str) -> None:
    """Draw a line of the key: the shape and its meaning."""
    if shape == "disc":
        axes.add_patch(Circle((_EDGE + 0.07, middle), 0.045, facecolor=face, edgecolor=INK, linewidth=0.6))
    else:
        edge, side = (GREY, 0.13) if shape == "square" else (INK, 0.1)
        start = _EDGE + 0.07 - side / 2, middle - side / 2
        axes.add_patch(Rectangle(start, side, side, facecolor=face, edgecolor=edge, linewidth=0.7))
    axes.text(_EDGE + 0.22, middle, text, fontsize=7.5, color=GREY, va="center")


class _Panel:
    """Panel with the places of one player count."""

    def __init__(
        self, axes: Axes, board: Board, scale: Scale, corner: tuple[float, float], cell: float
    ) -> None:  # fmt: skip
        self._axes, self._board, self._scale, self._corner, self._cell = axes, board, scale, corner, cell

    def draw(self, picture: Picture, rows: pd.DataFrame, players: int) -> None:
        left, top = self._corner
        covered = set(rows[picture.x])
        uncovered = [
            level for level in self._board.places if level not in covered
        ]  # in the board's order, so that files are identical
        few, rows = rows[rows["value"].isna()], rows.dropna(subset="value")
        there = {
            shape: rows[[self._board.places[level].shape == shape for level in rows[picture.x]]] for shape in _SHAPES
        }
        flat = []
        for shape, own in there.items():
            if shape == "disc":
                self._borders()
            if own.empty:
                continue
            value, low, high, n, deals = (own[name].to_numpy() for name in ("value", "low", "high", "n", "deals"))
            shown = value
            if no_significant_difference(value, low, high, n, deals, share=self._scale.figure.unit == "share"):
                shown = np.full(len(value), np.average(value, weights=n))
                flat.append(shape)
            inks = self._scale.inks(shown * (players if picture.equal else 1))
            for level, number, ink in zip(own[picture.x], value, inks, strict=True):
                self._place(self._board.places[level], self._scale.text(number), ink)
        for levels, text, face in ((few[picture.x], _DASH, PAPER), (uncovered, "", GROUND)):
            for level in levels:
                self._place(self._board.places[level], text, to_rgba(face))
        self._names()
        note, line = compact_range(list(rows["n"])), top - 0.08 - _NAMES * bool(self._board.column_names)
        self._axes.text(left, line, players_title(players), fontsize=8.5, fontweight="bold", va="baseline")
        right = left + self._board.columns * self._cell
        noted = f"\N{ALMOST EQUAL TO} {self._flat_note(flat, there)}; {note}" if flat else note
        self._axes.text(right, line, noted, fontsize=7, color=GREY, ha="right", va="baseline")

    def _flat_note(self, flat: list[Shape], there: Mapping[Shape, pd.DataFrame]) -> str:
        """Return a note that places of these shapes do not differ significantly; name the shapes if others have values."""
        if all(own.empty or shape in flat for shape, own in there.items()):
            return "no significant differences"
        kinds = " and ".join(self._board.key[shape].partition(",")[0] for shape in flat)
        return f"{kinds}: no significant differences"

    def _names(self) -> None:
        """Write column and row names along the upper and the left edge."""
        look: Any = {"fontsize": 6.5, "color": GREY, "ha": "center", "va": "center"}
        away = 0.5 * _NAMES / self._cell
        for k, name in enumerate(self._board.column_names):
            self._axes.text(*self._at(k + 0.5, -away), name, **look)
        for k, name in enumerate(self._board.row_names):
            self._axes.text(*self._at(-away, k + 0.5), name, **look)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self._corner[0] + x * self._cell, self._corner[1] + y * self._cell

    def _place(self, place: Place, text: str, face: Any) -> None:
        """Draw a place in this colour with its value."""
        large = self._cell > 0.5
        colour = PAPER if 0.299 * face[0] + 0.587 * face[1] + 0.114 * face[2] <= 0.52 else INK
        height = {"square": 0.0, "frame": 1.0, "disc": 3.0}[place.shape]
        if place.shape == "disc":
            radius, size = _DISC * self._cell, 6.0 if large else 4.6
            self._axes.add_patch(
                Circle(self._at(place.x, place.y), radius, facecolor=face, edgecolor=INK, linewidth=0.6, zorder=height)
            )
        else:
            side, size = (1.0, 8.0 if large else 6.4) if place.shape == "square" else (_FRAME, 7.5 if large else 6.0)
            edge, width = (PAPER, 0.9) if place.shape == "square" else (INK, 1.0)
            start = self._at(place.x - side / 2, place.y - side / 2)
            self._axes.add_patch(
                Rectangle(
                    start,
                    side * self._cell,
                    side * self._cell,
                    facecolor=face,
                    edgecolor=edge,
                    linewidth=width,
                    zorder=height,
                )
            )
        lower = 0.1 if place.note else 0.0
        spot = self._at(place.x, place.y + lower)
        self._axes.text(*spot, text, fontsize=size, color=colour, ha="center", va="center", zorder=height + 0.5)
        if place.note:
            spot, size = self._at(place.x, place.y - 0.27), 6.0 if large else 4.8
            self._axes.text(
                *spot, place.note, fontsize=size, color=colour, ha="center", va="center", zorder=height + 0.5
            )

    def _borders(self) -> None:
        """Draw lines between squares of different regions and around the board."""
        region = {
            (int(place.x), int(place.y)): place.region
            for place in self._board.places.values()
            if place.shape == "square"
        }
        lines = []
        for column in range(self._board.columns + 1):
            for row in range(self._board.rows + 1):
                here = region.get((column, row))
                if here != region.get((column - 1, row)) and row < self._board.rows:
                    lines.append([self._at(column, row), self._at(column, row + 1)])
                if here != region.get((column, row - 1)) and column < self._board.columns:
                    lines.append([self._at(column, row), self._at(column + 1, row)])
        self._axes.add_collection(
            LineCollection(lines, colors=INK, linewidths=1.3, zorder=2.0, capstyle="round"), autolim=False
        )
