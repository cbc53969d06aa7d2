"""The worth of a position: the margin still to come from harbors and monopolies, and the fair price of a lot.

The worth is an estimate, not a rule: agents price by it with their own weights, and reports compare prices with it.
Loads are extrapolated to the end of the round; markers are assumed to move at random, in this round and later ones.

The fair price is half the swing (docs/rules/medici_vs_strozzi.md). Let W_P be the proposer's margin, without the price,
if the proposer keeps the lot, and W_R if the rival gets the lot and the turn. The rival answers a price p so that the
proposer has min(W_P - p, W_R + p), which is largest at p = (W_P - W_R) / 2.
"""

from math import sqrt
from typing import Annotated, NamedTuple

import numpy as np
from numba import float64, int64

from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.core import fleet_full, load, placements, round_ends
from strozzi_sim.games.medici_vs_strozzi.scoring import leader, marker_moves, present, track_pay
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.pointers import assign, clone

SPACES = 2 * s.MAX_HALF_LENGTH + 1  # of the longest track
_FURTHEST = 6  # most spaces that a marker moves at random in a round


class WorthWeights(NamedTuple):
    """The weights of the estimate, tuned by benchmarks/tuning, with range and description as parameters of agents."""

    fill: Annotated[float, 0.0, 1.0, "share of the free spaces of the fuller fleet that will be loaded"] = 0.78
    lag: Annotated[float, 0.0, 1.0, "share of the other fleet's further free spaces that counts as well"] = 0.36
    single: Annotated[float, 0.0, 2.0, "spaces that the last free space of a ship counts as"] = 0.36
    double: Annotated[float, 0.0, 4.0, "spaces that the last two free spaces of a ship count as"] = 1.92
    tile: Annotated[float, 0.0, 10.0, "face value of a tile yet to be loaded"] = 3.0
    spread: Annotated[float, 0.0, 20.0, "lead worth 7/10 of a harbor's majority, with one tile to come there"] = 4.3
    drift: Annotated[float, 0.0, 0.99, "ratio of probabilities that a marker moves n + 1 and n spaces one way"] = 0.55
    open: Annotated[float, 0.0, 1.0, "share of a round's random moves, for each tile to come at a harbor"] = 0.235
    step: Annotated[float, 0.0, 2.0, "steps of a harbor's markers for each tile that a fleet will load there"] = 0.225
    later: Annotated[float, 0.0, 2.0, "weight of what markers earn in later rounds"] = 1.0
    turn: Annotated[float, -20.0, 20.0, "coins that the turn is worth with an empty bag; with a full one, 0"] = 5.5
    looks: Annotated[float, 1, s.MAX_TILES, "tiles of the bag, at least, that it tries before it shows another"] = 6


DEFAULT = WorthWeights()

MEMORY = np.dtype([  # shape                                         meaning
    ("filled", "i8"),  #                                             round of `worth`, from 1; 0 = not filled
    ("drift", "f8", (2 * _FURTHEST + 1,)),  #                        [_FURTHEST + spaces] probability of this move
    ("tracks", "i8", (s.MAX_HARBORS,)),  #                           [harbor] number of its tracks
    ("kind", "i8", (s.MAX_HARBORS, s.MAX_TYPES)),  #                 [harbor, track] its type
    ("worth", "f8", (s.MAX_HARBORS, s.MAX_TYPES, SPACES, 4)),  #     [harbor, type, half + place, CLOSED to RISE_OPEN]
    #                                                                of a position and the lots that are compared:
    ("spaces", "f8", (s.SEATS, s.MAX_HARBORS)),  #                   [P, harbor] `_counted` there, or `_mean_at_sea`
    ("lead", "i8", (s.MAX_HARBORS + 1,)),  #                         [harbor or _LOT] Medici's total load less Strozzi's
    ("more_ships", "i8", (s.MAX_HARBORS + 1,)),  #                   [harbor or _LOT] Medici's ships less Strozzi's
    ("lot_value", "i8", (s.MAX_TILES,)),  #                          [lot] sum of its face values
    ("lot_steps", "i8", (s.MAX_TILES, s.MAX_TYPES + 1)),  #          [lot, type] its steps; [lot, GOLD] stays 0
    ("best", "f8", (s.MAX_TILES,)),  #                               [lot] best margin to come of the seat that has it
    ("chosen", "i8", (s.MAX_TILES,)),  #                             [lot] the action for that
    ("kept", "f8", (s.MAX_TILES,)),  #                               [lot] as `best`, of the proposer
    ("places", "f8", (s.MAX_HARBORS + 1, s.MAX_TYPES)),  #           [harbor or _LOT, track] half + place when scored
    ("terms", "f8", (s.MAX_HARBORS + 1, 1 + s.MAX_TYPES)),  #        [harbor or _LOT] Medici's margin: majority, tracks
], align=True)  # fmt: skip
_LOT = s.MAX_HARBORS  # row of the harbor where the lot is tried
_ALL_HARBORS = (1 << s.MAX_HARBORS) - 1
# Medici's margin from a marker on a space, later rounds included: CLOSED if it ends the round there, OPEN if a round's
# random moves are to come. RISE_CLOSED and RISE_OPEN: the margin one space further, less that on the space.
CLOSED, OPEN, RISE_CLOSED, RISE_OPEN = range(4)


