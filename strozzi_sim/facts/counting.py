"""The kernel that adds rows of facts to cubes. It is told what to do by numbers, so a plan of crosstabs is not compiled.

Descriptors, int64, one row each. A place is an index into the sink seen as an array of items of that size.
    tables  place of the rows (the first row follows), place of the ends, both of 8 and 4 bytes; of the column seat, or -1
    fills   table, size of an item, place of the outcome by game and seat, place of the column
    cubes   table, dims from, to, sums from, to, first of its counts, cells
    dims    place of the column, size of an item, smallest value, largest value less the smallest, first of its `strides`
    sums    place of the column, size of an item
`strides` holds what each value of a column adds to the number of the cell.

Indices of the inner loops are unsigned: numba looks whether a signed one is negative, which takes longer than the counting.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types, uint64

from strozzi_sim.facts.sink import SEATS
from strozzi_sim.kernel.jit import jit

Array = np.ndarray[Any, Any]


class Counting(NamedTuple):
    """What `count_rows` works with: the sink by size of items, the descriptors, room to work in, and the counts.

    Attributes:
        bytes, words, longs, numbers: the sink as uint8, uint16, int32 and int64.
        tables, fills, cubes, dims, sums, strides: see above.
        cells, summed: of the rows of a table, int64[rows] and int64[sums, rows].
        counts: int64, the counts and sums of every cell of every cube.
    """

    bytes: Array
    words: Array
    longs: Array
    numbers: Array
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
    types.uint8[::1], types.uint16[::1], types.int32[::1], types.int64[::1],
    *(types.int64[:, ::1] for _ in range(5)),
    types.int64[::1], types.int64[::1], types.int64[:, ::1], types.int64[::1],
])  # fmt: skip


@jit
def end_game(games, longs, numbers, tables):
    """Note where the rows of a game end, of every table."""
    for table in range(tables.shape[0]):
        rows = numbers[tables[table, 0]]
        longs[tables[table, 1] + games] = rows
        numbers[tables[table, 0] + 1] = rows


@jit
def empty(numbers, tables):
    """Forget all rows."""
    for table in range(tables.shape[0]):
        numbers[tables[table, 0]] = 0
        numbers[tables[table, 0] + 1] = 0


@jit
def _fill(games, bytes_, longs, tables, fills):
    """Write how the seat of every row fared."""
    for k in range(fills.shape[0]):
        table, source, target = fills[k, 0], fills[k, 2], fills[k, 3]
        ends, seats = tables[table, 1], tables[table, 2]
        row = 0
        for game in range(games):
            end = longs[ends + game]
            if fills[k, 1] == 1:
                for at in range(row, end):
                    bytes_[target + at] = bytes_[source + bytes_[seats + at]]
            else:
                for at in range(row, end):
                    longs[target + at] = longs[source + bytes_[seats + at]]
            row = end
            source += SEATS


@jit
def _sort_by(column, place, rows, low, last, strides, first, cells, begin):
    """Add what each row's value in a column adds to the number of its cell."""
    if begin:
        for row in range(rows):
            cells[row] = strides[uint64(first + min(max(column[uint64(place + row)] - low, 0), last))]
    else:
        for row in range(rows):
            cells[row] += strides[uint64(first + min(max(column[uint64(place + row)] - low, 0), last))]


@jit
def _widen(column, place, rows, out):
    for row in range(rows):
        out[row] = column[uint64(place + row)]


@jit
def _add(rows, cells, summed, sums, counts, first):
    """Count the rows in their cells, and sum; up to three sums at once, which is what the processor keeps up with."""
    if sums == 0:
        for row in range(rows):
            counts[uint64(first + cells[row])] += 1
    elif sums == 1:
        for row in range(rows):
            cell = uint64(first + cells[row])
            counts[cell] += 1
            counts[cell + uint64(1)] += summed[0, row]
    elif sums == 2:
        for row in range(rows):
            cell = uint64(first + cells[row])
            counts[cell] += 1
            counts[cell + uint64(1)] += summed[0, row]
            counts[cell + uint64(2)] += summed[1, row]
    else:
        for row in range(rows):
            cell = uint64(first + cells[row])
            counts[cell] += 1
            counts[cell + uint64(1)] += summed[0, row]
            counts[cell + uint64(2)] += summed[1, row]
            counts[cell + uint64(3)] += summed[2, row]
    done = 3
    while done < sums:
        left, begin = sums - done, first + 1 + done
        one = summed[done]
        two, three = summed[done + min(left - 1, 1)], summed[done + min(left - 1, 2)]
        if left == 1:
            for row in range(rows):
                counts[uint64(begin + cells[row])] += one[row]
        elif left == 2:
            for row in range(rows):
                cell = uint64(begin + cells[row])
                counts[cell] += one[row]
                counts[cell + uint64(1)] += two[row]
        else:
            for row in range(rows):
                cell = uint64(begin + cells[row])
                counts[cell] += one[row]
                counts[cell + uint64(1)] += two[row]
                counts[cell + uint64(2)] += three[row]
        done += 3


@jit
def count_rows(
    games, bytes_, words, longs, numbers, tables, fills, cubes, dims, sums, strides, cells, summed, counts
):  # fmt: skip
    """Add the rows of `games` games to the counts."""
    _fill(games, bytes_, longs, tables, fills)
    for k in range(cubes.shape[0]):
        rows = numbers[tables[cubes[k, 0], 0]]
        for d in range(cubes[k, 1], cubes[k, 2]):
            place, size, low, last, first = dims[d, 0], dims[d, 1], dims[d, 2], dims[d, 3], dims[d, 4]
            begin = d == cubes[k, 1]
            if size == 1:
                _sort_by(bytes_, place, rows, low, last, strides, first, cells, begin)
            elif size == 2:
                _sort_by(words, place, rows, low, last, strides, first, cells, begin)
            else:
                _sort_by(longs, place, rows, low, last, strides, first, cells, begin)
        if cubes[k, 1] == cubes[k, 2]:
            for row in range(rows):
                cells[row] = 0
        for s in range(cubes[k, 3], cubes[k, 4]):
            place, size = sums[s, 0], sums[s, 1]
            out = summed[s - cubes[k, 3]]
            if size == 1:
                _widen(bytes_, place, rows, out)
            elif size == 2:
                _widen(words, place, rows, out)
            else:
                _widen(longs, place, rows, out)
        _add(rows, cells, summed, cubes[k, 4] - cubes[k, 3], counts, cubes[k, 5])
