"""The worker process: it runs its parent's requests and reports progress through a heartbeat in shared memory.

Third-party code runs here, where it can be stopped (see `workers` for the parent's side). Whatever happens to the
worker, the parent survives, and reads from the heartbeat which decision was running.
"""

import mmap
import os
import pickle
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any

import numpy as np

# Progress of the games, written by the game loops and read by the parent.
HEARTBEAT = np.dtype([
    ("busy", "i8"),  #       1: agents are running, subject to the time limit
    ("decisions", "i8"),  #  decisions begun so far by this process; increases with every decision
    ("first", "i8"),  #      `decisions` at the start of the current game
    ("players", "i8"),
    ("deal", "i8"),
    ("seating", "i8"),  #    index among the played seatings
    ("seat", "i8"),  #       acting seat
    ("spare", "u1", (128,)),  # separates the cache lines of threads
], align=True)  # fmt: skip

DONE, RAISED, QUIT = "done", "raised", "quit"  # kinds of reply: a value, an exception, an exception that ends processes
IDLE_SECONDS = 300  # without a request for this long the worker ends and frees its memory
_PARENT_SECONDS = 0.5  # between two checks that the parent is alive

_shared: np.ndarray[Any, Any] | None = None
_raised = ""


def is_worker() -> bool:
    """Return whether this process is a worker."""
    return _shared is not None


def heartbeat() -> np.ndarray[Any, Any]:
    """Return a HEARTBEAT record, array of shape (1,): in a worker the shared one, elsewhere a new one."""
    return np.zeros(1, HEARTBEAT) if _shared is None else _shared


@contextmanager
def active_heartbeat(beat: np.ndarray[Any, Any], players: int = 0, deal: int = 0, seat: int = 0) -> Iterator[None]:
    """Mark the heartbeat busy inside the block, in which agents are called: if it stops, an agent hangs."""
    number = int(beat["decisions"][0]) + 1
    beat[0] = (1, number, number - 1, players, deal, 0, seat, 0)
    try:
        yield
    finally:
        beat["busy"] = 0


def begin_decision(words: memoryview, deal: int, seating: int, seat: int, number: int) -> None:
    """Record in the heartbeat that Python begins the game's `number`-th decision, from 0."""
    words[2] = words[1] - number  # first
    words[1] += 1  # decisions
    words[4], words[5], words[6] = deal, seating, seat


def serve(connection: int, memory: int, lifeline: int, parent: int) -> None:
    """Answer requests until the parent closes the connection or sends none for IDLE_SECONDS.

    A request is a pickled (folder, environment, path, pickled (function, arguments)), a reply a pickled (kind, value).
    """
    from multiprocessing.connection import Connection

    global _shared
    worker = os.getpid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    _end_with_parent(lifeline, parent)
    _shared = np.frombuffer(mmap.mmap(memory, HEARTBEAT.itemsize), HEARTBEAT, 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # for output of agents that end the process
    sys.unraisablehook = _note
    line = Connection(connection)
    while line.poll(IDLE_SECONDS):
        try:
            request = line.recv_bytes()
        except EOFError:
            return
        reply = _reply(request)
        if os.getpid() != worker:  # a copy that an agent made of its process: there is one reply
            os._exit(1)
        line.send_bytes(reply)


def _reply(request: bytes) -> bytes:
    try:
        folder, environment, sys.path[:], call = pickle.loads(request)
        os.environ.clear()
        os.environ.update(environment)
        if folder:
            os.chdir(folder)
        function, arguments = pickle.loads(call)
        return pickle.dumps((DONE, function(*arguments)))
    except Exception as error:  # noqa: BLE001 - the parent raises it again
        return _error_reply(error)
    except BaseException as error:  # noqa: BLE001 - SystemExit and the like: only an agent can have raised it here
        return pickle.dumps((QUIT, f"raised {describe_exception(error)}"))
    finally:
        if _shared is not None:
            _shared["busy"] = 0


def _error_reply(error: Exception) -> bytes:
    """Return the reply that raises this in the parent: with its traceback, else without, else its text alone."""
    from multiprocessing.pool import ExceptionWithTraceback  # type: ignore[attr-defined]

    for wrap in (lambda: ExceptionWithTraceback(error, error.__traceback__), lambda: error):
        with suppress(BaseException):  # a third-party exception may do anything in str or pickle
            reply = pickle.dumps((RAISED, wrap()))
            pickle.loads(reply)
            return reply
    return pickle.dumps((RAISED, RuntimeError(describe_exception(error))))


def describe_exception(error: BaseException) -> str:
    """Return type and text of an exception, although `str` of it may raise."""
    try:
        text = str(error)
        return f"{type(error).__name__}: {text}" if text else type(error).__name__
    except BaseException as other:  # noqa: BLE001 - its __str__ may be an agent's code
        return f"{type(error).__name__}, whose text raised {type(other).__name__}"


def raised_in_compiled_code() -> str:
    """Return type and text of the last exception of compiled code in this worker; "" without one, or elsewhere.

    Such code cannot raise into the loop that calls it by address: it returns 0, and numba only reports the exception.
    """
    return _raised


def _note(report: Any) -> None:
    """Store an exception that numba reports from compiled code, for the text of a fault; print others as usual."""
    global _raised
    if isinstance(report.object, str) and report.object.startswith("<numba."):
        _raised = describe_exception(report.exc_value)
    else:
        sys.__unraisablehook__(report)


def _end_with_parent(lifeline: int, parent: int) -> None:
    """Make sure that this process, and all that it starts, ends with the parent, however the parent ends.

    The pipe's other end closes with the parent. The system then sends SIGIO, which ends a process without its
    interpreter, even if code holds the lock forever. A thread handles parents whose forked children still hold that
    end.
    """
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:  # the parent ended earlier
        os._exit(0)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_SECONDS)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=look, daemon=True).start()


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Redirect output inside the block to standard error, from C code too; a worker's output always goes there."""
    if is_worker():
        yield
        return

    kept = None
    with suppress(OSError, ValueError):  # a notebook may lack these descriptors
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            os.dup2(kept, 1)
            os.close(kept)
