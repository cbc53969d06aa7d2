"""Heat maps of many panels: one scale, no noise taken for a pattern, and nothing left out."""

import itertools
import tomllib
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Canvas

from drawn import panels
from paths import ROOT
from report_cells import CELL, FIGURE
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.declare.significance import no_significant_difference
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game import load_game
from strozzi_sim.pictures.heat import draw_heat, heat_map_files, heat_tables
from strozzi_sim.pictures.ink import HERO, LIGHT

GAINS = HeatMap("Gains", "What is gained.", "row", "column", Figure("gain", "coins gained", "amount"), table="gains")


def heat_table(cell_value, players=(3, 4), variants=("base",), lineups=("a",), shape=(4, 3), half=0.1):
    """A table heat_<name>; `cell_value` takes player count, line-up's number, row and column."""
    places = itertools.product(variants, enumerate(lineups), players, range(shape[0]), range(shape[1]))
    rows = [
        (count, variant, lineup, f"row {i}", str(j), "gain", value := float(cell_value(count, k, i, j)), value - half, value + half, 400, 400)
        for variant, (k, lineup), count, i, j in places
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=[*CELL, "row", "column", *FIGURE])


def drawn_of(table, **options):
    return draw_heat(GAINS, heat_tables(GAINS, table, {}, **options))


def maps_of(table, **options):
    """The panels with cells, without the scale below them."""
    return panels(drawn_of(table, **options))[:-1]


def inks(panel):
    """The colours of a panel's cells."""
    return [fill for edge, fill, *_ in panel.areas if edge == "paper"]


def test_the_scale_is_that_of_the_data_and_says_its_ends():
    *maps, scale = panels(drawn_of(heat_table(lambda players, k, i, j: 20 + i + j)))
    assert [to_hex(inks(maps[0])[k]) for k in (0, -1)] == [LIGHT["h0"], LIGHT["h1"]]
    assert scale.words[:2] == ["20.0", "25.0  \N{MIDDLE DOT}  coins gained"]
    colours = [to_hex(fill) for _, fill, *_ in scale.areas]
    assert (colours[0], colours[-1]) == (LIGHT["h0"], LIGHT["h1"])


def test_colours_diverge_around_zero_where_figures_lie_below_it():
    (one, _) = maps_of(heat_table(lambda players, k, i, j: 4 * (i - 1) if j else -3 * (i - 1)))
    cells = inks(one)
    assert to_hex(cells[3]) == LIGHT["h0"]  # 0 in row 1
    assert to_hex(cells[-1]) == LIGHT["h1"]  # 8 in the last one
    assert cells[1][0] > cells[1][2]  # -4: orange
    assert cells[7][0] < cells[7][2]  # 4: blue


def test_cells_have_their_values_and_sentences():
    table = heat_table(lambda players, k, i, j: players + i)
    drawn = drawn_of(table)
    three, four = maps_of(table)
    assert (three.titled, four.titled) == ("3 players", "4 players")
    assert {"3.0", "6.0", "row 0", "row 3", "0", "2", "row / column"} <= set(three.words)
    assert len(drawn.marks) == len(table)
    assert drawn.marks[0]["tip"] == "row row 0, column 0: 3.0 (2.9 to 3.1), n = 400"
    assert drawn.data()["rows"][0] == ["3 players", "row 0", "0", 3, 2.9, 3.1, 400, drawn.marks[0]["tip"]]


def test_a_heat_map_of_any_number_of_columns_is_no_wider_than_its_sheet():
    for columns in (3, 12, 60):
        drawn = drawn_of(heat_table(lambda players, k, i, j: k + i - j, shape=(4, columns)))
        assert all(panel.left + panel.width <= drawn.width <= HERO for panel in panels(drawn))
    narrow = drawn_of(heat_table(lambda players, k, i, j: i, (3,), shape=(4, 3)))
    assert narrow.width < 400  # files have no empty half


def test_every_player_count_has_its_files():
    files = heat_map_files(GAINS, heat_table(lambda players, k, i, j: i + players), {}, 20)
    assert sorted(files) == [f"gains--{k}-players.{kind}" for k in (3, 4) for kind in ("png", "svg")]
    words = [node.text for node in ElementTree.fromstring(files["gains--3-players.svg"]).iter()]
    assert {"Gains, 3 players", "row 0"} <= set(words)
    assert "3.0" in words  # where the scale begins,
    assert "7.0  \N{MIDDLE DOT}  coins gained" in words  # and ends, of all player counts
    alone = heat_map_files(GAINS, heat_table(lambda players, k, i, j: i, (3,)), {}, 20)
    assert sorted(alone) == ["gains.png", "gains.svg"]


def test_a_heat_map_is_drawn_on_axes():
    axes = Canvas().subplots()
    drawn_of(heat_table(lambda players, k, i, j: i + players)).on(axes, 3)
    assert [text.get_text() for text in axes.get_yticklabels()] == [f"row {k}" for k in range(4)]
    assert (axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel()) == ("3 players", "column", "row")
    assert sum(len(each.get_paths()) for each in axes.collections) == 12


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


@pytest.mark.parametrize("counts", [(2,), (3, 4, 5, 6)])
def test_no_variant_or_line_up_is_left_out(counts):
    lineups = [f"style-{k}" for k in range(10)]
    found = maps_of(heat_table(lambda players, k, i, j: k + i - j, counts, ("base", "long"), lineups))
    titles = [panel.titled for panel in found]
    assert len(set(titles)) == len(titles) == 20 * len(counts)
    assert all(
        any(lineup in title and variant in title for title in titles)
        for lineup in lineups
        for variant in ("base", "long")
    )
    if len(counts) == 1:
        assert titles[:2] == ["base: style-0", "long: style-0"]  # what differs in one thing stands beside each other
    else:
        assert titles[0] == "base: style-0, 3 players"


def test_the_study_of_all_heat_maps_names_them_all():
    study = tomllib.loads((ROOT / "experiments" / "strategy_heatmaps.toml").read_text("utf-8"))
    assert study["report"]["heatmaps"] == list(report_of(load_game("strozzi")).heat_maps)
