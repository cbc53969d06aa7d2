"""Ranks with ties, and points for shared ranks."""

from numba import int64

from strozzi_sim.kernel.jit import jit


@jit
def placed(values, players, seat, sign=1):
    """Return (seats with a higher value, seats with an equal value, including this seat); with `sign=-1` with a lower value."""
    better, equal = 0, 0
    for other in range(players):
        better += int64(sign * values[other] > sign * values[seat])
        equal += int64(values[other] == values[seat])
    return better, equal


@jit
def best_two(values, players):
    """Return the highest and the second-highest value, which may be equal."""
    best, second = int64(-(2**62)), int64(-(2**62))
    for seat in range(players):
        second = max(second, min(best, values[seat]))
        best = max(best, values[seat])
    return best, second


@jit
def shared_points(points, ranks, better, equal):
    """Return the points of a shared rank: those of the ranks `better` to `better + equal - 1`, divided equally and rounded down.

    Only the first `ranks` entries of `points` are paid; later ranks get nothing.
    """
    total = 0
    for rank in range(better, min(better + equal, ranks)):
        total += points[rank]
    return total // equal
