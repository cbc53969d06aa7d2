"""The kernel that adds rows of facts to cubes. It is told what to do by numbers, so a plan of crosstabs is not compiled.

Descriptors, int64, one row each. A place is an index into the sink seen as an array of items of that size.
    tables  place of the number of rows, of the ends, of the column seat or -1
    fills   table, size of an item, place of the outcome by game and seat, place of the column
    cubes   table, dims from, to, sums from, to, first of its counts, cells
    dims    place of the column, size of an item, smallest value, largest value less the smallest, first of its `strides`
    sums    place of the column, size of an item
`strides` holds what each value of a column adds to the number of the cell.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import int64, types, uint64

from strozzi_sim.facts.sink import SEATS
from strozzi_sim.kernel.jit import jit

Array = np.ndarray[Any, Any]


STEP = 512  # rows


class Counting(NamedTuple):
    """What `count_rows` works with: the sink by size of items, the descriptors, room to work in, and the counts.

    Attributes:
        bytes, words, longs: the sink as uint8, uint16 and int32.
        tables, fills, cubes, dims, sums, strides: see above.
        cells, summed: of the rows that are counted at once, int64[STEP] and int64[sums, STEP].
        counts: int64, the counts and sums of every cell of every cube.
    """

    bytes: Array
    words: Array
    longs: Array
    tables: Array
    fills: Array
    cubes: Array
    dims: Array
    sums: Array
    strides: Array
    cells: Array
    summed: Array
    counts: Array


COUNTING = types.Tuple([
    types.uint8[::1], types.uint16[::1], types.int32[::1],
    *(types.int64[:, ::1] for _ in range(5)),
    types.uint64[::1], types.uint64[::1], types.int64[:, ::1], types.int64[::1],
])  # fmt: skip


@jit
def end_game(game, longs, tables):
    """Note where the rows of a game end, of every table."""
    for table in range(tables.shape[0]):
        longs[tables[table, 1] + game] = longs[tables[table, 0]]


@jit
def empty(longs, tables):
    """Forget all rows."""
    for table in range(tables.shape[0]):
        longs[tables[table, 0]] = 0


@jit
def _fill(games, bytes_, longs, tables, fills):
    """Write how the seat of every row fared."""
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


# Indices are unsigned or those of a loop from 0: of any other, numba asks each time whether it counts from the end.


@jit
def _sort_bytes(column, rows, strides, cells, begin):
    """Add what each row's value in a column of bytes adds to the number of its cell."""
    if begin:
        for row in range(rows):
            cells[row] = strides[column[row]]
    else:
        for row in range(rows):
            cells[row] += strides[column[row]]


@jit
def _sort_by(column, rows, low, last, strides, cells, begin):
    """The same of a column of larger numbers; those beyond the levels belong to the outer ones."""
    if begin:
        for row in range(rows):
            cells[row] = 0
    for row in range(rows):
        cells[row] += strides[uint64(min(max(int64(column[row]) - low, 0), last))]


@jit
def _widen(column, rows, out):
    for row in range(rows):
        out[row] = column[row]


@jit
def _count(rows, cells, counts, first):
    for row in range(rows):
        counts[first + cells[row]] += 1


@jit
def _sum1(rows, cells, one, counts, first):
    for row in range(rows):
        counts[first + cells[row]] += one[row]


@jit
def _count_sum2(rows, cells, one, two, counts, first):
    for row in range(rows):
        cell = first + cells[row]
        counts[cell] += 1
        counts[cell + uint64(1)] += one[row]
        counts[cell + uint64(2)] += two[row]


@jit
def _sum2(rows, cells, one, two, counts, first):
    for row in range(rows):
        cell = first + cells[row]
        counts[cell] += one[row]
        counts[cell + uint64(1)] += two[row]


@jit
def _add_rows(
    begin, rows, bytes_, words, longs, first_dim, last_dim, first_sum, last_sum, first, dims, sums, strides, cells,
    summed, counts,
):  # fmt: skip
    """Add `rows` rows from number `begin` on to a cube."""
    if first_dim == last_dim:
        for row in range(rows):
            cells[row] = 0
    for d in range(first_dim, last_dim):
        place, size, by = dims[d, 0] + begin, dims[d, 1], strides[dims[d, 4] :]
        if size == 1:
            _sort_bytes(bytes_[place : place + rows], rows, by, cells, d == first_dim)
        elif size == 2:
            _sort_by(words[place : place + rows], rows, dims[d, 2], dims[d, 3], by, cells, d == first_dim)
        else:
            _sort_by(longs[place : place + rows], rows, dims[d, 2], dims[d, 3], by, cells, d == first_dim)
    for s in range(first_sum, last_sum):
        place, size, out = sums[s, 0] + begin, sums[s, 1], summed[s - first_sum]
        if size == 1:
            _widen(bytes_[place : place + rows], rows, out)
        elif size == 2:
            _widen(words[place : place + rows], rows, out)
        else:
            _widen(longs[place : place + rows], rows, out)
    left, at = last_sum - first_sum, 0
    if left < 2:
        _count(rows, cells, counts, uint64(first))
    else:
        _count_sum2(rows, cells, summed[0], summed[1], counts, uint64(first))
        at = 2
    while left - at >= 2:
        _sum2(rows, cells, summed[at], summed[at + 1], counts, uint64(first + 1 + at))
        at += 2
    if left > at:
        _sum1(rows, cells, summed[at], counts, uint64(first + 1 + at))


@jit
def count_rows(
    games, bytes_, words, longs, tables, fills, cubes, dims, sums, strides, cells, summed, counts
):  # fmt: skip
    """Add the rows of `games` games to the counts, so many at a time that all fits into the nearest cache."""
    _fill(games, bytes_, longs, tables, fills)
    step = cells.shape[0]
    for k in range(cubes.shape[0]):
        whole = int64(longs[tables[cubes[k, 0], 0]])
        for begin in range(0, whole, step):
            _add_rows(
                begin, min(step, whole - begin), bytes_, words, longs, cubes[k, 1], cubes[k, 2], cubes[k, 3], cubes[k, 4],
                cubes[k, 5], dims, sums, strides, cells, summed, counts,
            )  # fmt: skip
