"""The hand-written evaluator: it values steps, spaces, chairs and coins, and spends influence where that gains most."""

from typing import Any

from numba import float64, int64, uint64

from strozzi_agents.strasbourg.bidding import (
    assign_stacks,
    fill_chances,
    fill_chances_ahead,
    follows_plan,
    make_plan,
    next_split_action,
    plan_rest,
)
from strozzi_agents.strasbourg.tasks import first_chance
from strozzi_agents.strasbourg.worth import (
    MAX_PLAN,
    MEMORY,
    SUMS,
    best_chapel,
    best_edifice,
    best_space,
    fill_decision,
    fill_steps,
)
from strozzi_sim.agent import Param, compiled_agent
from strozzi_sim.games.strasbourg.cards import count_cards, highest_card, select_members, sum_values
from strozzi_sim.games.strasbourg.state import (
    APPRENTICE,
    AUCTIONS,
    BID,
    BUILD_CHAPEL,
    CHAPEL,
    DEFER,
    DRAW,
    DRAW_CARD,
    EDIFICE,
    GOOD,
    KEEP,
    MAX_CHAIRS,
    MAX_EDIFICES,
    NONE,
    PASS,
    PLACE,
    PLACE_ON,
    RETURN,
    RETURN_CARD,
    REVEAL,
    SEAT,
    SELL,
    SELL_GOODS,
    SPLIT,
    STOP,
    TAKE_GOOD,
    TAKE_SEAT,
)
from strozzi_sim.kernel.bits import count_bits, lowest_bit
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.streams import hash_combine

# The evaluator's parameters by name; it counts in points of the final score.
PARAMS: dict[str, Any] = {
    # Spaces.
    "member": Param(0.95, 0.0, 5.0, "points of a member in the city, without buildings beside it"),
    "edifice": Param(0.98, 0.0, 3.0, "weight of points from existing edifices and chapels"),
    "edifice_hope": Param(0.79, 0.0, 3.0, "weight of future edifices, spread over the free sites"),
    "own_edifice": Param(0.37, 0.0, 2.0, "weight of the edifice that the seat is about to build, at its best site"),
    "chapel_hope": Param(0.63, 0.0, 3.0, "weight of future chapels, spread over the free sites"),
    "build_hope": Param(0.33, 0.0, 2.0, "own members expected on an empty space beside a new building, early on"),
    "deny": Param(0.46, 0.0, 2.0, "weight of the others' mean gain from a new building"),
    # Tasks.
    "task": Param(0.82, 0.0, 3.0, "weight of tasks"),
    "task_effort": Param(2.74, 0.1, 20.0, "future guild auctions at which a step of a task succeeds half the time"),
    "task_guild": Param(2.89, 0.1, 20.0, "weight of an auction of the task's guild, in auctions of any guild"),
    "task_seat": Param(2.37, 0.1, 20.0, "as task_effort, for a chair of the council"),
    "city_spread": Param(0.43, 0.0, 5.0, "lead in members that wins with probability 3/4, per future guild auction"),
    "coin_spread": Param(1.24, 0.0, 10.0, "lead in coins that wins with probability 3/4, per future guild auction"),
    "coin_task": Param(0.33, 0.0, 3.0, "additional points of a coin with the task of most coins"),
    "keep": Param(0.35, -5.0, 10.0, "points that a task must promise to be kept"),
    "keep_blindly": Param(
        0.0,
        0.0,
        1.0,
        "probability of keeping each task, to measure task values; 0: by promise",
        label="chance to keep a task",
    ),
    # Coins.
    "coin": Param(1.17, 0.0, 3.0, "points of a coin for a seat without coins"),
    "spend": Param(0.91, 0.05, 5.0, "coins needed per future guild auction"),
    "carry": Param(0.51, 0.0, 1.0, "value of a good at the end of the round, as a share of its coins' value"),
    "credit": Param(0.46, 0.0, 1.0, "share of goods assumed sold before a later step of the round"),
    "sale": Param(1.02, 0.0, 2.0, "value of a good for an apprentice, as a share of its coins' value"),
    # Chairs.
    "chair": Param(0.87, 0.0, 3.0, "weight of chairs"),
    "majority": Param(0.26, 0.0, 2.0, "privileges that a chair brings per round"),
    "keep_chair": Param(0.23, 0.0, 1.0, "share of the rounds that a chair is kept after its next auction"),
    "own_chair": Param(0.8, 0.0, 2.0, "weight of a chair that the seat holds: probability of losing it otherwise"),
    "oust": Param(0.18, 0.0, 2.0, "weight of a rival's loss"),
    # Steps.
    "place": Param(1.29, 0.0, 3.0, "weight of placing a member, in the value of a step"),
    "build_edifice": Param(0.56, 0.0, 3.0, "weight of building the edifice, in the value of a step"),
    "build_chapel": Param(1.09, 0.0, 3.0, "weight of building a chapel, in the value of a step"),
    "returned": Param(0.27, 0.0, 3.0, "points of a returned card"),
    # Rivals, before their stacks are known, if each has four cards per round.
    "often": Param(0.14, 0.0, 1.0, "probability that a rival bids in a guild's step"),
    "interest_a": Param(0.76, 0.0, 3.0, "probability in step A, relative to a guild"),
    "interest_sale": Param(0.66, 0.0, 3.0, "as interest_a, at the merchants' if nearly all rivals have goods"),
    "interest_g": Param(0.33, 0.0, 3.0, "addition in step G, for the chair"),
    "mean_a": Param(1.97, 1.0, 20.0, "mean bid of a rival in step A"),
    "mean_guild": Param(6.7, 1.0, 20.0, "mean bid of a rival in a guild's step"),
    "mean_sale": Param(3.63, 1.0, 20.0, "mean bid of a rival at the merchants'"),
    "bid_spread": Param(3.5, 0.1, 20.0, "sum above the mean that beats 3/4 of the rivals' bids"),
    # Rivals, when stacks are on the table.
    "stack_spread": Param(1.0, 0.1, 20.0, "as bid_spread, for a stack of one card; times the square root of its cards"),
    "eager": Param(1.31, 0.0, 3.0, "expected bids of a rival per stack, in the rest of the round"),
    "defer": Param(2.17, 0.0, 20.0, "points at stake from which it pays a privilege to wait"),
    # Influence over the rounds.
    "early": Param(0.68, -1.0, 3.0, "excess of the first round's influence over the last round's, as a share"),
    "overdraw": Param(1.18, -5.0, 10.0, "influence beyond the round's share at which the seat stops drawing"),
}


