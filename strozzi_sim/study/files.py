"""Files of a results folder: which there are, none of them a link, and tables as Parquet and CSV."""

import contextlib
import hashlib
import os
import stat
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from strozzi_sim.errors import InputError, StorageError, short_repr
from strozzi_sim.runtime.files import storage_errors

DATABASE, STUDY_FILE, REPORT = "study.sqlite", "study.json", "report.html"
FOLDERS = ("tables", "games", "facts", "figures")


def refuse_links(folder: Path) -> None:
    """Refuse a folder in which a file or folder of a run is a link, a pipe or a device: it could lead to any file of the user's.

    The folder itself may be a link, and files of the user's own in it are not looked at.
    """
    ours = [
        folder / name
        for name in (
            DATABASE,
            f"{DATABASE}-wal",
            f"{DATABASE}-shm",
            f"{DATABASE}-journal",
            STUDY_FILE,
            REPORT,
            *FOLDERS,
        )
    ]
    for name in FOLDERS:
        ours += [
            Path(parent, entry) for parent, folders, files in os.walk(folder / name) for entry in (*folders, *files)
        ]
    for path in ours:
        try:
            mode = path.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise StorageError(
                f"{path}: is a link, a pipe or a device, which no run made; remove it, or name another folder"
            )


def refuse_outside(place: str, files: dict[str, str]) -> dict[str, str]:
    """Return these files of runs; refuse a name that leads out of the folder."""
    for name in files:
        if not name or ".." in Path(name).parts or Path(name).is_absolute() or "\0" in name:
            raise InputError(f"{place}: table files: no run writes a file {short_repr(name)}")
    return files


def remove_file(folder: Path, name: str) -> None:
    """Remove a file of a folder, and the folders that it leaves empty."""
    path = folder / name
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        for parent in path.parents[: len(Path(name).parts) - 1]:
            parent.rmdir()


def read_tables(folder: Path, digests: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Return the tables among these files of a folder; refuse those that are not as they were written."""
    found = {}
    for name, digest in digests.items():
        path = folder / name
        if name.startswith("tables/") and path.suffix == ".parquet":
            if file_digest(path) != digest:
                raise InputError(f"{path}: is missing, or was changed since it was written; run the study again")
            with storage_errors(f"{path}: cannot be read"):
                found[path.stem] = pd.read_parquet(BytesIO(path.read_bytes()))
    return found


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file; "" if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def csv_of(frame: pd.DataFrame) -> bytes:
    """Return a table as CSV; text that a spreadsheet would run as a formula begins with an apostrophe (OWASP, "CSV injection")."""
    texts = {name: _harmless(column) for name, column in frame.items() if not pd.api.types.is_numeric_dtype(column)}
    return bytes(frame.assign(**texts).to_csv(index=False, lineterminator="\n").encode())


def _harmless(column: Any) -> Any:
    """Return a column in which no text is a formula; few different texts fill a column."""
    changed = {cell: safe for cell in column.unique() if isinstance(cell, str) and (safe := _safe(cell)) != cell}
    return column.map(lambda cell: changed.get(cell, cell)) if changed else column


def _safe(cell: str) -> str:
    is_number = cell.lstrip("+-").replace(".", "", 1).isdigit()
    is_formula = cell[:1] in ("=", "@", "\t", "\r") or (cell[:1] in ("+", "-") and not is_number)
    return ("'" if is_formula else "") + cell.replace("\r", " ")
