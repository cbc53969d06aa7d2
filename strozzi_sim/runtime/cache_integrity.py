"""Trusted folders of machine code: owned by this user alone, tagged, every file with a valid checksum.

Loaded machine code is executed. A folder is therefore used only if it belongs to this user, no other user may write to
it, and it contains the tag (a CACHEDIR.TAG, https://bford.info/cachedir/) that identifies its author. A list of SHA-256
sums identifies completely written files; files that are not listed, or differ, are removed and compiled again.
"""

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from strozzi_sim.errors import StorageError
from strozzi_sim.runtime.files import write_atomically
from strozzi_sim.runtime.locks import take_lock

TAG = "CACHEDIR.TAG"
LOCK = ".lock"
BUNDLE = ".drafts"  # suffix of the files of `kernel.kept_drafts`
_TAG_TEXT = b"""Signature: 8a477f597d28d172789f06886806bc55
# Machine code compiled by strozzi-sim. `strozzi cache --clear` removes it.
"""
_SUMS = "sums.json"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
PRIVATE = 0o700

_Stamp = tuple[int, int, int]
_checked: dict[Path, _Stamp] = {}  # verified file -> its stamp then


class UntrustedCache(Exception):
    """A folder from which machine code must not be loaded, or in which it cannot be stored; the text states why."""


def open_root(root: Path) -> None:
    """Ensure that the folder of all cache folders exists and is owned by this user.

    Raises:
        UntrustedCache: it is not, or cannot be made.
    """
    try:
        root.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        _check_owned(root, root.stat())
    except OSError as error:
        raise _unusable(error) from error


def open_folder(folder: Path) -> None:
    """Make sure that a cache folder exists, is owned by this user, is tagged and can be written to.

    Raises:
        UntrustedCache: it is not, or cannot be made.
    """
    try:
        folder.mkdir(mode=PRIVATE, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode):
            raise UntrustedCache(f"{folder.name} is not a folder")
        _check_owned(folder, status)
        if not {entry.name for entry in folder.iterdir()} - {LOCK}:
            write_atomically(folder / TAG, _TAG_TEXT)
        if not is_tagged(folder):
            raise UntrustedCache(f"{folder.name} holds files that strozzi-sim did not write (there is no {TAG})")
        with tempfile.TemporaryFile(dir=folder):  # numba's own check, without which it does not cache
            pass
    except (OSError, StorageError) as error:
        raise _unusable(error) from error


def is_tagged(folder: Path) -> bool:
    """Return whether a folder has the tag of strozzi-sim."""
    try:
        return (folder / TAG).read_bytes() == _TAG_TEXT
    except OSError:
        return False


def _unusable(error: Exception) -> UntrustedCache:
    return UntrustedCache(getattr(error, "strerror", None) or str(error))


def _check_owned(path: Path, status: os.stat_result) -> None:
    if os.name == "nt":
        return  # Windows has no modes; a profile's folders are private
    if status.st_uid != os.geteuid():
        raise UntrustedCache(f"{path.name} belongs to another user (uid {status.st_uid})")
    if status.st_mode & _OTHERS_WRITE:
        raise UntrustedCache(f"others may write to {path.name} (mode {stat.S_IMODE(status.st_mode):o})")


def drop_damaged(folder: Path) -> int:
    """Remove every code file that has changed, or that other users may write to; return the number of removed files.

    The caller holds the folder's lock.

    Raises:
        UntrustedCache: a file belongs to another user, or cannot be read or removed.
    """
    dropped = 0
    try:
        sums = _read_sums(folder)
        for file in _code_files(folder):
            status = file.lstat()
            closed = stat.S_ISREG(status.st_mode) and not status.st_mode & _OTHERS_WRITE
            if closed and _checked.get(file) == _stamp(status):
                continue
            if status.st_uid != folder.lstat().st_uid:
                raise UntrustedCache(f"{file.name} belongs to another user (uid {status.st_uid})")
            if closed and sums.get(_name(folder, file)) == _sum(file):
                _checked[file] = _stamp(status)
            else:
                file.unlink()
                dropped += 1
    except OSError as error:
        raise _unusable(error) from error
    return dropped


def write_checksums(folder: Path, *, whole: bool) -> None:
    """Add files written since `drop_damaged` to the list; remove them if writing failed (not `whole`).

    Raises:
        OSError, StorageError: the list cannot be written.
    """
    new = [file for file in _code_files(folder) if _checked.get(file) != _stamp(file.lstat())]
    if not new:
        return
    sums = _read_sums(folder)
    for file in new:
        if not whole:  # numba writes its index before the code that the index names
            file.unlink()
            continue
        file.chmod(stat.S_IMODE(file.lstat().st_mode) & ~_OTHERS_WRITE)  # a umask may allow more
        file.parent.chmod(PRIVATE)
        sums[_name(folder, file)] = _sum(file)
        _checked[file] = _stamp(file.lstat())
    there = {_name(folder, file) for file in _code_files(folder)}
    listed = {name: digest for name, digest in sorted(sums.items()) if name in there}
    write_atomically(folder / _SUMS, json.dumps(listed, indent=0).encode())


def remove_folder(folder: Path) -> bool:
    """Remove a tagged cache folder and its files; return False if a process uses it or it is not tagged."""
    if folder.is_symlink() or not is_tagged(folder):
        return False
    with suppress(OSError), (folder / LOCK).open("wb") as lock:
        take_lock(lock, wait=False)
        for file in _code_files(folder):
            file.unlink()
        for inner in [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]:
            with suppress(OSError):  # it contains other files
                inner.rmdir()
        if {entry.name for entry in folder.iterdir()} <= {TAG, LOCK, _SUMS}:
            for name in (_SUMS, LOCK, TAG):
                (folder / name).unlink(missing_ok=True)
            folder.rmdir()
        return True
    return False


def _code_files(folder: Path) -> Iterator[Path]:
    """Yield numba's index and code files, their remains from killed processes, and bundles of drafts."""
    for path in sorted(folder.glob("*/*")):
        if path.suffix in (".nbi", ".nbc", BUNDLE) or ".nbi.tmp." in path.name or ".nbc.tmp." in path.name:
            yield path


def _name(folder: Path, file: Path) -> str:
    return file.relative_to(folder).as_posix()


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_ino, status.st_mtime_ns, status.st_size


def _sum(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _read_sums(folder: Path) -> dict[str, str]:
    try:
        sums = json.loads((folder / _SUMS).read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return {}  # all files are then unknown and compiled again
    return sums if isinstance(sums, dict) else {}
