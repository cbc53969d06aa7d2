"""Strozzi's kernels: deal, legal actions, apply.

`apply` requires a legal action and runs on to the next seat with a choice; forced actions (no pirate flag, one free
port, one tile) are played automatically. Restrictions do not change the turn order. Numbers in parentheses are items of
the rules' ambiguity list (docs/rules/strozzi.md).
"""

from numba import int64

from strozzi_sim.games.strozzi import events as e
from strozzi_sim.games.strozzi import scoring
from strozzi_sim.games.strozzi import state as s
from strozzi_sim.kernel.bits import count_bits, kth_bit, lowest_bit, next_clockwise
from strozzi_sim.kernel.jit import force_inline, inline_source, jit
from strozzi_sim.kernel.journal import write_event
from strozzi_sim.kernel.streams import draw, reset_source

_PIRATE_BIT = 1 << s.PIRATE_FLAG
_DECLINE_BIT = 1 << (s.DECLINE_TILE - s.TAKE_TILE)


@jit
def deal(state, rules, players, start_player, chance, journal):
    """Set up the game and continue to the first decision; the sources of `chance` are already seeded."""
    state.players = players
    state.round = 0
    state.start_player = start_player
    for seat in range(players):
        state.coins[seat] = 0
        state.voids[seat] = 0
        for category in range(3):
            state.tile_total[category, seat] = 0
    for city in range(s.CITIES):
        for k in range(players):
            state.position[city, k] = 0
            seat = start_player + k  # (1)
            seat = seat - players if seat >= players else seat
            rank = players - 1 - k if rules.reverse_start else k
            state.order[city, rank] = seat
    tiles = rules.tiles
    for tile in range(tiles):
        state.unseen_tile[tile] = tile
        state.tile_owner[tile] = s.NOBODY
    state.tiles_unseen = tiles
    reset_source(chance, s.TILE_SOURCE)
    face_up = min(rules.face_up, tiles)
    for slot in range(face_up):
        tile = _draw_tile(state, chance)
        state.display[slot] = tile
        write_event(journal, e.SHOW, slot, tile, 0, 0, 0)
    state.display_size = face_up
    write_event(journal, e.TILES, 0, 0, 0, 0, 0)
    _begin_round(state, rules, chance, journal)
    if rules.restricted and state.legal == 1:
        apply(state, rules, s.PASS, chance, journal)


@force_inline
def _draw_tile(state, chance):
    unseen = state.tiles_unseen
    k = draw(chance, s.TILE_SOURCE, unseen)
    tile = state.unseen_tile[k]
    state.unseen_tile[k] = state.unseen_tile[unseen - 1]
    state.tiles_unseen = unseen - 1
    return tile


@jit
def _begin_round(state, rules, chance, journal):
    """Start a round: flags and ships come back, some ships are removed unseen, and a card is turned over (72)."""
    players = state.players
    start_player = state.start_player
    for seat in range(players):
        state.hand[seat] = s.ALL_FLAGS
        state.berths[seat] = s.ALL_PORTS
    all_seats = (1 << players) - 1
    state.with_flag = all_seats
    state.with_pirate = all_seats
    for port in range(s.PORTS):
        state.ships_at[port] = 0
    ships = rules.ships
    for ship in range(ships):
        state.unseen_ship[ship] = ship
    state.ships_unseen = ships
    state.deck = rules.cards[players]
    reset_source(chance, s.SHIP_SOURCE + state.round)
    write_event(journal, e.ROUND, state.round, start_player, 0, 0, 0)
    state.active = start_player
    _reveal(state, rules, chance, journal)


@jit
def _reveal(state, rules, chance, journal):
    """Turn over the next card for the active player, who decides first."""
    unseen = state.ships_unseen
    k = draw(chance, s.SHIP_SOURCE + state.round, unseen)
    ship = state.unseen_ship[k]
    state.unseen_ship[k] = state.unseen_ship[unseen - 1]
    state.ships_unseen = unseen - 1
    deck = state.deck - 1
    state.deck = deck
    state.ship = ship
    state.holder = s.NOBODY
    active = state.active
    write_event(journal, e.REVEAL, active, ship, deck, 0, 0)
    state.waiting = state.with_flag & ~(1 << active)
    _ask_claim(state, rules, active)


@inline_source
def _ask(state, phase, seat, first_action, legal):
    state.phase = phase
    state.actor = seat
    state.first_action = first_action
    state.legal = legal


@inline_source
def _ask_claim(state, rules, seat):
    _ask(state, s.CLAIM, seat, s.PASS, 1 | _usable(state, rules, seat, state.hand[seat]) << 1)