@jit
def fill_round(state, rules, weights, memory):
    """Compute the worth of markers in this round, unless `memory`, a MEMORY record that begins as zeros, has it."""
    if memory.filled == state.round + 1:
        return
    total, share = 0.0, 1.0
    for spaces in range(_FURTHEST + 1):
        memory.drift[_FURTHEST + spaces] = memory.drift[_FURTHEST - spaces] = share
        total += share if spaces == 0 else 2.0 * share
        share *= weights.drift
    for k in range(2 * _FURTHEST + 1):
        memory.drift[k] /= total
    for harbor in range(rules.harbors):
        memory.tracks[harbor] = 0
        for kind in range(rules.types):
            if rules.half_length[harbor, kind] > 0:
                memory.kind[harbor, memory.tracks[harbor]] = kind
                memory.tracks[harbor] += 1
                _fill_track(state, rules, weights, memory, harbor, kind)
    memory.filled = state.round + 1


@jit
def _fill_track(state, rules, weights, memory, harbor, kind):
    """Compute the worth of a marker on every space, from the last round back to this one."""
    worth, half = memory.worth[harbor, kind], rules.half_length[harbor, kind]
    last = 2 * half
    for space in range(last + 1):
        worth[space, OPEN] = 0.0
    later = rules.rounds - state.round - 1
    for back in range(later + 1):
        weight = 1.0 if back == later else weights.later  # 1 for this round's pay
        for space in range(last + 1):
            pay = float64(track_pay(rules, harbor, kind, int64(space - half)))
            worth[space, CLOSED] = weight * pay + worth[space, OPEN]
        for space in range(last + 1):
            mean = 0.0
            for k in range(2 * _FURTHEST + 1):
                mean += memory.drift[k] * worth[min(max(space + k - _FURTHEST, 0), last), CLOSED]
            worth[space, OPEN] = mean
    for part in range(2):
        for space in range(last):
            worth[space, RISE_CLOSED + part] = worth[space + 1, part] - worth[space, part]


@force_inline
def _counted(weights, free):
    """Return the number of spaces that `free` spaces of a ship count as."""
    return weights.single if free == 1 else weights.double if free == 2 else float64(free)


@force_inline
def _mean_at_sea(state, rules, seat, without):
    """Return the mean capacity of a seat's ships at sea, 0 without any; ship `without` is left out, -1 for none."""
    spaces = count = 0
    for ship in range(s.MAX_SHIPS):
        capacity = rules.capacity[ship]  # 0 where there is no ship
        if capacity > 0 and state.harbor[seat, ship] == s.NO_HARBOR and ship != without:
            spaces += capacity
            count += 1
    return spaces / count if count > 0 else 0.0


@force_inline
def _find_markers(state, rules, memory, harbor, row, lot, lots_m, lots_s):
    """Fill a row of `places` for a harbor; lots_m, lots_s: 1 if Medici, or Strozzi, loads the lot there, else 0."""
    for track in range(memory.tracks[harbor]):
        kind = memory.kind[harbor, track]
        half, steps = rules.half_length[harbor, kind], memory.lot_steps[lot, kind]
        steps_m = state.steps[s.MEDICI, harbor, kind] + lots_m * steps
        steps_s = state.steps[s.STROZZI, harbor, kind] + lots_s * steps
        end = marker_moves(rules, state.position[harbor, kind], half, steps_m, steps_s)
        memory.places[row, track] = float64(half + end)


