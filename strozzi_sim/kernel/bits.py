"""Bit sets: counting, the lowest member, the k-th member, the next seat clockwise."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import int64
from numba.core import types

from strozzi_sim.kernel.jit import force_inline, intrinsic

WIDTH = 8  # members a set may have where `kth_bit` is used


@intrinsic
def count_bits(typingctx: Any, members: Any) -> Any:
    """Number of members of a set held in an int64."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), build


@intrinsic
def lowest_bit(typingctx: Any, members: Any) -> Any:
    """The smallest member of a set held in an int64; the set must not be empty."""

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
    """The k-th smallest member (k from 0) of a set of at most WIDTH members."""
    return int64(_KTH[members, k])


@force_inline
def next_clockwise(seats, seat):
    """The first seat of the non-empty set `seats` that sits after `seat`, clockwise; `seat` itself comes last."""
    later = seats & -(int64(2) << seat)
    return lowest_bit(later if later != 0 else seats)