_LAST_HAND = 20  # most cards of the last round: more are useless, and slow to divide
_HALF_A_CARD = 1.75  # half the mean influence of a card: draw one if that brings the hand nearer to its share


@jit
def _keep_blindly(state, rules, seat, chance):
    """Return a KEEP action: each dealt task is kept with probability `chance`, by a hash of the deal; at least one."""
    key, choice = hash_combine(hash_combine(uint64(seat), state.dealt[seat]), state.start_player), int64(0)
    for number in range(rules.rounds):
        key = hash_combine(hash_combine(key, state.round_card[number]), state.round_edifice[number])
    dealt = count_bits(state.dealt[seat])
    for k in range(dealt):
        key = hash_combine(key, k)
        if float64(key >> uint64(11)) < chance * 2.0**53:
            choice |= int64(1) << k
    return choice if choice != 0 else int64(1) << int64(key % uint64(dealt))


@jit
def _promise(state, rules, params, seat, tasks):
    """Return the points that a set of dealt tasks promises, less `params.keep` for each task."""
    promise = 0.0
    while tasks != 0:
        task = lowest_bit(tasks)
        tasks &= tasks - 1
        chance = first_chance(state, rules, seat, task)
        promise += rules.task_points[task] * chance - rules.penalty * (1.0 - chance) - params.keep
    return promise


