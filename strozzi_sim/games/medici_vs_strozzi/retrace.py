"""Follows a journal with a state of its own, event by event: for tallies, which count by what lay on the table."""

from strozzi_sim.games.medici_vs_strozzi import events as e
from strozzi_sim.games.medici_vs_strozzi.core import load, return_ships
from strozzi_sim.games.medici_vs_strozzi.state import ANSWER, DISCARDED, IN_LOT, MEDICI, PLACE, PRICE, SEATS, STROZZI
from strozzi_sim.kernel.jit import jit


@jit
def follow(state, rules, journal, row):
    """Bring `state` from right before the event of a journal row to right after it.

    The first row of a game sets it up, whatever the state was. True are the table, the ships, the markers, the cash and
    who shows tiles; who must decide, the legal actions and the order of the bag are not kept.
    """
    kind, seat = journal.rows[row, 0], journal.rows[row, 1]
    b, c, d = journal.rows[row, 2], journal.rows[row, 3], journal.rows[row, 4]
    if kind == e.REVEAL:
        state.proposer = seat
        state.lot[c - 1] = b
        state.location[b] = IN_LOT
        state.shown = c
        state.unseen = d
        state.phase = PRICE
    elif kind == e.PRICE:
        state.price = b
        state.phase = ANSWER
    elif kind == e.ANSWER:
        buyer = seat if b else 1 - seat
        state.buyer = buyer
        state.cash[buyer] -= state.price
        state.phase = PLACE
    elif kind == e.LOAD:
        load(state, rules, seat, b, c)
        state.shown = 0
    elif kind == e.DISCARD:
        for k in range(b):
            state.location[state.lot[k]] = DISCARDED
        state.shown = 0
    elif kind == e.HARBOR:
        if d >= 0:
            state.cash[d] += journal.rows[row, 5]
    elif kind == e.MARKER:
        state.position[seat, b] = d
        if d != 0:
            owner = MEDICI if d > 0 else STROZZI
            state.cash[owner] += journal.rows[row, 5]
    elif kind == e.ROUND:
        if seat == 0:
            for harbor in range(rules.harbors):
                for good in range(rules.types):
                    state.position[harbor, good] = 0
            for owner in range(SEATS):
                state.cash[owner] = rules.start_cash
        state.round = seat
        state.start_player = b
        return_ships(state, rules)
        state.shown = 0
