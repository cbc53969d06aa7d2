"""Bit sets: count, lowest member, k-th member, next seat clockwise; and sorting by a bit set."""

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


def _kth_table() -> Any:
    table = np.zeros((1 << WIDTH, WIDTH), np.uint8)
    for members in range(1 << WIDTH):
        for k, member in enumerate(m for m in range(WIDTH) if members >> m & 1):
            table[members, k] = member
    return table


_KTH = _kth_table()


@force_inline
def kth_bit(members, k):
    """Return the k-th smallest member (k from 0) of a set of numbers below WIDTH."""
    return int64(_KTH[members, k])


@force_inline
def seats_after(seat, other, players):
    """Return the number of seats from `seat` clockwise to `other`; a modulo would be slower."""
    ahead = int64(other) - int64(seat)
    return ahead if ahead >= 0 else ahead + players


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
    found = int64(0)
    for k in range(count):
        found |= int64(1) << int64(items[k])
    for k in range(count):
        items[k] = lowest_bit(found)
        found &= found - 1