@inline_source
def _usable(state, rules, seat, flags):
    """Return the subset of `flags` that no restriction forbids on this card."""
    if rules.restricted:
        card_number = rules.cards[state.players] - state.deck
        if card_number < rules.first_claim[seat] or rules.no_card[seat] >> state.ship & 1:
            return 0
        return flags & ~rules.no_flag[seat]
    return flags


@jit
def apply(state, rules, action, chance, journal):
    """Play a legal action and continue to the next seat with a choice, or to the end of the game."""
    while True:
        _play(state, rules, action, chance, journal)
        if not rules.restricted or count_bits(state.legal) != 1:
            return
        action = state.first_action + lowest_bit(state.legal)


@inline_source
def _play(state, rules, action, chance, journal):
    phase = state.phase
    seat = state.actor
    if phase <= s.PIRACY:
        _answer(state, rules, seat, action, chance, journal)
    elif phase == s.PORT:
        _place(state, rules, seat, action - s.PLACE_AT, chance, journal)
    else:
        slot = -1 if action == s.DECLINE_TILE else action - s.TAKE_TILE
        _take_tile(state, rules, seat, slot, chance, journal)
        _next_turn(state, rules, seat, chance, journal)


@inline_source
def _answer(state, rules, seat, action, chance, journal):
    """Apply a pass or a flag on the card, and ask the next seat of the lap; `second_lap` asks pirates again (19)."""
    flag = action - s.CLAIM_WITH
    write_event(journal, e.CLAIM, seat, flag, 0, 0, 0)
    waiting = state.waiting
    if flag >= 0:
        # a pirate is final at once; the pirated player keeps the flag (12, 17)
        if flag == s.PIRATE_FLAG and scoring.has_power(rules, seat, flag):
            _take_card(state, rules, seat, flag, chance, journal)
            return
        state.holder = seat
        state.holder_flag = flag
        eligible = state.with_flag if rules.second_lap else waiting
        waiting = eligible & state.with_pirate & ~(1 << seat)
    if waiting != 0:
        next_seat = next_clockwise(waiting, seat)
        state.waiting = waiting & ~(1 << next_seat)
        if state.holder == s.NOBODY:
            _ask_claim(state, rules, next_seat)
        else:
            pirate = _usable(state, rules, next_seat, _PIRATE_BIT & ~rules.powerless[next_seat])
            _ask(state, s.PIRACY, next_seat, s.PASS, 1 | pirate << 1)
        return
    holder = state.holder
    if holder != s.NOBODY:
        _take_card(state, rules, holder, state.holder_flag, chance, journal)
        return
    write_event(journal, e.SET_ASIDE, state.ship, 0, 0, 0, 0)
    if state.deck == 0:
        _end_round(state, rules, chance, journal)
    else:
        _reveal(state, rules, chance, journal)  # by the same active player (23)


@jit
def _take_card(state, rules, seat, flag, chance, journal):
    """Spend the flag; the taker chooses the port, if several are free."""
    state.holder = seat
    state.holder_flag = flag
    hand = state.hand[seat] & ~(1 << flag)
    state.hand[seat] = hand
    if hand == 0:
        state.with_flag &= ~(1 << seat)
    if flag == s.PIRATE_FLAG:
        state.with_pirate &= ~(1 << seat)
    free = scoring.free_ports(state, rules, seat)
    if free & rules.no_port[seat]:
        state.voids[seat] += 1
    if free & (free - 1) == 0:
        _place(state, rules, seat, lowest_bit(free), chance, journal)
    else:
        _ask(state, s.PORT, seat, s.PLACE_AT, free)


