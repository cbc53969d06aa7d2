"""Fact handlers of Medici vs Strozzi: they write fact rows from a game's prices, events and final state."""

from numba import int64

from strozzi_sim.facts.sink import row_writer, sink_dtype
from strozzi_sim.games.medici_vs_strozzi import fact_tables as t
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.events import EVENTS
from strozzi_sim.games.medici_vs_strozzi.fact_tables import AGREEMENTS, TABLES
from strozzi_sim.games.medici_vs_strozzi.worth import DEFAULT, MEMORY, fair_price, fill_round
from strozzi_sim.kernel.jit import force_inline, jit

__all__ = ["AGREEMENTS", "SINK", "TABLES", "begin_match", "close_game", "note", "on_decision", "open_game"]

_ESTIMATES = TABLES.index(t.ESTIMATES)
_DECIDED, _TIE, _UNOPPOSED, _UNPAID, _EMPTY = range(5)

SINK = sink_dtype(TABLES, [  # shape              meaning; first, numbers of the rules
    ("ships", "i8"),
    ("capacity", "i8", (s.MAX_SHIPS,)),  #         [ship] tiles
    ("tiles", "i8"),
    ("harbors", "i8"),
    ("tracks", "i8"),
    ("monopoly", "i8"),
    ("full", "i8"),  #                            moored ships or loaded tiles of a full fleet
    ("ends_moored", "i8"),
    #                                             state of the game or round being played
    ("estimates", "i8"),  #                       1 = fair prices are estimated in this game
    ("memory", MEMORY, (s.MAX_ROUNDS,)),  #        [round] for the estimates, kept from game to game
    ("fair", "i8"),  #                            fair price of the lot on the table, in tenths of a coin
    ("round", "i8"),
    ("first_round", "i8"),  #                     the game's first row in table `round`
    ("first_lot", "i8"),  #                       the round's first row in table `lot`
    ("first_tile", "i8"),  #                      the round's first row in table `tile`
    ("moored", "i8", (s.SEATS,)),  #               [P] ships that have a tile
    ("berth", "i8", (s.SEATS, s.MAX_HARBORS)),  #    [P, harbor] row of the ship there, if any, in table `ship`
    ("poor", "i8", (s.SEATS,)),  #                 [P] 1 = owed the bank after a purchase in this game
    ("leader", "i8"),  #                          seat that led last after a round, or -1
    ("lead_changes", "i8"),
])  # fmt: skip

_add_round = row_writer(t.ROUNDS, zero=("harbors", "monopolies", "bonus", "paid", "loaded", "held", "leader"))
_add_lot = row_writer(t.LOTS, zero=("discarded", "forced"), later=("seat", "asked", "bought", "order", "room", "price"))
_add_tile = row_writer(t.TILES, later=("seat", "harbor"))
_add_ship = row_writer(t.SHIPS, zero=("load", "tiles", "won", "tied"))
_add_harbor = row_writer(t.HARBORS, zero=("monopolies", "bonus"))
_add_estimate = row_writer(t.ESTIMATES, copied=t.LOTS)
_add_marker, _add_round_end, _add_game = map(row_writer, (t.MARKERS, t.ENDS, t.GAME))
_add_player = row_writer(t.PLAYER, later=("total", "below_zero", "below_zero_at_end"))


@jit
def begin_match(facts, rules, players):
    """Copy the rules that the handlers need, before the games of a match."""
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
    """Reset the fields of a game, before deal `number` is dealt."""
    facts.estimates = (facts.asked >> _ESTIMATES) & int64(number % t.SAMPLED == 0)
    facts.leader = -1
    facts.lead_changes = 0
    facts.first_round = facts.round_rows
    for seat in range(s.SEATS):
        facts.poor[seat] = 0


@jit
def on_decision(facts, state, rules, action):
    """Write the lot on the table and its tiles, when `action` names the price."""
    if state.phase != s.PRICE:
        return
    shown, proposer = state.shown, state.proposer
    value = zeros = gold = 0
    for k in range(shown):
        tile = state.lot[k]
        face_value, is_gold = rules.tile_value[tile], int64(rules.tile_type[tile] == s.GOLD)
        value += face_value
        gold += is_gold
        zeros += int64(face_value == 0) & (1 - is_gold)
        _add_tile(facts, tile=tile, tiles=shown, round=facts.round)
    row = _add_lot(facts, round=facts.round, tiles=shown, value=value, zeros=zeros, gold=gold, proposer=proposer)
    facts.lot_order[row] = row - facts.first_lot + 1
    facts.lot_room[row] = shown > state.room[1 - proposer]
    facts.lot_price[row] = action - s.NAME_PRICE
    if facts.estimates:
        memory = facts.memory[state.round]
        fill_round(state, rules, DEFAULT, memory)
        facts.fair = int64(t.TENTHS * fair_price(state, rules, DEFAULT, memory) + 0.5)


@force_inline
def _round_row(facts, seat):
    return facts.round_rows - s.SEATS + seat


@jit
def _on_round(facts, round_, start_player):
    facts.round = round_ + 1
    facts.first_lot = facts.lot_rows
    facts.first_tile = facts.tile_rows
    for seat in range(s.SEATS):
        facts.moored[seat] = 0
        _add_round(facts, seat=seat, round=round_ + 1)
        for ship in range(facts.ships):
            _add_ship(facts, seat=seat, round=round_ + 1, ship=facts.capacity[ship], harbor=t.NOWHERE, rival=t.NO_RIVAL)


@jit
def _on_answer(facts, responder, buys, asked, cash):
    row, buyer = facts.lot_rows - 1, responder if buys else 1 - responder
    facts.lot_seat[row] = buyer
    facts.lot_asked[row] = asked
    facts.lot_bought[row] = buys
    facts.round_paid[_round_row(facts, buyer)] += facts.lot_price[row]
    facts.poor[buyer] |= int64(cash < 0)


