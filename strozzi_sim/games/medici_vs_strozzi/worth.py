"""The worth of a position: the margin still to come from harbors and monopolies, and the fair price of a lot.

An estimate, not a rule: agents price by it with weights of their own, reports compare prices with it. Totals of loads are
carried on by what will be loaded in the free spaces; markers wander at random, this round and later ones.

The fair price is half the swing (docs/rules/medici_vs_strozzi.md): with W_P and W_R the proposer's margin if the
proposer or the rival gets the lot and the turn, a price p is answered so that the proposer has min(W_P - p, W_R + p),
which is best at p = (W_P - W_R) / 2.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import float64, int64

from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.core import load, placements, round_ends
from strozzi_sim.games.medici_vs_strozzi.scoring import harbor_lead, marker_ends, track_pay
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.pointers import assign, clone

SPACES = 2 * s.MAX_HALF_LENGTH + 1  # of the longest track
_FURTHEST = 6  # that a marker wanders in a round


class Weights(NamedTuple):
    """The weights of the estimate; tuned by benchmarks/tuning."""

    fill: float = 0.78  # share of the free spaces that will be loaded, of the fleet that is nearer to full
    lag: float = 0.36  # how much of its further spaces counts for the other fleet
    single: float = 0.36  # spaces that a ship's last free one counts as: few lots are of one tile
    double: float = 1.92  # the same, of its last two
    tile: float = 3.0  # face value of a tile yet to be loaded
    spread: float = 4.3  # lead at a harbor that is 7/10 safe, with one tile to come there; goes by its square root
    drift: float = 0.55  # of a marker's ways in a round, the share of each further space
    open: float = 0.235  # how much of a round's wandering each tile to come at the harbor is
    step: float = 0.225  # of every marker at the harbor, for each space that is one's own to fill
    later: float = 1.0  # weight of later rounds
    turn: float = 5.5  # coins that the turn is worth, with an empty bag; nothing with a full one
    looks: float = 6  # tiles of the bag thought of before another one is shown


DEFAULT = Weights()

MEMORY = np.dtype([  # shape                                         meaning
    ("filled", "i8"),  #                                             the round it is for, from 1; 0 = none
    ("drift", "f8", (2 * _FURTHEST + 1,)),  #                        [way + 6] chance of a marker's way in a round
    ("closed", "f8", (s.MAX_HARBORS, s.MAX_TYPES, SPACES)),  #           [harbor, type, space] margin of a marker that ends
    #                                                                the round there, later rounds included
    ("open", "f8", (s.MAX_HARBORS, s.MAX_TYPES, SPACES)),  #           the same, of one that has a round's way to go
], align=True)  # fmt: skip


@jit
def fill_round(state, rules, weights, memory):
    """Compute the worth of markers in this round; `memory` is a MEMORY record that was zero before."""
    if memory.filled == state.round + 1:
        return
    total, share = 0.0, 1.0
    for way in range(_FURTHEST + 1):
        memory.drift[_FURTHEST + way] = share
        memory.drift[_FURTHEST - way] = share
        total += share if way == 0 else 2.0 * share
        share *= weights.drift
    for way in range(2 * _FURTHEST + 1):
        memory.drift[way] /= total
    later = rules.rounds - state.round - 1
    for harbor in range(rules.harbors):
        for kind in range(rules.types):
            half = rules.half_length[harbor, kind]
            if half == 0:
                continue
            for space in range(2 * half + 1):
                memory.open[harbor, kind, space] = 0.0
            for back in range(later + 1):
                weight = 1.0 if back == later else weights.later
                for space in range(2 * half + 1):
                    pay = float64(track_pay(rules, harbor, kind, int64(space - half)))
                    memory.closed[harbor, kind, space] = weight * pay + memory.open[harbor, kind, space]
                for space in range(2 * half + 1):
                    mean = 0.0
                    for way in range(2 * _FURTHEST + 1):
                        to = min(max(space + way - _FURTHEST, 0), 2 * half)
                        mean += memory.drift[way] * memory.closed[harbor, kind, to]
                    memory.open[harbor, kind, space] = mean
    memory.filled = state.round + 1


@force_inline
def _spaces_to_come(state, rules, weights, seat, harbor, unmoored):
    """Return the free spaces of a seat at a harbor; without a ship there, the mean of its ships at sea."""
    if (state.berths[seat] >> harbor) & 1 == 1:
        return unmoored
    for ship in range(rules.ships):
        if state.harbor[seat, ship] == harbor:
            free = state.free[seat, ship]
            if free == 2:
                return weights.double
            return weights.single if free == 1 else float64(free)
    return 0.0


@force_inline
def _mean_unmoored(state, rules, seat):
    spaces = count = 0
    for ship in range(rules.ships):
        if state.harbor[seat, ship] == s.NO_HARBOR:
            spaces += rules.capacity[ship]
            count += 1
    return spaces / count if count > 0 else 0.0


@jit
def margin(state, rules, weights, memory, turn, over):
    """Return Medici's margin still to come, without cash.

    Args:
        state: a position between two turns, the lot placed.
        rules: of the game.
        weights: a record or tuple with the fields of Weights.
        memory: a MEMORY record that `fill_round` has filled.
        turn: the seat whose turn it is.
        over: whether the round is over (the seat is then ignored).
    """
    left_m = float64(rules.capacity_total - state.loaded[s.MEDICI])
    left_s = float64(rules.capacity_total - state.loaded[s.STROZZI])
    mean_m, mean_s = _mean_unmoored(state, rules, s.MEDICI), _mean_unmoored(state, rules, s.STROZZI)
    nearer = min(left_m, left_s)
    fill = 0.0 if over else weights.fill * min(1.0, state.unseen / (1.0 + nearer + nearer))
    fill_m = fill * (nearer + weights.lag * (left_m - nearer)) / max(left_m, 1.0)
    fill_s = fill * (nearer + weights.lag * (left_s - nearer)) / max(left_s, 1.0)
    majority = float64(rules.majority)
    total = 0.0
    if not over:
        late = 1.0 - state.unseen / float64(rules.tiles)
        total = late * (weights.turn if turn == s.MEDICI else -weights.turn)
    for harbor in range(rules.harbors):
        come_m = fill_m * _spaces_to_come(state, rules, weights, s.MEDICI, harbor, mean_m)
        come_s = fill_s * _spaces_to_come(state, rules, weights, s.STROZZI, harbor, mean_s)
        if over:
            total += majority * harbor_lead(state, rules, harbor)
        else:
            lead = state.value[s.MEDICI, harbor] - state.value[s.STROZZI, harbor]
            lead += weights.tile * (come_m - come_s)
            total += majority * lead / sqrt(lead * lead + weights.spread**2 * (come_m + come_s) + 1e-9)
        loose = min(weights.open * (come_m + come_s), 1.0)
        ahead = weights.step * (come_m - come_s)
        for kind in range(rules.types):
            half = rules.half_length[harbor, kind]
            if half > 0:
                space = float64(half + marker_ends(state, rules, harbor, kind)) + ahead
                space = min(max(space, 0.0), float64(2 * half))
                low = min(int64(space), 2 * half - 1)
                closed = _between(memory.closed[harbor, kind, low], memory.closed[harbor, kind, low + 1], space - low)
                far = _between(memory.open[harbor, kind, low], memory.open[harbor, kind, low + 1], space - low)
                total += closed + loose * (far - closed)
    return total


@force_inline
def _between(low, high, share):
    return low + share * (high - low)


@force_inline
def place_lot(after, state, rules, seat, place):
    """Make `after` what `state` is once `seat` has loaded the lot; `place` is one of `core.placements`."""
    assign(after, state)
    load(after, rules, seat, place // s.MAX_HARBORS, place % s.MAX_HARBORS)


@force_inline
def margin_of(after, rules, weights, memory, seat):
    """Return the margin of `seat` still to come after its purchase, with the lot placed; it has the next turn, unless the round is over."""
    worth = margin(after, rules, weights, memory, seat, round_ends(after, rules, seat))
    return worth if seat == s.MEDICI else -worth


@jit
def best_placement(state, rules, weights, memory, seat):
    """Return (action, margin of `seat` still to come) if `seat` buys the lot on the table, without its price."""
    after = clone(state)
    best, chosen = margin_of(after, rules, weights, memory, seat), s.DISCARD
    places = placements(state, rules, seat)
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        place_lot(after, state, rules, seat, place)
        worth = margin_of(after, rules, weights, memory, seat)
        if worth > best:
            best, chosen = worth, s.LOAD + place
    return chosen, best


@force_inline
def may_buy(state, rules, seat):
    """Return whether `seat` can buy the lot (14)."""
    return rules.buy_without_room or state.shown <= state.room[seat]


@jit
def outcomes(state, rules, weights, memory):
    """Return (W_P, W_R, where the proposer would load the lot, where the rival would)."""
    proposer = state.proposer
    here, mine = best_placement(state, rules, weights, memory, proposer)
    if not may_buy(state, rules, 1 - proposer):
        return mine, mine, here, here  # any price is paid by the proposer
    there, yours = best_placement(state, rules, weights, memory, 1 - proposer)
    return mine, -yours, here, there


@force_inline
def swing(state, rules, weights, memory):
    """Return (W_P, W_R): the proposer's margin still to come if the proposer, or the rival, gets the lot and the turn."""
    mine, yours, _, _ = outcomes(state, rules, weights, memory)
    return mine, yours


