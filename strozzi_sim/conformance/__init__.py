"""What a game or an agent must keep, for ours and anybody's: `check_game`, `check_agent`.

Both raise BrokenPromise at the first promise that does not hold, with the deal and the actions to see it again.
"""

from strozzi_sim.conformance.agent import check_agent
from strozzi_sim.conformance.checked import GameCheck
from strozzi_sim.conformance.game import PROMISES, check_game
from strozzi_sim.errors import BrokenPromise

__all__ = ["PROMISES", "BrokenPromise", "GameCheck", "check_agent", "check_game"]
