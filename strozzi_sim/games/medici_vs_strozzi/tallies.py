"""What is counted from Medici vs Strozzi's journal, as exact integers: sums over games, chunks add in any order.

Wins are counted in WIN_UNITS (see `selfplay.loop`), a shared win as half of one; fair prices, which are estimates
(`worth.fair_price`), in FAIRTH-ths of a coin. Every other number is a count or a sum of coins, spaces or steps.
"""

import numpy as np
from numba import int64

from strozzi_sim.games.medici_vs_strozzi import events as e
from strozzi_sim.games.medici_vs_strozzi.core import placing
from strozzi_sim.games.medici_vs_strozzi.retrace import follow
from strozzi_sim.games.medici_vs_strozzi.state import (
    GOLD,
    MAX_CAPACITY,
    MAX_HALF_LENGTH,
    MAX_HARBORS,
    MAX_PRICE,
    MAX_REVEAL,
    MAX_ROUNDS,
    MAX_SHIPS,
    MAX_TYPES,
    MAX_VALUE,
    MEDICI,
    NO_HARBOR,
    SEATS,
    STROZZI,
)
from strozzi_sim.games.medici_vs_strozzi.worth import DEFAULT, MEMORY, fair_price, fill_round
from strozzi_sim.kernel.bits import count_bits
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import clone
from strozzi_sim.kernel.wins import WIN_UNITS

FAIRTH = 10  # fair prices are counted in tenths of a coin

# How lots are sorted, and into how many bins; the last bin takes everything beyond.
BY = ("round", "order", "value", "zeros", "gold", "proposer", "room", "price", "fair", "gap")
BY_ROUND, BY_ORDER, BY_VALUE, BY_ZEROS, BY_GOLD, BY_PROPOSER, BY_ROOM, BY_PRICE, BY_FAIR, BY_GAP = range(10)
LEVELS = 16
PRICE_BAND = 5  # coins in a bin of BY_PRICE and BY_FAIR
GAPS = (-20, -10, -5, -3, -1, 1, 3, 5, 10, 20, 40)  # where levels 1, 2, ... of BY_GAP begin, in coins
SCORES = 6144  # coins won or lost since the start: -LOWEST .. ; the first and the last take everything beyond
LOWEST = 4096
VALUES = MAX_VALUE + 2  # face values of tiles, gold last
GOLD_VALUE = MAX_VALUE + 1
LOADS = 32  # totals of a ship; the last one takes everything beyond
FLEET = MAX_SHIPS * MAX_CAPACITY + 1  # tiles on a player's ships: 0 ..
SPACES = 2 * MAX_HALF_LENGTH + 1  # of a track, the centre in the middle
TRACKS = MAX_HARBORS * MAX_TYPES + 1  # markers on a player's side: 0 ..

# What is summed over lots. FAIR, MISS: estimated fair price, and how far the price is from it, in FAIRTH-ths.
LOTS, PRICE, ASKED, BOUGHT, FAIR, MISS, DISCARDED, FORCED, WON = range(9)
# What is summed over rounds.
ROUNDS, ROUND_LOTS, ROUND_TILES, FULL_FLEET, LEFT = range(5)
# Coins of a player in a round.
HARBORS, MONOPOLIES, BONUS, PAID = range(4)
# What is summed over tiles; the last four over lots of that tile alone.
SHOWN, LOADED, TRADED, STEPS, TILE_WON, ALONE, ALONE_PRICE, ALONE_FAIR, ALONE_BOUGHT = range(9)
# What is summed over moored ships.
MOORED, LOAD, TILES, FULL, MAJORITY, TIED, UNOPPOSED, UNOPPOSED_PAID, SHIP_WON = range(9)
# How a harbor is decided.
DECIDED, TIE, LONE, LONE_UNPAID, EMPTY = range(5)
# What is summed over markers after a round.
MARKERS, OFF_CENTRE, DISTANCE, ON_BONUS, SWAPPED, COINS, STEPS_MADE, MOVED = range(8)

