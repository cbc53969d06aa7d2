"""What things are worth: expected coins of a speed at a port, of a marker's space, of tiles.

Every prize by rank is read at an expected rank: the sum, over the rivals, of the chance that they will be ahead. Between
two ranks prizes are interpolated. Each seat keeps in its memory what stays the same for a round or for a decision.
"""

import numpy as np
from numba import float64, int64

from strozzi_agents.strozzi.now import ships_ahead
from strozzi_sim.games.strozzi.state import CITIES, FLORENCE, MOST_SPACES, NO_WARE, PORTS, SEATS
from strozzi_sim.kernel.bits import count_bits
from strozzi_sim.kernel.jit import inlined, jit

SHIP, MARKER, CATEGORY = 0, 1, 2  # the kinds of prize
_LEVEL = 2 * MOST_SPACES  # index of a lead of no space in `lead`
_TIE = 0.3  # of a tile's value, for the better place at Florence

MEMORY = np.dtype([  # shape                          meaning
    ("filled", "i8"),  #                              the round that the first part is for, from 1; 0 = none
    ("prize", "f8", (3, SEATS + 1)),  #               [kind, rank] prizes, rounded off over neighbouring ranks
    ("bonus", "f8", (2, MOST_SPACES)),  #             [port or Florence, space] bonus coins of this and all later rounds
    ("lead", "f8", (2 * _LEVEL,)),  #                 [twice the lead + _LEVEL] chance to be behind in a later round
    ("sail", "f8"),  #                                means over all ships
    ("scrolls", "f8"),
    ("promotion", "f8"),
    ("open", "f8"),  #                                share of the round's cards that are still to come
    ("steep", "f8", (2,)),  #                         [his berth is free] loss of chance by space, this round
    ("berth", "f8", (PORTS,)),  #                     [port] worth of the reference ship
    ("step", "f8", (CITIES,)),  #                     [city] worth of a step
    ("prize_at", "f8", (PORTS,)),  #                  [port] worth of the ship's speed
    ("prize_plus", "f8", (PORTS,)),  #                the same with the plus_one flag
    ("cargo", "f8", (PORTS,)),  #                     [port] worth of the ship's cargo
    ("cargo_ware", "f8", (PORTS,)),  #                the same with the ware flag
], align=True)  # fmt: skip


@inlined
def _spread_out(lead, spread):
    """Chance to be behind: 1/2 at a lead of 0, 1/4 at a lead of `spread`."""
    return 0.5 - 0.5 * lead / (abs(lead) + spread)


@inlined
def clipped(number, low, high):
    """`number`, or the nearest of the two bounds."""
    return min(max(number, low), high)


@inlined
def prize_at(memory, kind, rank):
    """The prize at a rank between whole ones, 0 = best."""
    whole = int64(rank)
    prize = memory.prize[kind, whole]
    return prize + (rank - whole) * (memory.prize[kind, whole + 1] - prize)


@jit
def fill_round(state, rules, params, memory):
    """Work out what stays the same for a round."""
    players, top = int64(state.players), int64(rules.top)
    for kind in range(3):
        for rank in range(players):
            low, high = max(rank - 1, 0), min(rank + 1, players - 1)
            memory.prize[kind, rank] = (
                0.5 * _prize(rules, kind, rank) + 0.25 * (_prize(rules, kind, low) + _prize(rules, kind, high))
            )
        if players > 1:  # the ends stay on the line through their neighbours
            memory.prize[kind, 0] = _prize(rules, kind, int64(0))
            memory.prize[kind, players - 1] = _prize(rules, kind, players - 1)
        memory.prize[kind, players] = memory.prize[kind, players - 1]
    ships = int64(rules.ships)
    sail = scrolls = promotion = int64(0)
    for ship in range(ships):
        sail += int64(rules.sail[ship])
        scrolls += int64(rules.scrolls[ship])
        promotion += int64(rules.promotion[ship])
    memory.sail, memory.scrolls, memory.promotion = sail / ships, scrolls / ships, promotion / ships
    for lead in range(-2 * top - 1, 2 * top + 2):
        memory.lead[_LEVEL + lead] = _spread_out(0.5 * lead, params.later_spread)
    later = int64(rules.rounds) - int64(state.round) - 1
    for kind in range(2):
        climb = params.scroll_climb if kind == 1 else params.ware_climb
        for space in range(top + 1):
            coins = 0.0
            if kind == 0 or rules.florence_bonus:
                for k in range(later + 1):
                    there = min(space + climb * k, float64(top))
                    low = int64(there)
                    high = min(low + 1, top)
                    coins += int64(rules.bonus[low]) + (there - low) * (int64(rules.bonus[high]) - int64(rules.bonus[low]))
            memory.bonus[kind, space] = params.bonus * coins
    memory.filled = int64(state.round) + 1


@inlined
def _prize(rules, kind, rank):
    if kind == SHIP:
        return float64(int64(rules.ship_prize[rank]))
    return float64(int64(rules.marker_prize[rank]) if kind == MARKER else int64(rules.category_prize[rank]))


@inlined
def fill_decision(state, rules, params, memory):
    """Work out what stays the same for a decision."""
    if memory.filled != int64(state.round) + 1:
        fill_round(state, rules, params, memory)
    memory.open = int64(state.deck) / max(int64(rules.cards[int64(state.players)]), int64(1))
    spread = 0.1 + params.now_spread * memory.open
    memory.steep[0] = 0.5 / spread
    memory.steep[1] = 0.5 / (spread + params.berth_spread)


