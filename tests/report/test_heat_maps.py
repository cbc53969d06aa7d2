"""Heat maps of many panels: one scale, no noise taken for a pattern, and nothing left out."""

import itertools
import tomllib

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection

from paths import ROOT
from report_cells import CELL, FIGURE
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game import load_game
from strozzi_sim.pictures import heat_panels
from strozzi_sim.pictures.chance import no_significant_difference
from strozzi_sim.pictures.heat import draw_panels
from strozzi_sim.pictures.heat_grid import TALLEST, grid_of, lines_of
from strozzi_sim.pictures.style import DIVERGING, SEQUENTIAL


def heat_table(cell_value, players=(3, 4), variants=("base",), lineups=("a",), shape=(4, 3), half=0.1):
    """A table heat_<name>; `cell_value` takes player count, line-up's number, row and column."""
    places = itertools.product(variants, enumerate(lineups), players, range(shape[0]), range(shape[1]))
    rows = [
        (count, variant, lineup, f"row {i}", str(j), "gain", value := float(cell_value(count, k, i, j)), value - half, value + half, 400, 400)
        for variant, (k, lineup), count, i, j in places
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=[*CELL, "row", "column", *FIGURE])


def drawn_of(table, **options):
    figure = Figure("gain", "coins gained", "amount")
    return draw_panels(HeatMap("Gains", "What is gained.", "row", "column", figure, None), table, {}, **options)


def panels_of(drawing):
    """The colours of each panel's cells, [cells, 4]; the colour scale left out."""
    found = [each.get_facecolor() for each in drawing.axes[0].collections if isinstance(each, PolyCollection)]
    return found[:-1]


def texts_of(drawing):
    return [text.get_text() for text in drawing.axes[0].texts]


@pytest.mark.parametrize("lineups", [("a",), ("a", "b"), tuple("abcdefgh")])
def test_all_panels_of_a_heat_map_have_one_scale(lineups):
    """The same value has the same colour everywhere, also where the other values of its panel are larger."""
    drawn = drawn_of(
        heat_table(lambda players, k, i, j: 5 if (i, j) == (0, 0) else players * (k + 1) + i, lineups=lineups)
    )
    panels = [panel for _, _, drawing in drawn.drawings for panel in panels_of(drawing)]
    assert len(panels) == 2 * len(lineups)
    assert np.ptp([panel[0] for panel in panels], axis=0).max() == 0
    assert len({tuple(panel[-1]) for panel in panels}) > 1


def test_colours_diverge_around_zero_where_figures_lie_below_it():
    blues = panels_of(drawn_of(heat_table(lambda players, k, i, j: i + j)).drawings[0][2])
    assert tuple(blues[0][0]) == SEQUENTIAL(0.0)
    cells = panels_of(drawn_of(heat_table(lambda players, k, i, j: 4 * (i - 1) if j else -3 * (i - 1))).drawings[0][2])[
        0
    ]
    middle, largest = cells[3], cells[-1]  # 0 in row 1, 8 in the last one
    assert tuple(middle) == DIVERGING(0.5)
    assert tuple(largest) == DIVERGING(1.0)
    assert cells[1][0] > cells[1][2]  # -4: orange, of the same strength as 4
    assert cells[7][0] < cells[7][2]  # 4: blue


def test_noise_is_said_to_be_none_and_has_one_colour():
    rng = np.random.default_rng(3)
    drawn = drawn_of(heat_table(lambda players, k, i, j: 2 + rng.normal() / 30 + (players == 4) * i, half=0.07))
    assert drawn.noise == "At 3 players no cells differ significantly."
    assert not drawn.flat
    flat, varied = panels_of(drawn.drawings[0][2])
    assert len(np.unique(flat, axis=0)) == 1
    assert len(np.unique(varied, axis=0)) > 4
    assert "3 players \N{ALMOST EQUAL TO}" in texts_of(drawn.drawings[0][2])
    both = drawn_of(heat_table(lambda players, k, i, j: 2 + rng.normal() / 30, half=0.07))
    assert both.flat
    assert both.noise == "No significant differences in any panel."
    no_intervals = heat_table(lambda players, k, i, j: 2).assign(low=np.nan, high=np.nan)
    assert drawn_of(no_intervals).noise == ""