@jit
def _survey(state, rules, weights, memory):
    for seat in range(s.SEATS):
        mean = _mean_at_sea(state, rules, seat, -1)
        for harbor in range(s.MAX_HARBORS):
            memory.spaces[seat, harbor] = mean
        for ship in range(s.MAX_SHIPS):
            if state.harbor[seat, ship] != s.NO_HARBOR:
                memory.spaces[seat, state.harbor[seat, ship]] = _counted(weights, state.free[seat, ship])
    for harbor in range(rules.harbors):
        memory.lead[harbor] = state.value[s.MEDICI, harbor] - state.value[s.STROZZI, harbor]
        memory.more_ships[harbor] = present(state, s.MEDICI, harbor) - present(state, s.STROZZI, harbor)
        _find_markers(state, rules, memory, harbor, harbor, 0, 0, 0)


@force_inline
def _add_tile(rules, memory, lot, tile):
    """Add a tile to a lot that is compared."""
    memory.lot_value[lot] += rules.tile_value[tile]
    memory.lot_steps[lot, rules.tile_type[tile]] += rules.tile_steps[tile]


@jit
def _copy_lot(state, rules, memory, lot):
    """Let a lot that is compared be that on the table."""
    memory.lot_value[lot] = 0
    for kind in range(s.MAX_TYPES):
        memory.lot_steps[lot, kind] = 0
    for k in range(state.shown):
        _add_tile(rules, memory, lot, state.lot[k])


@jit
def _survey_with_lot(state, rules, weights, memory):
    _survey(state, rules, weights, memory)
    _copy_lot(state, rules, memory, 0)


@force_inline
def _to_come(state, rules, weights, own_loaded, rival_loaded, over):
    """Return the shares of free spaces that the seat in turn and its rival will load, and the turn's worth in coins.

    own_loaded, rival_loaded : tiles that each has loaded
    over : whether the round is over; then all three results are 0
    """
    if over:
        return 0.0, 0.0, 0.0
    own_left = float64(rules.capacity_total - own_loaded)
    rival_left = float64(rules.capacity_total - rival_loaded)
    nearer = min(own_left, rival_left)
    fill = weights.fill * min(1.0, state.unseen / (1.0 + nearer + nearer))  # lower if the bag cannot fill both
    own_fill = fill * (nearer + weights.lag * (own_left - nearer)) / max(own_left, 1.0)
    rival_fill = fill * (nearer + weights.lag * (rival_left - nearer)) / max(rival_left, 1.0)
    return own_fill, rival_fill, weights.turn * (1.0 - state.unseen / float64(rules.tiles))


@force_inline
def _weigh(rules, weights, memory, harbor, row, side, own, rivals, over):
    """Fill a row of `terms` for a harbor, where a seat will load `own` more tiles, its rival `rivals`.

    side : 1 if the seat is Medici, else -1
    """
    to_come, more = own + rivals, side * (own - rivals)  # tiles of both; Medici's less Strozzi's
    if over:
        memory.terms[row, 0] = float64(rules.majority) * leader(rules, memory.lead[row], memory.more_ships[row])
    else:
        ahead = memory.lead[row] + weights.tile * more
        variance = weights.spread**2 * to_come
        memory.terms[row, 0] = float64(rules.majority) * ahead / sqrt(ahead * ahead + variance + 1e-9)
    loose = min(weights.open * to_come, 1.0)
    for track in range(memory.tracks[harbor]):
        kind = memory.kind[harbor, track]
        last = 2 * rules.half_length[harbor, kind]
        space = min(max(memory.places[row, track] + weights.step * more, 0.0), float64(last))
        low = min(int64(space), last - 1)
        further = space - low  # the worth is linear between `low` and the next space
        closed = memory.worth[harbor, kind, low, CLOSED] + further * memory.worth[harbor, kind, low, RISE_CLOSED]
        opened = memory.worth[harbor, kind, low, OPEN] + further * memory.worth[harbor, kind, low, RISE_OPEN]
        memory.terms[row, 1 + track] = closed + loose * (opened - closed)


