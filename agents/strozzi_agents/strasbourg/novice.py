"""The evaluator of Strasbourg with slips: a weak player whose plans make sense."""

from strozzi_agents.strasbourg.heuristic import PARAMS, decide
from strozzi_agents.strasbourg.worth import MEMORY
from strozzi_sim.agent import Param, compiled_agent
from strozzi_sim.game.contract import count_legal, kth_legal
from strozzi_sim.kernel.streams import randbelow

_PARTS = 1 << 30  # of a probability


@compiled_agent(
    name="novice",
    games=("strasbourg",),
    stochastic=True,
    memory=MEMORY,
    slips=Param(0.1, 0.0, 1.0, "probability of a random move instead, at each decision", label="share of slips"),
    **PARAMS,
)
def novice(state, rules, params, memory, rng):
    """Plays as `heuristic`, but some of its moves are random."""
    if randbelow(rng, _PARTS) < params.slips * _PARTS:
        return kth_legal(state, rules, randbelow(rng, count_legal(state, rules)))
    return decide(state, rules, params, memory)
