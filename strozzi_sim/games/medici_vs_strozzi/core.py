"""Medici vs Strozzi's kernels: deal, legal actions, apply.

`apply` requires a legal action and runs on to the next seat with a choice. It plays forced actions itself: the first
tile, the stop at the limit, the refusal of a seat that may not buy, the discard of a lot that may not be loaded.
Numbers in parentheses are items of the rules' ambiguity list (docs/rules/medici_vs_strozzi.md).
"""

from numba import int64

from strozzi_sim.games.medici_vs_strozzi import events as e
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.scoring import score_round
from strozzi_sim.kernel.bits import count_bits, lowest_bit
from strozzi_sim.kernel.jit import force_inline, inline_source, jit
from strozzi_sim.kernel.journal import write_event
from strozzi_sim.kernel.streams import draw, reset_source

_BOTH = 0b11  # `legal` of a phase with two actions, both legal


@jit
def deal(state, rules, players, start_player, chance, journal):
    """Set up the game and show the first tile; `chance` must be seeded, `start_player` leads round 1."""
    state.players = players
    state.round = 0
    state.start_player = start_player
    for harbor in range(s.MAX_HARBORS):
        for kind in range(s.MAX_TYPES):
            state.position[harbor, kind] = 0
    for seat in range(s.SEATS):
        state.cash[seat] = rules.start_cash
    _begin_round(state, rules, chance, journal)


@jit
def _begin_round(state, rules, chance, journal):
    """Empty all ships, return all tiles to the bag (31, 46, 52), and let the start player show the first tile.

    Resetting whole arrays is faster than a part.
    """
    berths = (1 << rules.harbors) - 1
    room = 0
    for ship in range(s.MAX_SHIPS):
        room = max(room, rules.capacity[ship])
    for seat in range(s.SEATS):
        state.room[seat] = room
        state.loaded[seat] = 0
        state.moored[seat] = 0
        state.berths[seat] = berths
        for ship in range(s.MAX_SHIPS):
            state.free[seat, ship] = rules.capacity[ship]
            state.harbor[seat, ship] = s.NO_HARBOR
        for harbor in range(s.MAX_HARBORS):
            state.value[seat, harbor] = 0
            for kind in range(s.MAX_TYPES):
                state.steps[seat, harbor, kind] = 0
    for tile in range(s.MAX_TILES):
        state.unseen_tile[tile] = tile
        state.location[tile] = s.IN_BAG
    state.unseen = rules.tiles
    reset_source(chance, state.round)
    start_player = state.start_player
    write_event(journal, e.ROUND, state.round, start_player, 0, 0, 0)
    _begin_turn(state, rules, start_player, chance, journal)


@force_inline
def _begin_turn(state, rules, proposer, chance, journal):
    """Let the proposer show one tile (1)."""
    state.proposer = proposer
    state.shown = 0
    _show(state, rules, proposer, chance, journal)


@force_inline
def _show(state, rules, proposer, chance, journal):
    """Show a tile; then the proposer decides on another one or, at the limit, on the price (2, 3, 6)."""
    unseen = state.unseen
    k = draw(chance, state.round, unseen)
    tile = state.unseen_tile[k]
    unseen -= 1
    state.unseen_tile[k] = state.unseen_tile[unseen]
    state.unseen = unseen
    shown = state.shown
    state.lot[shown] = tile
    state.location[tile] = s.IN_LOT
    shown += 1
    state.shown = shown
    write_event(journal, e.REVEAL, proposer, tile, shown, unseen, 0)
    if unseen > 0 and shown < rules.most[proposer] and shown < state.room[proposer]:
        _ask(state, s.REVEAL, proposer, s.REVEAL_MORE, _BOTH)
    else:
        _ask_price(state, rules, proposer)


@inline_source
def _ask(state, phase, seat, first_action, legal):
    state.phase = phase
    state.actor = seat
    state.first_action = first_action
    state.legal = legal
    state.choices = count_bits(int64(legal))


@inline_source
def _ask_price(state, rules, proposer):
    state.phase = s.PRICE
    state.actor = proposer
    state.first_action = s.NAME_PRICE
    state.choices = rules.price_cap[proposer] + 1


@jit
def apply(state, rules, action, chance, journal):
    """Play a legal action and run on to the next choice, or to the end of the game."""
    phase = state.phase
    if phase == s.PRICE:
        proposer, price, shown = state.proposer, action - s.NAME_PRICE, state.shown
        state.price = price
        write_event(journal, e.PRICE, proposer, price, shown, 0, 0)
        responder = 1 - proposer
        room = rules.buy_without_room or shown <= state.room[responder]  # (14)
        if room and not rules.no_buy[responder]:
            _ask(state, s.ANSWER, responder, s.BUY, _BOTH)
            return
    elif phase == s.REVEAL and action == s.STOP:
        _ask_price(state, rules, state.proposer)
        return
    _apply_move(state, rules, phase, action, chance, journal)


@jit
def _apply_move(state, rules, phase, action, chance, journal):
    """Apply an action that moves tiles or coins; separate, so that little code is inlined with `apply`."""
    if phase == s.PLACE:
        _place(state, rules, action, chance, journal)
    elif phase == s.REVEAL:
        _show(state, rules, state.proposer, chance, journal)
    else:
        _settle(state, rules, int64(action == s.BUY), int64(phase == s.ANSWER), chance, journal)


