"""Fact handlers of Strozzi: they write fact rows from the core's events, the decisions and the end of a game."""

from numba import int64

from strozzi_sim.facts.sink import row_writer, sink_dtype
from strozzi_sim.games.strozzi import fact_tables as t
from strozzi_sim.games.strozzi.events import CARGO, EVENTS
from strozzi_sim.games.strozzi.fact_tables import AGREEMENTS, TABLES
from strozzi_sim.games.strozzi.scoring import rank_coins, rank_in_category, space_bonus
from strozzi_sim.games.strozzi.state import CATEGORIES, CITIES, FLORENCE, MAX_ROUNDS, MAX_SHIPS, NOBODY, PORTS, SEATS
from strozzi_sim.kernel.bits import best_two, count_bits, seats_after
from strozzi_sim.kernel.jit import force_inline, jit

__all__ = ["AGREEMENTS", "SINK", "TABLES", "begin_match", "close_game", "note", "on_decision", "open_game"]

_MAX_PLACED = MAX_ROUNDS * SEATS * PORTS  # largest number of ships placed in a game
_NO_TILE = -1
_OWNER_MASK = 7  # all seats and NOBODY differ in these bits
_TILE, _DECISION = (1 << TABLES.index(table) for table in (t.TILES, t.DECISIONS))  # their bits in `asked`

SINK = sink_dtype(TABLES, [  # shape          meaning, of the game or round being played
    ("players", "i8"),
    ("round", "i8"),  #                       from 1
    ("active", "i8"),
    ("left", "i8"),  #                        cards left to turn over
    ("taken", "i8", (SEATS,)),  #            [P] ships placed this round
    ("row_of", "i8", (MAX_SHIPS,)),  #       [ship] its row in the ship table
    ("first", "i8"),  #                      row of the first ship of the game
    ("moved", "i8", (_MAX_PLACED, CITIES)),  # [ship of the game, city] spaces it moved its owner's marker
    ("tile_of", "i8", (_MAX_PLACED,)),  #    [ship of the game] its promotion tile, or _NO_TILE
    ("per_space", "i8", (MAX_ROUNDS, SEATS, CITIES)),  # [round, P, city] coins per space of a marker, times COIN
    ("from_ships", "i8", (SEATS,)),  #       [P] coins from ships in the game
    ("from_bonus", "i8", (SEATS,)),  #       [P] coins from bonus spaces in the game
    ("paid_at", "i8", (SEATS, CITIES)),  #   [P, city] coins from ships, markers and bonus spaces in the game
    ("landed", "i8", (SEATS, CITIES)),  #    [P, city] coins from the ship of the round
    ("rank", "i8", (SEATS,)),  #             [P] of the marker at Florence, 0 = best
    ("ranked", "i8"),  #                     seats in `rank` so far
    ("total", "i8", (SEATS,)),  #            [P] coins after the round
    ("leader", "i8"),  #                     seat that led after the previous round, or -1
    ("set_aside", "i8"),
    ("lead_changes", "i8"),
])  # fmt: skip

_add_round = row_writer(t.ROUNDS, zero=("flags", "ports", "leader"), later=("coins",))
_add_card = row_writer(t.CARDS, zero=("taken_over", "lap"))
_add_ship = row_writer(
    t.SHIPS, zero=("prize", "steps"), later=("lap", "takes_over", "cards_left", "track", "promotion", "brought")
)
_add_tile, _add_marker, _add_player, _add_category = map(row_writer, (t.TILES, t.MARKERS, t.PLAYER, t.CATEGORY))
_add_decision = row_writer(
    t.DECISIONS, later=("choices", "flags_left", "rivals_left", "cards_left", "lead", "at_stake")
)
_add_game = row_writer(t.GAME, later=("lead_changes", "set_aside", "over_box"))


@jit
def begin_match(facts, rules, players):
    """Set the number of players, before the games of a match."""
    facts.players = players


@jit
def open_game(facts, number):
    """Reset the fields of a game, before deal `number` is dealt."""
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
def on_decision(facts, state, rules, action):
    """Write the row of a decision, before its action is applied, if the decision table is requested."""
    if facts.asked & _DECISION:
        _on_decision(facts, state, rules, action)


