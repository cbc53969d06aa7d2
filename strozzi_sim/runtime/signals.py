"""Signals that end a process: those of a user, a scheduler or a closed terminal; and those that must wait.

While the main thread compiles, an exception that a handler raises there may be lost.
"""

import atexit
import contextlib
import signal
import sys
import threading
from types import FrameType

from strozzi_sim.runtime.system import send_to_main_thread

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_AGAIN = 0.05  # seconds until a postponed signal is sent again


def is_executing(package: str, frame: FrameType | None) -> bool:
    """Return whether code of a package is being executed in this frame or an outer one."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] == package:
            return True
        frame = frame.f_back
    return False


def postpones(number: int, frame: FrameType | None) -> bool:
    """Return whether an exception would be lost here; a timer then sends the signal again.

    C code calls llvmlite's Python code, prints any exception from it, and continues compiling.
    """
    if not is_executing("llvmlite", frame):
        return False
    timer = threading.Timer(_AGAIN, send_to_main_thread, (number,))
    timer.daemon = True
    timer.start()
    return True


def end_process(number: int) -> None:
    """End this process as the signal does by default, once functions registered with `atexit` have run.

    So a shell, a scheduler or a parent process sees a process that the signal has ended.
    """
    for each in ENDING:
        signal.signal(each, signal.SIG_DFL)  # another one ends the process at once
    # No public function runs them and returns. SystemExit would run them too, but only after it has waited for all
    # threads, and the process would end with an exit code. `multiprocessing` calls this one in the same place.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # there is none, or it is closed
            stream.flush()
    signal.raise_signal(number)
    raise SystemExit(128 + number)  # the first process of a container is not ended by signals
