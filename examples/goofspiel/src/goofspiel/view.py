"""A seat's knowledge of a game of goofspiel, for search, for Python agents, and as text."""

from numba import float32

from goofspiel.state import ACTIONS, MAX_CARDS, NO_BID, OVER, SEATS, UNKNOWN
from strozzi_sim.game.slices import Group, Layout, Slice, members, number, one_hot, written_by
from strozzi_sim.kernel.bits import count_bits, kth_member
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.streams import randbelow


@jit
def conceal(state, rules, seat):
    """Set rivals' bids to UNKNOWN and restore their hands, so that equal knowledge is equal bytes."""
    if state.phase == OVER:
        return
    for other in range(state.players):
        bid = state.bid[other]
        if other != seat and bid != NO_BID and bid != UNKNOWN:
            state.hand[other] |= 1 << bid
            state.bid[other] = UNKNOWN


@jit
def determinize(state, rules, seat, rng):
    """Sample every hidden bid uniformly from the cards of the hand."""
    for other in range(state.players):
        if state.bid[other] == UNKNOWN:
            hand = state.hand[other]
            card = kth_member(hand, randbelow(rng, count_bits(hand)))
            state.hand[other] = hand & ~(1 << card)
            state.bid[other] = card


@jit
def seen_action(before, after, rules, action, viewer):
    """Return what `viewer` sees of an action: all bids, as one integer, after the last; before, only its own."""
    players, seat = before.players, before.actor
    following = (seat + 1) % players
    if before.bid[following] == NO_BID:
        return action if viewer == seat else 0
    bids = 0
    for other in range(players):
        bids = bids * ACTIONS + (action if other == seat else before.bid[other])
    return bids


@jit
def write_has_bid(state, rules, seat, out, start):
    """Write whether a seat has laid a card, into column `start`."""
    out[start] = float32(state.bid[seat] != NO_BID)


SLICES = Layout(
    Group("seats", (SEATS,), "for each seat, 0 = the observer, then clockwise", (
        Slice("cards", (MAX_CARDS,), "1 = in hand, or face down on the table", source=members("hand", first=1)),
        Slice("has_bid", (), "1 = has laid a card", source=written_by(write_has_bid)),
        Slice("points", (), "points / 91", source=number("score", 91)),
    )),
    Slice("prize", (MAX_CARDS,), "one-hot: the card bid for", source=one_hot("prize", first=1)),
    Slice("unseen", (MAX_CARDS,), "1 = a prize to come", source=members("unseen", first=1)),
)  # fmt: skip


def cards_in(cards):
    """Return a set of cards as text."""
    return " ".join(str(card) for card in range(1, MAX_CARDS + 1) if cards >> card & 1) or "-"


def question(view, phase):
    """Return the pending decision as text."""
    return f"The prize is {view.prize}: which card do you bid?"


def render(position, components, names):
    """Return the position as text; `position` is a View, or the reference game, which has the same attributes."""
    lines = [f"Prize {position.prize}, to come {cards_in(position.unseen)}"]
    for seat, name in enumerate(names):
        bid = {UNKNOWN: "face down", NO_BID: "-"}.get(position.bid[seat], position.bid[seat])
        lines.append(
            f"Seat {seat} {name}: {position.score[seat]} points, bid {bid}, hand {cards_in(position.hand[seat])}"
        )
    return "\n".join(lines)
