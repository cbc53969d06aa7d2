"""The agent `greedy`, which takes what pays most at once."""

from numba import int64

from strozzi_agents.strozzi.immediate_value import best_port_pay, best_tile_pay, step_pay
from strozzi_sim.agent import Param, compiled_agent
from strozzi_sim.games.strozzi.state import (
    CLAIM,
    CLAIM_WITH,
    DECLINE_TILE,
    FLORENCE,
    PASS,
    PIRACY,
    PIRATE_FLAG,
    PLACE_AT,
    PLUS_ONE_FLAG,
    PORT,
    TAKE_TILE,
    WARE_FLAG,
)
from strozzi_sim.kernel.jit import jit

# In ascending order of what it costs to give up the flag; of claims that pay equally, the cheapest is made.
_CHEAPEST_FIRST = (PLUS_ONE_FLAG, WARE_FLAG, PIRATE_FLAG)


@jit
def _claim(state, rules, margin, pirate_margin):
    """Return the claim that pays most now, or PASS if it pays at most `margin` (both margins for a claimed ship)."""
    seat, ship = state.actor, state.ship
    pay = step_pay(state, rules, seat, FLORENCE, rules.scrolls[ship])
    if rules.promotion[ship]:
        pay += best_tile_pay(state, rules, seat)[1]
    if state.phase == PIRACY:
        pay += best_port_pay(state, rules, seat, ship, PIRATE_FLAG)[1]
        return int64(CLAIM_WITH + PIRATE_FLAG) if pay > margin + pirate_margin else PASS
    flags = state.legal >> 1  # bit 0 of `legal` is PASS
    best, chosen = -1, PASS
    for flag in _CHEAPEST_FIRST:
        if (flags >> flag) & 1 == 1:
            total = pay + best_port_pay(state, rules, seat, ship, int64(flag))[1]
            if total > margin and total > best:
                best, chosen = total, CLAIM_WITH + flag
    return chosen


@compiled_agent(
    name="greedy",
    games=("strozzi",),
    margin=Param(15, 0, 1000, "claims a ship that pays more coins than this at once"),
    pirate_margin=Param(5, 0, 1000, "extra coins needed to take a claimed ship with the pirate flag"),
)
def greedy(state, rules, params, memory, rng):
    """Takes what pays most if the round and the categories were scored now."""
    phase = state.phase
    if phase in (CLAIM, PIRACY):
        return _claim(state, rules, params.margin, params.pirate_margin)
    seat = state.actor
    if phase == PORT:
        return PLACE_AT + best_port_pay(state, rules, seat, state.ship, state.holder_flag)[0]
    slot, pay = best_tile_pay(state, rules, seat)
    if slot < 0 or (pay < 0 and rules.tile_optional):
        return DECLINE_TILE
    return TAKE_TILE + slot
