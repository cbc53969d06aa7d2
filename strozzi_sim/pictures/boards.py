"""Declare board pictures: the values of a figure where its levels lie, one board per player count, one scale for all.

The stronger the colour of a place, the larger its value; with an equal chance, colours show the distance from it, and places that
cannot be told apart from it have none. Places of one shape without significant differences have one colour.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Board, Place
from strozzi_sim.game.reporting import THIN, Picture, format_value
from strozzi_sim.pictures.chance import no_significant_difference
from strozzi_sim.pictures.marks import NARROW, Declared, beside, sentence
from strozzi_sim.pictures.series import players_title
from strozzi_sim.pictures.vega import Spec

_FRAME = 0.76  # side of a framed square, in cells
_DISC = 0.36  # diameter of a disc, in cells
_DEEPEST = 0.62  # opacity of the largest value: text on it stays legible
_LARGEST = 44  # pixels of a cell


def declare_board(
    picture: Picture, rows: pd.DataFrame, components: Mapping[str, Any], every: pd.DataFrame, width: int
) -> Declared | None:
    """Declare a board picture; return None if no level with a value is on the board.

    Args:
        picture: picture of kind "board"; its only figure is drawn.
        rows: rows of the picture's table, including rows without a value.
        components: component data of the variant.
        every: rows of all variants and line-ups shown beside, which share one scale.
        width: pixels of the wide picture.
    """
    assert picture.board is not None
    board, figure = picture.board(components), picture.figures[0]
    rows = rows[rows[picture.x].isin(board.places)]
    valued = rows.dropna(subset="value")
    if valued.empty:
        return None
    counts = sorted(int(count) for count in valued["players"].unique())
    known = every.dropna(subset="value")
    shade = known["value"] - 1 / known["players"] if picture.equal else known["value"]
    low, high = (
        (-float(shade.abs().max()), float(shade.abs().max()))
        if picture.equal
        else (float(shade.min()), float(shade.max()))
    )
    panels = {count: _places(picture, board, rows[rows["players"] == count], count, (low, high)) for count in counts}

    def laid(total: float, across: int) -> Spec:
        across = min(across, len(counts))
        cell = min(_LARGEST, (total - 24 * across) / across / board.columns)
        charts = [_chart(board, places, cell, players_title(count)) for count, places in panels.items()]
        return beside(charts, across, 26)

    ends = [format_value(end, figure.unit).replace(THIN, " ") for end in (low, high)]
    shades = (
        (("below an equal share", "s2", "square"), ("above it; uncoloured: not told apart", "s1", "square"))
        if picture.equal
        else ((f"the stronger, the more: {ends[0]} to {ends[1]}", "s1", "square"),)
    )
    marks = {"square": "square", "frame": "frame", "disc": "circle"}
    legend = (*shades, *((text, "faint", marks[shape]) for shape, text in board.key.items()))
    n = int(valued["n"].min()), int(valued["n"].max())
    return Declared(laid(width, 2), laid(NARROW, 1), figure.label, legend, len(valued), n)


def _places(
    picture: Picture, board: Board, rows: pd.DataFrame, players: int, ends: tuple[float, float]
) -> list[tuple[str, Place, str, float, str]]:
    """Return (name, place, ink, opacity, sentence) of every place."""
    figure = picture.figures[0]
    found = {getattr(row, picture.x): row for row in rows.itertuples(index=False)}
    flat = set()
    for shape in ("square", "frame", "disc"):
        own = rows[[board.places[level].shape == shape for level in rows[picture.x]]].dropna(subset="value")
        if len(own):
            columns = (own[name].to_numpy() for name in ("value", "low", "high", "n", "deals"))
            if no_significant_difference(*columns, share=figure.unit == "share"):
                flat.add(shape)
    places = []
    for name, place in board.places.items():
        row = found.get(name)
        if row is None:
            places.append((name, place, "faint", 0.0, ""))
        elif np.isnan(row.value):
            places.append((name, place, "faint", 0.0, f"{name}: n = {row.n:,}, too few for a value"))
        else:
            value = row.value - (1 / players if picture.equal else 0)
            told = not picture.equal or row.low > 1 / players or row.high < 1 / players
            part = abs(value) / ends[1] if picture.equal else (value - ends[0]) / ((ends[1] - ends[0]) or 1.0)
            ink = "s2" if picture.equal and value < 0 else "s1"
            part = 0.5 if place.shape in flat and not picture.equal else part
            said = sentence([players_title(players), name], row, figure.unit)
            places.append(
                (
                    name,
                    place,
                    ink,
                    _DEEPEST * part if told and (place.shape not in flat or not picture.equal) else 0.0,
                    said,
                )
            )
    return places


def _chart(board: Board, places: list[tuple[str, Place, str, float, str]], cell: float, title: str) -> Spec:
    squares: list[Spec] = []
    frames: list[Spec] = []
    discs: list[Spec] = []
    texts: list[Spec] = []
    for _, place, ink, part, tip in places:
        if place.shape == "disc":
            discs.append({"x": place.x, "y": place.y, "ink": ink, "part": part, "tip": tip})
            continue
        half = (1 if place.shape == "square" else _FRAME) / 2
        corners = {"x": place.x - half, "x2": place.x + half, "y": place.y - half, "y2": place.y + half}
        (squares if place.shape == "square" else frames).append({**corners, "ink": ink, "part": part, "tip": tip})
        if place.note:
            texts.append(
                {
                    "x": place.x,
                    "y": place.y,
                    "text": place.note if len(place.note) * 6.5 < cell else place.note.split(" ")[0],
                }
            )
    x = {"type": "quantitative", "scale": {"domain": [0, board.columns], "nice": False}, "axis": None}
    y = {"type": "quantitative", "scale": {"domain": [board.rows, 0], "nice": False}, "axis": None}
    box = {"x": {"field": "x", **x}, "x2": {"field": "x2"}, "y": {"field": "y", **y}, "y2": {"field": "y2"}}
    look: Spec = {
        "color": {"field": "ink", "scale": {"domain": ["s1", "s2", "faint"], "range": ["s1", "s2", "faint"]}, "legend": None},
        "fillOpacity": {"field": "part", "type": "quantitative", "scale": None}, "description": {"field": "tip"},
    }  # fmt: skip
    spot = {"x": {"field": "x", **x}, "y": {"field": "y", **y}}
    size = (_DISC * cell) ** 2
    tops = [{"x": k + 0.5, "y": -0.22, "text": name} for k, name in enumerate(board.column_names)]
    sides = [{"x": -0.16, "y": k + 0.5, "text": name} for k, name in enumerate(board.row_names)]
    layers: list[Spec] = [
        {"data": {"values": squares}, "mark": {"type": "rect", "fill": "faint", "fillOpacity": 0.55, "stroke": "paper", "strokeWidth": 2}, "encoding": box},
        {"data": {"values": squares}, "mark": {"type": "rect", "stroke": "paper", "strokeWidth": 2}, "encoding": {**box, **look}},
        {"data": {"values": frames}, "mark": {"type": "rect", "stroke": "ink", "strokeWidth": 1.3}, "encoding": {**box, **look}},
        {"data": {"values": texts}, "mark": {"type": "text", "baseline": "middle"}, "encoding": {**spot, "text": {"field": "text"}}},
        {"data": {"values": discs}, "mark": {"type": "circle", "size": size, "fill": "paper", "opacity": 1, "stroke": "muted", "strokeWidth": 1}, "encoding": spot},
        {"data": {"values": discs}, "mark": {"type": "circle", "size": size, "opacity": 1}, "encoding": {**spot, **look}},
        {"data": {"values": tops}, "mark": {"type": "text", "baseline": "middle", "fill": "muted"}, "encoding": {**spot, "text": {"field": "text"}}},
        {"data": {"values": sides}, "mark": {"type": "text", "baseline": "middle", "align": "right", "fill": "muted"}, "encoding": {**spot, "text": {"field": "text"}}},
    ]  # fmt: skip
    kept = [layer for layer in layers if layer["data"]["values"]]
    return {"title": title, "width": cell * board.columns, "height": cell * board.rows, "layer": kept}