@jit
def _keep(state, rules, params, seat):
    """Return the KEEP action for the best and all other promising tasks, or of `_keep_blindly`; if illegal, another."""
    choice, best, best_task = int64(0), -1e30, int64(0)
    dealt, k = state.dealt[seat], 0
    legal = state.legal
    if params.keep_blindly > 0.0:
        choice, dealt = _keep_blindly(state, rules, seat, params.keep_blindly), int64(0)
    while dealt != 0:
        promise = _promise(state, rules, params, seat, dealt & -dealt)
        dealt &= dealt - 1
        if promise > best:
            best, best_task = promise, int64(1) << k
        if promise > 0.0:
            choice |= int64(1) << k
        k += 1
    choice |= best_task
    if (legal >> choice) & 1:
        return choice
    # `choice` is illegal: take the nearest legal one or, with restrictions, the legal one that promises most
    best_score, nearest = -1e30, lowest_bit(legal)
    while legal != 0:
        alternative = lowest_bit(legal)
        legal &= legal - 1
        score = -float(count_bits(alternative ^ choice))
        if rules.no_keep[seat] | rules.no_task[seat]:
            score = _promise(state, rules, params, seat, select_members(state.dealt[seat], alternative))
        if score > best_score:
            best_score, nearest = score, alternative
    return nearest


@jit
def _draw(state, rules, params, seat):
    """Return DRAW_CARD until the hand has its share of the influence left (last round: _LAST_HAND cards), then STOP.

    The share is larger where restrictions keep later rounds from using the rest.
    """
    rounds_left = rules.rounds - state.round
    weight_now = total = 0.0
    for k in range(rounds_left):  # k rounds later
        weight = 1.0 + params.early * (rounds_left - 1 - k) / max(rules.rounds - 1, 1)
        weight *= 1.0 - count_bits(rules.no_bid[seat, state.round_card[state.round + k]]) / AUCTIONS
        total += weight
        if k == 0:
            weight_now = weight
    hand = state.hand
    influence = sum_values(hand) + sum_values(state.deck[seat])
    for k in range(state.under_taken[seat], state.under_left[seat]):
        influence += state.under[seat, k]
    if rounds_left == 1:
        return DRAW_CARD if count_cards(hand) < _LAST_HAND else STOP
    share = max(
        influence * weight_now / total, influence - 2 * _HALF_A_CARD * rules.most_drawn[seat] * (rounds_left - 1)
    )
    return DRAW_CARD if sum_values(hand) + _HALF_A_CARD < share + params.overdraw else STOP


@jit
def plan_key(state, rules, seat, cards):
    """Return a hash of all facts on which a plan for the bag `cards` depends."""
    key = hash_combine(uint64(seat), cards)
    # The step, since `imagine` also asks for plans of a round's later steps.
    key = hash_combine(key, (state.round * 8 + state.step) * 8 + state.start_player)
    key = hash_combine(key, state.kept[seat])
    key = hash_combine(key, state.empty)
    key = hash_combine(key, state.free_chapel_sites)
    key = hash_combine(key, state.chapels)
    for other in range(state.players):
        key = hash_combine(key, state.members[other])
        goods = int64(0)
        if other == seat or not rules.hide_money:
            for guild in range(rules.guilds):
                goods = goods * 16 + state.goods[other, guild]
            key = hash_combine(key, state.coins[other])
        key = hash_combine(key, goods)
        key = hash_combine(
            key, state.deck_left[other] + state.drawn[other] - state.under_taken[other] + state.under_left[other]
        )
    chairs = int64(0)
    for chair in range(MAX_CHAIRS):
        chairs = chairs * 8 + min(state.council[chair], 7)
    key = hash_combine(key, chairs)
    for edifice in range(MAX_EDIFICES):
        key = hash_combine(key, state.edifice_site[edifice])
    return int64(key >> uint64(1))


@jit
def cards_drawn(state, seat):
    """Return the bag of the cards that the acting seat divides, in hand and on stacks."""
    cards = state.hand
    for k in range(state.stack_count[seat] + 1):
        cards += state.stacks[seat, k]
    return cards


@jit
def fill_planning(state, rules, params, memory, seat):
    """Fill the values and probabilities that a plan of the round needs."""
    fill_decision(state, rules, params, memory, seat)
    fill_steps(state, rules, params, memory, seat)
    fill_chances_ahead(state, rules, params, memory, seat)


