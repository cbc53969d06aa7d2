"""The decisions of a lot from learned values: whoever buys it loads it where it is worth most, and the price node is solved.

Either owner's best load is looked up as if it had cost nothing. Named p, the proposer has min(W_P - p, W_R + p), which is best
where both are equal; W_P and W_R are its worth if it or its rival gets the lot and the turn. No price has to be tried.
Whether another tile is shown is left to the guide.
"""

from numba import int64

from strozzi_agents.learned.value import play_beyond, utility_at
from strozzi_agents.learned.verbs import guide_action
from strozzi_sim.game.contract import apply, determinize
from strozzi_sim.games.medici_vs_strozzi.core import placements
from strozzi_sim.games.medici_vs_strozzi.state import (
    ANSWER,
    BUY,
    DECLINE,
    DISCARD,
    NAME_PRICE,
    PLACE,
    REVEAL,
)
from strozzi_sim.games.medici_vs_strozzi.worth import may_buy, whole_price
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, clone, is_stopped
from strozzi_sim.kernel.streams import reseed

PLAYED_ON = 3  # loads of either side with `beyond`, the best ones


@jit
def _try_load(bought, played, rules, weights, memory, seat, action, prize, beyond, redraws, rng):
    """Return the mean worth to `seat` after a load, over draws that begin at the present place of `rng`, which stays."""
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
    """Return (action, worth to `seat`) if `buyer` has bought the lot and loads it for its own best.

    With `beyond`, the loads that are best at once are played on.
    """
    bought = clone(state)
    bought.phase = PLACE
    bought.actor = buyer
    bought.buyer = buyer
    played = clone(bought)
    sign = 1.0 if buyer == seat else -1.0
    worth = memory.total
    loads = placements(bought, rules, buyer) << 1 | 1  # the first is to discard
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
    least = best
    for _ in range(min(PLAYED_ON, count) - 1):
        following = -1e30
        for k in range(count):
            if worth[k] < least:
                following = max(following, worth[k])
        least = following
    best, places = -1e30, loads
    for k in range(count):
        action = DISCARD + lowest_bit(places)
        places &= places - 1
        if worth[k] >= least:
            more = sign * _try_load(bought, played, rules, weights, memory, seat, action, prize, beyond, redraws, rng)
            if more > best:
                best, chosen = more, action
    return chosen, sign * best


@jit
def _outcomes(state, rules, weights, memory, beyond, redraws, rng):
    """Return (W_P, W_R) in coins, equal if the rival may not buy."""
    proposer = state.proposer
    rival = 1 - proposer
    _, mine = best_load(state, rules, weights, memory, proposer, proposer, 0.0, beyond, redraws, rng)
    if rules.no_buy[rival] or not may_buy(state, rules, rival):
        return mine, mine
    _, yours = best_load(state, rules, weights, memory, rival, proposer, 0.0, beyond, redraws, rng)
    return mine, yours


@jit
def _answer(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Buy if that is better than what the proposer does with the lot."""
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
    """Return the action from the values of both owners' best loads."""
    drawn, seat, phase = clone(state), state.actor, state.phase
    determinize(drawn, rules, seat, rng)
    if phase == REVEAL:
        return guide_action(drawn, rules, memory.guide)
    if phase == ANSWER:
        return _answer(drawn, rules, weights, memory, prize, beyond, redraws, rng)
    if phase == PLACE:
        return best_load(drawn, rules, weights, memory, seat, seat, prize, beyond, redraws, rng)[0]
    mine, yours = _outcomes(drawn, rules, weights, memory, beyond, redraws, rng)
    return NAME_PRICE + min(whole_price(rules, 0.5 * (mine - yours)), rules.price_cap[seat])
