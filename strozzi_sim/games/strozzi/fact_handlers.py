"""Writes the facts of Strozzi while a game is played: the handlers of what its core says."""

from numba import int64

from strozzi_sim.facts.sink import sink_dtype
from strozzi_sim.games.strozzi.events import (
    CARGO,
    CLAIM,
    MARKER,
    MOVE,
    PLACE,
    REVEAL,
    ROUND,
    SCORE,
    SET_ASIDE,
    SHIP_PRIZE,
    TAKE_TILE,
)
from strozzi_sim.games.strozzi.fact_tables import AGREEMENTS, COIN, DECISIONS, NO_FLAG, NO_PORT, TABLES, TILES
from strozzi_sim.games.strozzi.scoring import rank_coins, rank_in_category, space_bonus
from strozzi_sim.games.strozzi.state import CATEGORIES, CITIES, FLORENCE, MAX_ROUNDS, MAX_SHIPS, NOBODY, PORTS, SEATS
from strozzi_sim.kernel.bits import count_bits
from strozzi_sim.kernel.jit import force_inline, jit

__all__ = ["AGREEMENTS", "SINK", "TABLES", "close_game", "decided", "note", "open_game", "prepare"]

_PLACED = MAX_ROUNDS * SEATS * PORTS  # most ships of a game
_NO_TILE = -1
_OWNERS = 7  # a mask that tells all seats and NOBODY apart
_TILE, _DECISION = (1 << TABLES.index(table) for table in (TILES, DECISIONS))

SINK = sink_dtype(TABLES, [  # shape          meaning, of the game or round being played
    ("players", "i8"),
    ("round", "i8"),
    ("active", "i8"),
    ("left", "i8"),  #                        cards left to turn over
    ("taken", "i8", (SEATS,)),  #            [P] ships placed this round
    ("row_of", "i8", (MAX_SHIPS,)),  #       [ship] its row
    ("first", "i8"),  #                      row of the first ship of the game
    ("moved", "i8", (_PLACED, CITIES)),  #   [ship of the game, city] spaces it moved its owner's marker
    ("tile_of", "i8", (_PLACED,)),  #        [ship of the game] its promotion tile, or _NO_TILE
    ("per_space", "i8", (MAX_ROUNDS, SEATS, CITIES)),  # [round, P, city] a marker's coins by space, in 1 / COIN
    ("from_ships", "i8", (SEATS,)),  #       [P] coins of the game
    ("from_bonus", "i8", (SEATS,)),  #       [P] coins of the game
    ("paid_at", "i8", (SEATS, CITIES)),  #   [P, city] coins of the game
    ("landed", "i8", (SEATS, CITIES)),  #    [P, city] coins of ships of the round
    ("rank", "i8", (SEATS,)),  #             [P] of the marker at Florence
    ("ranked", "i8"),
    ("total", "i8", (SEATS,)),  #            [P] coins after the round
    ("leader", "i8"),  #                     after the round before, or -1
    ("set_aside", "i8"),
    ("lead_changes", "i8"),
])  # fmt: skip


@jit
def prepare(facts, rules, players):
    """Before the games of a match."""
    facts.players = players


@jit
def open_game(facts, number):
    """Before a game of deal `number` is dealt."""
    facts.leader = -1
    facts.set_aside = 0
    facts.lead_changes = 0
    facts.first = facts.ship_rows
    for seat in range(facts.players):
        facts.total[seat] = 0
        facts.from_ships[seat] = 0
        facts.from_bonus[seat] = 0
        for city in range(CITIES):
            facts.paid_at[seat, city] = 0
            facts.landed[seat, city] = 0


@jit
def decided(facts, state, rules, action):
    """A choice of a seat, before it is carried out."""
    if facts.asked & _DECISION:
        _on_decision(facts, state, rules, action)


@jit
def _on_decision(facts, state, rules, action):
    seat, row = state.actor, facts.decision_rows
    best = 0
    for other in range(facts.players):
        if other != seat:
            best = max(best, state.coins[other])
    facts.decision_seat[row] = seat
    facts.decision_round[row] = facts.round
    facts.decision_phase[row] = state.phase
    facts.decision_action[row] = action
    facts.decision_choices[row] = count_bits(state.legal)
    facts.decision_card[row] = state.ship
    facts.decision_holder[row] = NO_FLAG if state.holder == NOBODY else state.holder_flag
    facts.decision_flags_left[row] = count_bits(state.hand[seat])
    facts.decision_rivals_left[row] = count_bits(state.with_flag & ~(1 << seat))
    facts.decision_cards_left[row] = state.deck
    facts.decision_lead[row] = state.coins[seat] - best
    facts.decision_at_stake[row] = _standing(state, rules, seat)
    facts.decision_rows = row + 1


