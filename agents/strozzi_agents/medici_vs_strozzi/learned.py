"""The agent `learned` of Medici vs Strozzi."""

from pathlib import Path

from strozzi_agents.learned.learned import learned_agent
from strozzi_agents.medici_vs_strozzi.features import COMMON, GUIDE, OWN
from strozzi_agents.medici_vs_strozzi.plans import PLANS
from strozzi_sim.agent import Plan

learned = learned_agent(
    "medici_vs_strozzi",
    GUIDE,
    (COMMON, OWN),
    (2,),
    Path(__file__).with_name("values.npz"),
    "Prices and loads lots by values, learned from many games, of positions at the start of the next turn.",
    Plan.of(PLANS, (5.0, 15.0)),
)
