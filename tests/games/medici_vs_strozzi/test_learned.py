"""The learned values of Medici vs Strozzi: features, training, and the agent that plays by them."""

import numpy as np
import pytest

from learned_features import assert_worth_adds_up_and_is_exact_in_the_end, assert_written_and_small, describer
from medici_games import BASE, MEDICI_VS_STROZZI
from strozzi_agents.learned.train import Stage, Trainer
from strozzi_agents.medici_vs_strozzi import features
from strozzi_agents.medici_vs_strozzi.features import FEATURES
from strozzi_sim.agent import load_agent
from strozzi_sim.games.medici_vs_strozzi.state import REVEAL
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

FAIR, LEARNED = (load_agent(name, MEDICI_VS_STROZZI) for name in ("fair-price", "learned"))


@pytest.fixture(scope="module")
def described():
    return describer(MEDICI_VS_STROZZI, features, BASE)


def quiet_position(moves):
    """A position at which a turn has just begun."""
    table = Position(MEDICI_VS_STROZZI, 2, seed=1, deal=0)
    for _ in range(moves):
        table.play(table.ask(FAIR))
    while table.state[0]["phase"] != REVEAL or table.state[0]["shown"] != 1:
        table.play(table.ask(FAIR))
    return table


@pytest.mark.parametrize("moves", [0, 30, 90])
def test_every_feature_is_written_and_small(described, moves):
    assert_written_and_small(described(quiet_position(moves).state.copy()), 20)


def test_features_do_not_depend_on_the_tile_shown_or_the_order_of_the_bag(described):
    state = quiet_position(40).state.copy()
    other, unseen = state.copy(), int(state["unseen"][0])
    other["lot"][0, 0], other["unseen_tile"][0, 0] = state["unseen_tile"][0, 0], state["lot"][0, 0]
    other["unseen_tile"][0, 1:unseen] = other["unseen_tile"][0, 1:unseen][::-1].copy()
    np.testing.assert_allclose(described(other), described(state), atol=1e-6)


def test_dye_and_spice_may_be_exchanged(described):
    state = quiet_position(40).state.copy()
    turned, kinds = state.copy(), BASE.rules["tile_type"][0, :26]
    for name in ("steps", "position"):
        turned[name][0][..., [0, 1]] = state[name][0][..., [1, 0]]
    same = {tile: tile for tile in range(26)}  # the two types have tiles of the same values in the same order
    for one, other in zip(np.flatnonzero(kinds == 0), np.flatnonzero(kinds == 1), strict=True):
        same[int(one)], same[int(other)] = int(other), int(one)
    turned["unseen_tile"][0] = [same.get(int(tile), int(tile)) for tile in state["unseen_tile"][0]]
    turned["lot"][0, 0] = same[int(state["lot"][0, 0])]
    before = described(state)
    np.testing.assert_allclose(described(turned)[FEATURES.order(2, 1)], before, atol=1e-6)
    assert FEATURES.symmetries == 2


@pytest.mark.slow
def test_most_games_keep_a_quiet_position():
    games = Trainer("medici_vs_strozzi", 2, seed=7).play(0, 200, Stage(1), None, 150)
    assert (games["kept"] == 1).mean() > 0.9


@pytest.mark.slow
def test_it_wins_more_than_its_guide():
    played = Match(MEDICI_VS_STROZZI, 2, (LEARNED, FAIR), BASE, 11, "rotate").play(0, 100)
    assert played.outcome["wins"][0, 0].sum() / 60 / 200 > 0.75  # 0.5 is an equal share, the standard error 0.035


@pytest.mark.slow
def test_its_worth_is_exact_in_the_end_and_adds_up_before():
    assert_worth_adds_up_and_is_exact_in_the_end(LEARNED, quiet_position(100), FAIR, lambda own: own["cash"])


@pytest.mark.slow
@pytest.mark.parametrize("restriction", ["~lot:above-1", "~buy:any"])
def test_it_keeps_to_restrictions(restriction):
    restricted = load_agent(f"learned{restriction}", MEDICI_VS_STROZZI)
    played = Match(MEDICI_VS_STROZZI, 2, (restricted, FAIR), BASE, 1).play(0, 10)
    assert played.outcome["games"] == 10
