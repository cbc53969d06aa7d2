"""The hand-written evaluator: what steps, spaces, chairs and coins are worth, and where influence buys most of it."""

from typing import Any

from numba import float64, int64, uint64

from strozzi_agents.strasbourg.bidding import (
    assign_stacks,
    fill_chances,
    fill_chances_ahead,
    follows_plan,
    lay_next,
    make_plan,
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
from strozzi_sim.games.strasbourg.cards import add_values, count_cards, expand, highest_card
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

# Every weight, by name. Points are those of the final score.
PARAMS: dict[str, Any] = {
    # Spaces.
    "member": Param(0.95, 0.0, 5.0, "points of a member in the city, apart from what it stands beside"),
    "edifice": Param(0.98, 0.0, 3.0, "weight of points beside edifices and chapels that stand"),
    "edifice_hope": Param(0.79, 0.0, 3.0, "weight of edifices to come, spread over the free sites"),
    "own_edifice": Param(0.37, 0.0, 2.0, "weight of the edifice that the seat is about to build, at its best site"),
    "chapel_hope": Param(0.63, 0.0, 3.0, "weight of chapels to come, spread over the free sites"),
    "build_hope": Param(0.33, 0.0, 2.0, "own members expected on an empty space beside a new building, early in the game"),
    "deny": Param(0.46, 0.0, 2.0, "weight of the mean of what a new building brings the others"),
    # Tasks.
    "task": Param(0.82, 0.0, 3.0, "weight of tasks"),
    "task_effort": Param(2.74, 0.1, 20.0, "auctions of guilds to come with which a step of a task comes off half the time"),
    "task_guild": Param(2.89, 0.1, 20.0, "auctions of any guild that one of the guild in question counts as, for its task"),
    "task_seat": Param(2.37, 0.1, 20.0, "as task_effort, for a chair of the council"),
    "city_spread": Param(0.43, 0.0, 5.0, "lead in members that is 3/4 sure, for each auction of a guild to come"),
    "coin_spread": Param(1.24, 0.0, 10.0, "lead in coins that is 3/4 sure, for each auction of a guild to come"),
    "coin_task": Param(0.33, 0.0, 3.0, "points of a coin more for who keeps the task of most coins"),
    "keep": Param(0.35, -5.0, 10.0, "points that a task must promise to be kept"),
    "keep_blindly": Param(0.0, 0.0, 1.0, "chance to keep a task, whatever it is, to learn what each is worth; 0: for what it promises"),
    # Coins.
    "coin": Param(1.17, 0.0, 3.0, "points of a coin for a seat without coins"),
    "spend": Param(0.91, 0.05, 5.0, "coins that an auction of a guild to come asks for"),
    "carry": Param(0.51, 0.0, 1.0, "share of a coin's worth that a good has when the round ends"),
    "credit": Param(0.46, 0.0, 1.0, "share of the goods that is believed to be sold before a later step of the round"),
    "sale": Param(1.02, 0.0, 2.0, "share of a coin's worth that a good has for an apprentice"),
    # Chairs.
    "chair": Param(0.87, 0.0, 3.0, "weight of chairs"),
    "majority": Param(0.26, 0.0, 2.0, "privileges that a chair brings each round"),
    "keep_chair": Param(0.23, 0.0, 1.0, "share of the rounds that a chair is kept after its next auction"),
    "own_chair": Param(0.8, 0.0, 2.0, "weight of a chair that the seat has already: chance to lose it otherwise"),
    "oust": Param(0.18, 0.0, 2.0, "weight of what a rival loses"),
    # Steps.
    "place": Param(1.29, 0.0, 3.0, "weight of placing a member, when steps are compared"),
    "build_edifice": Param(0.56, 0.0, 3.0, "weight of building the edifice, when steps are compared"),
    "build_chapel": Param(1.09, 0.0, 3.0, "weight of building a chapel, when steps are compared"),
    "returned": Param(0.27, 0.0, 3.0, "points of a card that comes back"),
    # Rivals, before stacks are known; with four cards a round.
    "often": Param(0.14, 0.0, 1.0, "chance that a rival bids in a guild's step"),
    "interest_a": Param(0.76, 0.0, 3.0, "the same in step A, as a share"),
    "interest_sale": Param(0.66, 0.0, 3.0, "the same at the merchants' if all rivals have goods, as a share"),
    "interest_g": Param(0.33, 0.0, 3.0, "more in step G, for the chair"),
    "mean_a": Param(1.97, 1.0, 20.0, "mean bid of a rival in step A"),
    "mean_guild": Param(6.7, 1.0, 20.0, "mean bid of a rival in a guild's step"),
    "mean_sale": Param(3.63, 1.0, 20.0, "mean bid of a rival at the merchants'"),
    "bid_spread": Param(3.5, 0.1, 20.0, "sum above the mean that beats 3 rivals in 4 who bid"),
    # When stacks lie on the table.
    "stack_spread": Param(1.0, 0.1, 20.0, "the same for a stack of one card; more cards spread with their square root"),
    "eager": Param(1.31, 0.0, 3.0, "how surely a rival uses all its stacks"),
    "defer": Param(2.17, 0.0, 20.0, "points at stake for which it pays a privilege to wait"),
    # Influence over the rounds.
    "early": Param(0.68, -1.0, 3.0, "cards that the first of five rounds gets more than the last, as a share"),
    "overdraw": Param(1.18, -5.0, 10.0, "influence beyond its share at which a round has enough"),
}  # fmt: skip


_LAST_HAND = 20  # cards of the last round at most: sums of more are of no use, and take long to divide
_HALF_A_CARD = 1.75  # influence: a card is drawn if that brings the hand nearer to its share


@jit
def _keep_blindly(state, rules, seat, chance):
    """Each task dealt with one chance, and one in any case, by a hash of the deal."""
    key, choice = hash_combine(hash_combine(uint64(seat), state.dealt[seat]), state.start_player), int64(0)
    for number in range(rules.rounds):
        key = hash_combine(hash_combine(key, state.round_card[number]), state.round_edifice[number])
    number = count_bits(state.dealt[seat])
    for k in range(number):
        key = hash_combine(key, k)
        if float64(key >> uint64(11)) < chance * 2.0**53:
            choice |= int64(1) << k
    return choice if choice != 0 else int64(1) << int64(key % uint64(number))


@jit
def _promise(state, rules, params, seat, tasks):
    """Points that a set of tasks promises when it is dealt."""
    worth = 0.0
    while tasks != 0:
        task = lowest_bit(tasks)
        tasks &= tasks - 1
        chance = first_chance(state, rules, seat, task)
        worth += rules.task_points[task] * chance - rules.penalty * (1.0 - chance) - params.keep
    return worth


@jit
def _keep(state, rules, params, seat):
    """The tasks that promise points; the best one in any case, and as many as must be kept."""
    choice, best, chosen = int64(0), -1e30, int64(0)
    dealt, k = state.dealt[seat], 0
    legal = state.legal
    if params.keep_blindly > 0.0:
        choice, dealt = _keep_blindly(state, rules, seat, params.keep_blindly), int64(0)
    while dealt != 0:
        worth = _promise(state, rules, params, seat, dealt & -dealt)
        dealt &= dealt - 1
        if worth > best:
            best, chosen = worth, int64(1) << k
        if worth > 0.0:
            choice |= int64(1) << k
        k += 1
    choice |= chosen
    if (legal >> choice) & 1:
        return choice
    # fewer or more must be kept: the legal choice that is nearest; or some may not: what promises most
    best, nearest = -1e30, lowest_bit(legal)
    while legal != 0:
        other = lowest_bit(legal)
        legal &= legal - 1
        worth = -float(count_bits(other ^ choice))
        if rules.no_keep[seat] | rules.no_task[seat]:
            worth = _promise(state, rules, params, seat, expand(state.dealt[seat], other))
        if worth > best:
            best, nearest = worth, other
    return nearest


@jit
def _draw(state, rules, params, seat):
    """Another card unless the round has its share of the influence that is left, or more where the later ones cannot take it."""
    left = rules.rounds - state.round
    weight = total = 0.0
    for k in range(left):  # k rounds later
        share = 1.0 + params.early * (left - 1 - k) / max(rules.rounds - 1, 1)
        share *= 1.0 - count_bits(rules.no_bid[seat, state.round_card[state.round + k]]) / AUCTIONS
        total += share
        if k == 0:
            weight = share
    hand = state.hand
    influence = add_values(hand) + add_values(state.deck[seat])
    for k in range(state.under_taken[seat], state.under_left[seat]):
        influence += state.under[seat, k]
    if left == 1:
        return DRAW_CARD if count_cards(hand) < _LAST_HAND else STOP
    share = max(influence * weight / total, influence - 2 * _HALF_A_CARD * rules.most_drawn[seat] * (left - 1))
    return DRAW_CARD if add_values(hand) + _HALF_A_CARD < share + params.overdraw else STOP


@jit
def plan_key(state, rules, seat, cards):
    """A number for all that a plan depends on."""
    key = hash_combine(uint64(seat), cards)
    # A search may imagine plans of a later step.
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
    """Bag: what the seat divides, in hand and on stacks."""
    cards = state.hand
    for k in range(state.stack_count[seat] + 1):
        cards += state.stacks[seat, k]
    return cards


@jit
def fill_planning(state, rules, params, memory, seat):
    """Work out what a plan of the round is made from."""
    fill_decision(state, rules, params, memory, seat)
    fill_steps(state, rules, params, memory, seat)
    fill_chances_ahead(state, rules, params, memory, seat)


@jit
def _split(state, rules, params, memory, seat):
    """Follow the plan; where stacks are not as planned, mean the cards left for the steps that are."""
    count, cards = state.stack_count[seat], cards_drawn(state, seat)
    key = plan_key(state, rules, seat, cards)
    planned = memory.plan_key == key
    on_plan = count < MAX_PLAN
    if planned and on_plan:
        on_plan = follows_plan(state, memory, seat)
    if not planned or not on_plan:
        fill_planning(state, rules, params, memory, seat)
    if not planned:
        make_plan(state, rules, params, memory, seat, cards)
        memory.plan_key = key
        on_plan = count < MAX_PLAN and follows_plan(state, memory, seat)
    rest = memory.plan[count] - state.stacks[seat, count] if on_plan else plan_rest(state, rules, memory, seat)
    return lay_next(state, rest)


@jit
def _bid(state, rules, params, memory, seat):
    """The stack that is meant for this step, or wait, or pass."""
    fill_decision(state, rules, params, memory, seat)
    fill_steps(state, rules, params, memory, seat)
    totals, left = int64(0), state.unused[seat]
    while left != 0:
        totals |= int64(1) << min(add_values(state.stacks[seat, lowest_bit(left)]), SUMS - 1)
        left &= left - 1
    fill_chances(state, rules, params, memory, seat, totals)
    assign_stacks(state, rules, params, memory, seat)
    step = state.step
    k = memory.stack_for[step]
    if k < 0:
        return PASS
    if (state.legal >> (DEFER - PASS)) & 1:
        sure = memory.chance[step, min(memory.load[step], SUMS - 1), 0]
        if sure * (1.0 - sure) * 4.0 * (memory.base[step, 0] - memory.base[step, 1]) > params.defer:
            return DEFER
    while k > 0 and (state.repeated[seat] >> k) & 1 and (state.unused[seat] >> (k - 1)) & 1:
        k -= 1
    return REVEAL + k


@jit
def _act(state, rules, params, memory, seat, phase):
    """What to take, where to place, what to sell."""
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
    """What the evaluator chooses."""
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
    """Spends influence where it expects most points for it: spaces, tasks, chairs and coins, at the chance of winning them."""
    return decide(state, rules, params, memory)
