"""The planning phase (R4): each seat draws cards, then divides them into stacks.

Seats plan in turn from the start player on (A62); a seat that has already planned is skipped. Plans are published when
all seats have planned (A8); with the switch `planning` sequential, each plan as soon as it is made. Kernels that return
a stage return the next one of `core.run_on`.
"""

from numba import int64

from strozzi_sim.games.strasbourg import events as e
from strozzi_sim.games.strasbourg.cards import highest_card, kth_card, one_card
from strozzi_sim.games.strasbourg.legal_actions import ASKED, PLANNING, STEPPING, TWO, ask, cards_left, may_draw, splits
from strozzi_sim.games.strasbourg.state import ADD, CARD_SOURCE, CLOSE, DRAW, SPLIT, STOP
from strozzi_sim.kernel.jit import inline_source, jit
from strozzi_sim.kernel.journal import write_event
from strozzi_sim.kernel.streams import draw


@inline_source
def clear_stacks(state, seat):
    """Clear a seat's stacks, including the one under construction."""
    for k in range(min(state.stack_count[seat] + 1, state.stacks.shape[1])):
        state.stacks[seat, k] = 0
    state.stack_count[seat] = 0
    state.unused[seat] = 0
    state.repeated[seat] = 0


@jit
def begin_round(state, rules, journal):
    """Begin a round: reset what seats have drawn, shown and planned."""
    for seat in range(state.players):
        state.drawn[seat] = 0
        state.known[seat] = 0
        state.shown[seat] = 0
    state.planned = 0
    state.with_stacks = 0
    state.step = rules.skip_first_step & int64(state.round == 0)  # (A4)
    write_event(journal, e.ROUND, state.round, state.start_player, 0, 0, 0)
    return PLANNING


@jit
def plan_next(state, rules, chance, journal):
    """Let the next seat plan; after the last one, publish the plans (R4.3) that are not public yet."""
    players, planned, start_player = state.players, state.planned, state.start_player
    for k in range(players):
        seat = start_player + k
        seat = seat - players if seat >= players else seat
        if (planned >> seat) & 1:
            continue
        state.actor = seat
        for _ in range(min(rules.min_draw, cards_left(state, seat))):  # compulsory (A6, A68)
            _draw_card(state, seat, chance, journal)
        if may_draw(state, rules, seat):
            return ask(state, DRAW, seat, int64(TWO))  # STOP, DRAW_CARD
        return continue_splitting(state, rules, seat, journal)
    if not rules.sequential:
        for k in range(players):
            seat = start_player + k
            _publish(state, seat - players if seat >= players else seat, journal)
    return STEPPING


@inline_source
def take_card(state, seat, k):
    """Take the k-th lowest card of a deck (k from 0), or of an empty deck the next card under it; return its value."""
    in_shuffle = state.deck_left[seat]
    if in_shuffle > 0:
        value = kth_card(state.deck[seat], k)
        state.deck[seat] -= one_card(value)
        state.deck_left[seat] = in_shuffle - 1
    else:
        taken = state.under_taken[seat]
        value = state.under[seat, taken]
        state.under_taken[seat] = taken + 1
    state.drawn[seat] += 1
    return value


@jit
def _draw_card(state, seat, chance, journal):
    in_shuffle = state.deck_left[seat]
    k = draw(chance, CARD_SOURCE + seat, in_shuffle) if in_shuffle > 0 else int64(0)
    value = take_card(state, seat, k)
    state.hand += one_card(value)
    write_event(journal, e.DRAWN, seat, value, int64(in_shuffle == 0), 0, 0)


@inline_source
def draw_or_stop(state, rules, action, chance, journal):
    """Draw one more card, or stop; a seat that stops, or may draw no more, begins to divide its cards."""
    seat = state.actor
    if action != STOP:
        _draw_card(state, seat, chance, journal)
        if may_draw(state, rules, seat):
            return ASKED  # state.phase is still DRAW
    return continue_splitting(state, rules, seat, journal)


@inline_source
def split(state, rules, action, journal):
    """Put a card on the stack under construction, or close that stack (F6.4)."""
    seat = state.actor
    if action == CLOSE:
        state.stack_count[seat] += 1
        state.last_value = 0
    else:
        _add_to_stack(state, seat, action - ADD)
    return continue_splitting(state, rules, seat, journal)


@inline_source
def _add_to_stack(state, seat, value):
    card = one_card(value)
    state.stacks[seat, state.stack_count[seat]] += card
    state.hand -= card
    state.last_value = value


@jit
def continue_splitting(state, rules, seat, journal):
    """Continue to the seat's next choice in dividing its cards, or to the end of its plan.

    The highest card left begins a stack.
    """
    while True:
        if state.last_value == 0:  # no stack is begun
            hand = state.hand
            if hand == 0:
                break
            _add_to_stack(state, seat, highest_card(hand))
        legal = splits(state, seat)
        if legal != 1:  # not only CLOSE
            return ask(state, SPLIT, seat, legal)
        state.stack_count[seat] += 1
        state.last_value = 0
    finish_stacks(state, seat)
    state.planned |= 1 << seat
    if rules.sequential:
        _publish(state, seat, journal)
    return PLANNING


@inline_source
def finish_stacks(state, seat):
    """Mark a seat's stacks, which are already sorted, as face down, and each that equals the previous as repeated."""
    count = state.stack_count[seat]
    repeated = int64(0)
    for k in range(1, count):
        repeated |= int64(state.stacks[seat, k] == state.stacks[seat, k - 1]) << k
    state.repeated[seat] = repeated
    state.unused[seat] = (int64(1) << count) - 1


@jit
def _publish(state, seat, journal):
    """Publish a seat's plan: the sizes of its stacks, which reveal the cards it drew from under its deck (A11)."""
    taken = state.under_taken[seat]
    if taken > 0:
        known, remaining = int64(0), state.under_left[seat] - taken
        for k in range(taken):
            known += one_card(state.under[seat, k])
        for k in range(remaining):
            state.under[seat, k] = state.under[seat, k + taken]
        for k in range(remaining, remaining + taken):
            state.under[seat, k] = 0
        state.known[seat] = known
        state.under_left[seat] = remaining
        state.under_taken[seat] = 0
    count = state.stack_count[seat]
    if count > 0:
        state.with_stacks |= 1 << seat
    for k in range(count):
        write_event(journal, e.STACK, seat, state.stacks[seat, k], 0, 0, 0)
    write_event(journal, e.PLAN, seat, count, 0, 0, 0)
