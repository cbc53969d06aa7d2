"""What the pages of Medici vs Strozzi say, against the counts behind them."""

import numpy as np
import pytest

import strozzi_sim as ss
from report_cells import CELL, cell, sums, tables_of
from strozzi_sim.declare.pages import report_of
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import from_changes
from strozzi_sim.games.medici_vs_strozzi.fact_tables import SAMPLED, totals
from strozzi_sim.games.medici_vs_strozzi.report import FAIR_BY, LOTS_BY

GAME = load_game("medici_vs_strozzi")
PAGES = report_of(GAME).pages
HEATMAPS = report_of(GAME).heat_maps
BALANCE = [
    "seat_gap", "seat_fairness_p", "medici_win_share", "medici_margin_mean", "score_q05", "score_q25", "score_q50",
    "score_q75", "score_q95", "score_mean", "winner_score_mean", "loser_score_mean", "margin_mean", "tie_share",
    "lead_changes_mean", "leader_1_wins_share", "leader_2_wins_share", "decisions_mean", "lots_mean", "tiles_mean",
    "tiles_per_lot", "full_fleet_share", "empty_bag_share", "loaded_mean", "paid_mean", "below_zero_share",
    "below_zero_at_end_share", "price_cap_share", "coins_harbors_mean", "coins_monopolies_mean", "coins_bonus_mean",
]  # fmt: skip
SIZES = ["1", "2", "3"]


@pytest.fixture(scope="module")
def counts():
    return cell(GAME, 2, "fair-price,random", deals=120, chunks=12)


@pytest.fixture(scope="module")
def tables(counts):
    return tables_of(GAME, [counts], PAGES, HEATMAPS)


def value(table, figure, **where):
    """The value of the only such row."""
    rows = table[table["figure"] == figure]
    for column, level in where.items():
        rows = rows[rows[column] == level]
    assert len(rows) == 1, (figure, where)
    return rows["value"].iloc[0]


def counted(counts, fact, by="", summed="", where=""):
    """A crosstab of all chunks together: rows, then sums, along the last axis."""
    return counts.count(Crosstab(fact, tuple(by.split()), tuple(summed.split()), where)).sum(axis=0)


def test_sums_of_shares_are_1(tables):
    prices, harbors, discards = tables["prices"], tables["harbors"], tables["discards"]
    for found in (
        sums(prices, "share", [*CELL, "tiles", "by"], by=[*LOTS_BY, *FAIR_BY]),
        sums(prices, "share_of_level", [*CELL, "by", "level"], tiles=SIZES),
        sums(harbors, "share", [*CELL, "harbor", "by"], by=["load"]),
        sums(tables["monopolies"], "share", [*CELL, "by"]),
        sums(discards, "share", [*CELL, "by"]),
        sums(tables["heat_position_by_round"], "share", [*CELL, "row"]),
        sums(tables["heat_cargo_by_harbor"], "share", [*CELL, "row"]),
        sums(tables["heat_ship_against_ship"], "share", [*CELL, "row"]),
        sums(tables["heat_tiles_by_order"], "share_of_level", [*CELL, "column"]),
    ):
        assert len(found)
        np.testing.assert_allclose(found, 1, rtol=1e-12)
    outcomes = ["decided_share", "tie_share", "unopposed_share", "unopposed_unpaid_share", "empty_share"]
    by_outcome = harbors[harbors["figure"].isin(outcomes)].groupby(["harbor", "by", "level"])["value"].sum()
    np.testing.assert_allclose(by_outcome, 1, rtol=1e-12)
    for table in (tables["rounds"], tables["balance"].assign(round="all")):
        ends = table[table["figure"].isin(["full_fleet_share", "empty_bag_share"])]
        np.testing.assert_allclose(ends.groupby("round")["value"].sum(), 1, rtol=1e-12)


