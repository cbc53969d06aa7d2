"""The agent `random`, which plays legal actions with equal probability in every game."""

from strozzi_sim.agent import compiled_agent
from strozzi_sim.game.contract import count_legal, kth_legal
from strozzi_sim.kernel.streams import randbelow


@compiled_agent(name="random", stochastic=True, blind=True)
def uniform(state, rules, params, memory, rng):
    """Plays any legal action with equal probability."""
    return kth_legal(state, rules, randbelow(rng, count_legal(state, rules)))
