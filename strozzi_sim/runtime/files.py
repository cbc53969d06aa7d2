"""Atomic writing of files: a file is written completely or left unchanged.

`check_replaceable` and `write_replacing` refuse to replace a file that is not ours.

Content is first written next to its target under a unique temporary name and then replaces the target in one rename. A
symbolic link that a user names is followed; below a results folder none is. A device, a pipe or standard output cannot
be replaced and is written to directly.
"""

import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile

from strozzi_sim.errors import ArgumentError, InputError, StorageError, short_repr

STANDARD_OUTPUT = 1
MAKER = "strozzi-sim"  # in the metadata of pictures and workbooks
# Kinds of files that may replace one of their own kind, each with what tells it in the first or last _MARKED
# bytes, of a workbook in those of its docProps/core.xml.
RECORD, REPORT_PAGE, GAME_PAGE = "record", "report page", "page of a game"
TABLE, WORKBOOK, PICTURE, NETWORKS = "table", "workbook", "picture", "file of networks"
_GENERATOR = rb'<meta name="generator" content="strozzi-sim">'
_MARKS = {
    RECORD: rb'\A(\xef\xbb\xbf)?\s*\{"type": ?"game", ?"format": ?"strozzi-sim\.record/',
    REPORT_PAGE: rb'\A\s*<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' + _GENERATOR,
    GAME_PAGE: rb'\A\s*<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' + _GENERATOR,
    TABLE: rb"\A(sheet,heading,meaning|[^\n]*,value,low,high,n,deals|"
    rb"[^\n]* \(low\)[^\n]* \(high\)[^\n]* \(n\))",
    WORKBOOK: rb"<cp:lastModifiedBy>strozzi-sim<",
    PICTURE: rb"\A\x89PNG.{33}tEXtSoftware\x00strozzi-sim|\A%PDF.*/Producer \(strozzi-sim\)|"
    rb"\A<svg [^>]*><title>[^<]*</title><style>text\{pointer-events:none\}</style>",
    NETWORKS: rb"\APK\x03\x04.{26}(all|[0-9]+)/0/(weights|bias)\.npy",
}
_MARKED = 8192
_TOKEN_BYTES = 8
_NAME_KEPT = 40  # characters of the target's name in its temporary file's name; file systems allow 255 bytes

_DEVICES = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9\xb9\xb2\xb3])(\..*)?", re.IGNORECASE | re.DOTALL)
_REFUSED = re.compile(r"[<>:\"/\\|?*\x00-\x1f]|[. ]\Z")


def check_portable(name: str) -> None:
    """Raise InputError for a name that some system refuses as that of a file or folder, such as `con` or `a?.csv`.

    Names that users choose for files of ours are checked; a path that they name is the system's affair.
    """
    if _DEVICES.fullmatch(name):
        raise InputError(f"{short_repr(name)} names a device on Windows; choose another name")
    if not name or _REFUSED.search(name):
        refused = 'without < > : " / \\ | ? *, and no point or blank at its end'
        raise InputError(f"must be a name for a file on every system, {refused}; got {short_repr(name)}")


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


def check_no_links(paths: Iterable[Path]) -> None:
    """Raise StorageError for a path that is a link, a pipe or a device: it could lead anywhere."""
    for path in paths:
        with suppress(FileNotFoundError, NotADirectoryError):
            mode = path.lstat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                what = "is a link, a pipe or a device, which no run made"
                raise StorageError(f"{path}: {what}; remove it, or name another folder")


def check_inside(folder: Path, path: Path) -> None:
    """Raise StorageError if `path`, or a folder between it and `folder`, is a link, a pipe or a device."""
    inner = path.relative_to(folder)
    check_no_links(folder / part for part in (*reversed(inner.parents[:-1]), inner))


def check_replaceable(path: Path, kind: str, argument: str = "path", *, overwrite: bool = False) -> None:
    """Raise ArgumentError of `argument` if `path` is a file but not of ours of this kind, unless `overwrite`.

    An empty file may be replaced, a pipe or a device is written to, and a folder is refused when it is opened.
    """
    with storage_errors(f"cannot write {path}"):
        if overwrite or is_standard_output(path) or not path.is_file():
            return
        with path.open("rb") as file:
            content = file.read(_MARKED)
            file.seek(max(file.tell(), path.stat().st_size - _MARKED))
            content += file.read(_MARKED)
    if content.startswith(b"PK") and kind == WORKBOOK:
        with suppress(BadZipFile, KeyError, OSError), ZipFile(path) as book, book.open("docProps/core.xml") as core:
            content = core.read(_MARKED)
    if content and not re.search(_MARKS[kind], content, re.DOTALL):
        words = f"{path} exists and is not a {kind} of strozzi-sim"
        raise ArgumentError(argument, f"{words}; move it away, name another file, or give `overwrite`")


@contextmanager
def open_atomically(path: Path, *, within: Path | None = None, lasting: bool = False) -> Iterator[IO[bytes]]:
    """Yield a file to write to. It replaces `path` if the block succeeds; otherwise `path` is unchanged.

    A pipe or device is written to at once. The path `-` is standard output. With `lasting` the file is synced to disk
    (fsync) before it replaces `path`. All that is written below a results folder is opened here, with the folder as
    `within`: missing folders are made, and no link below it is followed.

    Raises:
        StorageError: an OSError, also one of the block, or a link within `within`.
        BrokenPipeError: the reader of standard output has closed it.
    """
    what = f"cannot write {path}"
    if within is not None:
        with storage_errors(what):
            check_inside(within, path)
            path.parent.mkdir(parents=True, exist_ok=True)
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


def write_atomically(path: Path, content: bytes, *, within: Path | None = None, lasting: bool = False) -> None:
    """Write a file atomically; see `open_atomically`."""
    with open_atomically(path, within=within, lasting=lasting) as file:
        file.write(content)


def write_replacing(
    contents: Mapping[Path, bytes],
    kind: str,
    *,
    within: Path | None = None,
    argument: str = "path",
    overwrite: bool = False,
) -> None:
    """Write files of a kind atomically, none of them if one of their paths may not be replaced.

    See `open_atomically` and `check_replaceable`.
    """
    for path in contents:
        if within is not None:
            check_inside(within, path)
        check_replaceable(path, kind, argument, overwrite=overwrite)
    for path, content in contents.items():
        write_atomically(path, content, within=within)
