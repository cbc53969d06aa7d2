"""Strozzi (Reiner Knizia, 2008), 3-6 players."""

from strozzi_sim.game.contract import Game

GAME = Game(
    __name__,
    title="Strozzi",
    behaviour=2,
    tiers={
        "weak": "learned:level=3",
        "usual": "heuristic",
        "trained": "learned",
        "strong": "learned:beyond=2,redraws=32",
    },
)
