"""Boards: the values of a figure at the places of its levels, one board per player count, one scale for all.

Places of one shape without significant differences have one colour.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.pictures import Board, Picture, Place
from strozzi_sim.declare.significance import no_significant_difference
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.pictures.heat import format_end
from strozzi_sim.pictures.ink import NARROW, width_of
from strozzi_sim.pictures.marks import Chart, Mark, n_of, sentence
from strozzi_sim.pictures.panel import Face, Panel, Scale, Sheet
from strozzi_sim.pictures.series import players_title

_FRAME, _DISC = 0.38, 0.18  # half the side of a framed square and the radius of a disc, in cells
_DEEPEST = 0.62  # opacity of the largest value: text on it stays legible
_LARGEST = 44  # pixels of a cell


def draw_board(
    picture: Picture, rows: pd.DataFrame, components: Mapping[str, Any], all_rows: pd.DataFrame, width: int
) -> Chart | None:
    """Return the picture, coloured on the scale of `all_rows`; None if no level on the board has a value."""
    assert picture.board is not None
    board = picture.board(components)
    figure = picture.figures[0]
    rows = rows[rows[picture.x].isin(board.places)]
    valued = rows.dropna(subset="value")
    if valued.empty:
        return None
    counts = sorted(int(count) for count in valued["players"].unique())
    rows_with_value = all_rows.dropna(subset="value")
    shade = rows_with_value["value"] - 1 / rows_with_value["players"] if picture.equal else rows_with_value["value"]
    largest = float(shade.abs().max())
    ends = (-largest, largest) if picture.equal else (float(shade.min()), float(shade.max()))
    marks = {count: _marks(picture, board, rows[rows["players"] == count], count, ends) for count in counts}
    across, down = Scale((0.0, board.columns)), Scale((board.rows, 0.0))
    faces: list[Face] = []
    for count in counts:
        fill = partial(_fill, board=board, marks=marks[count])
        faces.append(Face(players_title(count), across, down, fill, count, bare=True))

    def draw(sheet: Sheet) -> None:
        boards_per_row = min(1 if sheet.width <= NARROW else 2, len(counts))
        cell = min(_LARGEST, (sheet.width - 26 * boards_per_row) / boards_per_row / board.columns)
        board_width, board_height = cell * board.columns, cell * board.rows
        grid = sheet.grid(len(counts), boards_per_row, (18, 40), (board_width + 34, board_height + 54))
        for face, (_, place) in zip(faces, grid, strict=True):
            panel = sheet.panel(*place, board_width, board_height, *face.ends, 4)
            panel.title(face.title, 14, 26)
            face.fill(panel)

    low, high = (format_end(end, figure) for end in ends)
    shades = [(f"the stronger the colour, the more: {low} to {high}", "s1", "square")]
    if picture.equal:
        shades = [("below an equal share", "s2", "square"), ("above it; uncoloured: not told apart", "s1", "square")]
    shapes = {"square": "square", "frame": "frame", "disc": "circle"}
    legend = (*shades, *((text, "faint", shapes[shape]) for shape, text in board.key.items()))
    marks_with_sentence = [mark for count in counts for mark in marks[count] if mark["tip"]]
    title = with_capital(figure.label)
    return Chart(draw, faces, title, legend, marks_with_sentence, n_of(valued), width)


def _marks(picture: Picture, board: Board, rows: pd.DataFrame, players: int, ends: tuple[float, float]) -> list[Mark]:
    """Return a mark for every place: the value and sentence of its row, if any, and its colour as (ink, opacity)."""
    figure = picture.figures[0]
    row_by_level = {getattr(row, picture.x): row for row in rows.itertuples(index=False)}
    flat_shapes = set()
    for shape in ("square", "frame", "disc"):
        rows_of_shape = rows[[board.places[level].shape == shape for level in rows[picture.x]]].dropna(subset="value")
        columns = (rows_of_shape[name].to_numpy() for name in ("value", "low", "high", "n", "deals"))
        if len(rows_of_shape) and no_significant_difference(*columns, share=figure.is_share):
            flat_shapes.add(shape)

    def shade_of(row: Any, is_flat: bool) -> tuple[str, float]:
        """Return the ink and opacity of a value; with `is_flat` its shape has no significant differences."""
        if not picture.equal:
            part = 0.5 if is_flat else (row.value - ends[0]) / ((ends[1] - ends[0]) or 1.0)
            return "s1", _DEEPEST * part
        above, chance = row.value - 1 / players, 1 / players
        is_significant = not is_flat and (row.low > chance or row.high < chance)
        return "s2" if above < 0 else "s1", _DEEPEST * abs(above) / ends[1] if is_significant else 0.0

    title = players_title(players)
    marks = []
    for name, place in board.places.items():
        # keys that begin with _ are for `_fill` alone
        mark: Mark = {"panel": title, "place": name, "tip": "", "_place": place, "_shade": ("faint", 0.0)}
        if (row := row_by_level.get(name)) is not None:
            mark |= {"value": row.value, "low": row.low, "high": row.high, "n": row.n}
            if np.isnan(row.value):
                mark["tip"] = f"{title}, {name}: n = {row.n:,}, too few for a value"
            else:
                mark["tip"] = sentence([title, name], row, figure)
                mark["_shade"] = shade_of(row, place.shape in flat_shapes)
        marks.append(mark)
    return marks


def _fill(panel: Panel, board: Board, marks: list[Mark]) -> None:
    cell = min(panel.width / board.columns, panel.height / board.rows)

    def box(place: Place, half: float) -> tuple[float, float, float, float]:
        return place.x - half, place.y - half, place.x + half, place.y + half

    for shape, half, edge, width in (("square", 0.5, "paper", 2.0), ("frame", _FRAME, "ink", 1.3)):
        shown = [mark for mark in marks if mark["_place"].shape == shape]
        boxes = [box(mark["_place"], half) for mark in shown]
        if shape == "square":
            panel.boxes(boxes, [("faint", 0.55)] * len(shown), edge, width)
        panel.boxes(boxes, [mark["_shade"] for mark in shown], edge, width, [mark["tip"] for mark in shown])
    for place in board.places.values():
        if place.note:
            panel.text(place.x, place.y, place.note if width_of(place.note) < cell else place.note.split(" ")[0])
    discs = [mark for mark in marks if mark["_place"].shape == "disc"]
    centres = [mark["_place"].x for mark in discs], [mark["_place"].y for mark in discs]
    panel.dots(*centres, "muted", "circle", _DISC * cell, fills=[("paper", 1.0)], line=1.0)
    tips = [mark["tip"] for mark in discs]
    panel.dots(*centres, "muted", "circle", _DISC * cell, tips, [mark["_shade"] for mark in discs])
    for k, name in enumerate(board.column_names):
        panel.text(k + 0.5, 0, name, "muted", (0, -6))
    for k, name in enumerate(board.row_names):
        panel.text(0, k + 0.5, name, "muted", (-7, 4), "right")
