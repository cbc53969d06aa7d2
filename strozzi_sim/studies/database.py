"""study.sqlite: chunks, files and runs of a results folder, in one SQLite database that sqlite3 and DuckDB open too.

One process at a time writes a folder: it keeps SQLite's lock, which ends with the process. Every chunk is a transaction in
the write-ahead log (WAL, synchronous=NORMAL), so a killed run keeps all finished chunks. The file is made under a
temporary name and appears whole, with its schema and in WAL mode: no run writes a rollback journal. A folder may be a
stranger's: the schema must be exactly SCHEMA, so no view or trigger runs, and no path leads out of the folder.
"""

import contextlib
import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO
from urllib.parse import quote

from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.runtime.files import open_atomically, storage_errors, write_atomically
from strozzi_sim.studies.folder import DATABASE, FILES, FOLDERS, TEMPORARY, refuse_links, refuse_links_to

SCHEMA = (
    "CREATE TABLE plan (format TEXT NOT NULL, hash TEXT NOT NULL, resolved TEXT NOT NULL)",
    "CREATE TABLE cells (cell INTEGER PRIMARY KEY, players INTEGER NOT NULL, variant TEXT NOT NULL, lineup TEXT NOT NULL,"
    " seatings INTEGER NOT NULL)",
    # id is cell * 2^32 + chunk; outcome, counts and seats are compressed with zlib, `rows` are compressed blocks of facts
    "CREATE TABLE chunks (id INTEGER PRIMARY KEY, cell INTEGER NOT NULL, chunk INTEGER NOT NULL, games INTEGER NOT NULL,"
    " holds TEXT NOT NULL, sha256 BLOB NOT NULL, outcome BLOB NOT NULL, counts BLOB NOT NULL, seats BLOB NOT NULL,"
    " rows BLOB NOT NULL)",
    "CREATE TABLE files (name TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT, games INTEGER, command TEXT NOT NULL,"
    " versions TEXT NOT NULL, host TEXT NOT NULL)",
)
PAGE_BYTES = 16_384  # a chunk of a study with facts takes some 60,000

_CAREFUL = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0")
_KEPT = r"facts/\w+/players=\d+/variant=[^/]+/lineup=[^/]+/cell-\d{4,9}\.parquet"
_FLAT = "|".join(name for name in FOLDERS if name != "facts")
_FILE = re.compile(rf"({_FLAT})/[^/.][^/]*|{_KEPT}|{'|'.join(map(re.escape, FILES))}")
_IN_USE = "another run is writing here; wait for it, or choose another folder"
_ANEW = "move the folder away, or run in another folder"

Content = bytes | Callable[[IO[bytes]], None]


@contextlib.contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite inside the block into a StorageError or InputError that names the file.

    Raises:
        StorageError: the database is in use, cannot be written or read, or its disk has no locks.
        InputError: the database is damaged.
    """
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY"):
            raise StorageError(f"{path.parent}: {_IN_USE}") from None
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or not name.startswith("SQLITE_"):
            raise InputError(f"{path}: is damaged: {error}; {_ANEW}") from None
        if name.startswith(("SQLITE_IOERR", "SQLITE_PROTOCOL", "SQLITE_NOLFS")):
            raise StorageError(
                f"{path.parent}: SQLite cannot lock or write files on this disk ({error}); use a folder on another disk, a "
                "local one, and copy the results"
            ) from error
        raise StorageError(f"cannot write {path}: {error}") from error


@contextlib.contextmanager
def write_database(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open study.sqlite for this process alone, made if it does not exist; remove what killed runs left half-written.

    Raises:
        StorageError: another process writes there, a file of a run is a link, or the folder cannot be written.
        InputError: it is damaged, or is not a database of strozzi-sim.
    """
    refuse_links(folder)
    _refuse_journal(folder)
    path = folder / DATABASE
    if not path.exists():
        _make_database(folder)
    with database_errors(path):
        connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        with contextlib.closing(connection):
            for pragma in ("locking_mode = EXCLUSIVE", f"page_size = {PAGE_BYTES}", *_CAREFUL):
                connection.execute(f"PRAGMA {pragma}")
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):  # changed by another program
                connection.execute("PRAGMA journal_mode = MEMORY")  # a journal file would outlive a killed run
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            _check_schema(path, connection)
            connection.execute("COMMIT")
            _remove_temporary(folder)
            yield connection


@contextlib.contextmanager
def read_database(folder: Path) -> Iterator[sqlite3.Connection | None]:
    """Open study.sqlite for reading; yield None if it does not exist.

    Raises:
        StorageError: a run is writing there, or it cannot be read or is a link.
        InputError: it is damaged, or is not a database of strozzi-sim.
    """
    refuse_links(folder)
    _refuse_journal(folder)
    path = folder / DATABASE
    if not path.exists():
        yield None
        return
    # Without a write-ahead log the file is complete and has no writer: it opens on a read-only disk too.
    mode = "mode=ro" if os.path.lexists(f"{path}-wal") else "mode=ro&immutable=1"
    with database_errors(path):
        connection = sqlite3.connect(f"file:{quote(os.fsencode(path))}?{mode}", timeout=0, uri=True)
        with contextlib.closing(connection):
            for pragma in _CAREFUL:
                connection.execute(f"PRAGMA {pragma}")
            _check_schema(path, connection)
            yield connection


