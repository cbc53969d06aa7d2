"""Declared pictures of every kind: values, intervals, scales, sentences, labels and legends."""

import re

import numpy as np
import pandas as pd
import pytest

from declared import domain, layers, levels, marks, panels, texts
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import Picture, format_value
from strozzi_sim.pictures.declare import declare
from strozzi_sim.pictures.vega import INKS, drawn, svg_of_page

PARTS = tuple(Figure(name, name, "amount") for name in ("council", "tasks", "city"))
WON = Figure("won", "games won", "share")


def rows(values, players=(4,), half=0.0, **keys):
    """The rows of a table: figure -> value, for each player count."""
    return pd.DataFrame(
        {
            "players": count, "variant": "base", "lineup": "a", **keys, "figure": name, "value": value, "low": value - half, "high": value + half,
            "n": 900, "deals": 900,
        }
        for count in players
        for name, value in values.items()
    )  # fmt: skip


def by_level(values, half=0.02, players=(4,), figure="won", **keys):
    """The rows of a table by level."""
    return pd.concat(
        [rows({figure: value}, players, half, level=str(level), **keys) for level, value in values.items()],
        ignore_index=True,
    )


# Bars and quantiles


def bars(values):
    """(value, sentence) of each part of a bar, and what is written."""
    picture = Picture("sources", "balance", "bars", "balance", (), "Sources", groups={"a player": PARTS})
    declared = declare(picture, rows(values), {})
    (panel,) = panels(declared.wide)
    return declared, panel, [(mark["part"], mark["value"]) for mark in marks(declared.wide)], set(texts(panel))


def test_bars_stack_and_what_is_below_zero_stands_to_the_left():
    declared, panel, parts, written = bars({"council": 9.0, "tasks": -4.0, "city": 6.0})
    assert parts == [("council", 9), ("tasks", -4), ("city", 6)]
    assert {"9", "6", "\N{MINUS SIGN}4", "11"} <= written  # the parts and their total
    assert domain(panel, "x") == (-4, 15)
    (bar,) = [encoding for encoding, _, mark in layers(panel, "bar")]
    assert bar["x"]["stack"] == "zero"
    places = {row["text"]: row["at"] for _, own, mark in layers(panel, "text") for row in own if "at" in row}
    assert places == {"9": 4.5, "\N{MINUS SIGN}4": -2, "6": 12}
    assert [name for name, *_ in declared.legend] == ["council", "tasks", "city"]
    assert len({ink for _, ink, _ in declared.legend}) == 3
    _, panel, _, written = bars({"council": 9.0, "tasks": 4.0, "city": 6.0})
    assert "19" in written
    assert domain(panel, "x") == (0, 19)


def test_a_quantile_without_a_value_is_not_drawn():
    names = ("q05", "q25", "q50", "q75", "q95", "mean")
    table = rows({name: np.nan if name == "q05" else 10.0 * k for k, name in enumerate(names)}, (3,))
    shown = Picture("x", "x", "spread", "x", tuple(Figure(name, name, "count") for name in names), "X", x_label="coins")
    declared = declare(shown, table, {})
    (mark,) = marks(declared.wide)
    assert (mark["q0"], mark["q2"], mark["q5"]) == (None, 20, 50)
    assert set(texts(*panels(declared.wide))) == {"20", "50"}
    assert "half of all between 10 and 30" in mark["tip"]


# Dots with intervals


