"""The observation tensor: what a seat sees, as float32[OBSERVATION], in the named blocks of BLOCKS.

Seats are relative: k = 0 is the observing seat, k = 1 sits on its left; what does not exist, or is unknown, is zero.
"""

from itertools import accumulate

from numba import float32, int64

from strozzi_sim.games.strasbourg.asking import cards_left
from strozzi_sim.games.strasbourg.cards import add_values, count_cards, count_value
from strozzi_sim.games.strasbourg.scoring import chapel_neighbours, edifice_points, is_fulfilled
from strozzi_sim.games.strasbourg.state import (
    GUILD_SEAT,
    MAX_CELLS,
    MAX_CHAIRS,
    MAX_CHAPEL_SITES,
    MAX_GUILDS,
    MAX_SITES,
    MAX_STACKS,
    MAX_TASKS,
    MAX_VALUE,
    NO_SITE,
    NOBODY,
    OVER,
    SEATS,
    STEPS,
    UNKNOWN_COINS,
    UNKNOWN_STACK,
)
from strozzi_sim.kernel.bits import count_bits
from strozzi_sim.kernel.jit import force_inline, jit

PER_SEAT = 15 + 3 * MAX_VALUE + 2 * MAX_GUILDS + MAX_CHAIRS  # see `seats`
BLOCKS = (  # name, length, meaning
    ("phase", OVER, "what is decided, one-hot"),
    ("step", len(STEPS), "step of the round, one-hot"),
    ("players", SEATS + 1, "number of players, one-hot"),
    ("progress", 3, "rounds played / rounds; chapels left / 5; points of this round's edifice / 6"),
    ("start_player", SEATS, "[k] one-hot"),
    ("actor", SEATS, "[k] one-hot"),
    ("guild", MAX_GUILDS, "guild in question, one-hot"),
    ("guilds_now", 3 * MAX_GUILDS, "[step B D F, guild] of this round, one-hot"),
    ("guilds_later", MAX_GUILDS, "times that the guild comes up in later rounds / 3"),
    ("seats", SEATS * PER_SEAT, "[k, ...] for each seat: coins / 20, privileges / 5, money unknown, prestige / 30, members in the city / "
     "15, points of chapels / 10, of edifices / 20, cards in the deck / 24, stacks / 8, cards in them / 10, bid / 20, has bid, has not "
     "decided, has planned, seat exists; cards under the deck, lost, turned over this round by value, / 4; goods by guild / 5; "
     "members by guild / 5; chairs of the council"),
    ("deck", MAX_VALUE, "own cards left of the first shuffle by value / 4"),
    ("hand", MAX_VALUE, "own cards in hand by value / 4"),
    ("building", MAX_VALUE + 1, "own stack under construction by value / 4; the card last put there / 6"),
    ("stacks", MAX_STACKS, "[k] sum of the own stack k / 20"),
    ("dealt", MAX_TASKS, "tasks dealt to the own seat"),
    ("kept", MAX_TASKS, "tasks kept by it"),
    ("fulfilled", MAX_TASKS, "tasks dealt that it has fulfilled as things stand"),
    ("members", SEATS * MAX_CELLS, "[k, cell] members in the city"),
    ("empty", MAX_CELLS, "empty city spaces"),
    ("price", MAX_CELLS, "prices of empty city spaces / 5"),
    ("chapels", MAX_CHAPEL_SITES, "chapels built"),
    ("edifices", MAX_SITES, "points of the edifice on the building site / 6"),
)  # fmt: skip
_FIRST = dict(zip((name for name, *_ in BLOCKS), accumulate((size for _, size, _ in BLOCKS), initial=0), strict=False))
OBSERVATION = sum(size for _, size, _ in BLOCKS)

_PHASE, _STEP, _PLAYERS, _PROGRESS = (_FIRST[name] for name in ("phase", "step", "players", "progress"))
_START_PLAYER, _ACTOR, _GUILD = (_FIRST[name] for name in ("start_player", "actor", "guild"))
_GUILDS_NOW, _GUILDS_LATER, _SEATS = (_FIRST[name] for name in ("guilds_now", "guilds_later", "seats"))
_DECK, _HAND, _BUILDING, _STACKS = (_FIRST[name] for name in ("deck", "hand", "building", "stacks"))
_DEALT, _KEPT, _FULFILLED = (_FIRST[name] for name in ("dealt", "kept", "fulfilled"))
_MEMBERS, _EMPTY, _PRICE = (_FIRST[name] for name in ("members", "empty", "price"))
_CHAPELS, _EDIFICES = _FIRST["chapels"], _FIRST["edifices"]


