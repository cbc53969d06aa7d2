"""Decisions on a lot from learned values: the buyer loads it where it is worth most, and the price has a closed form.

W_P and W_R are the proposer's worth, without the price, if the proposer or the rival gets the lot and the next turn and
loads it best. A price p leaves the proposer min(W_P - p, W_R + p), which is largest where both are equal, so no price
has to be tried. The guide decides whether to show another tile.
"""

from numba import int64

from strozzi_agents.learned.estimate import add_sample, begin_estimates
from strozzi_agents.learned.value import plan_worth, play_beyond, utility_at
from strozzi_agents.learned.verbs import guide_action
from strozzi_sim.game.contract import apply, determinize
from strozzi_sim.games.medici_vs_strozzi.core import placements
from strozzi_sim.games.medici_vs_strozzi.state import ANSWER, BUY, DECLINE, DISCARD, NAME_PRICE, PLACE, REVEAL
from strozzi_sim.games.medici_vs_strozzi.worth import may_buy, whole_price
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, clone, is_stopped
from strozzi_sim.kernel.streams import reseed

_PLAYED_ON = 3  # a buyer's best loads, equal ones counted once, which are played on if `beyond` is above 0
_VALUE_ERROR = 5.0  # points: error of a difference of two values; with 6.6, 8 draws won less


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
def _compare(state, rules, weights, memory, own, count, paid, seat, prize, beyond, redraws, rng):
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
        redraws: number of samples of chance, the same for all loads.
        rng: random stream of the agent.
    """
    begin_estimates(memory, 0, count, _VALUE_ERROR)
    if beyond == 0 or count == 1:
        return
    played = clone(state)
    for number in range(redraws):
        if is_stopped(memory):
            break
        reseed(memory.sweep, rng)
        worth_of_first = 0.0
        for k in range(count):
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
def _lead_of_sale(state, rules, weights, memory, paid, seat, prize, beyond, redraws, rng):
    """Return how much better `seat` is off if it buys the lot for `paid` than if the rival does."""
    most = _PLAYED_ON if beyond > 0 else 1
    bought = clone(state)
    _sell(bought, state, seat, paid)
    own = _list_loads(bought, rules, weights, memory, 0, most, seat, prize, rng)
    _sell(bought, state, 1 - seat, paid)
    count = own + _list_loads(bought, rules, weights, memory, own, most, seat, prize, rng)
    _compare(state, rules, weights, memory, own, count, paid, seat, prize, beyond, redraws, rng)
    best, worst = memory.lead[0], memory.lead[own]
    for k in range(count):
        if k < own:
            best = max(best, memory.lead[k])
        else:
            worst = min(worst, memory.lead[k])
    return best - worst + plan_worth(state, rules, memory, int64(BUY))


@jit
def _load(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return the load or discard that is best for the buyer, who acts."""
    seat = state.actor
    count = _list_loads(state, rules, weights, memory, 0, _PLAYED_ON if beyond > 0 else 1, seat, prize, rng)
    _compare(state, rules, weights, memory, count, count, 0, seat, prize, beyond, redraws, rng)
    best = 0
    for k in range(count):
        if memory.lead[k] > memory.lead[best]:
            best = k
    return int64(memory.option[best])


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
        lead = _lead_of_sale(drawn, rules, weights, memory, state.price, seat, prize, beyond, redraws, rng)
        return BUY if lead > 0.0 else DECLINE
    lead = 0.0
    if not rules.no_buy[1 - seat] and may_buy(state, rules, 1 - seat):
        lead = _lead_of_sale(drawn, rules, weights, memory, 0, seat, 0.0, beyond, redraws, rng)
    return NAME_PRICE + min(whole_price(rules, 0.5 * lead), rules.price_cap[seat])
