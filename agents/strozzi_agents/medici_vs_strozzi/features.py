"""Features of Medici vs Strozzi for learned values.

Quiet is the start of a turn. The common features count its tile as unseen.
"""

from math import sqrt

import numpy as np
from numba import float32, float64

from strozzi_agents.learned.features import Features
from strozzi_agents.learned.verbs import describe, feature_counts, guide_action, is_quiet, solve
from strozzi_agents.medici_vs_strozzi.lots import solve_lot
from strozzi_agents.medici_vs_strozzi.pricing import fair_action
from strozzi_sim.games.medici_vs_strozzi.scoring import harbor_lead, marker_ends, track_pay
from strozzi_sim.games.medici_vs_strozzi.state import GOLD, MEDICI, NO_HARBOR, PRICE, REVEAL, SEATS, STATE, STROZZI
from strozzi_sim.games.medici_vs_strozzi.worth import MEMORY, OPEN, WorthWeights, fill_round, margin
from strozzi_sim.kernel.jit import jit, register_overload

SHIPS, HARBORS, TYPES = 3, 3, 4  # most that are described; further ones are left out
_TRACKS = HARBORS * TYPES
# First index of each block of common features.
_LEFT, _UNSEEN, _KINDS, _STEPS = 0, 4, 9, 13
# First index of each block of a seat's features, after 8 single ones.
_SEA, _THERE, _FREE, _LAST, _VALUE, _AHEAD, _LEADS, _MAJORITY = 8, 11, 14, 17, 23, 26, 29, 32
_LOAD, _POSITION, _ENDS, _PAY, _EXPECTED = (35 + k * _TRACKS for k in range(5))
# On the base board dye and spice, types 0 and 1, are interchangeable: pairs of a seat's features of them, by harbor.
_PAIRS = [(at + k, at + k + 1) for at in (_LOAD, _POSITION, _ENDS, _PAY, _EXPECTED) for k in range(0, _TRACKS, TYPES)]
FEATURES = Features(_STEPS + TYPES, 35 + 5 * _TRACKS, ((_KINDS, _KINDS + 1), (_STEPS, _STEPS + 1)), _PAIRS)
COMMON, OWN = FEATURES.common, FEATURES.own
GUIDE = np.dtype([("analysis", MEMORY)], align=True)
_WEIGHTS = WorthWeights(looks=2)  # the guide's; trying tiles of the bag takes most of its time, so it tries few


@jit
def _is_quiet(state, rules):
    """Return whether a turn's first decision is to be made: another tile or, if only one may be shown, the price."""
    if state.shown != 1 or state.phase > PRICE:
        return False
    proposer = state.proposer
    may_show_more = state.unseen > 0 and rules.most[proposer] > 1 and state.room[proposer] > 1
    return state.phase == REVEAL or not may_show_more


@jit
def _guide_action(state, rules, guide):
    """Return the action of `fair-price`, with fewer looks into the bag."""
    return fair_action(state, rules, _WEIGHTS, guide.analysis, 1.0)


@jit
def _describe_tile(rules, tile, out):
    """Add an unseen tile to the common features."""
    kind = rules.tile_type[tile]
    out[_UNSEEN + 2] += float32(rules.tile_value[tile])
    if kind == GOLD:
        out[_UNSEEN + 3] += float32(0.5)
    elif kind < TYPES:
        out[_KINDS + kind] += float32(1.0 / 6.0)
        out[_STEPS + kind] += float32(rules.tile_steps[tile] / 7.0)


@jit
def _describe_common(state, rules, out):
    for k in range(COMMON):
        out[k] = 0
    left = rules.rounds - 1 - state.round
    out[_LEFT + min(left, 2)] = 1
    out[_LEFT + 3] = float32(left / 3.0)
    unseen = state.unseen
    for k in range(unseen):
        _describe_tile(rules, state.unseen_tile[k], out)
    _describe_tile(rules, state.lot[0], out)
    count = unseen + 1
    out[_UNSEEN] = float32(count / 26.0)
    nearer = rules.capacity_total - max(state.loaded[MEDICI], state.loaded[STROZZI])
    out[_UNSEEN + 1] = float32(count / (1.0 + count + 2.0 * nearer))
    out[_UNSEEN + 2] /= float32(4.0 * count)
    out[_UNSEEN + 4] = float32(nearer / 12.0)


@jit
def _describe_seat(state, rules, seat, total, at, out):
    """Write the features of `seat` from index `at`, except majorities and tracks; `total`: its margin still to come."""
    for k in range(OWN):
        out[at + k] = 0
    rival = 1 - seat
    out[at] = float32((state.cash[seat] - state.cash[rival]) / 100.0)
    out[at + 1] = float32(state.proposer == seat)
    out[at + 2] = float32(state.loaded[seat] / max(rules.capacity_total, 1))
    out[at + 3] = float32(state.room[seat] / 5.0)
    out[at + 4] = float32(state.room[seat] == 1)
    out[at + 5] = float32(state.room[seat] == 2)
    out[at + 6] = float32(total / 50.0)
    out[at + 7] = float32(state.moored[seat] / 3.0)
    for ship in range(min(rules.ships, SHIPS)):
        harbor, free = state.harbor[seat, ship], state.free[seat, ship]
        if harbor == NO_HARBOR:
            out[at + _SEA + ship] = 1
        elif harbor < HARBORS:
            out[at + _THERE + harbor] = 1
            out[at + _FREE + harbor] = float32(free / 4.0)
            out[at + _LAST + 2 * harbor] = float32(free == 1)
            out[at + _LAST + 2 * harbor + 1] = float32(free == 2)
    for harbor in range(min(rules.harbors, HARBORS)):
        own, rivals = float64(state.value[seat, harbor]), float64(state.value[rival, harbor])
        lead = own - rivals
        out[at + _VALUE + harbor] = float32(own / 15.0)
        out[at + _AHEAD + harbor] = float32(lead / 10.0)
        out[at + _LEADS + harbor] = float32(lead / sqrt(lead * lead + 9.0))


@jit
def _describe(state, rules, guide, out):
    memory = guide.analysis
    fill_round(state, rules, _WEIGHTS, memory)
    _describe_common(state, rules, out)
    total = margin(state, rules, _WEIGHTS, memory, state.proposer, False)
    for seat in range(SEATS):
        sign = 1.0 if seat == MEDICI else -1.0
        at = COMMON + seat * OWN
        _describe_seat(state, rules, seat, sign * total, at, out)
        for harbor in range(min(rules.harbors, HARBORS)):
            out[at + _MAJORITY + harbor] = float32(sign * harbor_lead(state, rules, harbor))
            for kind in range(min(rules.types, TYPES)):
                half = rules.half_length[harbor, kind]
                if half == 0:
                    continue
                track = at + harbor * TYPES + kind
                ends = marker_ends(state, rules, harbor, kind)
                out[track + _LOAD] = float32(state.steps[seat, harbor, kind] / 4.0)
                out[track + _POSITION] = float32(sign * state.position[harbor, kind] / half)
                out[track + _ENDS] = float32(sign * ends / half)
                out[track + _PAY] = float32(sign * track_pay(rules, harbor, kind, ends) / 20.0)
                out[track + _EXPECTED] = float32(sign * memory.worth[harbor, kind, half + ends, OPEN] / 40.0)


@jit
def _feature_counts(state):
    return COMMON, OWN


register_overload(feature_counts, STATE, _feature_counts, force_inline=True)
register_overload(is_quiet, STATE, _is_quiet)
register_overload(guide_action, STATE, _guide_action)
register_overload(describe, STATE, _describe)
register_overload(solve, STATE, solve_lot)
