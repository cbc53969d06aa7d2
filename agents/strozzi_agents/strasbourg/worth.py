"""Values for a seat, in points: a space in the city, a coin, a chair of the council, a building, and each auction.

An auction's value for a rank is the value of the rank's actions. The memory holds the values of a decision, the bids
being assigned, and the round's plan. The weights `params` are described in `heuristic.PARAMS`. Of the steps of a round
the odd ones are the auctions of the guilds: step 2 k + 1 is that of the k-th guild of the round card.
"""

import numpy as np
from numba import float64, int64

from strozzi_agents.strasbourg.tasks import chapels_to_come, guild_auctions_left, task_chance
from strozzi_sim.games.strasbourg.legal_actions import building_sites, closed_steps, may_take_good
from strozzi_sim.games.strasbourg.scoring import chairs_held
from strozzi_sim.games.strasbourg.state import (
    AUCTIONS,
    CHURCH,
    COUNCIL_MEMBERS,
    GUILD_SEAT,
    MAX_CELLS,
    MAX_PRICE,
    MERCHANTS,
    MOST_COINS,
    NO_SITE,
    NOBILITY,
    NOBILITY_OR_CHURCH,
    NOBODY,
    SEATS,
    STEP_A,
    STEP_H,
    STEP_I,
)
from strozzi_sim.kernel.bits import count_bits, lowest_bit
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.pointers import clone

SUMS = 48  # sums of a bid, 0 to 47; a higher bid counts as 47
RANKS = 3
MAX_PLAN = 7  # stacks of a plan: one for each auction

MEMORY = np.dtype([  # shape                       meaning
    ("left", "f8"),  #                             guild auctions left, with this one, where the seat may place
    ("space", "f8", (MAX_CELLS,)),  #             [cell] points of a member there, without tasks
    ("coin", "f8", (AUCTIONS + 1,)),  #           [step] points of a coin gained there; last: in goods kept for later
    ("base", "f8", (AUCTIONS, RANKS)),  #         [step, rank] points of acting there, without goods
    ("good", "f8", (AUCTIONS, RANKS)),  #         [step, rank] coins that the good taken there sells for
    ("chance", "f8", (AUCTIONS, SUMS, RANKS)),  # [step, sum, rank] probability of the rank with a bid of the sum
    ("interest", "f8", (AUCTIONS,)),  #           [step] how much rivals want to win it, relative to a guild's step
    # of the rivals, [turn] as they follow the seat
    ("stacks", "i8", (SEATS,)),  #                [turn] stacks left
    ("sizes", "i8", (SEATS,)),  #                 [turn] number of these of each size, 5 bits each
    ("mean_card", "f8", (SEATS,)),  #             [turn] mean of the cards that may be in them
    ("ahead", "f8", (SEATS,)),  #                 [turn] stacks expected to beat a sum
    ("returned", "f8"),  #                         points of a losing bid, whose card returns
    ("goods", "f8"),  #                            coins for which the seat's goods sell, as the round's auctions begin
    ("closed", "i8"),  #                           set of the steps in which the seat may not bid
    ("before", "f8", (AUCTIONS + 1, 2)),  #       [step] points and goods expected before it, with the bids assigned
    ("load", "i8", (AUCTIONS,)),  #               [step] sum of the bid assigned to it
    ("bag", "i8", (AUCTIONS,)),  #                [step] bag: cards assigned to it
    ("stack_for", "i8", (AUCTIONS,)),  #          [step] stack assigned to it, or -1
    ("plan_key", "i8"),  #                        hash of the position that the plan is for
    ("plan", "u4", (MAX_PLAN,)),  #               [k] bag: the planned stacks, greatest first
], align=True)  # fmt: skip


@jit
def _add_to_spaces(memory, spaces, points):
    """Add points to every space of a set."""
    while spaces != 0:
        memory.space[lowest_bit(spaces)] += points
        spaces &= spaces - 1


