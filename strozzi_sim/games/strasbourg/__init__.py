"""Strasbourg (Stefan Feld, 2011), 3-5 players."""

from strozzi_sim.game.contract import Game

GAME = Game(
    __name__,
    title="Strasbourg",
    behaviour=2,
    beliefs=("stacks", "deck", "kept", "coins", "goods", "privileges"),
    tiers={"weak": "random", "usual": "heuristic", "strong": "learned"},
    deals_per_search=100,
)