@jit
def _on_decision(facts, state, rules, action):
    seat, best_rival = state.actor, 0
    for other in range(facts.players):
        if other != seat:
            best_rival = max(best_rival, state.coins[other])
    holder = t.NO_FLAG if state.holder == NOBODY else state.holder_flag
    row = _add_decision(
        facts, seat=seat, round=facts.round, phase=state.phase, action=action, card=state.ship, holder=holder
    )
    facts.decision_choices[row] = count_bits(state.legal)
    facts.decision_flags_left[row] = count_bits(state.hand[seat])
    facts.decision_rivals_left[row] = count_bits(state.with_flag & ~(1 << seat))
    facts.decision_cards_left[row] = state.deck
    facts.decision_lead[row] = state.coins[seat] - best_rival
    facts.decision_at_stake[row] = _standing(state, rules, seat)


@jit
def _standing(state, rules, seat):
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


@jit
def _on_move(facts, seat, city, start, end, cause):
    facts.moved[facts.ship_rows - 1 - facts.first, city] += end - start
    if cause == CARGO:
        facts.ship_steps[facts.ship_rows - 1] = end - start


@jit
def _on_take_tile(facts, seat, tile, replacement):
    if tile < 0:
        return
    facts.tile_of[facts.ship_rows - 1 - facts.first] = tile
    if facts.asked & _TILE:
        _add_tile(facts, seat=seat, round=facts.round, tile=tile)


@jit
def _on_set_aside(facts, ship):
    facts.set_aside += 1
    facts.card_taken[facts.card_rows - 1] = 0


@jit
def _on_round(facts, round_, start_player):
    facts.round = round_ + 1
    facts.ranked = 0
    for seat in range(facts.players):
        facts.taken[seat] = 0
        _add_round(facts, seat=seat, round=round_ + 1)


@force_inline
def _round_row(facts, seat):
    return facts.round_rows - facts.players + seat


@jit
def _on_reveal(facts, active, card, left):
    facts.active = active
    facts.left = left
    _add_card(facts, card=card, round=facts.round, claimed_by=t.NO_FLAG, taken=1)


@jit
def _on_claim(facts, seat, flag):
    row = facts.card_rows - 1
    if flag < 0:
        return
    if facts.card_claimed_by[row] == t.NO_FLAG:
        facts.card_claimed_by[row] = flag
    else:
        facts.card_taken_over[row] = 1
        facts.card_lap[row] = seats_after(facts.active, seat, facts.players)


@jit
def _on_place(facts, seat, card, flag, port, speed):
    placed, round_row = facts.taken[seat], _round_row(facts, seat)
    row = _add_ship(facts, seat=seat, round=facts.round, card=card, flag=flag, port=port, order=placed + 1)
    facts.ship_lap[row] = seats_after(facts.active, seat, facts.players)
    facts.ship_takes_over[row] = facts.card_taken_over[facts.card_rows - 1]
    facts.ship_cards_left[row] = facts.left
    facts.row_of[card] = row
    facts.tile_of[row - facts.first] = _NO_TILE
    for city in range(CITIES):
        facts.moved[row - facts.first, city] = 0
    facts.taken[seat] = placed + 1
    facts.round_flags[round_row] += (flag + 1) << (2 * placed)
    facts.round_ports[round_row] += (port + 1) << (2 * placed)


@jit
def _on_prize(facts, seat, card, port, rank, coins):
    facts.ship_prize[facts.row_of[card]] = coins
    facts.from_ships[seat] += coins
    facts.paid_at[seat, port] += coins
    facts.landed[seat, port] = coins