@jit
def fill_spaces(state, rules, params, memory, seat):
    """Fill `space` with the value of a member there: its own points, and existing and possible buildings beside it."""
    for cell in range(MAX_CELLS):
        memory.space[cell] = params.member
    points_to_come = 0.0
    next_to_build = state.round + int64(state.step > STEP_I)  # the first round whose edifice is not yet built
    builds_now = state.step > STEP_A and state.step <= STEP_I and state.council[NOBILITY] == seat
    builds_now = builds_now and rules.no_edifice[seat] == 0
    for number in range(next_to_build, rules.rounds):
        if number > next_to_build or not builds_now:
            points_to_come += rules.edifice_points[state.round_edifice[number]]
    for edifice in range(rules.edifices):
        site = state.edifice_site[edifice]
        if site != NO_SITE:
            _add_to_spaces(memory, rules.site_spaces[site], params.edifice * rules.edifice_points[edifice])
    free, members = state.free_sites, state.members[seat]
    points_beside = params.edifice_hope * points_to_come / max(count_bits(free), 1)
    best, best_promise = int64(-1), -1.0
    while free != 0:
        site = lowest_bit(free)
        free &= free - 1
        spaces = rules.site_spaces[site]
        _add_to_spaces(memory, spaces, points_beside)
        if builds_now:
            promise = count_bits(members & spaces) + 0.5 * count_bits(state.empty & spaces)
            if promise > best_promise:
                best, best_promise = site, promise
    if best >= 0:
        own_points = params.own_edifice * rules.edifice_points[state.round_edifice[state.round]]
        _add_to_spaces(memory, rules.site_spaces[best], own_points)
    free = state.free_chapel_sites
    built = ~free & ((int64(1) << rules.chapel_sites) - 1)
    while built != 0:
        _add_to_spaces(memory, rules.chapel_spaces[lowest_bit(built)], params.edifice * rules.chapel_points)
        built &= built - 1
    hope = params.chapel_hope * rules.chapel_points * chapels_to_come(state, rules) / max(count_bits(free), 1)
    while free != 0:
        _add_to_spaces(memory, rules.chapel_spaces[lowest_bit(free)], hope)
        free &= free - 1


@jit
def expected_tasks(state, rules, params, memory, seat, members, empty, coins):
    """Return the points expected from the kept tasks, relative to failing all, with these members, spaces and coins."""
    worth, kept = 0.0, state.kept[seat]
    while kept != 0:
        task = lowest_bit(kept)
        kept &= kept - 1
        chance = task_chance(state, rules, params, seat, task, members, empty, coins, memory.left)
        worth += (rules.task_points[task] + rules.penalty) * chance
    return params.task * worth


@jit
def value_of_space(state, rules, params, memory, seat, cell, coins, coin, without):
    """Return the points of a member on an empty space; `coin`: of a coin, `without`: of tasks without the member."""
    space, price = int64(1) << cell, rules.price[cell]
    worth = memory.space[cell] - coin * price - without
    members, empty = state.members[seat] | space, state.empty & ~space
    return worth + expected_tasks(state, rules, params, memory, seat, members, empty, coins - price)


@jit
def best_space(state, rules, params, memory, seat, guild, coins, coin):
    """Return (cell, points) of a guild's best space that costs at most `coins`, when a coin is worth `coin`.

    It is (-1, 0) if no space has positive value, since placing is optional.
    """
    spaces = rules.guild_spaces[guild] & state.empty & rules.affordable[min(coins, MAX_PRICE)] & ~rules.no_space[seat]
    if spaces == 0:
        return int64(-1), 0.0
    without = expected_tasks(state, rules, params, memory, seat, state.members[seat], state.empty, coins)
    best, chosen = 0.0, int64(-1)
    while spaces != 0:
        cell = lowest_bit(spaces)
        spaces &= spaces - 1
        worth = value_of_space(state, rules, params, memory, seat, cell, coins, coin, without)
        if worth > best:
            best, chosen = worth, cell
    return chosen, best


