"""Medici vs Strozzi (Reiner Knizia, 2006), 2 players."""

from strozzi_sim.game.contract import Game

GAME = Game(
    __name__,
    title="Medici vs Strozzi",
    behaviour=2,
    beliefs=("cash",),
    tiers={"weak": "random", "usual": "fair-price", "trained": "learned", "strong": "learned:beyond=3,redraws=40"},
)
