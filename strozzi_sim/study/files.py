"""Files of a results folder: creation, refusal of links, reading its database, and tables as Parquet and CSV."""

import contextlib
import hashlib
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from strozzi_sim.errors import InputError, StorageError, short_repr
from strozzi_sim.runtime.files import check_no_links, storage_errors
from strozzi_sim.runtime.system import why_not_locked

DATABASE, STUDY_FILE, REPORT = "study.sqlite", "study.json", "report.html"
HEATS = "heats"  # folder of the studies that a search has played, and its table of them
_MANIFEST = "manifest.json"  # of the formats before study/1
OF_SQLITE = tuple(f"{DATABASE}-{ending}" for ending in ("wal", "shm", "journal"))
_COPIED = DATABASE, OF_SQLITE[0], OF_SQLITE[2]  # all but the index of the log, which SQLite makes anew
FOLDERS = ("tables", "games", "facts", "figures")
_IN_USE = "another run is writing here; wait for it, or look at it with `strozzi report`"
_LOG_HEADER = 32  # bytes
_COPIES = 20  # most copies that are made until no run has begun its log anew meanwhile
written_here: set[Path] = set()  # databases that this process is writing, resolved
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![+-]*(\d+\.?\d*|\.\d+)\Z)")  # beginning of a text that a spreadsheet runs


