"""The agent `learned` of Strozzi."""

from pathlib import Path

from strozzi_agents.learned.learned import learned_agent
from strozzi_agents.strozzi.features import COMMON, GUIDE, OWN

learned = learned_agent(
    "strozzi",
    GUIDE,
    (COMMON, OWN),
    (3, 4, 5, 6),
    Path(__file__).with_name("values.npz"),
    "Looks up, for each action, what it learned from millions of games about the next card's moment.",
)
