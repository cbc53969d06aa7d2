"""Expected coins of a ship's speed at a port, of a marker on its space, and of tiles.

A prize by rank is read at the expected rank: the sum of the probabilities that each rival will be ahead. Prizes between
two ranks are interpolated. The memory of a seat has the values that are constant for a game, a round or a decision.
"""

import numpy as np
from numba import float64, int64

from strozzi_agents.strozzi.immediate_value import ships_ahead
from strozzi_sim.games.strozzi.scoring import open_slots, space_bonus
from strozzi_sim.games.strozzi.state import FLORENCE, MAX_SPACES, NO_WARE, PORTS, SEATS
from strozzi_sim.kernel.bits import count_bits
from strozzi_sim.kernel.jit import force_inline, jit

SHIP, MARKER, CATEGORY = 0, 1, 2  # the kinds of prize
AT_PORT, AT_FLORENCE = 0, 1  # the kinds of track
_LEVEL = 2 * MAX_SPACES  # index in `lead` of a lead of 0 spaces
_TIE = 0.3  # lead in tile value that the better place at Florence, which wins ties, counts as

MEMORY = np.dtype([  # shape                          meaning
    ("filled", "i8"),  #                              round of the values up to `promotion`, from 1; 0 = not filled
    ("prize", "f8", (3, SEATS + 2)),  #               [kind, rank] prizes, smoothed over neighbouring ranks
    ("bonus", "f8", (2, MAX_SPACES)),  #             [kind of track, space] bonus coins of this and all later rounds
    ("lead", "f8", (2 * _LEVEL,)),  #                 [_LEVEL + twice the lead] probability of being behind later
    ("sail", "f8"),  #                                means over all ships
    ("scrolls", "f8"),
    ("promotion", "f8"),
    ("open", "f8"),  #                                share of the round's cards still to come
    ("steep", "f8", (2,)),  #                         [rival has a berth] decrease of `_behind_now` by space, at ports
    ("berth", "f8", (PORTS,)),  #                     [port] worth of the reference ship
    ("ware_step", "f8"),  #                           mean worth of a step at a free port
    ("scroll_step", "f8"),  #                         worth of a step at Florence
    ("prize_at", "f8", (PORTS,)),  #                  [port] worth of the ship's speed
    ("prize_plus", "f8", (PORTS,)),  #                the same with the plus_one flag
    ("cargo", "f8", (PORTS,)),  #                     [port] worth of the ship's cargo
    ("cargo_ware", "f8", (PORTS,)),  #                the same with the ware flag
], align=True)  # fmt: skip


@force_inline
def _chance_behind(lead, spread):
    """Return the probability of being behind: 1/2 at a lead of 0, 1/4 at a lead of `spread`."""
    return 0.5 - 0.5 * lead / (abs(lead) + spread)


@force_inline
def clip(number, low, high):
    """Return `number`, limited to the range from `low` to `high`."""
    return min(max(number, low), high)


@force_inline
def prize_at(memory, kind, rank):
    """Return the smoothed prize at a rank, 0 = best, interpolated between whole ranks."""
    upper = int64(rank)
    prize = memory.prize[kind, upper]
    return prize + (rank - upper) * (memory.prize[kind, upper + 1] - prize)


@jit
def _fill_game(state, rules, params, memory):
    """Compute the constants of a game."""
    players, top = state.players, rules.top
    for kind in range(3):
        for rank in range(players + 2):
            clipped_rank = min(rank, players - 1)
            prize = _prize(rules, kind, clipped_rank)
            if 0 < rank < players - 1:  # the first and last ranks keep their prizes
                prize = 0.5 * prize + 0.25 * (
                    _prize(rules, kind, clipped_rank - 1) + _prize(rules, kind, clipped_rank + 1)
                )
            memory.prize[kind, rank] = prize
    ships = rules.ships
    sail = scrolls = promotion = 0
    for ship in range(ships):
        sail += rules.sail[ship]
        scrolls += rules.scrolls[ship]
        promotion += rules.promotion[ship]
    memory.sail, memory.scrolls, memory.promotion = sail / ships, scrolls / ships, promotion / ships
    for lead in range(-2 * top - 1, 2 * top + 2):
        memory.lead[_LEVEL + lead] = _chance_behind(0.5 * lead, params.later_spread)


