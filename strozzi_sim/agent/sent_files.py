"""Agents' files on the workers of a cluster: a folder there has copies, which stand for the paths in spec strings."""

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from strozzi_sim.runtime.files import write_atomically

_VARIABLE = "STROZZI_AGENT_FILES"  # the folder of the copies, also in the processes that a worker starts


class SentFile(NamedTuple):
    """An agent's file with the files that it declares."""

    given: str  # its path in a spec string
    contents: tuple[tuple[str, bytes], ...]  # (path relative to its folder, content); the file itself first


def place_of(file: str) -> Path:
    """Return where the file at a path in a spec string is: the copy that was sent, or the path itself."""
    root = os.environ.get(_VARIABLE)
    copy = _folder(root, file) / Path(file).name if root else None
    return copy if copy is not None and copy.is_file() else Path(file)


def receive(files: Iterable[SentFile], root: str | Path) -> None:
    """Store files below `root`, and use them for their paths from now on."""
    os.environ[_VARIABLE] = str(root)
    for file in files:
        for name, content in file.contents:
            copy = _folder(root, file.given) / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(copy, content)


def _folder(root: str | Path, given: str) -> Path:
    return Path(root, sha256(given.encode()).hexdigest()[:32])
