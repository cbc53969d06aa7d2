"""Search for Strasbourg: rollouts by the evaluator compare the options that the evaluator proposes."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numba import float64, int64

from strozzi_agents.search.halving import begin_playout, begin_sweep, keep_better_half, stages_for
from strozzi_agents.search.playout import MODEL, SPREAD, UTILITY, reset_memory, reward
from strozzi_agents.strasbourg.heuristic import PARAMS, decide
from strozzi_agents.strasbourg.options import MAX_OPTIONS, divide, list_options, take_option
from strozzi_agents.strasbourg.worth import MAX_PLAN, MEMORY
from strozzi_sim.agent import Param, compiled_agent
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.game.contract import apply, conceal, is_over
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import clone, is_stopped
from strozzi_sim.kernel.streams import CHANCE, RANDOM

SEARCH_MEMORY = np.dtype([  # shape                     meaning
    ("own", MEMORY),  #                                 the evaluator's memory, for the decision
    ("other", MEMORY),  #                               the evaluator's memory, for all seats of a playout
    ("sweep", CHANCE),  #                               random source of the current sweep
    ("chance", CHANCE),  #                              random source of the current playout
    ("roll", RANDOM),  #                                set by `begin_playout`; unused: the evaluator is not random
    ("action", "i4", (MAX_OPTIONS,)),  #               [option] its action, unless divisions are compared
    ("promise", "f8", (MAX_OPTIONS,)),  #              [option] points by the evaluator, which rank the actions
    ("division", "u4", (MAX_OPTIONS, MAX_PLAN)),  #    [option, k] bag: its stacks, greatest first
    ("ranked", "i4", (MAX_OPTIONS,)),  #               [i] options; those still compared come first
    ("total", "f8", (MAX_OPTIONS,)),  #                [option] sum of rewards; of option 0, with its bonus
    ("tried", "i4", (MAX_OPTIONS,)),  #                [option] playouts
    ("options", "i8"),  #                               actions compared in the last decision; 0: none, or divisions
    ("playouts", "i8"),  #                              playouts in this game
], align=True)  # fmt: skip


def strategist_analyses(memory: Any, legal: Sequence[int], node: Any) -> list[ActionAnalysis]:
    """Return the mean reward of each action's playouts, 0 to 1; the evaluator's choice has a bonus, see `trust`.

    The list is empty if divisions, or no options, were compared.
    """
    options = int(memory["options"])
    tried, total = memory["tried"].tolist(), memory["total"].tolist()
    actions = memory["action"][:options].tolist()
    return [ActionAnalysis(action, tried[k], total[k] / tried[k]) for k, action in enumerate(actions)]


@jit
def _compare(state, rules, params, memory, seat, count, dividing, rng):
    """Return the option with the highest reward in playouts, by sequential halving; option 0 has a bonus."""
    for k in range(count):
        memory.ranked[k] = k
        memory.total[k] = 0.0
        memory.tried[k] = 0
    root = clone(state)
    conceal(root, rules, seat)
    drawn, played = clone(root), clone(root)
    stages, compared, players = stages_for(count), count, state.players
    for _ in range(stages):
        sweeps = max(params.iterations // (stages * compared), 1)
        for _ in range(sweeps):
            if is_stopped(params):
                return int64(0)
            stream = begin_sweep(drawn, root, rules, params, memory, seat, rng)
            for i in range(compared):
                option = memory.ranked[i]
                begin_playout(played, drawn, memory, stream)
                if dividing:
                    divide(played, rules, memory, memory.chance, seat, option)
                else:
                    apply(played, rules, memory.action[option], memory.chance, None)
                while not is_over(played):
                    apply(played, rules, decide(played, rules, params, memory.other), memory.chance, None)
                memory.total[option] += reward(played, players, seat, params.utility, params.spread)
                memory.tried[option] += 1
        playouts = memory.tried[memory.ranked[0]]
        if memory.tried[0] == playouts:  # the bonus shrinks like a standard error
            memory.total[0] += params.trust * (sqrt(float64(playouts)) - sqrt(float64(playouts - sweeps)))
        memory.playouts += sweeps * compared
        compared = keep_better_half(memory.ranked, memory.total, compared)
    return int64(memory.ranked[0])


@compiled_agent(
    name="strategist",
    games=("strasbourg",),
    stochastic=True,
    memory=SEARCH_MEMORY,
    analyse=strategist_analyses,
    iterations=Param(50, 2, 1_000_000_000, "simulated games per decision"),
    options=Param(8, 2, MAX_OPTIONS, "divisions, spaces or sites to compare, the evaluator's best"),
    doubt=Param(0.6, 0.0, 1.0, "largest random relative change of step values, to plan other divisions"),
    trust=Param(
        0.1, 0.0, 10.0, "bonus on the reward of the evaluator's own choice, divided by the square root of its playouts"
    ),
    utility=UTILITY,
    spread=SPREAD,
    model=MODEL,
    **PARAMS,
)
def strategist(state, rules, params, memory, rng):
    """Simulates games with the options that `heuristic` proposes, and chooses the best.

    All options are tried on the same cards and tasks (common random numbers), by sequential halving (Karnin, Koren,
    Somekh 2013).
    """
    seat = state.actor
    memory.options = 0
    memory.other.plan_key = 0
    reset_memory(params.model_memory, params.model_size)
    action, count, dividing = list_options(state, rules, params, memory, seat, rng)
    if action != 0:
        return action
    memory.options = 0 if dividing else count
    option = int64(0)
    if count > 1:
        option = _compare(state, rules, params, memory, seat, count, dividing, rng)
    return take_option(state, rules, params, memory, seat, option, dividing)