@jit
def observe(state, rules, seat, out):
    """Write what `seat` sees into float32 out[OBSERVATION]; `state` is as `conceal` leaves it."""
    for k in range(OBSERVATION):
        out[k] = 0
    players, step, phase = state.players, state.step, state.phase
    if phase < OVER:
        out[_PHASE + phase] = 1
        out[_STEP + step] = 1
        out[_ACTOR + (state.actor - seat + players) % players] = 1
        out[_PROGRESS + 2] = float32(rules.edifice_points[state.round_edifice[state.round]]) / float32(6)
    out[_PLAYERS + players] = 1
    out[_PROGRESS] = float32(state.round) / float32(rules.rounds)
    out[_PROGRESS + 1] = float32(state.chapels) / float32(5)
    out[_START_PLAYER + (state.start_player - seat + players) % players] = 1
    if state.guild != NOBODY:
        out[_GUILD + state.guild] = 1
    for number in range(state.round, rules.rounds):
        for k in range(3):
            guild = rules.card_guild[state.round_card[number], k]
            if number == state.round:
                out[_GUILDS_NOW + k * MAX_GUILDS + guild] = 1
            else:
                out[_GUILDS_LATER + guild] += float32(1) / float32(3)
    for k in range(players):
        other = (seat + k) % players
        _observe_seat(state, rules, other, seat, out, _SEATS + k * PER_SEAT)
        _write_set(state.members[other], MAX_CELLS, out, _MEMBERS + k * MAX_CELLS)
    _observe_own(state, rules, seat, out)
    _write_set(state.empty, MAX_CELLS, out, _EMPTY)
    for cell in range(MAX_CELLS):
        out[_PRICE + cell] = out[_EMPTY + cell] * float32(rules.price[cell]) / float32(5)
    _write_set(~state.free_chapel_sites & ((int64(1) << rules.chapel_sites) - 1), MAX_CHAPEL_SITES, out, _CHAPELS)
    for edifice in range(rules.edifices):
        if state.edifice_site[edifice] != NO_SITE:
            out[_EDIFICES + state.edifice_site[edifice]] = float32(rules.edifice_points[edifice]) / float32(6)


@jit
def _observe_seat(state, rules, other, seat, out, first):
    if state.coins[other] == UNKNOWN_COINS:
        out[first + 2] = 1
    else:
        out[first] = float32(state.coins[other]) / float32(20)
        out[first + 1] = float32(state.privileges[other]) / float32(5)
    out[first + 3] = float32(state.prestige[other]) / float32(30)
    out[first + 4] = float32(count_bits(state.members[other])) / float32(15)
    out[first + 5] = float32(chapel_neighbours(state, rules, other)) / float32(10)
    out[first + 6] = float32(edifice_points(state, rules, other)) / float32(20)
    out[first + 7] = float32(cards_left(state, other)) / float32(24)
    unused, stacks, cards = state.unused[other], 0, int64(0)
    for k in range(state.stack_count[other]):
        if (unused >> k) & 1:
            stack = state.stacks[other, k]
            stacks += 1
            cards += stack - UNKNOWN_STACK if stack & UNKNOWN_STACK else count_cards(stack)
    out[first + 8] = float32(stacks) / float32(8)
    out[first + 9] = float32(cards) / float32(10)
    bid = state.bid[other]
    out[first + 10] = float32(add_values(bid)) / float32(20)
    out[first + 11] = float32(bid != 0)
    out[first + 12] = float32((state.undecided >> other) & 1)
    out[first + 13] = float32((state.planned >> other) & 1)
    out[first + 14] = 1
    first += 15
    for k in range(state.under_taken[other], state.under_left[other]):
        out[first + state.under[other, k] - 1] += float32(1) / float32(4)
    _write_bag(state.lost[other], out, first + MAX_VALUE)
    _write_bag(state.shown[other], out, first + 2 * MAX_VALUE)
    first += 3 * MAX_VALUE
    for guild in range(rules.guilds):
        if state.coins[other] != UNKNOWN_COINS:
            out[first + guild] = float32(state.goods[other, guild]) / float32(5)
        members = count_bits(state.members[other] & rules.guild_spaces[guild])
        out[first + MAX_GUILDS + guild] = float32(members) / float32(5)
    for chair in range(GUILD_SEAT + rules.guilds):
        out[first + 2 * MAX_GUILDS + chair] = float32(state.council[chair] == other)


@jit
def _observe_own(state, rules, seat, out):
    _write_bag(state.deck[seat], out, _DECK)
    if state.actor == seat:
        _write_bag(state.hand, out, _HAND)
        if state.last_value != 0:
            _write_bag(state.stacks[seat, state.stack_count[seat]], out, _BUILDING)
            out[_BUILDING + MAX_VALUE] = float32(state.last_value) / float32(MAX_VALUE)
    for k in range(state.stack_count[seat]):
        out[_STACKS + k] = float32(add_values(state.stacks[seat, k])) / float32(20)
    _write_set(state.dealt[seat], MAX_TASKS, out, _DEALT)
    _write_set(state.kept[seat], MAX_TASKS, out, _KEPT)
    for task in range(rules.tasks):
        if (state.dealt[seat] >> task) & 1:
            out[_FULFILLED + task] = float32(is_fulfilled(state, rules, seat, task))


@force_inline
def _write_bag(bag, out, first):
    for value in range(1, MAX_VALUE + 1):
        out[first + value - 1] = float32(count_value(bag, value)) / float32(4)


@force_inline
def _write_set(members, size, out, first):
    for k in range(size):
        out[first + k] = float32((members >> k) & 1)
