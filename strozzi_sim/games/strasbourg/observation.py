"""The observation tensor: what a seat sees, as float32[OBSERVATION], in the named slices of SLICES."""

from numba import float32, int64

from strozzi_sim.games.slices import Group, Layout, Slice
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

_OF_SEAT = (
    Slice("coins", (), "coins / 20; 0 where unknown", high=4.0),
    Slice("privileges", (), "privileges / 5; 0 where unknown", high=2.0),
    Slice("money_unknown", (), "1 = coins, privileges and goods are hidden from the observer"),
    Slice("prestige", (), "prestige of the council phases / 30", high=1.5),
    Slice("members", (), "members in the city / 15"),
    Slice("chapels", (), "own members at chapels, once for each, / 10", high=2.0),
    Slice("edifices", (), "points for own members at edifices / 20", high=5.0),
    Slice("deck_size", (), "cards in the deck, those under it included, / 24"),
    Slice("stack_count", (), "face-down stacks / 8", high=3.0),
    Slice("cards_in_stacks", (), "cards in them / 10", high=2.4),
    Slice("bid", (), "sum of the stack turned over in this step / 20; 0 = none", high=4.2),
    Slice("has_bid", (), "1 = a stack was turned over in this step"),
    Slice("undecided", (), "1 = has not decided in this auction"),
    Slice("planned", (), "1 = has planned this round"),
    Slice("exists", (), "1 = somebody sits there"),
    Slice("under", (MAX_VALUE,), "cards under the deck by value / 4"),
    Slice("lost", (MAX_VALUE,), "cards turned over that have left the game, by value, / 4"),
    Slice("shown", (MAX_VALUE,), "cards turned over this round by value / 4"),
    Slice("goods", (MAX_GUILDS,), "goods by guild / 5; 0 where unknown"),
    Slice("members_by_guild", (MAX_GUILDS,), "members in the city by guild / 5"),
    Slice("chairs", (MAX_CHAIRS,), "1 = own member in the council: nobility, church, merchants, then the guilds'"),
)
SLICES = Layout(
    Slice("phase", (OVER,), "one-hot: what is decided, in the order of the phases; all 0 = the game is over"),
    Slice("step", (len(STEPS),), "one-hot: the step of the round, A to I; all 0 = the game is over"),
    Slice("players", (SEATS + 1,), "one-hot: the number of players"),
    Slice("rounds_played", (), "rounds played / rounds"),
    Slice("chapels_left", (), "chapels in the pool / 5"),
    Slice("edifice_points", (), "points of this round's edifice / 6"),
    Slice("start_player", (SEATS,), "one-hot: 0 = the observer, then clockwise"),
    Slice("actor", (SEATS,), "one-hot, counted likewise; all 0 = the game is over"),
    Slice("guild", (MAX_GUILDS,), "one-hot: the guild in question; all 0 = none"),
    Slice("guilds_now", (3, MAX_GUILDS), "one-hot for each of the steps B, D, F of this round: its guild"),
    Slice("guilds_later", (MAX_GUILDS,), "times that the guild comes up in later rounds / 3"),
    Group("seats", (SEATS,), "for each seat, 0 = the observer, then clockwise; 0 where nobody sits", _OF_SEAT),
    Slice("deck", (MAX_VALUE,), "own cards left of the first shuffle by value / 4"),
    Slice("hand", (MAX_VALUE,), "own cards drawn and on no stack yet, by value / 4"),
    Slice("pile", (MAX_VALUE,), "own stack under construction by value / 4"),
    Slice("last_card", (), "the card last put on it / 6; 0 = none"),
    Slice(
        "stacks", (MAX_STACKS,), "sum of each own stack / 20, in the order of the actions; 0 = used or none", high=4.2
    ),
    Slice("dealt", (MAX_TASKS,), "for each task of the components: 1 = dealt to the observer"),
    Slice("kept", (MAX_TASKS,), "likewise: 1 = kept"),
    Slice("fulfilled", (MAX_TASKS,), "likewise: 1 = dealt, and fulfilled as things stand"),
    Slice("members", (SEATS, MAX_CELLS), "for each seat and city space: 1 = a member of that seat stands there"),
    Slice("empty", (MAX_CELLS,), "for each city space: 1 = empty"),
    Slice("prices", (MAX_CELLS,), "for each empty city space: its price / 5"),
    Slice("chapels", (MAX_CHAPEL_SITES,), "for each chapel site: 1 = a chapel stands there"),
    Slice("edifices", (MAX_SITES,), "for each building site: points of the edifice there / 6; 0 = none"),
)
OBSERVATION = SLICES.size
# Where they begin, for the kernels; of fields those of seat 0, and from one seat to the next:
(
    _PHASE, _STEP, _PLAYERS, _ROUNDS_PLAYED, _CHAPELS_LEFT, _EDIFICE_POINTS, _START_PLAYER, _ACTOR, _GUILD, _GUILDS_NOW,
    _GUILDS_LATER, _, _DECK, _HAND, _PILE, _LAST_CARD, _STACKS, _DEALT, _KEPT, _FULFILLED, _MEMBERS, _EMPTY, _PRICES, _CHAPELS,
    _EDIFICES,
) = (part.start for part in SLICES.parts)  # fmt: skip
(
    _COINS, _PRIVILEGES, _MONEY_UNKNOWN, _PRESTIGE, _MEMBERS_OF, _CHAPELS_OF, _EDIFICES_OF, _DECK_SIZE, _STACK_COUNT,
    _CARDS_IN_STACKS, _BID, _HAS_BID, _UNDECIDED, _PLANNED, _EXISTS, _UNDER, _LOST, _SHOWN, _GOODS, _MEMBERS_BY_GUILD, _CHAIRS,
) = (field.start for field in SLICES.fields("seats"))  # fmt: skip
_NEXT_SEAT = SLICES["seats"].shape[-1]