@jit
def fill_coins(state, rules, params, memory, seat):
    """Fill `coin` with the value of a coin gained in each step: the more coins per guild auction left, the lower."""
    extra, kept = 0.0, state.kept[seat]
    while kept != 0:
        task = lowest_bit(kept)
        kept &= kept - 1
        if rules.task_kind[task] == MOST_COINS:
            extra = params.task * params.coin_task
    coins, left_after = state.coins[seat], memory.left
    card, closed = state.round_card[state.round], closed_steps(state, rules, seat)
    for step in range(min(state.step, AUCTIONS), AUCTIONS):
        if step & 1 and (closed >> step) & 1 == 0:
            left_after -= float64(rules.guild_spaces[rules.card_guild[card, step >> 1]] & ~rules.no_space[seat] != 0)
        memory.coin[step] = _coin_value(params, coins, left_after) + extra
    memory.coin[AUCTIONS] = params.carry * (_coin_value(params, coins, left_after) + extra) if left_after > 0.0 else 0.0


@force_inline
def _coin_value(params, coins, auctions):
    """Return the points of one more coin for a seat with `coins` coins and `auctions` guild auctions left."""
    need = params.spend * auctions
    return params.coin * need / (need + coins) if need > 0.0 else 0.0


@jit
def value_of_chair(state, rules, params, seat, chair):
    """Return the points of winning a chair now: prestige while it is kept, privileges for a majority, and tasks."""
    rounds = rules.rounds - state.round  # council phases left
    if chair <= MERCHANTS:
        certain = int64(1)
    else:
        certain = rounds
        guild = chair - GUILD_SEAT
        for number in range(state.round + 1, rules.rounds):
            card = state.round_card[number]
            if (
                rules.card_guild[card, 0] == guild
                or rules.card_guild[card, 1] == guild
                or rules.card_guild[card, 2] == guild
            ):
                certain = number - state.round
                break
    expected_rounds = certain + params.keep_chair * (rounds - certain)
    worth = rules.seat_points * expected_rounds + params.majority * rules.privilege_points * expected_rounds
    kept = state.kept[seat]
    while kept != 0:
        task = lowest_bit(kept)
        kept &= kept - 1
        kind = rules.task_kind[task]
        if kind == COUNCIL_MEMBERS:
            need = rules.task_minimum[task, state.players] - chairs_held(state, rules, seat)
            if need > 0:
                lasting = params.keep_chair if certain < rounds else 1.0
                worth += params.task * lasting * (rules.task_points[task] + rules.penalty) / need
        elif kind == NOBILITY_OR_CHURCH and rounds == 1 and chair < MERCHANTS:
            worth += params.task * (rules.task_points[task] + rules.penalty)
    owner = state.council[chair]
    if owner == seat:
        return params.own_chair * worth
    return params.chair * (worth + params.oust * rules.seat_points * expected_rounds * float64(owner != NOBODY))


@jit
def _members_beside(state, params, memory, seat, spaces):
    """Return the seat's members on `spaces`, present and expected, less a share of the rivals' mean number there."""
    own = count_bits(state.members[seat] & spaces)
    others = int64(0)
    for other in range(state.players):
        if other != seat:
            others += count_bits(state.members[other] & spaces)
    share = params.build_hope * memory.left / (memory.left + 5.0)
    return own + share * count_bits(state.empty & spaces) - params.deny * others / (state.players - 1)


@jit
def value_of_edifice(state, rules, params, memory, seat, site):
    """Return the points of the round's edifice on a site: own, less a share of the rivals', plus `expected_tasks`."""
    edifice = state.round_edifice[state.round]
    worth = rules.edifice_points[edifice] * _members_beside(state, params, memory, seat, rules.site_spaces[site])
    if state.kept[seat] != 0:
        after = clone(state)
        after.edifice_site[edifice] = site
        after.free_sites &= ~(1 << site)
        after.step = STEP_I + 1
        worth += expected_tasks(after, rules, params, memory, seat, after.members[seat], after.empty, after.coins[seat])
    return worth