@force_inline
def _add_row(memory, total, row, harbor):
    """Return `total` plus the terms in a row, which is of a harbor."""
    for term in range(1 + memory.tracks[harbor]):
        total += memory.terms[row, term]
    return total


@force_inline
def _add_harbors(memory, total, first, end):
    """Return `total` plus the terms of the harbors from `first` to below `end`."""
    for harbor in range(first, end):
        total = _add_row(memory, total, harbor, harbor)
    return total


@force_inline
def _margin(state, rules, weights, memory, seat, over):
    """Return Medici's margin still to come in the surveyed position, with `seat` to take the turn."""
    side, rival = 1 if seat == s.MEDICI else -1, 1 - seat
    own_fill, rival_fill, turn = _to_come(state, rules, weights, state.loaded[seat], state.loaded[rival], over)
    for harbor in range(rules.harbors):
        own, rivals = own_fill * memory.spaces[seat, harbor], rival_fill * memory.spaces[rival, harbor]
        _weigh(rules, weights, memory, harbor, harbor, side, own, rivals, over)
    return _add_harbors(memory, side * turn, 0, rules.harbors)


@jit
def margin(state, rules, weights, memory, seat, over):
    """Return Medici's margin still to come, without cash, before a turn of `seat`; a lot on the table is ignored.

    If the round is `over`, the result is the same for both seats.
    """
    _survey(state, rules, weights, memory)
    return _margin(state, rules, weights, memory, seat, over)


