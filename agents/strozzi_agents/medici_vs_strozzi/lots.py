"""Decisions on a lot from learned values: the buyer loads it where it is worth most, and the price has a closed form.

W_P and W_R are the proposer's worth, without the price, if the proposer or the rival gets the lot and the next turn and
loads it best. A price p leaves the proposer min(W_P - p, W_R + p), which is largest where both are equal, so no price
has to be tried. The guide decides whether to show another tile.
"""

from math import log, nan, sqrt

from numba import int64

from strozzi_agents.learned.estimate import DROPPED, add_sample, begin_estimates
from strozzi_agents.learned.value import plan_worth, play_beyond, utility_at
from strozzi_agents.learned.verbs import guide_action
from strozzi_sim.game.contract import apply, determinize
from strozzi_sim.games.medici_vs_strozzi.core import placements
from strozzi_sim.games.medici_vs_strozzi.state import ANSWER, BUY, DECLINE, DISCARD, NAME_PRICE, PLACE, REVEAL
from strozzi_sim.games.medici_vs_strozzi.worth import may_buy, whole_price
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, clone, is_stopped
from strozzi_sim.kernel.streams import randbelow, reseed, reseed_evenly

_PLAYED_ON = 3  # a buyer's best loads, equal ones counted once, which are played on if `beyond` is above 0
_VALUE_ERROR = 5.0  # points: error of a difference of two values; with 6.6, 8 draws won less


@jit
def _misjudged(memory, rng):
    """Return by how many points an action is misjudged: 0 at temperature 0, else a Gumbel variable of that scale.

    The best of actions so misjudged is each of them with a probability proportional to exp(worth / temperature).
    """
    if memory.temperature <= 0.0:
        return 0.0
    return -memory.temperature * log(-log((randbelow(rng, 1 << 31) + 0.5) * 2.0**-31))


@jit
def _sell(bought, state, buyer, price):
    """Set `bought` to the position in which `buyer` has paid `price` for the lot and must load it."""
    assign(bought, state)
    bought.phase = PLACE
    bought.actor = buyer
    bought.buyer = buyer
    bought.cash[buyer] -= price


@jit
def _list_loads(bought, rules, weights, memory, at, most, seat, prize, rng):
    """Write the `most` loads or discards that are best by value for the buyer, best first, and return their number.

    The actions are in `memory.option` from index `at`, their worth to `seat` in `memory.total`. Of equal worth only the
    first is listed.
    """
    buyer = bought.buyer
    sign = 1.0 if buyer == seat else -1.0
    worth, option, count = memory.total, memory.option, 0
    played = clone(bought)
    start = rng.cursor
    reseed(memory.sweep, rng)
    rng.cursor = start  # both buyers' loads meet the same chance
    places = placements(bought, rules, buyer) << 1 | 1  # bit 0 is DISCARD
    while places != 0:
        action = DISCARD + lowest_bit(places)
        places &= places - 1
        assign(played, bought)
        assign(memory.chance, memory.sweep)
        apply(played, rules, action, memory.chance, None)
        play_beyond(played, rules, memory.chance, memory.guide, 0)
        found = utility_at(played, rules, weights, memory, seat, prize)
        if buyer == seat:
            found += plan_worth(bought, rules, memory, action)
        found += sign * _misjudged(memory, rng)
        k = count
        while k > 0 and sign * found > sign * worth[at + k - 1]:
            k -= 1
        if k == most or (k > 0 and found == worth[at + k - 1]):
            continue
        count = min(count + 1, most)
        for i in range(count - 1, k, -1):
            worth[at + i] = worth[at + i - 1]
            option[at + i] = option[at + i - 1]
        worth[at + k] = found
        option[at + k] = action
    return count


@jit
def _best_loads(memory, own, count):
    """Return the seat's best load and the rival's by `memory.lead`; -1 if no loads of the rival are listed."""
    best, worst = int64(0), int64(own if count > own else -1)
    for k in range(1, count):
        if k < own and memory.lead[k] > memory.lead[best]:
            best = int64(k)
        if k > own and memory.lead[k] < memory.lead[worst]:
            worst = int64(k)
    return best, worst


@jit
def _still_tried(memory, own, count, tried, offset):
    """Return the bit set of those loads of `tried` that are not far behind their buyer's best; 0 once all is decided.

    Loads of one buyer are compared with each other; with two buyers, the question is whether the seat's best load and
    `offset` are better than the rival's best. The first load is in no set: all are compared with it.
    """
    best, worst = _best_loads(memory, own, count)
    kept = int64(0)
    for k in range(1, count):
        behind = memory.lead[best] - memory.lead[k] if k < own else memory.lead[k] - memory.lead[worst]
        if (tried >> k) & 1 == 1 and (k in (best, worst) or behind <= DROPPED * memory.error[k]):
            kept |= int64(1) << k
    if worst < 0:
        only_best = kept == int64(1) << best
        return int64(0) if only_best and memory.lead[best] > DROPPED * memory.error[best] else kept
    lead = abs(memory.lead[best] - memory.lead[worst] + offset)
    error = sqrt(memory.error[best] ** 2 + memory.error[worst] ** 2)
    return int64(0) if lead > DROPPED * error else kept


