"""What differs between systems: signals, users, locks, and how a process and its children end.

POSIX has process groups, and a signal that ends a process whose interpreter is held by C code. Elsewhere psutil finds
the children, and a process ends once its interpreter is free. No other module names what only some systems have.

A signal that ends a process is one of a user, a scheduler or a closed terminal. It must wait while the main thread
compiles, where an exception that a handler raises may be lost.
"""

import atexit
import errno
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any

import psutil

_fcntl: Any = None
_resource: Any = None
with suppress(ImportError):  # on Windows
    import fcntl
    import resource

    _fcntl, _resource = fcntl, resource

_HAS_GROUPS = hasattr(os, "killpg")
_HAS_SIGIO = _fcntl is not None and hasattr(os, "O_ASYNC")  # sent when a pipe is closed
KILLED = getattr(signal, "SIGKILL", None)  # the signal that also ends a process for which no memory is left
HAS_TIMER = hasattr(signal, "setitimer")  # one that interrupts the main thread
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_AGAIN = 0.05  # seconds until a postponed signal is sent again
# Arguments of `Popen` for a process that Ctrl-C in the terminal does not reach, with its children.
OWN_GROUP: Mapping[str, Any] = MappingProxyType(
    {"process_group": 0}
    if _HAS_GROUPS
    else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}  # 0: neither, in a test
)


def end_group(process: int) -> None:
    """Kill a process that was started with OWN_GROUP, and its children, as far as they are running."""
    if _HAS_GROUPS:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)
        return
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(process)
        for each in [*root.children(recursive=True), root]:
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                each.kill()


@contextmanager
def end_on_close(pipe: int) -> Iterator[None]:
    """End this process and its group if the other end of a pipe is closed inside the block, where nothing is sent.

    The system sends SIGIO, which needs no interpreter, so code that holds its lock forever is ended too. Without that
    signal nothing is done.
    """
    if not _HAS_SIGIO:
        yield
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    options = _fcntl.fcntl(pipe, _fcntl.F_GETFL)
    _fcntl.fcntl(pipe, _fcntl.F_SETOWN, -os.getpgrp())
    _fcntl.fcntl(pipe, _fcntl.F_SETFL, options | os.O_ASYNC)
    if select.select([pipe], [], [], 0)[0]:  # closed before
        end_group(os.getpid())
    try:
        yield
    finally:
        _fcntl.fcntl(pipe, _fcntl.F_SETFL, options)


def send_to_main_thread(number: int) -> None:
    """Send a signal to the main thread, where it ends a system call too, if the system can do that."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)


def set_timer_handler(handler: Any) -> Any:
    """Set what `set_timer` calls, in the main thread, and return what it called before; only where HAS_TIMER."""
    return signal.signal(signal.SIGALRM, handler)


def set_timer(seconds: float) -> None:
    """Interrupt the main thread after `seconds`; with 0 no more. Only where HAS_TIMER."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def call_in_forks(function: Callable[[], None]) -> Callable[[], None]:
    """Call a function in each process that is forked from this one, where processes can be forked; a decorator."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)
    return function


def user_id() -> int | None:
    """Return the number of the effective user, None on Windows, where files have neither owner numbers nor modes."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def why_not_locked(folder: Path) -> str:
    """Return why no file can be locked in a folder, which SQLite reports as one that is locked; "" if one can be."""
    if _fcntl is None:
        return ""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            _fcntl.lockf(file, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
            return f"files cannot be locked on this file system ({error.strerror})"
    return ""


def process_age() -> float:
    """Return the seconds since this process started."""
    return time.time() - float(psutil.Process().create_time())


def peak_memory() -> float:
    """Return the peak resident memory of this process in MiB."""
    if _resource is None:
        memory = psutil.Process().memory_info()
        return float(getattr(memory, "peak_wset", memory.rss)) / 2**20
    peak = _resource.getrusage(_resource.RUSAGE_SELF).ru_maxrss
    return float(peak) / (2**20 if psutil.MACOS else 2**10)


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
        with suppress(AttributeError, OSError, ValueError):  # there is none, or it is closed
            stream.flush()
    signal.raise_signal(number)
    raise SystemExit(128 + number)  # the first process of a container is not ended by signals