@jit
def port_marker_value(state, rules, params, memory, seat, port, space, mine):
    """Coins, this round and later, of the marker of `seat` on `space` of a port; `mine`: he may still place there (1)."""
    moved = space > int64(state.position[port, seat])
    behind = later = 0.0
    tie = int64(-1)  # against rivals on the same space
    for rank in range(int64(state.players)):
        other = int64(state.order[port, rank])
        if other == seat:
            if not moved:
                tie = 1
            continue
        lead = 2 * (space - int64(state.position[port, other]))
        if lead == 0:
            lead = tie
        theirs = (int64(state.berths[other]) >> port) & 1
        drift = params.berth_drift * (mine - theirs)
        behind += clipped(0.5 - (0.5 * lead + drift) * memory.steep[theirs], 0.0, 1.0)
        later += memory.lead[_LEVEL + lead]
    return _marker_coins(state, rules, params, memory, behind, later, space) + memory.bonus[0, space]


@jit
def florence_value(state, rules, params, memory, seat, space, mine):
    """The same at Florence; `mine`: ships he may still place."""
    moved = space > int64(state.position[FLORENCE, seat])
    behind = later = 0.0
    tie = int64(-1)
    for rank in range(int64(state.players)):
        other = int64(state.order[FLORENCE, rank])
        if other == seat:
            if not moved:
                tie = 1
            continue
        lead = 2 * (space - int64(state.position[FLORENCE, other]))
        if lead == 0:
            lead = tie
        theirs = count_bits(int64(state.berths[other]))
        drift = params.florence_drift * (mine - theirs)
        spread = 0.1 + params.florence_spread * (mine + theirs)
        behind += clipped(0.5 - 0.5 * (0.5 * lead + drift) / spread, 0.0, 1.0)
        later += memory.lead[_LEVEL + lead]
    return _marker_coins(state, rules, params, memory, behind, later, space) + memory.bonus[1, space]


@inlined
def _marker_coins(state, rules, params, memory, behind, later, space):
    coins = prize_at(memory, MARKER, behind) if space > 0 else 0.0
    rounds = int64(rules.rounds) - int64(state.round) - 1
    if rounds > 0:
        coins += params.later * rounds * prize_at(memory, MARKER, later)
    return coins


@jit
def category_value(state, rules, params, memory, seat, category, total):
    """Expected prize in `category` with tiles worth `total`."""
    left = int64(rules.rounds) - int64(state.round) - 1 + memory.open  # rounds
    steep = 0.5 / (0.2 + params.tile_spread * left)
    behind = 0.0
    tie = -_TIE
    for rank in range(int64(state.players)):
        other = int64(state.order[FLORENCE, rank])
        if other == seat:
            tie = _TIE
            continue
        lead = total - int64(state.tile_total[category, other]) + tie
        behind += clipped(0.5 - lead * steep, 0.0, 1.0)
    value = prize_at(memory, CATEGORY, behind)
    if total == 0 and not rules.zero_total_scores:
        value *= min(1.0, params.none_yet * left)
    return value


@jit
def tile_value(state, rules, params, memory, seat, tile):
    """Weighted worth of taking `tile`: its category, and the step of its ware."""
    category = int64(rules.tile_category[tile])
    total = int64(state.tile_total[category, seat])
    worth = category_value(state, rules, params, memory, seat, category, total + int64(rules.tile_value[tile]))
    worth = params.promotion * (worth - category_value(state, rules, params, memory, seat, category, total))
    ware = int64(rules.tile_ware[tile])
    if ware != NO_WARE:
        here = int64(state.position[ware, seat])
        if here < int64(rules.top):
            mine = (int64(state.berths[seat]) >> ware) & 1
            step = port_marker_value(state, rules, params, memory, seat, ware, here + 1, mine)
            step -= port_marker_value(state, rules, params, memory, seat, ware, here, mine)
            worth += params.ware * step
    return worth


@jit
def best_tile_value(state, rules, params, memory, seat):
    """(slot, worth) of the best tile on display; slot -1 and worth 0 if there is none."""
    best, slot = 0.0, int64(-1)
    for k in range(int64(state.display_size)):
        worth = tile_value(state, rules, params, memory, seat, int64(state.display[k]))
        if slot < 0 or worth > best:
            best, slot = worth, int64(k)
    return slot, best


@inlined
def rivals_to_come(state, seat, port):
    """Rivals who may still place a ship at `port`."""
    rivals = int64(0)
    for other in range(int64(state.players)):
        rivals += (int64(state.berths[other]) >> port) & 1
    return rivals - ((int64(state.berths[seat]) >> port) & 1)


@inlined
def speed_value(state, params, memory, port, rivals, speed, faster):
    """Weighted worth of a ship of this speed at `port`, when each rival to come is faster by that chance."""
    ahead = ships_ahead(state, port, speed)
    ships = int64(state.ships_at[port])
    taken = memory.prize[SHIP, ahead] - memory.prize[SHIP, ships]
    return params.speed * (prize_at(memory, SHIP, ahead + rivals * faster) + params.deny * taken)


@inlined
def rivals_faster(state, rules, params, speed):
    """Chance that a rival's later ship is faster than `speed`, by the unseen ships."""
    unseen = int64(state.ships_unseen)
    plus = int64(rules.plus_one_speed)
    faster = faster_plus = int64(0)
    for k in range(unseen):
        sail = int64(rules.sail[int64(state.unseen_ship[k])])
        faster += sail > speed
        faster_plus += sail + plus > speed
    share = faster + params.plus_share * (faster_plus - faster)
    return min(1.0, params.rival_speed * share / max(unseen, int64(1)))
