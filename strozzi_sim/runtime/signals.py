"""Signals that arrive while the main thread cannot run Python: during compilation, and while compiled code plays.

Python runs a handler only between two instructions of the main thread. So a second thread reads the numbers of signals, which
the interpreter writes to a socket as they arrive, and writes them where compiled code looks (see `signals_written_to`).
"""

import atexit
import os
import select
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from types import FrameType
from typing import Any

_AGAIN = 0.05  # seconds until a postponed signal is sent again


def is_executing(package: str, frame: FrameType | None) -> bool:
    """Return whether code of a package is being executed in this frame or an outer one."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] == package:
            return True
        frame = frame.f_back
    return False


def postponed(number: int, frame: FrameType | None) -> threading.Timer | None:
    """Start a timer that sends the signal again if an exception would be lost here, and return it; else None.

    llvmlite is called by C code, which prints an exception and continues compiling.
    """
    if not is_executing("llvmlite", frame):
        return None
    timer = threading.Timer(_AGAIN, _send, (number,))
    timer.daemon = True
    timer.start()
    return timer


def _send(number: int) -> None:
    """Send a signal to the main thread, so that it also ends a system call there."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)


_STOPPING = (signal.SIGINT, signal.SIGTERM)
_lock = threading.Lock()
_written_to: list[Any] = []  # arrays, the innermost block's last
_outer = -1  # descriptor to which the interpreter wrote before, such as that of an event loop


@contextmanager
def signals_written_to(stop: Any) -> Iterator[None]:
    """Write the number of a SIGINT or SIGTERM into `stop`, int64[1], as soon as it arrives inside the block.

    The handlers run too, once Python does. Outside the main thread nothing is written: Python handles signals only there.
    """
    global _outer
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = _line(os.getpid())
    outer_descriptor = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    with _lock:
        if not _written_to:
            _outer = outer_descriptor
        _written_to.append(stop)
    try:
        yield
    finally:
        _read(reader)  # signals that have arrived belong to this block, not to the next one
        with _lock:
            _written_to.pop()
        signal.set_wakeup_fd(outer_descriptor)


@cache
def _line(process: int) -> tuple[socket.socket, socket.socket]:
    """Return the two ends of this process's line for numbers of signals, and start the thread that reads it."""
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    threading.Thread(target=_listen, args=(reader,), name="strozzi-signals", daemon=True).start()
    for end in (reader, writer):
        atexit.register(end.detach)  # the system closes them: the thread may still listen
    return reader, writer


def _listen(reader: socket.socket) -> None:
    while True:
        select.select([reader], [], [])
        _read(reader)


def _read(reader: socket.socket) -> None:
    with _lock:
        try:
            numbers = reader.recv(4096)
        except BlockingIOError:  # the other thread has read them
            return
        for number in numbers:
            if number in _STOPPING:
                for stop in _written_to:
                    stop[0] = number
        if _outer >= 0:
            with suppress(OSError):
                os.write(_outer, numbers)


def _release_in_copy() -> None:
    """Release the line in a forked copy, whose signals are its own."""
    global _lock
    _lock = threading.Lock()
    if _written_to and threading.current_thread() is threading.main_thread():
        _written_to.clear()
        signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_in_copy)
