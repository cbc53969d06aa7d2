"""study.sqlite: chunks, files and runs of a results folder, in one SQLite database that sqlite3 and DuckDB open too.

One process at a time writes a folder: it keeps SQLite's lock, which ends with the process. Every chunk is a transaction in
the write-ahead log (WAL, synchronous=NORMAL), so a killed run keeps all finished chunks. The file is made under a
temporary name and appears whole, with its schema and in WAL mode: no run writes a rollback journal. A folder may be forged:
the schema must be exactly SCHEMA, so no view or trigger runs, and values are checked where they are read.
"""

import contextlib
import hashlib
import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.runtime.files import open_atomically, storage_errors, write_atomically
from strozzi_sim.studies.folder import DATABASE, FILES, FOLDERS, TEMPORARY, read_inside, refuse_links, refuse_links_to

SCHEMA = (
    "CREATE TABLE plan (format TEXT NOT NULL, hash TEXT NOT NULL, resolved TEXT NOT NULL)",
    "CREATE TABLE cells (cell INTEGER PRIMARY KEY, players INTEGER NOT NULL, variant TEXT NOT NULL, lineup TEXT NOT NULL,"
    " seatings INTEGER NOT NULL)",
    # id is cell * 2^32 + chunk; outcome, counts and seats are compressed with zlib, `rows` are compressed blocks of facts
    "CREATE TABLE chunks (id INTEGER PRIMARY KEY, cell INTEGER NOT NULL, chunk INTEGER NOT NULL, games INTEGER NOT NULL,"
    " holds TEXT NOT NULL, sha256 BLOB NOT NULL, outcome BLOB NOT NULL, counts BLOB NOT NULL, seats BLOB NOT NULL,"
    " rows BLOB NOT NULL)",
    "CREATE TABLE files (name TEXT PRIMARY KEY, sha256 TEXT) WITHOUT ROWID",
    "CREATE TABLE runs (run INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT, games INTEGER, command TEXT NOT NULL,"
    " versions TEXT NOT NULL, host TEXT NOT NULL)",
)
PAGE_BYTES = 16_384  # a chunk of a study with facts takes some 60,000

_CAREFUL = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0")
_KEPT = r"facts/\w+/players=\d+/variant=[^/]+/lineup=[^/]+/[^/.][^/]*"
_FLAT = "|".join(name for name in FOLDERS if name != "facts")
_FILE = re.compile(rf"({_FLAT})/[^/.][^/]*|{_KEPT}|{'|'.join(map(re.escape, FILES))}")
_HASH = re.compile("[0-9a-f]{64}")
_IN_USE = "another run is writing here; wait for it, or choose another folder"
# SQLite's file formats: where a journal states how many pages its database had, and the bytes that writers lock
_JOURNAL_MAGIC, _JOURNAL_PAGES = bytes.fromhex("d9d505f920a163d7"), slice(16, 20)
_LOCKS, _LOCK_BYTES = 0x4000_0000, 512

Content = bytes | Callable[[IO[bytes]], None]


class DamagedDatabase(InputError):
    """A page of study.sqlite cannot be read."""


