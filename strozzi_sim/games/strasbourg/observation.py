"""The observation tensor of a seat: float32[OBSERVATION], in the named slices of SLICES.

Different concealed states have different observations, except for what does not affect play, such as guilds and
edifices of past rounds, the order of cards drawn from under a deck, the number of own stacks used, and the ranking of
bids in past steps; also, at the end of the game, others' tasks and the final scores.
"""

from numba import float32, int64

from strozzi_sim.game.slices import Group, Layout, Slice
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.cards import count_cards, count_value, one_card, sum_values
from strozzi_sim.games.strasbourg.legal_actions import cards_left
from strozzi_sim.games.strasbourg.scoring import chapel_neighbours, edifice_points, is_fulfilled
from strozzi_sim.kernel.bits import count_bits, lowest_bit, seats_after
from strozzi_sim.kernel.jit import inline_source, jit

_OF_SEAT = (
    Slice("coins", (), "coins / 20; 0 where unknown", high=4.0),
    Slice("privileges", (), "privileges / 5; 0 where unknown", high=2.0),
    Slice("money_unknown", (), "1 = coins, privileges and goods are hidden from the observer"),
    Slice("prestige", (), "prestige of the council phases / 30", high=1.5),
    Slice("members", (), "members in the city / 15"),
    Slice("chapels", (), "the seat's members at chapels, each once per chapel, / 10", high=2.0),
    Slice("edifices", (), "points for the seat's members at edifices / 20", high=5.0),
    Slice("deck_size", (), "cards in the deck, those under it included, / 24"),
    Slice("stack_count", (), "face-down stacks / 8", high=3.0),
    Slice("cards_in_stacks", (), "cards in face-down stacks / 10", high=2.4),
    Slice("bid", (), "sum of the stack turned over in this step / 20; 0 = none, or its cards are gone", high=4.2),
    Slice("has_bid", (), "1 = a stack was turned over in this step, and its cards are not gone"),
    Slice("turn", (), "while bidding: 1 = decides now, 0.8 = next, and so on; 0 = has decided, or no bidding"),
    Slice("rank", (), "after bidding: rank of the bid in this step, 1 = first, 0.8 = second, and so on; 0 = none"),
    Slice("idle", (), "after bidding: 1 = may act in this step, and has not taken or sold anything yet"),
    Slice("planned", (), "1 = has planned this round, as far as the observer knows"),
    Slice("exists", (), "1 = the seat is in the game"),
    Slice("bid_cards", (s.MAX_VALUE,), "cards of the stack turned over in this step by value / 4"),
    Slice("lost", (s.MAX_VALUE,), "cards turned over that have left the game, by value, / 4"),
    Slice("shown", (s.MAX_VALUE,), "cards turned over this round by value / 4"),
    Slice("known", (s.MAX_VALUE,), "public cards drawn this round from under the deck, by value / 4"),
    Slice("under", (s.MAX_CARDS,), "each card under the deck / 6, the next one first; 0 = none"),
    Slice("stack_sizes", (s.MAX_CARDS,), "face-down stacks of 1 card, of 2, and so on, / 4", high=6.0),
    Slice("goods", (s.MAX_GUILDS,), "goods by guild / 5; 0 where unknown"),
    Slice("members_by_guild", (s.MAX_GUILDS,), "members in the city by guild / 5"),
    Slice("chairs", (s.MAX_CHAIRS,), "1 = holds the council seat: nobility, church, merchants, then the guilds'"),
)
SLICES = Layout(
    Slice("phase", (s.OVER,), "one-hot: the decision, in the order of the phases; all 0 = the game is over"),
    Slice("step", (len(s.STEPS),), "one-hot: the step of the round, A to I; all 0 = the game is over"),
    Slice("players", (s.SEATS + 1,), "one-hot: the number of players"),
    Slice("rounds_played", (), "rounds before this one / rounds; at the end, before the last one"),
    Slice("chapels_left", (), "chapels in the pool / 5"),
    Slice("edifice_points", (), "points of this round's edifice / 6"),
    Slice("start_player", (s.SEATS,), "one-hot: 0 = the observer, then clockwise"),
    Slice("actor", (s.SEATS,), "one-hot: 0 = the observer, then clockwise; all 0 = the game is over"),
    Slice("guild", (s.MAX_GUILDS,), "one-hot: the guild in question; all 0 = none"),
    Slice("declined", (), "1 = the actor has left a right unused in this step, or sold nothing so far"),
    Slice("proceeds", (), "while goods are sold: coins received in this step / 20", high=2.5),
    Slice("guilds", (s.MAX_ROUNDS, 3, s.MAX_GUILDS), "one-hot by round (this one first) and step (B, D, F): the guild"),
    Slice("guilds_later", (s.MAX_GUILDS,), "times that the guild comes up in later rounds / 3"),
    Slice("round_edifices", (s.MAX_ROUNDS, s.MAX_EDIFICES), "one-hot by round (this one first): its edifice"),
    Group("seats", (s.SEATS,), "by seat: 0 = the observer, then clockwise; all 0 for seats not in the game", _OF_SEAT),
    Slice("deck", (s.MAX_VALUE,), "own cards left of the first shuffle by value / 4"),
    Slice("hand", (s.MAX_VALUE,), "own cards drawn and not yet on a stack, by value / 4"),
    Slice("pile", (s.MAX_VALUE,), "own stack under construction by value / 4"),
    Slice("last_card", (), "the last card put on that stack / 6; 0 = none"),
    Slice("stacks", (s.MAX_STACKS,), "sum of each own stack / 20, in the order of actions; 0 = used or none", high=4.2),
    Slice("stack_cards", (s.MAX_STACKS, s.MAX_VALUE), "cards of each own stack by value / 4, in the same order"),
    Slice("dealt", (s.MAX_TASKS,), "for each task of the components: 1 = dealt to the observer"),
    Slice("kept", (s.MAX_TASKS,), "for each task: 1 = kept"),
    Slice("fulfilled", (s.MAX_TASKS,), "for each task: 1 = dealt, and fulfilled at present; 0 if unknown"),
    Slice("members", (s.SEATS, s.MAX_CELLS), "by seat (as in `seats`) and city space: 1 = the seat has a member there"),
    Slice("empty", (s.MAX_CELLS,), "for each city space: 1 = empty"),
    Slice("prices", (s.MAX_CELLS,), "for each empty city space: its price / 5"),
    Slice("chapels", (s.MAX_CHAPEL_SITES,), "for each chapel site: 1 = a chapel is there"),
    Slice("edifices", (s.MAX_SITES,), "for each building site: points of the edifice there / 6; 0 = none"),
    Slice("edifice_sites", (s.MAX_EDIFICES,), "for each edifice of the components: its site, from 1, / 16; 0 = none"),
)
OBSERVATION = SLICES.size
# First columns of the slices, and of the fields of the first seat; _NEXT_SEAT is the distance to those of the next.
at, of_seat = SLICES.starts(), SLICES.starts("seats")
_NEXT_SEAT = SLICES["seats"].shape[-1]


