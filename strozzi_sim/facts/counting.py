"""The kernels that add rows of facts to cubes, controlled by numeric descriptors: a new plan needs no compilation.

The count and the sums of a cell are packed into 64-bit words, up to three in each, so that a row takes fewer additions.
Before a packed number could overflow, the words are added to the counts and cleared.

Descriptors are int64 arrays with a row per table, outcome column to fill, cube, column of a cube, and number of a cell.
A place is an index into the sink viewed as an array of items of one size: 4 bytes for numbers of rows and ends, 1 for a
seat, else the given size.
    tables  place of the number of rows, place of their ends by game, place of the column `seat` or -1
    fills   table, size of an item, place of the outcome by game and seat, place of the column
    cubes   columns TABLE to WIDTH: table, dims from, to, parts from, to, index of its first count, number of cells,
            index of its first word, words per cell
    dims    place of the column, size of an item, first value of the first level and of the last level, word offset per
            step between them, index of its first stride, or -1 if all steps are equal
    parts   place of the column, or -1 for the count; size of an item; word of the cell, lowest bit, number of bits
`strides`, uint32, has the word offsets of all values from one to the other, for each column with unequal steps.
"""

from typing import NamedTuple

import numpy as np
from numba import int64, types, uint8, uint16, uint32, uint64

from strozzi_sim.facts.columns import Array
from strozzi_sim.facts.sink import SEATS
from strozzi_sim.kernel.jit import jit

STEP = 512  # rows
BITS = {0: 21, 1: 21, 2: 32, 4: 64}  # bits of the count (0) and of a column's sum, by size of its items
_ROOM = 2 ** BITS[1] - 1  # largest packed count or sum of bytes; it exceeds the sum of STEP bytes
_SCALE = np.uint64(BITS[2] - BITS[1])  # the sum of a 2-byte column has this many more bits; its bound is shifted
TABLE, DIMS_FROM, DIMS_TO, PARTS_FROM, PARTS_TO, FIRST_COUNT, CELLS, FIRST_WORD, WIDTH = range(9)  # columns of `cubes`


class Counting(NamedTuple):
    """The arrays of `count_rows`: the sink by size of items, the descriptors, and work space."""

    # the whole sink as an array of items of 1, 2 or 4 bytes
    uint8s: Array
    uint16s: Array
    int32s: Array
    tables: Array  # from here to `strides`: see above
    fills: Array
    cubes: Array
    dims: Array
    parts: Array
    strides: Array
    cells: Array  # word offset of each row's cell, for STEP rows at a time, uint32[STEP]
    packed: Array  # increments of the words of these cells, uint64[words * STEP]
    pending: Array  # upper bound of each cube's packed counts, sums of bytes, and 2-byte sums >> _SCALE, int64[cubes]
    sums: Array  # packed words of every cell of every cube, counts included, uint64


COUNTING = types.Tuple([
    types.uint8[::1], types.uint16[::1], types.int32[::1],
    *(types.int64[:, ::1] for _ in range(5)),
    types.uint32[::1], types.uint32[::1], types.uint64[::1], types.int64[::1], types.uint64[::1],
])  # fmt: skip


@jit
def end_game(game, int32s, tables):
    """Record where the rows of a game end, in every table."""
    for table in range(tables.shape[0]):
        int32s[tables[table, 1] + game] = int32s[tables[table, 0]]


@jit
def empty(int32s, tables):
    """Discard all rows."""
    for table in range(tables.shape[0]):
        int32s[tables[table, 0]] = 0


@jit
def _fill(games, uint8s, int32s, tables, fills):
    for k in range(fills.shape[0]):
        table, source, target = fills[k, 0], uint64(fills[k, 2]), uint64(fills[k, 3])
        ends, seats = tables[table, 1], uint64(tables[table, 2])
        row = uint64(0)
        for game in range(games):
            end = uint64(int32s[ends + game])
            if fills[k, 1] == 1:
                while row < end:
                    uint8s[target + row] = uint8s[source + uint64(uint8s[seats + row])]
                    row += uint64(1)
            else:
                while row < end:
                    int32s[target + row] = int32s[source + uint64(uint8s[seats + row])]
                    row += uint64(1)
            source += uint64(SEATS)


# LLVM vectorizes these loops: bytes stay bytes, and functions take array and place instead of slices.


@jit
def _step_through(column, place, rows, low, high, step, cells):
    """Add to each row's cell the offset of its value in a column with equal steps from `low` to `high`."""
    for row in range(rows):
        cells[row] += uint32((min(max(column[place + row], low), high) - low) * step)


