"""Protection against third-party code that forks: the copy would also play, reply, write the caller's files and print.

In a worker process `worker.serve` ends the whole process group before the fork. In any other process, `call_unforked`
ends the copy before it runs a line and raises in the original process.
"""

import os
from collections.abc import Callable
from threading import get_ident
from typing import Any

from strozzi_sim.runtime.worker import FORKED, end_forked

_forked: dict[int, bool] = {}  # thread that runs third-party code -> whether that code has forked


class Forked(Exception):
    """A fork of this process by third-party code; the text follows the name of the code in a sentence."""


def call_unforked(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call third-party code and return its result.

    Raises:
        Forked: the code forked this process. The copy has ended.
    """
    thread, process = get_ident(), os.getpid()
    outer = _forked.get(thread)
    _forked[thread] = False
    try:
        return function(*arguments, **named)
    finally:
        if os.getpid() != process:  # a fork by C code, invisible to the interpreter's hooks
            end_forked()
        forked = _forked.pop(thread)
        if outer is not None:
            _forked[thread] = outer
        if forked:
            raise Forked(FORKED)


def _before_fork() -> None:
    if get_ident() in _forked:
        _forked[get_ident()] = True


def _in_copy() -> None:
    if get_ident() in _forked:
        end_forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_copy)
