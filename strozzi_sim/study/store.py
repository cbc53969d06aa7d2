"""The store of a study: one SQLite database, in the results folder or in memory.

A chunk is written in one transaction, so a killed run keeps every finished chunk. A chunk that does not match its
SHA-256, or lacks requested facts or rows, is played again. SQLite's lock keeps a second run out until the run ends.
"""

import hashlib
import json
import os
import platform
import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import msgspec
import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.errors import ArgumentError, InputError, StorageError, short_repr
from strozzi_sim.facts.columns import Table
from strozzi_sim.facts.crosstabs import Crosstab, CrosstabPlan, fact_union
from strozzi_sim.facts.row_storage import KeptRows, RowSelection, kept_rows
from strozzi_sim.game.converting import built, differences
from strozzi_sim.runtime.cache import processor_type
from strozzi_sim.runtime.files import check_inside, open_atomically, remove_unfinished, storage_errors, write_atomically
from strozzi_sim.runtime.provenance import source_commit
from strozzi_sim.simulation.finishing_orders import ORDERS
from strozzi_sim.simulation.loop import ROW
from strozzi_sim.simulation.match import MatchResult, Measures, outcome_dtype
from strozzi_sim.simulation.pool import PlayTask
from strozzi_sim.study import files
from strozzi_sim.study.cells import Cell
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study

FORMAT = "strozzi-sim.study/1"
LIBRARIES = ("strozzi-sim", "numba", "llvmlite", "numpy", "scipy", "pandas", "pyarrow", "joblib", "msgspec")
_CHUNK_BYTES, _GAME_BYTES, _ROW_BYTES = 40_000, 40, 10  # typical sizes: a chunk, the rows of a game, a row of facts
MOST_PARTS = 100_000
SCHEMA = (
    "CREATE TABLE study (format TEXT, hash TEXT, study TEXT, look TEXT, counted TEXT, held TEXT, part TEXT,"
    " made_of TEXT)",
    "CREATE TABLE chunks (cell INTEGER, chunk INTEGER, games INTEGER, holds TEXT, sha256 BLOB, outcome BLOB,"
    " facts BLOB, rows BLOB, kept BLOB, PRIMARY KEY (cell, chunk))",
    "CREATE TABLE files (name TEXT PRIMARY KEY, sha256 TEXT)",
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, started TEXT, finished TEXT, seconds REAL, games INTEGER,"
    " command TEXT, chunks INTEGER, all_games INTEGER, summary TEXT, versions TEXT, host TEXT)",
)

Key = tuple[int, int]  # numbers of cell and chunk
Content = bytes | Callable[[IO[bytes]], None]  # of a file: its bytes, or a function that writes them


