"""Counts of the finishing orders of games: exact, and of the same size for any number of games.

Ratings need two counts. `ahead` counts how often one position finished ahead of another. `remaining` counts
how often a set of positions remained when an order is read from the winner down: the order a, b, c leaves the sets
{a, b, c}, {b, c}, {c}. The likelihood of a Plackett-Luce model depends on orders through these sets alone.

A tie is half an "ahead" for each of the two. Tied positions count as all their orders, with equal weights.
"""

from functools import cache
from math import comb

import numpy as np

from strozzi_sim.kernel.record_types import Array
from strozzi_sim.simulation.loop import POSITIONS

AHEAD_UNITS = 2  # units of `ahead` if one position is ahead; if two tie, each gets 1
ORDER_UNITS = 60  # units of `remaining` per order; every comb(n, k) with n up to 6 divides it

SETS = 2**POSITIONS  # a set of positions is a number with a bit for each

# [position, other position] and [set]
ORDERS = np.dtype([("ahead", "i8", (POSITIONS, POSITIONS)), ("remaining", "i8", (SETS,))], align=True)


def count_orders(rows: Array, players: int) -> Array:
    """Return the counts of the finishing orders in the ROW records of whole games, an ORDERS record of shape (1,)."""
    counts = np.zeros(1, ORDERS)
    games = rows.reshape(-1, players)
    places = np.empty(games.shape, np.int64)
    np.put_along_axis(places, games["position"].astype(np.int64), games["twice_place"].astype(np.int64), axis=1)
    place, other_place = places[:, :, None], places[:, None, :]
    ahead = AHEAD_UNITS * (place < other_place).sum(axis=0) + (place == other_place).sum(axis=0)
    np.fill_diagonal(ahead, 0)
    counts["ahead"][0, :players, :players] = ahead
    bits = 1 << np.arange(players)
    tied = ((place == other_place) * bits).sum(axis=2)
    behind = ((place < other_place) * bits).sum(axis=2)
    first = (tied & -tied) == bits  # count each group of tied positions once, at its lowest position
    occurrences = np.bincount((tied * SETS + behind)[first], minlength=SETS * SETS)
    codes = np.flatnonzero(occurrences)
    counts["remaining"][0] = occurrences[codes] @ _remaining_sets()[codes]
    return counts


@cache
def _remaining_sets() -> Array:
    """Return how often each set remains while `tied` is placed, in ORDER_UNITS: int64[tied * SETS + behind, set]."""
    counts = np.zeros((SETS * SETS, SETS), np.int64)
    for tied in range(1, SETS):
        part = tied
        while part:  # every set of tied positions that are not placed yet
            weight = ORDER_UNITS // comb(tied.bit_count(), part.bit_count())
            for behind in range(SETS):
                if not behind & tied:
                    counts[tied * SETS + behind, part | behind] += weight
            part = (part - 1) & tied
    return counts
