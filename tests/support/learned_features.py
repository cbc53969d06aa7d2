"""The features of learned values, as the compiled code of a game writes them."""

import numpy as np
import pytest
from numba import types

from machine_code import worth_of
from strozzi_agents.learned.verbs import describe
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN
from strozzi_sim.agent.compile import compile_evaluator
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


def assert_written_and_small(found, least):
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 12
    assert least < np.count_nonzero(found) < len(found)


def assert_worth_adds_up_and_is_exact_in_the_end(agent, table, guide, points_of):
    """`guide` plays the game from this position to its end."""
    evaluator = compile_evaluator(agent, table.game)
    worth = worth_of(evaluator, table)
    assert worth[:, WIN].sum() == pytest.approx(1)
    assert worth[:, LEAD].sum() == pytest.approx(0, abs=1e-6)
    while not table.over:
        table.play(table.ask(guide))
    worth, points = worth_of(evaluator, table), points_of(table.state[0]).astype(float)
    assert (worth[:, SCORE] == points).all()
    np.testing.assert_allclose(worth[:, LEAD], points - (points.sum() - points) / (len(points) - 1))
    assert worth[:, WIN].tolist() == [(place == 1) + (1 < place < 2) / 2 for place in table.places]
