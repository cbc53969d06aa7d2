"""The decisions of Strasbourg from learned values: the evaluator proposes options and plays each to the next round.

Hidden information and chance until then are sampled several times; every option meets the same samples. An option other
than the evaluator's own choice must be better by more than its noise.
"""

from math import sqrt
from typing import Any

import numpy as np
from numba import int64

from strozzi_agents.learned.value import play_beyond, utility_at
from strozzi_agents.strasbourg.heuristic import PARAMS
from strozzi_agents.strasbourg.options import MAX_OPTIONS, divide, list_options, take_option
from strozzi_agents.strasbourg.worth import MAX_PLAN, MEMORY
from strozzi_sim.game.contract import apply, conceal, determinize
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, clone, is_stopped
from strozzi_sim.kernel.streams import reseed

OPTIONS = 8  # divisions, spaces or sites to compare
DOUBT = 0.6  # relative change of step values, up to which divisions are proposed
TRUST = 0.7  # standard errors by which another option must be better than the evaluator's

GUIDE = np.dtype([  # shape                             meaning
    ("own", MEMORY),  #                                 the evaluator's, for the decision itself
    ("other", MEMORY),  #                               the evaluator's, for all seats of the playouts
    ("action", "i4", (MAX_OPTIONS,)),  #                [option] an action, unless divisions are compared
    ("promise", "f8", (MAX_OPTIONS,)),  #               [option] the evaluator's points, which rank the options
    ("division", "u4", (MAX_OPTIONS, MAX_PLAN)),  #     [option, k] bag: stacks, greatest first
    ("sum_of_squares", "f8", (MAX_OPTIONS,)),  #        [option] sum of squared differences from the first option
], align=True)  # fmt: skip


def _params() -> np.ndarray[Any, Any]:
    # New fields come first: numba takes a record with more fields at its end alone for the evaluator's record.
    fields = [("options", "i8"), ("doubt", "f8"), *((name, "f8") for name in PARAMS)]
    record = np.zeros(1, np.dtype(fields, align=True))
    for name, param in PARAMS.items():
        record[name] = param.default
    record["options"], record["doubt"] = OPTIONS, DOUBT
    return record


PARAMS_RECORD = _params()


@jit
def _compare(state, rules, weights, memory, seat, count, dividing, prize, beyond, redraws, rng):
    """Return the best option, the first one unless another is better by TRUST standard errors.

    Options are divisions of the hand if `dividing`, else actions. Each is played with `redraws` samples of chance,
    `beyond` quiet positions beyond the next round; `prize` are the points of a win.
    """
    guide, total = memory.guide, memory.total
    for k in range(count):
        total[k] = 0.0
        guide.sum_of_squares[k] = 0.0
    root = clone(state)
    conceal(root, rules, seat)
    drawn, played = clone(root), clone(root)
    for _ in range(redraws):
        if is_stopped(memory):
            break  # the run is cancelled, and its result is not used
        assign(drawn, root)
        determinize(drawn, rules, seat, rng)
        reseed(memory.sweep, rng)
        first = 0.0
        for k in range(count):
            assign(played, drawn)
            assign(memory.chance, memory.sweep)
            guide.other.plan_key = 0
            if dividing:
                divide(played, rules, guide, memory.chance, seat, k)
            else:
                apply(played, rules, guide.action[k], memory.chance, None)
            play_beyond(played, rules, memory.chance, guide, beyond)
            worth = utility_at(played, rules, weights, memory, seat, prize)
            if k == 0:
                first = worth
            gain = worth - first
            total[k] += gain
            guide.sum_of_squares[k] += gain * gain
    best, chosen = 0.0, int64(0)
    for k in range(1, count):
        mean = total[k] / redraws
        error = sqrt(max(guide.sum_of_squares[k] / redraws - mean * mean, 0.0) / redraws)
        if mean - TRUST * error > best:
            best, chosen = mean - TRUST * error, int64(k)
    return chosen


@jit
def solve_decision(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return the evaluator's action for draws, goods, sales and returned cards; else the best option on its list."""
    seat, guide, params = state.actor, memory.guide, PARAMS_RECORD[0]
    action, count, dividing = list_options(state, rules, params, guide, seat, rng)
    if action != 0:
        return action
    option = int64(0)
    if count > 1:
        option = _compare(state, rules, weights, memory, seat, count, dividing, prize, beyond, redraws, rng)
    return take_option(state, rules, params, guide, seat, option, dividing)
