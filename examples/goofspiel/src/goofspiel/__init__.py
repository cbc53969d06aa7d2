"""Goofspiel, the game of pure strategy, for 3 players."""

from goofspiel.state import JOURNAL_ROWS, PLAYER_COUNTS, RULES, STATE
from strozzi_sim.game.contract import Game

GAME = Game(
    name="goofspiel",
    package=__name__,
    title="Goofspiel",
    player_counts=PLAYER_COUNTS,
    state=STATE,
    rules=RULES,
    journal_rows=JOURNAL_ROWS,
    tiers={"weak": "random", "middle": "face-value", "search": "ismcts:iterations=100"},
)
