"""What is counted from Strozzi's journal, as exact integers: sums over games, so chunks can be added in any order.

Wins are counted in WIN_UNITS (see `selfplay.loop`); every other number is a count or a sum of coins, spaces or steps.
"""

import numpy as np
from numba import int64

from strozzi_sim.games.strozzi.core import placing
from strozzi_sim.games.strozzi.events import (
    CARGO,
    CLAIM,
    END,
    MARKER,
    MOVE,
    PLACE,
    REVEAL,
    ROUND,
    SCORE,
    SET_ASIDE,
    SHIP_PRIZE,
)
from strozzi_sim.games.strozzi.state import (
    CITIES,
    FLORENCE,
    MAX_ROUNDS,
    MAX_SHIPS,
    MAX_SPACES,
    NOBODY,
    PORTS,
    SEATS,
)
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.wins import WIN_UNITS

# How placed ships are sorted, and into how many bins; the last bin takes everything beyond.
BY = ("sail", "cargo", "match", "round", "lap", "order")
BY_SAIL, BY_CARGO, BY_MATCH, BY_ROUND, BY_LAP, BY_ORDER = range(6)
LEVELS = 16
SCORES = 2048  # scores 0 .. SCORES-2; the last one takes everything beyond
TOTALS = 32  # values of a category's tiles; the last one takes everything beyond
PATTERNS = 64  # the k-th flag (or port) of a round in base 4, 0 = none: first + 4 second + 16 third

# What is summed over ships placed.
PLACED, PRIZE, STEPS, WON = range(4)
# What is summed over reveals of a ship card.
REVEALED, CLAIMED, PIRATED, ASIDE, TAKEN, EARNED, DELIVERED, WINS = range(8)
# What is summed over players of a kind.
COUNT, COINS, VICTORIES = range(3)

TALLIES = np.dtype([  # shape                        meaning
    ("games", "i8"),
    ("score", "i8", (SCORES,)),  #                   players by score
    ("margin", "i8"),  #                             coins of the winner less those of the second
    ("florence_ties", "i8"),  #                      games in which the two best had equal coins
    ("lead_changes", "i8"),  #                       of the leader, from round to round and to the end
    ("leader_wins", "i8", (MAX_ROUNDS,)),  #        [round] games won by the leader after it
    ("set_aside", "i8"),
    ("over_box", "i8"),  #                           games that paid more than the coins in the box
    ("tiles_left", "i8"),  #                         tiles nobody took
    ("source", "i8", (4,)),  #                       coins from ships, markers, bonus spaces, promotion
    ("winner_source", "i8", (4,)),
    ("use", "i8", (6, LEVELS, 3, PORTS, 4)),  #      [BY, bin, flag, port, PLACED..WON] ships placed
    ("claim", "i8", (3, LEVELS)),  #                 [flag, sail] first claims of a card
    ("pirated", "i8", (3, LEVELS)),  #               [flag, sail] first claims that a pirate took over
    ("pirate_lap", "i8", (3, SEATS)),  #             [flag, lap] the same by the pirate's distance from the active seat
    ("flag_pattern", "i8", (PATTERNS, 3)),  #        [pattern, COUNT..] player-rounds by order of flags; round's coins
    ("port_pattern", "i8", (PATTERNS, 3)),
    ("ship", "i8", (MAX_SHIPS, 8)),  #              [ship, REVEALED..WINS]
    ("ship_port", "i8", (MAX_SHIPS, PORTS)),  #     [ship, port] placed there
    ("ship_flag", "i8", (MAX_SHIPS, 3)),
    ("space", "i8", (CITIES, MAX_SPACES, 3)),  #    [city, last space, COUNT..] markers; coins paid in the last scoring
    ("space_by_round", "i8", (CITIES, MAX_ROUNDS)),  # sum of the spaces after each round
    ("port_pair", "i8", (PORTS, 3)),  #              [port left out, COUNT..] players by their two best-paying ports, if clear
    ("port_coins", "i8", (CITIES, 2)),  #            coins by city: ships, markers with bonus
    ("category", "i8", (3, SEATS, 5)),  #            [category, place, count, value, coins, tiles, wins]
    ("total", "i8", (3, TOTALS, 3)),  #              [category, value, COUNT..] players
    # Notes for one game; no sums.
    ("note_ship", "i8", (MAX_SHIPS, 5)),  #         [ship, flag, port, lap, order, steps] of this round
    ("note_used", "i8", (SEATS, 2)),  #              [P, pattern of flags, of ports] this round
    ("note_ships", "i8", (SEATS,)),  #               [P] ships placed this round
    ("note_city", "i8", (SEATS, CITIES)),  #         [P, city] coins of the game
    ("note_last", "i8", (SEATS, CITIES)),  #         [P, city] coins of the last marker scoring
    ("note_source", "i8", (SEATS, 4)),
    ("note_round_coins", "i8", (SEATS,)),
], align=True)  # fmt: skip
NOTES = tuple(name for name in TALLIES.names or () if name.startswith("note_"))


