"""Goofspiel, the game of pure strategy, for 3 players."""

from strozzi_sim.game.contract import Game

GAME = Game(
    __name__,
    title="Goofspiel",
    tiers={"weak": "random", "middle": "face-value", "search": "ismcts:iterations=100"},
)