@jit
def _standing(state, rules, seat):
    """Coins of a seat if the round were scored now."""
    coins = 0
    for port in range(PORTS):
        for rank in range(state.ships_at[port]):
            if state.berth_seat[port, rank] == seat:
                coins += rules.ship_prize[rank]
    for city in range(CITIES):
        space = state.position[city, seat]
        for rank in range(state.players):
            if space > 0 and state.order[city, rank] == seat:
                coins += rules.marker_prize[rank] + space_bonus(rules, city, space)
    return coins


@force_inline
def note(facts, kind, a, b, c, d, e):
    """An event, as the core writes it; the kind is known where this is put in place."""
    if kind == REVEAL:
        _on_reveal(facts, a, b, c)
    elif kind == CLAIM:
        if b >= 0:
            _on_claim(facts, a, b)
    elif kind == PLACE:
        _on_place(facts, a, b, c, d)
    elif kind == MOVE:
        facts.moved[facts.ship_rows - 1 - facts.first, b] += d - c
        if e == CARGO:
            facts.ship_steps[facts.ship_rows - 1] = d - c
    elif kind == TAKE_TILE:
        if b >= 0:
            facts.tile_of[facts.ship_rows - 1 - facts.first] = b
            if facts.asked & _TILE:
                _on_tile(facts, a, b)
    elif kind == SET_ASIDE:
        facts.set_aside += 1
        facts.card_taken[facts.card_rows - 1] = 0
    elif kind == ROUND:
        _on_round(facts, a)
    elif kind == SHIP_PRIZE:
        _on_prize(facts, a, b, c, e)
    elif kind == MARKER:
        _on_marker(facts, a, b, c, d, e)
    elif kind == SCORE:
        _on_score(facts, a, b)


@jit
def _on_round(facts, round_):
    facts.round = round_ + 1
    facts.ranked = 0
    first = facts.round_rows
    for seat in range(facts.players):
        row = first + seat
        facts.taken[seat] = 0
        facts.round_seat[row] = seat
        facts.round_round[row] = round_ + 1
        facts.round_flags[row] = 0
        facts.round_ports[row] = 0
        facts.round_leader[row] = 0
    facts.round_rows = first + facts.players


@force_inline
def _row_of(facts, seat):
    """The row of a player in the present round."""
    return facts.round_rows - facts.players + seat


@force_inline
def _lap(facts, seat):
    """Seats after the active player."""
    return seat - facts.active + facts.players if seat < facts.active else seat - facts.active


@jit
def _on_reveal(facts, active, card, left):
    facts.active = active
    facts.left = left
    row = facts.card_rows
    facts.card_card[row] = card
    facts.card_round[row] = facts.round
    facts.card_claimed_by[row] = NO_FLAG
    facts.card_taken_over[row] = 0
    facts.card_lap[row] = 0
    facts.card_taken[row] = 1
    facts.card_rows = row + 1


@jit
def _on_claim(facts, seat, flag):
    row = facts.card_rows - 1
    if facts.card_claimed_by[row] == NO_FLAG:
        facts.card_claimed_by[row] = flag
    else:
        facts.card_taken_over[row] = 1
        facts.card_lap[row] = _lap(facts, seat)


@jit
def _on_place(facts, seat, card, flag, port):
    row, order, mine = facts.ship_rows, facts.taken[seat], _row_of(facts, seat)
    facts.ship_seat[row] = seat
    facts.ship_round[row] = facts.round
    facts.ship_card[row] = card
    facts.ship_flag[row] = flag
    facts.ship_port[row] = port
    facts.ship_order[row] = order + 1
    facts.ship_lap[row] = _lap(facts, seat)
    facts.ship_cards_left[row] = facts.left
    facts.ship_takes_over[row] = facts.card_taken_over[facts.card_rows - 1]
    facts.ship_prize[row] = 0
    facts.ship_steps[row] = 0
    facts.ship_rows = row + 1
    facts.row_of[card] = row
    facts.tile_of[row - facts.first] = _NO_TILE
    for city in range(CITIES):
        facts.moved[row - facts.first, city] = 0
    facts.taken[seat] = order + 1
    facts.round_flags[mine] += (flag + 1) << (2 * order)
    facts.round_ports[mine] += (port + 1) << (2 * order)


@jit
def _on_tile(facts, seat, tile):
    row = facts.tile_rows
    facts.tile_seat[row] = seat
    facts.tile_round[row] = facts.round
    facts.tile_tile[row] = tile
    facts.tile_rows = row + 1


@jit
def _on_prize(facts, seat, card, port, coins):
    facts.ship_prize[facts.row_of[card]] = coins
    facts.from_ships[seat] += coins
    facts.paid_at[seat, port] += coins
    facts.landed[seat, port] = coins


