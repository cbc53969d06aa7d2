"""A game for 2 to 4 players: take turns to take a token; the highest sum wins.

The tokens are drawn from a sack, and some are face up. In a turn the acting seat takes one of these, and scores its
value. A new token from the sack replaces it. The game ends after each seat's last turn, or when no token is face up.
"""

from strozzi_sim.game.contract import Game

GAME = Game(__name__, title="Template", tiers={"weak": "random", "usual": "highest"})
