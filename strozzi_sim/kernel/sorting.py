"""In-place sorting of a few small numbers."""

from numba import int64

from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import jit


@jit
def sort_first(items, count):
    """Sort items[:count] in ascending order; they must be distinct numbers from 0 to 63."""
    found = int64(0)
    for k in range(count):
        found |= int64(1) << int64(items[k])
    for k in range(count):
        items[k] = lowest_bit(found)
        found &= found - 1
