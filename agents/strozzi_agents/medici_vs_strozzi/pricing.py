"""Agents that name prices: a constant, the fair price, or a share of it."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from numba import int64

from strozzi_agents.medici_vs_strozzi.immediate_value import best_load_now
from strozzi_sim.agent import Param, compiled_agent
from strozzi_sim.games.medici_vs_strozzi.state import (
    ANSWER,
    BUY,
    DECLINE,
    MAX_PRICE,
    MAX_REVEAL,
    MAX_TILES,
    NAME_PRICE,
    PRICE,
    REVEAL,
    REVEAL_MORE,
    STOP,
)
from strozzi_sim.games.medici_vs_strozzi.worth import (
    DEFAULT,
    MEMORY,
    another_tile,
    best_placement,
    fill_round,
    node,
    swing,
    whole_price,
)
from strozzi_sim.kernel.jit import jit

WEIGHTS: dict[str, Any] = {
    "fill": Param(DEFAULT.fill, 0.0, 1.0, "share of the free spaces that will be loaded, of the fleet nearer to full"),
    "lag": Param(DEFAULT.lag, 0.0, 1.0, "share of the other fleet's further spaces that counts as well"),
    "single": Param(DEFAULT.single, 0.0, 2.0, "spaces that a ship's last free one counts as"),
    "double": Param(DEFAULT.double, 0.0, 4.0, "spaces that its last two free ones count as"),
    "tile": Param(DEFAULT.tile, 0.0, 10.0, "face value of a tile yet to be loaded"),
    "spread": Param(DEFAULT.spread, 0.0, 20.0, "lead at a harbor that is 7/10 safe, with one tile to come there"),
    "drift": Param(DEFAULT.drift, 0.0, 0.99, "of a marker's ways in a round, the share of each further space"),
    "open": Param(DEFAULT.open, 0.0, 1.0, "how much of a round's wandering each tile to come at the harbor is"),
    "step": Param(DEFAULT.step, 0.0, 2.0, "steps of every marker at a harbor, for each own space to fill there"),
    "later": Param(DEFAULT.later, 0.0, 2.0, "weight of later rounds"),
    "turn": Param(DEFAULT.turn, -20.0, 20.0, "coins that the turn is worth, with an empty bag"),
    "looks": Param(DEFAULT.looks, 1, MAX_TILES, "tiles of the bag it thinks of before it shows another one"),
}


@compiled_agent(
    name="fixed-price",
    games=("medici_vs_strozzi",),
    value=Param(12, 0, MAX_PRICE, "the price it names, and the highest it pays"),
    tiles=Param(1, 1, MAX_REVEAL, "tiles it shows, as far as it may"),
)
def fixed_price(state, rules, params, memory, rng):
    """Names one price for every lot, buys at that or less, loads where it earns most now."""
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
    """Return the action of `fair-price` with these weights, which names `factor` times the fair price."""
    fill_round(state, rules, weights, memory)
    phase = state.phase
    if phase > ANSWER:
        return best_placement(state, rules, weights, memory, state.actor)[0]
    own_margin, rival_margin = swing(state, rules, weights, memory)
    half = 0.5 * (own_margin - rival_margin)
    if phase == REVEAL:
        with_another_tile = another_tile(state, rules, weights, memory)
        return REVEAL_MORE if with_another_tile > node(own_margin, rival_margin) else STOP
    if phase == PRICE:
        return NAME_PRICE + min(whole_price(rules, factor * half), rules.price_cap[state.actor])
    return BUY if float(state.price) < half else DECLINE


@compiled_agent(
    name="fair-price",
    games=("medici_vs_strozzi",),
    memory=MEMORY,
    factor=Param(1.0, 0.0, 3.0, "share of the fair price that it names"),
    **WEIGHTS,
)
def fair_price(state, rules, params, memory, rng):
    """Names half of the swing of a lot, and buys below it.

    It estimates both outcomes of a lot (see `worth.margin`); half the difference is the price at which its rival's
    choice cannot hurt it (a switch {L | R} and its temperature, in Berlekamp 1996).
    """
    return fair_action(state, rules, params, memory, params.factor)


shader = replace(
    fair_price,
    name="shader",
    params=MappingProxyType({**fair_price.params, "factor": Param(0.8, 0.0, 3.0, "share of the fair price it names")}),
    description="Names less than the fair price, and buys below the fair price.",
)