@jit
def _bin(number):
    return min(number, int64(LEVELS - 1))


@jit
def tally(state, rules, journal, t):
    """Add one finished game to the tallies `t`."""
    players = state.players
    winner = 0
    for seat in range(players):
        if placing(state, seat)[0] == 0:
            winner = seat
        for city in range(CITIES):
            t.note_city[seat, city] = 0
        for source in range(4):
            t.note_source[seat, source] = 0
    t.games += 1
    round_ = active = ship = holder_flag = 0
    last_leader = leader = best = -1
    scored = 0
    paid = 0
    for row in range(journal.count):
        kind = journal.rows[row, 0]
        seat = journal.rows[row, 1]
        b = journal.rows[row, 2]
        if kind == CLAIM:
            if b >= 0:
                sail = _bin(rules.sail[ship])
                if holder_flag < 0:
                    t.claim[b, sail] += 1
                    t.ship[ship, CLAIMED] += 1
                else:
                    seat_offset = seat - active + players if seat < active else seat - active
                    t.pirated[holder_flag, sail] += 1
                    t.pirate_lap[holder_flag, seat_offset] += 1
                    t.ship[ship, PIRATED] += 1
                holder_flag = b
        elif kind == REVEAL:
            active, ship, holder_flag = seat, b, -1
            t.ship[ship, REVEALED] += 1
        elif kind == PLACE:
            flag, port = journal.rows[row, 3], journal.rows[row, 4]
            order = t.note_ships[seat]
            t.note_ships[seat] = order + 1
            t.note_ship[ship, 0] = flag
            t.note_ship[ship, 1] = port
            t.note_ship[ship, 2] = seat - active + players if seat < active else seat - active
            t.note_ship[ship, 3] = order
            t.note_ship[ship, 4] = 0
            t.note_used[seat, 0] += (flag + 1) << (2 * order)
            t.note_used[seat, 1] += (port + 1) << (2 * order)
        elif kind == MOVE:
            if journal.rows[row, 5] == CARGO:
                t.note_ship[ship, 4] = journal.rows[row, 4] - journal.rows[row, 3]
        elif kind == SET_ASIDE:
            t.set_aside += 1
            t.ship[ship, ASIDE] += 1
        elif kind == ROUND:
            round_ = seat
            scored = 0
            best = -1
            for player in range(players):
                t.note_used[player, 0] = 0
                t.note_used[player, 1] = 0
                t.note_ships[player] = 0
                t.note_round_coins[player] = 0
        elif kind == SHIP_PRIZE:
            _count_ship(t, rules, seat, b, round_, journal.rows[row, 5], seat == winner)
        elif kind == MARKER:
            space, prize, bonus = journal.rows[row, 3], journal.rows[row, 4], journal.rows[row, 5]
            t.space_by_round[b, round_] += space
            t.note_city[seat, b] += prize + bonus
            t.note_last[seat, b] = prize + bonus
            t.note_source[seat, 1] += prize
            t.note_source[seat, 2] += bonus
            t.note_round_coins[seat] += prize + bonus
            t.port_coins[b, 1] += prize + bonus
            if b == FLORENCE:  # its markers come best first, which decides ties of coins
                if scored == 0:
                    last_leader = leader
                scored += 1
        elif kind == SCORE:
            leader, best = _better_leader(journal, row, seat, leader, best, players)
            if seat == players - 1:
                _end_round(t, players, winner, round_, leader, last_leader)
        elif kind == END:
            t.note_source[seat, 3] = b
    t.lead_changes += leader != winner
    top = second = -1
    for seat in range(players):
        coins = state.coins[seat]
        paid += coins
        t.score[min(coins, int64(SCORES - 1))] += 1
        if seat == winner:
            top = coins
        else:
            second = max(second, coins)
        for source in range(4):
            t.source[source] += t.note_source[seat, source]
        _count_cities(t, state, seat, seat == winner)
    for source in range(4):
        t.winner_source[source] += t.note_source[winner, source]
    t.margin += top - second
    t.florence_ties += top == second
    t.over_box += paid > rules.box_coins
    _count_categories(t, state, rules, players, winner)


