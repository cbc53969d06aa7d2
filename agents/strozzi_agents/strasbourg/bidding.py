"""The probability of each rank for a bid, and the assignment of cards or stacks to the auctions of a round.

The value of a round is the sum, over its auctions, of each rank's value times its probability. Goods link auctions:
those taken in a guild's step are sold in a merchants' step, with the probability of rank 1 there.
"""

from math import sqrt

from numba import float64, int64

from strozzi_agents.strasbourg.worth import SUMS, goods_value
from strozzi_sim.games.strasbourg.cards import count_cards, count_value, highest_card, one_card, sum_values
from strozzi_sim.games.strasbourg.knowledge import unseen_cards
from strozzi_sim.games.strasbourg.legal_actions import closed_steps
from strozzi_sim.games.strasbourg.state import ADD, AUCTIONS, CLOSE, MAX_VALUE, STEP_A, STEP_G, UNKNOWN_STACK
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import force_inline, jit

MAX_PASSES = 3
CLOSED = 1e6  # points lost by a bid in a step closed to the seat: more than any gain


@force_inline
def _clip(number):
    return min(max(number, 0.0), 1.0)


@force_inline
def interest(state, rules, params, seat, step):
    """Return how much rivals want to win a step, relative to a guild's step, which is 1."""
    if step & 1:
        return 1.0
    if step == STEP_A:
        return params.interest_a
    relative = params.interest_g if step == STEP_G else 0.0
    if rules.hide_money:
        return relative + params.interest_sale
    sellers = int64(0)
    for other in range(state.players):
        if other != seat and goods_value(state, rules, other) > 0:
            sellers += 1
    return relative + params.interest_sale * (0.3 + sellers) / (state.players - 1)


@force_inline
def _write_chances(memory, step, total, none, one, two):
    """Write the probabilities that a bid of `total` gets rank 1, 2 and 3: no, one and two rivals are ahead."""
    memory.chance[step, total, 0] = none
    memory.chance[step, total, 1] = one
    memory.chance[step, total, 2] = two


@jit
def fill_chances_ahead(state, rules, params, memory, seat):
    """Fill the probabilities of ranks for every sum, before the rivals' stacks are known.

    All rivals are equal: the probability that one bids in a step, and its mean bid, grow with the mean number of cards
    that rivals have per round left.
    """
    players = state.players
    cards = int64(0)
    for other in range(players):
        if other != seat:  # as when the round began: how many of them are drawn is secret
            cards += state.deck_left[other] + state.drawn[other] - state.under_taken[other] + state.under_left[other]
    cards_each = cards / ((players - 1.0) * (rules.rounds - state.round))
    scale = cards_each / (cards_each + 4.0) * 2.0  # 1 with four cards per round
    rivals = players - 1
    first = state.step
    for step in range(first, AUCTIONS):
        bid_chance = _clip(params.often * scale * interest(state, rules, params, seat, step))
        mean = (params.mean_a if step == STEP_A else params.mean_guild if step & 1 else params.mean_sale) * scale
        for total in range(1, SUMS):
            lead = total - mean
            p = bid_chance * (0.5 - 0.5 * lead / (params.bid_spread + abs(lead)))
            q = 1.0 - p
            if rivals == 2:
                none, one, two = q * q, 2.0 * p * q, p * p
            elif rivals == 3:
                none, one, two = q * q * q, 3.0 * p * q * q, 3.0 * p * p * q
            else:
                none, one, two = q * q * q * q, 4.0 * p * q * q * q, 6.0 * p * p * q * q
            _write_chances(memory, step, total, none, one, two)


