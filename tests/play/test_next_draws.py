"""What could have come: every outcome of a draw once, the one that came among them, judged by an agent."""

import pytest

from strozzi_sim.agent import load_agent
from strozzi_sim.play.judging import outcomes_of_game
from strozzi_sim.play.position import Position
from strozzi_sim.table.plain import table_of

pytestmark = pytest.mark.slow

CHOSEN = ("pass", "pass", "plus_one", "pass", "pass", "venice")


@pytest.fixture(scope="module")
def game():
    """The actions up to the second ship, and the third one's outcomes."""
    position = Position("strozzi", 3, seed=7)
    for name in CHOSEN:
        if name in position.names:
            position.play(name)
    return position


@pytest.fixture(scope="module")
def outcomes(game):
    namer = table_of(game.game, game.record()[0])
    return outcomes_of_game(Position("strozzi", 3, seed=7), game.actions, load_agent("learned", game.game), namer)


def test_every_outcome_is_there_once_and_the_one_that_came_is_marked(game, outcomes):
    assert outcomes
    position, namer = Position("strozzi", 3, seed=7), table_of(game.game, game.record()[0])
    for number, action in enumerate(game.actions, 1):
        unseen = len(position.view().unseen_ships)
        ship = position.view().ship
        position.play(action)
        found = outcomes.get(number)
        turned_over = position.view().ship != ship
        assert (found is not None) == turned_over, number
        if found is None:
            continue
        assert sum(each.ways for each in found) == unseen
        assert len({each.name for each in found}) == len(found)
        (came,) = (each for each in found if each.came)
        assert came.name == namer.next_name(position.view())


def test_shares_are_shares_and_differ_between_outcomes(outcomes):
    for found in outcomes.values():
        for each in found:
            assert each.win.sum() == pytest.approx(1, abs=1e-6)
            assert each.half_width >= 0
        assert len({tuple(each.win.round(4)) for each in found}) > len(found) // 2


def test_a_game_that_names_no_draws_has_no_outcomes(game):
    class Nameless:
        def next_name(self, seen):
            return ""

        def next_given(self, seen):
            return ()

    judge = load_agent("learned", game.game)
    assert outcomes_of_game(Position("strozzi", 3, seed=7), game.actions, judge, Nameless()) == {}
