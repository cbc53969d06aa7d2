"""Atomic writing of files: a file is written completely or left unchanged.

Content is first written next to its target under a unique temporary name and then replaces the target in one rename. So
two writers of one file never mix, and the last to finish wins. A symbolic link is followed. A device, a pipe or
standard output cannot be replaced and is written to directly.
"""

import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from strozzi_sim.errors import StorageError

STANDARD_OUTPUT = 1
_TOKEN_BYTES = 8
_NAME_KEPT = 40  # characters of the target's name in its temporary file's name; file systems allow 255 bytes


@contextmanager
def storage_errors(what: str) -> Iterator[None]:
    """Turn an OSError inside the block into a StorageError whose message begins with `what`."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{what}: {error.strerror or error}") from error


def is_standard_output(path: Path) -> bool:
    """Return whether a path is `-`, or names the file, pipe or device to which standard output goes."""
    try:
        return str(path) == "-" or os.path.samestat(path.stat(), os.fstat(STANDARD_OUTPUT))
    except OSError:
        return False


def _is_stream(path: Path) -> bool:
    """Return whether `path` exists and is neither a regular file nor a folder, so that it cannot be replaced."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def open_atomically(path: Path, *, lasting: bool = False) -> Iterator[IO[bytes]]:
    """Yield a file to write to. It replaces `path` if the block succeeds; otherwise `path` is unchanged.

    A pipe or device is written to at once. The path `-` is standard output. With `lasting` the file is synced to disk
    (fsync) before it replaces `path`.

    Raises:
        StorageError: an OSError, also one of the block.
        BrokenPipeError: the reader of standard output has closed it.
    """
    what = f"cannot write {path}"
    with storage_errors(what):
        to_output = is_standard_output(path)
        stream = to_output or _is_stream(path)
    if stream:
        sys.stdout.flush()
        try:
            # A copy of the descriptor shares the position in a file to which standard output is redirected.
            with os.fdopen(os.dup(STANDARD_OUTPUT), "wb") if to_output else path.open("wb") as file:
                yield file
        except OSError as error:
            if to_output and isinstance(error, BrokenPipeError):
                raise
            raise StorageError(f"{what}: {error.strerror or error}") from error
        return
    with storage_errors(what):
        target = path.resolve() if path.is_symlink() else path
        permissions = _permissions(target)
        temporary = target.with_name(f".{target.name[:_NAME_KEPT]}.{secrets.token_hex(_TOKEN_BYTES)}.tmp")
        try:
            with temporary.open("xb") as file:
                if permissions is not None:
                    os.chmod(temporary, permissions)
                yield file
                if lasting:
                    file.flush()
                    os.fsync(file.fileno())
            temporary.replace(target)
        finally:  # after a full disk or a signal
            with suppress(OSError):
                temporary.unlink()


def remove_unfinished(paths: Iterable[Path]) -> None:
    """Remove the temporary files that killed processes left next to `paths`.

    No process may be writing files there whose names have the same first 40 characters.
    """
    left = re.compile(rf"\.(.*)\.[0-9a-f]{{{2 * _TOKEN_BYTES}}}\.tmp")
    names_by_folder: dict[Path, set[str]] = {}
    for path in paths:
        names_by_folder.setdefault(path.parent, set()).add(path.name[:_NAME_KEPT])
    for folder, names in names_by_folder.items():
        for file in folder.iterdir() if folder.is_dir() else ():
            if (match := left.fullmatch(file.name)) and match[1] in names:
                file.unlink()


def _permissions(target: Path) -> int | None:
    """Return the permissions of a file to replace, None without one; OSError if it is a folder or read-only."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(None, "is a folder")
    if not os.access(target, os.W_OK):
        raise PermissionError(None, "Permission denied")
    return stat.S_IMODE(status.st_mode)


def write_atomically(path: Path, content: bytes, *, lasting: bool = False) -> None:
    """Write a file atomically; see `open_atomically`."""
    with open_atomically(path, lasting=lasting) as file:
        file.write(content)
