"""Crosstabs as data, and the plan that counts many of them at once.

A crosstab is the number of rows of one fact table, and the sums of other columns, for every combination of levels of
some columns. A plan merges crosstabs of one table into cubes, so that a row is counted in a few cubes for many
crosstabs. Each crosstab is computed from its cube, exactly. Counts are int64, so chunks can be added in any order.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Self

import numpy as np

from strozzi_sim.errors import InputError, suggest_names
from strozzi_sim.facts.columns import OUTCOMES, SIZES, Array, Column, GameConfig, Levels, Table
from strozzi_sim.facts.conditions import Condition
from strozzi_sim.facts.counting import BITS, CELLS, STEP, WIDTH, Counting

MAX_CELLS = 2**22  # most cells of a crosstab's cube; more is taken for a mistake
_SMALL = 4096  # largest number of cells of a cube that grows by merging
_GROWTH = 4  # largest size of such a cube, as a multiple of the total size of its crosstabs


@dataclass(frozen=True)
class Crosstab:
    """Rows of a fact table by levels of columns."""

    fact: str
    by: tuple[str, ...] = ()  # columns, one axis each
    sums: tuple[str, ...] = ()  # columns to sum, in addition to the count
    where: str = ""  # condition on columns, "" for all rows


@dataclass
class _Cube:
    """Counts of one table by columns that are not derived, whose values are grouped into levels by `bounds`."""

    table: int  # number of the table
    bounds: dict[str, tuple[int, ...]]  # column -> smallest values of its levels
    sums: tuple[str, ...]  # summed columns, not derived either
    derived_sums: frozenset[str] = frozenset()  # columns with one level per value: their sums follow from the counts
    separate_size: int = 0  # number of counts if each of its crosstabs had its own cube
    first: int = 0  # index of its first count in those of the plan

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(starts) for starts in self.bounds.values())

    @property
    def cells(self) -> int:
        return math.prod(self.shape)

    @property
    def width(self) -> int:
        return 1 + len(self.sums)

    def with_(self, other: "_Cube") -> "_Cube":
        names = dict.fromkeys([*self.bounds, *other.bounds])
        bounds = {name: tuple(sorted({*self.bounds.get(name, ()), *other.bounds.get(name, ())})) for name in names}
        derived = self.derived_sums | other.derived_sums
        sums = tuple(name for name in dict.fromkeys([*self.sums, *other.sums]) if name not in derived)
        return _Cube(self.table, bounds, sums, derived, self.separate_size + other.separate_size)


class _Cells:
    """The K cells of a cube, or of its marginal by some columns, that have rows in any chunk."""

    def __init__(self, values: dict[str, Array], size: int, counts: Callable[[int], Array]) -> None:
        self.values, self.size = values, size  # column -> each cell's value, int64[K]; and K
        self.counts = cache(counts)  # 0 for the numbers of rows, 1 on for the sums -> integers [K, C]

    @classmethod
    def occurring(cls, cube: _Cube, counts: Array) -> Self:
        part = counts[:, cube.first : cube.first + cube.cells * cube.width]
        places = np.flatnonzero(part.any(axis=0).reshape(cube.cells, cube.width).any(axis=1))
        coordinates = np.unravel_index(places, cube.shape) if cube.bounds else ()
        levels = zip(cube.bounds.items(), coordinates, strict=True)
        values = {name: np.asarray(starts)[index] for (name, starts), index in levels}
        return cls(values, len(places), lambda k: np.ascontiguousarray(part[:, places * cube.width + k].T))

    def by(self, columns: Iterable[str]) -> Self:
        kept_columns = {name: values for name, values in self.values.items() if name in columns}
        number = np.zeros(self.size, np.int64)
        for column in kept_columns.values():
            levels, place = np.unique(column, return_inverse=True)
            number = number * len(levels) + place
        _, first, group = np.unique(number, return_index=True, return_inverse=True)
        values = {name: values[first] for name, values in kept_columns.items()}
        sums = _sums_by(group, len(first))
        return type(self)(values, len(first), lambda k: sums @ self.counts(k))


def _sums_by(targets: Array, size: int, keep: Any = True, times: Any = 1) -> Any:
    """Return the matrix whose product with integers [K, C] sums their rows by target, int64[size, C].

    Row k, times `times`, is added to row targets[k] where `keep` is true.
    """
    from scipy.sparse import csc_array

    keep, times = np.broadcast_to(keep, targets.shape), np.broadcast_to(np.asarray(times, np.int64), targets.shape)
    ends = np.concatenate([[0], np.cumsum(keep)])
    return csc_array((times[keep], targets[keep], ends), (size, len(targets)))


# (first count of a cube, columns) -> its cells by these columns
CellsByColumns = dict[tuple[int, frozenset[str]], _Cells]


@cache
def _condition(text: str) -> Condition | None:
    return Condition(text) if text else None


class CrosstabPlan:
    """The cubes that contain given crosstabs in a setting."""

    def __init__(
        self, tables: Sequence[Table], sink: np.dtype[Any], setting: GameConfig, crosstabs: Sequence[Crosstab]
    ) -> None:
        self._tables, self._sink, self._setting = tables, sink, setting
        self._numbers = {table.name: number for number, table in enumerate(tables)}
        self.crosstabs = tuple(dict.fromkeys(crosstabs))
        self.cubes: list[_Cube] = []
        needs = {crosstab: self._need(crosstab) for crosstab in self.crosstabs}
        for crosstab in sorted(self.crosstabs, key=lambda crosstab: -needs[crosstab].cells):
            self._place(needs[crosstab])
        self.size = 0
        for cube in self.cubes:
            cube.first = self.size
            self.size += cube.cells * cube.width
        self._cube_of = {crosstab: self._smallest_cube_with(crosstab, need) for crosstab, need in needs.items()}

    def table(self, name: str) -> Table:
        """Return a fact table by name."""
        if name not in self._numbers:
            raise InputError(f"no fact table {name!r}; {suggest_names(name, self._numbers)}")
        return self._tables[self._numbers[name]]

    def column(self, fact: str, name: str) -> Column:
        """Return a column of a table."""
        return self.table(fact).column(name)

    def levels(self, fact: str, column: str) -> Levels:
        """Return the levels of a column."""
        table = self.table(fact)
        levels = table.column(column).levels_in(self._setting)
        if levels is None:
            sortable = [other.name for other in table.all_columns if other.levels is not None]
            hint = suggest_names(column, sortable)
            raise InputError(f"table {fact}: {column} has no levels and cannot be a row or column; {hint}")
        return levels

    def _need(self, crosstab: Crosstab) -> _Cube:
        """Return the smallest cube that contains a crosstab."""
        table = self.table(crosstab.fact)
        bounds: dict[str, set[int]] = {}

        def split(name: str, starts: Sequence[int] | None) -> None:
            """Split a column at `starts` (None: its levels); for a derived column, split the columns it depends on."""
            column = table.column(name)
            if column.derived_from:
                for base in column.derived_from:
                    split(base, None)
                return
            levels = column.levels_in(self._setting)
            if starts is None:
                starts = self.levels(crosstab.fact, name).starts
            low = levels.starts[0] if levels else min(starts) - 1
            bounds.setdefault(name, {low}).update(start for start in starts if low < start < 2**31)

        for name in crosstab.by:
            split(name, self.levels(crosstab.fact, name).starts)
        if condition := _condition(crosstab.where):
            for name in condition.columns:
                column = table.column(name)
                split(name, condition.bounds(name, column.levels_in(self._setting), column.scale))
        for name in crosstab.sums:
            for base in table.column(name).derived_from:
                split(base, None)
        derived = set()
        for name, starts in bounds.items():
            levels = table.column(name).levels_in(self._setting)
            if levels is not None and levels.exact and starts >= set(levels.starts):
                derived.add(name)
        sums = tuple(name for name in crosstab.sums if not table.column(name).derived_from and name not in derived)
        sorted_bounds = {name: tuple(sorted(starts)) for name, starts in bounds.items()}
        cube = _Cube(self._numbers[crosstab.fact], sorted_bounds, sums, frozenset(derived))
        if cube.cells > MAX_CELLS:
            name = f"table {crosstab.fact} by {', '.join(crosstab.by)}"
            raise InputError(f"{name}: {cube.cells:,} cells, the most is {MAX_CELLS:,}; leave a column out")
        cube.separate_size = cube.cells * cube.width
        return cube

    def _place(self, need: _Cube) -> None:
        """Merge a crosstab into the cube that grows least, or add a new cube."""
        best, smallest_growth = -1, None
        for number, cube in enumerate(self.cubes):
            if cube.table != need.table:
                continue
            merged = cube.with_(need)
            size = merged.cells * merged.width
            growth = size - cube.cells * cube.width
            fits = (merged.cells <= _SMALL and size <= _GROWTH * merged.separate_size) or growth == 0
            if fits and (smallest_growth is None or growth < smallest_growth):
                best, smallest_growth = number, growth
        if best < 0:
            self.cubes.append(need)
        else:
            self.cubes[best] = self.cubes[best].with_(need)

    def _smallest_cube_with(self, crosstab: Crosstab, need: _Cube) -> _Cube:
        cubes = self._cubes_with(need)
        if not cubes:
            name = f"table {crosstab.fact} by {', '.join(crosstab.by) or 'nothing'}"
            facts = ", ".join(dict.fromkeys(counted.fact for counted in self.crosstabs)) or "none"
            raise InputError(f"{name}: not counted in this study, which has crosstabs of these tables: {facts}")
        return min(cubes, key=lambda cube: cube.cells * cube.width)

    def _cubes_with(self, need: _Cube) -> list[_Cube]:
        return [
            cube
            for cube in self.cubes
            if cube.table == need.table
            and set(need.sums) <= {*cube.sums, *cube.derived_sums}
            and all(set(starts) <= set(cube.bounds.get(name, ())) for name, starts in need.bounds.items())
        ]

    def cubes_of(self, fact: str) -> list[_Cube]:
        """Return the cubes of a table."""
        return [cube for cube in self.cubes if cube.table == self._numbers[fact]]

    def can_answer(self, crosstab: Crosstab) -> bool:
        """Return whether the counts of this plan contain a crosstab, even one that was not requested."""
        return crosstab in self._cube_of or bool(self._cubes_with(self._need(crosstab)))

    def read(self, crosstab: Crosstab, counts: Array, known_cells: CellsByColumns | None = None) -> Array:
        """Return a crosstab from counts of C chunks [C, size]: int64[C, levels of each column of `by`, 1 + sums].

        `known_cells` keeps the cells of these counts from one call to the next.
        """
        table = self.table(crosstab.fact)
        cube = self._cube_of.get(crosstab) or self._smallest_cube_with(crosstab, self._need(crosstab))
        condition = _condition(crosstab.where)
        compared = {name: table.column(name) for name in (condition.columns if condition else ())}
        multiplied = [name for name in crosstab.sums if name not in cube.sums]
        used = [table.column(name) for name in (*crosstab.by, *compared, *multiplied)]
        all_columns = frozenset(cube.bounds)
        needed = all_columns.intersection(name for column in used for name in column.derived_from or (column.name,))
        known_cells = {} if known_cells is None else known_cells
        if (cube.first, all_columns) not in known_cells:
            known_cells[cube.first, all_columns] = _Cells.occurring(cube, counts)
        if (cube.first, needed) not in known_cells:  # sum the fewest known cells that have these columns
            having = [key for key in known_cells if key[0] == cube.first and key[1] >= needed]
            smallest = min(having, key=lambda key: known_cells[key].size)
            known_cells[cube.first, needed] = known_cells[smallest].by(needed)
        cells = known_cells[cube.first, needed]

        def values(name: str) -> Array:
            column = table.column(name)
            if not column.derived_from:
                return cells.values[name]
            assert column.values is not None
            derived: Array = np.asarray(column.values(self._setting))
            return derived[tuple(cells.values[base] for base in column.derived_from)]

        axes = [self.levels(crosstab.fact, name) for name in crosstab.by]
        shape = tuple(len(levels.names) for levels in axes)
        cell = np.zeros(cells.size, np.int64)
        for name, levels in zip(crosstab.by, axes, strict=True):
            cell = cell * len(levels.names) + levels.of(values(name))
        keep: Any = True
        if condition:
            levels_of = {name: column.levels_in(self._setting) for name, column in compared.items()}
            scales = {name: column.scale for name, column in compared.items()}
            keep = condition.evaluate({name: values(name) for name in compared}, levels_of, scales)
        size = int(np.prod(shape, dtype=np.int64))
        read = np.empty((1 + len(crosstab.sums), len(counts), size), np.int64)
        sums = _sums_by(cell, size, keep)
        for numbers, name in zip(read, ("", *crosstab.sums), strict=True):
            place = 1 + cube.sums.index(name) if name in cube.sums else 0
            weighted = _sums_by(cell, size, keep, values(name)) if name in multiplied else sums
            numbers[:] = (weighted @ cells.counts(place)).T
        return np.moveaxis(read.reshape(-1, len(counts), *shape), 0, -1)

    @cached_property
    def digest(self) -> str:
        """A hash of the layout of the counts."""
        layout = [(self._tables[cube.table].name, cube.bounds, cube.sums) for cube in self.cubes]
        return hashlib.sha256(json.dumps(layout).encode()).hexdigest()[:16]

    @cached_property
    def asked(self) -> int:
        """The counted tables, as a bit set of their numbers."""
        return sum(1 << number for number in {cube.table for cube in self.cubes})

    def _at(self, field_name: str) -> int:
        return int(self._sink.fields[field_name][1])  # type: ignore[index]

    @cached_property
    def _descriptors(self) -> tuple[Array, ...]:
        ends = [[self._at(f"{table.name}_{part}") // 4 for part in ("rows", "ends")] for table in self._tables]
        seats = [self._at(f"{table.name}_seat") if table.has_seat else -1 for table in self._tables]
        tables = [[*places, seat] for places, seat in zip(ends, seats, strict=True)]
        fills, cubes, dims, parts = (list[list[int]]() for _ in range(4))
        strides: list[int] = []
        for number in sorted({cube.table for cube in self.cubes}):
            table = self._tables[number]
            names = {name for cube in self.cubes if cube.table == number for name in (*cube.bounds, *cube.sums)}
            for column in OUTCOMES:
                if table.has_seat and column.name in names:
                    size = SIZES[column.dtype]
                    places = [self._at(f"{first}_{column.name}") // size for first in ("of_seat", table.name)]
                    fills.append([number, size, *places])
        first_word = 0
        for cube in self.cubes:
            table, first_dim, first_part = self._tables[cube.table], len(dims), len(parts)
            width = self._pack(cube, parts)
            stride = cube.cells * width
            for name, starts in cube.bounds.items():
                stride //= len(starts)
                place, size = self._place_of(table, name)
                low, high = starts[0], starts[-1]
                if size < 4:
                    low, high = min(max(low, 0), 256**size - 1), min(max(high, 0), 256**size - 1)
                levels = np.maximum(np.searchsorted(np.asarray(starts), np.arange(low, high + 1), side="right") - 1, 0)
                if np.array_equal(levels, np.arange(len(levels))):
                    dims.append([place, size, low, high, stride, -1])
                else:
                    dims.append([place, size, low, high, 0, len(strides)])
                    strides.extend((stride * levels).tolist())
            uses = [cube.table, first_dim, len(dims), first_part, len(parts)]
            cubes.append([*uses, cube.first, cube.cells, first_word, width])
            first_word += cube.cells * width

        columns = ((tables, 3), (fills, 4), (cubes, 9), (dims, 6), (parts, 5))
        arrays = (np.array(rows, np.int64).reshape(len(rows), count) for rows, count in columns)
        return *arrays, np.array(strides or [0], np.uint32)

    def _pack(self, cube: _Cube, parts: list[list[int]]) -> int:
        """Append the parts of a cube's words: the count, then the sums; return the number of words of a cell."""
        table, word, bit = self._tables[cube.table], 0, 0
        for place, size in ([-1, 0], *(self._place_of(table, name) for name in cube.sums)):
            if bit + BITS[size] > 64:
                word, bit = word + 1, 0
            parts.append([place, size, word, bit, BITS[size]])
            bit += BITS[size]
        return word + 1

    def _place_of(self, table: Table, name: str) -> list[int]:
        size = SIZES[table.column(name).dtype]
        return [self._at(f"{table.name}_{name}") // size, size]

    def counting(self, sink: Array) -> Counting:
        """Return the kernel's arrays for counting the rows of `sink`, an array of shape (1,)."""
        descriptors = self._descriptors
        width = descriptors[2][:, WIDTH]
        words = descriptors[2][:, CELLS] * width
        cells, packed = np.zeros(STEP, np.uint32), np.zeros(max(width, default=1) * STEP, np.uint64)
        pending, sums = np.zeros(len(self.cubes), np.int64), np.zeros(max(words.sum(), 1), np.uint64)
        raw = sink.view(np.uint8)
        rows = (raw, raw.view(np.uint16), raw.view(np.int32))
        return Counting._make((*rows, *descriptors, cells, packed, pending, sums))


def fact_union(*crosstab_lists: Iterable[Crosstab]) -> tuple[Crosstab, ...]:
    """Return the crosstabs of all lists, each once."""
    return tuple(dict.fromkeys(crosstab for crosstabs in crosstab_lists for crosstab in crosstabs))
