"""The results folder: manifest, chunks, ledger, lock.

A chunk is written to a temporary name, flushed, renamed, and then listed with its SHA-256 in the ledger; so whatever
the ledger lists was whole when it was listed. A torn last line of the ledger is dropped. A chunk whose bytes no longer
match is played again.
"""

import contextlib
import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.kernel.locks import take_lock
from strozzi_sim.selfplay.loop import OUTCOME, ROW
from strozzi_sim.selfplay.match import Played
from strozzi_sim.studies.plan import Plan, differences

CHUNK_FORMAT = "strozzi-sim.chunk/1"
MANIFEST_FORMAT = "strozzi-sim.results/1"
_GUESS = 40_000  # bytes of a chunk, about
_SMALL_GUESS = 4_096  # without tallies
_RESERVE = 64 * 2**20

Key = tuple[int, int]


@contextlib.contextmanager
def storage_errors(what: str) -> Iterator[None]:
    """Turn an OSError inside the block into a StorageError that names `what`."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{what}: {error.strerror or error}") from error


def write_whole(path: Path, content: bytes, *, lasting: bool = False) -> None:
    """Write a file so that it is there whole or not at all; `lasting` waits until it is on the disk."""
    temporary = path.with_name(f".{path.name}.tmp")
    with storage_errors(f"cannot write {path}"):
        try:
            with temporary.open("wb") as file:
                file.write(content)
                if lasting:
                    file.flush()
                    os.fsync(file.fileno())
            temporary.replace(path)
        finally:  # a full disk, or a signal in the midst of it
            temporary.unlink(missing_ok=True)


class Store:
    """The results folder of a plan, locked for this process; use as a context manager.

    A chunk is on the disk before it is listed, except those with orders in place of tallies: they are many and small,
    and what a power cut makes of them is found by their checksum and played again.

    Attributes:
        folder: where it is.
        done: (cell, chunk) -> ledger entry, of every chunk that is there and whole.
        damaged: chunks that were listed but are missing or changed.
        keeps: whether a later run finds the chunks again.
    """

    keeps = True

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder, self.plan, self._lasting = folder, plan, not plan.orders
        self.done: dict[Key, dict[str, Any]] = {}
        self.damaged: list[Key] = []
        self._ledger: IO[bytes] | None = None
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> "Store":
        """Create or open the folder.

        Raises:
            InputError: it holds the results of another plan, or something else altogether.
            StorageError: it cannot be written, is in use, or the disk is too full for the study.
        """
        manifest = self.folder / "manifest.json"
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{self.folder}: is a file; name a folder for the results")
        if manifest.is_file():
            self._check_same_plan(manifest)
        elif self.folder.is_dir() and not self._is_fresh():
            raise InputError(
                f"{self.folder}: is not empty and holds no results of a study; name another folder with --out"
            )
        with storage_errors(f"cannot write to {self.folder}"):
            (self.folder / "chunks").mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / ".lock").open("wb")
        with contextlib.ExitStack() as undo:
            undo.callback(self._lock.close)
            self._take_lock()
            self._check_space()
            self._read_ledger()
            with storage_errors(f"cannot write to {self.folder}"):
                self._ledger = (self.folder / "ledger.jsonl").open("ab")
            undo.pop_all()  # the lock is ours until we leave
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the folder."""
        for file in (self._ledger, self._lock):
            if file is not None:
                file.close()

    def _is_fresh(self) -> bool:
        """Whether there is nothing but what a run makes before its manifest."""
        ours = {".lock", "chunks", "ledger.jsonl", ".manifest.json.tmp"}
        ledger = self.folder / "ledger.jsonl"
        return {entry.name for entry in self.folder.iterdir()} <= ours and not (
            ledger.exists() and ledger.stat().st_size
        )

    def _take_lock(self) -> None:
        assert self._lock is not None
        try:
            take_lock(self._lock, wait=False)
        except OSError:
            raise StorageError(f"{self.folder}: another run is writing here; wait for it, or choose --out") from None

    def _check_same_plan(self, manifest: Path) -> None:
        try:
            written = json.loads(manifest.read_bytes())
            same, there = written["plan_hash"] == self.plan.hash, written["plan"]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{manifest}: is not a manifest of strozzi-sim; name another folder with --out") from None
        except OSError as error:
            raise StorageError(f"{manifest}: cannot be read: {error.strerror}") from error
        if not same:
            found = list(differences(there, self.plan.resolved))
            shown = "; ".join(found[:3]) + (f"; and {len(found) - 3} more" if len(found) > 3 else "")
            raise InputError(
                f"{self.folder}: holds the results of another plan ({shown}); name another folder with --out"
            )

    def _check_space(self) -> None:
        guess = _SMALL_GUESS if self.plan.orders else _GUESS
        missing = len(self.plan.cells) * self.plan.chunks * guess + _RESERVE
        if self.plan.rows:
            missing += self.plan.games * max(self.plan.players) * ROW.itemsize // 4
        free = shutil.disk_usage(self.folder).free
        if free < missing:
            raise StorageError(f"{self.folder}: {free >> 20} MiB free on the disk, about {missing >> 20} MiB needed")

    def path(self, key: Key) -> Path:
        """The file of a chunk."""
        return self.folder / "chunks" / f"{key[0]:04d}-{key[1]:05d}.chunk"

    def _read_ledger(self) -> None:
        path = self.folder / "ledger.jsonl"
        with storage_errors(f"cannot read {path}"):
            content = path.read_bytes() if path.is_file() else b""
            whole = content[: content.rfind(b"\n") + 1]
            if whole != content:  # a torn last line
                with path.open("r+b") as file:
                    file.truncate(len(whole))
        listed: dict[Key, dict[str, Any]] = {}
        for line in whole.splitlines():
            try:
                entry = json.loads(line)
                listed[int(entry["cell"]), int(entry["chunk"])] = entry
            except (ValueError, KeyError, TypeError):
                continue  # an unreadable entry is a chunk to play again
        for key, entry in listed.items():
            if self._bytes(key, entry["sha256"]) is None:
                self.damaged.append(key)
            else:
                self.done[key] = entry

    def _bytes(self, key: Key, digest: str) -> bytes | None:
        try:
            content = self.path(key).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"cannot read {self.path(key)}: {error.strerror}") from error
        return content if hashlib.sha256(content).hexdigest() == digest else None

    def write(self, key: Key, played: Played) -> None:
        """Keep a finished chunk."""
        assert self._ledger is not None
        content = pack(key, played)
        write_whole(self.path(key), content, lasting=self._lasting)
        digest = hashlib.sha256(content).hexdigest()
        entry = {"cell": key[0], "chunk": key[1], "games": played.games, "sha256": digest}
        with storage_errors(f"cannot write {self.folder / 'ledger.jsonl'}"):
            self._ledger.write(json.dumps(entry).encode() + b"\n")
            self._ledger.flush()
            if self._lasting:
                os.fsync(self._ledger.fileno())
        self.done[key] = entry

    def read(self, key: Key) -> tuple[Any, Any, Any]:
        """A chunk's outcome, tallies and rows."""
        content = self._bytes(key, self.done[key]["sha256"])
        if content is None:
            raise StorageError(f"{self.path(key)}: changed while the study was running; run again")
        return unpack(content, self.plan.counts)