@force_inline
def whole_price(rules, coins):
    """Return the legal price nearest to `coins`."""
    return int64(min(max(coins, 0.0), float64(rules.top_price)) + 0.5)


@jit
def fair_price(state, rules, weights, memory):
    """Return half the swing of the lot on the table, in coins, at least 0."""
    mine, yours = swing(state, rules, weights, memory)
    return max(0.5 * (mine - yours), 0.0)


@jit
def another_tile(state, rules, weights, memory):
    """Return the proposer's expected margin after one more tile, if the fair price is named then.

    It is the mean over `weights.looks` tiles of the bag, evenly spread over types and values, or over all of them.
    """
    shown, unseen = state.shown, state.unseen
    more = clone(state)
    more.shown = shown + 1
    more.unseen = unseen - 1
    step = max(unseen // weights.looks, 1)
    total = 0.0
    looked = 0
    skip = step // 2
    for tile in range(rules.tiles):
        if state.location[tile] == s.IN_BAG:
            if skip == 0:
                skip = step
                more.lot[shown] = tile
                total += node(*swing(more, rules, weights, memory))
                looked += 1
            skip -= 1
    return total / looked


@force_inline
def node(mine, yours):
    """Return the proposer's value of a price node, from (W_P, W_R)."""
    return 0.5 * (mine + yours) if mine > yours else mine
