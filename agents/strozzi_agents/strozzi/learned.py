"""The agent `learned` of Strozzi."""

from pathlib import Path

import numpy as np

from strozzi_agents.learned.learned import learned_agent
from strozzi_agents.learned.verbs import level_temperature, value_error
from strozzi_agents.strozzi.features import COMMON, GUIDE, OWN
from strozzi_agents.strozzi.plans import PLANS
from strozzi_sim.agent import Plan
from strozzi_sim.games.strozzi.state import STATE
from strozzi_sim.kernel.jit import jit, register_overload

# [players - 3, level] temperature in points, from `python benchmarks/levels.py calibrate strozzi`.
_TEMPERATURES = np.array([
    [45.2, 31.4, 22.7, 17.8, 14.1, 11.5, 9.25, 7.82, 6.19, 4.45, 0.0],
    [33.8, 24.1, 19.1, 15.9, 13.3, 10.9, 9.07, 7.51, 5.88, 3.86, 0.0],
    [29.5, 22.6, 17.7, 14.3, 11.8, 9.88, 8.22, 6.57, 5.09, 3.59, 0.0],
    [25.2, 19.6, 16.0, 13.4, 11.0, 9.09, 7.47, 6.07, 4.9, 3.59, 0.0],
])  # fmt: skip
# Mean points that each level loses per decision, by player count, from `python benchmarks/levels.py rates strozzi`.
_ERROR_RATES = {
    3: (5.68, 5.25, 4.06, 3.52, 3.11, 2.49, 1.89, 1.55, 1.21, 0.739, 0.15),
    4: (5.1, 4.41, 3.7, 3.2, 2.64, 2.19, 1.88, 1.43, 1.02, 0.517, 0.0886),
    5: (4.99, 4.39, 3.75, 3.3, 2.66, 2.25, 1.8, 1.35, 0.929, 0.546, 0.0702),
    6: (4.78, 3.93, 3.42, 2.89, 2.45, 1.95, 1.46, 1.09, 0.856, 0.57, 0.0763),
}
# [players - 3] points, from `python benchmarks/regret.py strozzi --fit`.
_VALUE_ERRORS = np.array([7.0, 5.9, 6.1, 6.4])


@jit
def _level_temperature(state, level):
    return _TEMPERATURES[state.players - 3, level]


@jit
def _value_error(state):
    return _VALUE_ERRORS[state.players - 3]


register_overload(level_temperature, STATE, _level_temperature)
register_overload(value_error, STATE, _value_error)

learned = learned_agent(
    "strozzi",
    GUIDE,
    (COMMON, OWN),
    (3, 4, 5, 6),
    Path(__file__).with_name("values.npz"),
    "Plays the action whose position at the next card has the best value, learned from millions of games.",
    Plan.of(PLANS, (5.0, 15.0)),
    error_rates=_ERROR_RATES,
    looks_ahead=True,
)
