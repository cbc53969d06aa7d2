"""Studies that stop by a rule: a precision, or a difference found or excluded. Their intervals hold whenever they stop."""

import json
import re

import numpy as np
import pytest

import strozzi_sim as ss
from planted_game import GAME
from strozzi_sim.errors import ArgumentError
from strozzi_sim.stats.precision import CHUNKS_AT_MOST, FIRST_LOOK, mean_half_width, most_deals, reach, share_interval
from strozzi_sim.study.folders import study_of
from strozzi_sim.study.kinds.compare import CompareVariants
from study_examples import played, tables_in

QUIET = {"workers": 1, "progress": False}
KEYS = {"game": "strozzi", "players": [3], "lineups": [["random"]], "precision": 3}
TURNED = {"turned": {"idle": {"turns": [6] * 100}}}  # another game with the same odds
FINE, AHEAD = {"fine": {"dice": {"faces": 50}}}, {"ahead": {"dice": {"faces": 50}, "start": {"head": [2, 0, 0, 0]}}}


def compared(*variants, **more):
    return ss.compare(GAME, *variants, players=4, agents="random", **QUIET, **more)


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
    values = np.linspace(0, 1, 101)
    low, high = share_interval(values, most_deals(0.01, paired=False), 0.01)
    assert (reach(values, low, high) <= 0.01).all()


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
    results = played({**KEYS, "report": {"pages": []}})
    table = results.tables["precision"]
    assert list(table["figure"]) == ["win_share"] * 3
    assert table["known"].all()
    assert ((table["high"] - table["low"]) / 2 <= 0.03).all()
    assert results.n_games == table["deals"][0] < most_deals(0.03, paired=False)
    seats = results.tables["seats"].query("figure == 'win_share'")
    np.testing.assert_allclose(seats["value"], table["value"], rtol=1e-12)
    assert set(seats["n"]) == set(table["n"])


def test_a_rare_win_is_played_on_until_its_longer_side_is_known():
    agents = ["random", "heuristic", "heuristic"]
    table = ss.simulate("strozzi", players=3, agents=agents, precision=5, **QUIET).tables["precision"]
    assert len(table) == 3
    assert table["known"].all()
    assert (np.maximum(table["value"] - table["low"], table["high"] - table["value"]) <= 0.05).all()


def test_the_stop_is_equal_for_any_number_of_workers_and_after_a_resume(tmp_path):
    keys = {**KEYS, "lineups": [["heuristic", "random", "random"]], "precision": 4, "seed": 1, "report": {"pages": []}}
    one, two = (played(keys, tmp_path / str(workers), workers=workers) for workers in (1, 2))
    assert one.n_games == two.n_games
    assert tables_in(tmp_path / "1") == tables_in(tmp_path / "2")
    again = played(keys, tmp_path / "1")
    assert (again.n_games, again.new_games) == (one.n_games, 0)


@pytest.mark.slow
def test_differences_of_variants_and_of_agents_are_headlines():
    changed = {"rich": {"tracks": {"bonus": {9: 40}}}}
    found = ss.simulate("strozzi", players=3, agents="random", variant=["base", changed], precision=8, **QUIET)
    table = found.tables["precision"]
    assert list(table["figure"]).count("win_share_difference") == 3
    assert set(table["than"]) == {"", "base"}
    found = ss.compare("strozzi", "heuristic", "random", opponents="greedy", players=3, precision=8, **QUIET)
    table, sides = found.tables["precision"], found.tables["sides"].query("figure == 'win_share'")
    assert list(table["figure"]) == ["win_share", "win_share", "win_share_difference"]
    np.testing.assert_allclose(table["value"][:2], sides["value"], rtol=1e-12)
    assert table["low"][2] > 0


def test_a_worth_and_a_tournament_stop_too():
    table = ss.worth("strozzi", "flag:ware", players=3, agents="random", precision=4, **QUIET).tables["precision"]
    assert len(table) == 1
    assert table["known"].all()
    field = ["random", "greedy", "heuristic"]
    found = ss.tournament("strozzi", field, players=3, precision=6, **QUIET).tables["precision"]
    assert found["known"].all()
    assert (found["high"] - found["low"] <= 0.12).all()


