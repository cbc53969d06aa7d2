"""The features of learned values, as the compiled code of a game writes them."""

import numpy as np
from numba import types

from strozzi_agents.learned.verbs import describe
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.record_types import exact_copy, record_type


def describer(game, features, base):
    """Return a function of a state, array of shape (1,), and of rules if they are not those of `base`, that returns the features.

    Args:
        game: the game.
        features: its module of features in strozzi_agents.
        base: variant whose rules are usual.
    """

    def call(state, rules, guide, out):
        describe(state, rules, guide, out)

    game.register()
    records = (record_type(dtype) for dtype in (game.state, game.rules, features.GUIDE))
    kernel = entry(jit(call), types.void(*records, types.float32[::1]), game.name)

    def described(state, rules=base.rules):
        players = int(state["players"][0]) if "players" in state.dtype.names else 2
        out = np.full(features.COMMON + players * features.OWN, np.nan, np.float32)
        kernel(state[0], exact_copy(rules)[0], np.zeros(1, features.GUIDE)[0], out)
        return out

    return described