TALLIES = np.dtype([  # shape                            meaning
    ("games", "i8"),
    ("ties", "i8"),  #                                   games with a shared win
    ("score", "i8", (SCORES,)),  #                       players by coins at the end less those at the start, + LOWEST
    ("margin", "i8"),  #                                 coins of the winner less the loser's
    ("medici_margin", "i8"),  #                          coins of Medici less Strozzi's
    ("start_cash", "i8"),  #                             coins that players began with
    ("below_zero", "i8", (2,)),  #                       players with less than 0 coins at some time, at the end
    ("capped", "i8"),  #                                 lots at the highest price that an agent can name
    ("leader", "i8", (MAX_ROUNDS, 2)),  #               [round] games with a leader after it, the leader's wins
    ("lead_changes", "i8"),
    ("round", "i8", (MAX_ROUNDS, 5)),  #                [round, ROUNDS..LEFT]
    ("loaded", "i8", (MAX_ROUNDS, FLEET)),  #           [round, tiles] player-rounds by tiles loaded
    ("income", "i8", (MAX_ROUNDS, SEATS, 4)),  #        [round, P, HARBORS..PAID] coins
    ("decided_income", "i8", (MAX_ROUNDS, 2, 4)),  #    [round, 0 = winner 1 = loser, ...] of games without a tie
    ("lot", "i8", (10, LEVELS, MAX_REVEAL, 9)),  #      [BY, bin, tiles - 1, LOTS..WON]
    ("price", "i8", (MAX_REVEAL, MAX_PRICE + 1)),  #   [tiles - 1, price] lots
    ("why", "i8", (2, 2, 2, 2)),  #                      [buyer proposed, fits buyer, fits rival, count or price]
    #                                                    discards
    ("tile", "i8", (VALUES, 9)),  #                      [value, SHOWN..]
    ("cargo", "i8", (MAX_TYPES + 1, MAX_HARBORS)),  #  [type, harbor] tiles loaded
    ("berth", "i8", (MAX_HARBORS, MAX_SHIPS, 9)),  #   [harbor, ship, MOORED..]
    ("at_sea", "i8", (MAX_SHIPS,)),  #                  [ship] never moored in a round
    ("load", "i8", (MAX_HARBORS, LOADS, 3)),  #         [harbor, value, count, paid, tied] moored ships
    ("duel", "i8", (MAX_SHIPS, MAX_SHIPS + 1, 3)),  #  [ship, rival's or none, count, paid, tied]
    ("harbor", "i8", (MAX_HARBORS, MAX_ROUNDS, 5)),  # [harbor, round, DECIDED..]
    ("harbor_coins", "i8", (MAX_HARBORS, MAX_ROUNDS, 3)),  # [harbor, round, HARBORS..BONUS]
    ("space", "i8", (MAX_ROUNDS, SPACES)),  #           [round, place + MAX_HALF_LENGTH] markers after it
    ("track", "i8", (MAX_HARBORS, MAX_TYPES, MAX_ROUNDS, 8)),  # [harbor, type, round, MARKERS..]
    ("held", "i8", (MAX_ROUNDS, TRACKS, 2)),  #         [round, markers on own side, count or wins] players
    # Notes for one game; no sums.
    ("note_memory", MEMORY),  #                          of the estimate of fair prices
], align=True)  # fmt: skip
NOTES = tuple(name for name in TALLIES.names or () if name.startswith("note_"))


@jit
def tally(state, rules, journal, t):
    """Add one finished game to the tallies `t`."""
    t.games += 1
    medici, strozzi = _wins(state, MEDICI), _wins(state, STROZZI)
    decided = medici != strozzi
    now = clone(state)
    leader = -1
    order = bought = asked = fair = 0
    poor = 0
    t.note_memory.filled = 0
    for row in range(journal.count):
        kind, seat = journal.rows[row, 0], journal.rows[row, 1]
        b, c = journal.rows[row, 2], journal.rows[row, 3]
        round_ = now.round
        win = medici if seat == MEDICI else strozzi
        if kind == e.PRICE:
            fill_round(now, rules, DEFAULT, t.note_memory)
            fair = int64(FAIRTH * fair_price(now, rules, DEFAULT, t.note_memory) + 0.5)
        elif kind == e.ANSWER:
            bought, asked = b, c
        elif kind in (e.LOAD, e.DISCARD):
            forced = int64(kind == e.DISCARD and c == 0)
            _count_lot(t, rules, now, order, fair, asked, bought, int64(kind == e.DISCARD), forced, win)
            _count_tiles(t, rules, now, fair, bought, b if kind == e.LOAD else int64(-1), c, win)
            t.income[round_, seat, PAID] += now.price
            if decided:
                t.decided_income[round_, int64(win == 0), PAID] += now.price
            order += 1
        elif kind == e.HARBOR:
            if seat == 0:
                _count_round(t, rules, now, order)
            _count_harbor(t, rules, now, journal, row, medici, strozzi)
        elif kind == e.MARKER:
            _count_marker(t, rules, now, journal, row)
        elif kind == e.SCORE:
            for source in range(3):
                coins = journal.rows[row, 2 + source]
                t.income[round_, seat, source] += coins
                if decided:
                    t.decided_income[round_, int64(win == 0), source] += coins
            _count_held(t, rules, now, seat, win)
            if seat == SEATS - 1:
                leader = _count_leader(t, now, leader, medici, strozzi)
        follow(now, rules, journal, row)
        if kind == e.ROUND:
            order = 0
        elif kind == e.ANSWER and now.cash[now.buyer] < 0:
            poor |= 1 << now.buyer
    t.below_zero[0] += count_bits(poor)
    _count_end(t, state, rules)


