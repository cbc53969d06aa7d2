"""Reports claim no more than is shown: false alarms are rare where there is nothing, and small differences are no findings."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from strozzi_sim import stats
from strozzi_sim.declare.figure_tables import FigureTable
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.significance import (
    degrees_of_freedom,
    missed,
    not_excluded,
    p_value,
    p_value_of_share,
    size_text,
)
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.game import load_game
from strozzi_sim.pictures.heat import heat_tables
from strozzi_sim.stats import benjamini_hochberg
from strozzi_sim.study.cells import FAIRNESS_P, FAVOUR_BOUND
from strozzi_sim.study.kinds.balance import verdict_on_agents
from strozzi_sim.study.seats import seat_verdict

pytestmark = pytest.mark.slow


SEATS = 4
STUDY = SimpleNamespace(the_game=load_game("strozzi"), chunks=200)


def row_of(value, low, high, n=10_000, deals=200, **keys):
    """A row as tables hand it out."""
    names = pd.DataFrame([{"value": value, "low": low, "high": high, "n": n, "deals": deals, **keys}])
    return next(names.itertuples(index=False))


@pytest.mark.parametrize("null", [0.2, 0.25, 0.3])
def test_p_is_below_5_per_cent_exactly_where_the_interval_leaves_the_number_out(null):
    rng = np.random.default_rng(2)
    wins = rng.binomial(20, 0.25, (25, 400))
    share = stats.ratio(wins, np.full((25, 400), 20), n_deals=25)
    mean = stats.ratio(wins, np.full((25, 400), 20))
    for found, test in ((share, p_value_of_share), (mean, p_value)):
        p = test(found.value, found.low, found.high, null, 24)
        outside = (found.low > null) | (found.high < null)
        assert 0.02 < outside.mean() < 0.98
        np.testing.assert_array_equal(p < 0.05, outside)


def test_p_of_exact_figures_and_of_none():
    found = p_value([1.0, 0.0, np.nan, 1.0], [1.0, 0.0, np.nan, np.nan], [1.0, 0.0, np.nan, np.nan], 0.0, 10)
    np.testing.assert_array_equal(found, [0.0, 1.0, np.nan, np.nan])
    found = p_value_of_share([0.5, np.nan], [0.5, 0.0], [0.5, 0.1], 0.5, 10)
    np.testing.assert_array_equal(found, [1.0, np.nan])


def noise(rng, deals):
    """Who wins has nothing to do with the cell: wins and counts int64[C, 3, 13] of players who favour some columns."""
    columns = np.array([1, 2, 4, 8, 12, 12, 8, 6, 4, 2, 1, 0.5, 0.3])
    won = np.zeros((deals, SEATS), int)
    won[np.arange(deals), rng.integers(0, SEATS, deals)] = 1
    count, wins = np.zeros((2, deals, 3, 13), int)
    habit = rng.integers(0, 13, (deals, SEATS))
    where = np.broadcast_to(np.arange(deals)[:, None], (deals, SEATS))
    for ship in range(9):
        column = np.where(
            rng.random((deals, SEATS)) < 0.5, habit, rng.choice(13, (deals, SEATS), p=columns / columns.sum())
        )
        np.add.at(count, (where, ship % 3, column), 1)
        np.add.at(wins, (where, ship % 3, column), won)
    return wins, count


@pytest.mark.parametrize("deals", [20, 50, 200])
def test_a_heat_map_of_noise_is_seldom_marked(deals):
    """A mark at the width of the observed share stood in 13 to 52 % of such panels."""
    rng = np.random.default_rng(deals)
    marked, panels = 0, 150
    for _ in range(panels):
        wins, count = noise(rng, deals)
        share = stats.ratio(WIN_UNITS * wins, count, unit=WIN_UNITS, n_deals=deals)
        df = degrees_of_freedom(share.n, deals)
        p = p_value_of_share(share.value, share.low, share.high, 1 / SEATS, df)
        marked += bool((benjamini_hochberg(p.ravel()) < 0.05).any())
    assert marked <= 15  # of 150 at 5 %: more than 15 in 0.5 % of such tests


def test_the_drawing_marks_what_the_test_says():
    heat_map = report_of(load_game("strozzi")).heat_maps["win-by-flag-and-sail"]
    table, cell = FigureTable("row", "column"), SimpleNamespace(players=4, variant="base", lineup="random", deals=200)
    value = np.array([[0.25, 0.24, 0.55]])
    half = np.array([[0.03, 0.03, 0.03]])
    estimate = stats.Estimate(value, value - half, value + half, np.full((1, 3), 900))
    table.add(cell, heat_map.figure, estimate, row=["pirate"], column=["1", "2", "3"])
    ((_, cells),) = heat_tables(heat_map, table.frame(), {}).panels[0].rows
    assert [(cell.text, cell.classes) for cell in cells] == [("25", "noise"), ("24", "noise"), ("55", "")]


def lineup_of(rng, shares, deals=60):
    """The tables of a line-up whose positions win so often."""
    lineup = FigureTable("position", "agent")
    cell = SimpleNamespace(players=SEATS, variant="base", lineup="a,b,c,d", deals=deals)
    wins = WIN_UNITS * rng.multinomial(SEATS, shares, deals)
    won = stats.ratio(wins, np.full((deals, SEATS), SEATS), unit=WIN_UNITS, n_deals=deals)
    for k in range(SEATS):
        lineup.add(cell, WIN_SHARE, won.at(k), position=k, agent=f"agent {k}")
    return {"lineup": lineup.frame()}


def test_equal_positions_are_seldom_said_to_win_more():
    """Without a correction for their number one study in ten of these would say so of some position."""
    rng = np.random.default_rng(7)
    said = [verdict_on_agents(STUDY, lineup_of(rng, [1 / SEATS] * SEATS)).answer for _ in range(100)]
    assert sum(" wins most: " in line for line in said) <= 8  # of 100 at 2.5 %: more than 8 in 0.1 % of such tests


def test_unequal_positions_are_told():
    said = verdict_on_agents(STUDY, lineup_of(np.random.default_rng(1), [0.2, 0.6, 0.1, 0.1], 200))
    assert said.answer.startswith("Agent 1 wins most: ")


def test_a_difference_too_small_to_matter_is_no_finding():
    """Half a million games tell seats apart that differ by a fifth of a point; nobody needs to know."""

    def said(shares, half, p):
        seats, balance = FigureTable("seat"), FigureTable()
        cell = SimpleNamespace(players=2, variant="base", lineup="random", deals=500_000)
        shares = np.array(shares)
        n = np.array([500_000, 500_000])
        seats.add(cell, WIN_SHARE, stats.Estimate(shares, shares - half, shares + half, n), seat=[0, 1])
        for figure, value in ((FAIRNESS_P, p), (FAVOUR_BOUND, 0.03)):
            balance.add(cell, figure, stats.Estimate(*(np.array(each) for each in (value, np.nan, np.nan, 500_000))))
        return seat_verdict({"seats": seats.frame(), "balance": balance.frame()}, STUDY.the_game).answer

    assert (
        said([0.502, 0.498], 0.001, 1e-9)
        == "Every seat of Strozzi wins its share at 2 players, to within half a game of 100."
    )
    assert said([0.53, 0.47], 0.001, 1e-9) == "The first player wins 53 of 100 games at 2 players, the second one 47."
    assert said([0.51, 0.49], 0.02, 0.3) == "No seat of Strozzi wins more than 53 of 100 games at 2 players."


def test_equal_loads_are_seldom_said_to_win():
    rng = np.random.default_rng(4)
    claims = 0
    for _ in range(300):
        wins = rng.binomial(10, 0.5, (40, 12))
        found = stats.ratio(wins, np.full((40, 12), 10), n_deals=40)
        p = p_value_of_share(found.value, found.low, found.high, 0.5, degrees_of_freedom(found.n, 40))
        claims += bool((12 * p < 0.05).any())
    assert claims <= 27  # of 300 at 5 %: more than 27 in 0.2 % of such tests


def test_a_size_is_at_least_zero():
    assert size_text(0.0) == "0 points"
    assert size_text(1e-12) == "0.01 points"
    with pytest.raises(ValueError, match=r"size: must be at least 0, got -0\.1"):
        size_text(-0.1)
    assert missed(0.0) == missed(-0.26) == missed(np.nan) == ""


def test_what_could_be_missed_ends_at_the_possible():
    """Few deals make intervals that reach beyond every share of wins."""
    rows = pd.DataFrame({"value": [0.4, 0.3], "low": [0.0, 0.0], "high": [0.9, 0.8], "n": 3, "deals": 3})
    assert not_excluded(rows, 0.25) == pytest.approx(0.4 + 0.5 * 6.2053 / 4.3027 - 0.25, rel=1e-4)
    assert not_excluded(rows, 0.25, span=(0, 1)) == 0.75
    assert not_excluded(rows, 0.25, sign=-1, span=(0, 1)) == 0.25
    assert not_excluded(rows, np.array([0.25, 0.9]), span=(0, 1)) == 0.9
    assert not_excluded(rows, 0.25, span=(0, pd.Series([0.5, 0.6]))) == pytest.approx(0.35)
