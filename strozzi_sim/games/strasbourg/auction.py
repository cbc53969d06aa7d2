"""Auctions of steps A to G (R5): bids in queue order, ranks, and the cards returned under a deck."""

from numba import int64

from strozzi_sim.games.strasbourg import events as e
from strozzi_sim.games.strasbourg.cards import one_card, sum_values, values_in
from strozzi_sim.games.strasbourg.legal_actions import ACTING, BIDDING, RETURNING, STEPPING, ask, bids
from strozzi_sim.games.strasbourg.state import BID, DEFER, NOBODY, PASS, RETURN, RETURN_CARD, REVEAL, STEP_A
from strozzi_sim.kernel.bits import count_bits, lowest_bit
from strozzi_sim.kernel.jit import inline_source, jit
from strozzi_sim.kernel.journal import write_event


@inline_source
def guild_of_step(state, rules):
    """Return the guild of the current auction, NOBODY in steps A, C, E and G."""
    step = state.step
    return rules.card_guild[state.round_card[state.round], step >> 1] if step & 1 else int64(NOBODY)


@inline_source
def acting_ranks(state):
    """Return the number of acting ranks (R5.5): 2 in A, 1 in C, E and G, 3 in B, D and F (with three players 2)."""
    step = state.step
    if step & 1:
        return min(state.players - 1, 3)
    return 2 if step == STEP_A else 1


@jit
def begin_auction(state, rules, journal):
    """Begin a step A to G: queue all seats from the start player on (R5.1), or let all pass if none has a stack."""
    players, seat = state.players, state.start_player
    guild = guild_of_step(state, rules)
    state.guild = guild
    write_event(journal, e.STEP, state.step, seat, guild, 0, 0)
    if state.with_stacks == 0:
        for _ in range(players):
            write_event(journal, e.BID, seat, 0, 0, 0, 0)
            seat = seat + 1 if seat + 1 < players else int64(0)
        state.step += 1
        return STEPPING
    queue = int64(0)
    for k in range(players):
        queue |= seat << (4 * k)
        seat = seat + 1 if seat + 1 < players else int64(0)
    state.queue = queue
    state.undecided = (1 << players) - 1
    state.bidders = 0
    return BIDDING


@jit
def bid_next(state, rules, journal):
    """Let the seat at the front of the queue decide, unless it can only pass; rank the bids when the queue is empty."""
    while state.undecided != 0:
        queue = state.queue
        seat = queue & 15
        state.queue = queue >> 4
        if (state.with_stacks >> seat) & 1:
            legal = bids(state, rules, seat)
            if legal != 1:
                return ask(state, BID, seat, legal)
        state.undecided &= ~(1 << seat)
        write_event(journal, e.BID, seat, 0, 0, 0, 0)
    return _rank(state)


@inline_source
def bid(state, rules, action, journal):
    """Apply the actor's bid: pass, defer, or turn over a stack (R5.2)."""
    seat = state.actor
    if action == DEFER:
        state.privileges[seat] -= 1
        state.queue |= seat << (4 * (count_bits(state.undecided) - 1))
        write_event(journal, e.DEFER, seat, 0, 0, 0, 0)
        return BIDDING
    stack = int64(0)
    if action != PASS:
        k = action - REVEAL
        stack = state.stacks[seat, k]
        unused = state.unused[seat] & ~(1 << k)
        state.stacks[seat, k] = 0
        state.unused[seat] = unused
        if unused == 0:
            state.with_stacks &= ~(1 << seat)
        state.bid[seat] = stack
        state.shown[seat] += stack
        state.bidders += 1
    state.undecided &= ~(1 << seat)
    write_event(journal, e.BID, seat, stack, 0, 0, 0)
    return BIDDING


@jit
def _rank(state):
    """Rank bids by sum, ties by nearness to the start player (R5.3); rank 1 becomes start player (R5.4, A17)."""
    bidders = state.bidders
    if bidders == 0:
        state.step += 1
        return STEPPING
    players, seat = state.players, state.start_player
    ranked = 0
    for _ in range(players):
        stack = state.bid[seat]
        if stack != 0:
            total, place = sum_values(stack), ranked
            while place > 0 and sum_values(state.bid[state.ranking[place - 1]]) < total:
                state.ranking[place] = state.ranking[place - 1]
                place -= 1
            state.ranking[place] = seat
            ranked += 1
        seat = seat + 1 if seat + 1 < players else int64(0)
    state.start_player = state.ranking[0]
    state.rank = 0
    idle = int64(0)
    for rank in range(min(acting_ranks(state), bidders)):
        idle |= 1 << state.ranking[rank]
    state.idle = idle
    return ACTING


@jit
def return_next(state, rules, journal):
    """Remove the bids from the game; a rank that may not act (A59: did not act) puts one card under its deck (R5.7)."""
    acting = acting_ranks(state)
    while state.rank < state.bidders:
        seat = state.ranking[state.rank]
        stack = state.bid[seat]
        if state.rank >= acting or (rules.return_if_unused and (state.idle >> seat) & 1):
            values = values_in(stack)
            if values & (values - 1):  # in the last round too (A63)
                return ask(state, RETURN, seat, values)
            _put_under(state, seat, lowest_bit(values), journal)
        else:
            _lose(state, seat, stack)
    state.step += 1
    return STEPPING


@inline_source
def _lose(state, seat, cards):
    state.lost[seat] += cards
    state.bid[seat] = 0
    state.rank += 1


@inline_source
def _put_under(state, seat, value, journal):
    count = state.under_left[seat]
    state.under[seat, count] = value
    state.under_left[seat] = count + 1
    _lose(state, seat, state.bid[seat] - one_card(value))
    write_event(journal, e.RETURNED, seat, value, 0, 0, 0)


@inline_source
def return_card(state, action, journal):
    """Put the card chosen by the actor under its deck (A19)."""
    _put_under(state, state.actor, action - RETURN_CARD, journal)
    return RETURNING
