"""Tests of the game and agent contracts, for built-in and third-party code: `check_game`, `check_agent`.

Both raise ContractViolation at the first broken promise; `check_agent` raises AgentFault for an agent that fails or
chooses an illegal action. `game_checks` and `agent_checks` return the same checks as parameters of a pytest test.
"""

from strozzi_sim.conformance.agent import check_agent
from strozzi_sim.conformance.checked import GameCheck
from strozzi_sim.conformance.game import PROMISES, check_game
from strozzi_sim.conformance.parametrize import agent_checks, game_checks
from strozzi_sim.errors import ContractViolation

__all__ = ["PROMISES", "ContractViolation", "GameCheck", "agent_checks", "check_agent", "check_game", "game_checks"]
