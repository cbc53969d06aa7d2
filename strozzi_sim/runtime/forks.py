"""Third-party code must not fork: the copy would also play on, reply, write the caller's files and print.

In a worker process `worker.serve` ends the whole process group before the fork. In any other process, `call_unforked`
ends the copy before it runs a line and raises in the process that made it.
"""

import os
from collections.abc import Callable
from threading import get_ident
from typing import Any

from strozzi_sim.runtime.worker import FORKED, end_forked

_forked: dict[int, bool] = {}  # per thread that runs third-party code: whether that code has forked


class Forked(Exception):
    """Third-party code forked this process; the text completes a sentence that begins with the code's name."""


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
        if os.getpid() != process:  # a fork by C code, which the interpreter's hooks do not see
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
