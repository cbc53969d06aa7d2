"""`precision`: a study plays until its headline figures are known, and its intervals hold whenever it stops."""

import numpy as np
import pytest
from strozzi_sim.studies.run import run_study
from strozzi_sim.studies.study import lineup_study

import strozzi_sim as ss
from strozzi_sim.cli import app
from strozzi_sim.errors import InputError
from strozzi_sim.stats.confidence_sequences import FIRST_LOOK
from strozzi_sim.stats.precision import CHUNKS_AT_MOST, mean_half_width, most_deals, reach, share_interval

PLAN = {"name": "p", "game": "strozzi", "players": [3], "lineups": [["random"]], "precision": 3}


@pytest.mark.nightly
@pytest.mark.parametrize("share", [0.002, 0.05, 0.25, 0.5])
def test_intervals_of_shares_hold_at_every_look(share):
    rng, half_width = np.random.default_rng(5), 0.03
    most = most_deals(half_width, paired=False)
    size = most // CHUNKS_AT_MOST
    missed = 0
    for _ in range(200):
        wins = rng.binomial(size, share, CHUNKS_AT_MOST).cumsum()
        deals = size * np.arange(1, CHUNKS_AT_MOST + 1)
        ever = False
        for t in range(FIRST_LOOK, CHUNKS_AT_MOST, 10):
            low, high = share_interval(wins[t : t + 1] / deals[t], int(deals[t]), half_width)
            ever |= not low[0] <= share <= high[0]
        missed += ever
    assert missed <= 18  # of 200; 10 expected at most, and more than 18 in 1 of 150 runs


def test_the_most_deals_suffice_for_every_share():
    half_width = 0.01
    deals = most_deals(half_width, paired=False)
    values = np.linspace(0, 1, 101)
    low, high = share_interval(values, deals, half_width)
    assert (reach(values, low, high) <= half_width).all()


def test_a_study_of_a_rare_win_plays_on_until_the_longer_side_is_known():
    table = ss.simulate("strozzi", 3, ["random", "heuristic", "heuristic"], precision=3).tables["precision"]
    known = table[table["known"] == 1]
    assert len(known) == 3
    assert (np.maximum(known["value"] - known["low"], known["high"] - known["value"]) <= 0.03).all()


def test_intervals_of_means_hold_at_every_look_and_need_chunks_that_differ():
    rng = np.random.default_rng(6)
    missed = 0
    for _ in range(200):
        means = rng.normal(0.1, 1, (200, 1))
        missed += any(abs(means[:t].mean() - 0.1) > mean_half_width(means[:t])[0] for t in range(FIRST_LOOK, 200, 5))
    assert missed <= 18
    few = np.zeros((100, 1))
    few[:29] = 1
    assert np.isinf(mean_half_width(few))
    few[29] = 1
    assert np.isfinite(mean_half_width(few))


def test_a_study_stops_once_its_seats_are_known():
    results = ss.run(ss.Study(**PLAN, report={"pages": []}))
    table = results.tables["precision"]
    assert list(table["figure"]) == ["win_share"] * 3
    assert table["known"].all()
    assert ((table["high"] - table["low"]) / 2 <= 0.03).all()
    assert results.n_games == table["deals"][0] < most_deals(0.03, paired=False)
    seats = results.tables["seats"].query("figure == 'win_share'")
    np.testing.assert_allclose(seats["value"], table["value"], rtol=1e-12)
    assert set(seats["n"]) == set(table["n"])


def test_results_and_the_stop_are_equal_for_any_number_of_workers_and_after_a_resume(tmp_path):
    study = lineup_study("p", "strozzi", 3, ["heuristic", "random", "random"], None, "rotate", "base", 1, precision=4)

    def play(name, workers):
        return run_study(
            study.plan, tmp_path / name, workers=workers, tables=study.all_tables, stopping_rule=study.stopping_rule()
        )

    one, two = play("one", 1), play("two", 2)
    assert one.n_games == two.n_games
    for table in sorted((tmp_path / "one/tables").glob("*.parquet")):
        assert table.read_bytes() == (tmp_path / "two/tables" / table.name).read_bytes()
    again = play("one", 1)
    assert (again.n_games, again.new_games) == (one.n_games, 0)


def test_differences_of_variants_and_of_agents_are_headlines():
    changed = {"rich": {"tracks": {"bonus": {9: 40}}}}
    table = ss.simulate("strozzi", 3, ["random"], variant=["base", changed], precision=5).tables["precision"]
    assert list(table["figure"]).count("win_share_difference") == 3
    assert set(table["than"]) == {"", "base"}
    table = ss.compare("strozzi", "heuristic", "random", 3, precision=5).tables["precision"]
    assert list(table["figure"]) == ["win_share", "win_share", "win_share_difference"]
    assert table["low"][2] > 0


def test_worth_and_tournaments_take_a_precision():
    table = ss.worth("strozzi", "flag:ware", 3, "random", precision=4).tables["precision"]
    assert len(table) == 1
    assert table["known"].all()
    agents = ss.tournament("strozzi", ["random", "greedy", "heuristic"], 3, precision=6).tables["agents"]
    found = agents.query("figure == 'win_share_anytime'")
    assert (found["high"] - found["low"] <= 0.12).all()


def test_deals_are_the_most_that_are_played():
    table = ss.simulate("strozzi", 3, ["random"], 300, precision=1).tables["precision"]
    assert set(table["deals"]) == {300}
    assert not table["known"].any()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"precision": 0}, "precision: must be between 0.01 and 25, got 0"),
        ({"precision": 26}, "precision: must be between 0.01 and 25, got 26"),
        ({"precision": None}, "deals: missing; give a number of deals, or a precision"),
        ({"chunks": 7}, "chunks: is for a study without precision"),
        ({"deals": 0}, "deals: must be"),
    ],
)
def test_what_is_refused(changed, words):
    with pytest.raises(InputError, match=words):
        ss.Study(**{**PLAN, **changed})


def test_the_command_says_what_is_known_and_the_most_deals_beforehand(capsys):
    assert app.run(["balance", "strozzi", "--players", "3", "--agents", "random", "--precision", "5"]) == 0
    said = capsys.readouterr()
    assert "each at most 847 deals" in said.out
    assert "every share of wins is known to +- 5 points, after" in said.out
    both = "tournament strozzi --agents random,greedy --players 3 --precision 5 --until decided"
    assert app.run(both.split()) == 2
    assert "--precision" in capsys.readouterr().err
