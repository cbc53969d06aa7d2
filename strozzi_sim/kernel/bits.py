"""Bit sets, multisets and ranks.

A multiset is an array with the number of items of each kind, such as the tokens in a sack.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import int64
from numba.core import types

from strozzi_sim.kernel.jit import force_inline, intrinsic, jit

WIDTH = 8  # members of a set for `kth_bit` are below this


@intrinsic
def count_bits(typingctx: Any, members: Any) -> Any:
    """Return the number of members of a set stored in an int64."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), build


@intrinsic
def lowest_bit(typingctx: Any, members: Any) -> Any:
    """Return the smallest member of a non-empty set stored in an int64."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), build


_MEMBERS = [[member for member in range(WIDTH) if members >> member & 1] for members in range(1 << WIDTH)]
_KTH = np.array([members + [0] * (WIDTH - len(members)) for members in _MEMBERS], np.uint8)  # [set, k]: the k-th member


@force_inline
def kth_bit(members, k):
    """Return the k-th smallest member (k from 0) of a set of numbers below WIDTH."""
    return int64(_KTH[members, k])


@force_inline
def seats_after(seat, other, players):
    """Return the number of seats from `seat` clockwise to `other`."""
    distance = int64(other) - int64(seat)  # a modulo would be slower
    return distance if distance >= 0 else distance + players


@force_inline
def next_clockwise(seats, seat):
    """Return the first seat of the non-empty set `seats` after `seat`, clockwise; `seat` itself comes last."""
    later = seats & -(int64(2) << seat)
    return lowest_bit(later if later != 0 else seats)


@jit
def kth_member(members, k):
    """Return the k-th smallest member (k from 0) of a set of numbers below 63."""
    for _ in range(k):
        members &= members - 1  # all but the smallest
    return lowest_bit(members)


@jit
def sort_first(items, count):
    """Sort items[:count] in ascending order; they must be distinct numbers from 0 to 63."""
    remaining = int64(0)
    for k in range(count):
        remaining |= int64(1) << int64(items[k])
    for k in range(count):
        items[k] = lowest_bit(remaining)
        remaining &= remaining - 1


@jit
def count_items(counts, kinds):
    """Return the number of items of the first `kinds` kinds."""
    items = 0
    for kind in range(kinds):
        items += counts[kind]
    return items


@jit
def kth_item(counts, k):
    """Return the kind of the k-th item, 0 <= k < `count_items`; a uniform k draws a kind in proportion to its count."""
    kind = 0
    while k >= counts[kind]:
        k -= counts[kind]
        kind += 1
    return kind


@jit
def count_kinds(counts, kinds):
    """Return how many of the first `kinds` kinds have at least one item."""
    present = 0
    for kind in range(kinds):
        present += counts[kind] > 0
    return present


@jit
def kth_kind(counts, k):
    """Return the k-th of the kinds with at least one item, 0 <= k < `count_kinds`."""
    kind = 0
    while k > 0 or counts[kind] == 0:
        k -= counts[kind] > 0
        kind += 1
    return kind


@jit
def placed(values, players, seat, sign=1):
    """Return how many seats have a higher value than `seat` (`sign=-1`: lower) and how many its value, itself too."""
    better, equal = 0, 0
    for other in range(players):
        better += int64(sign * values[other] > sign * values[seat])
        equal += int64(values[other] == values[seat])
    return better, equal


@jit
def best_two(values, players):
    """Return the highest and the second-highest value of two or more players; they may be equal."""
    best, second = int64(-(2**62)), int64(-(2**62))
    for seat in range(players):
        second = max(second, min(best, values[seat]))
        best = max(best, values[seat])
    return best, second
