"""The check of records: replay in the reference game."""

from goofspiel.reference import Game
from strozzi_sim.game.record_checking import Drawn, replayer


def prizes(components):
    """Return all prizes."""
    return list(range(1, components["deck"]["cards"] + 1))


REPLAY = replayer(Game, [Drawn("prizes", "prize", "prize", prizes)], {"bid": "card"})
check_game, replay_game = REPLAY.check_game, REPLAY.replay_game
