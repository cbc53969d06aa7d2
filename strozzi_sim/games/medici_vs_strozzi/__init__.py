"""Medici vs Strozzi (Reiner Knizia, 2006), 2 players."""

from strozzi_sim.game.contract import Game
from strozzi_sim.game.tiers import TierNote

GAME = Game(
    __name__,
    title="Medici vs Strozzi",
    score_unit="coin",
    behaviour=2,
    beliefs=("cash",),
    tiers={
        "weak": "learned:level=0",
        "usual": "fair-price",
        "trained": "learned",
        "strong": "learned:beyond=3,redraws=44",
    },
    tier_notes={
        "weak": TierNote(
            "misjudges prices on purpose",
            "The trained player at level 0 of 10",
            "it misjudges prices and loads on purpose, and loses about 2 coins a decision",
            wins=0.156,
            games=4000,
        ),
        "usual": TierNote(
            "prices lots by a formula",
            "A formula, which names the price at which it would as soon buy a lot as sell it",
            "it estimates what follows and never plays it out",
        ),
        "trained": TierNote(
            "learned prices from 700,000 games",
            "It prices lots by what it learned from 700,000 games",
            "it looks no further than the next turn",
            wins=0.944,
            games=4000,
        ),
        "strong": TierNote(
            "the trained player, looking three turns ahead",
            "The trained player, which also plays three turns on, up to 44 times for each load",
            "it judges what comes after them by the same values",
            wins=0.983,
            games=4000,
        ),
    },
)