@contextlib.contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite inside the block into a StorageError or InputError that names the file.

    Raises:
        StorageError: the database is in use, cannot be written or read, or its disk has no locks.
        DamagedDatabase: the database is damaged.
    """
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY"):
            raise StorageError(f"{path.parent}: {_IN_USE}") from None
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or not name.startswith("SQLITE_"):
            words = f"{path}: is damaged or was changed by hand: {error}; move the folder away to begin again"
            raise DamagedDatabase(words) from None
        if name.startswith(("SQLITE_IOERR", "SQLITE_PROTOCOL", "SQLITE_NOLFS")):
            raise StorageError(
                f"{path.parent}: SQLite cannot lock or write files on this disk ({error}); use a folder on another disk, a "
                "local one, and copy the results"
            ) from error
        raise StorageError(f"cannot write {path}: {error}") from error


@contextlib.contextmanager
def write_database(folder: Path, *, recover: bool = False) -> Iterator[sqlite3.Connection]:
    """Open study.sqlite for this process alone, made if it does not exist; remove what killed runs left half-written.

    With `recover`, a database that is shorter than it should be opens as well.

    Raises:
        StorageError: another process writes there, a file of a run is a link, or the folder cannot be written.
        InputError: it is damaged, or is not a database of strozzi-sim.
    """
    refuse_links(folder)
    path = folder / DATABASE
    if _is_stillborn(folder):
        with storage_errors(f"cannot write to {folder}"):
            for left in (path, Path(f"{path}-journal")):
                left.unlink(missing_ok=True)
    if not path.exists():
        _make_database(folder, {}, replacing=False)
    with database_errors(path):
        connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        with contextlib.closing(connection):
            for pragma in ("locking_mode = EXCLUSIVE", f"page_size = {PAGE_BYTES}", *_CAREFUL):
                connection.execute(f"PRAGMA {pragma}")
            if recover:
                connection.execute("PRAGMA writable_schema = ON")
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):  # of an earlier version, or empty
                connection.execute("PRAGMA journal_mode = MEMORY")  # a journal file would outlive a killed run
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                for statement in SCHEMA:
                    connection.execute(statement)
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
    path = folder / DATABASE
    if _is_stillborn(folder) or not path.exists():
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
        raise InputError(
            f"{path}: is not a strozzi-sim database, or was changed by hand; move the folder away to begin again"
        )


def _remove_temporary(folder: Path) -> None:
    with storage_errors(f"cannot write to {folder}"):
        for path in (*folder.iterdir(), *(path for name in FOLDERS for path in (folder / name).rglob("*"))):
            if TEMPORARY.match(path.name) and path.is_file():
                path.unlink()


def _is_stillborn(folder: Path) -> bool:
    """Return whether study.sqlite is what a run of an earlier version left when it was killed while making it.

    Its rollback journal then says that the database had no pages. Any other journal is not applied: it can name another
    file, which SQLite would remove.

    Raises:
        StorageError: another process writes the database, or its journal is of another program.
    """
    path, journal = folder / DATABASE, folder / f"{DATABASE}-journal"
    with storage_errors(f"cannot read {journal}"):
        try:
            with journal.open("rb") as file:
                head = file.read(_JOURNAL_PAGES.stop)
            size = path.stat().st_size if path.exists() else 0
        except (FileNotFoundError, NotADirectoryError):  # the usual case
            return False
        if path.exists() and _is_locked(path):
            raise StorageError(f"{folder}: {_IN_USE}")
    is_begun = head.startswith(_JOURNAL_MAGIC) and len(head) == _JOURNAL_PAGES.stop
    if (int.from_bytes(head[_JOURNAL_PAGES], "big") if is_begun else size) == 0 and size <= PAGE_BYTES:
        return True
    raise StorageError(
        f"{journal}: is of no run, but of another program that writes {DATABASE}, or ended while it did; close that "
        "program, or move the folder away to begin again"
    )


def _is_locked(path: Path) -> bool:
    """Return whether another process writes a database; without a journal file, opening it tells."""
    if os.name == "nt":
        return False
    import fcntl

    with path.open("rb") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, _LOCK_BYTES, _LOCKS)
        except (BlockingIOError, PermissionError):
            return True
    return False


def write_copy(folder: Path, rows: Mapping[str, Sequence[Sequence[Any]]]) -> None:
    """Replace study.sqlite by a new one with these rows, by table, while the old one is locked.

    Raises:
        StorageError: it cannot be written.
    """
    _make_database(folder, rows, replacing=True)


def _make_database(folder: Path, rows: Mapping[str, Sequence[Sequence[Any]]], *, replacing: bool) -> None:
    """Make study.sqlite with these rows, by table, in one step; without `replacing`, one that another run made stays.

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
            for table, found in rows.items():
                for row in found:
                    made.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
            made.execute("COMMIT")
            made.execute("PRAGMA journal_mode = WAL")
        with storage_errors(f"cannot write {path}"):
            if replacing:
                temporary.replace(path)
            else:
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
    """The files that runs wrote in a results folder, with their SHA-256: only these are replaced or removed.

    Attributes:
        folder: the results folder.
        digests: path within the folder -> SHA-256, or None while a file is being written.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection | None) -> None:
        self.folder, self._connection = folder, connection
        self.digests: dict[str, str | None] = {}
        if connection is None:
            return
        with database_errors(folder / DATABASE):
            rows = connection.execute("SELECT name, sha256 FROM files ORDER BY name").fetchall()
        for name, digest in rows:
            known = digest is None or (isinstance(digest, str) and _HASH.fullmatch(digest))
            ours = isinstance(name, str) and name.isprintable() and _FILE.fullmatch(name)
            if not (ours and ".." not in Path(name).parts and known):
                raise InputError(f"{folder / DATABASE}: was changed by hand: table files: {name!r:.80}")
            self.digests[name] = digest

    def replace(self, contents: Mapping[str, Content], *, parts: tuple[str, ...]) -> None:
        """Write files, and remove those of `parts` that are no longer made.

        Args:
            contents: by path within the folder, bytes or a function that writes to a file.
            parts: beginnings of the paths that `contents` replaces, such as "tables/".

        Raises:
            StorageError: a file cannot be written, is a link, or exists and was not written by a run.
        """
        before = dict(self.digests)
        obsolete = [name for name in before if name.startswith(parts) and name not in contents]
        for name in (*contents, *obsolete):  # another program may have made a link since the folder was opened
            refuse_links_to(self.folder, name)
        for name in contents:
            if name not in before and os.path.lexists(self.folder / name):
                path = self.folder / name
                raise StorageError(f"cannot write {path}: it exists and was not written by a run; move it away")
        self._note({name: None for name in contents if name not in before})
        written = {}
        for name, content in contents.items():
            path = self.folder / name
            with storage_errors(f"cannot write to {path.parent}"):
                path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                write_atomically(path, content)
                written[name] = hashlib.sha256(content).hexdigest()
            else:
                with open_atomically(path) as file:
                    content(file)
                written[name] = _digest(path)
        for name in obsolete:
            self._remove(name)
        self._note(written, obsolete)

    def _remove(self, name: str) -> None:
        with storage_errors(f"cannot remove {self.folder / name}"):
            (self.folder / name).unlink(missing_ok=True)
        for parent in list(Path(name).parents)[:-2]:  # those inside tables, facts, ...
            with contextlib.suppress(OSError):  # not empty
                (self.folder / parent).rmdir()

    def _note(self, digests: Mapping[str, str | None], obsolete: Iterable[str] = ()) -> None:
        assert self._connection is not None
        with database_errors(self.folder / DATABASE):
            self._connection.execute("BEGIN")
            self._connection.executemany("DELETE FROM files WHERE name = ?", [(name,) for name in obsolete])
            self._connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?)", digests.items())
            self._connection.execute("COMMIT")
        self.digests = {name: digest for name, digest in self.digests.items() if name not in obsolete} | dict(digests)

    def are_as_written(self, names: Iterable[str]) -> bool:
        """Return whether these files exist as a run wrote them.

        Raises:
            StorageError: one cannot be read.
        """
        try:
            return all(
                self.digests.get(name) is not None and self.digests[name] == _digest(self.folder / name)
                for name in names
            )
        except FileNotFoundError:
            return False

    def read(self, name: str) -> bytes:
        """Return a file as it was written.

        Raises:
            InputError: it is missing, or is not as it was written.
            StorageError: it cannot be read, or is a link.
        """
        path = self.folder / name
        try:
            content = read_inside(self.folder, name)
        except FileNotFoundError:
            raise InputError(f"{path}: is missing; run the study again") from None
        if self.digests.get(name) != hashlib.sha256(content).hexdigest():
            raise InputError(f"{path}: is damaged or was changed by hand; run the study again")
        return content


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, which may be longer than memory."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_files(folder: Path) -> FileList:
    """Return the list of files of a results folder, to read them; empty if no run wrote any."""
    with read_database(folder) as connection:
        return FileList(folder, connection)


@contextlib.contextmanager
def write_files(folder: Path) -> Iterator[FileList]:
    """Open the list of files of a results folder for this process alone, to write them."""
    with write_database(folder) as connection:
        yield FileList(folder, connection)
