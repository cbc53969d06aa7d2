"""The store of a study: its chunks, in study.sqlite or in memory.

A chunk holds its outcome, counts, rows of games and kept rows of facts, with a SHA-256 over all of them. Chunks are checked
when the store is opened; damaged ones, and those that lack facts of the plan, are replayed.
"""

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.facts.columns import Table
from strozzi_sim.facts.row_storage import KeptRows, kept_rows
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.runtime.parsing import unpacked
from strozzi_sim.simulation.loop import ROW
from strozzi_sim.simulation.match import MatchResult
from strozzi_sim.studies.database import FileList, database_errors, read_database, write_database
from strozzi_sim.studies.folder import DATABASE, FORMAT, MANIFEST, TEMPORARY, read_manifest, refuse_links
from strozzi_sim.studies.manifest import now
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.plan_identity import differences, identity_of, with_all_components

_CHUNK_BYTES = 40_000  # typical size, of one without facts _SMALL_CHUNK_BYTES
_SMALL_CHUNK_BYTES = 4_096
_ROW_BYTES = 10  # of a kept row of facts, in its chunk and in its file
_RESERVE = 64 * 2**20
_COLUMNS = "cell, chunk, games, holds, sha256, outcome, counts, seats, rows"
_TYPES = (int, int, int, str, bytes, bytes, bytes, bytes, bytes)

Key = tuple[int, int]  # cell, chunk


class Chunk(NamedTuple):
    """A row of the table `chunks`: `holds` is JSON, the four last are compressed."""

    cell: int
    chunk: int
    games: int
    holds: str
    sha256: bytes
    outcome: bytes
    counts: bytes
    seats: bytes
    rows: bytes

    def digest(self) -> bytes:
        """Return the SHA-256 of everything else in the row."""
        whole = hashlib.sha256(f"{self.cell} {self.chunk} {self.games} {self.holds}".encode())
        for part in self[5:]:
            whole.update(len(part).to_bytes(8, "big"))
            whole.update(part)
        return whole.digest()

    def is_whole(self, plan: Plan) -> bool:
        """Return whether it is a chunk of the plan that was read as it was written; values of SQLite may have any type."""
        return (
            all(isinstance(part, kind) for part, kind in zip(self, _TYPES, strict=True))
            and self.digest() == self.sha256
            and self.games == plan.chunk_games(plan.cells[self.cell], self.chunk)
        )


def read_chunks(folder: Path, plan: Plan) -> Iterator[Chunk]:
    """Yield the chunks in a results folder of a plan, or of a part of one, without locking the folder.

    Raises:
        InputError: a chunk is damaged, counts other facts, or does not belong to the plan.
        StorageError: a run is writing there, or it cannot be read.
    """
    keys = set(plan.keys)
    with read_database(folder) as connection, database_errors(folder / DATABASE):
        for row in () if connection is None else connection.execute(f"SELECT {_COLUMNS} FROM chunks ORDER BY id"):
            chunk = Chunk(*row)
            name = f"{folder}: chunk {chunk.chunk!r:.40} of cell {chunk.cell!r:.40}"
            if chunk[:2] not in keys:
                raise InputError(f"{name} does not belong there")
            if not chunk.is_whole(plan):
                raise InputError(f"{name} is damaged; run the command of this folder again, which replays it")
            if chunk.holds != _holds(chunk[:2], plan):
                raise InputError(
                    f"{name} counts other facts; run the command of this folder again with the same study file"
                )
            yield chunk


def pack(key: Key, played: MatchResult, plan: Plan) -> Chunk:
    """Return a finished chunk in its stored form."""
    outcome, counts, seats = (zlib.compress(part.tobytes(), 1) for part in (played.outcome, played.counts, played.rows))
    chunk = Chunk(*key, played.games, _holds(key, plan), b"", outcome, counts, seats, played.kept)
    return chunk._replace(sha256=chunk.digest())


def _holds(key: Key, plan: Plan) -> str:
    """Return what a chunk of this plan counts and keeps, as JSON."""
    holds: dict[str, Any] = {"counted": plan.digests[key[0]]}
    if plan.held.tables:
        holds |= {"kept": list(plan.held.tables), "every": plan.held.every}
    return json.dumps(holds)


