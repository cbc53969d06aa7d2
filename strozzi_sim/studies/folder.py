"""The results folder: its lock, its manifest, and the list of files that runs wrote into it.

files.json names every table, picture and page that a run or a report writes, before it is written, and its SHA-256
once it is there. Only what it names is replaced or removed.
"""

import contextlib
import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec
from msgspec import Meta

from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.keeping import NOTHING, Keep
from strozzi_sim.games.own_maps import OwnMap
from strozzi_sim.kernel.files import open_atomically, storage_errors, write_whole
from strozzi_sim.kernel.locks import take_lock
from strozzi_sim.studies.plan import hash_of

FORMAT = "strozzi-sim.results/2"
MANIFEST = "manifest.json"
FILES = "files.json"
LEDGER = "ledger.jsonl"
LOCK = ".lock"
TEMPORARY = re.compile(r"^\..+\.[0-9a-f]{16}\.tmp$")
_OURS = (LOCK, MANIFEST, FILES, LEDGER, "report.html")
_FOLDERS = ("chunks", "tables", "figures", "games", "facts")

Content = bytes | Callable[[IO[bytes]], None]
_Count = Annotated[int, Meta(ge=0, le=2**53)]
_Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
_KEPT = r"facts/\w+/players=\d+/variant=[^/]+/lineup=[^/]+/[^/.][^/]*"
_File = Annotated[str, Meta(pattern=rf"^((tables|figures|games)/[^/.][^/]*|{_KEPT}|report\.html)$")]


class _Report(msgspec.Struct):
    pages: list[str]
    heatmaps: list[str]
    own: list[OwnMap] = []


class _Plan(msgspec.Struct):
    """What the plan in a manifest must hold, whatever kind of study it is of; see `Plan.resolved`."""

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
    """What a manifest must hold; further keys are for readers."""

    format: str
    name: str
    game: str
    seed: _Count
    plan: dict[str, Any]
    plan_hash: _Hash
    calibrated: list[dict[str, Any]]
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
    tables: list[str] = []
    counted: list[Crosstab] = []
    kept: Keep = NOTHING
    held: Keep = NOTHING