@jit
def _on_marker(facts, seat, city, space, prize, bonus):
    ships = facts.landed[seat, city]
    _add_marker(facts, seat=seat, round=facts.round, city=city, space=space, prize=prize, bonus=bonus, ships=ships)
    facts.landed[seat, city] = 0
    facts.from_bonus[seat] += bonus
    facts.paid_at[seat, city] += prize + bonus
    facts.per_space[facts.round - 1, seat, city] = (t.COIN * (prize + bonus) + space // 2) // space if space > 0 else 0
    if city == FLORENCE:  # best first
        facts.rank[seat] = facts.ranked
        facts.ranked += 1


@jit
def _on_score(facts, seat, total):
    facts.round_coins[_round_row(facts, seat)] = total - facts.total[seat]
    facts.total[seat] = total
    if seat < facts.players - 1:
        return
    leader = 0
    for other in range(1, facts.players):
        ahead = facts.total[other] - facts.total[leader]
        if ahead > 0 or (ahead == 0 and facts.rank[other] < facts.rank[leader]):
            leader = other
    facts.round_leader[_round_row(facts, leader)] = 1
    facts.lead_changes += facts.leader >= 0 and facts.leader != leader
    facts.leader = leader


note = EVENTS.handlers(
    round=_on_round,
    reveal=_on_reveal,
    claim=_on_claim,
    place=_on_place,
    move=_on_move,
    take_tile=_on_take_tile,
    set_aside=_on_set_aside,
    ship_prize=_on_prize,
    marker=_on_marker,
    score_round=_on_score,
)


@jit
def close_game(facts, state, rules):
    """Write the facts known only at the end of the game."""
    players = state.players
    best, second = best_two(state.coins, players)
    winner = paid = 0
    for rank in range(players - 1, -1, -1):  # ties are decided at Florence
        seat = state.order[FLORENCE, rank]
        paid += state.coins[seat]
        if state.coins[seat] == best:
            winner = seat
    tiles_left = _close_categories(facts, state, rules)
    row = _add_game(facts, margin=best - second, florence_tie=best == second, tiles_left=tiles_left)
    facts.game_lead_changes[row] = facts.lead_changes + (facts.leader != winner)
    facts.game_set_aside[row] = facts.set_aside
    facts.game_over_box[row] = paid > rules.box_coins
    _close_seats(facts, state)
    _close_ships(facts, state, rules)


@jit
def _close_seats(facts, state):
    for seat in range(facts.players):
        worst, shared = 0, False
        for port in range(1, PORTS):
            lead = facts.paid_at[seat, port] - facts.paid_at[seat, worst]
            shared = lead == 0 or (shared and lead > 0)
            worst = port if lead < 0 else worst
        pair = t.NO_PORT if shared else worst  # a pair of ports has the number of the third port
        total, ships, bonus = state.coins[seat], facts.from_ships[seat], facts.from_bonus[seat]
        markers, tiles = facts.total[seat] - ships - bonus, total - facts.total[seat]
        _add_player(
            facts, seat=seat, total=total, ships=ships, markers=markers, bonus=bonus, promotion=tiles, best_ports=pair
        )


@jit
def _close_categories(facts, state, rules):
    tiles_left = 0
    for category in range(len(CATEGORIES)):
        count_bytes = 0  # number of tiles per owner, one byte each
        for tile in range(rules.tiles):
            count_bytes += int64(rules.tile_category[tile] == category) << ((state.tile_owner[tile] & _OWNER_MASK) << 3)
        tiles_left += count_bytes >> ((NOBODY & _OWNER_MASK) << 3) & 255
        for seat in range(facts.players):
            total = state.tile_total[category, seat]
            rank = rank_in_category(state, seat, category, total)
            tiles, coins = count_bytes >> (seat << 3) & 255, rank_coins(rules, rank, total)
            _add_category(facts, seat=seat, category=category, rank=rank + 1, total=total, tiles=tiles, coins=coins)
    return tiles_left


@jit
def _close_ships(facts, state, rules):
    """Divide markers' coins among the ships that moved them, and category prizes among those that brought tiles."""
    players, first_category_row = facts.players, facts.category_rows - len(CATEGORIES) * facts.players
    for later in range(facts.round - 1, 0, -1):  # a space pays in the round when it is reached and in all later ones
        for seat in range(players):
            for city in range(CITIES):
                facts.per_space[later - 1, seat, city] += facts.per_space[later, seat, city]
    for row in range(facts.first, facts.ship_rows):
        seat, round_index, tile = facts.ship_seat[row], facts.ship_round[row] - 1, facts.tile_of[row - facts.first]
        track = promotion = 0
        for city in range(CITIES):
            track += facts.moved[row - facts.first, city] * facts.per_space[round_index, seat, city]
        if tile != _NO_TILE:
            category = rules.tile_category[tile]
            total = state.tile_total[category, seat]
            if total > 0:
                prize = facts.category_coins[first_category_row + category * players + seat]
                promotion = (t.COIN * prize * rules.tile_value[tile] + total // 2) // total
        facts.ship_track[row] = track
        facts.ship_promotion[row] = promotion
        facts.ship_brought[row] = t.COIN * facts.ship_prize[row] + track + promotion
