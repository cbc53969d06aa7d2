"""Strasbourg (Stefan Feld, 2011), 3-5 players."""

from strozzi_sim.game.contract import Game
from strozzi_sim.game.tiers import TierNote

GAME = Game(
    __name__,
    title="Strasbourg",
    behaviour=2,
    beliefs=("stacks", "deck", "kept", "coins", "goods", "privileges"),
    tiers={"weak": "novice", "usual": "heuristic", "trained": "learned:redraws=4", "strong": "learned"},
    tier_notes={
        "weak": TierNote(
            "the usual player, with one random move in ten",
            "The usual player, one in ten of whose moves is random",
            "its slips spoil its own plans",
            wins=0.075,
            games=4000,
            players=4,
        ),
        "usual": TierNote(
            "plays by rules of thumb",
            "Rules of thumb, which spend influence where they expect most points from spaces, tasks, chairs and coins",
            "it does not try its plans out",
        ),
        "trained": TierNote(
            "learned from 180,000 games, and tries its plans out",
            "It plays each plan on to the next round, 4 times, and values the result by what 180,000 games taught",
            "it takes its rivals for usual players",
            wins=0.547,
            games=4000,
            players=4,
        ),
        "strong": TierNote(
            "the trained player, trying more plans out",
            "The trained player, which plays its plans on up to 16 times each",
            "it takes its rivals for usual players",
            wins=0.625,
            games=4000,
            players=4,
        ),
    },
    deals_per_search=100,
)
