"""Storage of raw rows of facts: copied from the sink, compressed, read again, and counted.

The rows of a range of deals are a sequence of blocks. A block begins with a line of JSON: its number of games, and the
sizes of its parts before and after compression. The compressed parts follow: the games (`GAME` records), then one part
per table, which has the number of rows of each game, uint32, and then the written columns one after the other.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta

from strozzi_sim.errors import ArgumentError, short_repr, suggest_names
from strozzi_sim.facts.columns import OUTCOMES, Array, Table
from strozzi_sim.facts.crosstabs import CrosstabPlan
from strozzi_sim.facts.sink import GAMES, SEATS

BLOCK = 2**16  # a block ends once it has this many games, or rows of a table
_OUTCOMES = {column.name for column in OUTCOMES}

# A game of a selected deal: its deal, its seating, and the OUTCOMES of the seats.
_OF_SEATS = [(column.name, column.dtype, (SEATS,)) for column in OUTCOMES]
GAME = np.dtype([("deal", "i8"), ("seating", "i4"), *_OF_SEATS], align=True)


@dataclass(frozen=True)
class RowSelection:
    """A selection of rows to store."""

    tables: tuple[str, ...] = ()  # names of fact tables, in the game's order
    every: Annotated[int, Meta(ge=1)] = 1  # only deals that are multiples of this number

    def covers(self, other: "RowSelection") -> bool:
        """Return whether this selection includes all rows of `other`."""
        return not other.tables or (set(other.tables) <= set(self.tables) and other.every % self.every == 0)


NO_ROWS = RowSelection()


def keep_of(tables: Sequence[Table], names: Sequence[str], share: float | None = None) -> RowSelection:
    """Return the selection of the tables `names`, from one in round(1 / share) deals; default: from all deals."""
    table_names = [table.name for table in tables]
    for name in names:
        if name not in table_names:
            raise ArgumentError("facts", f"no fact table {short_repr(name)}; {suggest_names(name, table_names)}")
        if names.count(name) > 1:
            raise ArgumentError("facts", f"{name!r} is listed {names.count(name)} times")
    tables_in_order = tuple(name for name in table_names if name in names)
    if share is None:
        return RowSelection(tables_in_order)
    if not names:
        raise ArgumentError("facts_share", f"requires at least one table in facts; known: {', '.join(table_names)}")
    if not (isfinite(share) and 0 < share <= 1):
        raise ArgumentError("facts_share", f"must be above 0 and at most 1, got {share}")
    return RowSelection(tables_in_order, round(min(1 / share, 2.0**31 - 1)))


class _RowBuffer:
    def __init__(self, dtypes: Mapping[str, Any], rows: int) -> None:
        self.columns = {name: np.zeros(rows, dtype) for name, dtype in dtypes.items()}
        self.rows = 0

    def add(self, columns: Mapping[str, Array], rows: int, chosen: Any) -> None:
        first = self.rows
        for name, column in columns.items():
            part = column[:rows][chosen]
            self.rows = first + len(part)
            self.columns[name][first : self.rows] = part

    def empty(self) -> bytes:
        rows, self.rows = self.rows, 0
        return b"".join(column[:rows].tobytes() for column in self.columns.values())


class RowRecorder:
    """A recorder of selected rows. Kernels call `address` whenever they have counted a sink, before it is emptied."""

    def __init__(self, tables: Sequence[Table], sink: Array, keep: RowSelection) -> None:
        self._sink, self._every = sink, keep.every
        games = ("deal", "seating", *(column.name for column in OUTCOMES))
        self._games = {name: sink[name if name in sink.dtype.names else f"of_seat_{name}"][0] for name in games}
        self._game_rows = np.zeros(BLOCK + GAMES, GAME)
        self._game_count = 0
        self._tables = []
        for table in tables:
            if table.name in keep.tables:
                columns = {column.name: sink[f"{table.name}_{column.name}"][0] for column in table.written}
                dtypes = {name: column.dtype for name, column in columns.items()}
                counts = np.zeros(len(self._game_rows), np.uint32)
                buffer = _RowBuffer(dtypes, BLOCK + table.rows)
                self._tables.append((sink[f"{table.name}_ends"][0], columns, counts, buffer))
        self._blocks: list[bytes] = []
        self._failure: BaseException | None = None
        self._function = CFUNCTYPE(None)(self._take_safely)
        self.address = c_void_p.from_buffer(self._function).value  # `cast` would create a reference cycle

    def _take_safely(self) -> None:
        """Run `take` for compiled code, which no exception may cross."""
        try:
            if self._failure is None:
                self.take()
        except BaseException as failure:  # noqa: BLE001 - signals included; `content` raises it
            self._failure = failure

    def take(self) -> None:
        """Copy the selected rows of the sink, which stays unchanged."""
        games = int(self._sink["games"][0])
        if games == 0:
            return
        selected = self._games["deal"][:games] % self._every == 0
        count = int(np.count_nonzero(selected))
        if count == 0:
            return
        is_all = count == games
        chosen: Any = slice(None) if is_all else selected
        first, self._game_count = self._game_count, self._game_count + count
        for name, values in self._games.items():
            self._game_rows[name][first : self._game_count] = values[:games][chosen]
        for ends, columns, counts, rows_of_table in self._tables:
            rows = ends[:games].copy()
            rows[1:] -= ends[: games - 1]
            counts[first : self._game_count] = rows[chosen]
            rows_of_table.add(columns, int(ends[games - 1]), chosen if is_all else np.repeat(selected, rows))
        if max(self._game_count, *(rows_of_table.rows for *_, rows_of_table in self._tables)) >= BLOCK:
            self._end_block()

    def _end_block(self) -> None:
        games, self._game_count = self._game_count, 0
        parts = [self._game_rows[:games].tobytes()]
        parts += [counts[:games].tobytes() + rows_of_table.empty() for _, _, counts, rows_of_table in self._tables]
        packed = [_codec().compress(part, asbytes=True) for part in parts]
        sizes = [[len(part), len(small)] for part, small in zip(parts, packed, strict=True)]
        self._blocks.append(json.dumps({"games": games, "sizes": sizes}).encode() + b"\n" + b"".join(packed))

    def content(self) -> bytes:
        """Return all blocks, or raise the first exception of `take`. Call once, at the end."""
        del self._function  # it holds a reference to this object
        if self._failure is not None:
            raise self._failure
        if self._game_count:
            self._end_block()
        return b"".join(self._blocks)


class KeptRows(NamedTuple):
    """The rows of one table in a block."""

    games: Array  # GAME records of all games of the block
    game: Array  # index into `games` for each row
    columns: dict[str, Array]  # written columns by name


def kept_rows(content: bytes, keep: RowSelection, table: Table) -> Iterator[KeptRows]:
    """Yield the rows of a table from the content of a RowRecorder with the selection `keep`, block by block."""
    table_index, offset = 1 + keep.tables.index(table.name), 0
    games, width = BLOCK + GAMES, sum(np.dtype(column.dtype).itemsize for column in table.written)
    max_sizes = {0: games * GAME.itemsize, table_index: 4 * games + width * (BLOCK + table.rows)}
    while offset < len(content):
        body_start = content.index(b"\n", offset) + 1
        head = json.loads(content[offset:body_start])
        if any(not 0 <= head["sizes"][k][0] <= size for k, size in max_sizes.items()):
            raise ValueError("a block is too long")
        starts = np.cumsum([body_start, *(small for _, small in head["sizes"])]).tolist()
        parts = ((content[starts[k] : starts[k + 1]], head["sizes"][k][0]) for k in (0, table_index))
        games_bytes, body = (_codec().decompress(part, size, asbytes=True) for part, size in parts)
        counts = np.frombuffer(body, np.uint32, head["games"])
        rows, place, columns = int(counts.sum()), counts.nbytes, {}
        for column in table.written:
            columns[column.name] = np.frombuffer(body, column.dtype, rows, place)
            place += columns[column.name].nbytes
        yield KeptRows(np.frombuffer(games_bytes, GAME), np.repeat(np.arange(len(counts)), counts), columns)
        offset = starts[-1]


def _codec() -> Any:
    import pyarrow as pa

    return pa.Codec("zstd", compression_level=1)


def recount(plan: CrosstabPlan, table: Table, blocks: Iterable[KeptRows]) -> Array:
    """Return the counts of a plan, int64[plan.size]: those of one table from its stored rows, 0 for other tables.

    Sums are exact below 2^53.
    """
    counts = np.zeros(plan.size, np.int64)
    for rows in blocks:
        for cube in plan.cubes_of(table.name):
            cell = np.zeros(len(rows.game), np.int64)
            for name, starts in cube.bounds.items():
                values = np.maximum(_values(rows, name), starts[0])
                cell = cell * len(starts) + np.searchsorted(np.asarray(starts), values, side="right") - 1
            numbers = [np.bincount(cell, minlength=cube.cells)]
            numbers += [np.bincount(cell, _values(rows, name), cube.cells) for name in cube.sums]
            part = counts[cube.first : cube.first + cube.cells * cube.width].reshape(cube.cells, cube.width)
            part += np.stack(numbers, axis=1).astype(np.int64)
    return counts


def _values(rows: KeptRows, name: str) -> Array:
    if name in _OUTCOMES:
        outcomes: Array = rows.games[name][rows.game, rows.columns["seat"]]
        return outcomes.astype(np.int64)
    return rows.columns[name].astype(np.int64)