def make_folder(folder: Path) -> None:
    """Make a results folder; refuse one that holds something else."""
    with storage_errors(f"cannot write to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        refuse_links(folder)
        _refuse_old(folder)
        if not (folder / DATABASE).exists() and any(folder.iterdir()):
            raise InputError(f"{folder}: is not empty and holds no results of a study; name another folder")


def _refuse_old(folder: Path) -> None:
    if (folder / _MANIFEST).exists():
        raise InputError(f"{folder}: holds results of a format before study/1; run their study again in another folder")


def refuse_links(folder: Path) -> None:
    """Refuse a folder in which a file or folder that a run reads or SQLite opens is a link, pipe or device.

    The folder itself may be a link. The user's own files are checked only inside FOLDERS. What is written is checked
    once more, at any depth, where it is opened: `open_atomically(..., within=folder)`.
    """
    paths = [folder / name for name in (DATABASE, *OF_SQLITE, STUDY_FILE, REPORT, *FOLDERS)]
    for name in FOLDERS:
        for parent, folders, files in os.walk(folder / name):
            paths += [Path(parent, entry) for entry in (*folders, *files)]
    check_no_links(paths)


def written_files(database: sqlite3.Connection, place: str) -> dict[str, str]:
    """Return name -> SHA-256 of the files of runs ("" for an unfinished one); refuse a name that no run writes."""
    files = dict(database.execute("SELECT name, sha256 FROM files ORDER BY name").fetchall())
    for name in files:
        is_text = isinstance(name, str) and name and "\0" not in name
        if not is_text or ".." in Path(name).parts or Path(name).anchor:  # a drive or a root
            raise InputError(f"{place}: table files: no run writes a file {short_repr(name)}")
    return files


def read_summary(folder: Path) -> dict[str, Any]:
    """Return study, look, part, files (name -> SHA-256) and the last run (or {}) of a results folder, as plain data."""
    place = str(folder / DATABASE)
    refuse_links(folder)
    _refuse_old(folder)
    if not (folder / DATABASE).exists():
        raise InputError(f"{folder}: holds no results of a study (no {DATABASE})")
    with contextlib.ExitStack() as opened:
        if any((folder / name).exists() for name in OF_SQLITE):
            uri = opened.enter_context(copied_database(folder)).as_uri()
        else:
            uri = f"{(folder / DATABASE).resolve().as_uri()}?immutable=1"
        opened.enter_context(database_errors(place))
        opened.enter_context(content_errors(place))
        database = opened.enter_context(contextlib.closing(sqlite3.connect(uri, uri=True)))
        database.row_factory = sqlite3.Row
        summary = dict(database.execute("SELECT study, look, part FROM study").fetchone())
        run = dict(database.execute("SELECT * FROM runs ORDER BY run DESC LIMIT 1").fetchone() or {})
        summary |= {key: msgspec.json.decode(summary[key]) for key in ("study", "look")}
        run |= {key: msgspec.json.decode(run[key]) for key in ("versions", "host") if run}
        return summary | {"files": written_files(database, place), "run": run}


@contextlib.contextmanager
def copied_database(folder: Path) -> Iterator[Path]:
    """Yield a copy of the database of a results folder and of its log, to which another run may be appending.

    What a run merges into the database stays in its log until it begins the log anew, with another header. So the copy
    is one state of the database if the header is the same before and after. SQLite reads what is whole in the log.
    """
    if (folder / DATABASE).resolve() in written_here:  # closing a file would give up all locks of this process on it
        raise StorageError(f"{folder}: this process is writing there; wait, or read it in another process")
    with tempfile.TemporaryDirectory(prefix="strozzi-") as place:
        with storage_errors(f"cannot copy {folder / DATABASE} to {place}"):
            for _ in range(_COPIES):
                before = _state_of_log(folder)
                for name in _COPIED:
                    Path(place, name).unlink(missing_ok=True)
                    with contextlib.suppress(FileNotFoundError):
                        shutil.copyfile(folder / name, Path(place, name))
                if _state_of_log(folder) == before:
                    break
            else:
                raise StorageError(f"{folder}: is written faster than it can be copied; try again later")
        yield Path(place, DATABASE)


def _state_of_log(folder: Path) -> bytes | tuple[int, int]:
    """Return the header of the log, another one once it begins anew; without a log, time and size of the database."""
    with contextlib.suppress(FileNotFoundError), (folder / OF_SQLITE[0]).open("rb") as log:
        if header := log.read(_LOG_HEADER):
            return header
    status = (folder / DATABASE).stat()
    return status.st_mtime_ns, status.st_size


class UnwritableError(StorageError):
    """A results folder that cannot be written now, or not at all."""


@contextlib.contextmanager
def database_errors(place: str) -> Iterator[None]:
    """Turn errors of SQLite into a StorageError or an InputError that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY"):
            why = why_not_locked(Path(place).parent)
            raise UnwritableError(f"{place}: {why or _IN_USE}, or choose another folder") from None
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise InputError(f"{place}: is damaged: {error}; move the folder away to begin again") from None
        raise UnwritableError(f"cannot read or write {place}: {error}") from error


@contextlib.contextmanager
def content_errors(place: str) -> Iterator[None]:
    """Turn errors of decoding stored content into an InputError that names `place`, a file or folder."""
    try:
        yield
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{place}: is not as a run wrote it: {error}") from None


def read_tables(folder: Path, digests: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Return the tables by name, of these files (path -> SHA-256); refuse one that is missing or was changed."""
    frames = {}
    for name, digest in digests.items():
        path = folder / name
        if name.startswith("tables/") and path.suffix == ".parquet":
            if digest_of(path) != digest:
                raise InputError(f"{path}: is missing, or was changed since it was written; run the study again")
            with storage_errors(f"{path}: cannot be read"):
                frames[path.stem] = pd.read_parquet(BytesIO(path.read_bytes()))
    return frames


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file; "" if it cannot be read."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
    return ""


def csv_of(frame: pd.DataFrame) -> bytes:
    """Return a table as CSV; carriage returns are spaces, and text that could be a formula begins with ' (OWASP)."""
    texts = {}
    for name, column in frame.select_dtypes(exclude="number").items():
        known = [text for text in column.unique() if isinstance(text, str)]
        safe = {text: "'" * bool(_FORMULA.match(text)) + text.replace("\r", " ") for text in known}
        if list(safe.values()) != known:
            texts[name] = [safe.get(cell, cell) for cell in column]
    return bytes(frame.assign(**texts).to_csv(index=False, lineterminator="\n").encode())
