"""Medici vs Strozzi (Reiner Knizia, 2006), 2 players."""

from strozzi_sim.game.contract import Game
from strozzi_sim.games.medici_vs_strozzi.state import JOURNAL_ROWS, PLAYER_COUNTS, RULES, STATE

GAME = Game(
    name="medici_vs_strozzi",
    package=__name__,
    title="Medici vs Strozzi",
    player_counts=PLAYER_COUNTS,
    behaviour=2,
    state=STATE,
    rules=RULES,
    journal_rows=JOURNAL_ROWS,
    beliefs=("cash",),
    tiers={"weak": "random", "middle": "fair-price", "learned": "learned", "search": "learned:beyond=3,redraws=40"},
)