def test_deals_are_the_most_that_are_played():
    found = ss.simulate("strozzi", players=3, agents="random", deals=300, precision=1, **QUIET)
    assert set(found.tables["precision"]["deals"]) == {300}
    assert not found.tables["precision"]["known"].any()


def test_a_large_difference_is_found_early():
    found = compared("base", {"head": {"start": {"head": [0, 0, 0, 3]}}})
    assert found.study.deals < 20_000
    assert (found.tables["precision"]["figure"] == "win_share_difference").all()
    assert found.tables["precision"]["known"].all()
    assert found.verdict.notes[-1].startswith("A difference of 1 of 100 games won would have been found (")


def test_a_variant_that_changes_no_winner_is_known_to_after_few_deals():
    found = compared("base", {"all": {"start": {"head": [1, 1, 1, 1]}}})
    assert found.study.deals < 10_000
    assert found.tables["precision"]["known"].all()
    assert (found.tables["precision"]["value"] == 0).all()


def test_a_difference_that_is_neither_found_nor_excluded_is_said():
    words = compared("base", TURNED, effect=0.02).verdict.notes[-1]
    assert re.fullmatch(
        r"Up to \d[.]\d games of 100 more or less could be missed after .* deals; more deals tell[.]", words
    )


def test_a_variant_beside_itself_has_no_difference_to_decide(monkeypatch):
    monkeypatch.setattr("strozzi_sim.study.running.run", lambda study, **_: study)
    assert (compared("base", "base").decided, compared("base", TURNED).decided) == (False, True)
    assert not compared("base", TURNED, effect=0).decided


def test_after_few_deals_a_difference_is_bounded_by_its_two_shares():
    """Of a share 5 % are spent on two intervals, of which its chunks give none yet; of a difference 0.25 % on each."""
    found = ss.compare("strozzi", "greedy", "random", opponents="heuristic", players=3, precision=1, deals=20, **QUIET)
    table = found.tables["precision"]
    first, second, difference = table[["value", "low", "high"]].to_numpy()

    def ends(value, alpha):
        return [float(end[0]) for end in share_interval(np.array([value]), 20, 0.01, alpha)]

    np.testing.assert_allclose((first[1:], second[1:]), [ends(side[0], 0.05 / 2) for side in (first, second)])
    (low, high), (other_low, other_high) = (ends(side[0], 0.0025 / 2) for side in (first, second))
    np.testing.assert_allclose(difference[1:], (low - other_high, high - other_low))


def test_deals_and_precision_are_played_as_given():
    found = compared("base", TURNED, deals=60)
    assert (found.study.deals, "precision" in found.tables) == (60, False)
    figures = compared("base", TURNED, precision=8).tables["precision"]["figure"]
    assert set(figures) == {"win_share", "win_share_difference"}


@pytest.mark.nightly
def test_sixty_studies_of_nothing_and_sixty_of_two_points():
    def claims(found):
        table = found.tables["precision"]
        return ((table["low"] > 0) | (table["high"] < 0)).any()

    assert sum(claims(compared("base", TURNED, seed=seed)) for seed in range(60)) <= 6  # 3 expected at most
    assert all(claims(compared(FINE, AHEAD, seed=seed)) for seed in range(60))


def test_slow_agents_have_fewer_deals():
    keys = {"game": "strozzi", "players": [4], "variants": ["base", "long-tracks"]}
    agents = ("heuristic", "learned", "learned:beyond=2,redraws=32", "ismcts")
    deals = [CompareVariants.until_decided(0.01, {**keys, "lineups": [[agent]]})["deals"] for agent in agents]
    assert deals == [50_000, 7500, 300, 300]


def test_a_precision_of_nothing_is_refused():
    with pytest.raises(ArgumentError, match=r"^precision: must be between 0\.01 and 25, got 0; leave it out"):
        ss.simulate("strozzi", players=3, agents="random", precision=0)
    complete = ss.Study.of(game="strozzi", deals=10, lineups=[["random"]])
    assert study_of(json.loads(complete.json))[0].hash == complete.hash