def refuse_links(folder: Path) -> None:
    """Refuse a results folder in which something of ours is a link, a pipe or a device.

    A folder may come from anybody. Nothing in it is opened, made, emptied or removed before this look at all that a run
    reads or writes: a link there could lead to any file of the user's. The folder itself may be a link.

    Raises:
        StorageError: names it.
    """
    for name in (*_OURS, *_FOLDERS):
        _refuse_link(folder / name)
    for name in _FOLDERS:
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
    """Return the bytes of a file in a results folder; that there is none is left to the caller to explain.

    Raises:
        FileNotFoundError: there is none.
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
    """What manifest.json of a results folder says.

    Raises:
        FileNotFoundError: there is none.
        InputError: not a strozzi-sim manifest, another format, or changed by hand; names the key.
        StorageError: it cannot be read.
    """
    path = folder / MANIFEST
    content = read_inside(folder, MANIFEST)
    try:
        plain = msgspec.json.decode(content)
        written = plain["format"]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, KeyError, TypeError):
        raise InputError(f"{path}: is not a strozzi-sim manifest") from None
    if written != FORMAT:
        raise InputError(
            f"{path}: format: expected {FORMAT!r}, got {str(written)[:40]!r}; run the study again in another folder"
        )
    try:
        manifest = msgspec.convert(plain, _Manifest)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: was changed by hand: {error}") from None
    if manifest.plan_hash != hash_of(manifest.plan):
        raise InputError(f"{path}: was changed by hand: plan and plan_hash do not match")
    try:
        plan = msgspec.convert(manifest.plan, _Plan)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: was changed by hand: plan: {error}") from None
    if plan.game != manifest.game:
        raise InputError(f"{path}: was changed by hand: game: {manifest.game!r} is not the plan's {plan.game!r}")
    assert isinstance(plain, dict)
    return plain


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write manifest.json; it is on the disk afterwards."""
    write_whole(folder / MANIFEST, json.dumps(manifest, indent=1).encode() + b"\n", lasting=True)


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Keep other runs and reports out of a results folder; what killed ones left half-written is removed.

    Raises:
        StorageError: another one is writing there, or nothing can be written.
    """
    refuse_links(folder)
    with storage_errors(f"cannot write to {folder}"):
        lock = (folder / LOCK).open("ab")
    with lock:
        try:
            take_lock(lock, wait=False)
        except BlockingIOError:
            raise StorageError(
                f"{folder}: another run is writing here; wait for it, or choose another folder"
            ) from None
        except OSError as error:
            raise StorageError(
                f"{folder}: its disk has no file locks ({error.strerror or error}), which keep two runs apart; use a folder "
                "on another disk, a local one, and copy the results"
            ) from error
        with storage_errors(f"cannot write to {folder}"):
            for path in (*folder.iterdir(), *(path for name in _FOLDERS for path in (folder / name).rglob("*"))):
                if TEMPORARY.match(path.name) and path.is_file():
                    path.unlink()
        yield


def read_list(folder: Path) -> dict[str, str | None]:
    """The files that runs wrote into a results folder, by path within it, with their SHA-256.

    Raises:
        InputError: the list was changed by hand.
        StorageError: it cannot be read.
    """
    path = folder / FILES
    try:
        return msgspec.json.decode(read_inside(folder, FILES), type=dict[_File, _Hash | None])
    except FileNotFoundError:
        return {}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path}: is not a strozzi-sim list of files: {error}") from None


def _write_list(folder: Path, files: Mapping[str, str | None]) -> None:
    write_whole(folder / FILES, json.dumps(dict(sorted(files.items())), indent=1).encode() + b"\n", lasting=True)


def replace_files(folder: Path, contents: Mapping[str, Content], *, parts: tuple[str, ...]) -> None:
    """Write files into a results folder, and remove those of `parts` that are no longer made.

    Args:
        folder: the results folder, whose lock is held.
        contents: by path within the folder, bytes, or what writes to a file.
        parts: beginnings of the paths that `contents` replaces, such as "tables/".

    Raises:
        InputError: the list of files was changed by hand.
        StorageError: a file cannot be written, or is there and was not written by us.
    """
    listed = read_list(folder)
    for name in contents:
        if name not in listed and os.path.lexists(folder / name):
            raise StorageError(f"cannot write {folder / name}: it exists and was not written by a run; move it away")
    _write_list(folder, listed | {name: None for name in contents if name not in listed})
    kept = {name: digest for name, digest in listed.items() if not name.startswith(parts)}
    for name, content in contents.items():
        path = folder / name
        with storage_errors(f"cannot write to {path.parent}"):
            path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            write_whole(path, content)
            kept[name] = hashlib.sha256(content).hexdigest()
        else:
            with open_atomically(path) as file:
                content(file)
            kept[name] = _digest(path)
    for name in listed:
        if name not in kept:
            with storage_errors(f"cannot remove {folder / name}"):
                (folder / name).unlink(missing_ok=True)
            for parent in list((folder / name).relative_to(folder).parents)[:-2]:  # those inside tables, facts, ...
                with contextlib.suppress(OSError):  # not empty
                    (folder / parent).rmdir()
    _write_list(folder, kept)


def are_as_written(folder: Path, names: Iterable[str]) -> bool:
    """Whether these files are there as a run wrote them.

    Raises:
        InputError: the list of files was changed by hand.
        StorageError: one cannot be read.
    """
    listed = read_list(folder)
    try:
        return all(listed.get(name) is not None and listed[name] == _digest(folder / name) for name in names)
    except FileNotFoundError:
        return False


def _digest(path: Path) -> str:
    """The SHA-256 of a file, which may be longer than memory."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_file(folder: Path, name: str, digest: str | None) -> bytes:
    """A file of a run as it was written.

    Raises:
        InputError: it is missing, or is not as it was written.
        StorageError: it cannot be read.
    """
    path = folder / name
    try:
        content = read_inside(folder, name)
    except FileNotFoundError:
        raise InputError(f"{path}: is missing; run the study again") from None
    if digest != hashlib.sha256(content).hexdigest():
        raise InputError(f"{path}: is damaged or was changed by hand; run the study again")
    return content