@force_inline
def _end_lot(facts, seat, harbor, tiles):
    """Write where the buyer put the lot's tiles and, if fair prices are estimated, a row of `price_estimate`."""
    for tile_row in range(facts.tile_rows - tiles, facts.tile_rows):
        facts.tile_seat[tile_row] = seat
        facts.tile_harbor[tile_row] = harbor
    if facts.estimates:
        lot_row = facts.lot_rows - 1
        gap = t.TENTHS * facts.lot_price[lot_row] - facts.fair
        _add_estimate(facts, lot_row, fair=facts.fair, gap=gap, miss=abs(gap))


@jit
def _on_load(facts, seat, ship, harbor, tiles, free):
    ship_row = facts.ship_rows - (s.SEATS - seat) * facts.ships + ship
    facts.moored[seat] += facts.ship_tiles[ship_row] == 0
    facts.ship_harbor[ship_row] = harbor
    facts.ship_tiles[ship_row] += tiles
    facts.berth[seat, harbor] = ship_row
    facts.round_loaded[_round_row(facts, seat)] += tiles
    _end_lot(facts, seat, harbor, tiles)


@jit
def _on_discard(facts, seat, tiles, fitted):
    facts.lot_discarded[facts.lot_rows - 1] = 1
    facts.lot_forced[facts.lot_rows - 1] = 1 - fitted
    _end_lot(facts, seat, t.NOWHERE, tiles)


@jit
def _on_harbor(facts, harbor, medici, strozzi, winner, coins):
    """Write the outcome of a harbor; medici, strozzi: total values of their loads, -1 without a ship."""
    outcome = _EMPTY
    if medici >= 0 and strozzi >= 0:
        outcome = _DECIDED if winner >= 0 else _TIE
        medici_ship, strozzi_ship = facts.berth[s.MEDICI, harbor], facts.berth[s.STROZZI, harbor]
        facts.ship_rival[medici_ship] = facts.ship_ship[strozzi_ship]
        facts.ship_rival[strozzi_ship] = facts.ship_ship[medici_ship]
    elif medici >= 0 or strozzi >= 0:
        outcome = _UNOPPOSED if winner >= 0 else _UNPAID
    for seat in range(s.SEATS):
        total = medici if seat == s.MEDICI else strozzi
        if total >= 0:
            ship_row = facts.berth[seat, harbor]
            facts.ship_load[ship_row] = total
            facts.ship_won[ship_row] = winner == seat
            facts.ship_tied[ship_row] = outcome == _TIE
    _add_harbor(facts, harbor=harbor, round=facts.round, outcome=outcome, harbors=coins if winner >= 0 else 0)
    if winner >= 0:
        facts.round_harbors[_round_row(facts, winner)] += coins


@jit
def _on_marker(facts, harbor, kind, place, steps, coins):
    before = facts.marker_place[facts.marker_rows - facts.tracks] if facts.round > 1 else 0
    moved, swapped = abs(place - before), before * place < 0
    _add_marker(
        facts, harbor=harbor, goods=kind, round=facts.round, place=place, steps=steps, moved=moved, swapped=swapped
    )
    if place != 0:
        round_row = _round_row(facts, s.MEDICI if place > 0 else s.STROZZI)
        harbor_row = facts.harbor_rows - facts.harbors + harbor
        facts.round_monopolies[round_row] += facts.monopoly
        facts.round_bonus[round_row] += coins - facts.monopoly
        facts.harbor_monopolies[harbor_row] += facts.monopoly
        facts.harbor_bonus[harbor_row] += coins - facts.monopoly
        facts.round_held[round_row] += 1


@jit
def _on_score(facts, medici, strozzi):
    full = 0
    for seat in range(s.SEATS):
        fleet = facts.moored[seat] if facts.ends_moored else facts.round_loaded[_round_row(facts, seat)]
        full |= int64(fleet == facts.full)
    lots, tiles = facts.lot_rows - facts.first_lot, facts.tile_rows - facts.first_tile
    _add_round_end(facts, round=facts.round, lots=lots, tiles=tiles, left=facts.tiles - tiles, full_fleet=full)
    if medici != strozzi:
        leader = s.MEDICI if medici > strozzi else s.STROZZI
        facts.round_leader[_round_row(facts, leader)] = 1
        facts.lead_changes += facts.leader >= 0 and facts.leader != leader
        facts.leader = leader


note = EVENTS.handlers(
    round=_on_round,
    answer=_on_answer,
    load=_on_load,
    discard=_on_discard,
    harbor=_on_harbor,
    marker=_on_marker,
    score_round=_on_score,
)


@jit
def close_game(facts, state, rules):
    """Write the facts known only at the end of the game."""
    lead = state.cash[s.MEDICI] - state.cash[s.STROZZI]
    _add_game(facts, tie=lead == 0, margin=abs(lead), medici_margin=lead, lead_changes=facts.lead_changes)
    for seat in range(s.SEATS):
        harbors = monopolies = bonus = paid = 0
        for round_row in range(facts.first_round + seat, facts.round_rows, s.SEATS):
            harbors += facts.round_harbors[round_row]
            monopolies += facts.round_monopolies[round_row]
            bonus += facts.round_bonus[round_row]
            paid += facts.round_paid[round_row]
        row = _add_player(facts, seat=seat, harbors=harbors, monopolies=monopolies, bonus=bonus, paid=paid)
        facts.seat_total[row] = state.cash[seat]
        facts.seat_below_zero[row] = facts.poor[seat]
        facts.seat_below_zero_at_end[row] = state.cash[seat] < 0
