"""Search for Strasbourg: rollouts by the evaluator compare the options that the evaluator proposes.

Planning has by far the largest branching: a hand of six cards has hundreds of divisions, reached card by card. So the
search compares whole divisions, each the evaluator's plan for a round with randomly changed values of the steps, and
then follows the chosen one. The evaluator alone decides on draws, goods, sales and returned cards.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numba import float64, int64

from strozzi_agents.search.halving import begin_playout, begin_sweep, keep_better_half, stages_for
from strozzi_agents.search.playout import MODEL, SPREAD, UTILITY, forget, reward
from strozzi_agents.strasbourg.bidding import follows_plan, lay_next, make_plan
from strozzi_agents.strasbourg.heuristic import PARAMS, cards_drawn, decide, fill_planning, plan_key
from strozzi_agents.strasbourg.worth import (
    MAX_PLAN,
    MEMORY,
    RANKS,
    chapel_worth,
    edifice_worth,
    fill_decision,
    fill_steps,
    space_worth,
    tasks_worth,
)
from strozzi_sim.agent import Param, Seconds, compiled_agent
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.game.contract import apply, conceal, count_legal, is_legal, is_over, kth_legal
from strozzi_sim.games.strasbourg.state import (
    APPRENTICE,
    AUCTIONS,
    BID,
    BUILD_CHAPEL,
    BUILD_EDIFICE,
    CHAPEL,
    EDIFICE,
    GOOD,
    KEEP,
    MAX_DEALT,
    PLACE,
    PLACE_ON,
    SPLIT,
)
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import clone
from strozzi_sim.kernel.streams import CHANCE, RANDOM, random_word

MAX_OPTIONS = 32
_UNIT = 1.0 / (1 << 53)

SEARCH_MEMORY = np.dtype([  # shape                     meaning
    ("own", MEMORY),  #                                 the evaluator's, for the decision itself
    ("other", MEMORY),  #                               the evaluator's, for all seats of a playout
    ("sweep", CHANCE),  #                               random source of the current sweep
    ("chance", CHANCE),  #                              random source of the current playout
    ("roll", RANDOM),  #                                unused: the evaluator is deterministic
    ("action", "i4", (MAX_OPTIONS,)),  #               [option] an action, unless divisions are compared
    ("promise", "f8", (MAX_OPTIONS,)),  #              [option] the evaluator's points, which rank the options
    ("division", "u4", (MAX_OPTIONS, MAX_PLAN)),  #    [option, k] bag: stacks, greatest first
    ("ranked", "i4", (MAX_OPTIONS,)),  #               [i] options; those still compared come first
    ("total", "f8", (MAX_OPTIONS,)),  #                [option] rewards
    ("tried", "i4", (MAX_OPTIONS,)),  #                [option] playouts
    ("options", "i8"),  #                               actions compared in the last decision; 0 = no search, or divisions
    ("playouts", "i8"),  #                              playouts in this game
], align=True)  # fmt: skip


def strategist_analyses(memory: Any, legal: Sequence[int], node: Any) -> list[ActionAnalysis]:
    """Return the mean reward of each action's playouts, 0 to 1, with a small bonus for the evaluator's choice.

    The list is empty for divisions.
    """
    options = int(memory["options"])
    tried, total = memory["tried"].tolist(), memory["total"].tolist()
    actions = memory["action"][:options].tolist()
    return [ActionAnalysis(action, tried[k], total[k] / tried[k]) for k, action in enumerate(actions)]


@jit
def _add(memory, count, action, promise):
    """Insert an action into the options, which are sorted by promise from the second on; return the new count."""
    place = count
    while place > 1 and memory.promise[place - 1] < promise:
        memory.promise[place] = memory.promise[place - 1]
        memory.action[place] = memory.action[place - 1]
        place -= 1
    memory.promise[place] = promise
    memory.action[place] = action
    return count + 1


@jit
def _list_actions(state, rules, params, memory, seat, favourite):
    """Fill `action` with the evaluator's choice, then its best alternatives; return the number of options."""
    phase, own = state.phase, memory.own
    memory.action[0] = favourite
    count = 1
    if phase == KEEP:  # one task more or less
        for k in range(MAX_DEALT):
            other = favourite ^ (int64(1) << k)
            if is_legal(state, rules, other):
                count = _add(memory, count, other, 0.0)
        return count
    fill_decision(state, rules, params, own, seat)
    coins, before, coin = state.coins[seat], 0.0, 0.0
    if phase in (PLACE, APPRENTICE, BUILD_CHAPEL, BUILD_EDIFICE):
        before = tasks_worth(state, rules, params, own, seat, state.members[seat], state.empty, coins)
    if phase in (PLACE, APPRENTICE):
        coin = own.coin[state.step]
    for k in range(count_legal(state, rules)):
        action = kth_legal(state, rules, k)
        if action == favourite or count == MAX_OPTIONS:
            continue
        promise = 0.0
        if action == GOOD:
            promise = rules.good_value[state.guild] * coin * params.sale
        elif phase in (PLACE, APPRENTICE) and action >= PLACE_ON:
            promise = space_worth(state, rules, params, own, seat, action - PLACE_ON, coins, coin, before)
        elif phase == BUILD_CHAPEL and action >= CHAPEL:
            promise = chapel_worth(state, rules, params, own, seat, action - CHAPEL) - before
        elif phase == BUILD_EDIFICE and action >= EDIFICE:
            promise = edifice_worth(state, rules, params, own, seat, action - EDIFICE) - before
        count = _add(memory, count, action, promise)
    return count if phase == BID else min(count, params.options)


