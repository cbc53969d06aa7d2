"""Strozzi (Reiner Knizia, 2008), 3-6 players."""

from strozzi_sim.game.contract import Game
from strozzi_sim.games.strozzi.state import JOURNAL_ROWS, PLAYER_COUNTS, RULES, STATE

GAME = Game(
    name="strozzi",
    package=__name__,
    title="Strozzi",
    player_counts=PLAYER_COUNTS,
    behaviour=2,
    state=STATE,
    rules=RULES,
    journal_rows=JOURNAL_ROWS,
    tiers={
        "weak": "learned:level=3",
        "middle": "heuristic",
        "learned": "learned",
        "search": "learned:beyond=2,redraws=32",
    },
)
