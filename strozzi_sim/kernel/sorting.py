"""Sorting a few small numbers in place."""

from numba import int64

from strozzi_sim.kernel.jit import jit


@jit
def sort_first(items, count):
    """Put items[:count] in ascending order, by insertion: few items, often nearly in order."""
    for k in range(1, count):
        item, place = int64(items[k]), k
        while place > 0 and int64(items[place - 1]) > item:
            items[place] = items[place - 1]
            place -= 1
        items[place] = item
