"""Decisions on a lot from learned values: the buyer loads it where it is worth most, and the price has a closed form.

W_P and W_R are the proposer's worth, without the price, if the proposer or the rival gets the lot and the next turn and
loads it best. A price p leaves the proposer min(W_P - p, W_R + p), which is largest where both are equal, so no price
has to be tried. The guide decides whether to show another tile.
"""

from numba import int64

from strozzi_agents.learned.value import play_beyond, utility_at
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


@jit
def _try_load(bought, played, rules, weights, memory, seat, action, prize, beyond, redraws, rng):
    """Return the mean worth of a load to `seat` over `redraws` draws of chance; restore the cursor of `rng`."""
    start, total = rng.cursor, 0.0
    for _ in range(redraws):
        if is_stopped(memory):
            break
        reseed(memory.chance, rng)
        assign(played, bought)
        apply(played, rules, action, memory.chance, None)
        play_beyond(played, rules, memory.chance, memory.guide, beyond)
        total += utility_at(played, rules, weights, memory, seat, prize)
    rng.cursor = start
    return total / redraws


@jit
def best_load(state, rules, weights, memory, buyer, seat, prize, beyond, redraws, rng):
    """Return (action, worth to `seat`) of the load or discard that is best for `buyer`, who has bought the lot.

    If `beyond` is above 0, the loads that are best at the next turn are compared again `beyond` turns later.
    """
    bought = clone(state)
    bought.phase = PLACE
    bought.actor = buyer
    bought.buyer = buyer
    played = clone(bought)
    sign = 1.0 if buyer == seat else -1.0
    worth = memory.total
    loads = placements(bought, rules, buyer) << 1 | 1  # bit 0 is DISCARD
    best, chosen, count = -1e30, int64(DISCARD), 0
    places = loads
    while places != 0:
        action = DISCARD + lowest_bit(places)
        places &= places - 1
        worth[count] = sign * _try_load(bought, played, rules, weights, memory, seat, action, prize, 0, 1, rng)
        if worth[count] > best:
            best, chosen = worth[count], action
        count += 1
    if beyond == 0:
        return chosen, sign * best
    threshold = best
    for _ in range(min(_PLAYED_ON, count) - 1):
        next_best = -1e30
        for k in range(count):
            if worth[k] < threshold:
                next_best = max(next_best, worth[k])
        threshold = next_best
    best, places = -1e30, loads
    for k in range(count):
        action = DISCARD + lowest_bit(places)
        places &= places - 1
        if worth[k] >= threshold:
            value = sign * _try_load(bought, played, rules, weights, memory, seat, action, prize, beyond, redraws, rng)
            if value > best:
                best, chosen = value, action
    return chosen, sign * best


@jit
def _outcomes(state, rules, weights, memory, beyond, redraws, rng):
    """Return (W_P, W_R) in coins, without a prize for the win; they are equal if the rival may not buy."""
    proposer = state.proposer
    rival = 1 - proposer
    _, own_worth = best_load(state, rules, weights, memory, proposer, proposer, 0.0, beyond, redraws, rng)
    if rules.no_buy[rival] or not may_buy(state, rules, rival):
        return own_worth, own_worth
    _, rival_worth = best_load(state, rules, weights, memory, rival, proposer, 0.0, beyond, redraws, rng)
    return own_worth, rival_worth


@jit
def _answer(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return BUY if the seat is better off paying for the lot than if the proposer pays and keeps it, else DECLINE."""
    seat = state.actor
    sold = clone(state)
    sold.cash[seat] -= state.price
    _, buys = best_load(sold, rules, weights, memory, seat, seat, prize, beyond, redraws, rng)
    assign(sold, state)
    sold.cash[1 - seat] -= state.price
    _, declines = best_load(sold, rules, weights, memory, 1 - seat, seat, prize, beyond, redraws, rng)
    return BUY if buys > declines else DECLINE


@jit
def solve_lot(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return the best action (see `learned.verbs.solve`): loads, prices and answers by value, tiles by the guide."""
    drawn, seat, phase = clone(state), state.actor, state.phase
    determinize(drawn, rules, seat, rng)
    if phase == REVEAL:
        return guide_action(drawn, rules, memory.guide)
    if phase == ANSWER:
        return _answer(drawn, rules, weights, memory, prize, beyond, redraws, rng)
    if phase == PLACE:
        return best_load(drawn, rules, weights, memory, seat, seat, prize, beyond, redraws, rng)[0]
    own_worth, rival_worth = _outcomes(drawn, rules, weights, memory, beyond, redraws, rng)
    return NAME_PRICE + min(whole_price(rules, 0.5 * (own_worth - rival_worth)), rules.price_cap[seat])
