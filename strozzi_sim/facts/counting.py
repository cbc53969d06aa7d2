"""The kernel that adds rows of facts to cubes, controlled by numeric descriptors: a plan needs no compilation.

The count and the sums of a cell are packed into 64-bit words: a row is added to one or two words instead of five
numbers. Before a packed number could overflow, the words are added to the counts and cleared.

Descriptors, int64, one row each. A place is an index into the sink viewed as an array of items of that size.
    tables  place of the number of rows, of the ends, of the column seat or -1
    fills   table, size of an item, place of the outcome by game and seat, place of the column
    cubes   table, dims from, to, parts from, to, first of its counts, cells, first of its words, words of a cell
    dims    place of the column, size of an item, smallest value, largest value, word offset per step between them,
            first of its `strides`, or -1 if all steps are equal
    parts   place of the column, or -1 for the count; size of an item; word of the cell, lowest bit, number of bits
`strides` holds the word offset of each value of a column.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import int64, types, uint8, uint16, uint32, uint64

from strozzi_sim.facts.sink import SEATS
from strozzi_sim.kernel.jit import jit

Array = np.ndarray[Any, Any]


STEP = 512  # rows
BITS = {0: 21, 1: 21, 2: 32, 4: 64}  # bits of the count (0) and of a column's sum, by size of its items
_ROOM = 2 ** BITS[1] - 1  # largest packed number; the sum of STEP bytes fits
_WIDER = np.uint64(BITS[2] - BITS[1])


class Counting(NamedTuple):
    """The arrays of `count_rows`: the sink by size of items, the descriptors, and work space."""

    # bytes, words, longs: the sink as uint8, uint16 and int32
    bytes: Array
    words: Array
    longs: Array
    # tables, fills, cubes, dims, parts, strides: descriptors, see above
    tables: Array
    fills: Array
    cubes: Array
    dims: Array
    parts: Array
    strides: Array
    cells: Array  # word offset of each row's cell, for STEP rows at a time, uint32[STEP]
    packed: Array  # increments of the words of these cells, uint64[words * STEP]
    pending: Array  # upper bound of the packed numbers of each cube, int64[cubes]
    sums: Array  # packed words of every cell of every cube, uint64


COUNTING = types.Tuple([
    types.uint8[::1], types.uint16[::1], types.int32[::1],
    *(types.int64[:, ::1] for _ in range(5)),
    types.uint32[::1], types.uint32[::1], types.uint64[::1], types.int64[::1], types.uint64[::1],
])  # fmt: skip


@jit
def end_game(game, longs, tables):
    """Record where the rows of a game end, in every table."""
    for table in range(tables.shape[0]):
        longs[tables[table, 1] + game] = longs[tables[table, 0]]


@jit
def empty(longs, tables):
    """Discard all rows."""
    for table in range(tables.shape[0]):
        longs[tables[table, 0]] = 0


@jit
def _fill(games, bytes_, longs, tables, fills):
    """Write the outcome columns of every row from the result of its seat."""
    for k in range(fills.shape[0]):
        table, source, target = fills[k, 0], uint64(fills[k, 2]), uint64(fills[k, 3])
        ends, seats = tables[table, 1], uint64(tables[table, 2])
        row = uint64(0)
        for game in range(games):
            end = uint64(longs[ends + game])
            if fills[k, 1] == 1:
                while row < end:
                    bytes_[target + row] = bytes_[source + uint64(bytes_[seats + row])]
                    row += uint64(1)
            else:
                while row < end:
                    longs[target + row] = longs[source + uint64(bytes_[seats + row])]
                    row += uint64(1)
            source += uint64(SEATS)


# LLVM vectorizes these loops: bytes stay bytes, and functions take array and place instead of slices.


@jit
def _step_through(column, place, rows, low, high, step, cells):
    """Add to each row's cell the offset of its value in a column with equal steps from `low` to `high`."""
    for row in range(rows):
        cells[row] += uint32((min(max(column[place + row], low), high) - low) * step)


@jit
def _look_up(column, place, rows, low, high, strides, by, cells):
    """Add to each row's cell the offset of its value in `strides`; values beyond the levels count as the outer ones."""
    for row in range(rows):
        cells[row] += strides[by + min(max(int64(column[place + row]), low), high) - low]


