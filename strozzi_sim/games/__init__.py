"""The games: one folder each, with the same files in each."""

import sys
from types import ModuleType

from strozzi_sim.game import game_names


class _Games(ModuleType):
    """This module, callable: `strozzi_sim.games()` is a public function and stays one once this module is imported."""

    def __call__(self) -> list[str]:
        """Return the names of all installed games."""
        return game_names()


sys.modules[__name__].__class__ = _Games