@pytest.mark.parametrize("kind", ["intervals", "lines", "dots"])
def test_every_mark_says_its_value_interval_and_n(kind):
    table = by_level({"x": 0.31, "y": 0.402}, players=(3, 4))
    declared = declare(
        Picture("p", "p", kind, "p", (WON,), "Won", x="level", series="players" if kind == "dots" else ""), table, {}
    )
    found = marks(declared.wide)
    assert [mark["tip"] for mark in marks(declared.narrow)] == [mark["tip"] for mark in found]
    assert len(found) == len(table) == declared.rows
    assert sorted((mark["level"], mark["value"], mark["low"], mark["high"]) for mark in found) == sorted(
        (row.level, *(pytest.approx(100 * side) for side in (row.value, row.low, row.high)))
        for row in table.itertuples()
    )
    for mark in found:
        said = {"x": "31 % (29 to 33), n = 900", "y": "40 % (38 to 42), n = 900"}[mark["level"]]
        assert mark["tip"].endswith(f": {said}"), mark["tip"]
        assert "3 players" in mark["tip"] or "4 players" in mark["tip"]
    assert declared.n == (900, 900)


def test_a_share_beside_an_equal_chance_is_in_points_from_it():
    table = by_level({"0": 0.40, "1": 0.30}, players=(3, 4))
    declared = declare(Picture("p", "p", "intervals", "p", (WON,), "Won", x="level", equal=True), table, {})
    assert declared.title == "Games won: points above or below an equal share"
    three, four = panels(declared.wide)
    assert [mark["value"] for mark in marks(three)] == [pytest.approx(100 * (share - 1 / 3)) for share in (0.4, 0.3)]
    assert [mark["value"] for mark in marks(four)] == [pytest.approx(100 * (share - 1 / 4)) for share in (0.4, 0.3)]
    assert "40 %" in marks(three)[0]["tip"]  # the sentence has the share itself
    for panel in (three, four):
        (line,) = [encoding for encoding, _, mark in layers(panel, "rule") if mark.get("strokeDash")]
        assert line["y"] == {"datum": 0.0}
        low, high = domain(panel, "y")
        assert (
            low
            < min(mark["low"] for mark in marks(declared.wide))
            < 0
            < max(mark["high"] for mark in marks(declared.wide))
            < high
        )


def test_a_mark_without_an_interval_has_no_whisker_and_is_counted():
    table = by_level({"x": 0.31, "y": 0.4}).assign(low=lambda each: each["low"].where(each["level"] == "x"))
    declared = declare(Picture("p", "p", "intervals", "p", (WON,), "Won", x="level"), table, {})
    without = next(mark for mark in marks(declared.wide) if mark["level"] == "y")
    assert (without["low"], without["high"]) == (None, None)
    assert "n = 900" in without["tip"]
    (whisker,) = [
        each
        for each in panels(declared.wide)[0]["layer"]
        if each.get("transform") == [{"filter": "isValid(datum.low)"}]
    ]
    assert whisker["mark"]["type"] == "rule"


@pytest.mark.parametrize("kind", ["intervals", "lines", "dots"])
def test_series_differ_in_shape_and_in_colour_and_the_legend_has_both(kind):
    table = pd.concat([by_level({"x": 0.3, "y": 0.4}, who=who) for who in ("one", "two", "three")])
    declared = declare(
        Picture("p", "p", kind, "p", (WON,), "Won", x="level", series="who"), table, {"who=one": "First"}
    )
    assert declared.legend == (("First", "s1", "circle"), ("two", "s2", "diamond"), ("three", "s3", "square"))
    looks = [encoding for encoding, _, mark in layers(panels(declared.wide)[0], "point")]
    for channel in ("color", "shape"):
        (scale,) = {(tuple(each[channel]["scale"]["domain"]), tuple(each[channel]["scale"]["range"])) for each in looks}
        assert scale[0] == ("First", "two", "three")
        assert len(set(scale[1])) == 3
    assert looks[0]["color"]["scale"]["range"] == list(INKS[:3])
    assert {mark["series"] for mark in marks(declared.wide)} == {"First", "two", "three"}
    assert all(mark["series"] in mark["tip"] for mark in marks(declared.wide))
    alone = declare(Picture("p", "p", kind, "p", (WON,), "Won", x="level"), by_level({"x": 0.3}), {})
    assert alone.legend == ()