@pytest.mark.parametrize("share", [False, True])
def test_noise_is_seldom_taken_for_a_pattern(share):
    """Without a correction for their number, among 30 figures two nearly always lie outside each other's intervals."""
    rng = np.random.default_rng(5)
    figures, sets, patterns = 30, 300, 0
    for _ in range(sets):
        value = 0.4 + 0.02 * rng.standard_normal(figures)
        n = np.full(figures, 600)
        patterns += not no_significant_difference(value, value - 0.0392, value + 0.0392, n, n, share=share)
    assert patterns <= sets // 20
    value[0] = 0.6
    assert not no_significant_difference(value, value - 0.0392, value + 0.0392, n, n, share=share)


@pytest.mark.slow
def test_no_variant_or_line_up_is_left_out_and_no_drawing_too_tall():
    lineups = [f"style-{k}" for k in range(10)]
    table = heat_table(lambda players, k, i, j: k + i - j, (3, 4, 5, 6), ("base", "long"), lineups, shape=(4, 7))
    drawn = drawn_of(table)
    assert [suffix for suffix, _, _ in drawn.drawings] == ["-base", "-long"]
    for _, variant, drawing in drawn.drawings:
        assert len(panels_of(drawing)) == 40
        assert {f"Variant: {variant}", *lineups, "3 players", "6 players"} <= set(texts_of(drawing))
        assert drawing.get_size_inches()[1] <= TALLEST + 0.5
    tall = drawn_of(heat_table(lambda players, k, i, j: k + i, (3, 4, 5, 6), lineups=lineups, shape=(36, 3)))
    assert len({suffix for suffix, _, _ in tall.drawings}) == len(tall.drawings) > 1
    assert sum(len(panels_of(drawing)) for _, _, drawing in tall.drawings) == 40
    sides = drawn_of(heat_table(lambda players, k, i, j: k + i, (2,), ("base", "long"), lineups))
    assert {"base", "long", *lineups} <= set(texts_of(sides.drawings[0][2]))
    alone = drawn_of(heat_table(lambda players, k, i, j: k + i, (2,), lineups=lineups))
    assert set(lineups) <= {text for _, _, drawing in alone.drawings for text in texts_of(drawing)}


def test_the_study_of_all_heat_maps_names_them_all():
    study = tomllib.loads((ROOT / "experiments" / "strategy_heatmaps.toml").read_text("utf-8"))
    assert study["report"]["heatmaps"] == list(load_game("strozzi").report.HEATMAPS)


def test_a_line_up_stands_below_the_player_counts_that_it_plays_at():
    """Small panels have their titles at the head alone: an empty place, not the wrong column."""
    table = heat_table(lambda players, k, i, j: players + i + j, lineups=tuple("abcd"))
    table = table[(table["lineup"] != "d") | (table["players"] == 4)]
    shown = HeatMap("Gains", "What is gained.", "row", "column", Figure("gain", "coins gained", "amount"))
    found = heat_panels.panels_of(shown, table)
    band = found.bands[-1]
    assert (band.heading, [panel.players for panel in band.panels]) == ("d", [4])
    nothing, four = found.aligned(band)
    assert np.isnan(nothing.value).all()
    assert four is band.panels[0]
    lines = lines_of(grid_of(found, list("wxyz"), list("abc"), 2), found)
    assert {tuple(panel.title for panel in panels) for line in lines for _, panels in line.bands} == {
        ("3 players", "4 players")
    }
    assert texts_of(drawn_of(table).drawings[0][2]).count("n 1.2k") == 7