class MemoryStore:
    """Chunks of a plan in memory.

    Attributes:
        plan: the study.
        done: (cell, chunk) -> games and SHA-256 of every chunk that is stored.
        is_persistent: whether a later run finds the chunks.
    """

    is_persistent = False

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.done: dict[Key, tuple[int, bytes]] = {}
        self._chunks: dict[Key, Chunk] = {}

    def write(self, key: Key, played: MatchResult) -> None:
        """Store a finished chunk.

        Raises:
            StorageError: it cannot be written.
        """
        self.adopt(pack(key, played, self.plan))

    def adopt(self, chunk: Chunk) -> None:
        """Store a chunk that another store holds.

        Raises:
            StorageError: it cannot be written.
        """
        key = chunk.cell, chunk.chunk
        self._put(key, chunk)
        self.done[key] = chunk.games, chunk.sha256

    def read(self, key: Key) -> tuple[Any, Any, Any]:
        """Return a chunk's outcome, counts and rows of games.

        Raises:
            InputError: no run wrote it.
        """
        chunk = self._get(key)
        with self._unpacking(key):
            dtypes, most = (self.plan.outcome, self.plan.counts, ROW), self.plan.chunk_bytes(key)
            parts = zip((chunk.outcome, chunk.counts, chunk.seats), dtypes, most, strict=True)
            outcome, counts, rows = (np.frombuffer(unpacked(part, size), dtype) for part, dtype, size in parts)
            return outcome, counts, rows

    def kept(self, key: Key, table: Table) -> Iterator[KeptRows]:
        """Yield the rows of a fact table that a chunk kept, block by block."""
        chunk = self._get(key)
        with self._unpacking(key):
            yield from kept_rows(chunk.rows, self.plan.held, table)

    @contextlib.contextmanager
    def _unpacking(self, key: Key) -> Iterator[None]:
        """Refuse a chunk of a stranger's folder that no run wrote, though its digest fits."""
        try:
            yield
        except (zlib.error, ValueError, LookupError, TypeError):
            where = f"{self._place}: chunk {key[1]} of cell {key[0]}"
            raise InputError(f"{where} holds no results of this plan; run in another folder") from None

    _place = "memory"

    def _put(self, key: Key, chunk: Chunk) -> None:
        self._chunks[key] = chunk

    def _get(self, key: Key) -> Chunk:
        return self._chunks[key]


