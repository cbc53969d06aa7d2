"""The worth of a finished game to a seat, in the terms of `agent.worth`."""

from numba import float64

from strozzi_sim.game.contract import merit, placing, score
from strozzi_sim.kernel.jit import force_inline


@force_inline
def lead_of(state, seat):
    """Return how far the score of `seat` is ahead of the mean of the others, float64: positive is better."""
    total = 0
    for other in range(state.players):
        total += score(state, other)
    mine = score(state, seat)
    return merit(state, mine - float64(total - mine) / (state.players - 1))


@force_inline
def share_of_win(state, seat):
    """Return the share of the win of `seat`: 1 / k for a win shared by k, float64."""
    better, shared = placing(state, seat)
    return 1.0 / shared if better == 0 else 0.0
