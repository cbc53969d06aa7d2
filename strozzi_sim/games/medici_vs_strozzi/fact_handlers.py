"""What is counted of Medici vs Strozzi: the handlers that write `fact_tables.py` while a game is played."""

from numba import int64

from strozzi_sim.facts.sink import sink_dtype
from strozzi_sim.games.medici_vs_strozzi.events import ANSWER, DISCARD, HARBOR, LOAD, MARKER, ROUND, SCORE
from strozzi_sim.games.medici_vs_strozzi.fact_tables import (
    AGREEMENTS,
    ESTIMATES,
    FAIRTH,
    NO_RIVAL,
    NOWHERE,
    SAMPLED,
    TABLES,
)
from strozzi_sim.games.medici_vs_strozzi.state import (
    GOLD,
    MAX_HARBORS,
    MAX_SHIPS,
    MEDICI,
    NAME_PRICE,
    PRICE,
    SEATS,
    STROZZI,
)
from strozzi_sim.games.medici_vs_strozzi.worth import DEFAULT, MEMORY, fair_price, fill_round
from strozzi_sim.kernel.jit import force_inline, jit

__all__ = ["AGREEMENTS", "SINK", "TABLES", "close_game", "decided", "note", "open_game", "prepare"]

_ESTIMATES = TABLES.index(ESTIMATES)
_DECIDED, _TIE, _UNOPPOSED, _UNPAID, _EMPTY = range(5)

SINK = sink_dtype(TABLES, [  # shape              meaning, of the rules
    ("ships", "i8"),
    ("capacity", "i8", (MAX_SHIPS,)),  #         [ship] tiles
    ("tiles", "i8"),
    ("harbors", "i8"),
    ("tracks", "i8"),
    ("monopoly", "i8"),
    ("full", "i8"),  #                            ships or tiles of a full fleet
    ("ends_moored", "i8"),
    #                                             of the game or round being played
    ("estimates", "i8"),  #                       1 = prices are estimated
    ("memory", MEMORY),  #                        of that estimate
    ("fair", "i8"),  #                            of the lot on the table, in FAIRTH-ths
    ("round", "i8"),
    ("first_round", "i8"),  #                     row of the game's first
    ("first_lot", "i8"),  #                       row of the round's first
    ("first_tile", "i8"),
    ("moored", "i8", (SEATS,)),  #               [P] ships that have a tile
    ("berth", "i8", (SEATS, MAX_HARBORS)),  #    [P, harbor] row of the ship there, if there is one
    ("poor", "i8", (SEATS,)),  #                 [P] 1 = owed the bank
    ("leader", "i8"),  #                          after the rounds before, or -1
    ("lead_changes", "i8"),
])  # fmt: skip


@jit
def prepare(facts, rules, players):
    """Before the games of a match."""
    facts.ships = rules.ships
    facts.tiles = rules.tiles
    for ship in range(rules.ships):
        facts.capacity[ship] = rules.capacity[ship]
    facts.monopoly = rules.monopoly
    facts.ends_moored = rules.ends_moored
    facts.full = rules.ships if rules.ends_moored else rules.capacity_total
    facts.harbors = rules.harbors
    facts.tracks = 0
    for harbor in range(rules.harbors):
        for kind in range(rules.types):
            facts.tracks += rules.half_length[harbor, kind] > 0


@jit
def open_game(facts, number):
    """Before a game of deal `number` is dealt."""
    facts.estimates = (facts.asked >> _ESTIMATES) & int64(number % SAMPLED == 0)
    facts.leader = -1
    facts.lead_changes = 0
    facts.first_round = facts.round_rows
    for seat in range(SEATS):
        facts.poor[seat] = 0


@force_inline
def note(facts, kind, a, b, c, d, e):
    """An event, as the core writes it; the kind is known where this is put in place."""
    if kind == ANSWER:
        _on_answer(facts, a, b, c, d)
    elif kind == LOAD:
        _on_load(facts, a, b, c, d)
    elif kind == DISCARD:
        _on_discard(facts, a, b, c)
    elif kind == ROUND:
        _on_round(facts, a)
    elif kind == HARBOR:
        _on_harbor(facts, a, b, c, d, e)
    elif kind == MARKER:
        _on_marker(facts, a, b, c, d, e)
    elif kind == SCORE:
        _on_score(facts, a, b)


