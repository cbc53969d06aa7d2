"""The built-in games: one folder each, with the modules that `game.protocols` describes."""

import sys
from types import ModuleType

from strozzi_sim.game import game_names


class _Games(ModuleType):
    """This module's type, which makes it callable: `strozzi_sim.games` is also a public function."""

    def __call__(self) -> list[str]:
        """Return the names of all installed games."""
        return game_names()


sys.modules[__name__].__class__ = _Games