class Store(MemoryStore):
    """The results folder of a plan, locked for this process; use as a context manager.

    Attributes:
        folder: where it is.
        files: the files that runs wrote there.
        damaged: chunks whose content is missing or changed.
        outdated: chunks that do not hold what the plan counts and keeps.
    """

    is_persistent = True

    def __init__(self, folder: Path, plan: Plan) -> None:
        super().__init__(plan)
        self.folder = folder
        self.damaged: list[Key] = []
        self.outdated: list[Key] = []
        self.files: FileList
        self._undo = contextlib.ExitStack()
        self._connection: sqlite3.Connection

    def __enter__(self) -> "Store":
        """Create or open the folder.

        Raises:
            InputError: it holds the results of another plan, or something else altogether.
            StorageError: it cannot be written, is in use, or the disk is too full for the study.
        """
        refuse_links(self.folder)
        self._check_folder()
        with storage_errors(f"cannot write to {self.folder}"):
            self.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as undo:
            self._connection = undo.enter_context(write_database(self.folder))
            self.files = FileList(self.folder, self._connection)
            self._check_plan()
            self._check_chunks()
            self._check_space()
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the database, which unlocks the folder."""
        self._undo.close()

    @property
    def _place(self) -> str:  # type: ignore[override]
        return str(self.folder / DATABASE)

    def _check_folder(self) -> None:
        with storage_errors(f"cannot write to {self.folder}"):
            try:
                names = {name for name in os.listdir(self.folder) if not TEMPORARY.match(name)}
            except FileNotFoundError:
                return
            except NotADirectoryError:
                if not self.folder.exists():
                    raise  # a file among its parents
                raise InputError(f"{self.folder}: is a file; name a folder for the results") from None
        if MANIFEST in names:
            manifest = read_manifest(self.folder)
            self._check_same(manifest["plan"])
            self._refuse_other_part(manifest)
        elif {name for name in names if not name.startswith(DATABASE)}:
            raise InputError(f"{self.folder}: is not empty and holds no results of a study; name another folder")

    def _check_same(self, resolved: Mapping[str, Any]) -> int:
        """Return the deals of the plan in the folder, which more deals extend.

        Raises:
            InputError: it is another plan, or holds more deals.
        """
        before, here = with_all_components(resolved, self.plan.game), self.plan.resolved
        deals: int = before["deals"]
        if identity_of(before) != identity_of(here):
            changes = list(differences(before, here))
            shown = "; ".join(changes[:3]) + (f"; and {len(changes) - 3} more" if len(changes) > 3 else "")
            size = before.get("chunk_deals", 0)
            only = identity_of(before) == identity_of({**here, "chunk_deals": size})
            more = (
                f"to extend the study, set chunk_deals = {size} in its file, or "
                if only and deals != here["deals"]
                else ""
            )
            raise InputError(f"{self.folder}: holds the results of another plan ({shown}); {more}name another folder")
        if deals > here["deals"]:
            raise InputError(
                f"{self.folder}: holds {deals:,} deals of this study, more than {here['deals']:,}; ask for at least as "
                "many, or name another folder"
            )
        return deals

    def _refuse_other_part(self, manifest: Mapping[str, Any]) -> None:
        there, here = manifest.get("part") or "", str(self.plan.part or "")
        if there != here:
            holds = f"part {there} of the study" if there else "the study without parts"
            raise InputError(
                f"{self.folder}: holds {holds}, not {f'part {here}' if here else 'all of it'}; name another folder"
            )

    def _check_plan(self) -> None:
        """Write the plan into a new database; refuse another plan in an old one."""
        with database_errors(self.folder / DATABASE):
            rows = self._connection.execute("SELECT resolved FROM plan").fetchall()
            if not rows:
                plan, cells = self.plan, self.plan.cells
                self._connection.execute("BEGIN")
                self._connection.execute(
                    "INSERT INTO plan VALUES (?, ?, ?)", (FORMAT, plan.hash, json.dumps(plan.resolved))
                )
                self._connection.executemany(
                    "INSERT INTO cells VALUES (?, ?, ?, ?, ?)",
                    [
                        (
                            cell.number,
                            cell.match.players,
                            cell.match.variant.name,
                            cell.lineup,
                            cell.match.games_per_deal,
                        )
                        for cell in cells
                    ],
                )
                self._connection.execute("COMMIT")
                return
        try:
            deals = self._check_same(dict(json.loads(rows[0][0])))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            raise InputError(f"{self._place}: table plan: holds no plan; run in another folder") from None
        if deals != self.plan.deals:
            self._extend(self.plan.extended(deals))

    def _extend(self, before: Plan) -> None:
        """Replace the plan by the one with more deals; the last chunk goes if it was shorter, and is played again."""
        with database_errors(self.folder / DATABASE):
            self._connection.execute("BEGIN")
            self._connection.execute(
                "UPDATE plan SET hash = ?, resolved = ?", (self.plan.hash, json.dumps(self.plan.resolved))
            )
            if before.deals % before.chunk_deals:
                self._connection.execute("DELETE FROM chunks WHERE chunk = ?", (before.chunks - 1,))
            self._connection.execute("COMMIT")

    def _check_chunks(self) -> None:
        """Sort the stored chunks into those that are done, damaged and outdated."""
        keys = set(self.plan.keys)
        with database_errors(self.folder / DATABASE):
            for row in self._connection.execute(f"SELECT {_COLUMNS} FROM chunks ORDER BY id"):
                chunk = Chunk(*row)
                key = chunk[:2]
                if key not in keys:
                    continue
                if not chunk.is_whole(self.plan):
                    self.damaged.append(key)
                elif chunk.holds != _holds(key, self.plan):
                    self.outdated.append(key)
                else:
                    self.done[key] = chunk.games, chunk.sha256

    def _check_space(self) -> None:
        """Refuse to begin if what is still to be played will not fit on the disk.

        Raises:
            StorageError: names the free and the needed space.
        """
        left = len(set(self.plan.keys).difference(self.done))
        if left == 0:
            return
        guess = _SMALL_CHUNK_BYTES if self.plan.orders else _CHUNK_BYTES
        rows = self.plan.kept_rows * _ROW_BYTES
        if self.plan.rows:
            rows += self.plan.games * max(self.plan.players) * ROW.itemsize // 4
        missing = left * guess + rows * left // len(self.plan.keys) + _RESERVE
        with storage_errors(f"cannot write to {self.folder}"):
            free = shutil.disk_usage(self.folder).free
        if free < missing:
            raise StorageError(f"{self.folder}: {free >> 20} MiB free on the disk, about {missing >> 20} MiB needed")

    def begin_run(self, manifest: Mapping[str, Any]) -> None:
        """Note in the table `runs` that a run begins."""
        versions, host = json.dumps(manifest["versions"]), json.dumps(manifest["host"])
        with database_errors(self.folder / DATABASE):
            statement = "INSERT INTO runs (started, command, versions, host) VALUES (?, ?, ?, ?)"
            self._connection.execute(statement, (now(), manifest["command"], versions, host))

    def end_run(self, games: int) -> None:
        """Note that the run is finished, and the games that it played."""
        with database_errors(self.folder / DATABASE):
            statement = "UPDATE runs SET finished = ?, games = ? WHERE run = (SELECT max(run) FROM runs)"
            self._connection.execute(statement, (now(), games))

    def _put(self, key: Key, chunk: Chunk) -> None:
        with database_errors(self.folder / DATABASE):
            self._connection.execute(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (_id(key), *chunk)
            )

    def _get(self, key: Key) -> Chunk:
        with database_errors(self.folder / DATABASE):
            row = self._connection.execute(f"SELECT {_COLUMNS} FROM chunks WHERE id = ?", (_id(key),)).fetchone()
        chunk = row and Chunk(*row)
        if chunk is None or chunk.sha256 != self.done[key][1] or chunk.digest() != chunk.sha256:
            raise StorageError(f"{self._place}: changed while the study was running; run again")
        return chunk


def _id(key: Key) -> int:
    return key[0] << 32 | key[1]