@jit
def _wins(state, seat):
    """The game as `seat` won it, in WIN_UNITS."""
    better, shared = placing(state, int64(seat))
    return WIN_UNITS // shared if better == 0 else 0


@jit
def _bin(number):
    return min(max(number, 0), int64(LEVELS - 1))


@jit
def gap_level(gap):
    """The level of BY_GAP of a price that is `gap` FAIRTH-ths of a coin above the fair one."""
    bin = 0
    for start in GAPS:
        bin += gap >= FAIRTH * start
    return bin


@jit
def _count_lot(t, rules, now, order, fair, asked, bought, discarded, forced, win):
    """A lot, right before the buyer places it."""
    size, price, buyer = now.shown, now.price, now.buyer
    proposer = now.proposer
    value = zeros = gold = 0
    for k in range(size):
        tile = now.lot[k]
        value += rules.tile_value[tile]
        if rules.tile_type[tile] == GOLD:
            gold += 1
        elif rules.tile_value[tile] == 0:
            zeros += 1
    gap = FAIRTH * price - fair
    levels = (
        now.round, order, value, zeros, gold, proposer, int64(size > now.room[1 - proposer]),
        price // PRICE_BAND, fair // (FAIRTH * PRICE_BAND), gap_level(gap),
    )  # fmt: skip
    for breakdown in range(len(levels)):
        bin = _bin(levels[breakdown])
        t.lot[breakdown, bin, size - 1, LOTS] += 1
        t.lot[breakdown, bin, size - 1, PRICE] += price
        t.lot[breakdown, bin, size - 1, ASKED] += asked
        t.lot[breakdown, bin, size - 1, BOUGHT] += bought
        t.lot[breakdown, bin, size - 1, FAIR] += fair
        t.lot[breakdown, bin, size - 1, MISS] += abs(gap)
        t.lot[breakdown, bin, size - 1, DISCARDED] += discarded
        t.lot[breakdown, bin, size - 1, FORCED] += forced
        t.lot[breakdown, bin, size - 1, WON] += win
    t.price[size - 1, min(price, MAX_PRICE)] += 1
    t.capped += price == rules.top_price
    if discarded:
        fits = size <= now.room[1 - buyer]
        t.why[int64(buyer == proposer), 1 - forced, int64(fits), 0] += 1
        t.why[int64(buyer == proposer), 1 - forced, int64(fits), 1] += price


@jit
def _count_tiles(t, rules, now, fair, bought, ship, harbor, win):
    """The tiles of a lot, right before the buyer loads them; `ship` is -1 if they are discarded."""
    size = now.shown
    for k in range(size):
        tile = now.lot[k]
        kind, value = rules.tile_type[tile], rules.tile_value[tile]
        if kind == GOLD:
            value = GOLD_VALUE
        t.tile[value, SHOWN] += 1
        if ship >= 0:
            traded = kind != GOLD and rules.half_length[harbor, kind] > 0
            t.tile[value, LOADED] += 1
            t.tile[value, TRADED] += traded
            t.tile[value, STEPS] += rules.tile_steps[tile] if traded else 0
            t.tile[value, TILE_WON] += win
            t.cargo[kind, harbor] += 1
        if size == 1:
            t.tile[value, ALONE] += 1
            t.tile[value, ALONE_PRICE] += now.price
            t.tile[value, ALONE_FAIR] += fair
            t.tile[value, ALONE_BOUGHT] += bought


@jit
def _count_round(t, rules, now, order):
    """A round, right before it is scored."""
    round_, left = now.round, now.unseen
    t.round[round_, ROUNDS] += 1
    t.round[round_, ROUND_LOTS] += order
    t.round[round_, ROUND_TILES] += rules.tiles - left
    t.round[round_, LEFT] += left
    full = False
    for seat in range(SEATS):
        loaded = now.loaded[seat]
        t.loaded[round_, loaded] += 1
        full |= now.moored[seat] == rules.ships if rules.ends_moored else now.loaded[seat] == rules.capacity_total
        for ship in range(rules.ships):
            t.at_sea[ship] += now.harbor[seat, ship] == NO_HARBOR
    t.round[round_, FULL_FLEET] += int64(full)


@jit
def _ship_at(now, rules, seat, harbor):
    """The ship of `seat` moored at `harbor`, or MAX_SHIPS."""
    for ship in range(rules.ships):
        if now.harbor[seat, ship] == harbor:
            return int64(ship)
    return MAX_SHIPS


