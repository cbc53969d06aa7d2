"""Sorting a few small numbers in place."""

from numba import int64

from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import jit


@jit
def sort_first(items, count):
    """Put items[:count] in ascending order; they are different numbers from 0 to 63."""
    found = int64(0)
    for k in range(count):
        found |= int64(1) << int64(items[k])
    for k in range(count):
        items[k] = lowest_bit(found)
        found &= found - 1
