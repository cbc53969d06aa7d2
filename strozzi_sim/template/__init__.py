"""A game for 2 to 4 players: take turns to take a token; the highest sum wins.

The tokens are drawn from a sack, and some are face up. In a turn the acting seat takes one of these, and scores its value.
A new token from the sack replaces it. The game ends after each seat's last turn, or when no token is face up.
"""

from strozzi_sim.game.contract import Game
from strozzi_sim.template.state import JOURNAL_ROWS, PLAYER_COUNTS, RULES, STATE

GAME = Game(
    name="template",
    package=__name__,
    title="Template",
    player_counts=PLAYER_COUNTS,
    state=STATE,
    rules=RULES,
    journal_rows=JOURNAL_ROWS,
    tiers={"weak": "random", "middle": "highest"},
)
