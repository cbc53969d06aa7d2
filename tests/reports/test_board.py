"""Boards: figures drawn where their levels lie."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Circle, Rectangle

from strozzi_sim.facts.pictures import Board, Figure, Place
from strozzi_sim.game.reporting import Picture
from strozzi_sim.reports.figures import draw
from strozzi_sim.reports.style import GROUND

PLACES = {
    "a1": Place(0.5, 0.5, "square", "west", "W 3"), "b1": Place(1.5, 0.5, "square", "east"), "b2": Place(1.5, 1.5, "frame"),
    "corner": Place(1.0, 1.0, "disc"),
}  # fmt: skip
KEY = {"square": "a space", "disc": "a corner"}
SHOWN = Picture(
    "map", "city", "board", "city", (Figure("taken_share", "taken", "share"),), "Map", x="place",
    board=lambda data: Board(2, data["rows"], PLACES, KEY),
)  # fmt: skip


def table(values, players=(3,)):
    rows = [
        {
            "players": count,
            "place": place,
            "figure": "taken_share",
            "value": value,
            "low": value - 0.01,
            "high": value + 0.01,
            "n": 900,
            "deals": 900,
        }
        for count in players
        for place, value in values.items()
    ]
    return pd.DataFrame(rows)


def shade(patch):
    return patch.get_facecolor()[:3]


def patches(drawing, kind):
    """Those of the board; those of the key come last."""
    return [patch for patch in drawing.axes[0].patches[: -len(KEY)] if type(patch) is kind]


def test_places_lie_where_the_board_says_and_dark_is_more():
    drawing = draw(SHOWN, table({"a1": 0.1, "b1": 0.9, "b2": 0.5, "corner": 0.3}), {}, {"rows": 2})
    squares, discs = patches(drawing, Rectangle), patches(drawing, Circle)
    west, east, frame = squares
    assert east.get_x() - west.get_x() == pytest.approx(west.get_width())
    assert west.get_y() == east.get_y()
    assert frame.get_width() < west.get_width()
    assert discs[0].center[0] == pytest.approx(east.get_x())
    assert discs[0].center[1] == pytest.approx(west.get_y() + west.get_height())
    assert sum(east.get_facecolor()[:3]) < sum(frame.get_facecolor()[:3]) < sum(west.get_facecolor()[:3])
    texts = [text.get_text() for text in drawing.axes[0].texts]
    assert {"10", "90", "50", "30", "W 3", "a space", "3 players", "n = 900"} <= set(texts)


def test_a_panel_for_each_player_count_and_places_that_the_figure_says_nothing_about():
    drawing = draw(SHOWN, table({"a1": 0.1, "b1": 0.9}, players=(3, 4, 5)), {}, {"rows": 2})
    grey = [patch for kind in (Rectangle, Circle) for patch in patches(drawing, kind) if shade(patch) == to_rgb(GROUND)]
    assert len(patches(drawing, Rectangle)) == 9
    assert len(grey) == 6  # the frame and the disc of each panel
    texts = [text.get_text() for text in drawing.axes[0].texts]
    assert "a space" in texts
    assert "a corner; grey: not covered" in texts


def test_a_dash_stands_where_events_are_too_few():
    drawing = draw(SHOWN, table({"a1": 0.1, "b1": 0.9, "b2": np.nan}), {}, {"rows": 2})
    texts = [text.get_text() for text in drawing.axes[0].texts]
    assert texts.count("\N{EN DASH}") == 1
    assert "\N{EN DASH} too few events for a value" in texts
    assert shade(patches(drawing, Rectangle)[-1]) == (1.0, 1.0, 1.0)
    whole = draw(SHOWN, table({"a1": 0.1, "b1": 0.9, "b2": 0.5}), {}, {"rows": 2})
    assert not any("\N{EN DASH}" in text.get_text() for text in whole.axes[0].texts)


def test_places_that_do_not_differ_beyond_chance_have_one_colour():
    drawing = draw(SHOWN, table({"a1": 0.5, "b1": 0.505}), {}, {"rows": 2})
    west, east, _ = patches(drawing, Rectangle)
    assert west.get_facecolor() == east.get_facecolor()
    assert any("\N{ALMOST EQUAL TO}" in text.get_text() for text in drawing.axes[0].texts)


def test_only_the_shape_that_does_not_differ_is_said_to():
    drawing = draw(SHOWN, table({"a1": 0.1, "b1": 0.9, "b2": 0.5}), {}, {"rows": 2})
    assert not any("\N{ALMOST EQUAL TO}" in text.get_text() for text in drawing.axes[0].texts)
    places = {**PLACES, "a2": Place(0.5, 1.5, "frame")}
    board = Board(2, 2, places, {**KEY, "frame": "site, to build on"}, "ab", "12")
    shown = replace(SHOWN, board=lambda data: board)
    drawing = draw(shown, table({"a1": 0.1, "b1": 0.9, "b2": 0.5, "a2": 0.505}), {}, {"rows": 2})
    texts = [text.get_text() for text in drawing.axes[0].texts]
    assert "\N{ALMOST EQUAL TO} site: no significant differences; n = 900" in texts
    assert {"a", "b", "1", "2"} <= set(texts)  # what a place is called is found along the edges


def test_nothing_is_drawn_without_places_or_component_data():
    rows = table({"a1": 0.1})
    assert draw(SHOWN, rows, {}, None) is None
    assert draw(SHOWN, table({"nowhere": 0.1}), {}, {"rows": 2}) is None
    assert draw(SHOWN, rows.assign(value=np.nan), {}, {"rows": 2}) is None
