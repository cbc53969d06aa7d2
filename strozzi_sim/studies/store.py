"""Chunks of a study on the disk: append-only segments, and the ledger that lists what is in them.

A run appends its chunks to a segment of its own. A thread flushes it to the disk and then lists, in one append to the
ledger, what has come since the last time: each chunk's segment, offset, length and SHA-256. So the disk sets the size
of these groups, not the pace of the run, and whatever the ledger lists was on the disk when it was listed. A torn last
line of the ledger is dropped. A chunk whose bytes no longer match is played again.
"""

import contextlib
import hashlib
import os
import shutil
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec
from msgspec import Meta

from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.facts.columns import Table
from strozzi_sim.facts.keeping import KeptRows
from strozzi_sim.kernel.files import storage_errors
from strozzi_sim.selfplay.loop import ROW
from strozzi_sim.selfplay.match import MatchResult
from strozzi_sim.studies.chunks import Key, Place, head, pack, unpack, unpack_kept
from strozzi_sim.studies.folder import (
    FILES,
    LEDGER,
    LOCK,
    MANIFEST,
    TEMPORARY,
    folder_lock,
    read_manifest,
    refuse_links,
)
from strozzi_sim.studies.plan import Plan, as_today, differences, hash_of

_GUESS = 40_000  # bytes of a chunk, about
_SMALL_GUESS = 4_096  # without facts
_ROW_GUESS = 10  # bytes of a kept row of facts, in its chunk and in its file
_RESERVE = 64 * 2**20

