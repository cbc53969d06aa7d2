"""A seat's knowledge: `conceal` removes all else, `determinize` samples it, `seen_action` is what a seat learns.

A seat does not know the tasks of others; the contents of others' shuffled decks, and the order of its own, which no
state has; the cards in others' stacks, and their order and numbers, which rank them by content (A67); and, until all
have planned (with `planning` sequential: until that seat has), others' actions in this planning phase (A8). With
`hide_money` it does not know others' coins, goods and privileges either (A33). At the end it knows these and the tasks
kept. Restrictions of all seats are in the rules; others' `voids` are secret, since they depend on the tasks dealt.

While planning, a seat's knowledge is a state in which no seat whose plan is secret has planned yet: in a search each
plans in its turn by its policy. So until then nothing is assumed about how many cards rivals draw and how they divide
them. Afterwards the prior of `determinize` is: the sizes of stacks, when a rival stopped drawing, and the choice of the
stack turned over are independent of the cards.
- A rival's unseen cards are dealt uniformly to all hidden places: the deck, face-down stacks, stacks discarded unseen.
- A card that was returned under a deck and drawn again is known to be in the stacks of the round in which it was drawn.
  If it was not turned over, it is dealt first, uniformly to the hidden places in them; if a card of its value was, it
  counts as that one.
- Tasks: a uniform deal of those that the seat was not dealt, then a uniform one of the legal choices among them.
- Hidden money: a seat assumes that others have as much as itself, or more if the actor's decision shows it.
`rival_model.py` replaces the choices of tasks, draws and stacks by those of an agent.
"""

from numba import int64, uint64

from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.cards import count_cards, count_value, kth_card, kth_member, one_card, select_members
from strozzi_sim.games.strasbourg.legal_actions import cards_left, keep_choices, legal_set, placements
from strozzi_sim.games.strasbourg.planning import clear_stacks, finish_stacks, take_card
from strozzi_sim.kernel.bits import count_bits, lowest_bit
from strozzi_sim.kernel.jit import inline_source, jit
from strozzi_sim.kernel.streams import mix, randbelow

# Results of `seen_action` beyond the numbers of actions:
_TURN = s.ACTIONS  # the viewer's turn to plan
_TURNED_OVER = s.ACTIONS + 1  # + bag: a stack that a rival has turned over; below 2^31
_SIZES = 1 << 40  # + a hash of the sizes of all stacks


@inline_source
def is_planning(state):
    """Return whether a seat is planning."""
    return state.phase == s.DRAW or state.phase == s.SPLIT


@jit
def conceal(state, rules, seat):
    """Reduce a state, in place, to what `seat` knows."""
    over = state.phase == s.OVER
    if is_planning(state):
        _hide_plans(state, rules, seat)
    if state.actor != seat:
        state.legal = 0
    for other in range(state.players):
        if other == seat:
            continue
        state.deck[other] = 0
        state.dealt[other] = 0
        state.voids[other] = 0
        hide_stacks(state, other)
        if not over:  # at the end the tasks kept and the money are public
            state.kept[other] = 0
            if rules.hide_money:
                state.coins[other] = s.UNKNOWN_COINS
                state.privileges[other] = s.UNKNOWN_AMOUNT
                for guild in range(rules.guilds):
                    state.goods[other, guild] = s.UNKNOWN_AMOUNT


@inline_source
def _insert_stack(state, seat, count, stack):
    """Insert a stack among the first `count` ones of a seat, greatest first, of which the next place is free."""
    k = int64(count)
    while k > 0 and state.stacks[seat, k - 1] < stack:
        state.stacks[seat, k] = state.stacks[seat, k - 1]
        k -= 1
    state.stacks[seat, k] = stack


@jit
def hide_stacks(state, seat):
    """Reduce a seat's stacks to the sizes of the unused ones, greatest first."""
    unused, hidden = state.unused[seat], 0
    state.unused[seat] = (int64(1) << count_bits(unused)) - 1
    while unused != 0:
        k = lowest_bit(unused)
        unused &= unused - 1
        stack = state.stacks[seat, k]
        state.stacks[seat, k] = 0
        unknown = stack if stack & s.UNKNOWN_STACK else s.UNKNOWN_STACK + count_cards(stack)
        _insert_stack(state, seat, hidden, unknown)
        hidden += 1
    state.stack_count[seat] = hidden
    state.repeated[seat] = 0


@jit
def _hide_plans(state, rules, seat):
    """Undo the plans of others, except those already public (`planning` sequential)."""
    public = state.planned if rules.sequential else state.planned & (1 << seat)
    for other in range(state.players):
        if other != seat and not (public >> other) & 1:
            state.deck_left[other] += state.drawn[other] - state.under_taken[other]
            state.under_taken[other] = 0
            state.drawn[other] = 0
            clear_stacks(state, other)
    state.planned = public
    if state.actor == seat:
        return
    state.hand = 0
    state.last_value = 0
    state.phase = s.DRAW
    players, other = state.players, state.start_player
    for _ in range(players):  # the next with a choice, as far as `seat` knows; who draws one card has nothing to divide
        most = min(cards_left(state, other), rules.most_drawn[other])
        if other != seat and not (public >> other) & 1 and most > rules.min_draw:
            state.actor = other
            return
        other = other + 1 if other + 1 < players else int64(0)