@jit
def _look_up(column, place, rows, low, high, strides, first_stride, cells):
    """Add to each row's cell the offset of its value in `strides`; values beyond the levels count as the outer ones."""
    for row in range(rows):
        cells[row] += strides[first_stride + min(max(int64(column[place + row]), low), high) - low]


@jit
def _find_cells(begin, rows, uint8s, uint16s, int32s, dims, first, last, strides, cells):
    for row in range(rows):
        cells[row] = 0
    for d in range(first, last):
        place, size, low, high = dims[d, 0] + begin, dims[d, 1], dims[d, 2], dims[d, 3]
        step, first_stride = dims[d, 4], dims[d, 5]
        if first_stride >= 0:
            if size == 1:
                _look_up(uint8s, place, rows, low, high, strides, first_stride, cells)
            elif size == 2:
                _look_up(uint16s, place, rows, low, high, strides, first_stride, cells)
            else:
                _look_up(int32s, place, rows, low, high, strides, first_stride, cells)
        elif size == 1:
            _step_through(uint8s, place, rows, uint8(low), uint8(high), uint32(step), cells)
        elif size == 2:
            _step_through(uint16s, place, rows, uint16(low), uint16(high), uint32(step), cells)
        else:
            _step_through(int32s, place, rows, low, high, step, cells)


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
def _fill_words(begin, rows, uint8s, uint16s, int32s, parts, first, last, packed):
    bound = uint64(1)
    for k in range(first, last):
        place, size, offset, bit = parts[k, 0] + begin, parts[k, 1], parts[k, 2] * STEP, uint64(parts[k, 3])
        if bit == uint64(0):  # the first number of its word
            initial = uint64(parts[k, 0] < 0)  # 1 if that is the count, else 0
            for row in range(rows):
                packed[offset + row] = initial
        if size == 1:
            bound |= _pack(uint8s, place, rows, bit, packed, offset)
        elif size == 2:
            bound |= (_pack(uint16s, place, rows, bit, packed, offset) >> _SCALE) + uint64(1)
        elif size == 4:
            _pack(int32s, place, rows, bit, packed, offset)
    return int64(bound)


@jit
def _add_words(rows, cells, packed, width, sums, first):
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
    first, last, width = cubes[cube, PARTS_FROM], cubes[cube, PARTS_TO], cubes[cube, WIDTH]
    offset, first_count = cubes[cube, FIRST_WORD], cubes[cube, FIRST_COUNT]
    for _ in range(cubes[cube, CELLS]):
        any_word = uint64(0)
        for word in range(width):
            any_word |= sums[offset + word]
        if any_word != uint64(0):
            for k in range(first, last):
                bits = uint64(parts[k, 4])
                number = sums[offset + parts[k, 2]] >> uint64(parts[k, 3])
                if bits < uint64(64):
                    number &= (uint64(1) << bits) - uint64(1)
                counts[first_count + k - first] += int64(number)
            for word in range(width):
                sums[offset + word] = uint64(0)
        offset += width
        first_count += last - first


@jit
def count_rows(
    games, counts, uint8s, uint16s, int32s, tables, fills, cubes, dims, parts, strides, cells, packed, pending, sums
):
    """Add the rows of `games` games to the words, in steps that fit into the first-level cache."""
    _fill(games, uint8s, int32s, tables, fills)
    for cube in range(cubes.shape[0]):
        dims_from, dims_to = cubes[cube, DIMS_FROM], cubes[cube, DIMS_TO]
        parts_from, parts_to = cubes[cube, PARTS_FROM], cubes[cube, PARTS_TO]
        total_rows = int64(int32s[tables[cubes[cube, TABLE], 0]])
        for begin in range(0, total_rows, STEP):
            rows = min(STEP, total_rows - begin)
            _find_cells(begin, rows, uint8s, uint16s, int32s, dims, dims_from, dims_to, strides, cells)
            bound = _fill_words(begin, rows, uint8s, uint16s, int32s, parts, parts_from, parts_to, packed)
            if pending[cube] + rows * bound > _ROOM:
                _clear_words(cube, cubes, parts, sums, counts)
                pending[cube] = 0
            pending[cube] += rows * bound
            _add_words(rows, cells, packed, cubes[cube, WIDTH], sums, cubes[cube, FIRST_WORD])


@jit
def finish_counts(
    counts, uint8s, uint16s, int32s, tables, fills, cubes, dims, parts, strides, cells, packed, pending, sums
):
    """Add the remaining words of every cell of every cube to `counts`, int64[size of the plan]."""
    for cube in range(cubes.shape[0]):
        _clear_words(cube, cubes, parts, sums, counts)
        pending[cube] = 0
