"""An agent for the game."""

from strozzi_sim.agent import compiled_agent
from strozzi_sim.game.contract import count_legal, kth_legal


@compiled_agent(name="highest", games=("template",))
def highest(state, rules, params, memory, rng):
    """Takes the token of the highest value."""
    return kth_legal(state, rules, count_legal(state, rules) - 1)