@jit
def _better_leader(journal, row, seat, leader, best, players):
    """The leader among seats 0..seat after a round: most coins, ties by the order at Florence."""
    total = journal.rows[row, 5]
    if total > best:
        return seat, total
    if total == best:
        first = row - seat - players  # Florence's MARKER rows stand right before the SCORE rows, best first
        for k in range(players):
            marker = journal.rows[first + k, 1]
            if marker == seat:
                return seat, total
            if marker == leader:
                break
    return leader, best


@jit
def _end_round(t, players, winner, round_, leader, last_leader):
    t.leader_wins[round_] += leader == winner
    t.lead_changes += last_leader >= 0 and leader != last_leader
    for seat in range(players):
        won = WIN_UNITS if seat == winner else 0
        flags, ports = t.note_used[seat, 0], t.note_used[seat, 1]
        t.flag_pattern[flags, COUNT] += 1
        t.flag_pattern[flags, COINS] += t.note_round_coins[seat]
        t.flag_pattern[flags, VICTORIES] += won
        t.port_pattern[ports, COUNT] += 1
        t.port_pattern[ports, COINS] += t.note_round_coins[seat]
        t.port_pattern[ports, VICTORIES] += won


@jit
def _count_ship(t, rules, seat, ship, round_, prize, won):
    """One placed ship, at the round's scoring."""
    flag, port, seat_offset, order, steps = (
        t.note_ship[ship, 0], t.note_ship[ship, 1], t.note_ship[ship, 2], t.note_ship[ship, 3], t.note_ship[ship, 4],
    )  # fmt: skip
    win = WIN_UNITS if won else 0
    cargo = rules.cargo[ship, 0] + rules.cargo[ship, 1] + rules.cargo[ship, 2]
    levels = (
        _bin(rules.sail[ship]),
        _bin(cargo),
        _bin(rules.cargo[ship, port]),
        round_,
        seat_offset,
        order,
    )
    for breakdown in range(6):
        bin = levels[breakdown]
        t.use[breakdown, bin, flag, port, PLACED] += 1
        t.use[breakdown, bin, flag, port, PRIZE] += prize
        t.use[breakdown, bin, flag, port, STEPS] += steps
        t.use[breakdown, bin, flag, port, WON] += win
    t.ship[ship, TAKEN] += 1
    t.ship[ship, EARNED] += prize
    t.ship[ship, DELIVERED] += steps
    t.ship[ship, WINS] += win
    t.ship_port[ship, port] += 1
    t.ship_flag[ship, flag] += 1
    t.note_city[seat, port] += prize
    t.note_source[seat, 0] += prize
    t.note_round_coins[seat] += prize
    t.port_coins[port, 0] += prize


@jit
def _count_cities(t, state, seat, won):
    """A player's last spaces, and the two ports that paid best."""
    win = WIN_UNITS if won else 0
    worst, lowest, shared = 0, t.note_city[seat, 0], False
    for city in range(CITIES):
        space = state.position[city, seat]
        t.space[city, space, COUNT] += 1
        t.space[city, space, COINS] += t.note_last[seat, city]
        t.space[city, space, VICTORIES] += win
        if 0 < city < PORTS:
            shared = (shared and t.note_city[seat, city] >= lowest) or t.note_city[seat, city] == lowest
            if t.note_city[seat, city] < lowest:
                worst, lowest = city, t.note_city[seat, city]
    if not shared:
        t.port_pair[worst, COUNT] += 1
        t.port_pair[worst, COINS] += state.coins[seat]
        t.port_pair[worst, VICTORIES] += win


@jit
def _count_categories(t, state, rules, players, winner):
    """Promotion tiles: totals, places, prizes, and the tiles nobody took."""
    for tile in range(rules.tiles):
        t.tiles_left += state.tile_owner[tile] == NOBODY
    for category in range(3):
        for seat in range(players):
            total = state.tile_total[category, seat]
            place = 0
            ahead = True
            for rank in range(players):
                other = state.order[FLORENCE, rank]
                if other == seat:
                    ahead = False
                else:
                    value = state.tile_total[category, other]
                    place += value > total or (value == total and ahead)
            scores = total > 0 or rules.zero_total_scores
            coins = rules.category_prize[place] if scores else 0
            tiles = 0
            for tile in range(rules.tiles):
                if state.tile_owner[tile] == seat and rules.tile_category[tile] == category:
                    tiles += 1
            win = WIN_UNITS if seat == winner else 0
            t.category[category, place, 0] += 1
            t.category[category, place, 1] += total
            t.category[category, place, 2] += coins
            t.category[category, place, 3] += tiles
            t.category[category, place, 4] += win
            bin = min(total, int64(TOTALS - 1))
            t.total[category, bin, COUNT] += 1
            t.total[category, bin, COINS] += coins
            t.total[category, bin, VICTORIES] += win