@jit
def fill_chances(state, rules, params, memory, seat, totals):
    """Fill the probabilities of ranks in the auctions left in the round, for bids with sums in the set `totals`."""
    players, first = state.players, state.step
    weight = 0.0
    for step in range(first, AUCTIONS):
        memory.interest[step] = interest(state, rules, params, seat, step)
        weight += memory.interest[step]
    for turn in range(1, players):
        _fill_rival(state, rules, memory, _follower(seat, turn, players), turn)
    while totals != 0:
        total = lowest_bit(totals)
        totals &= totals - 1
        for turn in range(1, players):
            memory.ahead[turn] = _stacks_ahead(params, memory, turn, total)
        for step in range(first, AUCTIONS):
            share = memory.interest[step] / weight
            none, one, two = 1.0, 0.0, 0.0
            for turn in range(1, players):
                other, stacks = _follower(seat, turn, players), memory.stacks[turn]
                if step == first and (state.undecided >> other) & 1 == 0:
                    p = _is_ahead(state, seat, other, total)
                elif stacks == 0:
                    p = 0.0
                else:  # the rival bids in this step, each stack left being equally likely, and beats the sum
                    p = _clip(params.eager * share * stacks) * memory.ahead[turn] / stacks
                two = two * (1.0 - p) + one * p
                one = one * (1.0 - p) + none * p
                none *= 1.0 - p
            _write_chances(memory, step, total, none, one, two)


@force_inline
def _follower(seat, turn, players):
    """Return the seat that acts `turn` turns after another."""
    return seat + turn if seat + turn < players else seat + turn - players


@force_inline
def _is_ahead(state, seat, other, total):
    """Return 1.0 if the bid of a rival that has decided is ahead of the sum `total`, else 0.0 (ties: R5.3)."""
    bid = state.bid[other]
    if bid == 0:
        return 0.0
    rival_total = min(sum_values(bid), SUMS - 1)
    if rival_total != total:
        return float64(rival_total > total)
    players, start = state.players, state.start_player
    distance, rival_distance = (seat - start + players) % players, (other - start + players) % players
    return float64(rival_distance < distance)


@jit
def _fill_rival(state, rules, memory, other, turn):
    """Fill the number of stacks that a rival has left, by size, and the mean of the cards that may be in them."""
    unused, stacks = state.unused[other], int64(0)
    sizes = int64(0)  # number of stacks of each size, 5 bits each: float sums must not depend on the order of stacks
    while unused != 0:
        stack = state.stacks[other, lowest_bit(unused)]
        unused &= unused - 1
        size = stack & 31 if stack & UNKNOWN_STACK else count_cards(stack)
        sizes += int64(1) << (5 * min(size, 11))
        stacks += 1
    memory.stacks[turn], memory.sizes[turn] = stacks, sizes
    if stacks > 0:
        bag = unseen_cards(state, rules, other)
        cards = count_cards(bag)
        memory.mean_card[turn] = sum_values(bag) / cards if cards > 0 else 0.0


@force_inline
def _stacks_ahead(params, memory, turn, total):
    """Return how many of a rival's stacks are expected to beat a sum."""
    mean, sizes, ahead = memory.mean_card[turn], memory.sizes[turn], 0.0
    for size in range(1, 12):
        count = (sizes >> (5 * size)) & 31
        if count > 0:
            lead = total - mean * size
            ahead += count * (0.5 - 0.5 * lead / (params.stack_spread * sqrt(float64(size)) + abs(lead)))
    return ahead


@force_inline
def _begin_assignment(state, rules, memory, seat):
    """Fill what is constant while the bids of a seat are assigned, and assign none."""
    memory.goods = float64(goods_value(state, rules, seat))
    memory.closed = closed_steps(state, rules, seat)
    for step in range(AUCTIONS):
        memory.load[step] = 0


