"""Strozzi (Reiner Knizia, 2008), 3-6 players."""

from strozzi_sim.game.contract import Game
from strozzi_sim.game.tiers import TierNote

GAME = Game(
    __name__,
    title="Strozzi",
    score_unit="coin",
    behaviour=2,
    tiers={
        "weak": "learned:level=3",
        "usual": "heuristic",
        "trained": "learned",
        "strong": "learned:beyond=4,redraws=16",
    },
    tier_notes={
        "weak": TierNote(
            "errs on purpose",
            "The trained player at level 3 of 10",
            "it errs on purpose, by about 3 coins a decision",
            wins=0.012,
            games=4000,
            players=4,
        ),
        "usual": TierNote(
            "plays by rules of thumb",
            "Rules of thumb, which weigh what a ship, its cargo and a tile bring now against later uses of the flag",
            "it neither looks ahead nor guesses plans of rivals, and loses about 0.7 coins a decision",
        ),
        "trained": TierNote(
            "learned from millions of games",
            "It values positions by what it learned from millions of games",
            "it looks no further than the next ship",
            wins=0.471,
            games=4000,
            players=4,
        ),
        "strong": TierNote(
            "the trained player, looking four ships ahead",
            "The trained player, which also plays four ships on, 16 times for each choice",
            "it judges what comes after them by the same values",
            wins=0.544,
            games=4000,
            players=4,
        ),
    },
)
