"""Agents that name a constant price, the fair price, or a multiple of it."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any, get_type_hints

from numba import int64

from strozzi_agents.medici_vs_strozzi.immediate_value import best_load_now
from strozzi_sim.agent import Param, compiled_agent
from strozzi_sim.games.medici_vs_strozzi.state import (
    ANSWER,
    BUY,
    DECLINE,
    MAX_PRICE,
    MAX_REVEAL,
    NAME_PRICE,
    PRICE,
    REVEAL,
    REVEAL_MORE,
    STOP,
)
from strozzi_sim.games.medici_vs_strozzi.worth import (
    DEFAULT,
    MEMORY,
    WorthWeights,
    another_tile,
    best_placement,
    fill_round,
    kept_and_sold,
    node,
    whole_price,
)
from strozzi_sim.kernel.jit import jit

WEIGHTS: dict[str, Any] = {
    name: Param(getattr(DEFAULT, name), *hint.__metadata__)  # lowest, highest, description
    for name, hint in get_type_hints(WorthWeights, include_extras=True).items()
}


@compiled_agent(
    name="fixed-price",
    games=("medici_vs_strozzi",),
    value=Param(12, 0, MAX_PRICE, "the price it names, and the highest it pays", label="price"),
    tiles=Param(1, 1, MAX_REVEAL, "tiles it shows, as far as it may", label="tiles shown"),
)
def fixed_price(state, rules, params, memory, rng):
    """Names one price for every lot, buys at that price or less, and loads where it earns most now."""
    phase = state.phase
    if phase == REVEAL:
        return REVEAL_MORE if state.shown < params.tiles else STOP
    if phase == PRICE:
        return NAME_PRICE + int64(min(params.value, float(rules.price_cap[state.actor])))
    if phase == ANSWER:
        return BUY if float(state.price) <= params.value else DECLINE
    return best_load_now(state, rules, state.actor)


@jit
def fair_action(state, rules, weights, memory, factor):
    """Return the action of `fair-price` with these weights; the price named is `factor` times the fair price."""
    fill_round(state, rules, weights, memory)
    phase = state.phase
    if phase > ANSWER:
        return best_placement(state, rules, weights, memory, state.actor)[0]
    kept, sold = kept_and_sold(state, rules, weights, memory)
    half = 0.5 * (kept - sold)
    if phase == REVEAL:
        with_another_tile = another_tile(state, rules, weights, memory)
        return REVEAL_MORE if with_another_tile > node(kept, sold) else STOP
    if phase == PRICE:
        return NAME_PRICE + min(whole_price(rules, factor * half), rules.price_cap[state.actor])
    return BUY if float(state.price) < half else DECLINE


@compiled_agent(
    name="fair-price",
    games=("medici_vs_strozzi",),
    memory=MEMORY,
    factor=Param(1.0, 0.0, 3.0, "multiple of the fair price that it names", label="multiple of the price"),
    **WEIGHTS,
)
def fair_price(state, rules, params, memory, rng):
    """Names a multiple of the fair price of a lot, by default that price, and buys below the fair price.

    It estimates both outcomes of a lot (see `worth.margin`); half the difference is the price at which its rival's
    choice cannot hurt it (a switch {L | R} and its temperature, in Berlekamp 1996).
    """
    return fair_action(state, rules, params, memory, params.factor)


shader = replace(
    fair_price,
    name="shader",
    params=MappingProxyType({**fair_price.params, "factor": replace(fair_price.params["factor"], default=0.8)}),
    description="Names a multiple of the fair price, by default less than it, and buys below the fair price.",
)