@force_inline
def _points_of_step(memory, step, ranks, points, goods):
    """Return the points and goods expected after a step, from those before it and its load."""
    total = min(memory.load[step], SUMS - 1)
    if total == 0:
        return points, goods
    if (memory.closed >> step) & 1:
        return points - CLOSED, goods
    first, second, third = (
        memory.chance[step, total, 0],
        memory.chance[step, total, 1],
        memory.chance[step, total, 2],
    )
    points += first * memory.base[step, 0]
    acting = first
    if step & 1:
        points += second * memory.base[step, 1]
        goods += first * memory.good[step, 0] + second * memory.good[step, 1]
        acting += second
        if ranks == 3:
            points += third * memory.base[step, 2]
            goods += third * memory.good[step, 2]
            acting += third
    elif step == STEP_A:
        points += second * memory.base[step, 1]
        acting += second
    else:
        points += first * goods * memory.coin[step]
        goods -= first * goods
    return points + (1.0 - acting) * memory.returned, goods


@jit
def _points_from(state, memory, step):
    """Return the points expected from the round, if the loads before `step` are those of the last `_keep_before`."""
    points, goods = memory.before[step, 0], memory.before[step, 1]
    ranks = 2 if state.players == 3 else 3
    for later in range(step, AUCTIONS):
        points, goods = _points_of_step(memory, later, ranks, points, goods)
    return points + goods * memory.coin[AUCTIONS]


@jit
def _keep_before(state, memory):
    """Fill `before` for a bid of `load[step]` in each step, 0: no bid; return the points expected from the round."""
    points, goods = 0.0, memory.goods
    ranks = 2 if state.players == 3 else 3
    for step in range(state.step, AUCTIONS):
        memory.before[step, 0], memory.before[step, 1] = points, goods
        points, goods = _points_of_step(memory, step, ranks, points, goods)
    return points + goods * memory.coin[AUCTIONS]


@jit
def _points_after_move(state, memory, source, target, value):
    """Return the points expected if `value` moved from the load of `source` to that of `target`; restore `load`."""
    memory.load[source] -= value
    memory.load[target] += value
    points = _points_from(state, memory, min(source, target))
    memory.load[source] += value
    memory.load[target] -= value
    return points


@jit
def _assign_cards(state, memory, taken, cards):
    """Assign each card of a bag, highest first, to the step outside `taken` that gains most; return the points."""
    remaining, result = int64(cards), 0.0
    while remaining != 0:
        value = highest_card(remaining)
        card = one_card(value)
        remaining -= card
        best, chosen = -1e30, int64(state.step)
        _keep_before(state, memory)
        for step in range(state.step, AUCTIONS):
            if (taken >> step) & 1:
                continue
            memory.load[step] += value
            points = _points_from(state, memory, step)
            memory.load[step] -= value
            if points > best:
                best, chosen = points, int64(step)
        memory.load[chosen] += value
        memory.bag[chosen] += card
        result = best
    return result


@jit
def make_plan(state, rules, memory, seat, cards):
    """Assign each card of a bag to a step, and write the stacks into `plan`, greatest first.

    Greedy, highest card first; then up to MAX_PASSES passes move or swap single cards where that adds expected points.
    """
    first = state.step
    _begin_assignment(state, rules, memory, seat)
    for step in range(AUCTIONS):
        memory.bag[step] = 0
    worth = _assign_cards(state, memory, int64(0), cards)
    _keep_before(state, memory)
    for _ in range(MAX_PASSES):
        before = worth
        for source in range(first, AUCTIONS):
            for value in range(1, MAX_VALUE + 1):
                if count_value(memory.bag[source], value) == 0:
                    continue
                best, chosen, swapped = worth + 1e-9, int64(-1), int64(0)
                for target in range(first, AUCTIONS):
                    if target == source:
                        continue
                    for other in range(value):  # 0: the card moves; else it swaps with this lower one
                        if other > 0 and count_value(memory.bag[target], other) == 0:
                            continue
                        points = _points_after_move(state, memory, source, target, value - other)
                        if points > best:
                            best, chosen, swapped = points, int64(target), int64(other)
                if chosen >= 0:
                    memory.load[source] -= value - swapped
                    memory.load[chosen] += value - swapped
                    memory.bag[source] -= one_card(value)
                    memory.bag[chosen] += one_card(value)
                    if swapped > 0:
                        memory.bag[source] += one_card(swapped)
                        memory.bag[chosen] -= one_card(swapped)
                    worth = best
                    _keep_before(state, memory)
        if worth <= before:
            break
    for k in range(AUCTIONS):
        bag = memory.bag[k]
        place = k
        while place > 0 and memory.plan[place - 1] < bag:
            memory.plan[place] = memory.plan[place - 1]
            place -= 1
        memory.plan[place] = bag


