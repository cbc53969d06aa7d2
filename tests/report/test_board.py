"""Boards: figures drawn where their levels lie."""

from dataclasses import replace

import numpy as np
import pandas as pd

from declared import domain, layers, marks, panels, texts
from strozzi_sim.facts.pictures import Board, Figure, Place
from strozzi_sim.game.reporting import Picture
from strozzi_sim.pictures.declare import declare

PLACES = {
    "a1": Place(0.5, 0.5, "square", "west", "W 3"), "b1": Place(1.5, 0.5, "square", "east"), "b2": Place(1.5, 1.5, "frame"),
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
    return declare(shown, table(values, **options), {}, {"rows": 2})


def places(panel):
    """Return mark and row of every place of a panel, in the order of the board."""
    every = [(row, mark) for encoding, rows, mark in layers(panel) if "description" in encoding for row in rows]
    where = {(0.0, 0.0): "a1", (1.0, 0.0): "b1", (1.0, 1.0): "corner"}
    return {where.get((row["x"], row["y"]), "frame"): {**row, "type": mark["type"]} for row, mark in every}


def test_places_lie_where_the_board_says_and_the_stronger_colour_is_more():
    declared = drawn({"a1": 0.1, "b1": 0.9, "b2": 0.5, "corner": 0.3})
    (panel,) = panels(declared.wide)
    found = places(panel)
    west, east, frame, corner = (found[name] for name in ("a1", "b1", "frame", "corner"))
    assert (west["x"], west["x2"], west["y"], west["y2"]) == (0, 1, 0, 1)
    assert (east["x"], east["x2"]) == (1, 2)
    assert 1 < frame["x"] < frame["x2"] < 2
    assert (corner["x"], corner["y"], corner["type"]) == (1, 1, "circle")
    assert 0 == west["part"] < corner["part"] < frame["part"] < east["part"] < 1
    assert {each["ink"] for each in found.values()} == {"s1"}
    assert (domain(panel, "x"), domain(panel, "y")) == ((0, 2), (2, 0))
    assert panel["title"] == "3 players"
    assert "W 3" in texts(panel)
    assert east["tip"] == "3 players, b1: 90 % (89 to 91), n = 900"
    words = [text for text, *_ in declared.legend]
    assert {"a space", "a corner"} <= set(words)
    assert words[0] == "the stronger, the more: 10.0 % to 90.0 %"


def test_a_panel_for_each_player_count_and_places_that_the_figure_says_nothing_about():
    declared = drawn({"a1": 0.1, "b1": 0.9}, players=(3, 4, 5))
    for spec in (declared.wide, declared.narrow):
        assert [panel["title"] for panel in panels(spec)] == ["3 players", "4 players", "5 players"]
    silent = [
        row for panel in panels(declared.wide) for name, row in places(panel).items() if name in ("frame", "corner")
    ]
    assert len(silent) == 6
    assert {(row["part"], row["tip"]) for row in silent} == {(0.0, "")}
    assert len(marks(declared.wide)) == 12
    assert declared.rows == 6


def test_where_events_are_too_few_there_is_no_colour_and_that_is_said():
    (panel,) = panels(drawn({"a1": 0.1, "b1": 0.9, "b2": np.nan}).wide)
    frame = places(panel)["frame"]
    assert frame["part"] == 0
    assert frame["tip"] == "b2: n = 900, too few for a value"
    (whole,) = panels(drawn({"a1": 0.1, "b1": 0.9, "b2": 0.5}).wide)
    assert not any("too few" in row["tip"] for row in places(whole).values())


def test_places_that_do_not_differ_beyond_chance_have_one_colour():
    found = places(*panels(drawn({"a1": 0.5, "b1": 0.505}).wide))
    assert found["a1"]["part"] == found["b1"]["part"] > 0
    told = places(*panels(drawn({"a1": 0.5, "b1": 0.6}).wide))
    assert told["a1"]["part"] < told["b1"]["part"]


def test_only_the_shape_that_does_not_differ_has_one_colour():
    board = Board(2, 2, {**PLACES, "a2": Place(0.5, 1.5, "frame")}, KEY, "ab", "12")
    (panel,) = panels(
        drawn({"a1": 0.1, "b1": 0.9, "b2": 0.5, "a2": 0.505}, replace(SHOWN, board=lambda data: board)).wide
    )
    by_tip = {row["tip"].split(":")[0].split(", ")[1]: row["part"] for row in places(panel).values() if row["tip"]}
    frames = [
        row["part"]
        for encoding, rows, mark in layers(panel)
        if "description" in encoding and mark.get("stroke") == "ink"
        for row in rows
    ]
    assert len(frames) == 2
    assert len(set(frames)) == 1
    assert by_tip["a1"] < by_tip["b1"]
    assert {"a", "b", "1", "2"} <= set(texts(panel))  # what a place is called is found along the edges


def test_beside_an_equal_share_a_place_that_is_not_told_apart_has_no_colour():
    shown = replace(SHOWN, equal=True, figures=(Figure("taken_share", "won", "share"),))
    found = places(*panels(drawn({"a1": 0.2, "b1": 0.5, "corner": 0.335, "b2": 0.6}, shown).wide))
    assert (found["a1"]["ink"], found["b1"]["ink"]) == ("s2", "s1")
    assert found["corner"]["part"] == 0
    assert 0 < found["a1"]["part"] < found["b1"]["part"]


def test_nothing_is_drawn_without_places_or_component_data():
    rows = table({"a1": 0.1})
    assert declare(SHOWN, rows, {}, {"rows": 2}) is not None
    assert declare(SHOWN, rows, {}, None) is None
    assert declare(SHOWN, table({"nowhere": 0.1}), {}, {"rows": 2}) is None
    assert declare(SHOWN, rows.assign(value=np.nan), {}, {"rows": 2}) is None