def test_of_several_series_the_ends_that_differ_are_labelled_and_no_others():
    high = by_level({"0": 0.40, "1": 0.255, "2": 0.10, "3": 0.26}, who="one")
    flat = by_level({"0": 0.26, "1": 0.25, "2": 0.24, "3": 0.25}, who="two")
    shown = Picture("p", "p", "intervals", "p", (WON,), "Won", x="level", series="who", equal=True)
    (panel,) = panels(declare(shown, pd.concat([high, flat]), {}).wide)
    assert sorted(texts(panel)) == ["+15", "\N{MINUS SIGN}15"]
    assert {mark["side"] for mark in marks(panel) if "label" in mark} == {1, -1}
    assert all(mark["end"] == mark["high" if mark["side"] > 0 else "low"] for mark in marks(panel) if "label" in mark)
    (panel,) = panels(declare(shown, pd.concat([flat, flat.assign(who="three")]), {}).wide)
    assert len(marks(panel)) == 8
    assert texts(panel) == []


def test_of_one_series_with_few_levels_every_value_is_written():
    (panel,) = panels(
        declare(Picture("p", "p", "intervals", "p", (WON,), "Won", x="level"), by_level({"x": 0.31, "y": 0.4}), {}).wide
    )
    assert sorted(texts(panel)) == ["31", "40"]


@pytest.mark.parametrize("count", [3, 10, 24, 60])
def test_a_line_has_all_its_levels_in_the_order_of_numbers(count):
    table = by_level(dict.fromkeys(range(count, 0, -1), 0.5), players=(3, 4, 5))
    declared = declare(Picture("bids", "auctions", "lines", "auctions", (WON,), "Bids", x="level"), table, {})
    assert len(panels(declared.wide)) == 3
    for panel in panels(declared.wide):
        assert levels(panel, "x") == tuple(str(level) for level in range(1, count + 1))
        assert len(marks(panel)) == count
        axis = next(encoding["x"]["axis"] for encoding, _, _ in layers(panel, "point"))
        assert axis["labelOverlap"] == "parity"  # names that would touch are left out


def test_long_names_stand_beside_their_line():
    names = ["a rather long name", "another long name"]
    declared = declare(
        Picture("p", "p", "intervals", "p", (WON,), "Won", x="level"), by_level(dict.fromkeys(names, 0.3)), {}
    )
    assert levels(panels(declared.wide)[0], "y") == tuple(names)
    short = declare(Picture("p", "p", "intervals", "p", (WON,), "Won", x="level"), by_level({"x": 0.3, "y": 0.3}), {})
    assert levels(panels(short.wide)[0], "x") == ("x", "y")


@pytest.mark.parametrize("kind", ["dots", "intervals"])
def test_a_figure_without_values_has_no_panel(kind):
    table = rows({"won": 0.4, "lost": np.nan}, (3,), level="1")
    figures = (Figure("won", "won", "share"), Figure("lost", "lost", "share"))
    x = "players" if kind == "intervals" else "level"
    declared = declare(Picture("x", "x", kind, "x", figures, "X", x=x), table, {})
    assert len(panels(declared.wide)) == 1
    assert declare(Picture("x", "x", kind, "x", figures[1:], "X", x=x), table, {}) is None


def test_dots_at_the_end_of_an_axis_are_not_cut_off():
    table = pd.concat([rows({"kept": 1.0, "worth": worth}, level=name) for name, worth in (("a", -2.0), ("b", 1.0))])
    figures = (Figure("kept", "kept", "share"), Figure("worth", "worth", "amount"))
    kept, worth = panels(
        declare(Picture("tasks", "tasks", "dots", "tasks", figures, "Tasks", x="level"), table, {}).wide
    )
    assert domain(kept, "x")[1] > 100
    assert domain(worth, "x")[0] < -2
    assert domain(worth, "x")[1] > 1


