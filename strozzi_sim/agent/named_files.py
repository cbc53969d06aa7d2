"""Which files an agent may use: agents' files, programs, graphs and weights count only where the user names them.

A spec string in a results folder, a record or the call of an assistant is data of its author. While such text is looked
up, `only_named` holds, and every file in it is checked by `check_named` before anything reads or runs it.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from strozzi_sim.errors import InputError
from strozzi_sim.runtime.parsing import check_name

NAME_WITH_CODE = "name it with code"


@dataclass(frozen=True)
class _Named:
    """The files that the user names, who else names files, and how the user can name one."""

    files: frozenset[str]
    by: str
    advice: str


_named: ContextVar[_Named | None] = ContextVar("named", default=None)  # None: the user names every file
_used: set[str] = set()  # files that this process was allowed to use


@contextmanager
def only_named(files: Iterable[str | Path], by: str = "the folder", advice: str = NAME_WITH_CODE) -> Iterator[None]:
    """Allow inside the block only these files, and files that this process was allowed to use before."""
    outer, allowed = _named.get(), frozenset(map(_place, files))
    token = _named.set(_Named(allowed if outer is None else allowed & outer.files, by, advice))
    try:
        yield
    finally:
        _named.reset(token)


def check_named(file: str | Path) -> None:
    """Refuse a file that the user did not name."""
    named, place = _named.get(), _place(file)
    if named is not None and place not in named.files and place not in _used:
        raise InputError(
            f"agent file {file}: named only by {named.by}, so it is not used; if you trust it, {named.advice}"
        )
    _used.add(place)


def _place(file: str | Path) -> str:
    """Return the path of a file, without links; `Path.resolve` raises where links form a circle."""
    check_name(Path(file))
    return os.path.realpath(file)
