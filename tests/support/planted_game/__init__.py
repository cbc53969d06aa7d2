"""A game of dice for 2 to 4 players whose data plant a truth: for tests and `benchmarks/planted.py`.

In a turn a seat picks the left or the right die, which are rolled alike, and scores its pips. As the data are, all seats are
exactly equal, no choice matters, and nobody leads before the dice do. Each section of components.toml breaks one of these.
"""

from strozzi_sim.game.contract import Game

GAME = Game(__name__, title="Planted", name="planted", tiers={"weak": "random"})
