"""The results folder: the names in it, what must not be a link, and its manifest."""

import json
import os
import re
import stat
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.row_storage import NO_ROWS, RowSelection
from strozzi_sim.game.custom_heatmaps import HeatMapSpec
from strozzi_sim.runtime.files import storage_errors, write_atomically
from strozzi_sim.studies.plan_identity import hash_of

FORMAT = "strozzi-sim.results/4"
MANIFEST = "manifest.json"
DATABASE = "study.sqlite"
TEMPORARY = re.compile(r"^\..+\.[0-9a-f]{16}\.tmp(-wal|-journal)?$")  # and the logs of a temporary database
FILES = ("report.html", "spreadsheet.xlsx")  # that runs write, beside those in FOLDERS
FOLDERS = ("tables", "figures", "games", "facts", "styles", "spreadsheet")
_OURS = (MANIFEST, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", *FILES)

_Count = Annotated[int, Meta(ge=0, le=2**53)]
_Name = Annotated[str, Meta(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
_TableName = Annotated[str, Meta(pattern=r"^[a-zA-Z0-9_]{1,99}$")]


class _Report(msgspec.Struct):
    pages: list[_Name]
    heatmaps: list[_Name]
    own: list[HeatMapSpec] = []
    explorer: bool = False


class _Plan(msgspec.Struct):
    """Required keys of the plan in a manifest, for every kind of study; see `Plan.resolved`."""

    game: str
    behaviour: int
    seed: _Count
    players: Annotated[list[_Count], Meta(min_length=1)]
    deals: _Count
    chunks: Annotated[int, Meta(ge=1, le=2**53)]
    seatings: str
    lineups: list[list[str]]
    agents: dict[str, dict[str, Any]]
    variants: Annotated[dict[str, dict[str, Any]], Meta(min_length=1)]
    rows: bool


class _Manifest(msgspec.Struct):
    """Required keys of a manifest; it may have others."""

    format: str
    name: str
    game: str
    seed: _Count
    plan: _Plan
    plan_hash: str
    report: _Report
    games: _Count
    cells: _Count
    summary: str
    command: str
    versions: dict[str, str | int]
    reconstructed: dict[str, list[str]]
    host: dict[str, Any]
    started: datetime
    finished: datetime | None
    deals: _Count = 0
    tables: list[_TableName] = []
    counted: list[Crosstab] = []
    kept: RowSelection = NO_ROWS
    held: RowSelection = NO_ROWS
    warnings: list[str] = []


def refuse_links(folder: Path) -> None:
    """Refuse a results folder in which a file or folder of a run is a link, a pipe or a device.

    A folder may be a stranger's. Nothing in it is opened, made, emptied or removed before this check of all that a run
    reads or writes: a link there could lead to any file of the user's. The folder itself may be a link.

    Raises:
        StorageError: names it.
    """
    for name in (*_OURS, *FOLDERS):
        _refuse_link(folder / name)
    for name in FOLDERS:
        for parent, folders, files in os.walk(folder / name):
            for entry in (*folders, *files):
                _refuse_link(Path(parent, entry))


def refuse_links_to(folder: Path, name: str) -> None:
    """Refuse a link, a pipe or a device at `name` in a results folder, or on the way to it.

    Raises:
        StorageError: names it.
    """
    for part in (*reversed(Path(name).parents[:-1]), Path(name)):
        _refuse_link(folder / part)


def _refuse_link(path: Path) -> None:
    """Refuse a link, a pipe or a device at `path`.

    Raises:
        StorageError: it is one.
    """
    with storage_errors(f"cannot read {path}"):
        try:
            mode = path.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        what = "a link" if stat.S_ISLNK(mode) else "no file"
        raise StorageError(f"{path}: is {what}; what a run keeps in its folder is never a link or a device: remove it")


def read_inside(folder: Path, name: str) -> bytes:
    """Return the bytes of a file in a results folder.

    Raises:
        FileNotFoundError: it does not exist.
        StorageError: it cannot be read, or is a link.
    """
    path = folder / name
    refuse_links_to(folder, name)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the content of manifest.json in a results folder.

    Raises:
        FileNotFoundError: it does not exist.
        InputError: not a strozzi-sim manifest, or another format; or names the key that is wrong.
        StorageError: it cannot be read.
    """
    path = folder / MANIFEST
    content = read_inside(folder, MANIFEST)
    try:
        plain: dict[str, Any] = msgspec.json.decode(content)
        written = plain["format"]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, KeyError, TypeError):
        raise InputError(f"{path}: is not a strozzi-sim manifest") from None
    if written != FORMAT:
        version = plain["versions"].get("strozzi-sim") if isinstance(plain.get("versions"), dict) else "another version"
        raise InputError(
            f"{path}: format: expected {FORMAT!r}, got {str(written)[:40]!r}, which strozzi-sim {str(version)[:40]} reads; "
            "run the study again in another folder"
        )
    try:
        msgspec.convert(plain, _Manifest)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: is not as a run writes it: {error}") from None
    if plain["plan_hash"] != hash_of(plain["plan"]):
        raise InputError(f"{path}: is not as a run writes it: plan and plan_hash do not match")
    return plain


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write manifest.json; it is on the disk afterwards."""
    write_atomically(folder / MANIFEST, json.dumps(manifest, indent=1).encode() + b"\n", lasting=True)
