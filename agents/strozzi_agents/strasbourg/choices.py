"""Strasbourg's decisions by learned values: the evaluator proposes options and plays each on to the next round.

Hidden information and chance until then are sampled several times; every option meets the same samples. After FEWEST of
them, options that are clearly behind are dropped. Another option replaces the evaluator's own choice only if it leads
by more than TRUST standard errors.
"""

from math import sqrt
from typing import Any

import numpy as np
from numba import int64

from strozzi_agents.learned.estimate import variance_of_mean
from strozzi_agents.learned.value import plan_worth, play_beyond, utility_at
from strozzi_agents.strasbourg.heuristic import PARAMS
from strozzi_agents.strasbourg.options import MAX_OPTIONS, divide, list_options, take_option
from strozzi_agents.strasbourg.worth import MAX_PLAN, MEMORY
from strozzi_sim.game.contract import apply, conceal, determinize
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.pointers import assign, clone, is_stopped
from strozzi_sim.kernel.streams import reseed

OPTIONS = 8  # most divisions, spaces or sites that are compared
DOUBT = 0.6  # largest random relative change of step values, to plan other divisions
TRUST = 0.7  # standard errors by which another option must lead the evaluator's
FEWEST = 4  # samples after which options are dropped
DROPPED = 1.0  # standard errors behind the best from which an option is dropped
# before the first sample: that many samples with this standard deviation, in points
_SAMPLES = 2.0
_SPREAD = 6.0

GUIDE = np.dtype([  # shape                             meaning
    ("own", MEMORY),  #                                 the evaluator's memory, for the decision and the features
    ("other", MEMORY),  #                               the evaluator's memory, for all seats of the playouts
    ("action", "i4", (MAX_OPTIONS,)),  #                [option] its action, unless divisions are compared
    ("promise", "f8", (MAX_OPTIONS,)),  #               [option] points by the evaluator, which rank the actions
    ("division", "u4", (MAX_OPTIONS, MAX_PLAN)),  #     [option, k] bag: its stacks, greatest first
    ("samples", "i8", (MAX_OPTIONS,)),  #               [option] in which it was played
    ("sum_of_squares", "f8", (MAX_OPTIONS,)),  #        [option] sum of squared differences from the first option
], align=True)  # fmt: skip


def _params() -> np.ndarray[Any, Any]:
    # New fields come first: with them at the end, numba would count this type as a subtype of the evaluator's.
    fields = [("options", "i8"), ("doubt", "f8"), *((name, "f8") for name in PARAMS)]
    record = np.zeros(1, np.dtype(fields, align=True))
    for name, param in PARAMS.items():
        record[name] = param.default
    record["options"], record["doubt"] = OPTIONS, DOUBT
    return record


PARAMS_RECORD = _params()


@force_inline
def _variance(memory, k):
    """Return the variance of the leads of an option over option 0, in its samples."""
    samples = memory.guide.samples[k]
    mean = memory.total[k] / samples
    return max(memory.guide.sum_of_squares[k] / samples - mean * mean, 0.0)


@jit
def _keep_contenders(memory, tried):
    """Drop the options that are DROPPED standard errors behind the best; return how many are tried, with option 0."""
    best = 0.0
    for i in range(1, tried):
        k = memory.option[i]
        best = max(best, memory.total[k] / memory.guide.samples[k])
    kept = 1
    for i in range(1, tried):
        k = memory.option[i]
        samples = memory.guide.samples[k]
        variance = variance_of_mean(samples, _variance(memory, k), _SAMPLES, _SPREAD)
        memory.option[kept] = k
        kept += best - memory.total[k] / samples <= DROPPED * sqrt(variance)
    return kept


@jit
def _compare(state, rules, weights, memory, seat, count, dividing, prize, beyond, redraws, rng):
    """Return the option whose mean lead over option 0, less TRUST standard errors, is highest; 0 if none is positive.

    Options are divisions of the hand if `dividing`, else actions. Each is played in up to `redraws` samples of chance,
    to the next quiet position (the start of a round) and `beyond` further ones. A win is worth `prize` points.
    """
    guide, total = memory.guide, memory.total
    for k in range(count):
        total[k] = 0.0
        guide.sum_of_squares[k] = 0.0
        guide.samples[k] = 0
        memory.option[k] = k
    root = clone(state)
    conceal(root, rules, seat)
    drawn, played = clone(root), clone(root)
    tried = count
    for sample in range(redraws):
        if sample >= FEWEST:
            tried = _keep_contenders(memory, tried)
        if is_stopped(memory):
            return int64(0)  # the run is cancelled, and its result is not used
        if tried == 1:
            break
        assign(drawn, root)
        determinize(drawn, rules, seat, rng)
        reseed(memory.sweep, rng)
        first = 0.0
        for i in range(tried):
            k = memory.option[i]
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
            guide.samples[k] += 1
            guide.sum_of_squares[k] += gain * gain
    best, chosen = 0.0, int64(0)
    planned = 0.0 if dividing else plan_worth(root, rules, memory, int64(guide.action[0]))
    for k in range(1, count):
        mean = total[k] / guide.samples[k]
        lead = mean - TRUST * sqrt(_variance(memory, k) / guide.samples[k])
        if not dividing:
            lead += plan_worth(root, rules, memory, int64(guide.action[k])) - planned
        if lead > best:
            best, chosen = lead, int64(k)
    return chosen


@jit
def solve_decision(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return the action of the best option, or the evaluator's own where `list_options` has no alternative."""
    seat, guide, params = state.actor, memory.guide, PARAMS_RECORD[0]
    action, count, dividing = list_options(state, rules, params, guide, seat, rng)
    if action != 0:
        return action
    option = int64(0)
    if count > 1:
        option = _compare(state, rules, weights, memory, seat, count, dividing, prize, beyond, redraws, rng)
    return take_option(state, rules, params, guide, seat, option, dividing)
