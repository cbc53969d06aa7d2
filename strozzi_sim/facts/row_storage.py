"""Rows of facts that are kept as they are: taken from the sink, compressed, and read again.

What a range of deals kept is a sequence of blocks. A block is a line of JSON, how many games it is of and the sizes of its
parts, and then the parts, each compressed: first the games (`GAME` records), then every table's rows, that is how many
each game has, and one written column after the other.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta

from strozzi_sim.errors import ArgumentError, known_names, shown
from strozzi_sim.facts.columns import OUTCOMES, Array, Table
from strozzi_sim.facts.sink import GAMES, SEATS

BLOCK = 2**16  # rows of a table; a block ends once it has so many of one

# A game of which rows are kept: which one it was, and how each seat fared.
GAME = np.dtype(
    [("deal", "i8"), ("seating", "i4"), *((column.name, column.dtype, (SEATS,)) for column in OUTCOMES)], align=True
)  # fmt: skip


@dataclass(frozen=True)
class Keep:
    """Which rows are kept.

    Attributes:
        tables: names of fact tables, in the game's order.
        every: of deals that are multiples of this.
    """

    tables: tuple[str, ...] = ()
    every: Annotated[int, Meta(ge=1)] = 1

    def covers(self, other: "Keep") -> bool:
        """Whether all that `other` keeps is kept."""
        return not other.tables or (set(other.tables) <= set(self.tables) and other.every % self.every == 0)


NOTHING = Keep()


def keep_of(tables: Sequence[Table], names: Sequence[str], share: float | None = None) -> Keep:
    """Which rows a study keeps: those of the tables `names`, of about `share` of all deals; None is all.

    Raises:
        ArgumentError: an unknown table, or a share that is none.
    """
    known = [table.name for table in tables]
    for name in names:
        if name not in known:
            raise ArgumentError("facts", f"no fact table {shown(name)}; {known_names(name, known)}")
        if names.count(name) > 1:
            raise ArgumentError("facts", f"{name!r} is listed {names.count(name)} times")
    if share is None:
        return Keep(tuple(name for name in known if name in names))
    if not names:
        known_tables = ", ".join(known)
        raise ArgumentError("facts_share", f"says how much is kept, but facts names no table; known: {known_tables}")
    if not (isfinite(share) and 0 < share <= 1):
        raise ArgumentError("facts_share", f"must be above 0 and at most 1, got {share}")
    return Keep(tuple(name for name in known if name in names), round(min(1 / share, 2.0**31 - 1)))


class _Pile:
    """Room for some rows: columns by name, filled from the top."""

    def __init__(self, dtypes: Mapping[str, Any], rows: int) -> None:
        self.columns = {name: np.zeros(rows, dtype) for name, dtype in dtypes.items()}
        self.rows = 0

    def add(self, found: Mapping[str, Array], rows: int, chosen: Any) -> None:
        """Add some of the first `rows` rows of these columns."""
        first = self.rows
        for name, column in found.items():
            part = column[:rows][chosen]
            self.rows = first + len(part)
            self.columns[name][first : self.rows] = part

    def empty(self) -> bytes:
        """All of it as bytes; there is nothing in it afterwards."""
        rows, self.rows = self.rows, 0
        return b"".join(column[:rows].tobytes() for column in self.columns.values())


class RowKeeper:
    """Takes rows from the sink that games are played with, a sink full at a time.

    Args:
        tables: of the game.
        sink: array of shape (1,).
        keep: what is wanted.

    Attributes:
        address: of a function for compiled code, which calls `take`.
    """

    def __init__(self, tables: Sequence[Table], sink: Array, keep: Keep) -> None:
        self._sink, self._every = sink, keep.every
        games = ("deal", "seating", *(column.name for column in OUTCOMES))
        self._games = {name: sink[name if name in sink.dtype.names else f"of_seat_{name}"][0] for name in games}
        self._pile = np.zeros(BLOCK + GAMES, GAME)
        self._piled = 0
        self._tables = []
        for table in tables:
            if table.name in keep.tables:
                columns = {column.name: sink[f"{table.name}_{column.name}"][0] for column in table.written}
                dtypes = {name: column.dtype for name, column in columns.items()}
                counts = np.zeros(len(self._pile), np.uint32)
                self._tables.append((sink[f"{table.name}_ends"][0], columns, counts, _Pile(dtypes, BLOCK + table.rows)))
        self._blocks: list[bytes] = []
        self._failure: BaseException | None = None
        self._function = CFUNCTYPE(None)(self._called)
        self.address = c_void_p.from_buffer(self._function).value  # `cast` would make a circle of references

    def _called(self) -> None:
        """From compiled code, which no exception may cross."""
        try:
            if self._failure is None:
                self.take()
        except BaseException as failure:  # noqa: BLE001 - a signal's among them; `content` raises it
            self._failure = failure

    def take(self) -> None:
        """Take the rows that are wanted; the sink stays as it is."""
        games = int(self._sink["games"][0])
        if games == 0:
            return
        wanted = self._games["deal"][:games] % self._every == 0
        found = int(np.count_nonzero(wanted))
        if found == 0:
            return
        whole = found == games
        chosen: Any = slice(None) if whole else wanted
        first, self._piled = self._piled, self._piled + found
        for name, values in self._games.items():
            self._pile[name][first : self._piled] = values[:games][chosen]
        for ends, columns, counts, pile in self._tables:
            rows = ends[:games].copy()
            rows[1:] -= ends[: games - 1]
            counts[first : self._piled] = rows[chosen]
            pile.add(columns, int(ends[games - 1]), chosen if whole else np.repeat(wanted, rows))
        if max(self._piled, *(pile.rows for *_, pile in self._tables)) >= BLOCK:
            self._end_block()

    def _end_block(self) -> None:
        games, self._piled = self._piled, 0
        parts = [self._pile[:games].tobytes()]
        parts += [counts[:games].tobytes() + pile.empty() for _, _, counts, pile in self._tables]
        packed = [_codec().compress(part, asbytes=True) for part in parts]
        sizes = [[len(part), len(small)] for part, small in zip(parts, packed, strict=True)]
        self._blocks.append(json.dumps({"games": games, "sizes": sizes}).encode() + b"\n" + b"".join(packed))

    def content(self) -> bytes:
        """All that was taken; raises what was raised meanwhile. Nothing can be taken any more."""
        del self._function  # which holds on to all of this
        if self._failure is not None:
            raise self._failure
        if self._piled:
            self._end_block()
        return b"".join(self._blocks)


class KeptRows(NamedTuple):
    """Rows of one table.

    Attributes:
        games: GAME records of the games they are of.
        game: of each row, the number of its game among them.
        columns: those that were written, by name.
    """

    games: Array
    game: Array
    columns: dict[str, Array]


def kept_rows(content: bytes, keep: Keep, table: Table) -> Iterator[KeptRows]:
    """The rows of a table in what a RowKeeper took, block by block."""
    which, at = 1 + keep.tables.index(table.name), 0
    while at < len(content):
        begin = content.index(b"\n", at) + 1
        head = json.loads(content[at:begin])
        starts = np.cumsum([begin, *(small for _, small in head["sizes"])]).tolist()
        games, body = (
            _codec().decompress(content[starts[k] : starts[k + 1]], head["sizes"][k][0], asbytes=True)
            for k in (0, which)
        )
        counts = np.frombuffer(body, np.uint32, head["games"])
        rows, place, columns = int(counts.sum()), counts.nbytes, {}
        for column in table.written:
            columns[column.name] = np.frombuffer(body, column.dtype, rows, place)
            place += columns[column.name].nbytes
        yield KeptRows(np.frombuffer(games, GAME), np.repeat(np.arange(len(counts)), counts), columns)
        at = starts[-1]


def _codec() -> Any:
    import pyarrow as pa

    return pa.Codec("zstd", compression_level=1)
