"""Strasbourg (Stefan Feld, 2011), 3-5 players."""

from strozzi_sim.game.contract import Game
from strozzi_sim.games.strasbourg.state import JOURNAL_ROWS, PLAYER_COUNTS, RULES, STATE

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
)
