"""The agent `learned` of Medici vs Strozzi."""

from pathlib import Path

import numpy as np

from strozzi_agents.learned.learned import learned_agent
from strozzi_agents.learned.verbs import level_temperature
from strozzi_agents.medici_vs_strozzi.features import COMMON, GUIDE, OWN
from strozzi_agents.medici_vs_strozzi.plans import PLANS
from strozzi_sim.agent import Plan
from strozzi_sim.games.medici_vs_strozzi.state import STATE
from strozzi_sim.kernel.jit import jit, register_overload

# [level] temperature in points, from `python benchmarks/levels.py calibrate medici_vs_strozzi --players 2`.
_TEMPERATURES = np.array([2.31, 2.1, 1.89, 1.7, 1.52, 1.36, 1.2, 0.982, 0.796, 0.514, 0.0])
# Mean points that each level loses per decision: `python benchmarks/levels.py rates medici_vs_strozzi --players 2`.
_ERROR_RATES = {2: (1.83, 1.68, 1.61, 1.45, 1.32, 1.29, 1.21, 1.17, 1.06, 0.966, 0.912)}


@jit
def _level_temperature(state, level):
    return _TEMPERATURES[level]


register_overload(level_temperature, STATE, _level_temperature)

learned = learned_agent(
    "medici_vs_strozzi",
    GUIDE,
    (COMMON, OWN),
    (2,),
    Path(__file__).with_name("values.npz"),
    "Prices and loads lots by values, learned from many games, of positions at the start of the next turn.",
    Plan.of(PLANS, (5.0, 15.0)),
    error_rates=_ERROR_RATES,
)