def test_a_wide_picture_has_the_width_that_it_is_given():
    table = by_level({str(level): 0.3 for level in range(12)}, players=(3, 4, 5, 6))
    shown = Picture("p", "p", "lines", "p", (WON,), "Won", x="level")
    for width in (690, 1064):
        first_row = declare(shown, table, {}, width=width).wide["vconcat"][0]
        assert 0.7 * width < sum(panel["width"] for panel in panels(first_row)) < width
    assert all(panel["width"] < 340 for panel in panels(declare(shown, table, {}).narrow))


@pytest.mark.parametrize("kind", ["dots", "intervals"])
@pytest.mark.parametrize("letters", [12, 34, 60])
def test_long_names_make_a_narrow_picture_no_wider(kind, letters):
    """What is wider than its place is shrunk, and its text with it."""
    table = by_level({"n" * letters: 0.3, "m" * letters: 0.4}, players=(3, 4))
    declared = declare(Picture("p", "p", kind, "p", (WON,), "Won", x="level"), table, {})
    (width,) = (
        float(side)
        for side in re.match(r'<svg viewBox="0 0 ([\d.]+)', svg_of_page(drawn(declared.narrow), "")).groups()
    )
    assert 250 < width <= 365
    axis = next(encoding["y"]["axis"] for encoding, _, _ in layers(panels(declared.wide)[0], "point"))
    assert axis["labelLimit"] >= 6 * letters  # a wide one has the whole name


def test_no_minus_stands_before_zero():
    assert format_value(-0.04, "amount") == "0.0"
    assert format_value(-0.06, "amount") == "\N{MINUS SIGN}0.1"


# Labelled dots


def scatter(half=0.02, crowd=1):
    spots = {f"thing {k}": (0.1 + 0.1 * (k % 7), 0.04 * (k % 5)) for k in range(crowd)} | {"far": (0.9, 0.3)}
    table = pd.concat(
        [
            rows({"used": used, "won": won}, (3, 4), half, level=name, who="planted")
            for name, (used, won) in spots.items()
        ]
    )
    figures = (Figure("used", "how often", "share"), WON)
    return declare(Picture("p", "p", "scatter", "p", figures, "P", x="level", zero=True), table, {}), table


def test_labelled_dots_have_both_figures_and_a_name():
    declared, _ = scatter(crowd=2)
    three, four = panels(declared.wide)
    assert (three["title"], four["title"]) == ("3 players", "4 players")
    far = next(mark for mark in marks(three) if mark["name"] == "far")
    assert (far["at"], far["value"]) == (pytest.approx(90), pytest.approx(30))
    assert far["tip"] == "3 players, far: 30 points (28 to 32), n = 900; how often: 90.0 %"
    assert domain(three, "x") == domain(four, "x")
    assert domain(three, "y") == domain(four, "y")
    assert {"thing 0", "thing 1", "far"} <= set(texts(three))


def test_names_of_dots_hide_neither_dots_nor_each_other():
    declared, _ = scatter(crowd=30)
    (panel, _), letter = panels(declared.wide), 6.2
    (left, right), (low, high) = domain(panel, "x"), domain(panel, "y")
    boxes, dots = [], []
    for mark in marks(panel):
        x, y = (
            panel["width"] * (mark["at"] - left) / (right - left),
            panel["height"] * (1 - (mark["value"] - low) / (high - low)),
        )
        dots.append((x, y))
        if "dx" in mark:
            begin = x + mark["dx"] - (letter * len(mark["name"]) if mark["dx"] < 0 else 0)
            boxes.append((begin, y + mark["dy"] - 6, begin + letter * len(mark["name"]), y + mark["dy"] + 6))
    assert len(dots) == 31
    assert len(boxes) > 8
    for k, one in enumerate(boxes):
        assert not any(one[0] < x < one[2] and one[1] < y < one[3] for x, y in dots)
        assert not any(one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3] for two in boxes[:k])
