"""The games: one folder each, with the same files; `load_game` finds one by name."""

from functools import cache
from importlib import import_module

from strozzi_sim.errors import InputError, known_names, shown
from strozzi_sim.games.contract import Game

GAME_NAMES = ("strozzi", "medici_vs_strozzi")


@cache
def load_game(name: str) -> Game:
    """The game called `name`.

    Raises:
        InputError: there is none; lists the games there are.
    """
    if name not in GAME_NAMES:
        raise InputError(f"unknown game {shown(name)}; {known_names(name, GAME_NAMES)}")
    game = import_module(f"strozzi_sim.games.{name}").GAME
    assert isinstance(game, Game)
    return game