@jit
def _fill_round(state, rules, params, memory):
    """Compute the constants of a round: the bonus coins of this and all later ones."""
    if memory.filled == 0:
        _fill_game(state, rules, params, memory)
    top = rules.top
    rounds_after = rules.rounds - state.round - 1
    for kind in range(2):
        city, climb = (FLORENCE, params.scroll_climb) if kind == AT_FLORENCE else (0, params.ware_climb)
        for space in range(top + 1):
            coins = 0.0
            for k in range(rounds_after + 1):
                climbed = min(space + climb * k, float64(top))
                low = int64(climbed)
                high = min(low + 1, top)
                share = climbed - low
                coins += space_bonus(rules, city, low) * (1.0 - share) + space_bonus(rules, city, high) * share
            memory.bonus[kind, space] = params.bonus * coins
    memory.filled = state.round + 1


@force_inline
def _prize(rules, kind, rank):
    if kind == SHIP:
        return float64(rules.ship_prize[rank])
    return float64(rules.marker_prize[rank] if kind == MARKER else rules.category_prize[rank])


@force_inline
def fill_decision(state, rules, params, memory):
    """Compute the constants of a decision, and those of its round unless `memory` has them."""
    if memory.filled != state.round + 1:
        _fill_round(state, rules, params, memory)
    memory.open = state.deck / max(rules.cards[state.players], 1)
    spread = 0.1 + params.now_spread * memory.open
    memory.steep[0] = 0.5 / spread
    memory.steep[1] = 0.5 / (spread + params.berth_spread)


@force_inline
def _behind_now(lead, tie, drift, steep):
    """Return the probability of ending the round behind a rival; `lead`: in spaces; `drift`: its expected change."""
    twice = 2 * lead + tie if lead == 0 else 2 * lead
    return clip(0.5 - (0.5 * twice + drift) * steep, 0.0, 1.0)


@force_inline
def _behind_later(memory, lead, tie):
    """Return the probability of ending a later round behind a rival, from the current lead in spaces."""
    return memory.lead[_LEVEL + (tie if lead == 0 else 2 * lead)]


@force_inline
def _marker_coins(rules, params, memory, kind, rounds, now, later, space):
    """Return the coins of a marker on `space`; `now`, `later`: rivals expected ahead in this and each later round."""
    coins = memory.bonus[kind, space] + params.later * rounds * prize_at(memory, MARKER, later)
    if space > 0:
        coins += prize_at(memory, MARKER, now)
    if kind == AT_FLORENCE:  # the first turn and the tie-break of the leader
        coins += params.florence_lead * rules.marker_prize[0] * max(1.0 - now, 0.0)
    return coins


@force_inline
def _race(state, params, memory, kind, city, own_ships, other):
    """Return (expected spaces gained on the rival `other` this round, decrease of `_behind_now` by space of lead)."""
    berths = state.berths[other]
    if kind == AT_FLORENCE:
        rival_ships = count_bits(berths)
        return params.florence_drift * (own_ships - rival_ships), 0.5 / (
            0.1 + params.florence_spread * (own_ships + rival_ships)
        )
    rival_ships = (berths >> city) & 1
    return params.berth_drift * (own_ships - rival_ships), memory.steep[rival_ships]


@force_inline
def _gains(state, rules, params, memory, seat, kind, city, own_ships, a, b, c):
    """Return the additional coins, this round and later, of `a`, `b` and `c` steps; `own_ships`: own ships to come."""
    start, top = state.position[city, seat], rules.top
    if start == top:
        return 0.0, 0.0, 0.0
    a, b, c = min(a, top - start), min(b, top - start), min(c, top - start)
    now = now_a = now_b = now_c = 0.0
    later = later_a = later_b = later_c = 0.0
    tie = -1  # on equal spaces 1 if the seat is ahead, else -1; a marker that moves stops behind
    for rank in range(state.players):
        other = state.order[city, rank]
        if other == seat:
            tie = 1
            continue
        lead = start - state.position[city, other]
        drift, steep = _race(state, params, memory, kind, city, own_ships, other)
        now += _behind_now(lead, tie, drift, steep)
        now_a += _behind_now(lead + a, int64(-1), drift, steep)
        now_b += _behind_now(lead + b, int64(-1), drift, steep)
        now_c += _behind_now(lead + c, int64(-1), drift, steep)
        later += _behind_later(memory, lead, tie)
        later_a += _behind_later(memory, lead + a, int64(-1))
        later_b += _behind_later(memory, lead + b, int64(-1))
        later_c += _behind_later(memory, lead + c, int64(-1))
    rounds = rules.rounds - state.round - 1
    coins_here = _marker_coins(rules, params, memory, kind, rounds, now, later, start)
    return (
        _marker_coins(rules, params, memory, kind, rounds, now_a, later_a, start + a) - coins_here if a > 0 else 0.0,
        _marker_coins(rules, params, memory, kind, rounds, now_b, later_b, start + b) - coins_here if b > 0 else 0.0,
        _marker_coins(rules, params, memory, kind, rounds, now_c, later_c, start + c) - coins_here if c > 0 else 0.0,
    )


