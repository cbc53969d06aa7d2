"""The options that `strategist` and `learned` compare: actions, or divisions of a hand.

The evaluator, the functions of `heuristic`, proposes them. Planning has by far the largest branching: a hand of six
different cards has 203 divisions, reached card by card. So options are whole divisions: the evaluator's plan, and its
plans for randomly changed values of the steps. The evaluator alone decides on draws, seats, goods (except an
apprentice's), sales and returned cards.
"""

import numpy as np
from numba import float64, int64

from strozzi_agents.strasbourg.bidding import follows_plan, make_plan, next_split_action
from strozzi_agents.strasbourg.heuristic import cards_drawn, decide, fill_planning, plan_key
from strozzi_agents.strasbourg.worth import (
    MAX_PLAN,
    RANKS,
    expected_tasks,
    fill_decision,
    fill_steps,
    value_of_chapel,
    value_of_edifice,
    value_of_space,
)
from strozzi_sim.game.contract import apply, count_legal, is_legal, kth_legal
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
from strozzi_sim.kernel.streams import random_word

MAX_OPTIONS = 32
_UNIT = 1.0 / (1 << 53)  # times 53 random bits: a number from 0 to below 1


@jit
def _insert(memory, count, action, promise):
    """Insert an action among the options, whose promises fall from the second on; return the new number of options.

    Once MAX_OPTIONS are listed, the action replaces the last one if it promises more.
    """
    if count == MAX_OPTIONS:
        if memory.promise[count - 1] >= promise:
            return count
        count -= 1
    place = count
    while place > 1 and memory.promise[place - 1] < promise:
        memory.promise[place] = memory.promise[place - 1]
        memory.action[place] = memory.action[place - 1]
        place -= 1
    memory.promise[place] = promise
    memory.action[place] = action
    return count + 1


@jit
def list_actions(state, rules, params, memory, seat, favourite):
    """Fill `action` with `favourite`, the evaluator's choice, and alternatives; return the number of options.

    Alternatives are all other bids, the sets with one task more or less, or the actions that promise most; of these, at
    most `params.options` with the favourite.
    """
    phase, evaluator = state.phase, memory.own
    memory.action[0] = favourite
    count = 1
    if phase == KEEP:  # one task more or less
        for k in range(MAX_DEALT):
            other = favourite ^ (int64(1) << k)
            if is_legal(state, rules, other):
                count = _insert(memory, count, other, 0.0)
        return count
    fill_decision(state, rules, params, evaluator, seat)
    coins, coin_points, tasks_before = state.coins[seat], 0.0, 0.0
    if phase in (PLACE, APPRENTICE, BUILD_CHAPEL, BUILD_EDIFICE):
        tasks_before = expected_tasks(state, rules, params, evaluator, seat, state.members[seat], state.empty, coins)
    if phase in (PLACE, APPRENTICE):
        coin_points = evaluator.coin[state.step]
    for k in range(count_legal(state, rules)):
        action = kth_legal(state, rules, k)
        if action == favourite:
            continue
        promise = 0.0
        if action == GOOD:
            promise = rules.good_value[state.guild] * coin_points * params.sale
        elif phase in (PLACE, APPRENTICE) and action >= PLACE_ON:
            cell = action - PLACE_ON
            promise = value_of_space(state, rules, params, evaluator, seat, cell, coins, coin_points, tasks_before)
        elif phase == BUILD_CHAPEL and action >= CHAPEL:
            promise = value_of_chapel(state, rules, params, evaluator, seat, action - CHAPEL) - tasks_before
        elif phase == BUILD_EDIFICE and action >= EDIFICE:
            promise = value_of_edifice(state, rules, params, evaluator, seat, action - EDIFICE) - tasks_before
        count = _insert(memory, count, action, promise)
    return count if phase == BID else min(count, params.options)


@jit
def _is_listed(memory, count):
    """Return whether the plan in the evaluator's memory is among the first `count` divisions."""
    for number in range(count):
        same = True
        for k in range(MAX_PLAN):
            same = same and memory.division[number, k] == memory.own.plan[k]
        if same:
            return True
    return False


@jit
def list_divisions(state, rules, params, memory, seat, rng):
    """Fill `division` with the evaluator's plan, then distinct plans for changed step values; return their number.

    Plans that do not fit the stacks so far, which another agent may have begun, are left out.
    """
    evaluator, cards, count = memory.own, cards_drawn(state, seat), int64(0)
    if state.stack_count[seat] >= MAX_PLAN:
        return count
    fill_planning(state, rules, params, evaluator, seat)
    for attempt in range(2 * params.options):
        if attempt > 0:
            fill_steps(state, rules, params, evaluator, seat)
            for step in range(AUCTIONS):
                change = 2.0 * _UNIT * float64(random_word(rng) >> np.uint64(11)) - 1.0  # from -1 to below 1
                for rank in range(RANKS):
                    evaluator.base[step, rank] *= 1.0 + params.doubt * change
                    evaluator.good[step, rank] *= 1.0 + params.doubt * change
                if step & 1 == 0:  # goods are sold in no guild's step
                    evaluator.coin[step] *= 1.0 + params.doubt * change
        make_plan(state, rules, evaluator, seat, cards)
        if follows_plan(state, evaluator, seat) and not _is_listed(memory, count):
            for k in range(MAX_PLAN):
                memory.division[count, k] = evaluator.plan[k]
            count += 1
        if attempt > 0:
            fill_decision(state, rules, params, evaluator, seat)  # restores `coin`; `fill_steps` sets the others again
        if count == params.options:
            break
    return count


@jit
def take_division(memory, option):
    """Copy a division into the evaluator's plan."""
    for k in range(MAX_PLAN):
        memory.own.plan[k] = memory.division[option, k]


@jit
def divide(state, rules, memory, chance, seat, option):
    """Divide the cards of `seat`, in `state`, by the division `option`."""
    take_division(memory, option)
    while state.phase == SPLIT and state.actor == seat:
        count = state.stack_count[seat]
        action = next_split_action(state, memory.own.plan[count] - state.stacks[seat, count])
        apply(state, rules, action, chance, None)


@jit
def list_options(state, rules, params, memory, seat, rng):
    """Return (action, number of options, whether these are divisions); action 0: choose among the options."""
    if state.phase == SPLIT:
        count = int64(0)
        if memory.own.plan_key != plan_key(state, rules, seat, cards_drawn(state, seat)):  # else it follows its plan
            count = list_divisions(state, rules, params, memory, seat, rng)
        return (0 if count > 0 else decide(state, rules, params, memory.own)), count, True
    favourite = decide(state, rules, params, memory.own)
    if state.phase not in (KEEP, BID, PLACE, APPRENTICE, BUILD_CHAPEL, BUILD_EDIFICE):
        return favourite, int64(0), False
    count = list_actions(state, rules, params, memory, seat, favourite)
    return (0 if count > 1 else favourite), count, False  # a single option is the favourite


@jit
def take_option(state, rules, params, memory, seat, option, dividing):
    """Return the action of an option; a division becomes the evaluator's plan."""
    if not dividing:
        return int64(memory.action[option])
    take_division(memory, option)
    memory.own.plan_key = plan_key(state, rules, seat, cards_drawn(state, seat))
    return decide(state, rules, params, memory.own)