class Shelf(Store):
    """A store in memory, for chunks that nobody will ask for again."""

    keeps = False

    def __init__(self, plan: Plan) -> None:
        super().__init__(Path(), plan)
        self._kept: dict[Key, bytes] = {}

    def __enter__(self) -> "Shelf":
        """Nothing to open."""
        return self

    def write(self, key: Key, played: Played) -> None:
        """Keep a finished chunk."""
        self._kept[key] = pack(key, played)
        self.done[key] = {"cell": key[0], "chunk": key[1], "games": played.games}

    def read(self, key: Key) -> tuple[Any, Any, Any]:
        """A chunk's outcome, tallies and rows."""
        return unpack(self._kept[key], self.plan.counts)


def pack(key: Key, played: Played) -> bytes:
    """A chunk as bytes: one line of JSON, then the compressed records."""
    assert played.tallies is not None
    parts = [played.outcome.tobytes(), played.tallies.tobytes(), played.rows.tobytes()]
    head = {"format": CHUNK_FORMAT, "cell": key[0], "chunk": key[1], "sizes": [len(part) for part in parts]}
    return json.dumps(head).encode() + b"\n" + zlib.compress(b"".join(parts), 1)


def unpack(content: bytes, counts: np.dtype[Any]) -> tuple[Any, Any, Any]:
    """The outcome, tallies and rows of a chunk's bytes."""
    line, _, body = content.partition(b"\n")
    parts, start = [], 0
    for size, dtype in zip(json.loads(line)["sizes"], (OUTCOME, counts, ROW), strict=True):
        parts.append((start, size, dtype))
        start += size
    raw = zlib.decompress(body)
    outcome, tallies, rows = (np.frombuffer(raw[at : at + size], dtype) for at, size, dtype in parts)
    return outcome, tallies, rows