@jit
def _count_harbor(t, rules, now, journal, row, medici, strozzi):
    """A harbor as it is paid: the ships there, their loads, who is paid."""
    harbor, winner, coins = (
        journal.rows[row, 1], journal.rows[row, 4], journal.rows[row, 5],
    )  # fmt: skip
    round_, here = now.round, 0
    for seat in range(SEATS):
        ship, rival = _ship_at(now, rules, seat, harbor), _ship_at(now, rules, 1 - seat, harbor)
        if ship == MAX_SHIPS:
            continue
        here += 1
        value, free = journal.rows[row, 2 + seat], now.free[seat, ship]
        lone, paid = int64(rival == MAX_SHIPS), int64(winner == seat)
        tied = int64(lone == 0 and winner < 0)
        t.berth[harbor, ship, MOORED] += 1
        t.berth[harbor, ship, LOAD] += value
        t.berth[harbor, ship, TILES] += rules.capacity[ship] - free
        t.berth[harbor, ship, FULL] += free == 0
        t.berth[harbor, ship, MAJORITY] += paid
        t.berth[harbor, ship, TIED] += tied
        t.berth[harbor, ship, UNOPPOSED] += lone
        t.berth[harbor, ship, UNOPPOSED_PAID] += lone * paid
        t.berth[harbor, ship, SHIP_WON] += medici if seat == MEDICI else strozzi
        bin = min(value, int64(LOADS - 1))
        for part, number in ((0, int64(1)), (1, paid), (2, tied)):
            t.load[harbor, bin, part] += number
            t.duel[ship, rival, part] += number
    outcome = EMPTY
    if here == SEATS:
        outcome = DECIDED if winner >= 0 else TIE
    elif here == 1:
        outcome = LONE if winner >= 0 else LONE_UNPAID
    t.harbor[harbor, round_, outcome] += 1
    if winner >= 0:
        t.harbor_coins[harbor, round_, HARBORS] += coins


@jit
def _count_marker(t, rules, now, journal, row):
    """A marker as it moves and is paid."""
    harbor, kind, before, after, coins = (
        journal.rows[row, 1], journal.rows[row, 2], journal.rows[row, 3],
        journal.rows[row, 4], journal.rows[row, 5],
    )  # fmt: skip
    round_ = now.round
    made = now.steps[MEDICI, harbor, kind] + now.steps[STROZZI, harbor, kind]
    bonus = coins - rules.monopoly if after != 0 else 0
    t.space[round_, after + MAX_HALF_LENGTH] += 1
    t.track[harbor, kind, round_, MARKERS] += 1
    t.track[harbor, kind, round_, OFF_CENTRE] += after != 0
    t.track[harbor, kind, round_, DISTANCE] += abs(after)
    t.track[harbor, kind, round_, ON_BONUS] += bonus > 0
    t.track[harbor, kind, round_, SWAPPED] += before * after < 0
    t.track[harbor, kind, round_, COINS] += coins
    t.track[harbor, kind, round_, STEPS_MADE] += made
    t.track[harbor, kind, round_, MOVED] += abs(after - before)
    t.harbor_coins[harbor, round_, MONOPOLIES] += coins - bonus
    t.harbor_coins[harbor, round_, BONUS] += bonus


@jit
def _count_held(t, rules, now, seat, win):
    """How many markers lie on a player's side after a round."""
    sign, held = 1 if seat == MEDICI else -1, 0
    for harbor in range(rules.harbors):
        for kind in range(rules.types):
            held += sign * now.position[harbor, kind] > 0
    t.held[now.round, held, 0] += 1
    t.held[now.round, held, 1] += win


@jit
def _count_leader(t, now, leader, medici, strozzi):
    """Who leads after a round, all payouts made; returns the last seat that led."""
    ahead = now.cash[MEDICI] - now.cash[STROZZI]
    if ahead == 0:
        return leader
    leads = MEDICI if ahead > 0 else STROZZI
    t.leader[now.round, 0] += 1
    t.leader[now.round, 1] += medici if leads == MEDICI else strozzi
    t.lead_changes += leader not in (-1, leads)
    return leads


@jit
def _count_end(t, state, rules):
    """Final scores."""
    ahead = state.cash[MEDICI] - state.cash[STROZZI]
    t.ties += ahead == 0
    t.medici_margin += ahead
    t.margin += abs(ahead)
    for seat in range(SEATS):
        gain = state.cash[seat] - rules.start_cash
        t.score[min(max(gain + LOWEST, 0), int64(SCORES - 1))] += 1
        t.start_cash += rules.start_cash
        t.below_zero[1] += state.cash[seat] < 0
