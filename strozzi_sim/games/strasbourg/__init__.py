"""Strasbourg (Stefan Feld, 2011), 3-5 players."""

from strozzi_sim.game.contract import Game
from strozzi_sim.games.strasbourg.state import (
    CARD_SOURCE,
    EDIFICE_SOURCE,
    JOURNAL_ROWS,
    PLAYER_COUNTS,
    ROUND_SOURCE,
    RULES,
    STATE,
    TASK_SOURCE,
)

GAME = Game(
    name="strasbourg",
    package=__name__,
    title="Strasbourg",
    player_counts=PLAYER_COUNTS,
    behaviour=2,
    state=STATE,
    rules=RULES,
    journal_rows=JOURNAL_ROWS,
    beliefs=("stacks", "deck", "kept", "coins", "goods", "privileges"),
    tiers={"weak": "random", "middle": "heuristic", "search": "learned"},
    deals_per_search=100,
    chance={
        "round cards": (ROUND_SOURCE,),
        "edifices": (EDIFICE_SOURCE,),
        "tasks": (TASK_SOURCE,),
        "influence cards": range(CARD_SOURCE, CARD_SOURCE + PLAYER_COUNTS[-1]),
    },
)
