"""Drawn pictures of every kind: values, intervals, scales, sentences, labels and legends."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from drawn import RecordedSheet, panels
from strozzi_sim.declare.pictures import Picture
from strozzi_sim.declare.printing import format_value
from strozzi_sim.facts.figures import Figure
from strozzi_sim.pictures.draw import draw_picture
from strozzi_sim.pictures.ink import NARROW, letters_without_font, style, width_of, wrapped
from strozzi_sim.pictures.panel import Scale

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
    """A picture of bars, its panel, and (value, sentence) of each part."""
    picture = Picture("sources", "balance", "bars", "balance", (), "Sources", groups={"a player": PARTS})
    drawn = draw_picture(picture, rows(values), {})
    return drawn, *panels(drawn), [(mark["part"], mark["value"]) for mark in drawn.marks]


def test_bars_stack_and_what_is_below_zero_stands_to_the_left():
    drawn, panel, parts = bars({"council": 9.0, "tasks": -4.0, "city": 6.0})
    assert parts == [("council", 9), ("tasks", -4), ("city", 6)]
    assert panel.values == ["9", "\N{MINUS SIGN}4", "6", "11"]  # the parts and their total
    assert panel.x == (-4, 15)
    assert [(left, right) for _, _, left, _, right, _ in panel.areas] == [(0, 9), (0, -4), (9, 15)]
    assert [x for words, x, *_ in panel.placed if words in panel.values] == [4.5, -2, 12, 15]
    assert [name for name, *_ in drawn.legend] == ["council", "tasks", "city"]
    assert len({ink for _, ink, _ in drawn.legend}) == 3
    _, panel, _ = bars({"council": 9.0, "tasks": 4.0, "city": 6.0})
    assert "19" in panel.values
    assert panel.x == (0, 19)


def test_a_bar_with_more_parts_than_colours_repeats_them():
    parts = tuple(Figure(f"part {k}", f"part {k}", "amount") for k in range(7))
    table = rows({figure.name: 1.0 for figure in parts}, level="0")
    drawn = draw_picture(Picture("x", "x", "bars", "x", parts, "X", x="level"), table, {})
    inks = [ink for _, ink, _ in drawn.legend]
    assert (len(set(inks)), inks[6]) == (6, inks[0])
    (panel,) = panels(drawn)
    assert [ink for _, (ink, _), *_ in panel.areas] == inks


def test_bars_beside_each_other_have_a_line_for_each_that_one_of_them_has():
    """Seats 3 and 4 are no empty lines of games with three players in the row."""
    table = pd.concat(
        [rows({"council": 9.0}, (count,), level=str(seat)) for count in (3, 4, 5) for seat in range(count)]
    )
    drawn = draw_picture(Picture("x", "x", "bars", "x", PARTS[:1], "X", x="level"), table, {})
    three, four, five = panels(drawn)
    assert three.levels["y"] == ("0", "1", "2", "3")  # beside those of four
    assert (len(three.areas), len(four.areas), len(five.areas)) == (3, 4, 5)
    assert five.levels["y"] == ("0", "1", "2", "3", "4")
    assert five.top > three.top == four.top


def test_a_quantile_without_a_value_is_not_drawn():
    names = ("q05", "q25", "q50", "q75", "q95", "mean")
    table = rows({name: np.nan if name == "q05" else 10.0 * k for k, name in enumerate(names)}, (3,))
    shown = Picture("x", "x", "spread", "x", tuple(Figure(name, name, "count") for name in names), "X", x_label="coins")
    drawn = draw_picture(shown, table, {})
    ((mark,), (panel,)) = drawn.marks, panels(drawn)
    assert np.isnan(mark["q05"])
    assert (mark["q50"], mark["mean"]) == (20, 50)
    assert [(words, ink) for words, ink, _ in panel.inked if ink in ("ink", "s2")] == [
        ("3 players", "ink"),
        ("20", "ink"),
        ("50", "s2"),
    ]
    assert "half of all between 10 and 30" in mark["tip"]
    assert [line for ink, _, line in panel.drawn_lines if ink == "s1"] == []  # from 5 to 95 %


def test_the_numbers_of_a_median_and_a_lower_diamond_are_moved_apart():
    names = ("q05", "q25", "q50", "q75", "q95", "mean")
    table = rows(dict(zip(names, (0.0, 10.0, 20.0, 30.0, 40.0, 19.0), strict=True)), (3,))
    shown = Picture("x", "x", "spread", "x", tuple(Figure(name, name, "count") for name in names), "X", x_label="coins")
    (panel,) = panels(draw_picture(shown, table, {}))
    sides = {words: side for words, *_, side in panel.placed}
    assert (sides["20"], sides["19"]) == ("left", "right")


# Dots with intervals


def dots(kind, table, **keys):
    return draw_picture(
        Picture("p", "p", kind, "p", (WON,), "Won", **{"x": "level", **keys}), table, keys.pop("words", {})
    )


@pytest.mark.parametrize("kind", ["intervals", "lines", "dots"])
def test_every_mark_says_its_value_interval_and_n(kind):
    table = by_level({"x": 0.31, "y": 0.402}, players=(3, 4))
    drawn = dots(kind, table, series="players" if kind == "dots" else "")
    found = drawn.marks
    for width in (drawn.width, NARROW):
        assert sorted(tip for panel in panels(drawn, width) for *_, tip in panel.points) == sorted(
            mark["tip"] for mark in found
        )
    assert len(found) == len(table)
    assert sorted((mark["level"], mark["value"], mark["low"], mark["high"]) for mark in found) == sorted(
        (row.level, *(pytest.approx(100 * side) for side in (row.value, row.low, row.high)))
        for row in table.itertuples()
    )
    for mark in found:
        said = {"x": "31 % (29 to 33), n = 900", "y": "40 % (38 to 42), n = 900"}[mark["level"]]
        assert mark["tip"].endswith(f": {said}"), mark["tip"]
        assert "3 players" in mark["tip"] or "4 players" in mark["tip"]
    assert drawn.n == (900, 900)


def test_marks_lie_at_their_values():
    (panel,) = panels(dots("intervals", by_level({"x": 0.31, "y": 0.402})))
    assert [(x, y) for x, y, _ in panel.points] == [(0.5, pytest.approx(31)), (1.5, pytest.approx(40.2))]
    assert [line for ink, _, line in panel.drawn_lines if ink == "s1"] == [
        [(0.5, pytest.approx(29)), (0.5, pytest.approx(33))], [(1.5, pytest.approx(38.2)), (1.5, pytest.approx(42.2))]
    ]  # fmt: skip


def test_the_data_of_a_picture_are_its_marks_with_six_digits():
    data = dots("intervals", by_level({"x": 1 / 3}).assign(low=np.nan, high=np.nan)).data()
    assert data["columns"] == ["panel", "level", "series", "value", "low", "high", "n", "tip"]
    (row,) = data["rows"]
    assert row[:7] == ["4 players", "x", "", 33.3333, None, None, 900]
    assert row[7].startswith("4 players, x: 33.3 %")


def test_a_share_beside_an_equal_chance_is_in_points_from_it():
    drawn = dots("intervals", by_level({"0": 0.40, "1": 0.30}, players=(3, 4)), equal=True)
    assert drawn.meaning == "Games won: points above or below an equal share"
    three, four = panels(drawn)
    for panel, count in ((three, 3), (four, 4)):
        assert [y for _, y, _ in panel.points] == [pytest.approx(100 * (share - 1 / count)) for share in (0.4, 0.3)]
        assert panel.broken == [[(0, 0), (2, 0)]]
        low, high = panel.y
        assert low < min(mark["low"] for mark in drawn.marks) < 0 < max(mark["high"] for mark in drawn.marks) < high
    assert "40 %" in drawn.marks[0]["tip"]  # the sentence has the share itself


def test_a_mark_without_an_interval_has_no_whisker_and_is_counted():
    table = by_level({"x": 0.31, "y": 0.4}).assign(low=lambda each: each["low"].where(each["level"] == "x"))
    drawn = dots("intervals", table)
    without = next(mark for mark in drawn.marks if mark["level"] == "y")
    assert np.isnan(without["low"])
    assert "n = 900" in without["tip"]
    (panel,) = panels(drawn)
    assert len([line for ink, *_, line in panel.drawn_lines if ink == "s1"]) == 1
    assert len(panel.points) == 2


@pytest.mark.parametrize("kind", ["intervals", "lines", "dots"])
def test_series_differ_in_shape_and_in_colour_and_the_legend_has_both(kind):
    table = pd.concat([by_level({"x": 0.3, "y": 0.4}, who=who) for who in ("one", "two", "three")])
    shown = Picture("p", "p", kind, "p", (WON,), "Won", x="level", series="who")
    drawn = draw_picture(shown, table, {"who=one": "First"})
    assert drawn.legend == (("First", "s1", "circle"), ("two", "s2", "diamond"), ("three", "s3", "square"))
    assert panels(drawn)[0].looks == [(ink, shape) for _, ink, shape in drawn.legend]
    assert {mark["series"] for mark in drawn.marks} == {"First", "two", "three"}
    assert all(mark["series"] in mark["tip"] for mark in drawn.marks)
    assert dots(kind, by_level({"x": 0.3})).legend == ()


@pytest.mark.parametrize("seats", [(0, 1, 2), (1, 2), (2,), (3, 0)])
def test_a_seat_has_its_colour_whichever_other_seats_are_shown(seats):
    table = pd.concat([by_level({"x": 0.3, "y": 0.4}, seat=seat) for seat in (*seats, 4)])
    drawn = dots("lines", table, series="seat")
    inks = ("s1", "s2", "s4", "s5", "s3")  # as on the table of a game
    names = ("first player", "second player", "third player", "player 4", "player 5")
    assert {name: ink for name, ink, _ in drawn.legend} == {names[seat]: inks[seat] for seat in (*seats, 4)}


def test_more_series_than_colours_differ_in_shape():
    table = pd.concat([by_level({"x": 0.3}, scenario=f"line-up {k:02}") for k in range(12)])
    legend = dots("intervals", table, series="scenario").legend
    assert len({(ink, shape) for _, ink, shape in legend}) == 12


def test_of_several_series_the_ends_that_differ_are_labelled_and_no_others():
    high = by_level({"0": 0.40, "1": 0.255, "2": 0.10, "3": 0.26}, who="one")
    flat = by_level({"0": 0.26, "1": 0.25, "2": 0.24, "3": 0.25}, who="two")
    (panel,) = panels(dots("intervals", pd.concat([high, flat]), series="who", equal=True))
    assert sorted(panel.values) == ["+15", "\N{MINUS SIGN}15"]
    placed = {words: (y, round(at[1])) for words, _, y, at, _ in panel.placed if words in panel.values}
    assert placed == {"+15": (pytest.approx(17), -9), "\N{MINUS SIGN}15": (pytest.approx(-17), 18)}
    (panel,) = panels(dots("intervals", pd.concat([flat, flat.assign(who="three")]), series="who", equal=True))
    assert len(panel.points) == 8
    assert panel.values == []


def test_of_one_series_with_few_levels_every_value_is_written():
    (panel,) = panels(dots("intervals", by_level({"x": 0.31, "y": 0.4})))
    assert panel.values == ["31", "40"]


@pytest.mark.parametrize("count", [3, 10, 24, 60])
@pytest.mark.parametrize("width", [NARROW, 690])
def test_a_line_has_all_its_levels_in_the_order_of_numbers(count, width):
    drawn = dots("lines", by_level(dict.fromkeys(range(count, 0, -1), 0.5), players=(3, 4, 5)))
    found = panels(drawn, width)
    assert len(found) == 3
    for panel in found:
        assert panel.levels["x"] == tuple(str(level) for level in range(1, count + 1))
        assert len(panel.points) == count
        boxes = [(panel.at(x, 0)[0], words) for words, x, y, at, _ in panel.placed if at == (0, 18)]
        assert boxes[-1][1] == str(count)  # the last one may mean "and more"
        for (left, one), (right, two) in itertools.pairwise(boxes):  # names that would touch are left out
            assert right - left >= (width_of(one) + width_of(two)) / 2


def test_long_names_stand_beside_their_line():
    names = ["a rather long name", "another long name"]
    assert panels(dots("intervals", by_level(dict.fromkeys(names, 0.3))))[0].levels == {"y": tuple(names)}
    assert panels(dots("intervals", by_level({"x": 0.3, "y": 0.3})))[0].levels == {"x": ("x", "y")}


@pytest.mark.parametrize("kind", ["dots", "intervals"])
def test_a_figure_without_values_has_no_panel(kind):
    table = rows({"won": 0.4, "lost": np.nan}, (3,), level="1")
    figures = (Figure("won", "won", "share"), Figure("lost", "lost", "share"))
    x = "players" if kind == "intervals" else "level"
    assert len(panels(draw_picture(Picture("x", "x", kind, "x", figures, "X", x=x), table, {}))) == 1
    assert draw_picture(Picture("x", "x", kind, "x", figures[1:], "X", x=x), table, {}) is None


def test_dots_at_the_end_of_an_axis_are_not_cut_off():
    table = pd.concat([rows({"kept": 1.0, "worth": worth}, level=name) for name, worth in (("a", -2.0), ("b", 1.0))])
    figures = (Figure("kept", "kept", "share"), Figure("worth", "worth", "amount"))
    kept, worth = panels(
        draw_picture(Picture("tasks", "tasks", "dots", "tasks", figures, "Tasks", x="level"), table, {})
    )
    assert kept.x[1] > 100
    assert worth.x[0] < -2
    assert worth.x[1] > 1


def test_panels_of_one_unit_share_an_axis_unless_one_would_be_a_speck():
    figures = (Figure("kept", "kept", "share"), Figure("used", "used", "share"))

    def ends(used):
        table = pd.concat([rows({"kept": 0.6, "used": used}, level=name) for name in "ab"])
        return [
            panel.x
            for panel in panels(draw_picture(Picture("x", "x", "dots", "x", figures, "X", x="level"), table, {}))
        ]

    one, two = ends(0.4)
    assert one == two
    one, two = ends(0.1)
    assert one[1] > 3 * two[1]


@pytest.mark.parametrize("each", [60.0, 110.0, 300.0])
@pytest.mark.parametrize("most", [0.2, 23.0, 100.0, 12345.0])
def test_numbers_below_an_axis_do_not_touch(each, most):
    panel = RecordedSheet(each).panel(0, 0, each, 100, (0.0, most), (0.0, 1.0))
    panel.numbers("x", Scale((0.0, most), percent=True))
    spots = [(panel.at(x, 0)[0], words) for words, x, *_ in panel.placed]
    assert spots
    for (left, one), (right, two) in itertools.pairwise(spots):
        assert right - left >= (width_of(one) + width_of(two)) / 2 + 9


def test_a_wide_picture_has_the_width_that_it_is_given():
    table = by_level({str(level): 0.3 for level in range(12)}, players=(3, 4, 5, 6))
    for width in (690, 1064):
        drawn = draw_picture(Picture("p", "p", "lines", "p", (WON,), "Won", x="level"), table, {}, width=width)
        found = panels(drawn)
        assert 0.9 * width < max(panel.left + panel.width for panel in found) <= width
    assert all(panel.left + panel.width <= NARROW for panel in panels(drawn, NARROW))


@pytest.mark.parametrize("kind", ["dots", "intervals"])
@pytest.mark.parametrize("letters", [12, 34, 60])
def test_long_names_make_a_narrow_picture_no_wider(kind, letters):
    """What is wider than its place is shortened, and keeps its end."""
    names = {f"{'n' * letters}, seat 0": 0.3, f"{'n' * letters}, seat 1": 0.4}
    drawn = dots(kind, by_level(names, players=(3, 4)))
    for panel in panels(drawn, NARROW):
        assert panel.left + panel.width <= NARROW
        for words, _, _, at, side in panel.placed:
            assert side != "right" or panel.left + at[0] - width_of(words) > -8, words
    first = panels(drawn, NARROW)[0]
    assert [words[-6:] for words in first.words if "nnn" in words and "seat" in words] == ["seat 0", "seat 1"]
    assert f"{'n' * letters}, seat 0" in panels(drawn)[0].words  # a wide one has the whole name


def test_no_minus_stands_before_zero():
    assert format_value(-0.04, PARTS[0]) == "0.0"
    assert format_value(-0.06, PARTS[0]) == "\N{MINUS SIGN}0.1"


# Labelled dots


def scatter(half=0.02, crowd=1):
    spots = {f"thing {k}": (0.1 + 0.1 * (k % 7), 0.04 * (k % 5)) for k in range(crowd)} | {"far": (0.9, 0.3)}
    table = pd.concat(
        [
            rows({"used": used, "won": won}, (3, 4), half, level=name, who="planted")
            for name, (used, won) in spots.items()
        ]
    )
    figures = (Figure("used", "how often", "share"), WON.difference())
    return draw_picture(Picture("p", "p", "scatter", "p", figures, "P", x="level", zero=True), table, {})


def test_labelled_dots_have_both_figures_and_a_name():
    drawn = scatter(crowd=2)
    three, four = panels(drawn)
    assert (three.titled, four.titled) == ("3 players", "4 players")
    far = next(mark for mark in drawn.marks if mark["name"] == "far")
    assert (far["at"], far["value"]) == (pytest.approx(90), pytest.approx(30))
    assert far["tip"] == "3 players, far: 30 points (28 to 32), n = 900; how often: 90.0 %"
    assert (three.x, three.y) == (four.x, four.y)
    assert {"thing 0", "thing 1", "far"} <= set(three.words)


def test_names_of_dots_hide_neither_dots_nor_each_other():
    panel, _ = panels(scatter(crowd=30))
    points = [panel.at(x, y) for x, y, _ in panel.points]
    boxes = []
    for words, x, y, (dx, dy), side in panel.placed:
        if words.startswith(("thing", "far")):
            begin = panel.at(x, y)[0] + dx - (width_of(words) if side == "right" else 0)
            low = panel.at(x, y)[1] + dy - 4
            boxes.append((begin, low - 6, begin + width_of(words), low + 6))
    assert len(points) == 31
    assert len(boxes) > 8
    for k, one in enumerate(boxes):
        assert not any(one[0] < x < one[2] and one[1] < y < one[3] for x, y in points)
        assert not any(one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3] for two in boxes[:k])


CHINESE = "斯特罗齐家族的船只在佛罗伦萨与威尼斯之间的贸易：每个座位获胜的比例，与均等份额相比"


def test_a_title_without_blanks_is_broken_between_full_width_letters():
    lines = wrapped(f"{CHINESE} at 3 players", 300).split("\n")
    assert "".join(lines).replace(" ", "") == f"{CHINESE}at3players"
    assert all(240 < width_of(line) < 300 for line in lines[:-1])
    assert wrapped("one two  three", 1000) == "one two three"
    assert wrapped("one two three", 1).split("\n") == ["one", "two", "three"]


def test_letters_without_a_font_are_named_once_and_the_picture_is_written(recwarn):
    unknown = "\U000f0001\U000f0002"  # of private use, in no font
    picture, *_ = bars({"council": 9.0, "tasks": 4.0, "city": 6.0})
    files = [replace(picture, title=f"Title {unknown}").files(["png", "pdf", "svg"]) for _ in range(2)]
    assert all(files[0].values())
    (warning,) = recwarn
    assert f"no font that matplotlib knows has {unknown}: PNG and PDF show boxes" in str(warning.message)
    assert letters_without_font(f"Titel äöü € {unknown}") == unknown


@pytest.mark.skipif(len(style()["font.family"]) == 1, reason="no font with Chinese letters is installed")
def test_full_width_letters_have_a_font_and_are_as_wide_as_it_draws_them():
    assert letters_without_font(CHINESE) == ""
    with rc_context(style()):
        canvas = FigureCanvasAgg(Canvas(dpi=72))
        text = canvas.figure.text(0, 0, CHINESE, fontsize=12)
        drawn_width = text.get_window_extent(canvas.get_renderer()).width
    assert width_of(CHINESE) == pytest.approx(drawn_width, rel=0.05)


def test_a_picture_of_many_series_at_many_names_is_not_taller_than_a_page():
    """With 6 line-ups at 12 agents, a row for each series of each agent would take 1,056 pixels."""
    agents = [f"a long name {k}" for k in range(12)]
    frames = [by_level(dict.fromkeys(agents, 0.3)).assign(lineup=f"line-up {k}") for k in range(6)]
    table = pd.concat(frames, ignore_index=True)
    picture = Picture("lineup", "x", "intervals", "x", (WON,), "Wins", x="level", series="lineup")
    (panel,) = panels(draw_picture(picture, table, {}))
    assert panel.height == 480
