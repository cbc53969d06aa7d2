"""Nash averaging: known equilibria, copies that change nothing, and the table of a two-player tournament."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import strozzi_sim as ss
from strozzi_sim.game import load_game
from strozzi_sim.stats.ratings import equilibrium, nash_average

CIRCLE = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]) / 4  # rock, paper, scissors


def with_copies(payoff, agents):
    return payoff[np.ix_(agents, agents)]


def blocks(*squares):
    size = sum(len(square) for square in squares)
    payoff, place = np.zeros((size, size)), 0
    for square in squares:
        payoff[place : place + len(square), place : place + len(square)] = square
        place += len(square)
    return payoff


@pytest.mark.parametrize(
    ("payoff", "weights"),
    [
        (CIRCLE, [1 / 3] * 3),
        # the weight of each is what the other two play for (Balduzzi et al., example of a biased circle)
        (np.array([[0, 0.3, -0.1], [-0.3, 0, 0.2], [0.1, -0.2, 0]]), [1 / 3, 1 / 6, 1 / 2]),
        (np.array([[0, 0.3, 0.2], [-0.3, 0, 0.1], [-0.2, -0.1, 0]]), [1, 0, 0]),  # one dominates
        (np.zeros((1, 1)), [1]),
        (np.zeros((4, 4)), [1 / 4] * 4),
        (with_copies(CIRCLE, [0, 0, 1, 2, 2, 2]), [1 / 6, 1 / 6, 1 / 3, 1 / 9, 1 / 9, 1 / 9]),
    ],
)
def test_known_equilibria(payoff, weights):
    assert equilibrium(payoff) == pytest.approx(weights)


@pytest.mark.parametrize(
    "payoff", [blocks(CIRCLE, np.zeros((1, 1))), blocks(CIRCLE, CIRCLE / 3)], ids=["circle-and-one", "circles"]
)
def test_of_many_equilibria_none_is_chosen(payoff):
    with pytest.raises(ArithmeticError, match="more than one mixture"):
        equilibrium(payoff)


@st.composite
def tournaments(draw):
    size = draw(st.integers(2, 9))
    upper = draw(st.lists(st.integers(-50, 50), min_size=size * size, max_size=size * size))
    payoff = np.triu(np.array(upper).reshape(size, size), 1) / 100
    return payoff - payoff.T


@settings(deadline=None)
@given(tournaments(), st.data())
def test_no_agent_beats_it(payoff, data):
    try:
        weight = equilibrium(payoff)
    except ArithmeticError:
        return  # there are many
    assert weight.sum() == pytest.approx(1)
    assert (weight >= 0).all()
    assert (payoff @ weight).max() < 1e-6
    order = data.draw(st.permutations(range(len(payoff))))
    assert equilibrium(with_copies(payoff, order)) == pytest.approx(weight[list(order)], abs=1e-4)


@settings(deadline=None)
@example(
    np.array([[0, 1, -24, 4, -32], [-1, 0, 3, -50, 1], [24, -3, 0, -3, 42], [-4, 50, 3, 0, -3], [32, -1, -42, 3, 0]])
    / 100
)
@given(tournaments().filter(lambda payoff: (np.abs(payoff) + np.eye(len(payoff)) > 0).all()))
def test_copies_move_no_score_of_others(payoff):
    """Where an equilibrium is unique, copying anybody leaves every score as it was."""
    try:
        weight = equilibrium(payoff)
    except ArithmeticError:
        return  # there are many
    more = with_copies(payoff, [*range(len(payoff)), 0])
    assert more @ equilibrium(more) == pytest.approx(np.append(payoff @ weight, payoff[0] @ weight), abs=2e-3)


def counts(share, games=1000, chunks=10):
    met = np.full((chunks, *share.shape), games // chunks)
    return share * met, met


def test_scores_and_intervals():
    share = CIRCLE + 0.5
    ahead, met = counts(np.pad(share, (0, 1), constant_values=0.8))
    ahead[:, 3, :3], ahead[:, 3, 3], ahead[:, :3, 3] = 20, 50, 80
    found = nash_average(ahead, met, 1000)
    assert found.weight.value == pytest.approx([1 / 3] * 3 + [0])
    assert found.score.value == pytest.approx([0.5, 0.5, 0.5, 0.2])
    assert (found.weight.n == 3000).all()
    assert (found.score.n == 3000).all(), "the fourth met each of the three that have a weight 1,000 times"
    ahead[0, 3, :3], ahead[0, :3, 3] = 30, 70
    found = nash_average(ahead, met, 1000)
    assert found.score.value[3] == pytest.approx(0.21)
    assert found.score.low[3] < 0.21 < found.score.high[3]
    assert found.score.low[0] == found.score.high[0] == pytest.approx(0.5)


def champions(draws, share, chunks=50, deals=100):
    """One agent that wins `share` of its games against a second, and all but one in 100 against a third."""
    met = np.full((chunks, 3, 3), deals // chunks)
    ahead = met / 2
    for i, j, chance in ((0, 1, share), (0, 2, 0.99), (1, 2, 0.9)):
        ahead[:, i, j] = draws.binomial(met[:, i, j], chance)
        ahead[:, j, i] = met[:, i, j] - ahead[:, i, j]
    return ahead, met


@pytest.mark.slow
def test_scores_against_one_champion_cover_and_are_shares():
    draws = np.random.Generator(np.random.PCG64(11))
    hits = np.zeros(2)
    for _ in range(60):
        found = nash_average(*champions(draws, 0.8), 100)
        hits += (found.score.low[1:] <= [0.2, 0.01]) & (found.score.high[1:] >= [0.2, 0.01])
        assert found.score.low[0] == found.score.high[0] == 0.5
        assert found.score.high[2] > 0.02
    assert (hits >= 53).all()  # of 60; with 95 % each that is missed once in 100 times


def test_no_interval_where_it_is_not_sure_who_is_best():
    found = nash_average(*champions(np.random.Generator(np.random.PCG64(2)), 0.55), 100)
    assert sorted(found.score.value)[-1] == 0.5
    assert np.isnan([found.score.low, found.score.high, found.weight.low, found.weight.high]).all()


def test_without_enough_games_or_chunks():
    ahead, met = counts(CIRCLE + 0.5, games=10)
    assert np.isnan(nash_average(ahead, met, 10).weight.value).all()
    one = nash_average(*counts(CIRCLE + 0.5, chunks=1), 1000)
    assert one.weight.value == pytest.approx([1 / 3] * 3)
    assert np.isnan(one.weight.low).all()
    met[:, 0, 1] = met[:, 1, 0] = 0
    assert nash_average(ahead, met, 10) is None


def test_the_table_of_a_tournament():
    game = load_game("medici_vs_strozzi")
    tables = ss.tournament(game, ["random", "fixed-price:value=8", "random"], players=2, deals=40, workers=1).tables
    nash = tables["nash"].set_index(["figure", "agent"])
    assert nash.loc[("weight", "fixed-price:value=8"), "value"] == 1
    assert nash.loc[("score", "fixed-price:value=8"), "value"] == 0.5
    assert list(nash.loc["weight"]["n"]) == [160] * 3
    assert nash.loc[("score", "random"), "n"] == 80, "against the one that has a weight"
    assert nash.loc[("score", "random"), "value"] == nash.loc[("score", "random #2"), "value"] < 0.2
    pairs = tables["pairwise"].set_index(["agent", "opponent"])
    won = pairs.loc[("random", "fixed-price:value=8"), "value"]
    assert nash.loc[("score", "random"), "value"] == pytest.approx(won)


def test_with_three_players_there_is_no_mixture():
    """Nobody plays a table of copies there, so choosing an agent is no game of two."""
    found = ss.tournament("strozzi", ["random", "heuristic", "greedy"], players=3, deals=4, workers=1)
    assert found.tables["nash"].empty