@jit
def observe(state, rules, seat, out):
    """Write the observation of `seat` into float32 out[OBSERVATION], by SLICES; `state` must be concealed."""
    for k in range(OBSERVATION):
        out[k] = 0
    players, phase = state.players, state.phase
    if phase < s.OVER:
        out[at.phase + phase] = 1
        out[at.step + state.step] = 1
        out[at.actor + seats_after(seat, state.actor, state.players)] = 1
        out[at.edifice_points] = float32(rules.edifice_points[state.round_edifice[state.round]]) / float32(6)
    out[at.players + players] = 1
    out[at.rounds_played] = float32(state.round) / float32(rules.rounds)
    out[at.chapels_left] = float32(state.chapels) / float32(5)
    out[at.start_player + seats_after(seat, state.start_player, state.players)] = 1
    if state.guild != s.NOBODY:
        out[at.guild + state.guild] = 1
    out[at.declined] = float32(state.declined)
    _observe_rounds(state, rules, out)
    for k in range(players):
        other = seat + k if seat + k < players else seat + k - players
        _observe_seat(state, rules, other, out, k * _NEXT_SEAT)
        _write_set(state.members[other], out, at.members + k * s.MAX_CELLS)
    for chair in range(s.GUILD_SEAT + rules.guilds):
        if state.council[chair] != s.NOBODY:
            out[of_seat.chairs + seats_after(seat, state.council[chair], state.players) * _NEXT_SEAT + chair] = 1
    _observe_auction(state, seat, out)
    _observe_own(state, rules, seat, out)
    empty = state.empty
    while empty != 0:
        cell = lowest_bit(empty)
        empty &= empty - 1
        out[at.empty + cell] = 1
        out[at.prices + cell] = float32(rules.price[cell]) / float32(5)
    _write_set(~state.free_chapel_sites & ((int64(1) << rules.chapel_sites) - 1), out, at.chapels)
    for edifice in range(rules.edifices):
        site = state.edifice_site[edifice]
        if site != s.NO_SITE:
            out[at.edifices + site] = float32(rules.edifice_points[edifice]) / float32(6)
            out[at.edifice_sites + edifice] = float32(site + 1) / float32(s.MAX_SITES)


@jit
def _observe_rounds(state, rules, out):
    for number in range(state.round, rules.rounds):
        rounds_ahead = number - state.round
        out[at.round_edifices + rounds_ahead * s.MAX_EDIFICES + state.round_edifice[number]] = 1
        for k in range(3):
            guild = rules.card_guild[state.round_card[number], k]
            out[at.guilds + (3 * rounds_ahead + k) * s.MAX_GUILDS + guild] = 1
            out[at.guilds_later + guild] += float32(rounds_ahead > 0)
    for guild in range(rules.guilds):
        out[at.guilds_later + guild] /= float32(3)


