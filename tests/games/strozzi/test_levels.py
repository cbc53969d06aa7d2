"""Levels of `learned`: how worse actions are chosen, the order of the levels, and the level that an analysis gives a player."""

import itertools

import numpy as np
import pytest
from numba import types

from strozzi_agents.learned.learned import LEVELS, _sample_action
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.record_types import record_type
from strozzi_sim.kernel.streams import RANDOM
from strozzi_sim.play.analyse import GameAnalysis, level_words
from strozzi_sim.play.judged import JudgedDecision
from strozzi_sim.simulation.match import Match

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def choose():
    def call(worth, temperature, rng, counts):
        kept = worth.copy()
        for _ in range(10_000):
            for k in range(len(worth)):
                worth[k] = kept[k]
            counts[_sample_action(worth, len(worth), temperature, rng)] += 1

    signature = types.void(types.float64[::1], types.float64, record_type(RANDOM), types.int64[::1])
    return entry(jit(call), signature, "strozzi")


@pytest.mark.parametrize("temperature", [0.0, 0.5, 3.0, 1e6])
def test_actions_are_chosen_in_proportion_to_the_exponential_of_their_worth(choose, temperature):
    worth, counts = np.array([3.0, 5.0, 5.0, -2.0]), np.zeros(4, np.int64)
    choose(worth.copy(), temperature, np.zeros(1, RANDOM)[0], counts)
    if temperature == 0:
        assert counts.tolist() == [0, 10_000, 0, 0]
        return
    expected = np.exp((worth - 5) / temperature)
    expected *= 10_000 / expected.sum()
    assert (np.abs(counts - expected) <= 4 * np.sqrt(expected) + 1).all()


def ahead(first, second, players=4, deals=120):
    """The share of pairs of seats in which the first agent has the better place."""
    lineup = tuple(load_agent((first, second)[seat % 2], STROZZI) for seat in range(players))
    rows = Match(STROZZI, players, lineup, BASE, 3, "rotate").play(0, deals, rows=True).rows
    places, who = (rows[name].reshape(-1, players) for name in ("twice_place", "position"))
    pairs = (who[:, :, None] % 2 == 0) & (who[:, None, :] % 2 == 1)
    better = np.sign(places[:, None, :] - places[:, :, None]) / 2 + 0.5
    return better[pairs].mean()


@pytest.mark.slow
@pytest.mark.nightly_for("4", "5", "6")
@pytest.mark.parametrize("players", STROZZI.player_counts)
def test_every_three_levels_are_far_ahead(players):
    """Each level is ahead of the one below it in 0.6 of all pairs, so three in about 0.77."""
    for level in (3, 6, 9):
        assert 0.66 < ahead(f"learned:level={level}", f"learned:level={level - 3}", players) < 0.88


def test_the_highest_level_is_the_agent_itself():
    rows = [
        Match(STROZZI, 3, (load_agent(text, STROZZI),) * 3, BASE, 2).play(0, 4, rows=True).rows
        for text in ("learned", f"learned:level={LEVELS}")
    ]
    assert rows[0].tobytes() == rows[1].tobytes()


def judged(losses, rates):
    """An analysis with these losses of seat 1."""
    effect = np.zeros((2, 3))
    nothing = np.zeros((2, 3))
    decisions = []
    for number, loss in enumerate(losses, 1):
        effect = nothing.copy()
        effect[1, 1] = -loss
        decisions.append(JudgedDecision(number, 1, 1, "?", "a", "b", nothing, effect, nothing, nothing, is_choice=True))
    return GameAnalysis("judge", 1, nothing, nothing, tuple(decisions), nothing, rates)


def test_a_level_is_read_from_the_error_rate_and_its_interval():
    rates = (4.0, 2.0, 1.0, 0.0)
    level, low, high = judged([0.5, 1.5, 1.0, 1.0], rates).level(1)
    assert level == 2
    assert 1 < low < 2 < high < 3
    assert level_words((level, low, high)) == f"2.0 ({low:.1f} to {high:.1f})"
    assert judged([0.0] * 5, rates).level(1) == (3, 3, 3)
    assert level_words(judged([9.0] * 5, rates).level(1)) == "below 0"
    assert judged([1.0], rates).level(1) is None
    assert judged([1.0, 2.0], ()).level(1) is None


@pytest.mark.parametrize("players", STROZZI.player_counts)
def test_weaker_levels_lose_more(players):
    rates = load_agent("learned", STROZZI).agent.error_rates[players]
    assert len(rates) == LEVELS + 1
    assert all(low < high for high, low in itertools.pairwise(rates))
