"""Agents' files on other machines: they travel with a task and are stored by the digest of their content.

The environment tells which copy stands for a path, so that the worker processes of a machine find it too.
"""

import json
import os
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path, PurePath
from threading import Lock
from typing import NamedTuple

from strozzi_sim.errors import InputError, StorageError

VARIABLE = "STROZZI_AGENT_FILES"  # JSON: a path in a spec string -> its copy
_changing = Lock()


class SentFile(NamedTuple):
    """An agent's file with the files that it declares.

    Attributes:
        given: its path in a spec string.
        contents: (path relative to its folder, content); the file itself first.
    """

    given: str
    contents: tuple[tuple[str, bytes], ...]

    @property
    def digest(self) -> str:
        """SHA-256 of all names and contents."""
        parts = (sha256(name.encode()).digest() + sha256(content).digest() for name, content in self.contents)
        return sha256(b"".join(parts)).hexdigest()


def place_of(file: str) -> Path:
    """Return where the file at a path in a spec string is: the copy that was sent, or the path itself."""
    sent = os.environ.get(VARIABLE)
    return Path(json.loads(sent).get(file, file)) if sent else Path(file)


def receive(files: Sequence[SentFile]) -> None:
    """Store files that came with a task, unless they are stored, and use them for their paths from now on.

    Raises:
        InputError: a path that leads out of the folder of the copies.
        StorageError: they cannot be stored.
    """
    for file in files:
        folder = _root() / file.digest[:32]
        (name, _), *_ = file.contents
        with _changing:
            sent = json.loads(os.environ.get(VARIABLE) or "{}")
            if sent.get(file.given) == str(folder / name):
                continue
            _store(folder, file)
            os.environ[VARIABLE] = json.dumps({**sent, file.given: str(folder / name)})


def _root() -> Path:
    """Return a private folder of this process for copies; its content ends with the machine's temporary files."""
    global _private
    if _private is None:
        try:
            _private = Path(tempfile.mkdtemp(prefix="strozzi-agents-"))
        except OSError as error:
            raise StorageError(f"cannot store agents' files: {error.strerror or error}") from None
    return _private


_private: Path | None = None


def _store(folder: Path, file: SentFile) -> None:
    for name, content in file.contents:
        if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
            raise InputError(
                f"agent file {file.given}: {name!r} leads out of its folder, so it cannot be sent to a worker"
            )
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        except OSError as error:
            raise StorageError(f"cannot store agent file {file.given}: {error.strerror or error}") from None
