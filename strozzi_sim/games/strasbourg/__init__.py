"""Strasbourg (Stefan Feld, 2011), 3-5 players."""

from strozzi_sim.game.contract import Game
from strozzi_sim.game.tiers import TierNote

GAME = Game(
    __name__,
    title="Strasbourg",
    behaviour=2,
    beliefs=("stacks", "deck", "kept", "coins", "goods", "privileges"),
    tiers={"weak": "random", "usual": "heuristic", "strong": "learned"},
    tier_notes={
        "weak": TierNote("Any legal action, all equally likely", "it plans nothing", wins=0.0, games=4000, players=4),
        "usual": TierNote(
            "Rules of thumb, which spend influence where they expect most points from spaces, tasks, chairs and coins",
            "it does not try its plans out",
        ),
        "strong": TierNote(
            "It plays its plans on to the next round and values the result by what it learned from 180,000 games",
            "it takes its rivals for usual players",
            wins=0.704,
            games=240,
            players=4,
        ),
    },
    deals_per_search=100,
)