@jit
def _find_cells(begin, rows, bytes_, words, longs, dims, first, last, strides, cells):
    """Fill `cells` for `rows` rows from number `begin` on."""
    for row in range(rows):
        cells[row] = 0
    for d in range(first, last):
        place, size, low, high = dims[d, 0] + begin, dims[d, 1], dims[d, 2], dims[d, 3]
        step, by = dims[d, 4], dims[d, 5]
        if by >= 0:
            if size == 1:
                _look_up(bytes_, place, rows, low, high, strides, by, cells)
            elif size == 2:
                _look_up(words, place, rows, low, high, strides, by, cells)
            else:
                _look_up(longs, place, rows, low, high, strides, by, cells)
        elif size == 1:
            _step_through(bytes_, place, rows, uint8(low), uint8(high), uint32(step), cells)
        elif size == 2:
            _step_through(words, place, rows, uint16(low), uint16(high), uint32(step), cells)
        else:
            _step_through(longs, place, rows, low, high, step, cells)


@jit
def _pack(column, place, rows, bit, packed, offset):
    """Add a column to a word; return an upper bound of its values."""
    union = uint64(0)
    for row in range(rows):
        value = uint64(column[place + row])
        union |= value
        packed[offset + row] += value << bit
    return union


@jit
def _fill_words(begin, rows, bytes_, words, longs, parts, first, last, packed):
    """Fill `packed` for `rows` rows from number `begin` on; return an upper bound of their numbers, scaled to _ROOM."""
    bound = uint64(1)
    for k in range(first, last):
        place, size, offset, bit = parts[k, 0] + begin, parts[k, 1], parts[k, 2] * STEP, uint64(parts[k, 3])
        if bit == uint64(0):  # the first number of its word
            count = uint64(parts[k, 0] < 0)
            for row in range(rows):
                packed[offset + row] = count
        if size == 1:
            bound |= _pack(bytes_, place, rows, bit, packed, offset)
        elif size == 2:
            bound |= (_pack(words, place, rows, bit, packed, offset) >> _WIDER) + uint64(1)
        elif size == 4:
            _pack(longs, place, rows, bit, packed, offset)
    return int64(bound)


@jit
def _add_words(rows, cells, packed, width, sums, first):
    """Add each row's words to those of its cell."""
    word = 0
    while width - word >= 2:
        offset = word * STEP
        for row in range(rows):
            cell = first + int64(cells[row])
            sums[cell] += packed[offset + row]
            sums[cell + 1] += packed[offset + STEP + row]
        word += 2
        first += 2
    if width > word:
        offset = word * STEP
        for row in range(rows):
            sums[first + int64(cells[row])] += packed[offset + row]


@jit
def _clear_words(cube, cubes, parts, sums, counts):
    """Add the words of a cube to its counts, and clear them."""
    first, last, width = cubes[cube, 3], cubes[cube, 4], cubes[cube, 8]
    offset, place = cubes[cube, 7], cubes[cube, 5]
    for _ in range(cubes[cube, 6]):
        any_word = uint64(0)
        for word in range(width):
            any_word |= sums[offset + word]
        if any_word != uint64(0):
            for k in range(first, last):
                bits = uint64(parts[k, 4])
                number = sums[offset + parts[k, 2]] >> uint64(parts[k, 3])
                if bits < uint64(64):
                    number &= (uint64(1) << bits) - uint64(1)
                counts[place + k - first] += int64(number)
            for word in range(width):
                sums[offset + word] = uint64(0)
        offset += width
        place += last - first


@jit
def count_rows(
    games, counts, bytes_, words, longs, tables, fills, cubes, dims, parts, strides, cells, packed, pending, sums
):
    """Add the rows of `games` games to the words, in steps that fit into the nearest cache."""
    _fill(games, bytes_, longs, tables, fills)
    for cube in range(cubes.shape[0]):
        total_rows = int64(longs[tables[cubes[cube, 0], 0]])
        for begin in range(0, total_rows, STEP):
            rows = min(STEP, total_rows - begin)
            _find_cells(begin, rows, bytes_, words, longs, dims, cubes[cube, 1], cubes[cube, 2], strides, cells)
            bound = _fill_words(begin, rows, bytes_, words, longs, parts, cubes[cube, 3], cubes[cube, 4], packed)
            if pending[cube] + rows * bound > _ROOM:
                _clear_words(cube, cubes, parts, sums, counts)
                pending[cube] = 0
            pending[cube] += rows * bound
            _add_words(rows, cells, packed, cubes[cube, 8], sums, cubes[cube, 7])


@jit
def finish_counts(
    counts, bytes_, words, longs, tables, fills, cubes, dims, parts, strides, cells, packed, pending, sums
):
    """Add the remaining words to the counts: those of every cell of every cube, int64[size of the plan]."""
    for cube in range(cubes.shape[0]):
        _clear_words(cube, cubes, parts, sums, counts)
        pending[cube] = 0