def test_balance_has_its_figures(tables, counts):
    balance = tables["balance"].set_index("figure")["value"]
    for figure in BALANCE:
        assert np.isfinite(balance[figure]), figure
    payout = sum(balance[f"coins_{source}_mean"] for source in ("harbors", "monopolies", "bonus"))
    assert 300 + payout - balance["paid_mean"] == pytest.approx(balance["score_mean"])
    shares = tables["seats"].query("figure == 'win_share'").set_index("seat")["value"]
    assert balance["medici_win_share"] == pytest.approx(shares[0])
    scores = tables["seats"].query("figure == 'score_mean'").set_index("seat")["value"]
    assert balance["medici_margin_mean"] == pytest.approx(scores[0] - scores[1])
    assert balance["score_mean"] == pytest.approx(scores.mean())
    decided = counts.games - int(counted(counts, "game", summed="tie")[1])
    ahead = (balance["winner_score_mean"] - balance["loser_score_mean"]) * decided / counts.games
    assert ahead == pytest.approx(balance["margin_mean"])


def test_prices_against_the_counts(tables, counts):
    prices = tables["prices"]
    whole = counted(counts, "lot", "tiles", "price asked bought")
    estimated = counted(counts, "price_estimate", "tiles", "price fair")
    by_round = counted(counts, "lot", "tiles round", "price")
    for k, size in enumerate(SIZES):
        lots, price, asked, bought = whole[k]
        few, their_price, fair = estimated[k]
        where = {"tiles": size, "by": "all", "level": "all"}
        assert value(prices, "price_mean", **where) == pytest.approx(price / lots)
        assert value(prices, "responder_share", **where) == pytest.approx(bought / asked)
        assert value(prices, "fair_mean", **where) == pytest.approx(fair / few / 10)
        less = their_price / few - fair / few / 10
        assert value(prices, "price_minus_fair_mean", **where) == pytest.approx(less)
        assert value(prices, "price_to_fair_ratio", **where) == pytest.approx(10 * their_price / fair)
        heat = tables["heat_price_by_tiles_round"]
        assert value(heat, "price_mean", row=size, column="1") == pytest.approx(by_round[k, 0, 1] / by_round[k, 0, 0])
    everything = prices[(prices["by"] == "all") & (prices["tiles"] == "all")].set_index("figure")
    assert everything["n"]["price_mean"] == whole[:, 0].sum()
    assert everything["n"]["fair_mean"] == estimated[:, 0].sum() < whole[:, 0].sum() / 8
    assert everything["deals"]["fair_mean"] == -(-counts.deals // SAMPLED) < everything["deals"]["price_mean"]


def test_the_median_price_is_that_of_the_histogram(tables, counts):
    histogram = counted(counts, "lot", "price")[:, 0]
    lots = np.repeat(np.arange(len(histogram)), histogram)
    assert abs(value(tables["prices"], "price_q50", tiles="all", by="all") - np.median(lots)) <= 1


def test_rounds_and_balance_say_the_same(tables):
    rounds, balance = tables["rounds"], tables["balance"].set_index("figure")["value"]
    for figure in ("lots_mean", "tiles_mean", "tiles_per_lot", "full_fleet_share", "loaded_mean"):
        assert value(rounds, figure, round="all") == pytest.approx(balance[figure])
    for figure in ("coins_harbors_mean", "coins_monopolies_mean", "coins_bonus_mean", "winner_paid_mean"):
        by_round = [value(rounds, figure, round=str(number)) for number in (1, 2, 3)]
        assert sum(by_round) == pytest.approx(balance[figure])
    harbors = tables["harbors"]
    assert value(harbors, "coins_mean", harbor="all", by="all") == pytest.approx(
        sum(balance[f"coins_{source}_mean"] for source in ("harbors", "monopolies", "bonus"))
    )


def test_tiles_harbors_monopolies_and_discards_against_the_counts(tables, counts):
    loaded, steps = counted(counts, "tile", summed="steps", where="value == 0 and loaded == yes")
    assert value(tables["tiles"], "steps_mean", tile="0") == pytest.approx(steps / loaded)
    zero, gold = (counted(counts, "lot", summed="price", where=f"tiles == 1 and {which}")
                  for which in ("zeros == 1", "gold == 1"))  # fmt: skip
    found = value(tables["tiles"], "value_0_price_minus_this_mean", tile="gold")
    assert found == pytest.approx(zero[1] / zero[0] - gold[1] / gold[0])
    moored, won = counted(counts, "ship", summed="won", where="harbor == H3 and ship == 4")
    found = value(tables["harbors"], "won_share", harbor="H3", by="ship", level="4")
    assert found == pytest.approx(won / moored)
    assert value(tables["heat_harbor_by_ship"], "won_share", row="H3", column="4") == pytest.approx(found)
    markers, swapped = counted(counts, "marker", summed="swapped", where="harbor == H1 and goods == dye and round == 2")
    found = value(tables["monopolies"], "swapped_share", track="H1.dye", by="round", level="2")
    assert found == pytest.approx(swapped / markers)
    bought, discarded = counted(counts, "lot", summed="discarded", where="bought == yes")
    found = value(tables["discards"], "discard_share", by="buyer", level="responder")
    assert found == pytest.approx(discarded / bought)
    denied, price = counted(
        counts, "lot", summed="price", where="discarded == yes and forced == no and rival_fits == yes"
    )
    assert value(tables["discards"], "price_mean", by="why", level="denied") == pytest.approx(price / denied)


@pytest.mark.slow
def test_changes_of_score_quantiles_have_intervals():
    keys = {"players": 2, "deals": 200, "seatings": "one", "workers": 1, "progress": False}
    changes = ss.simulate("medici_vs_strozzi", agents="random", variant=["base", "long"], **keys).tables["changes"]
    quantiles = changes[changes["figure"].str.startswith("score_q") & (changes["value"] != 0)]
    assert len(quantiles) >= 3
    assert quantiles[["low", "high", "p"]].notna().all(axis=None)


def test_scores_below_the_lowest_level_have_no_quantile():
    dear = from_changes(GAME, "dear", {"price_space": {"action_space_cap": 250}}, "tests dear")
    counts = cell(GAME, 2, deals=60, chunks=4, variant=dear)
    assert np.isfinite(value(tables_of(GAME, [counts], [], {})["balance"], "score_q05"))
    quantiles = Crosstab("seat", ("total",))
    coins = counts.plan.levels("seat", "total").starts
    cube = counts.plan._cube_of[quantiles]
    assert (cube.cells, cube.width) == (len(coins), 1)
    counts.counts[:, cube.first] += 1_000  # of those who have the fewest coins that are told apart
    counts.known_cells.clear()
    assert np.isnan(value(tables_of(GAME, [counts], [], {})["balance"], "score_q05"))


@pytest.mark.parametrize(
    "changes",
    [
        {"rounds": {"count": 1, "starter": ["Medici"], "reveal_max": 1}},
        {"tiles": {"gold_count": 0, "values_per_type": [1, 1, 2, 3, 4, 5]}},
        {"switches": {"round_ends_when": "moored", "buy_without_room": False}},
        {"tracks": {"half_length": 1, "bonus": {}}, "scoring": {"harbor_majority": 0}},
    ],
    ids=["one-round", "no-zeros", "moored", "plain-tracks"],
)
def test_every_variant_has_tables_and_findings(changes):
    variant = from_changes(GAME, "other", changes, "tests other")
    counts = cell(GAME, 2, deals=60, chunks=6, variant=variant)
    tables = tables_of(GAME, [counts], PAGES, HEATMAPS)
    found = report_of(GAME).findings(tables, {"other": variant.components}, 6)
    assert set(found) <= set(PAGES)
    for sentence in found.values():
        assert "nan" not in sentence
        assert sentence.endswith(".")
    assert report_of(GAME).tables([counts], ["balance"], {})["balance"].frame()["n"].min() > 0


def test_every_level_that_can_occur_has_a_row():
    counts = cell(GAME, 2, deals=3, chunks=3)
    prices = tables_of(GAME, [counts], ["prices"], {})["prices"]
    values = prices[(prices["by"] == "value") & (prices["figure"] == "share") & (prices["tiles"] == "all")]
    assert list(values["level"]) == [str(value) for value in range(14 + 1)], "three tiles of at most 5, 5 and 4"
    assert values["n"].min() > 0
    assert totals([0, 1, 4, 4], range(1, 3)) == {0, 1, 4, 5, 8}
