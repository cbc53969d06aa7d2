"""Bags of influence cards, and sets of up to 60 members, each stored as one number (see state.py)."""

from numba import int64

from strozzi_sim.games.strasbourg.state import CARD_BITS, CARD_MASK, MAX_VALUE, ONE_EACH, TOP_SHIFT
from strozzi_sim.kernel.bits import count_bits, kth_bit
from strozzi_sim.kernel.jit import force_inline, inline_source


@force_inline
def one_card(value):
    """Return the bag of one card."""
    return int64(1) << (CARD_BITS * (value - 1))


@force_inline
def count_value(bag, value):
    """Return the number of cards of a value in a bag."""
    return (bag >> (CARD_BITS * (value - 1))) & CARD_MASK


@force_inline
def count_cards(bag):
    """Return the number of cards in a bag: the product adds all fields into the top one, which has room for 31."""
    return ((bag * ONE_EACH) >> TOP_SHIFT) & CARD_MASK


@force_inline
def sum_values(bag):
    """Return the sum of the cards in a bag, which is the bid of a stack (R5.2)."""
    total = int64(0)
    for value in range(1, MAX_VALUE + 1):
        total += value * count_value(bag, value)
    return total


@inline_source
def kth_card(bag, k):
    """Return the value of the k-th card (k from 0) of a bag, in ascending order."""
    up_to = bag * ONE_EACH  # each field: the number of cards of its value and all lower ones
    value = int64(1)
    for lower in range(1, MAX_VALUE):
        value += int64(k >= count_value(up_to, lower))
    return value


@inline_source
def highest_card(bag):
    """Return the highest value in a non-empty bag."""
    value = int64(1)
    for higher in range(2, MAX_VALUE + 1):
        value += int64((bag >> (CARD_BITS * (higher - 1))) != 0)
    return value


@inline_source
def values_in(bag):
    """Return the set of values in a bag: bit v is value v."""
    values = int64(0)
    for value in range(1, MAX_VALUE + 1):
        values |= int64(count_value(bag, value) != 0) << value
    return values


@force_inline
def kth_member(members, k):
    """Return the k-th smallest member (k from 0) of a set."""
    # Keep the half that holds the member, down to 8 bits for `kth_bit`; `-in_upper` is all ones for the upper half.
    first = int64(0)
    for width in (32, 16, 8):
        lower = count_bits(members & ((int64(1) << width) - 1))
        in_upper = int64(k >= lower)
        k -= lower & -in_upper
        first += width & -in_upper
        members = (members >> (width & -in_upper)) & ((int64(1) << width) - 1)
    return first + kth_bit(members, k)


@inline_source
def select_members(members, choice):
    """Return the subset of `members` that `choice` selects: bit i of `choice` is the i-th smallest member, i from 0."""
    chosen = int64(0)
    while choice != 0:
        lowest = members & -members
        chosen |= lowest & -(choice & 1)
        members ^= lowest
        choice >>= 1
    return chosen
