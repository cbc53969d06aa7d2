"""Goofspiel's kernels: deal, legal actions, apply, scores. They allocate nothing and raise nothing."""

from numba import int64

from goofspiel.events import AWARD, END, LAY, PRIZE
from goofspiel.state import ACTIONS, BID, NO_BID, OVER, PRIZE_SOURCE
from strozzi_sim.game.contract import write_scores
from strozzi_sim.kernel.bits import count_bits, kth_member, lowest_bit
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.journal import write_event
from strozzi_sim.kernel.streams import draw, reset_source


@jit
def deal(state, rules, players, start_player, chance, journal):
    """Give every seat its cards and turn up the first prize."""
    cards = (2 << rules.cards) - 2
    state.players = players
    state.start_player = start_player
    state.phase = BID
    state.unseen = cards
    for seat in range(players):
        state.hand[seat] = cards
        state.score[seat] = 0
    reset_source(chance, PRIZE_SOURCE)
    _begin_round(state, chance, journal)


@jit
def _begin_round(state, chance, journal):
    unseen = state.unseen
    prize = kth_member(unseen, draw(chance, PRIZE_SOURCE, count_bits(unseen)))
    state.prize = prize
    state.unseen = unseen & ~(1 << prize)
    for seat in range(state.players):
        state.bid[seat] = NO_BID
    state.actor = state.start_player
    write_event(journal, PRIZE, prize, 0, 0, 0, 0)


@jit
def apply(state, rules, action, chance, journal):
    """Lay a card; after a round's last bid begin the next round, and play the last round automatically."""
    _lay(state, action, journal)
    if state.bid[state.actor] != NO_BID:  # once around
        _award(state, journal)
        _begin_round(state, chance, journal)
        if state.unseen == 0:
            for _ in range(state.players):
                _lay(state, lowest_bit(state.hand[state.actor]), journal)
            _award(state, journal)
            _end(state, journal)


@jit
def _lay(state, card, journal):
    seat = state.actor
    state.hand[seat] &= ~(1 << card)
    state.bid[seat] = card
    state.actor = (seat + 1) % state.players
    write_event(journal, LAY, seat, card, 0, 0, 0)


@jit
def _award(state, journal):
    """Give the prize to the highest bid; if several are highest, the prize is lost."""
    highest, winner = 0, -1
    for seat in range(state.players):
        bid = state.bid[seat]
        if bid > highest:
            highest, winner = bid, int64(seat)
        elif bid == highest:
            winner = -1
    if winner >= 0:
        state.score[winner] += state.prize
    write_event(journal, AWARD, winner, state.prize, 0, 0, 0)


@jit
def _end(state, journal):
    state.phase = OVER
    write_scores(state, journal, END)


@jit
def count_legal(state, rules):
    """Return the number of legal actions."""
    return count_bits(state.hand[state.actor])


@jit
def kth_legal(state, rules, k):
    """Return the k-th legal action, in ascending order."""
    return kth_member(state.hand[state.actor], k)


@jit
def is_legal(state, rules, action):
    """Return whether `action`, any int64, is legal."""
    return 0 < action < ACTIONS and (state.hand[state.actor] >> action) & 1 == 1