@jit
def _compare(state, rules, weights, memory, own, count, paid, seat, prize, beyond, redraws, offset, rng):
    """Estimate the lead of each load over the first one in `memory.lead`, from values and from samples of later turns.

    Args:
        state: position before the sale.
        rules: rules of the variant.
        weights: address of the table of network addresses by player count.
        memory: record of `learned_memory`; its options are the loads.
        own: number of loads of `seat` as the buyer, which come first.
        count: number of all loads.
        paid: price that the buyer pays.
        seat: seat whose worth is compared.
        prize: points of lead that a win is worth.
        beyond: number of turns that the guide plays on, 0: no samples.
        redraws: highest number of samples of chance.
        offset: see `_still_tried`; not a number: all samples are drawn, for a price.
        rng: random stream of the agent.
    """
    begin_estimates(memory, 0, count, _VALUE_ERROR)
    if beyond == 0:
        return
    played = clone(state)
    reseed(memory.start, rng)
    tried = (int64(1) << count) - 2
    for number in range(redraws):
        tried = _still_tried(memory, own, count, tried, offset)
        if tried == 0 or is_stopped(memory):
            break
        reseed_evenly(memory.sweep, memory.start, number)
        worth_of_first = 0.0
        for k in range(count):
            if k > 0 and (tried >> k) & 1 == 0:
                continue
            _sell(played, state, seat if k < own else 1 - seat, paid)
            worth = plan_worth(played, rules, memory, int64(memory.option[k])) if k < own else 0.0
            assign(memory.chance, memory.sweep)
            apply(played, rules, int64(memory.option[k]), memory.chance, None)
            play_beyond(played, rules, memory.chance, memory.guide, beyond)
            worth += utility_at(played, rules, weights, memory, seat, prize)
            if k == 0:
                worth_of_first = worth
            else:
                add_sample(memory, 0, k, number + 1, worth - worth_of_first, _VALUE_ERROR)


@jit
def _lead_of_sale(state, rules, weights, memory, paid, seat, prize, beyond, redraws, offset, rng):
    """Return by how much `seat` is better off if it, not its rival, buys the lot for `paid` (`offset`: `_compare`)."""
    most = _PLAYED_ON if beyond > 0 else 1
    bought = clone(state)
    _sell(bought, state, seat, paid)
    own = _list_loads(bought, rules, weights, memory, 0, most, seat, prize, rng)
    _sell(bought, state, 1 - seat, paid)
    count = own + _list_loads(bought, rules, weights, memory, own, most, seat, prize, rng)
    _compare(state, rules, weights, memory, own, count, paid, seat, prize, beyond, redraws, offset, rng)
    best, worst = _best_loads(memory, own, count)
    return memory.lead[best] - memory.lead[worst]


@jit
def _load(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return the load or discard that is best for the buyer, who acts."""
    seat = state.actor
    count = _list_loads(state, rules, weights, memory, 0, _PLAYED_ON if beyond > 0 else 1, seat, prize, rng)
    _compare(state, rules, weights, memory, count, count, 0, seat, prize, beyond, redraws, 0.0, rng)
    return int64(memory.option[_best_loads(memory, count, count)[0]])


@jit
def solve_lot(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return the best action (see `learned.verbs.solve`): loads, prices and answers by value, tiles by the guide."""
    drawn, seat, phase = clone(state), state.actor, state.phase
    determinize(drawn, rules, seat, rng)
    if phase == REVEAL:
        return guide_action(drawn, rules, memory.guide)
    if phase == PLACE:
        return _load(drawn, rules, weights, memory, prize, beyond, redraws, rng)
    if phase == ANSWER:
        planned = plan_worth(drawn, rules, memory, int64(BUY)) + _misjudged(memory, rng) - _misjudged(memory, rng)
        lead = _lead_of_sale(drawn, rules, weights, memory, state.price, seat, prize, beyond, redraws, planned, rng)
        return BUY if lead + planned > 0.0 else DECLINE
    lead = 0.0
    if not rules.no_buy[1 - seat] and may_buy(state, rules, 1 - seat):
        lead = _lead_of_sale(drawn, rules, weights, memory, 0, seat, 0.0, beyond, redraws, nan, rng)
        lead += plan_worth(drawn, rules, memory, int64(BUY)) + _misjudged(memory, rng) - _misjudged(memory, rng)
    return NAME_PRICE + min(whole_price(rules, 0.5 * lead), rules.price_cap[seat])