@jit
def _place(state, rules, seat, port, chance, journal):
    """Place the ship, move the markers of the port and of Florence, then take a tile (45)."""
    ship = state.ship
    flag = state.holder_flag
    state.berths[seat] &= ~(1 << port)
    speed = rules.sail[ship]
    if flag == s.PLUS_ONE_FLAG and scoring.has_power(rules, seat, flag):
        speed += rules.plus_one_speed
    rank = state.ships_at[port]
    state.ships_at[port] = rank + 1
    while rank > 0 and state.berth_speed[port, rank - 1] < speed:  # below all that are as fast (31)
        state.berth_speed[port, rank] = state.berth_speed[port, rank - 1]
        state.berth_seat[port, rank] = state.berth_seat[port, rank - 1]
        state.berth_ship[port, rank] = state.berth_ship[port, rank - 1]
        state.berth_flag[port, rank] = state.berth_flag[port, rank - 1]
        rank -= 1
    state.berth_speed[port, rank] = speed
    state.berth_seat[port, rank] = seat
    state.berth_ship[port, rank] = ship
    state.berth_flag[port, rank] = flag
    write_event(journal, e.PLACE, seat, ship, flag, port, speed)

    steps = rules.cargo[ship, port]
    if flag == s.WARE_FLAG and (steps > 0 or not rules.ware_flag_needs_match):  # (36)
        steps += rules.ware_steps * scoring.has_power(rules, seat, flag)
    _move(state, rules, seat, port, steps, e.CARGO, journal)
    _move(state, rules, seat, s.FLORENCE, rules.scrolls[ship], e.SCROLL, journal)

    if rules.promotion[ship] and state.display_size > 0:
        legal = scoring.open_slots(state, rules, seat)
        if rules.restricted and legal & scoring.forbidden_slots(state, rules, seat):
            state.voids[seat] += 1
        if rules.tile_optional:
            legal |= _DECLINE_BIT
        if legal & (legal - 1) != 0 or rules.tile_optional:
            _ask(state, s.TILE, seat, s.TAKE_TILE, legal)
            return
        _take_tile(state, rules, seat, lowest_bit(legal), chance, journal)
    _next_turn(state, rules, seat, chance, journal)


@jit
def _move(state, rules, seat, city, steps, cause, journal):
    """Move a marker up, at most to the top (42), and behind all markers already on its space (39)."""
    before = state.position[city, seat]
    after = min(before + steps, rules.top)
    if after == before:
        return
    state.position[city, seat] = after
    rank = 0
    while state.order[city, rank] != seat:
        rank += 1
    while rank > 0 and state.position[city, state.order[city, rank - 1]] < after:
        state.order[city, rank] = state.order[city, rank - 1]
        rank -= 1
    state.order[city, rank] = seat
    write_event(journal, e.MOVE, seat, city, before, after, cause)


@jit
def _take_tile(state, rules, seat, slot, chance, journal):
    """Take the tile in `slot` (-1 = none), refill the display, and move the marker of the tile's ware (50, 54)."""
    if slot < 0:
        write_event(journal, e.TAKE_TILE, seat, -1, -1, 0, 0)
        return
    tile = state.display[slot]
    state.tile_owner[tile] = seat
    category = rules.tile_category[tile]
    state.tile_total[category, seat] += rules.tile_value[tile]
    replacement = -1
    if state.tiles_unseen > 0:
        replacement = _draw_tile(state, chance)
        state.display[slot] = replacement
    else:  # no refill: later takers choose from the rest (55)
        size = state.display_size - 1
        for following in range(slot, size):
            state.display[following] = state.display[following + 1]
        state.display_size = size
    write_event(journal, e.TAKE_TILE, seat, tile, replacement, 0, 0)
    ware = rules.tile_ware[tile]
    if ware != s.NO_WARE:
        _move(state, rules, seat, ware, int64(1), e.TILE_WARE, journal)


@inline_source
def _next_turn(state, rules, taker, chance, journal):
    """Turn over a card for the first seat after the taker that has a flag (58), or end the round (60)."""
    with_flag = state.with_flag
    if with_flag == 0 or state.deck == 0:
        _end_round(state, rules, chance, journal)
    else:
        state.active = next_clockwise(with_flag, taker)
        _reveal(state, rules, chance, journal)


@jit
def _end_round(state, rules, chance, journal):
    """Score the round; then the next one begins, or the game ends."""
    scoring.score_round(state, rules, journal)
    next_round = state.round + 1
    if next_round < rules.rounds:
        state.round = next_round
        state.start_player = state.order[s.FLORENCE, 0]  # (63)
        _begin_round(state, rules, chance, journal)
    else:
        scoring.score_tiles(state, rules, journal)
        state.phase = s.OVER
        state.legal = 0


@jit
def count_legal(state, rules):
    """Return the number of legal actions."""
    return count_bits(state.legal)


@jit
def kth_legal(state, rules, k):
    """Return the k-th legal action (k from 0), in ascending order."""
    return state.first_action + kth_bit(state.legal, k)


@jit
def is_legal(state, rules, action):
    """Return whether `action`, any int64, is legal."""
    bit = action - state.first_action
    return 0 <= bit < 8 and (state.legal >> bit) & 1 == 1


@jit
def score(state, seat):
    """Return the coins of a seat."""
    return state.coins[seat]


@jit
def placing(state, seat):
    """Return (seats placed better, 1): Florence decides every tie, so no place is shared (70)."""
    return scoring.better_seats(state, seat), 1


FORCE_INLINE = (count_legal, kth_legal, is_legal)