@jit
def marker_value(state, rules, params, memory, seat, kind, city, own_ships):
    """Return the expected coins of a marker on its space, this round and later; `own_ships`: ships that may follow."""
    space = state.position[city, seat]
    now = later = 0.0
    tie = -1
    for rank in range(state.players):
        other = state.order[city, rank]
        if other == seat:
            tie = 1
            continue
        lead = space - state.position[city, other]
        drift, steep = _race(state, params, memory, kind, city, own_ships, other)
        now += _behind_now(lead, tie, drift, steep)
        later += _behind_later(memory, lead, tie)
    return _marker_coins(rules, params, memory, kind, rules.rounds - state.round - 1, now, later, space)


@jit
def port_gains(state, rules, params, memory, seat, port, own_ships, a, b, c):
    """Return the additional coins of `a`, `b` and `c` steps at a port; `own_ships`: 1 if a ship can follow, else 0."""
    return _gains(state, rules, params, memory, seat, AT_PORT, port, own_ships, a, b, c)


@jit
def step_gain(state, rules, params, memory, seat, port, own_ships):
    """Return the additional coins of one step at a port."""
    return _gains(state, rules, params, memory, seat, AT_PORT, port, own_ships, 1, 1, 1)[0]


@jit
def florence_gains(state, rules, params, memory, seat, own_ships, a):
    """Return the additional coins of one and of `a` steps at Florence; `own_ships`: ships that the seat may place."""
    return _gains(state, rules, params, memory, seat, AT_FLORENCE, FLORENCE, own_ships, 1, a, a)[:2]


@jit
def category_value(state, rules, params, memory, seat, category, total):
    """Return the expected prize in `category` with tiles worth `total`."""
    rounds_left = rules.rounds - state.round - 1 + memory.open
    steep = 0.5 / (0.2 + params.tile_spread * rounds_left)
    behind = 0.0
    tie = -_TIE
    for rank in range(state.players):
        other = state.order[FLORENCE, rank]
        if other == seat:
            tie = _TIE
            continue
        lead = total - state.tile_total[category, other] + tie
        behind += clip(0.5 - lead * steep, 0.0, 1.0)
    value = prize_at(memory, CATEGORY, behind)
    if total == 0 and not rules.zero_total_scores:
        value *= min(1.0, params.none_yet * rounds_left)
    return value


@jit
def tile_value(state, rules, params, memory, seat, tile):
    """Return the weighted worth of taking `tile`: its category, and the step of its ware."""
    category = rules.tile_category[tile]
    total = state.tile_total[category, seat]
    worth = category_value(state, rules, params, memory, seat, category, total + rules.tile_value[tile])
    worth = params.promotion * (worth - category_value(state, rules, params, memory, seat, category, total))
    ware = rules.tile_ware[tile]
    if ware != NO_WARE:
        own_ships = (state.berths[seat] >> ware) & 1
        worth += params.ware * step_gain(state, rules, params, memory, seat, ware, own_ships)
    return worth


@jit
def best_tile_value(state, rules, params, memory, seat):
    """Return (slot, worth) of the best tile that `seat` can take from the display, or (-1, 0.0) without one."""
    best, slot, slots = 0.0, -1, open_slots(state, rules, seat)
    for k in range(state.display_size):
        if (slots >> k) & 1 == 0:
            continue
        worth = tile_value(state, rules, params, memory, seat, state.display[k])
        if slot < 0 or worth > best:
            best, slot = worth, int64(k)
    return slot, best


@force_inline
def speed_value(state, params, memory, port, rivals, speed, faster):
    """Return the weighted worth of `speed` at `port`; `faster`: share of `rivals` to come expected to be faster."""
    ahead = ships_ahead(state, port, speed)
    ships = state.ships_at[port]
    taken = memory.prize[SHIP, ahead] - memory.prize[SHIP, ships]  # lost by the slower ships
    return params.speed * (prize_at(memory, SHIP, ahead + rivals * faster) + params.deny * taken)


@force_inline
def rivals_faster(state, rules, params, sail):
    """Return the probabilities that a rival's later ship is faster than `sail`, and than `sail` with plus_one."""
    unseen = state.ships_unseen
    plus = rules.plus_one_speed
    with_plus = faster = faster_than_plus = 0
    for k in range(unseen):
        other = rules.sail[state.unseen_ship[k]]
        with_plus += other + plus > sail
        faster += other > sail
        faster_than_plus += other > sail + plus
    scale = params.rival_speed / max(unseen, 1)
    return (
        min(1.0, scale * (faster + params.plus_share * (with_plus - faster))),
        min(1.0, scale * (faster_than_plus + params.plus_share * (faster - faster_than_plus))),
    )
