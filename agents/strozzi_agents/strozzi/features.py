"""Features of Strozzi for learned values: quiet is the active seat's decision on a new card, which counts as unseen."""

import numpy as np
from numba import float32

from strozzi_agents.learned.features import Features
from strozzi_agents.learned.verbs import describe, feature_counts, guide_action, is_quiet, solve
from strozzi_agents.strozzi.heuristic import heuristic
from strozzi_agents.strozzi.immediate_value import marker_pay, ships_ahead
from strozzi_agents.strozzi.value import (
    AT_FLORENCE,
    AT_PORT,
    MEMORY,
    SHIP,
    category_value,
    fill_decision,
    marker_value,
    prize_at,
)
from strozzi_sim.games.strozzi.scoring import category_coins
from strozzi_sim.games.strozzi.state import CITIES, CLAIM, FLORENCE, MAX_SAIL, NO_WARE, NOBODY, PORTS, STATE
from strozzi_sim.kernel.bits import count_bits
from strozzi_sim.kernel.jit import jit, register_overload

_PORT_GROUPS = (
    (5, 6, 7),
    (8, 9, 10),
    (12, 13, 14),
    (16, 17, 18),
    (20, 21, 22),
    (26, 27, 28),
    (29, 30, 31),
    (41, 42, 43),
)
FEATURES = Features(32, 45, ((13, 14, 15), (25, 26, 27), (28, 29, 30)), _PORT_GROUPS)  # the ports are interchangeable
COMMON, OWN = FEATURES.common, FEATURES.own
GUIDE = np.dtype([  # shape                       meaning
    ("analysis", MEMORY),
    ("faster", "f8", (MAX_SAIL + 2,)),  #         [speed] share of the unseen ships and the card that are faster
], align=True)  # fmt: skip
_SPEEDS = (2, 4, 6, 8)  # of each, the share of faster ships is a feature
_PARAMS = np.zeros(1, heuristic.params_dtype)  # the parameters of `heuristic`, with their defaults
for _name, _param in heuristic.params.items():
    _PARAMS[_name] = _param.default
_heuristic = jit(heuristic.function)


@jit
def _is_quiet(state, rules):
    return state.phase == CLAIM and state.actor == state.active and state.holder == NOBODY


@jit
def _guide_action(state, rules, guide):
    return _heuristic(state, rules, _PARAMS[0], guide.analysis, None)


@jit
def _count_unseen(state, rules, guide, out):
    """Describe the unseen ships, with the card among them, and tiles in out[8] .. out[18]; fill `guide.faster`."""
    unseen = state.ships_unseen
    count = unseen + 1
    for speed in range(MAX_SAIL + 2):
        guide.faster[speed] = 0.0
    sail = scrolls = promotion = 0
    for k in range(PORTS):
        out[13 + k] = 0
    for k in range(count):
        ship = state.unseen_ship[k] if k < unseen else state.ship
        sail += rules.sail[ship]
        scrolls += rules.scrolls[ship]
        promotion += rules.promotion[ship]
        guide.faster[rules.sail[ship]] += 1.0
        for port in range(PORTS):
            out[13 + port] += float32(rules.cargo[ship, port])
    faster = 0.0
    for k in range(MAX_SAIL + 2):
        speed = MAX_SAIL + 1 - k
        count_here = guide.faster[speed]
        guide.faster[speed] = faster / count
        faster += count_here
    out[8] = float32(sail / (10.0 * count))
    for k in range(len(_SPEEDS)):
        out[9 + k] = float32(guide.faster[_SPEEDS[k]])
    for port in range(PORTS):
        out[13 + port] /= float32(count)
    out[16] = float32(scrolls / count)
    out[17] = float32(promotion / count)
    out[18] = float32(state.tiles_unseen / 20.0)


@jit
def _describe_common(state, rules, guide, out):
    for k in range(COMMON):
        out[k] = 0
    rounds_left = rules.rounds - 1 - state.round
    out[min(rounds_left, 2)] = 1
    out[3] = float32(rounds_left / 3.0)
    cards = state.deck + 1
    flags = 0
    for seat in range(state.players):
        flags += count_bits(state.hand[seat])
    out[4] = float32(cards / 10.0)
    out[5] = float32(flags / 12.0)
    out[6] = float32(cards / max(flags, 1) / 2.0)
    out[7] = float32(1.0 / cards)
    _count_unseen(state, rules, guide, out)
    for slot in range(state.display_size):
        tile = state.display[slot]
        category = rules.tile_category[tile]
        out[19 + category] = max(out[19 + category], float32(rules.tile_value[tile] / 2.0))
        out[22 + category] += float32(0.5)
        if rules.tile_ware[tile] != NO_WARE:
            out[25 + rules.tile_ware[tile]] = 1
    for port in range(PORTS):
        out[28 + port] = float32(state.ships_at[port] / state.players)
    out[31] = float32(cards > flags)