@jit
def _on_marker(facts, seat, city, space, prize, bonus):
    row = facts.marker_rows
    facts.marker_seat[row] = seat
    facts.marker_round[row] = facts.round
    facts.marker_city[row] = city
    facts.marker_space[row] = space
    facts.marker_prize[row] = prize
    facts.marker_bonus[row] = bonus
    facts.marker_ships[row] = facts.landed[seat, city]
    facts.landed[seat, city] = 0
    facts.marker_rows = row + 1
    facts.from_bonus[seat] += bonus
    facts.paid_at[seat, city] += prize + bonus
    facts.per_space[facts.round - 1, seat, city] = (COIN * (prize + bonus) + space // 2) // space if space > 0 else 0
    if city == FLORENCE:  # best first
        facts.rank[seat] = facts.ranked
        facts.ranked += 1


@jit
def _on_score(facts, seat, total):
    facts.round_coins[_row_of(facts, seat)] = total - facts.total[seat]
    facts.total[seat] = total
    if seat < facts.players - 1:
        return
    leader = 0
    for other in range(1, facts.players):
        ahead = facts.total[other] - facts.total[leader]
        if ahead > 0 or (ahead == 0 and facts.rank[other] < facts.rank[leader]):
            leader = other
    facts.round_leader[_row_of(facts, leader)] = 1
    facts.lead_changes += facts.leader >= 0 and facts.leader != leader
    facts.leader = leader


@jit
def close_game(facts, state, rules):
    """The game is over: what is known only now."""
    players = state.players
    best = second = -1
    winner = paid = 0
    for seat in range(players):
        coins = state.coins[seat]
        paid += coins
        if coins > best:
            best, second, winner = coins, best, seat
        else:
            second = max(second, coins)
    tied = best == second
    for rank in range(players):  # ties are decided at Florence
        seat = state.order[FLORENCE, rank]
        if tied and state.coins[seat] == best:
            winner = seat
            break
    row = facts.game_rows
    facts.game_margin[row] = best - second
    facts.game_florence_tie[row] = tied
    facts.game_lead_changes[row] = facts.lead_changes + (facts.leader != winner)
    facts.game_set_aside[row] = facts.set_aside
    facts.game_over_box[row] = paid > rules.box_coins
    facts.game_tiles_left[row] = _close_categories(facts, state, rules)
    facts.game_rows = row + 1
    _close_seats(facts, state)
    _close_ships(facts, state, rules)


@jit
def _close_seats(facts, state):
    for seat in range(facts.players):
        row = facts.seat_rows
        facts.seat_seat[row] = seat
        facts.seat_total[row] = state.coins[seat]
        facts.seat_ships[row] = facts.from_ships[seat]
        facts.seat_markers[row] = facts.total[seat] - facts.from_ships[seat] - facts.from_bonus[seat]
        facts.seat_bonus[row] = facts.from_bonus[seat]
        facts.seat_promotion[row] = state.coins[seat] - facts.total[seat]
        worst, shared = 0, False
        for port in range(1, PORTS):
            lead = facts.paid_at[seat, port] - facts.paid_at[seat, worst]
            shared = lead == 0 or (shared and lead > 0)
            worst = port if lead < 0 else worst
        facts.seat_best_ports[row] = NO_PORT if shared else worst
        facts.seat_rows = row + 1


@jit
def _close_categories(facts, state, rules):
    """Returns how many tiles nobody has."""
    row = facts.category_rows
    left = 0
    for category in range(len(CATEGORIES)):
        held = 0  # tiles by owner, a byte each
        for tile in range(rules.tiles):
            held += int64(rules.tile_category[tile] == category) << ((state.tile_owner[tile] & _OWNERS) << 3)
        left += held >> ((NOBODY & _OWNERS) << 3) & 255
        for seat in range(facts.players):
            total = state.tile_total[category, seat]
            rank = rank_in_category(state, seat, category, total)
            facts.category_seat[row] = seat
            facts.category_category[row] = category
            facts.category_rank[row] = rank + 1
            facts.category_total[row] = total
            facts.category_tiles[row] = held >> (seat << 3) & 255
            facts.category_coins[row] = rank_coins(rules, rank, total)
            row += 1
    facts.category_rows = row
    return left


@jit
def _close_ships(facts, state, rules):
    """Divide what markers and categories were paid among the ships that moved them and brought the tiles."""
    players, prizes = facts.players, facts.category_rows - len(CATEGORIES) * facts.players
    for later in range(facts.round - 1, 0, -1):  # a space pays in every round from its own on
        for seat in range(players):
            for city in range(CITIES):
                facts.per_space[later - 1, seat, city] += facts.per_space[later, seat, city]
    for row in range(facts.first, facts.ship_rows):
        seat, number, tile = facts.ship_seat[row], facts.ship_round[row] - 1, facts.tile_of[row - facts.first]
        track = promotion = 0
        for city in range(CITIES):
            track += facts.moved[row - facts.first, city] * facts.per_space[number, seat, city]
        if tile != _NO_TILE:
            category = rules.tile_category[tile]
            total = state.tile_total[category, seat]
            if total > 0:
                coins = COIN * facts.category_coins[prizes + category * players + seat] * rules.tile_value[tile]
                promotion = (coins + total // 2) // total
        facts.ship_track[row] = track
        facts.ship_promotion[row] = promotion
        facts.ship_brought[row] = COIN * facts.ship_prize[row] + track + promotion
