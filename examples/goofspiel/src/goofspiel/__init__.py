"""Goofspiel, the game of pure strategy, for 3 players."""

from strozzi_sim.game.contract import Game

GAME = Game(
    __name__,
    title="Goofspiel",
    tiers={"weak": "random", "usual": "face-value", "strong": "ismcts:iterations=100"},
)
