"""The learned values of Strasbourg: features, training, and the agent that plays by them."""

import numpy as np
import pytest

from learned_features import assert_worth_adds_up_and_is_exact_in_the_end, assert_written_and_small, describer
from strasbourg_games import BASE, STRASBOURG
from strozzi_agents.strasbourg import features
from strozzi_sim.agent import load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.games.strasbourg.state import DRAW
from strozzi_sim.play.position import Position
from strozzi_sim.study.kinds.luck import usual_fields

HEURISTIC, LEARNED = (load_agent(name, STRASBOURG) for name in ("heuristic", "learned:redraws=2"))


@pytest.fixture(scope="module")
def described():
    return describer(STRASBOURG, features, BASE)


def quiet_position(number, players=4):
    """The beginning of the planning of a round."""
    table = Position(STRASBOURG, players, seed=1, deal=0)
    while table.state[0]["round"] < number or table.state[0]["phase"] != DRAW:
        table.play(table.ask(HEURISTIC))
    return table


@pytest.mark.parametrize("players", STRASBOURG.player_counts)
def test_every_feature_is_written_and_small(described, players):
    for number in (0, 2, 4):
        assert_written_and_small(described(quiet_position(number, players).state.copy()), 40)


def test_features_do_not_depend_on_which_card_was_drawn_first(described):
    state = quiet_position(2).state.copy()
    other, seat = state.copy(), int(state["actor"][0])
    card = int(state["hand"][0])
    value = next(1 << 5 * k for k in range(6) if int(state["deck"][0, seat]) >> 5 * k & 31 and 1 << 5 * k != card)
    other["hand"][0] = value
    other["deck"][0, seat] += card - value
    np.testing.assert_allclose(described(other), described(state), atol=1e-6)


@pytest.mark.slow
def test_its_worth_is_exact_in_the_end_and_adds_up_before():
    assert_worth_adds_up_and_is_exact_in_the_end(LEARNED, quiet_position(3), HEURISTIC, lambda own: own["score"][:4])


def test_with_more_than_one_sample_it_counts_as_a_search():
    """Studies then play fewer of its games, and no search asks it for actions; its values may be asked for."""
    assert load_agent("learned", STRASBOURG).searches
    assert not load_agent("learned:redraws=1", STRASBOURG).searches
    assert "learned" not in [spec.text for field in usual_fields(STRASBOURG, 4) for spec in field]
    load_agent("flat_mc:playouts=4,depth=1,evaluate=learned", STRASBOURG)
    with pytest.raises(InputError, match="rollout must be a compiled agent that does not search"):
        load_agent("flat_mc:playouts=4,rollout=learned", STRASBOURG)
