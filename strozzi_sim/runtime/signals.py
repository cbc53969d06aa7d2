"""Signals that arrive while the main thread compiles: an exception that a handler raises there may be lost."""

import signal
import threading
from types import FrameType

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

    C code calls llvmlite's Python code, prints any exception from it, and continues compiling.
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