@jit
def observe(state, rules, seat, out):
    """Write what `seat` sees into float32 out[OBSERVATION], by SLICES; `state` is as `conceal` leaves it."""
    for k in range(OBSERVATION):
        out[k] = 0
    players, step, phase = state.players, state.step, state.phase
    if phase < OVER:
        out[_PHASE + phase] = 1
        out[_STEP + step] = 1
        out[_ACTOR + (state.actor - seat + players) % players] = 1
        out[_EDIFICE_POINTS] = float32(rules.edifice_points[state.round_edifice[state.round]]) / float32(6)
    out[_PLAYERS + players] = 1
    out[_ROUNDS_PLAYED] = float32(state.round) / float32(rules.rounds)
    out[_CHAPELS_LEFT] = float32(state.chapels) / float32(5)
    out[_START_PLAYER + (state.start_player - seat + players) % players] = 1
    if state.guild != NOBODY:
        out[_GUILD + state.guild] = 1
    for number in range(state.round, rules.rounds):
        for k in range(3):
            guild = rules.card_guild[state.round_card[number], k]
            if number == state.round:
                out[_GUILDS_NOW + k * MAX_GUILDS + guild] = 1
            else:
                out[_GUILDS_LATER + guild] += 1
    for guild in range(rules.guilds):
        out[_GUILDS_LATER + guild] /= float32(3)
    for k in range(players):
        other = (seat + k) % players
        _observe_seat(state, rules, other, out, k * _NEXT_SEAT)
        _write_set(state.members[other], MAX_CELLS, out, _MEMBERS + k * MAX_CELLS)
    _observe_own(state, rules, seat, out)
    _write_set(state.empty, MAX_CELLS, out, _EMPTY)
    for cell in range(MAX_CELLS):
        out[_PRICES + cell] = out[_EMPTY + cell] * float32(rules.price[cell]) / float32(5)
    _write_set(~state.free_chapel_sites & ((int64(1) << rules.chapel_sites) - 1), MAX_CHAPEL_SITES, out, _CHAPELS)
    for edifice in range(rules.edifices):
        if state.edifice_site[edifice] != NO_SITE:
            out[_EDIFICES + state.edifice_site[edifice]] = float32(rules.edifice_points[edifice]) / float32(6)


@jit
def _observe_seat(state, rules, other, out, there):
    if state.coins[other] == UNKNOWN_COINS:
        out[_MONEY_UNKNOWN + there] = 1
    else:
        out[_COINS + there] = float32(state.coins[other]) / float32(20)
        out[_PRIVILEGES + there] = float32(state.privileges[other]) / float32(5)
    out[_PRESTIGE + there] = float32(state.prestige[other]) / float32(30)
    out[_MEMBERS_OF + there] = float32(count_bits(state.members[other])) / float32(15)
    out[_CHAPELS_OF + there] = float32(chapel_neighbours(state, rules, other)) / float32(10)
    out[_EDIFICES_OF + there] = float32(edifice_points(state, rules, other)) / float32(20)
    out[_DECK_SIZE + there] = float32(cards_left(state, other)) / float32(24)
    unused, stacks, cards = state.unused[other], 0, int64(0)
    for k in range(state.stack_count[other]):
        if (unused >> k) & 1:
            stack = state.stacks[other, k]
            stacks += 1
            cards += stack - UNKNOWN_STACK if stack & UNKNOWN_STACK else count_cards(stack)
    out[_STACK_COUNT + there] = float32(stacks) / float32(8)
    out[_CARDS_IN_STACKS + there] = float32(cards) / float32(10)
    bid = state.bid[other]
    out[_BID + there] = float32(add_values(bid)) / float32(20)
    out[_HAS_BID + there] = float32(bid != 0)
    out[_UNDECIDED + there] = float32((state.undecided >> other) & 1)
    out[_PLANNED + there] = float32((state.planned >> other) & 1)
    out[_EXISTS + there] = 1
    for k in range(state.under_taken[other], state.under_left[other]):
        out[_UNDER + there + state.under[other, k] - 1] += float32(1) / float32(4)
    _write_bag(state.lost[other], out, _LOST + there)
    _write_bag(state.shown[other], out, _SHOWN + there)
    for guild in range(rules.guilds):
        if state.coins[other] != UNKNOWN_COINS:
            out[_GOODS + there + guild] = float32(state.goods[other, guild]) / float32(5)
        members = count_bits(state.members[other] & rules.guild_spaces[guild])
        out[_MEMBERS_BY_GUILD + there + guild] = float32(members) / float32(5)
    for chair in range(GUILD_SEAT + rules.guilds):
        out[_CHAIRS + there + chair] = float32(state.council[chair] == other)


@jit
def _observe_own(state, rules, seat, out):
    _write_bag(state.deck[seat], out, _DECK)
    if state.actor == seat:
        _write_bag(state.hand, out, _HAND)
        if state.last_value != 0:
            _write_bag(state.stacks[seat, state.stack_count[seat]], out, _PILE)
            out[_LAST_CARD] = float32(state.last_value) / float32(MAX_VALUE)
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