class StudyPart(NamedTuple):
    """Part `number`, from 1, of the `of` parts of a study's chunks, which are about equal."""

    number: int = 1
    of: int = 1

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Return the part that a text such as 2/5 names; "" is the whole study."""
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text or "1/1")
        if match is None or not 1 <= int(match[1]) <= int(match[2]) <= MOST_PARTS:
            raise ArgumentError("part", f"must be I/N with 1 <= I <= N, such as 2/5, got {short_repr(text)}")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        """Return the part as text; "" for the whole study."""
        return "" if self.of == 1 else f"{self.number}/{self.of}"


WHOLE = StudyPart()


class Chunk(NamedTuple):
    """A finished chunk, a row of the table `chunks`; all results but `kept` are compressed with zlib."""

    cell: int
    chunk: int
    games: int
    holds: str  # key of the facts and rows that it has, see `Store`
    sha256: bytes
    outcome: bytes
    facts: bytes
    rows: bytes
    kept: bytes

    @classmethod
    def of(cls, cell: int, chunk: int, holds: str, played: MatchResult) -> Self:
        """Return a chunk that was played. Workers call this, since compressing takes longer than storing."""
        counts = played.counts
        if counts.dtype == np.int64 and np.abs(counts).max(initial=0) <= np.iinfo(np.int32).max:
            counts = counts.astype(np.int32)
        parts = (played.outcome, counts, played.rows)
        outcome, facts, rows = (zlib.compress(part.tobytes(), 1) for part in parts)
        chunk_without_digest = cls(cell, chunk, played.games, holds, b"", outcome, facts, rows, played.kept)
        return chunk_without_digest._replace(sha256=chunk_without_digest.digest())

    def digest(self) -> bytes:
        """Return the SHA-256 of the chunk."""
        digest = hashlib.sha256(f"{self.cell} {self.chunk} {self.games} {self.holds}".encode())
        for part in (self.outcome, self.facts, self.rows, self.kept):
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.digest()


class Store:
    """Context manager of a study's chunks, in memory or in a folder, which may have fewer deals than the study.

    With `copy_of` it has a copy of the chunks in that folder, which another run may be writing.
    """

    def __init__(
        self, folder: Path | None, study: Study, look: Look, part: StudyPart = WHOLE, *, copy_of: Path | None = None
    ) -> None:
        self.folder, self.study, self.look, self.part = folder, study, look, part
        self._source, self.is_copy = copy_of or folder, copy_of is not None
        # Facts that chunks count and rows that they keep: those that the look needs; `_open_study` may take over more.
        self.counted: tuple[Crosstab, ...] = study.facts(look)
        self.held = look.kept_in(study.the_game)
        self.done: dict[Key, bytes] = {}  # SHA-256 of every chunk that can be used
        self.games = 0  # of these chunks
        self.left: list[str] = []  # messages on stored chunks that are played again
        self._look_before = look  # of the earlier run
        self._keeps_rows = look.rows or study.keeps_rows  # whether chunks keep rows of games and seats
        self._place = ":memory:" if folder is None else str(folder / files.DATABASE)

    def __enter__(self) -> Self:
        """Open or make the folder; raise if it is in use, or holds another study or other files."""
        if self.folder is not None:
            files.make_folder(self.folder)
        with files.database_errors(self._place), ExitStack() as opened:
            if self.is_copy and self._source is not None:
                self._place = str(opened.enter_context(files.copied_database(self._source)))
            self._database = sqlite3.connect(self._place, timeout=0, isolation_level=None)
            opened.callback(self._database.close)
            for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL"):
                self._database.execute(f"PRAGMA {pragma}")
            self._database.execute("BEGIN IMMEDIATE")
            self._open_study()
            self._database.execute("COMMIT")
            if self.folder is not None:
                written = (self.folder / files.DATABASE).resolve()
                files.written_here.add(written)
                opened.callback(files.written_here.discard, written)
            self._check_chunks()
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the database, which unlocks the folder."""
        self._opened.close()

    def _sql(self, statement: str, *values: Any) -> list[Any]:
        with files.database_errors(self._place):
            return self._database.execute(statement, values).fetchall()

    def _open_study(self) -> None:
        """Write the study into a new database; check that an existing one has this study, and take over its facts.

        Its kept rows are taken over if they suffice. A database without chunks, heats and files is that of a run that
        ended before it had played, and is used as a new one.
        """
        if not self._sql("SELECT 1 FROM sqlite_schema"):
            for statement in SCHEMA:
                self._sql(statement)
            self._sql("INSERT INTO study (format, part) VALUES (?, ?)", FORMAT, str(self.part))
        elif not (self.has_heats or self._sql("SELECT 1 FROM chunks UNION ALL SELECT 1 FROM files LIMIT 1")):
            self._sql("UPDATE study SET format = ?, part = ?", FORMAT, str(self.part))
        else:
            with files.content_errors(self._place):
                columns = "format, part, study, look, counted, held"
                ((kind, part, text, look, counted, held),) = self._sql(f"SELECT {columns} FROM study")
                stored_study = msgspec.json.decode(text, type=dict[str, Any])
                stored_facts = msgspec.json.decode(counted, type=built(tuple[Crosstab, ...]))
                stored_rows = msgspec.json.decode(held, type=built(RowSelection))
                self._look_before = msgspec.json.decode(look, type=built(Look))
            if kind != FORMAT or part != str(self.part):
                found, expected = f"part {part or '1/1'} ({kind})", f"part {str(self.part) or '1/1'} ({FORMAT})"
                raise InputError(f"{self._source}: holds {found}, not {expected}; name another folder")
            self._refuse_other_study(stored_study)
            suffice = self._suffice(stored_facts, stored_rows)
            self.counted = stored_facts if suffice else fact_union(stored_facts, self.counted)
            self.held = stored_rows if suffice and stored_rows.covers(self.held) else self.held
            have_rows = "SELECT 1 FROM chunks WHERE holds LIKE '% rows' OR holds LIKE '% rows %' LIMIT 1"
            self._keeps_rows = self._keeps_rows or bool(self._sql(have_rows))
        documents = self.study.json, *map(msgspec.json.encode, (self.look, self.counted, self.held))
        values = self.study.hash, *(document.decode() for document in documents)
        self._sql("UPDATE study SET hash = ?, study = ?, look = ?, counted = ?, held = ?", *values)
        if self.folder is not None:
            write_atomically(self.folder / files.STUDY_FILE, as_file(self.study, self.look), within=self.folder)

    def _suffice(self, counted: Sequence[Crosstab], kept: RowSelection) -> bool:
        """Return whether these facts, or these kept rows of all deals, suffice for the look."""
        needed = [crosstab for crosstab in self.counted if kept.every > 1 or crosstab.fact not in kept.tables]
        plans = {cell.match.plan(counted) for cell in self.study.cells if not cell.without}
        return all(plan.can_answer(crosstab) for plan in plans for crosstab in needed)

    def _refuse_other_study(self, stored: dict[str, Any]) -> None:
        """Refuse another study, and fewer deals; with more deals delete a short last chunk, which is played again."""
        own, deals, study = msgspec.json.decode(self.study.json), stored.get("deals", 0), self.study
        if stored["variants"] != own["variants"]:  # the folder may lack keys that the game has now
            variants = names.listed_variants(study.the_game, stored["variants"], {}, has_data=True)
            stored["variants"] = {variant.name: variant.components for variant in variants}
        if stored == own:
            return
        if {**stored, "deals": 0} != {**own, "deals": 0}:
            lines = list(differences(stored, own))
            more = f"; and {len(lines) - 3} more" if len(lines) > 3 else ""
            raise InputError(f"{self._source}: holds another study ({'; '.join(lines[:3])}{more}); name another folder")
        if deals > study.deals or not study.can_grow:
            cannot_grow = f"{study.fixed} cannot be extended"
            advice = "ask for at least as many" if study.can_grow else cannot_grow
            difference = f"holds {deals:,} deals of this study, not {study.deals:,}"
            raise InputError(f"{self._source}: {difference}; {advice}, or name another folder")
        if deals % study.chunk_deals:
            self._sql("DELETE FROM chunks WHERE chunk = ?", deals // study.chunk_deals)

    @property
    def has_heats(self) -> bool:
        """Whether the folder has games of a search."""
        return self._source is not None and (self._source / files.HEATS).is_dir()

    @property
    def keys(self) -> list[Key]:
        """The chunks of this part; with more deals each chunk stays in its part."""
        every = product(range(len(self.study.cells)), range(self.study.chunks))
        return [key for key in every if sum(key) % self.part.of == self.part.number - 1]

    @cached_property
    def _holds(self) -> list[str]:
        """Key of the facts and rows that chunks have, for each cell."""
        rows = " rows" if self._keeps_rows else ""
        kept = f" {','.join(self.held.tables)}/{self.held.every}" if self.held.tables else ""
        return [f"{self.plan(cell).digest}{rows}{kept}" for cell in self.study.cells]

    def plan(self, cell: Cell) -> CrosstabPlan:
        """Return the layout of the facts that chunks of a cell count; restricted cells count none."""
        return cell.match.plan(() if cell.without else self.counted)

    def _check_chunks(self) -> None:
        keys, outdated = set(self.keys), 0
        for chunk in self.stored():
            if chunk[:2] not in keys or chunk.sha256 != chunk.digest():
                self.left.append(f"chunk {chunk.chunk} of cell {chunk.cell} is damaged and is played again")
            elif chunk.holds != self._holds[chunk.cell]:
                outdated += 1
            else:
                self._use(chunk)
        if outdated:
            self.left.append(f"{outdated:,} of {len(keys):,} chunks lack requested facts or rows and are played again")

    def check_space(self, missing: int) -> None:
        """Check that the results of `missing` chunks will fit on the disk. Raises StorageError."""
        if self.folder is None:
            return
        rows = _GAME_BYTES * self.study.games if self.look.rows else 0
        tables = [table for table in self.study.the_game.fact_tables if table.name in self.held.tables]
        for cell, table in product(self.study.cells, tables):
            games = cell.deals // (self.held.every * max(table.sampled, 1)) * cell.match.games_per_deal
            rows += _ROW_BYTES * games * table.max_rows(cell.match.setting)
        needed = missing * (_CHUNK_BYTES + rows // len(self.keys))
        with storage_errors(f"cannot write to {self.folder}"):
            free = shutil.disk_usage(self.folder).free
        if free < needed:
            raise StorageError(f"{self.folder}: {free >> 20} MiB free on the disk, about {needed >> 20} MiB needed")

    def task(self, number: int, chunk: int) -> PlayTask:
        """Return the task that plays a chunk of the cell of this number, whose result is a `Chunk`."""
        study, cell = self.study, self.study.cells[number]
        return PlayTask(
            (number, chunk),
            cell.match,
            *study.deals_of(cell, chunk),
            Measures(
                self.plan(cell).crosstabs,
                keep=self.held,
                rows=self._keeps_rows,
                luck=study.how_luck,
                answers=study.counts_answers,
            ),
            orders=study.keeps_orders,
            finish=partial(Chunk.of, number, chunk, self._holds[number]),
        )

    def write(self, chunk: Chunk) -> None:
        """Store a finished chunk."""
        self._sql("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *chunk)
        self._use(chunk)

    def _use(self, chunk: Chunk) -> None:
        self.done[chunk.cell, chunk.chunk] = chunk.sha256
        self.games += chunk.games

    def stored(self) -> Iterator[Chunk]:
        """Yield the stored chunks, by cell and number."""
        yield from map(Chunk._make, self._database.execute("SELECT * FROM chunks ORDER BY cell, chunk"))

    def stored_keys(self) -> set[Key]:
        """Return the keys of the stored chunks, also of those that lack facts."""
        return {(cell, chunk) for cell, chunk in self._sql("SELECT cell, chunk FROM chunks")}

    def _column(self, name: str, cell: Cell, chunks: range) -> Iterator[bytes]:
        """Yield the values of a column for some chunks of a cell, uncompressed, except the blocks of kept rows."""
        where, last = "cell = ? AND chunk BETWEEN ? AND ? ORDER BY chunk", chunks.stop - 1
        rows = self._database.execute(f"SELECT {name} FROM chunks WHERE {where}", (cell.number, chunks.start, last))
        yield from (value if name == "kept" else zlib.decompress(value) for (value,) in rows)

    def outcome(self, cell: Cell, chunks: range) -> Any:
        """Return the OUTCOME records of some chunks of a cell."""
        record = outcome_dtype(bool(self.study.luck), self.study.counts_answers)
        with files.database_errors(self._place):
            content = b"".join(self._column("outcome", cell, chunks))
        if len(content) != len(chunks) * record.itemsize:
            raise StorageError(f"{self._place}: its chunks are not those of its study, or were changed; run again")
        return np.frombuffer(content, record)

    def facts(self, cell: Cell, chunks: range) -> Any:
        """Return the counts of facts of some chunks of a cell, or their ORDERS records."""
        with files.database_errors(self._place), files.content_errors(self._place):
            stored = self._column("facts", cell, chunks)
            if self.study.keeps_orders:
                return np.frombuffer(b"".join(stored), ORDERS)
            size = self.plan(cell).size
            facts = np.empty((len(chunks), size), np.int32)  # int64 only if needed: many chunks fill the memory
            for at, each in enumerate(stored):
                row = np.frombuffer(each, np.int32 if len(each) == 4 * size else np.int64)
                facts = facts.astype(np.promote_types(facts.dtype, row.dtype), copy=False)
                facts[at] = row
            return facts

    def rows(self, cell: Cell, chunks: range) -> Iterator[Any]:
        """Yield the ROW records of some chunks of a cell."""
        yield from (np.frombuffer(content, ROW) for content in self._column("rows", cell, chunks))

    def kept(self, cell: Cell, table: Table, chunks: range) -> Iterator[Iterator[KeptRows]]:
        """Yield for each of some chunks of a cell the kept rows of a fact table, block by block."""
        yield from (kept_rows(content, self.held, table) for content in self._column("kept", cell, chunks))

    def _made_of(self, look: Look) -> str:
        """Return the digest of everything that determines the tables: study, look, versions and chunks."""
        done = (self.done[key] for key in sorted(self.done))
        known = self.study.hash.encode(), msgspec.json.encode(look), json.dumps(versions()).encode()
        return hashlib.sha256(b" ".join((*known, *done))).hexdigest()

    def tables(self) -> tuple[Look, dict[str, pd.DataFrame]] | None:
        """Return the look and the tables of an earlier run, if they are unchanged and of these chunks, else None."""
        ((made_of,),) = self._sql("SELECT made_of FROM study")
        written = files.written_files(self._database, self._place)
        look = next((look for look in (self.look, self._look_before) if self._made_of(look) == made_of), None)
        if self.folder is None or look is None:
            return None
        are_complete = "" not in written.values()  # the digest of a file that a killed run did not finish
        are_unchanged = are_complete and all(files.digest_of(self.folder / name) == written[name] for name in written)
        return (look, files.read_tables(self.folder, written)) if are_unchanged else None

    def write_files(self, contents: Mapping[str, Content], gone: Collection[str] | None = None) -> None:
        """Write files into the folder, and remove those in `gone`; default: all written files not in `contents`."""
        assert self.folder is not None
        with storage_errors(f"cannot write to {self.folder}"):
            written = files.written_files(self._database, self._place)
            for name in written.keys() | contents.keys():
                check_inside(self.folder, self.folder / name)
            for name in contents.keys() - written.keys():
                if (self.folder / name).exists():
                    raise StorageError(f"{self.folder / name}: exists and was not written by a run; move it away")
                self._sql("INSERT INTO files VALUES (?, '')", name)  # before the file, so that a killed run owns it
            for name in (written.keys() if gone is None else written.keys() & gone) - contents.keys():
                (self.folder / name).unlink(missing_ok=True)
                with suppress(OSError):
                    os.removedirs((self.folder / name).parent)  # as far as they are empty
                self._sql("DELETE FROM files WHERE name = ?", name)
            remove_unfinished(self.folder / name for name in written.keys() | contents.keys())
            for name, content in contents.items():
                with open_atomically(self.folder / name, within=self.folder) as file:
                    _ = content(file) if callable(content) else file.write(content)
                self._sql("INSERT OR REPLACE INTO files VALUES (?, ?)", name, files.digest_of(self.folder / name))
            self._sql("UPDATE study SET made_of = ?", self._made_of(self.look))

    def begin_run(self, command: str) -> None:
        """Record the start of a run, with command, versions and host."""
        host = {"system": platform.platform(), "cores": os.cpu_count(), "machine": platform.machine()}
        host["cpu"] = processor_type()
        text = command.encode(errors="backslashreplace").decode()  # file names may hold any bytes
        statement = "INSERT INTO runs (started, command, versions, host) VALUES (?, ?, ?, ?)"
        self._sql(statement, now(), text, json.dumps(versions()), json.dumps(host))

    def end_run(self, played: Study, all_games: int, games: int, seconds: float) -> None:
        """Record the end of the run, its games and those of all runs, and the study as far as it was played."""
        keys = "finished = ?, games = ?, seconds = ?, chunks = ?, all_games = ?, summary = ?"
        values = now(), games, seconds, played.chunks, all_games, played.summary
        self._sql(f"UPDATE runs SET {keys} WHERE run = (SELECT max(run) FROM runs)", *values)


def as_file(study: Study, look: Look) -> bytes:
    """Return a study and a look as one study file in JSON."""
    keys = {**msgspec.json.decode(study.json), **msgspec.to_builtins(look)}
    return msgspec.json.format(msgspec.json.encode(keys), indent=1) + b"\n"


@cache
def versions() -> dict[str, str]:
    """Return the versions on which results may depend, and the commit."""
    libraries = {name: version(name) for name in LIBRARIES}
    return {"python": platform.python_version(), "commit": source_commit(), **libraries}


def now() -> str:
    """Return the time in UTC as ISO 8601 text, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
