"""Signals that come while code is being compiled."""

import signal
import threading
from types import FrameType

_AGAIN = 0.05  # seconds until a signal that came at a bad moment is sent again


def under_way(package: str, frame: FrameType | None) -> bool:
    """Whether code of a package is being executed, there or further out."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] == package:
            return True
        frame = frame.f_back
    return False


def postponed(number: int, frame: FrameType | None) -> threading.Timer | None:
    """Sends the signal again in a moment if it came where an exception would be lost, and says by whom; else None.

    llvmlite is called by C code, which prints an exception and goes on compiling.
    """
    if not under_way("llvmlite", frame):
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