@jit
def assign_stacks(state, rules, memory, seat):
    """Fill `stack_for` with the stack for each step, or -1.

    In up to MAX_PASSES passes each stack, greatest first, moves to the step where that adds most points. A stack that
    is there moves to the other's old step, or is left unused if there was none.
    """
    first = state.step
    _begin_assignment(state, rules, memory, seat)
    for step in range(AUCTIONS):
        memory.stack_for[step] = -1
    worth = _keep_before(state, memory)
    for _ in range(MAX_PASSES):
        before = worth
        unused = state.unused[seat]
        while unused != 0:
            k = lowest_bit(unused)
            unused &= unused - 1
            total = sum_values(state.stacks[seat, k])
            source = int64(-1)
            for step in range(first, AUCTIONS):
                if memory.stack_for[step] == k:
                    source = int64(step)
            best, chosen = worth + 1e-9, int64(-1)
            for target in range(first, AUCTIONS):
                if target == source:
                    continue
                other_load = memory.load[target]
                memory.load[target] = total
                if source >= 0:
                    memory.load[source] = other_load
                promise = _points_from(state, memory, target if source < 0 else min(source, target))
                memory.load[target] = other_load
                if source >= 0:
                    memory.load[source] = total
                if promise > best:
                    best, chosen = promise, int64(target)
            if chosen >= 0:
                if source >= 0:
                    memory.load[source] = memory.load[chosen]
                    memory.stack_for[source] = memory.stack_for[chosen]
                memory.load[chosen] = total
                memory.stack_for[chosen] = k
                worth = best
                _keep_before(state, memory)
        if worth <= before:
            break


@jit
def follows_plan(state, memory, seat):
    """Return whether the stacks so far (fewer than MAX_PLAN) and the one under construction agree with the plan."""
    count = state.stack_count[seat]
    for k in range(count):
        if state.stacks[seat, k] != memory.plan[k]:
            return False
    for value in range(1, MAX_VALUE + 1):
        if count_value(state.stacks[seat, count], value) > count_value(memory.plan[count], value):
            return False
    return True


@force_inline
def next_split_action(state, to_add):
    """Return the action that adds the highest card of a bag to the stack under construction, or else CLOSE."""
    if to_add == 0:
        return int64(CLOSE)
    value = highest_card(to_add)
    return ADD + value if (state.legal >> value) & 1 else int64(CLOSE)


@jit
def plan_rest(state, rules, memory, seat):
    """Return the bag of hand cards to add to the stack under construction; each stack so far takes its best step."""
    first, count = state.step, state.stack_count[seat]
    _begin_assignment(state, rules, memory, seat)
    for step in range(AUCTIONS):
        memory.bag[step] = 0
    taken, open_step = int64(0), int64(-1)
    for k in range(count + 1):
        total = sum_values(state.stacks[seat, k])
        best, chosen = -1e30, int64(-1)
        _keep_before(state, memory)
        for step in range(first, AUCTIONS):
            if (taken >> step) & 1:
                continue
            memory.load[step] = total
            points = _points_from(state, memory, step)
            memory.load[step] = 0
            if points > best:
                best, chosen = points, int64(step)
        if chosen < 0:
            break
        memory.load[chosen] = total
        if k == count:
            open_step = chosen
        else:
            taken |= int64(1) << chosen
    if open_step < 0:
        return int64(0)
    _assign_cards(state, memory, taken, state.hand)
    return memory.bag[open_step]
