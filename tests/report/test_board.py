"""Boards: figures drawn where their levels lie."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from drawn import panels
from strozzi_sim.declare.pictures import Board, Picture, Place
from strozzi_sim.facts.figures import Figure
from strozzi_sim.pictures.draw import draw_picture
from strozzi_sim.pictures.ink import NARROW

PLACES = {
    "a1": Place(0.5, 0.5, "square", "W 3"), "b1": Place(1.5, 0.5, "square"), "b2": Place(1.5, 1.5, "frame"),
    "corner": Place(1.0, 1.0, "disc"),
}  # fmt: skip
KEY = {"square": "a space", "disc": "a corner"}
SHOWN = Picture(
    "map", "city", "board", "city", (Figure("taken_share", "taken", "share"),), "Map", x="place",
    board=lambda data: Board(2, data["rows"], PLACES, KEY),
)  # fmt: skip


def table(values, players=(3,), half=0.01):
    rows = [
        {"players": count, "place": place, "figure": "taken_share", "value": value, "low": value - half, "high": value + half, "n": 900, "deals": 900}
        for count in players
        for place, value in values.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def drawn(values, shown=SHOWN, **options):
    return draw_picture(shown, table(values, **options), {}, {"rows": 2})


def colours(panel):
    """Return (ink, opacity) of every place that says something, by its name."""
    return {tip.partition(":")[0].split(", ")[1]: shade for tip, shade in panel.shades if tip}


def test_places_lie_where_the_board_says_and_the_stronger_colour_is_more():
    picture = drawn({"a1": 0.1, "b1": 0.9, "b2": 0.5, "corner": 0.3})
    (panel,) = panels(picture)
    assert [area[2:] for area in panel.areas if area[1][0] == "s1"] == [
        (0, 0, 1, 1), (1, 0, 2, 1), pytest.approx((1.12, 1.12, 1.88, 1.88))
    ]  # fmt: skip
    assert {(x, y) for x, y, _ in panel.points} == {(1, 1)}
    assert {shape for _, shape in panel.looks} == {"circle"}
    found = colours(panel)
    assert 0 == found["a1"][1] < found["corner"][1] < found["b2"][1] < found["b1"][1] < 1
    assert {ink for ink, _ in found.values()} == {"s1"}
    assert (panel.x, panel.y) == ((0, 2), (2, 0))
    assert panel.titled == "3 players"
    assert "W 3" in panel.words
    assert "3 players, b1: 90 % (89 to 91), n = 900" in {mark["tip"] for mark in picture.marks}
    words = [text for text, *_ in picture.legend]
    assert {"a space", "a corner"} <= set(words)
    assert words[0] == "the stronger the colour, the more: 10.0 % to 90.0 %"


def test_a_panel_for_each_player_count_and_places_that_the_figure_says_nothing_about():
    picture = drawn({"a1": 0.1, "b1": 0.9}, players=(3, 4, 5))
    for width in (picture.width, NARROW):
        found = panels(picture, width)
        assert [panel.titled for panel in found] == ["3 players", "4 players", "5 players"]
        assert [sum(not tip for tip, _ in panel.shades) for panel in found] == [2, 2, 2]
        assert {shade for panel in found for tip, shade in panel.shades if not tip} == {("faint", 0.0)}
    assert len(picture.marks) == 6


def test_where_events_are_too_few_there_is_no_colour_and_that_is_said():
    (panel,) = panels(picture := drawn({"a1": 0.1, "b1": 0.9, "b2": np.nan}))
    assert colours(panel)["b2"] == ("faint", 0.0)
    assert "3 players, b2: n = 900, too few for a value" in {mark["tip"] for mark in picture.marks}
    whole = drawn({"a1": 0.1, "b1": 0.9, "b2": 0.5})
    assert not any("too few" in mark["tip"] for mark in whole.marks)


def test_only_the_shape_that_does_not_differ_has_one_colour():
    board = Board(2, 2, {**PLACES, "a2": Place(0.5, 1.5, "frame")}, KEY, "ab", "12")
    (panel,) = panels(drawn({"a1": 0.1, "b1": 0.9, "b2": 0.5, "a2": 0.505}, replace(SHOWN, board=lambda data: board)))
    found = colours(panel)
    assert len({fill for edge, fill, *_ in panel.areas if edge == "ink"}) == 1
    assert found["b2"] == found["a2"]
    assert found["a1"][1] < found["b1"][1]
    assert {"a", "b", "1", "2"} <= set(panel.words)  # what a place is called is found along the edges


def test_nothing_is_drawn_without_places_or_component_data():
    rows = table({"a1": 0.1})
    assert draw_picture(SHOWN, rows, {}, {"rows": 2}) is not None
    assert draw_picture(SHOWN, rows, {}, None) is None
    assert draw_picture(SHOWN, table({"nowhere": 0.1}), {}, {"rows": 2}) is None
    assert draw_picture(SHOWN, rows.assign(value=np.nan), {}, {"rows": 2}) is None
