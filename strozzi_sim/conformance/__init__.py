"""Tests of the game and agent contracts, for built-in and third-party code: `check_game`, `check_agent`.

Both raise ContractViolation at the first broken promise, with the deal and the actions to reproduce it.
"""

from strozzi_sim.conformance.agent import check_agent
from strozzi_sim.conformance.checked import GameCheck
from strozzi_sim.conformance.game import PROMISES, check_game
from strozzi_sim.errors import ContractViolation

__all__ = ["PROMISES", "ContractViolation", "GameCheck", "check_agent", "check_game"]
