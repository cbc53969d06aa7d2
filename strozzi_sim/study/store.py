"""The store of a study: one SQLite database, in the results folder or in memory.

Its tables are `study` (one row: the study, its look, the facts that chunks count), `chunks`, `files` and `runs`. A chunk is written in
one transaction, so a killed run keeps every finished chunk. Each chunk has a SHA-256; a chunk that does not fit it, or that counts
other facts, is played again. SQLite's lock keeps a second run out, and ends with the process.
"""

import hashlib
import json
import os
import platform
import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.metadata import version
from itertools import chain, product
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import msgspec
import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.errors import ArgumentError, InputError, StorageError, short_repr
from strozzi_sim.facts.columns import Table
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.row_storage import KeptRows, RowSelection, kept_rows
from strozzi_sim.runtime.cache import processor_type
from strozzi_sim.runtime.files import open_atomically, storage_errors, write_atomically
from strozzi_sim.runtime.provenance import source_commit
from strozzi_sim.simulation.finishing_orders import ORDERS
from strozzi_sim.simulation.loop import ROW
from strozzi_sim.simulation.match import MatchResult
from strozzi_sim.simulation.pool import Task
from strozzi_sim.study.cells import Cell, Counts
from strozzi_sim.study.files import (
    DATABASE,
    STUDY_FILE,
    content_errors,
    database_errors,
    file_digest,
    make_folder,
    read_tables,
    refuse_outside,
    remove_file,
)
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study, differences, fact_union

FORMAT = "strozzi-sim.study/1"
LIBRARIES = ("strozzi-sim", "numba", "llvmlite", "numpy", "scipy", "pandas", "pyarrow", "joblib", "msgspec")
CHUNK_BYTES, _GAME_BYTES, _ROW_BYTES = 40_000, 40, 10  # typical sizes: a chunk, the rows of a game, a row of facts
MOST_PARTS = 100_000
MOST_PAGES = 2**16  # of 4 KiB, of a store in memory that results keep
SCHEMA = (
    "CREATE TABLE study (format TEXT, hash TEXT, study TEXT, look TEXT, counted TEXT, held TEXT, part TEXT, made_of TEXT)",
    "CREATE TABLE chunks (cell INTEGER, chunk INTEGER, games INTEGER, holds TEXT, sha256 BLOB, outcome BLOB, facts BLOB,"
    " rows BLOB, kept BLOB, PRIMARY KEY (cell, chunk))",
    "CREATE TABLE files (name TEXT PRIMARY KEY, sha256 TEXT)",
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, started TEXT, finished TEXT, seconds REAL, games INTEGER, command TEXT,"
    " chunks INTEGER, all_games INTEGER, summary TEXT,"
    " versions TEXT, host TEXT)",
)

Key = tuple[int, int]  # numbers of cell and chunk
Content = bytes | Callable[[IO[bytes]], None]  # of a file