@jit
def determinize(state, rules, seat, rng):
    """Sample, in place, the cards, tasks and money that a concealed state lacks, from the prior above."""
    players, over = state.players, state.phase == s.OVER
    unseen = ((int64(1) << rules.tasks) - 1) & ~state.dealt[seat]
    undealt = rules.tasks - rules.dealt
    for other in range(players):
        if other == seat:
            continue
        deal_cards(state, rules, other, rng)
        if over:
            continue
        dealt = int64(0)
        for _ in range(rules.dealt):
            dealt |= int64(1) << kth_member(unseen & ~dealt, randbelow(rng, undealt))
            undealt -= 1
        unseen &= ~dealt
        state.dealt[other] = dealt
        if state.phase != s.KEEP or other < state.actor:
            choices = keep_choices(state, rules, other)
            choice = kth_member(choices, randbelow(rng, count_bits(choices)))
            state.kept[other] = select_members(dealt, choice)
        if rules.hide_money:
            state.coins[other] = state.coins[seat]
            state.privileges[other] = state.privileges[seat]
            for guild in range(rules.guilds):
                state.goods[other, guild] = state.goods[seat, guild]
    actor = state.actor
    if actor != seat and not over:
        _begin_turn(state, rules, actor, rng)
        state.legal = legal_set(state, rules)


@jit
def _begin_turn(state, rules, seat, rng):
    """Give a rival the cards, coins or goods that its pending decision requires."""
    if is_planning(state):
        for _ in range(rules.min_draw):
            deck_left = state.deck_left[seat]
            k = randbelow(rng, deck_left) if deck_left > 0 else int64(0)
            state.hand += one_card(take_card(state, seat, k))
    elif state.phase == s.PLACE and rules.hide_money:
        while placements(state, rules, seat, state.guild) == 0:
            state.coins[seat] += 1
    elif state.phase == s.SELL and rules.hide_money:
        state.goods[seat, state.guild] = max(state.goods[seat, state.guild], 1)


@jit
def unseen_cards(state, rules, seat):
    """Return the bag of a seat's cards whose place is hidden: in the deck, in hidden stacks, or discarded unseen."""
    bag = rules.all_cards - state.lost[seat] - state.bid[seat]
    for k in range(state.under_left[seat]):
        bag -= one_card(state.under[seat, k])
    return bag


@jit
def deal_cards(state, rules, seat, rng):
    """Deal a rival's unseen cards to its face-down stacks and its deck; the others were discarded unseen."""
    unplaced, certain = unseen_cards(state, rules, seat), int64(0)
    public, shown = state.known[seat], state.shown[seat]
    if public != 0:
        for value in range(1, s.MAX_VALUE + 1):
            certain += max(count_value(public, value) - count_value(shown, value), 0) * one_card(value)
        unplaced -= certain
    count, places = state.stack_count[seat], int64(0)
    for k in range(count):
        places += state.stacks[seat, k] & (s.UNKNOWN_STACK - 1)
    for k in range(count):
        stack = int64(0)
        for _ in range(state.stacks[seat, k] & (s.UNKNOWN_STACK - 1)):
            certain_left = count_cards(certain)
            if certain_left > 0 and randbelow(rng, places) < certain_left:
                card = one_card(kth_card(certain, randbelow(rng, certain_left)))
                certain -= card
            else:
                card = one_card(kth_card(unplaced, randbelow(rng, count_cards(unplaced))))
                unplaced -= card
            stack += card
            places -= 1
        _insert_stack(state, seat, k, stack)
    finish_stacks(state, seat)
    for cards in range(count_cards(unplaced), state.deck_left[seat], -1):
        unplaced -= one_card(kth_card(unplaced, randbelow(rng, cards)))
    state.deck[seat] = unplaced


@jit
def seen_action(before, after, rules, action, viewer):
    """Return what `viewer` learns from a step.

    That is the action if it is public or the viewer's own; of a stack turned over its cards; of a plan that becomes
    public the sizes of all stacks; of a secret action that leads to the viewer's turn to plan, that turn; else 0.
    """
    seat, phase = before.actor, before.phase
    if viewer == seat:
        return action
    if phase == s.KEEP:
        return int64(0)
    if phase == s.BID and action >= s.REVEAL:
        return _TURNED_OVER + before.stacks[seat, action - s.REVEAL]
    if not is_planning(before):
        return action
    planned = before.planned ^ after.planned
    if not is_planning(after) or after.round != before.round or (rules.sequential and planned):
        return _hash_sizes(after)
    planned_without_choice = (planned >> viewer) & 1
    return int64(_TURN) if after.actor == viewer or planned_without_choice else int64(0)


@jit
def _hash_sizes(state):
    word = uint64(0)
    for seat in range(state.players):
        for k in range(state.stack_count[seat]):
            word += mix(uint64(seat * 64 + count_cards(state.stacks[seat, k])))
        word = mix(word + uint64(seat))
    return _SIZES + int64(word >> uint64(2))  # below 2^63
