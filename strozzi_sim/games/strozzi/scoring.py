"""Scoring: ships and markers after every round, promotion tiles at the end, and the order of the players.

Numbers in parentheses are items of the rules' ambiguity list (docs/rules/strozzi.md).
"""

from numba import int64

from strozzi_sim.games.strozzi.events import END, MARKER, SCORE, SHIP_PRIZE
from strozzi_sim.games.strozzi.state import CITIES, FLORENCE, PORTS
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.journal import write


@jit
def score_round(state, rules, journal):
    """Pay ships, then markers with their bonuses (64-69)."""
    players = int64(state.players)
    for port in range(PORTS):
        for rank in range(int64(state.ships_at[port])):
            seat = int64(state.berth_seat[port, rank])
            prize = int64(rules.ship_prize[rank])
            state.coins[seat] = int64(state.coins[seat]) + prize
            write(journal, SHIP_PRIZE, seat, int64(state.berth_ship[port, rank]), port, rank, prize)
    for city in range(CITIES):
        bonus_here = city != FLORENCE or rules.florence_bonus  # (67)
        for rank in range(players):
            seat = int64(state.order[city, rank])
            space = int64(state.position[city, seat])
            if space == 0 and journal is None:
                break  # markers on the start space do not score (65)
            prize = int64(rules.marker_prize[rank]) if space > 0 else int64(0)
            bonus = int64(rules.bonus[space]) if bonus_here else int64(0)
            state.coins[seat] = int64(state.coins[seat]) + prize + bonus
            write(journal, MARKER, seat, city, space, prize, bonus)
    if journal is not None:
        _write_scores(state, journal)


@jit
def _write_scores(state, journal):
    """One SCORE row a seat, summed from this round's SHIP_PRIZE and MARKER rows."""
    for seat in range(int64(state.players)):
        ships = markers = bonus = int64(0)
        row = int64(journal.count) - 1
        while True:
            kind = int64(journal.rows[row, 0])
            mine = int64(journal.rows[row, 1]) == seat
            if kind == SHIP_PRIZE:
                ships += int64(journal.rows[row, 5]) if mine else int64(0)
            elif kind == MARKER:
                markers += int64(journal.rows[row, 4]) if mine else int64(0)
                bonus += int64(journal.rows[row, 5]) if mine else int64(0)
            elif kind != SCORE:
                break
            row -= 1
        write(journal, SCORE, seat, ships, markers, bonus, int64(state.coins[seat]))


@jit
def score_tiles(state, rules, journal):
    """Category prizes by total value, ties by the order at Florence (61, 62)."""
    players = int64(state.players)
    for category in range(3):
        for rank in range(players):
            seat = int64(state.order[FLORENCE, rank])
            total = int64(state.tile_total[category, seat])
            if total == 0 and not rules.zero_total_scores:
                continue
            better = int64(0)
            for other_rank in range(players):
                other = int64(state.tile_total[category, int64(state.order[FLORENCE, other_rank])])
                if other > total or (other == total and other_rank < rank):
                    better += 1
            state.coins[seat] = int64(state.coins[seat]) + int64(rules.category_prize[better])
    if journal is not None:
        first = int64(journal.count) - players  # the SCORE rows of the last round
        for seat in range(players):
            coins = int64(state.coins[seat])
            promotion = coins - int64(journal.rows[first + seat, 5])
            write(journal, END, seat, promotion, coins, better_seats(state, seat), 0)


@jit
def better_seats(state, seat):
    """Seats with more coins, or as many and a better marker at Florence (70)."""
    coins = int64(state.coins[seat])
    better = int64(0)
    ahead = int64(1)  # at Florence
    for rank in range(int64(state.players)):
        other = int64(state.order[FLORENCE, rank])
        if other == seat:
            ahead = 0
        elif int64(state.coins[other]) > coins or (int64(state.coins[other]) == coins and ahead == 1):
            better += 1
    return better
