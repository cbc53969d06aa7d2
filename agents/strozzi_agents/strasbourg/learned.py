"""The agent `learned` of Strasbourg."""

from pathlib import Path

from strozzi_agents.learned.learned import learned_agent
from strozzi_agents.strasbourg.features import COMMON, GUIDE, OWN
from strozzi_agents.strasbourg.plans import PLANS
from strozzi_sim.agent import Plan

learned = learned_agent(
    "strasbourg",
    GUIDE,
    (COMMON, OWN),
    (3, 4, 5),
    Path(__file__).with_name("values.npz"),
    "Plays each option of `heuristic` to the next round and chooses by values learned from many games.",
    Plan.of(PLANS, (1.0, 3.0)),
    redraws=16,
)
