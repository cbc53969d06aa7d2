"""The game and its agent keep their contracts: a test for each promise and player count."""

import pytest
from goofspiel import GAME

from strozzi_sim.conformance import agent_checks, game_checks


@pytest.mark.parametrize("check", game_checks(GAME))
def test_game(check):
    """Check a promise of the game."""
    check()


@pytest.mark.parametrize("check", agent_checks(["face-value"], GAME))
def test_agent(check):
    """Check a promise of its agent."""
    check()