_Number = Annotated[int, Meta(ge=0, le=2**53)]


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A line of the ledger: where a chunk lies."""

    cell: _Number
    chunk: _Number
    games: _Number
    segment: Annotated[str, Meta(pattern="^[0-9]{4,9}$")]
    offset: _Number
    length: _Number
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Store:
    """The results folder of a plan, locked for this process; use as a context manager.

    Attributes:
        folder: where it is.
        done: (cell, chunk) -> where it lies, of every chunk that is there and whole.
        damaged: chunks that were listed but are missing or changed.
        outdated: chunks that are whole but do not hold what the plan counts and keeps.
        unreadable: numbers of the ledger's lines that are not entries; their chunks are played again.
        keeps: whether a later run finds the chunks again.
    """

    keeps = True

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder, self.plan = folder, plan
        self.done: dict[Key, Place] = {}
        self.damaged: list[Key] = []
        self.outdated: list[Key] = []
        self.unreadable: list[int] = []
        self._undo = contextlib.ExitStack()
        self._reader: tuple[int, IO[bytes]] | None = None
        self._writer: _Writer | None = None

    def __enter__(self) -> "Store":
        """Create or open the folder.

        Raises:
            InputError: it holds the results of another plan, or something else altogether.
            StorageError: it cannot be written, is in use, or the disk is too full for the study.
        """
        refuse_links(self.folder)
        self._check_folder()
        with storage_errors(f"cannot write to {self.folder}"):
            (self.folder / "chunks").mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as undo:
            undo.enter_context(folder_lock(self.folder))
            self._check_space()
            self._read_ledger()
            undo.callback(self._close)
            self._undo = undo.pop_all()  # the lock is held until we leave
        return self

    def __exit__(self, *_: object) -> None:
        """List what is written, and let go of the folder."""
        self._undo.close()

    def _close(self) -> None:
        if self._reader is not None:
            self._reader[1].close()
        self.settle()

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
            self._check_same_plan()
        elif names - {LOCK, "chunks", LEDGER, FILES} or self._is_begun():
            raise InputError(f"{self.folder}: is not empty and holds no results of a study; name another folder")

    def _is_begun(self) -> bool:
        """Whether there is more than what a run makes before its manifest."""
        with storage_errors(f"cannot read {self.folder}"):
            ledger, chunks = self.folder / LEDGER, self.folder / "chunks"
            return (ledger.exists() and ledger.stat().st_size > 0) or (chunks.exists() and any(chunks.iterdir()))

    def _check_same_plan(self) -> None:
        manifest = read_manifest(self.folder)
        before = as_today(manifest["plan"], self.plan.game)
        if hash_of(before) != self.plan.hash:
            changes = list(differences(before, self.plan.resolved))
            shown = "; ".join(changes[:3]) + (f"; and {len(changes) - 3} more" if len(changes) > 3 else "")
            raise InputError(f"{self.folder}: holds the results of another plan ({shown}); name another folder")

    def _check_space(self) -> None:
        guess = _SMALL_GUESS if self.plan.orders else _GUESS
        missing = len(self.plan.cells) * self.plan.chunks * guess + _RESERVE
        if self.plan.rows:
            missing += self.plan.games * max(self.plan.players) * ROW.itemsize // 4
        missing += self.plan.kept_rows * _ROW_GUESS
        with storage_errors(f"cannot write to {self.folder}"):
            free = shutil.disk_usage(self.folder).free
        if free < missing:
            raise StorageError(f"{self.folder}: {free >> 20} MiB free on the disk, about {missing >> 20} MiB needed")

    def _segment(self, number: int) -> Path:
        return self.folder / "chunks" / f"{number:04d}.segment"

    def _read_ledger(self) -> None:
        path = self.folder / LEDGER
        with storage_errors(f"cannot read {path}"):
            if not path.exists():
                return
            with path.open("r+b") as ledger:
                whole = 0
                for number, line in enumerate(ledger, 1):
                    if not line.endswith(b"\n"):
                        break
                    whole += len(line)
                    self._list(path, number, line)
                ledger.truncate(whole)  # a torn last line goes
        for key, place in sorted(self.done.items(), key=lambda item: item[1][1:3]):
            content = self._bytes(key, place)
            if content is None:
                self.damaged.append(key)
            elif not content.startswith(head(key, self.plan)):
                self.outdated.append(key)
        for key in (*self.damaged, *self.outdated):
            del self.done[key]

    def _list(self, path: Path, number: int, line: bytes) -> None:
        """Take a line of the ledger: what is no JSON was damaged, what is and says nonsense was written by hand."""
        try:
            plain = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            self.unreadable.append(number)
            return
        where = f"{path}: line {number}"
        try:
            entry = msgspec.convert(plain, Entry)
        except msgspec.ValidationError as error:
            raise InputError(f"{where}: {error}; remove the line to play its chunk again") from None
        if entry.cell >= len(self.plan.cells) or entry.chunk >= self.plan.chunks:
            raise InputError(f"{where}: the plan has no chunk {entry.chunk} of cell {entry.cell}")
        games = self.plan.chunk_games(self.plan.cells[entry.cell], entry.chunk)
        if entry.games != games:
            raise InputError(f"{where}: games: expected {games} of this chunk, got {entry.games}")
        self.done[entry.cell, entry.chunk] = Place(
            entry.games, int(entry.segment), entry.offset, entry.length, bytes.fromhex(entry.sha256)
        )

    def _bytes(self, key: Key, place: Place) -> bytes | None:
        """The bytes of a chunk, None if they are not what was listed."""
        path = self._segment(place.segment)
        with storage_errors(f"cannot read {path}"):
            if self._reader is None or self._reader[0] != place.segment:
                if self._reader is not None:
                    self._reader[1].close()
                    self._reader = None
                try:
                    self._reader = place.segment, path.open("rb")
                except FileNotFoundError:
                    return None
            file = self._reader[1]
            if place.offset + place.length > os.fstat(file.fileno()).st_size:
                return None  # also what no memory would hold
            file.seek(place.offset)
            content = file.read(place.length)
        whole = hashlib.sha256(content).digest() == place.sha256 and content.startswith(head(key))
        return content if whole else None

    def write(self, key: Key, played: MatchResult) -> None:
        """Keep a finished chunk. It is listed soon, at the latest when the folder is left.

        Raises:
            StorageError: this one or one before it cannot be written.
        """
        if self._writer is None:
            segments = [int(path.stem) for path in (self.folder / "chunks").glob("[0-9]*.segment")]
            number = max(segments, default=-1) + 1
            self._writer = _Writer(number, self._segment(number), self.folder / LEDGER)
        content = pack(key, played, self.plan)
        self.done[key] = self._writer.append(key, played.games, content)

    def settle(self) -> None:
        """Wait until every chunk is on the disk and listed.

        Raises:
            StorageError: the last chunks cannot be written.
        """
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()

    def read(self, key: Key) -> tuple[Any, Any, Any]:
        """Return a chunk's outcome, counts and rows.

        Raises:
            InputError: its digest fits, but no run wrote it.
        """
        with self._forgery(key):
            return unpack(self._content(key), self.plan.counts)

    def kept(self, key: Key, table: Table) -> Iterator[KeptRows]:
        """The rows of a fact table that a chunk kept, block by block."""
        with self._forgery(key):
            yield from unpack_kept(self._content(key), table)

    @contextlib.contextmanager
    def _forgery(self, key: Key) -> Iterator[None]:
        try:
            yield
        except (zlib.error, ValueError, LookupError, TypeError):
            raise InputError(
                f"{self.folder}: chunk {key[1]} of cell {key[0]} was changed by hand; "
                f"remove its line from {LEDGER} to play it again"
            ) from None

    def _content(self, key: Key) -> bytes:
        place = self.done[key]
        content = self._bytes(key, place)
        if content is None:
            raise StorageError(f"{self._segment(place.segment)}: changed while the study was running; run again")
        return content


class _Writer:
    """Appends chunks to one segment, and lists them from a thread of its own once they are on the disk."""

    def __init__(self, number: int, segment: Path, ledger: Path) -> None:
        self._number = number
        self._paths = segment, ledger
        with storage_errors(f"cannot write {segment}"):
            self._segment = segment.open("xb", buffering=0)
        try:
            with storage_errors(f"cannot write {ledger}"):
                self._ledger = ledger.open("ab", buffering=0)
        except StorageError:
            self._segment.close()
            raise
        self._waiting: list[Entry] = []
        self._changed = threading.Condition()
        self._closing = False
        self._failure: StorageError | None = None
        self._thread = threading.Thread(target=self._list_groups, name="ledger", daemon=True)
        self._thread.start()

    def append(self, key: Key, games: int, content: bytes) -> Place:
        """Append a chunk; returns where it lies."""
        if self._failure is not None:
            raise self._failure
        with storage_errors(f"cannot write {self._paths[0]}"):
            offset = self._segment.tell()
            _write_all(self._segment, content)
        place = Place(games, self._number, offset, len(content), hashlib.sha256(content).digest())
        entry = Entry(*key, games, f"{self._number:04d}", place.offset, place.length, place.sha256.hex())
        with self._changed:
            self._waiting.append(entry)
            self._changed.notify()
        return place

    def close(self) -> None:
        """List what is left and close the files.

        Raises:
            StorageError: the last chunks cannot be written.
        """
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()
        self._segment.close()
        self._ledger.close()
        if self._failure is not None:
            raise self._failure

    def _list_groups(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                group, self._waiting = self._waiting, []
            if not group:
                return
            try:
                with storage_errors(f"cannot write {self._paths[0]}"):
                    os.fsync(self._segment.fileno())
                with storage_errors(f"cannot write {self._paths[1]}"):
                    _write_all(self._ledger, b"".join(msgspec.json.encode(entry) + b"\n" for entry in group))
                    os.fsync(self._ledger.fileno())
            except StorageError as failure:
                self._failure = failure
                return


def _write_all(file: IO[bytes], content: bytes) -> None:
    """Write to an unbuffered file, which may take a part at a time."""
    view = memoryview(content)
    while view:
        view = view[file.write(view) :]


class MemoryStore(Store):
    """A store in memory, for chunks that nobody will ask for again."""

    keeps = False

    def __init__(self, plan: Plan) -> None:
        super().__init__(Path(), plan)
        self._kept: dict[Key, bytes] = {}

    def __enter__(self) -> "MemoryStore":
        """Nothing to open."""
        return self

    def write(self, key: Key, played: MatchResult) -> None:
        """Keep a finished chunk."""
        self._kept[key] = content = pack(key, played, self.plan)
        self.done[key] = Place(played.games, 0, 0, len(content), b"")

    def _content(self, key: Key) -> bytes:
        return self._kept[key]