@jit
def value_of_chapel(state, rules, params, memory, seat, site):
    """Return the points of a chapel on a site: own, less a share of the rivals', plus `expected_tasks`."""
    worth = rules.chapel_points * _members_beside(state, params, memory, seat, rules.chapel_spaces[site])
    if state.kept[seat] != 0:
        after = clone(state)
        after.chapels -= 1
        after.free_chapel_sites &= ~(int64(1) << site)
        after.step = STEP_H + 1
        worth += expected_tasks(after, rules, params, memory, seat, after.members[seat], after.empty, after.coins[seat])
    return worth


@jit
def _best_site(state, rules, params, memory, seat, chapel):
    """Return (site, points) of the best site for a chapel or an edifice, relative to building nothing.

    It is (-1, 0) if no site is available or declining is better.
    """
    without = expected_tasks(state, rules, params, memory, seat, state.members[seat], state.empty, state.coins[seat])
    sites = building_sites(state, rules, seat, chapel)
    chosen = int64(-1)
    best = without if rules.building_optional or sites == 0 else -1e30
    while sites != 0:
        site = lowest_bit(sites)
        sites &= sites - 1
        if chapel:
            worth = value_of_chapel(state, rules, params, memory, seat, site)
        else:
            worth = value_of_edifice(state, rules, params, memory, seat, site)
        if worth > best:
            best, chosen = worth, site
    return chosen, best - without


@jit
def best_chapel(state, rules, params, memory, seat):
    """Return (site, points) of the best site for a chapel; see `_best_site`."""
    return _best_site(state, rules, params, memory, seat, True)


@jit
def best_edifice(state, rules, params, memory, seat):
    """Return (site, points) of the best site for the round's edifice; see `_best_site`."""
    return _best_site(state, rules, params, memory, seat, False)


@jit
def fill_decision(state, rules, params, memory, seat):
    """Fill `left`, `coin` and `space`, which are constant during a decision."""
    # of all guilds (-1), with a space that the seat may use
    memory.left = float64(guild_auctions_left(state, rules, seat, int64(-1), ~rules.no_space[seat]))
    fill_coins(state, rules, params, memory, seat)
    fill_spaces(state, rules, params, memory, seat)


@jit
def goods_value(state, rules, seat):
    """Return the coins for which all goods of a seat sell."""
    coins = int64(0)
    for guild in range(rules.guilds):
        coins += state.goods[seat, guild] * rules.good_value[guild]
    return coins


@jit
def fill_steps(state, rules, params, memory, seat):
    """Fill `base`, `good` and `returned` for the auctions left in the round; requires `fill_decision`."""
    first, coins = min(state.step, AUCTIONS), state.coins[seat]
    memory.returned = params.returned * float64(state.round + 1 < rules.rounds)
    goods = goods_value(state, rules, seat)
    card = state.round_card[state.round]
    for step in range(first, AUCTIONS):
        for rank in range(RANKS):
            memory.base[step, rank] = 0.0
            memory.good[step, rank] = 0.0
        if step & 1:
            guild = rules.card_guild[card, step >> 1]
            funds = coins if step == first else coins + int64(params.credit * goods)
            _, place = best_space(state, rules, params, memory, seat, guild, funds, memory.coin[step])
            place *= params.place
            good = float64(rules.good_value[guild] * int64(may_take_good(rules, seat, guild)))
            apprentice = 1 if state.players == 3 else 2
            for rank in range(apprentice + 1):
                memory.base[step, rank] = place
                memory.good[step, rank] = good
            memory.base[step, 0] += value_of_chair(state, rules, params, seat, GUILD_SEAT + guild)
            if place >= good * memory.coin[step] * params.sale:
                memory.good[step, apprentice] = 0.0
            else:
                memory.base[step, apprentice] = 0.0
        elif step == STEP_A:
            _, edifice = best_edifice(state, rules, params, memory, seat)
            _, chapel = best_chapel(state, rules, params, memory, seat)
            memory.base[step, 0] = value_of_chair(state, rules, params, seat, NOBILITY) + params.build_edifice * edifice
            memory.base[step, 1] = value_of_chair(state, rules, params, seat, CHURCH) + params.build_chapel * chapel
        elif step == AUCTIONS - 1:
            memory.base[step, 0] = value_of_chair(state, rules, params, seat, MERCHANTS)
