"""Multisets: arrays that hold the number of items of each kind, such as the tokens in a sack."""

from strozzi_sim.kernel.jit import jit


@jit
def count_items(counts, kinds):
    """Return the number of items of the first `kinds` kinds."""
    items = 0
    for kind in range(kinds):
        items += counts[kind]
    return items


@jit
def kth_item(counts, k):
    """Return the kind of the k-th item, k from 0 and below `count_items`; with a random k a draw in proportion to the counts."""
    kind = 0
    while k >= counts[kind]:
        k -= counts[kind]
        kind += 1
    return kind


@jit
def count_kinds(counts, kinds):
    """Return the number of kinds of which there is an item."""
    found = 0
    for kind in range(kinds):
        found += counts[kind] > 0
    return found


@jit
def kth_kind(counts, k):
    """Return the k-th kind of which there is an item, k from 0 and below `count_kinds`."""
    kind = 0
    while k > 0 or counts[kind] == 0:
        k -= counts[kind] > 0
        kind += 1
    return kind