@jit
def _is_listed(memory, count):
    """Return whether the plan in the evaluator's memory is among the first `count` divisions."""
    for k in range(count):
        same = True
        for place in range(MAX_PLAN):
            same = same and memory.division[k, place] == memory.own.plan[place]
        if same:
            return True
    return False


@jit
def _list_divisions(state, rules, params, memory, seat, rng):
    """Fill `division` with the evaluator's plan, then its distinct plans for changed step values; return their number.

    Plans must extend the stacks so far, which another agent may have begun.
    """
    own, cards, count = memory.own, cards_drawn(state, seat), int64(0)
    if state.stack_count[seat] >= MAX_PLAN:
        return count
    fill_planning(state, rules, params, own, seat)
    for attempt in range(2 * params.options):
        if attempt > 0:
            fill_steps(state, rules, params, own, seat)
            for step in range(AUCTIONS):
                share = 2.0 * _UNIT * float64(random_word(rng) >> np.uint64(11)) - 1.0
                for rank in range(RANKS):
                    own.base[step, rank] *= 1.0 + params.doubt * share
                    own.good[step, rank] *= 1.0 + params.doubt * share
                if step & 1 == 0:
                    own.coin[step] *= 1.0 + params.doubt * share
        make_plan(state, rules, params, own, seat, cards)
        if follows_plan(state, own, seat) and not _is_listed(memory, count):
            for place in range(MAX_PLAN):
                memory.division[count, place] = own.plan[place]
            count += 1
        if attempt > 0:
            fill_decision(state, rules, params, own, seat)
        if count == params.options:
            break
    return count


@jit
def _take_division(memory, option):
    """Store a division as the evaluator's plan."""
    for place in range(MAX_PLAN):
        memory.own.plan[place] = memory.division[option, place]


@jit
def _divide(state, rules, memory, seat, option):
    """Divide the cards by an option."""
    _take_division(memory, option)
    while state.phase == SPLIT and state.actor == seat:
        count = state.stack_count[seat]
        action = lay_next(state, memory.own.plan[count] - state.stacks[seat, count])
        apply(state, rules, action, memory.chance, None)


@jit
def _compare(state, rules, params, memory, seat, count, dividing, rng):
    """Return the best option in playouts, by sequential halving, with a bonus for the first one."""
    for k in range(count):
        memory.ranked[k] = k
        memory.total[k] = 0.0
        memory.tried[k] = 0
    root = clone(state)
    conceal(root, rules, seat)
    drawn, played = clone(root), clone(root)
    stages, tried, players = stages_for(count), count, state.players
    for _ in range(stages):
        sweeps = max(params.iterations // (stages * tried), 1)
        for _ in range(sweeps):
            stream = begin_sweep(drawn, root, rules, params, memory, seat, rng)
            for i in range(tried):
                option = memory.ranked[i]
                begin_playout(played, drawn, memory, stream)
                if dividing:
                    _divide(played, rules, memory, seat, option)
                else:
                    apply(played, rules, memory.action[option], memory.chance, None)
                while not is_over(played):
                    apply(played, rules, decide(played, rules, params, memory.other), memory.chance, None)
                memory.total[option] += reward(played, players, seat, params.utility, params.spread)
                memory.tried[option] += 1
        now = memory.tried[memory.ranked[0]]
        if memory.tried[0] == now:  # the bonus shrinks like a standard error
            memory.total[0] += params.trust * (sqrt(float64(now)) - sqrt(float64(now - sweeps)))
        memory.playouts += sweeps * tried
        tried = keep_better_half(memory.ranked, memory.total, tried)
    return int64(memory.ranked[0])


@compiled_agent(
    name="strategist",
    games=("strasbourg",),
    stochastic=True,
    memory=SEARCH_MEMORY,
    analyse=strategist_analyses,
    iterations=Param(50, 2, 1_000_000_000, "simulated games per decision"),
    seconds=Seconds("iterations", "per decision, instead of `iterations`; calibrated at the start, not reproducible"),
    options=Param(8, 2, MAX_OPTIONS, "divisions, spaces or sites to compare, the evaluator's best"),
    doubt=Param(0.6, 0.0, 1.0, "relative change of step values, up to which divisions are proposed"),
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
    phase, seat = state.phase, state.actor
    memory.options = 0
    memory.other.plan_key = 0
    forget(params.model_memory, params.model_size)
    if phase == SPLIT:
        key = plan_key(state, rules, seat, cards_drawn(state, seat))
        if memory.own.plan_key != key:
            count = _list_divisions(state, rules, params, memory, seat, rng)
            if count > 0:
                option = _compare(state, rules, params, memory, seat, count, True, rng) if count > 1 else int64(0)
                _take_division(memory, option)
                memory.own.plan_key = key
        return decide(state, rules, params, memory.own)
    favourite = decide(state, rules, params, memory.own)
    if phase not in (KEEP, BID, PLACE, APPRENTICE, BUILD_CHAPEL, BUILD_EDIFICE):
        return favourite
    count = _list_actions(state, rules, params, memory, seat, favourite)
    if count < 2:
        return favourite
    memory.options = count
    return int64(memory.action[_compare(state, rules, params, memory, seat, count, False, rng)])