@force_inline
def place_lot(after, state, rules, seat, place):
    """Write into `after` the state once `seat` has loaded the lot at `place`, one of `core.placements`."""
    assign(after, state)
    load(after, rules, seat, place // s.MAX_HARBORS, place % s.MAX_HARBORS)


@force_inline
def margin_of(after, rules, weights, memory, seat):
    """Return the margin still to come for `seat`, which bought a lot, loaded or discarded it, and is next."""
    medicis = margin(after, rules, weights, memory, seat, round_ends(after, rules, seat))
    return medicis if seat == s.MEDICI else -medicis


@jit
def _place_lots(state, rules, weights, memory, seat, count):
    """Fill `best` and `chosen` for `count` lots, of `state.shown` tiles each, that `seat` buys in a surveyed position.

    A placement changes the loads of one harbor; at the others only the tiles to come, which depend on ship and `over`.
    """
    side, rival = 1 if seat == s.MEDICI else -1, 1 - seat
    discarded = side * _margin(state, rules, weights, memory, seat, round_ends(state, rules, seat))
    for lot in range(count):
        memory.best[lot] = discarded
        memory.chosen[lot] = s.DISCARD
    allowed, loaded = placements(state, rules, seat), state.loaded[seat] + state.shown
    weighed = -1  # the `over` with which the harbors were weighed last
    for ship in range(s.MAX_SHIPS):
        harbors = (allowed >> (ship * s.MAX_HARBORS)) & _ALL_HARBORS
        if harbors == 0:
            continue
        moors = int64(state.harbor[seat, ship] == s.NO_HARBOR)
        over = int64(state.unseen == 0 or fleet_full(rules, state.moored[seat] + moors, loaded))
        own_fill, rival_fill, turn = _to_come(state, rules, weights, loaded, state.loaded[rival], over)
        mean = _mean_at_sea(state, rules, seat, ship)
        for harbor in range(rules.harbors):
            empty = (state.berths[seat] >> harbor) & 1
            if empty or weighed != over:
                own = own_fill * (mean if empty else memory.spaces[seat, harbor])
                rivals = rival_fill * memory.spaces[rival, harbor]
                _weigh(rules, weights, memory, harbor, harbor, side, own, rivals, over)
        weighed = over
        own = own_fill * _counted(weights, state.free[seat, ship] - state.shown)
        while harbors != 0:
            harbor = lowest_bit(harbors)
            harbors &= harbors - 1
            memory.more_ships[_LOT] = memory.more_ships[harbor] + side * moors
            rivals = rival_fill * memory.spaces[rival, harbor]
            before = _add_harbors(memory, side * turn, 0, harbor)
            for lot in range(count):
                memory.lead[_LOT] = memory.lead[harbor] + side * memory.lot_value[lot]
                _find_markers(state, rules, memory, harbor, _LOT, lot, seat == s.MEDICI, seat == s.STROZZI)
                _weigh(rules, weights, memory, harbor, _LOT, side, own, rivals, over)
                with_lot = _add_row(memory, before, _LOT, harbor)
                own_margin = side * _add_harbors(memory, with_lot, harbor + 1, rules.harbors)
                if own_margin > memory.best[lot]:
                    memory.best[lot] = own_margin
                    memory.chosen[lot] = s.LOAD + ship * s.MAX_HARBORS + harbor


@force_inline
def _best_placement(state, rules, weights, memory, seat):
    """Return the result of `best_placement` for the surveyed position and lot."""
    _place_lots(state, rules, weights, memory, seat, 1)
    return memory.chosen[0], memory.best[0]


@jit
def best_placement(state, rules, weights, memory, seat):
    """Return (best action, margin of `seat` still to come, without the price) if `seat` buys the lot on the table."""
    _survey_with_lot(state, rules, weights, memory)
    return _best_placement(state, rules, weights, memory, seat)


@force_inline
def may_buy(state, rules, seat):
    """Return whether the rules let `seat` buy the lot (item 14 of the ambiguities); restrictions are ignored."""
    return rules.buy_without_room or state.shown <= state.room[seat]


@jit
def outcomes(state, rules, weights, memory):
    """Return (W_P, W_R, the proposer's best action with the lot, the rival's).

    Without `may_buy` the rival's results are the proposer's.
    """
    proposer = state.proposer
    _survey_with_lot(state, rules, weights, memory)
    own_place, own_margin = _best_placement(state, rules, weights, memory, proposer)
    if not may_buy(state, rules, 1 - proposer):
        return own_margin, own_margin, own_place, own_place  # the proposer pays any price that it names
    rival_place, rival_margin = _best_placement(state, rules, weights, memory, 1 - proposer)
    return own_margin, -rival_margin, own_place, rival_place


@force_inline
def kept_and_sold(state, rules, weights, memory):
    """Return (W_P, W_R): the proposer's margin to come, without the price, if it keeps or sells the lot."""
    kept, sold, _, _ = outcomes(state, rules, weights, memory)
    return kept, sold


@force_inline
def whole_price(rules, coins):
    """Return `coins` rounded to a whole price from 0 to the top price; a seat's own cap is not applied."""
    return int64(min(max(coins, 0.0), float64(rules.top_price)) + 0.5)


@jit
def fair_price(state, rules, weights, memory):
    """Return half the swing of the lot on the table, in coins, at least 0."""
    kept, sold = kept_and_sold(state, rules, weights, memory)
    return max(0.5 * (kept - sold), 0.0)


@jit
def another_tile(state, rules, weights, memory):
    """Return the proposer's expected margin after one more tile, if the fair price is named then.

    It is the mean over tiles of the bag, evenly spaced in the order of the components: at least `weights.looks` and
    fewer than twice as many, or all if the bag has fewer.
    """
    proposer = state.proposer
    more = clone(state)
    more.shown = state.shown + 1
    more.unseen = state.unseen - 1
    step = max(state.unseen // weights.looks, 1)
    looked, skip = 0, step // 2
    for tile in range(rules.tiles):
        if state.location[tile] == s.IN_BAG:
            if skip == 0:
                skip = step
                _copy_lot(state, rules, memory, looked)
                _add_tile(rules, memory, looked, tile)
                looked += 1
            skip -= 1
    _survey(more, rules, weights, memory)
    _place_lots(more, rules, weights, memory, proposer, looked)
    for lot in range(looked):
        memory.kept[lot] = memory.best[lot]
    is_sold = may_buy(more, rules, 1 - proposer)
    if is_sold:
        _place_lots(more, rules, weights, memory, 1 - proposer, looked)
    total = 0.0
    for lot in range(looked):
        kept = memory.kept[lot]
        total += node(kept, -memory.best[lot] if is_sold else kept)
    return total / looked


@force_inline
def node(kept, sold):
    """Return the proposer's margin if it names the fair price, from (W_P, W_R)."""
    return 0.5 * (kept + sold) if kept > sold else kept
