"""The agent `learned` of Strozzi."""

from pathlib import Path

import numpy as np

from strozzi_agents.learned.learned import learned_agent
from strozzi_agents.learned.verbs import level_temperature
from strozzi_agents.strozzi.features import COMMON, GUIDE, OWN
from strozzi_sim.games.strozzi.state import STATE
from strozzi_sim.kernel.jit import jit, register_overload

# [players - 3, level] points, set by `python benchmarks/learned.py levels`.
_TEMPERATURES = np.array([
    [45.2, 31.4, 22.7, 17.8, 14.1, 11.5, 9.25, 7.82, 6.19, 4.45, 0.0],
    [33.8, 24.1, 19.1, 15.9, 13.3, 10.9, 9.07, 7.51, 5.88, 3.86, 0.0],
    [33.8, 24.1, 19.1, 15.9, 13.3, 10.9, 9.07, 7.51, 5.88, 3.86, 0.0],
    [33.8, 24.1, 19.1, 15.9, 13.3, 10.9, 9.07, 7.51, 5.88, 3.86, 0.0],
])  # fmt: skip
# Points that each level loses a choice, by player count: `python benchmarks/levels.py rates`.
_ERROR_RATES = {4: (5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0)}


@jit
def _level_temperature(state, level):
    return _TEMPERATURES[state.players - 3, level]


register_overload(level_temperature, STATE, _level_temperature)

learned = learned_agent(
    "strozzi",
    GUIDE,
    (COMMON, OWN),
    (3, 4, 5, 6),
    Path(__file__).with_name("values.npz"),
    "Looks up, for each action, what it learned from millions of games about the next card's moment.",
    error_rates=_ERROR_RATES,
)
