"""Pictures of bars and lines: what is below zero, names below an axis, legends."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import Picture, format_value
from strozzi_sim.reports.figures import draw
from strozzi_sim.reports.style import legend_lines

PARTS = tuple(Figure(name, name, "amount") for name in ("council", "tasks", "city"))


def rows(values, players=(4,), **keys):
    """The rows of a table: figure -> value, for each player count."""
    return pd.DataFrame(
        {
            "players": count, "variant": "base", "lineup": "a", **keys, "figure": name, "value": value, "low": value, "high": value,
            "n": 900, "deals": 900,
        }
        for count in players
        for name, value in values.items()
    )  # fmt: skip


def bars(values):
    """(left end, right end) of each part of a bar, and the texts beside it."""
    picture = Picture("sources", "balance", "bars", "balance", (), "Sources", groups={"a player": PARTS})
    (axes,) = draw(picture, rows(values), {}).axes
    ends = [sorted((bar.get_x(), bar.get_x() + bar.get_width())) for bar in axes.patches if isinstance(bar, Rectangle)]
    return ends, {text.get_text().strip() for text in axes.texts}


def test_bars_stack_to_the_right_and_what_is_below_zero_to_the_left():
    ends, texts = bars({"council": 9.0, "tasks": -4.0, "city": 6.0})
    assert [pytest.approx(each) for each in ([0, 9], [-4, 0], [9, 15])] == ends
    assert {"9", "6", "\N{MINUS SIGN}4", "11"} <= texts  # the parts and their total
    ends, texts = bars({"council": 9.0, "tasks": 4.0, "city": 6.0})
    assert [pytest.approx(each) for each in ([0, 9], [9, 13], [13, 19])] == ends
    assert "19" in texts


@pytest.mark.parametrize("levels", [3, 10, 24, 60])
def test_names_below_an_axis_do_not_touch(levels):
    table = pd.concat([rows({"won": 0.5}, (3, 4, 5), level=str(level)) for level in range(1, levels + 1)])
    picture = Picture("bids", "auctions", "lines", "auctions", (Figure("won", "won", "share"),), "Bids", x="level")
    drawing = draw(picture, table, {})
    drawing.canvas.draw()
    for axes in drawing.axes:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
        assert axes.get_xticklabels()[-1].get_text() == str(levels)
        assert len(boxes) == levels or levels > 10


def test_a_legend_has_as_few_lines_as_fit():
    assert legend_lines(["council", "city", "chapels", "edifices", "privileges", "tasks"]) == 1
    assert legend_lines(["x" * 40] * 4) == 2  # two of 3.35 inches fit, three do not


def test_no_minus_stands_before_zero():
    assert format_value(-0.04, "amount") == "0.0"
    assert format_value(-0.06, "amount") == "\N{MINUS SIGN}0.1"


def test_dots_at_the_end_of_an_axis_are_not_cut_off():
    table = pd.concat([rows({"kept": 1.0, "worth": worth}, level=name) for name, worth in (("a", -2.0), ("b", 1.0))])
    panels = (Figure("kept", "kept", "share"), Figure("worth", "worth", "amount"))
    drawing = draw(Picture("tasks", "tasks", "dots", "tasks", panels, "Tasks", x="level"), table, {})
    drawing.canvas.draw()
    kept, worth = drawing.axes
    assert kept.get_xlim() == (0, pytest.approx(1.06))
    ticks = [label.get_text() for label in worth.get_xticklabels()]
    assert "\N{MINUS SIGN}2" in ticks
    assert not any("-" in tick for tick in ticks)


# Compared pictures: one scale


def scenes(values):
    """Rows of two variants, the second with twice the values of the first."""
    parts = []
    for variant, factor in (("base", 1), ("double", 2)):
        for level in ("1", "2"):
            part = rows({name: factor * value for name, value in values.items()}, (3, 4), level=level)
            parts.append(part.assign(variant=variant, lineup="a"))
    return pd.concat(parts)


@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("kind", ["lines", "intervals", "dots", "bars"])
def test_pictures_of_two_variants_have_one_scale(kind, zero):
    table = scenes({"won": 0.4, "lost": 0.1})
    figures = (Figure("won", "won", "amount"), Figure("lost", "lost", "amount"))
    shown = Picture(
        "x", "x", kind, "x", figures[:1] if kind in ("lines", "intervals") else figures, "X", x="level", zero=zero
    )
    first, second = (draw(shown, table[table["variant"] == name], {}, None, table) for name in ("base", "double"))
    axis = "get_xlim" if kind in ("dots", "bars") else "get_ylim"
    limits = [[getattr(axes, axis)() for axes in drawing.axes] for drawing in (first, second)]
    assert limits[0] == limits[1]
    assert all(high >= 0.2 for _, high in limits[0])
    assert max(high for _, high in limits[0]) >= 0.8


def test_quantiles_of_two_variants_have_one_scale():
    names = ("q05", "q25", "q50", "q75", "q95", "mean")
    table = scenes({name: 10.0 * k for k, name in enumerate(names, 1)}).query("level == '1'")
    shown = Picture("x", "x", "spread", "x", tuple(Figure(name, name, "count") for name in names), "X")
    limits = {
        draw(shown, table[table["variant"] == name], {}, None, table).axes[0].get_xlim() for name in ("base", "double")
    }
    assert len(limits) == 1


@pytest.mark.parametrize("kind", ["dots", "intervals"])
def test_a_figure_without_values_has_no_panel(kind):
    table = rows({"won": 0.4, "lost": np.nan}, (3,), level="1")
    figures = (Figure("won", "won", "share"), Figure("lost", "lost", "share"))
    x = "players" if kind == "intervals" else "level"
    drawing = draw(Picture("x", "x", kind, "x", figures, "X", x=x), table, {})
    assert len(drawing.axes) == 1
    drawing.canvas.draw()


def test_a_quantile_without_a_value_is_not_written():
    names = ("q05", "q25", "q50", "q75", "q95", "mean")
    table = rows({name: np.nan if name == "q05" else 1.0 for name in names}, (3,))
    shown = Picture("x", "x", "spread", "x", tuple(Figure(name, name, "count") for name in names), "X")
    assert len(draw(shown, table, {}).axes[0].texts) == 3