class Part(NamedTuple):
    """A share of the chunks of a study: number 1 .. `of`."""

    number: int = 1
    of: int = 1

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Return the part that a text such as 2/5 names; "" is all of the study."""
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text or "1/1")
        if found is None or not 1 <= int(found[1]) <= int(found[2]) <= MOST_PARTS:
            raise ArgumentError("part", f"must be I/N with 1 <= I <= N, such as 2/5, got {short_repr(text)}")
        return cls(int(found[1]), int(found[2]))

    def has(self, key: Key) -> bool:
        """Return whether a chunk belongs to the part; that does not depend on the number of deals."""
        return sum(key) % self.of == self.number - 1

    def __str__(self) -> str:
        """Return it as text; "" for all of the study."""
        return "" if self.of == 1 else f"{self.number}/{self.of}"


WHOLE = Part()


class Chunk(NamedTuple):
    """A finished chunk, a row of the table `chunks`: what it holds, its digest, and the results of its games, compressed."""

    cell: int
    chunk: int
    games: int
    holds: str
    sha256: bytes
    outcome: bytes
    facts: bytes
    rows: bytes
    kept: bytes

    @classmethod
    def of(cls, cell: int, chunk: int, holds: str, played: MatchResult) -> Self:
        """Return a chunk that was played. Workers call this, since compressing takes longer than storing."""
        parts = (played.outcome, played.counts, played.rows)
        outcome, facts, rows = (zlib.compress(part.tobytes(), 1) for part in parts)
        found = cls(cell, chunk, played.games, holds, b"", outcome, facts, rows, played.kept)
        return found._replace(sha256=found.digest())

    def digest(self) -> bytes:
        """Return the SHA-256 of the chunk."""
        whole = hashlib.sha256(f"{self.cell} {self.chunk} {self.games} {self.holds}".encode())
        for part in (self.outcome, self.facts, self.rows, self.kept):
            whole.update(len(part).to_bytes(8, "big") + part)
        return whole.digest()


class Store:
    """The chunks of a study; use it as a context manager.

    Args:
        folder: the results folder; None: in memory.
        study: the study, perhaps with more deals than the folder has.
        look: what is shown; its facts are counted.
        part: the share of the chunks that is played here.
        before: for a store in memory, the `content` of an earlier one of the study.
    """

    def __init__(self, folder: Path | None, study: Study, look: Look, part: Part = WHOLE, before: bytes = b"") -> None:
        self.folder, self.study, self.look, self.part, self._before = folder, study, look, part, before
        # Facts that chunks count and rows that they keep: those that the look needs, and those that the folder has already.
        self.counted: tuple[Crosstab, ...] = study.facts(look)
        self.held = look.kept_in(study.the_game)
        self.done: dict[Key, bytes] = {}  # SHA-256 of every chunk that can be used
        self.left: list[str] = []  # messages on chunks that cannot be used and are played again
        self._place = "memory" if folder is None else str(folder / DATABASE)
        self._errors = partial(database_errors, self._place)

    def __enter__(self) -> Self:
        """Open the folder, or make it. Refuses one that is in use, holds another study, or something else altogether."""
        if self.folder is not None:
            make_folder(self.folder)
        with self._errors():
            place = ":memory:" if self.folder is None else self._place
            self._database = sqlite3.connect(place, timeout=0, isolation_level=None)
        try:
            with self._errors():
                if self._before:
                    self._database.deserialize(self._before)
                for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL"):
                    self._database.execute(f"PRAGMA {pragma}")
                self._database.execute("BEGIN IMMEDIATE")
                self._open_study()
                self._database.execute("COMMIT")
                self._check_chunks()
        except BaseException:
            self._database.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Close the database, which unlocks the folder."""
        self._database.close()

    # -- the study -----------------------------------------------------------------------------------------------------

    def _open_study(self) -> None:
        """Write the study into a new database; refuse another study, and take over the facts that chunks count."""
        if not self._database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            for statement in SCHEMA:
                self._database.execute(statement)
            self._database.execute("INSERT INTO study (format, part) VALUES (?, ?)", (FORMAT, str(self.part)))
        else:
            found = self._database.execute("SELECT format, part, study, counted, held FROM study")
            with content_errors(self._place):
                kind, part, text, counted, kept = found.fetchone()
                there = msgspec.json.decode(text, type=dict[str, Any])
                before = msgspec.json.decode(counted, type=tuple[Crosstab, ...])
                held = msgspec.json.decode(kept, type=RowSelection)
            if kind != FORMAT or part != str(self.part):
                own = f"part {str(self.part) or '1/1'} ({FORMAT})"
                raise InputError(f"{self.folder}: holds part {part or '1/1'} ({kind}), not {own}; name another folder")
            self._refuse_other_study(there)
            answers = self._answers(before, held)
            self.counted = before if answers else fact_union(before, self.counted)
            self.held = held if answers and held.covers(self.held) else self.held
        documents = self.study.json, *map(msgspec.json.encode, (self.look, self.counted, self.held))
        self._database.execute(
            "UPDATE study SET hash = ?, study = ?, look = ?, counted = ?, held = ?",
            (self.study.hash, *(each.decode() for each in documents)),
        )
        if self.folder is not None:
            write_atomically(self.folder / STUDY_FILE, as_file(self.study, self.look))

    def _answers(self, counted: Sequence[Crosstab], held: RowSelection) -> bool:
        """Return whether these facts, or these kept rows of all deals, hold all that the look needs."""
        whole = held.tables if held.every == 1 else ()
        needed = [each for each in self.counted if each.fact not in whole]
        plans = {id(plan): plan for cell in self.study.cells if self.study.counts_facts(cell) for plan in [cell.match.plan(counted)]}  # fmt: skip
        return all(plan.can_answer(each) for plan in plans.values() for each in needed)

    def _refuse_other_study(self, there: dict[str, Any]) -> None:
        """Refuse another study, and fewer deals; of more deals a short last chunk goes, and is played again."""
        here, deals, game = msgspec.json.decode(self.study.json), there.get("deals", 0), self.study.the_game
        if there["variants"] != here["variants"]:  # of a folder that is older than a switch of the game
            made = names.listed_variants(game, there["variants"], {}, is_whole=True)
            there["variants"] = {variant.name: variant.components for variant in made}
        if there == here:
            return
        if {**there, "deals": 0} != {**here, "deals": 0}:
            lines = list(differences(there, here))
            more = f"; and {len(lines) - 3} more" if len(lines) > 3 else ""
            raise InputError(f"{self.folder}: holds another study ({'; '.join(lines[:3])}{more}); name another folder")
        if deals > self.study.deals or not self.study.can_grow:
            why = "a study with a precision or search_deals cannot be extended"
            why = "ask for at least as many" if self.study.can_grow else why
            held = f"holds {deals:,} deals of this study, not {self.study.deals:,}"
            raise InputError(f"{self.folder}: {held}; {why}, or name another folder")
        if deals % self.study.chunk_deals:
            self._database.execute("DELETE FROM chunks WHERE chunk = ?", (deals // self.study.chunk_deals,))

    @property
    def keys(self) -> list[Key]:
        """The chunks that are played here."""
        every = ((cell.number, chunk) for cell in self.study.cells for chunk in range(self.study.chunks))
        return [key for key in every if self.part.has(key)]

    # -- chunks --------------------------------------------------------------------------------------------------------

    @cached_property
    def _holds(self) -> list[str]:
        """What chunks of each cell count and keep."""
        rows = " rows" if self.look.rows or self.study.keeps_rows else ""
        kept = f" {','.join(self.held.tables)}/{self.held.every}" if self.held.tables else ""
        plans = (cell.match.plan(self.facts(cell)) for cell in self.study.cells)
        return [f"{plan.digest}{rows}{kept}" for plan in plans]

    def facts(self, cell: Cell) -> tuple[Crosstab, ...]:
        """Return the facts that chunks of a cell count."""
        return self.counted if self.study.counts_facts(cell) else ()

    def _check_chunks(self) -> None:
        wanted, outdated = set(self.keys), 0
        for chunk in self.stored():
            if chunk[:2] not in wanted or chunk.sha256 != chunk.digest():
                self.left.append(f"chunk {chunk.chunk} of cell {chunk.cell} is damaged and is played again")
            elif chunk.holds != self._holds[chunk.cell]:
                outdated += 1
            else:
                self.done[chunk[:2]] = chunk.sha256
        if outdated and self.folder is not None:
            self.left.append(f"{outdated:,} of {len(wanted):,} chunks lack requested facts and are played again")

    def check_space(self, missing: int) -> None:
        """Refuse to begin if what is still to be played will not fit on the disk."""
        if self.folder is None:
            return
        rows = _GAME_BYTES * self.study.games if self.look.rows else 0
        tables = [table for table in self.study.the_game.fact_tables if table.name in self.held.tables]
        for cell, table in product(self.study.cells, tables):
            games = cell.deals // (self.held.every * max(table.sampled, 1)) * cell.match.games_per_deal
            rows += _ROW_BYTES * games * table.max_rows(cell.match.setting)
        needed = missing * (CHUNK_BYTES + rows // len(self.keys))
        with storage_errors(f"cannot write to {self.folder}"):
            free = shutil.disk_usage(self.folder).free
        if free < needed:
            raise StorageError(f"{self.folder}: {free >> 20} MiB free on the disk, about {needed >> 20} MiB needed")

    def task(self, cell: Cell, chunk: int) -> Task:
        """Return the task that plays a chunk, whose result is a `Chunk`."""
        study, finish = self.study, partial(Chunk.of, cell.number, chunk, self._holds[cell.number])
        return Task(
            (cell.number, chunk), cell.match, *study.deals_of(cell, chunk), self.facts(cell), rows=self.look.rows or study.keeps_rows,
            orders=study.keeps_orders, luck=study.how_luck, answers=study.counts_answers, keep=self.held, finish=finish,
        )  # fmt: skip

    def write(self, chunk: Chunk) -> None:
        """Store a finished chunk."""
        with self._errors():
            self._database.execute("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", chunk)
        self.done[chunk.cell, chunk.chunk] = chunk.sha256

    def stored(self) -> Iterator[Chunk]:
        """Yield the chunks."""
        yield from map(Chunk._make, self._database.execute("SELECT * FROM chunks ORDER BY cell, chunk"))

    def counts(self, cell: Cell, chunks: range) -> Counts:
        """Return the counts of some chunks of a cell."""
        with self._errors():
            found = self._database.execute("SELECT outcome, facts FROM chunks WHERE cell = ? AND chunk BETWEEN ? AND ? ORDER BY chunk", (cell.number, chunks.start, chunks.stop - 1)).fetchall()  # fmt: skip
        if len(found) != len(chunks):
            raise StorageError(f"{self._place}: changed while the study was running; run again")
        outcome = np.concatenate([np.frombuffer(zlib.decompress(each), self.study.outcome_type) for each, _ in found])
        facts = (zlib.decompress(each) for _, each in found)
        if self.study.keeps_orders:
            return Counts(outcome, np.frombuffer(b"".join(facts), ORDERS))
        return Counts(outcome, _stacked((np.frombuffer(each, np.int64) for each in facts), len(found)))

    def rows(self, cell: Cell) -> Iterator[Any]:
        """Yield the ROW records of each chunk of a cell."""
        for (rows,) in self._database.execute("SELECT rows FROM chunks WHERE cell = ? ORDER BY chunk", (cell.number,)):
            yield np.frombuffer(zlib.decompress(rows), ROW)

    def kept(self, cell: Cell, table: Table) -> Iterator[Iterator[KeptRows]]:
        """Yield the kept rows of a fact table of each chunk of a cell, block by block."""
        for (kept,) in self._database.execute("SELECT kept FROM chunks WHERE cell = ? ORDER BY chunk", (cell.number,)):
            yield kept_rows(kept, self.held, table)

    def content(self, played: Study) -> bytes:
        """Return a store in memory, for another look at the study as far as it was played; empty if it is large."""
        (pages,) = self._database.execute("PRAGMA page_count").fetchone()
        cut_elsewhere = played is not self.study and played.search_deals  # are the chunks of a part of such a study
        if pages > MOST_PAGES or cut_elsewhere:
            return b""
        self._database.execute("DELETE FROM chunks WHERE chunk >= ?", (played.chunks,))
        self._database.execute("UPDATE study SET study = ?", (played.json.decode(),))
        return self._database.serialize()

    # -- files and runs ------------------------------------------------------------------------------------------------

    @property
    def made_of(self) -> str:
        """Digest of all that decides the tables."""
        done = (self.done[key] for key in sorted(self.done))
        known = self.study.hash.encode(), msgspec.json.encode(self.look), json.dumps(versions()).encode()
        return hashlib.sha256(b" ".join((*known, *done))).hexdigest()

    def _files(self) -> dict[str, str]:
        """Return the files that runs wrote, with their SHA-256."""
        return refuse_outside(self._place, dict(self._database.execute("SELECT name, sha256 FROM files ORDER BY name")))

    def tables(self) -> dict[str, pd.DataFrame] | None:
        """Return the tables of an earlier run, if all its files are of these chunks and as they were written; else None."""
        if self.folder is None:
            return None
        made_of, files = self._database.execute("SELECT made_of FROM study").fetchone()[0], self._files()
        same = (file_digest(self.folder / name) == digest for name, digest in files.items())
        return read_tables(self.folder, files) if made_of == self.made_of and all(same) else None

    def write_files(self, contents: Mapping[str, Content]) -> None:
        """Write files into the folder, and remove those that are no longer made."""
        assert self.folder is not None
        with self._errors(), storage_errors(f"cannot write to {self.folder}"):
            written = self._files()
            for name in contents.keys() - written.keys():
                if (self.folder / name).exists():
                    raise StorageError(f"{self.folder / name}: exists and was not written by a run; move it away")
                # before it is written, so that it is known after a kill
                self._database.execute("INSERT INTO files VALUES (?, '')", (name,))
            for name in written.keys() - contents.keys():
                remove_file(self.folder, name)
                self._database.execute("DELETE FROM files WHERE name = ?", (name,))
            for name, content in contents.items():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                with open_atomically(self.folder / name) as file:
                    _ = content(file) if callable(content) else file.write(content)
                digest = file_digest(self.folder / name)
                self._database.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (name, digest))
            self._database.execute("UPDATE study SET made_of = ?", (self.made_of,))

    def begin_run(self, command: str) -> None:
        """Note that a run begins, by whom and where."""
        host = {"system": platform.platform(), "cores": os.cpu_count(), "machine": platform.machine()}
        host["cpu"] = processor_type()
        text = command.encode(errors="backslashreplace").decode()  # names of files need not be text
        with self._errors():
            self._database.execute(
                "INSERT INTO runs (started, command, versions, host) VALUES (?, ?, ?, ?)",
                (now(), text, json.dumps(versions()), json.dumps(host)),
            )

    def end_run(self, played: Study, games: int, seconds: float) -> None:
        """Note that the run is finished, and how far the study was played."""
        with self._errors():
            self._database.execute(
                "UPDATE runs SET finished = ?, games = ?, seconds = ?, chunks = ?, all_games = ?, summary = ? WHERE run = (SELECT max(run) FROM runs)",
                (now(), games, seconds, played.chunks, played.games, played.summary),
            )


def as_file(study: Study, look: Look) -> bytes:
    """Return study and look as one study file in JSON."""
    keys = {**msgspec.to_builtins(study), **msgspec.to_builtins(look)}
    return msgspec.json.format(msgspec.json.encode(keys), indent=1) + b"\n"


def versions() -> dict[str, str]:
    """Return the versions on which results may depend, and the commit."""
    libraries = {name: version(name) for name in LIBRARIES}
    return {"python": platform.python_version(), "commit": source_commit(), **libraries}


def now() -> str:
    """Return the time in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _stacked(rows: Iterator[Any], number: int) -> Any:
    """Return equally long rows of integers as one array, int32 if they fit: counts of many chunks fill the memory."""
    first = next(rows)
    whole = np.empty((number, len(first)), np.int32)
    for at, row in enumerate(chain([first], rows)):
        if whole.dtype == np.int32 and len(row) and max(row.max(), -row.min()) > np.iinfo(np.int32).max:
            whole = whole.astype(np.int64)
        whole[at] = row
    return whole