@jit
def _split(state, rules, params, memory, seat):
    """Return the action that follows the plan, made here if missing, or follows `plan_rest` if the stacks deviate."""
    count, cards = state.stack_count[seat], cards_drawn(state, seat)
    key = plan_key(state, rules, seat, cards)
    planned = memory.plan_key == key
    on_plan = count < MAX_PLAN
    if planned and on_plan:
        on_plan = follows_plan(state, memory, seat)
    if not planned or not on_plan:
        fill_planning(state, rules, params, memory, seat)
    if not planned:
        make_plan(state, rules, memory, seat, cards)
        memory.plan_key = key
        on_plan = count < MAX_PLAN and follows_plan(state, memory, seat)
    to_add = memory.plan[count] - state.stacks[seat, count] if on_plan else plan_rest(state, rules, memory, seat)
    return next_split_action(state, to_add)


@jit
def _bid(state, rules, params, memory, seat):
    """Return the action that reveals the stack assigned to this step, or DEFER or PASS."""
    fill_decision(state, rules, params, memory, seat)
    fill_steps(state, rules, params, memory, seat)
    totals, unused = int64(0), state.unused[seat]
    while unused != 0:
        totals |= int64(1) << min(sum_values(state.stacks[seat, lowest_bit(unused)]), SUMS - 1)
        unused &= unused - 1
    fill_chances(state, rules, params, memory, seat, totals)
    assign_stacks(state, rules, memory, seat)
    step = state.step
    k = memory.stack_for[step]
    if k < 0:
        return PASS
    if (state.legal >> (DEFER - PASS)) & 1:
        win_chance = memory.chance[step, min(memory.load[step], SUMS - 1), 0]
        if win_chance * (1.0 - win_chance) * 4.0 * (memory.base[step, 0] - memory.base[step, 1]) > params.defer:
            return DEFER
    # Of equal stacks the first unused one is revealed: `repeated` marks those that are equal to the one before.
    while k > 0 and (state.repeated[seat] >> k) & 1 and (state.unused[seat] >> (k - 1)) & 1:
        k -= 1
    return REVEAL + k


@jit
def _act(state, rules, params, memory, seat, phase):
    """Return the action in a phase that takes, places, sells, returns or builds."""
    if phase == TAKE_GOOD:
        return int64(GOOD)
    if phase == TAKE_SEAT:
        return int64(SEAT)
    if phase == SELL:
        return SELL_GOODS + state.goods[seat, state.guild]
    if phase == RETURN:
        return RETURN_CARD + highest_card(state.bid[seat])
    fill_decision(state, rules, params, memory, seat)
    if phase in (PLACE, APPRENTICE):
        coin = memory.coin[state.step]
        cell, place = best_space(state, rules, params, memory, seat, state.guild, state.coins[seat], coin)
        good = phase == APPRENTICE and (state.legal >> (GOOD - NONE)) & 1 == 1
        if good and place < rules.good_value[state.guild] * coin * params.sale:
            return int64(GOOD)
        return PLACE_ON + cell if cell >= 0 else int64(GOOD if good else NONE)
    if phase == BUILD_CHAPEL:
        site, _ = best_chapel(state, rules, params, memory, seat)
        return CHAPEL + site if site >= 0 else int64(NONE)
    site, _ = best_edifice(state, rules, params, memory, seat)
    return EDIFICE + site if site >= 0 else int64(NONE)


@jit
def decide(state, rules, params, memory):
    """Return the evaluator's action."""
    phase, seat = state.phase, state.actor
    if phase == BID:
        return int64(_bid(state, rules, params, memory, seat))
    if phase == DRAW:
        return int64(_draw(state, rules, params, seat))
    if phase == SPLIT:
        return int64(_split(state, rules, params, memory, seat))
    if phase == KEEP:
        return int64(_keep(state, rules, params, seat))
    return int64(_act(state, rules, params, memory, seat, phase))


@compiled_agent(name="heuristic", games=("strasbourg",), memory=MEMORY, **PARAMS)
def heuristic(state, rules, params, memory, rng):
    """Spends influence where it expects most points from spaces, tasks, chairs and coins."""
    return decide(state, rules, params, memory)