@jit
def decided(facts, state, rules, action):
    """A price is about to be named: the lot lies on the table."""
    if state.phase != PRICE:
        return
    row, first, shown = facts.lot_rows, facts.tile_rows, state.shown
    proposer, price = state.proposer, action - NAME_PRICE
    value = zeros = gold = 0
    for k in range(shown):
        tile = state.lot[k]
        own, golden = rules.tile_value[tile], int64(rules.tile_type[tile] == GOLD)
        value += own
        gold += golden
        zeros += int64(own == 0) & (1 - golden)
        facts.tile_tile[first + k] = tile
        facts.tile_tiles[first + k] = shown
        facts.tile_round[first + k] = facts.round
    facts.tile_rows = first + shown
    facts.lot_round[row] = facts.round
    facts.lot_order[row] = row - facts.first_lot + 1
    facts.lot_tiles[row] = shown
    facts.lot_value[row] = value
    facts.lot_zeros[row] = zeros
    facts.lot_gold[row] = gold
    facts.lot_proposer[row] = proposer
    facts.lot_room[row] = shown > state.room[1 - proposer]
    facts.lot_price[row] = price
    facts.lot_discarded[row] = 0
    facts.lot_forced[row] = 0
    facts.lot_rows = row + 1
    if facts.estimates:
        fill_round(state, rules, DEFAULT, facts.memory)
        facts.fair = int64(FAIRTH * fair_price(state, rules, DEFAULT, facts.memory) + 0.5)


@force_inline
def _row_of(facts, seat):
    """The row of a player in the present round."""
    return facts.round_rows - SEATS + seat


@jit
def _on_round(facts, round_):
    facts.round = round_ + 1
    facts.first_lot = facts.lot_rows
    facts.first_tile = facts.tile_rows
    row, at = facts.round_rows, facts.ship_rows
    for seat in range(SEATS):
        facts.moored[seat] = 0
        facts.round_seat[row] = seat
        facts.round_round[row] = round_ + 1
        facts.round_harbors[row] = 0
        facts.round_monopolies[row] = 0
        facts.round_bonus[row] = 0
        facts.round_paid[row] = 0
        facts.round_loaded[row] = 0
        facts.round_held[row] = 0
        facts.round_leader[row] = 0
        row += 1
        for ship in range(facts.ships):
            facts.ship_seat[at] = seat
            facts.ship_round[at] = round_ + 1
            facts.ship_ship[at] = facts.capacity[ship]
            facts.ship_harbor[at] = NOWHERE
            facts.ship_rival[at] = NO_RIVAL
            facts.ship_load[at] = 0
            facts.ship_tiles[at] = 0
            facts.ship_won[at] = 0
            facts.ship_tied[at] = 0
            at += 1
    facts.round_rows = row
    facts.ship_rows = at


@jit
def _on_answer(facts, responder, buys, asked, cash):
    row, buyer = facts.lot_rows - 1, responder if buys else 1 - responder
    facts.lot_seat[row] = buyer
    facts.lot_asked[row] = asked
    facts.lot_bought[row] = buys
    facts.round_paid[_row_of(facts, buyer)] += facts.lot_price[row]
    facts.poor[buyer] |= int64(cash < 0)


@jit
def _on_load(facts, seat, ship, harbor, tiles):
    row, at = facts.tile_rows, facts.ship_rows - (SEATS - seat) * facts.ships + ship
    for k in range(row - tiles, row):
        facts.tile_seat[k] = seat
        facts.tile_harbor[k] = harbor
    facts.moored[seat] += facts.ship_tiles[at] == 0
    facts.ship_harbor[at] = harbor
    facts.ship_tiles[at] += tiles
    facts.berth[seat, harbor] = at
    facts.round_loaded[_row_of(facts, seat)] += tiles
    if facts.estimates:
        _on_estimate(facts)


@jit
def _on_discard(facts, seat, tiles, fitted):
    row = facts.tile_rows
    for k in range(row - tiles, row):
        facts.tile_seat[k] = seat
        facts.tile_harbor[k] = NOWHERE
    facts.lot_discarded[facts.lot_rows - 1] = 1
    facts.lot_forced[facts.lot_rows - 1] = 1 - fitted
    if facts.estimates:
        _on_estimate(facts)


@jit
def _on_estimate(facts):
    """The last lot once more, with its fair price."""
    row, at = facts.lot_rows - 1, facts.price_estimate_rows
    facts.price_estimate_seat[at] = facts.lot_seat[row]
    facts.price_estimate_round[at] = facts.lot_round[row]
    facts.price_estimate_order[at] = facts.lot_order[row]
    facts.price_estimate_tiles[at] = facts.lot_tiles[row]
    facts.price_estimate_value[at] = facts.lot_value[row]
    facts.price_estimate_zeros[at] = facts.lot_zeros[row]
    facts.price_estimate_gold[at] = facts.lot_gold[row]
    facts.price_estimate_proposer[at] = facts.lot_proposer[row]
    facts.price_estimate_room[at] = facts.lot_room[row]
    facts.price_estimate_price[at] = facts.lot_price[row]
    facts.price_estimate_asked[at] = facts.lot_asked[row]
    facts.price_estimate_bought[at] = facts.lot_bought[row]
    facts.price_estimate_discarded[at] = facts.lot_discarded[row]
    facts.price_estimate_forced[at] = facts.lot_forced[row]
    gap = FAIRTH * facts.lot_price[row] - facts.fair
    facts.price_estimate_fair[at] = facts.fair
    facts.price_estimate_gap[at] = gap
    facts.price_estimate_miss[at] = abs(gap)
    facts.price_estimate_rows = at + 1