@force_inline
def _settle(state, rules, buys, asked, chance, journal):
    """Let the buyer pay the bank (12, 21), then choose a ship, or discard the lot if it cannot be loaded."""
    proposer = state.proposer
    buyer = 1 - proposer if buys else proposer
    state.buyer = buyer
    cash = state.cash[buyer] - state.price
    state.cash[buyer] = cash
    write_event(journal, e.ANSWER, 1 - proposer, buys, asked, cash, 0)
    places = 0 if state.shown > state.room[buyer] else placements(state, rules, buyer)
    if places == 0:
        state.actor = buyer  # at the end of a game it is then as after a discard that was chosen
        _place(state, rules, s.DISCARD, chance, journal)
    else:
        _ask(state, s.PLACE, buyer, s.DISCARD, places << 1 | 1)


@force_inline
def placements(state, rules, seat):
    """Return the places where `seat` may load the lot, a set of ship * MAX_HARBORS + harbor (29, 33, 35)."""
    shown, berths = state.shown, state.berths[seat]
    places = 0
    for ship in range(s.MAX_SHIPS):
        harbor = state.harbor[seat, ship]
        harbors = berths if harbor == s.NO_HARBOR else 1 << harbor
        fits = int64(state.free[seat, ship] >= shown)
        places |= (harbors << (ship * s.MAX_HARBORS)) & -fits  # a branch would be hard to predict
    return places & ~rules.no_place[seat]


@force_inline
def load(state, rules, seat, ship, harbor):
    """Load the lot on a ship at `harbor`, its own; a ship that is not moored is moored there (32)."""
    shown = state.shown
    if state.harbor[seat, ship] == s.NO_HARBOR:
        state.harbor[seat, ship] = harbor
        state.berths[seat] &= ~(1 << harbor)
        state.moored[seat] += 1
    value = state.value[seat, harbor]
    for k in range(shown):
        tile = state.lot[k]
        value += rules.tile_value[tile]
        kind = rules.tile_type[tile]
        if kind != s.GOLD:
            state.steps[seat, harbor, kind] += rules.tile_steps[tile]
        state.location[tile] = seat * s.MAX_SHIPS + ship
    state.value[seat, harbor] = value
    state.free[seat, ship] -= shown
    state.loaded[seat] += shown
    room = 0
    for other in range(s.MAX_SHIPS):
        room = max(room, state.free[seat, other])
    state.room[seat] = room


@force_inline
def _place(state, rules, action, chance, journal):
    """Load or discard the lot; then the round ends, or the buyer takes the next turn (22, 23, 49, 50)."""
    buyer, shown = state.buyer, state.shown
    if action == s.DISCARD:
        for k in range(shown):
            state.location[state.lot[k]] = s.DISCARDED
        write_event(journal, e.DISCARD, buyer, shown, int64(shown <= state.room[buyer]), 0, 0)
    else:
        ship, harbor = (action - s.LOAD) // s.MAX_HARBORS, (action - s.LOAD) % s.MAX_HARBORS
        load(state, rules, buyer, ship, harbor)
        write_event(journal, e.LOAD, buyer, ship, harbor, shown, state.free[buyer, ship])
    if round_ends(state, rules, buyer):
        _end_round(state, rules, chance, journal)
    else:
        _begin_turn(state, rules, buyer, chance, journal)


@force_inline
def fleet_full(rules, moored, loaded):
    """Return whether a fleet with `moored` ships and `loaded` tiles is full, or with `ends_moored` all moored (22)."""
    return moored == rules.ships if rules.ends_moored else loaded == rules.capacity_total


@force_inline
def round_ends(state, rules, buyer):
    """Return whether the round is over after the purchase of `buyer`: `fleet_full` or an empty bag (22, 23)."""
    return fleet_full(rules, state.moored[buyer], state.loaded[buyer]) or state.unseen == 0


@jit
def _end_round(state, rules, chance, journal):
    """Score the round; then the next one begins, or the game ends (53, 55)."""
    state.shown = 0
    score_round(state, rules, journal)
    next_round = state.round + 1
    if next_round < rules.rounds:
        state.round = next_round
        state.start_player = rules.starter[next_round]  # (48)
        _begin_round(state, rules, chance, journal)
    else:
        state.phase = s.OVER
        state.choices = 0
        state.legal = 0
        for seat in range(s.SEATS):
            won = int64(state.cash[seat] >= state.cash[1 - seat])  # an equal amount is a shared win (54)
            write_event(journal, e.END, seat, state.cash[seat], won, 0, 0)


@jit
def count_legal(state, rules):
    """Return the number of legal actions."""
    return state.choices


@jit
def kth_legal(state, rules, k):
    """Return the k-th legal action, in ascending order."""
    first = state.first_action
    if state.phase != s.PLACE:  # the legal actions are consecutive
        return first + k
    legal = state.legal
    for _ in range(k):
        legal &= legal - 1
    return first + lowest_bit(legal)


@jit
def is_legal(state, rules, action):
    """Return whether `action`, any int64, is legal."""
    bit = action - state.first_action
    if state.phase != s.PLACE:
        return 0 <= bit < state.choices
    return 0 <= bit < 32 and (state.legal >> bit) & 1 == 1


@jit
def score(state, seat):
    """Return the coins of a seat, credit deducted (17)."""
    return state.cash[seat]


FORCE_INLINE = (apply, count_legal, kth_legal, is_legal)