@jit
def _observe_auction(state, seat, out):
    """Write the order of the seats still to decide; once all have decided, the ranks; in a sale, the proceeds."""
    phase = state.phase
    if phase == s.BID:
        out[of_seat.turn + seats_after(seat, state.actor, state.players) * _NEXT_SEAT] = 1
        queue = state.queue
        for k in range(1, count_bits(state.undecided)):
            offset = seats_after(seat, queue & 15, state.players) * _NEXT_SEAT
            out[of_seat.turn + offset] = float32(s.SEATS - k) / float32(s.SEATS)
            queue >>= 4
    elif s.TAKE_SEAT <= phase <= s.RETURN:
        for rank in range(state.bidders):
            offset = seats_after(seat, state.ranking[rank], state.players) * _NEXT_SEAT
            out[of_seat.rank + offset] = float32(s.SEATS - rank) / float32(s.SEATS)
            out[of_seat.idle + offset] = float32((state.idle >> state.ranking[rank]) & 1)
    if phase == s.SELL:
        out[at.proceeds] = float32(state.proceeds) / float32(20)


@jit
def _observe_seat(state, rules, other, out, offset):
    if state.coins[other] == s.UNKNOWN_COINS:
        out[of_seat.money_unknown + offset] = 1
    else:
        out[of_seat.coins + offset] = float32(state.coins[other]) / float32(20)
        out[of_seat.privileges + offset] = float32(state.privileges[other]) / float32(5)
        for guild in range(rules.guilds):
            out[of_seat.goods + offset + guild] = float32(state.goods[other, guild]) / float32(5)
    members = state.members[other]
    out[of_seat.prestige + offset] = float32(state.prestige[other]) / float32(30)
    out[of_seat.members + offset] = float32(count_bits(members)) / float32(15)
    out[of_seat.chapels + offset] = float32(chapel_neighbours(state, rules, other)) / float32(10)
    out[of_seat.edifices + offset] = float32(edifice_points(state, rules, other)) / float32(20)
    out[of_seat.deck_size + offset] = float32(cards_left(state, other)) / float32(24)
    _observe_stacks(state, other, out, offset)
    bid = state.bid[other]
    out[of_seat.bid + offset] = float32(sum_values(bid)) / float32(20)
    out[of_seat.has_bid + offset] = float32(bid != 0)
    out[of_seat.planned + offset] = float32((state.planned >> other) & 1)
    out[of_seat.exists + offset] = 1
    known, taken = int64(state.known[other]), state.under_taken[other]
    for k in range(taken):  # only by the observer, before its plan is public
        known += one_card(state.under[other, k])
    for k in range(taken, state.under_left[other]):
        out[of_seat.under + offset + k - taken] = float32(state.under[other, k]) / float32(s.MAX_VALUE)
    _write_bag(bid, out, of_seat.bid_cards + offset)
    _write_bag(state.lost[other], out, of_seat.lost + offset)
    _write_bag(state.shown[other], out, of_seat.shown + offset)
    _write_bag(known, out, of_seat.known + offset)
    for guild in range(rules.guilds):
        number = count_bits(members & rules.guild_spaces[guild])
        out[of_seat.members_by_guild + offset + guild] = float32(number) / float32(5)


@inline_source
def _observe_stacks(state, other, out, offset):
    unused, stacks, cards = state.unused[other], 0, int64(0)
    for k in range(state.stack_count[other]):
        if (unused >> k) & 1:
            stack = state.stacks[other, k]
            size = int64(stack - s.UNKNOWN_STACK if stack & s.UNKNOWN_STACK else count_cards(stack))
            stacks += 1
            cards += size
            out[of_seat.stack_sizes + offset + size - 1] += float32(1) / float32(4)
    out[of_seat.stack_count + offset] = float32(stacks) / float32(8)
    out[of_seat.cards_in_stacks + offset] = float32(cards) / float32(10)


@jit
def _observe_own(state, rules, seat, out):
    _write_bag(state.deck[seat], out, at.deck)
    if state.actor == seat:
        _write_bag(state.hand, out, at.hand)
        if state.last_value != 0:
            _write_bag(state.stacks[seat, state.stack_count[seat]], out, at.pile)
            out[at.last_card] = float32(state.last_value) / float32(s.MAX_VALUE)
    for k in range(state.stack_count[seat]):
        stack = state.stacks[seat, k]
        out[at.stacks + k] = float32(sum_values(stack)) / float32(20)
        _write_bag(stack, out, at.stack_cards + k * s.MAX_VALUE)
    _write_set(state.dealt[seat], out, at.dealt)
    _write_set(state.kept[seat], out, at.kept)
    dealt = state.dealt[seat]
    while dealt != 0:
        task = lowest_bit(dealt)
        dealt &= dealt - 1
        out[at.fulfilled + task] = float32(is_fulfilled(state, rules, seat, task))


@inline_source
def _write_bag(bag, out, first):
    if bag != 0:
        for value in range(1, s.MAX_VALUE + 1):
            out[first + value - 1] = float32(count_value(bag, value)) / float32(4)


@inline_source
def _write_set(members, out, first):
    while members != 0:
        out[first + lowest_bit(members)] = 1
        members &= members - 1