@jit
def _describe(state, rules, guide, out):
    memory = guide.analysis
    params = _PARAMS[0]
    fill_decision(state, rules, params, memory)
    _describe_common(state, rules, guide, out)
    players = state.players
    mean = 0.0
    for seat in range(players):
        mean += state.coins[seat]
    mean /= players
    ref_speed = int(memory.sail + params.ref_sail + 1.0)
    to_come = 0  # seats with a berth left at each port, 8 bits per port
    for seat in range(players):
        berths = state.berths[seat]
        to_come += (berths & 1) | (berths & 2) << 7 | (berths & 4) << 14
    for seat in range(players):
        first = COMMON + seat * OWN
        hand, berths = state.hand[seat], state.berths[seat]
        ships = count_bits(berths)
        out[first] = float32((state.coins[seat] - mean) / 50.0)
        for k in range(3):
            out[first + 1 + k] = float32((hand >> k) & 1)
            out[first + 5 + k] = float32((berths >> k) & 1)
            out[first + 26 + k] = float32(0)  # speed and prize of its ship at each port, if any: see below
            out[first + 29 + k] = float32(0)
        out[first + 4] = float32(count_bits(hand) / 3.0)
        total = 0.0
        for city in range(CITIES):
            kind = AT_FLORENCE if city == FLORENCE else AT_PORT
            ships_to_come = ships if city == FLORENCE else (berths >> city) & 1
            out[first + 8 + city] = float32(state.position[city, seat] / rules.top)
            pay_now = marker_pay(state, rules, seat, city, state.position[city, seat])
            worth = marker_value(state, rules, params, memory, seat, kind, city, ships_to_come)
            out[first + 16 + city] = float32(pay_now / 20.0)
            out[first + 20 + city] = float32(worth / 40.0)
            total += worth
        for category in range(3):
            tiles = state.tile_total[category, seat]
            worth = category_value(state, rules, params, memory, seat, category, tiles)
            out[first + 32 + category] = float32(tiles / 4.0)
            out[first + 35 + category] = float32(category_coins(state, rules, seat, category, tiles) / 20.0)
            out[first + 38 + category] = float32(worth / 20.0)
            total += worth
        turn = seat - state.active
        out[first + 24] = float32(turn == 0)
        out[first + 25] = float32((turn if turn >= 0 else turn + players) / (players - 1))
        for port in range(PORTS):
            if (berths >> port) & 1 == 1:
                rivals = ((to_come >> (8 * port)) & 255) - 1
                ahead = ships_ahead(state, port, ref_speed) + rivals * params.ref_faster
                worth = prize_at(memory, SHIP, ahead)
                out[first + 41 + port] = float32(worth / 20.0)
                total += worth
        out[first + 44] = float32(total / 100.0)
    for city in range(CITIES):
        for rank in range(players):
            out[COMMON + state.order[city, rank] * OWN + 12 + city] = float32((players - 1 - rank) / (players - 1))
    for port in range(PORTS):
        rivals = (to_come >> (8 * port)) & 255
        for rank in range(state.ships_at[port]):
            first = COMMON + state.berth_seat[port, rank] * OWN
            speed = state.berth_speed[port, rank]
            worth = prize_at(memory, SHIP, rank + rivals * min(1.0, params.rival_speed * guide.faster[speed]))
            out[first + 26 + port] = float32(speed / 10.0)
            out[first + 29 + port] = float32(rules.ship_prize[rank] / 20.0)
            out[first + 41 + port] = float32(worth / 20.0)
            out[first + 44] += float32(worth / 100.0)


@jit
def _feature_counts(state):
    return COMMON, OWN


@jit
def _solve(state, rules, weights, memory, prize, beyond, redraws, rng):
    return 0


register_overload(feature_counts, STATE, _feature_counts, force_inline=True)
register_overload(is_quiet, STATE, _is_quiet)
register_overload(guide_action, STATE, _guide_action)
register_overload(describe, STATE, _describe)
register_overload(solve, STATE, _solve, force_inline=True)
