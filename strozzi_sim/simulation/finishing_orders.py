"""Finishing orders of games, counted exactly and in bounded space for any number of games.

Ratings need two counts. `ahead` counts how often one position finished ahead of another. `remaining` counts
how often a set of positions remained when an order is read from the winner down: the order a, b, c leaves the sets
{a, b, c}, {b, c}, {c}. The likelihood of a Plackett-Luce model depends on orders through these sets alone.

A tie is half an "ahead" for each. A tied place counts as all ways of breaking the tie, with equal weights.
"""

from functools import cache
from math import comb
from typing import Any

import numpy as np

from strozzi_sim.simulation.loop import POSITIONS

HALF = 2  # an "ahead" in halves
ORDER_UNITS = 60  # of one order: exact for ties of up to 6

SETS = 2**POSITIONS

# [position, position] and [set of positions as bits]
ORDERS = np.dtype([("ahead", "i8", (POSITIONS, POSITIONS)), ("remaining", "i8", (SETS,))], align=True)

Array = np.ndarray[Any, Any]


def count_orders(rows: Array, players: int) -> Array:
    """Return the finishing orders in ROW records of whole games: ORDERS record, array of shape (1,)."""
    counts = np.zeros(1, ORDERS)
    games = rows.reshape(-1, players)
    places = np.empty(games.shape, np.int64)
    np.put_along_axis(places, games["position"].astype(np.int64), games["twice_place"].astype(np.int64), axis=1)
    place, other_place = places[:, :, None], places[:, None, :]
    ahead = HALF * (place < other_place).sum(axis=0) + (place == other_place).sum(axis=0)
    np.fill_diagonal(ahead, 0)
    counts["ahead"][0, :players, :players] = ahead
    bits = 1 << np.arange(players)
    tied = ((place == other_place) * bits).sum(axis=2)
    behind = ((place < other_place) * bits).sum(axis=2)
    first = (tied & -tied) == bits  # each group of tied positions once
    occurrences = np.bincount((tied * SETS + behind)[first], minlength=SETS * SETS)
    codes = np.flatnonzero(occurrences)
    counts["remaining"][0] = occurrences[codes] @ _remaining_sets()[codes]
    return counts


@cache
def _remaining_sets() -> Array:
    """Return the count of each remaining set in ORDER_UNITS, int64[group of ties * SETS + positions behind, set]."""
    counts = np.zeros((SETS * SETS, SETS), np.int64)
    for group in range(1, SETS):
        part = group
        while part:  # every set of the group's positions that are still to be placed
            weight = ORDER_UNITS // comb(group.bit_count(), part.bit_count())
            for behind in range(SETS):
                if not behind & group:
                    counts[group * SETS + behind, part | behind] += weight
            part = (part - 1) & group
    return counts