@jit
def _on_harbor(facts, harbor, medici, strozzi, winner, coins):
    """Totals are -1 where there is no ship."""
    here, there = facts.berth[MEDICI, harbor], facts.berth[STROZZI, harbor]
    outcome = _EMPTY
    if medici >= 0 and strozzi >= 0:
        outcome = _DECIDED if winner >= 0 else _TIE
        facts.ship_rival[here] = facts.ship_ship[there]
        facts.ship_rival[there] = facts.ship_ship[here]
    elif medici >= 0 or strozzi >= 0:
        outcome = _UNOPPOSED if winner >= 0 else _UNPAID
    if medici >= 0:
        facts.ship_load[here] = medici
        facts.ship_won[here] = winner == MEDICI
        facts.ship_tied[here] = outcome == _TIE
    if strozzi >= 0:
        facts.ship_load[there] = strozzi
        facts.ship_won[there] = winner == STROZZI
        facts.ship_tied[there] = outcome == _TIE
    row = facts.harbor_rows
    facts.harbor_harbor[row] = harbor
    facts.harbor_round[row] = facts.round
    facts.harbor_outcome[row] = outcome
    facts.harbor_harbors[row] = coins if winner >= 0 else 0
    facts.harbor_monopolies[row] = 0
    facts.harbor_bonus[row] = 0
    facts.harbor_rows = row + 1
    if winner >= 0:
        facts.round_harbors[_row_of(facts, winner)] += coins


@jit
def _on_marker(facts, harbor, kind, place, steps, coins):
    row = facts.marker_rows
    before = facts.marker_place[row - facts.tracks] if facts.round > 1 else 0
    facts.marker_harbor[row] = harbor
    facts.marker_goods[row] = kind
    facts.marker_round[row] = facts.round
    facts.marker_place[row] = place
    facts.marker_steps[row] = steps
    facts.marker_moved[row] = abs(place - before)
    facts.marker_swapped[row] = before * place < 0
    facts.marker_rows = row + 1
    if place != 0:
        mine, here = _row_of(facts, MEDICI if place > 0 else STROZZI), facts.harbor_rows - facts.harbors + harbor
        facts.round_monopolies[mine] += facts.monopoly
        facts.round_bonus[mine] += coins - facts.monopoly
        facts.harbor_monopolies[here] += facts.monopoly
        facts.harbor_bonus[here] += coins - facts.monopoly
        facts.round_held[mine] += 1


@jit
def _on_score(facts, medici, strozzi):
    full = 0
    for seat in range(SEATS):
        fleet = facts.moored[seat] if facts.ends_moored else facts.round_loaded[_row_of(facts, seat)]
        full |= int64(fleet == facts.full)
    row, tiles = facts.round_end_rows, facts.tile_rows - facts.first_tile
    facts.round_end_round[row] = facts.round
    facts.round_end_lots[row] = facts.lot_rows - facts.first_lot
    facts.round_end_tiles[row] = tiles
    facts.round_end_left[row] = facts.tiles - tiles
    facts.round_end_full_fleet[row] = full
    facts.round_end_rows = row + 1
    if medici != strozzi:
        leader = MEDICI if medici > strozzi else STROZZI
        facts.round_leader[_row_of(facts, leader)] = 1
        facts.lead_changes += facts.leader >= 0 and facts.leader != leader
        facts.leader = leader


@jit
def close_game(facts, state, rules):
    """The game is over: what is known only now."""
    ahead, row = state.cash[MEDICI] - state.cash[STROZZI], facts.game_rows
    facts.game_tie[row] = ahead == 0
    facts.game_margin[row] = abs(ahead)
    facts.game_medici_margin[row] = ahead
    facts.game_lead_changes[row] = facts.lead_changes
    facts.game_rows = row + 1
    row = facts.seat_rows
    for seat in range(SEATS):
        facts.seat_seat[row + seat] = seat
        facts.seat_total[row + seat] = state.cash[seat]
        harbors = monopolies = bonus = paid = 0
        for own in range(facts.first_round + seat, facts.round_rows, SEATS):
            harbors += facts.round_harbors[own]
            monopolies += facts.round_monopolies[own]
            bonus += facts.round_bonus[own]
            paid += facts.round_paid[own]
        facts.seat_harbors[row + seat] = harbors
        facts.seat_monopolies[row + seat] = monopolies
        facts.seat_bonus[row + seat] = bonus
        facts.seat_paid[row + seat] = paid
        facts.seat_below_zero[row + seat] = facts.poor[seat]
        facts.seat_below_zero_at_end[row + seat] = state.cash[seat] < 0
    facts.seat_rows = row + SEATS
