"""Strozzi (Reiner Knizia, 2008), 3-6 players."""

from strozzi_sim.game.contract import Game
from strozzi_sim.games.strozzi.state import (
    JOURNAL_ROWS,
    MAX_ROUNDS,
    PLAYER_COUNTS,
    RULES,
    SHIP_SOURCE,
    STATE,
    TILE_SOURCE,
)

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
    chance={"tiles": (TILE_SOURCE,), "ships": range(SHIP_SOURCE, SHIP_SOURCE + MAX_ROUNDS)},
)
