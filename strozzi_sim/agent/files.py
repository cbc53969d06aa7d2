"""Files of agents: which of them may be used, and where they are on the workers of a cluster.

A spec string in a results folder or the call of an assistant is data by its author. While it is looked up, `only_named`
is active, and `check_named` refuses every file that the user did not name. Workers of a cluster have copies of the
files in a folder, which replace the paths in spec strings.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from strozzi_sim.errors import InputError
from strozzi_sim.runtime.files import write_atomically
from strozzi_sim.runtime.parsing import check_name

NAME_WITH_CODE = "name it with code"
_COPIES = "STROZZI_AGENT_FILES"  # variable with the folder of the copies, which a worker's processes inherit


class _Named(NamedTuple):
    """The files that the user named; for errors `by`, the source of other files, and `advice`, how to name a file."""

    files: frozenset[str]
    by: str
    advice: str


_named: ContextVar[_Named | None] = ContextVar("named", default=None)  # None: the user names every file
_used: set[str] = set()  # files that this process was allowed to use


@contextmanager
def only_named(files: Iterable[str | Path], by: str = "the folder", advice: str = NAME_WITH_CODE) -> Iterator[None]:
    """Allow in this block only these files, if an outer block allows them too, and those used before in this process.

    `by` and `advice` go into errors.
    """
    outer, allowed = _named.get(), frozenset(map(_resolved, files))
    token = _named.set(_Named(allowed if outer is None else allowed & outer.files, by, advice))
    try:
        yield
    finally:
        _named.reset(token)


def check_named(file: str | Path) -> None:
    """Check that the user named a file, and allow it for the rest of the process. Raises InputError."""
    named, resolved = _named.get(), _resolved(file)
    if named is not None and resolved not in named.files and resolved not in _used:
        message = f"agent file {file} is named only by {named.by}, so it is not used; if you trust it, {named.advice}"
        raise InputError(message)
    _used.add(resolved)


def _resolved(file: str | Path) -> str:
    """Check the name of a file; return its absolute path without links."""
    check_name(Path(file))
    return os.path.realpath(file)  # not Path.resolve, which raises for a circle of links


class SentFile(NamedTuple):
    """An agent's file with the files that it declares."""

    given: str  # its path in a spec string
    contents: tuple[tuple[str, bytes], ...]  # (path relative to its folder, content); the file itself first


def place_of(file: str) -> Path:
    """Return the path to open for a file of a spec string: its copy on a worker of a cluster, else the path itself."""
    root = os.environ.get(_COPIES)
    copy = _folder(root, file) / Path(file).name if root else None
    return copy if copy is not None and copy.is_file() else Path(file)


def receive(files: Iterable[SentFile], root: str | Path) -> None:
    """Store copies of files below `root`; from now on `place_of` returns them."""
    os.environ[_COPIES] = str(root)
    for file in files:
        for name, content in file.contents:
            copy = _folder(root, file.given) / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(copy, content)


def _folder(root: str | Path, given: str) -> Path:
    return Path(root, sha256(given.encode()).hexdigest()[:32])