def _check_schema(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a database with any schema other than SCHEMA, such as one with views or triggers."""
    found = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    if found != set(SCHEMA):
        raise InputError(f"{path}: is not a strozzi-sim database of this version; {_ANEW}")


def _remove_temporary(folder: Path) -> None:
    with storage_errors(f"cannot write to {folder}"):
        for path in (*folder.iterdir(), *(path for name in FOLDERS for path in (folder / name).rglob("*"))):
            if TEMPORARY.match(path.name) and path.is_file():
                path.unlink()


def _refuse_journal(folder: Path) -> None:
    """Refuse a rollback journal: no run writes one, and it can name another file, which SQLite would remove.

    Raises:
        StorageError: there is one.
    """
    journal = folder / f"{DATABASE}-journal"
    if os.path.lexists(journal):
        raise StorageError(
            f"{journal}: is of another program that writes {DATABASE}, or ended while it did; close that program, or {_ANEW}"
        )


def _make_database(folder: Path) -> None:
    """Make study.sqlite in one step; one that another run made stays.

    Raises:
        StorageError: it cannot be written.
    """
    path = folder / DATABASE
    temporary = path.with_name(f".{DATABASE}.{secrets.token_hex(8)}.tmp")
    try:
        with database_errors(path), contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as made:
            for pragma in ("locking_mode = EXCLUSIVE", f"page_size = {PAGE_BYTES}", "journal_mode = OFF"):
                made.execute(f"PRAGMA {pragma}")
            made.execute("BEGIN")
            for statement in SCHEMA:
                made.execute(statement)
            made.execute("COMMIT")
            made.execute("PRAGMA journal_mode = WAL")
        with storage_errors(f"cannot write {path}"):
            _name(temporary, path)
    finally:
        for left in (temporary, Path(f"{temporary}-wal")):
            with contextlib.suppress(OSError):
                left.unlink()


def _name(temporary: Path, path: Path) -> None:
    """Give a file its name, unless another run has made a file of that name.

    Raises:
        OSError: the disk refuses.
    """
    try:
        os.link(temporary, path)
    except OSError:  # it exists, or the disk has no hard links
        if not path.exists():
            temporary.rename(path)


class FileList:
    """The files that runs wrote in a results folder: only these are replaced or removed.

    Attributes:
        folder: the results folder.
        names: their paths within the folder.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection | None) -> None:
        self.folder, self._connection = folder, connection
        self.names: set[str] = set()
        if connection is None:
            return
        with database_errors(folder / DATABASE):
            rows = connection.execute("SELECT name FROM files").fetchall()
        for (name,) in rows:
            ours = isinstance(name, str) and name.isprintable() and _FILE.fullmatch(name)
            if not ours or ".." in Path(name).parts:
                raise InputError(f"{folder / DATABASE}: table files: no run writes a file {name!r:.80}; {_ANEW}")
            self.names.add(name)

    def replace(self, contents: Mapping[str, Content], *, parts: tuple[str, ...]) -> None:
        """Write files, and remove those of `parts` that are no longer made.

        Args:
            contents: by path within the folder, bytes or a function that writes to a file.
            parts: beginnings of the paths that `contents` replaces, such as "tables/".

        Raises:
            StorageError: a file cannot be written, is a link, or exists and was not written by a run.
        """
        obsolete = [name for name in self.names if name.startswith(parts) and name not in contents]
        for name in (*contents, *obsolete):  # another program may have made a link since the folder was opened
            refuse_links_to(self.folder, name)
        new = [name for name in contents if name not in self.names]
        for name in new:
            if os.path.lexists(self.folder / name):
                path = self.folder / name
                raise StorageError(f"cannot write {path}: it exists and was not written by a run; move it away")
        self._execute("INSERT INTO files VALUES (?)", new)
        for name, content in contents.items():
            path = self.folder / name
            with storage_errors(f"cannot write to {path.parent}"):
                path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                write_atomically(path, content)
            else:
                with open_atomically(path) as file:
                    content(file)
        for name in obsolete:
            self._remove(name)
        self._execute("DELETE FROM files WHERE name = ?", obsolete)
        self.names = self.names.union(new).difference(obsolete)

    def _remove(self, name: str) -> None:
        with storage_errors(f"cannot remove {self.folder / name}"):
            (self.folder / name).unlink(missing_ok=True)
        for parent in list(Path(name).parents)[:-2]:  # those inside tables, facts, ...
            with contextlib.suppress(OSError):  # not empty
                (self.folder / parent).rmdir()

    def _execute(self, statement: str, names: Iterable[str]) -> None:
        assert self._connection is not None
        with database_errors(self.folder / DATABASE):
            self._connection.execute("BEGIN")
            self._connection.executemany(statement, [(name,) for name in names])
            self._connection.execute("COMMIT")

    def exist(self, parts: tuple[str, ...]) -> bool:
        """Return whether all files of these parts exist."""
        return all((self.folder / name).is_file() for name in self.names if name.startswith(parts))


def read_files(folder: Path) -> FileList:
    """Return the list of files of a results folder, to read them; empty if no run wrote any."""
    with read_database(folder) as connection:
        return FileList(folder, connection)


@contextlib.contextmanager
def write_files(folder: Path) -> Iterator[FileList]:
    """Open the list of files of a results folder for this process alone, to write them."""
    with write_database(folder) as connection:
        yield FileList(folder, connection)
