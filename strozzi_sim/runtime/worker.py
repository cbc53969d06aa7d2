"""A worker process, seen from inside: it calls what its parent asks for, and tells by its heartbeat how far it is.

Third-party code runs here, where it can be stopped (see `workers` for the parent's side). Whatever happens to the
process, the parent lives on, and knows from the heartbeat, which lies in memory that both share, what was under way.
"""

import mmap
import os
import pickle
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

# How far the play is; the loops write it, a parent reads it.
HEARTBEAT = np.dtype([
    ("busy", "i8"),  #       1 = agents are at work, and none may take longer than the limit
    ("decisions", "i8"),  #  begun so far by this process; it moves with every decision
    ("first", "i8"),  #      what it was when the game under way began
    ("players", "i8"),
    ("deal", "i8"),
    ("seating", "i8"),  #    number of it among those that are played
    ("seat", "i8"),  #       who decides
    ("forked", "i8"),  #     1 = the process ended because third-party code forked it
    ("spare", "u1", (128,)),  # a cache line between threads
], align=True)  # fmt: skip

DONE, RAISED, QUIT = "done", "raised", "quit"  # kinds of reply: a value, an exception, an exception that ends processes
FORKED = "forked its process; an agent may start other programs, but not copy its process"
IDLE_SECONDS = 300  # nobody asked for so long: the worker ends, and gives its memory back
_PARENT_SECONDS = 0.5  # between two looks whether the parent is still there

_shared: np.ndarray[Any, Any] | None = None
_worker = 0  # process number of the worker, also in copies of it
_raised = ""


def inside() -> bool:
    """Whether this process is a worker."""
    return _shared is not None


def heartbeat() -> np.ndarray[Any, Any]:
    """A HEARTBEAT record, array of shape (1,): in a worker the one that its parent sees, elsewhere a new one."""
    return np.zeros(1, HEARTBEAT) if _shared is None else _shared


@contextmanager
def agents_at_work(beat: np.ndarray[Any, Any], players: int = 0, deal: int = 0, seat: int = 0) -> Iterator[None]:
    """Inside the block agents are called: a heartbeat that stands still means that one of them hangs."""
    number = int(beat["decisions"][0]) + 1
    beat[0] = (1, number, number - 1, players, deal, 0, seat, 0, 0)
    try:
        yield
    finally:
        beat["busy"] = 0


def begin_decision(words: memoryview, deal: int, seating: int, seat: int, number: int) -> None:
    """Tell of a decision that Python begins, the game's `number`-th from 0; `words` is the heartbeat as int64."""
    words[2] = words[1] - number  # first
    words[1] += 1  # decisions
    words[4], words[5], words[6] = deal, seating, seat


def serve(connection: int, memory: int, lifeline: int, parent: int) -> None:
    """Answer requests until there are no more.

    A request is a pickled (folder, environment, path, pickled (function, arguments)), a reply a pickled (kind, value).

    Args:
        connection: descriptor of a socket to the parent.
        memory: descriptor of the shared memory.
        lifeline: descriptor of a pipe that only the parent can write to.
        parent: process number of the parent.
    """
    from multiprocessing.connection import Connection

    global _shared, _worker
    _worker = os.getpid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to answer
    _end_with_parent(lifeline, parent)
    _shared = np.frombuffer(mmap.mmap(memory, HEARTBEAT.itemsize), HEARTBEAT, 1)
    os.register_at_fork(before=end_forked)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # what an agent printed is there even if it ends the process
    sys.unraisablehook = _note
    line = Connection(connection)
    while line.poll(IDLE_SECONDS):
        try:
            request = line.recv_bytes()
        except EOFError:
            return
        reply = _reply(request)
        if os.getpid() != _worker:  # C code forked, which the interpreter's hooks do not see
            end_forked()
        line.send_bytes(reply)


def end_forked() -> None:
    """End this process, which third-party code forks or has forked.

    In a worker or a copy of one, the worker's whole process group ends and the parent learns why.
    """
    if _shared is not None:
        _shared["forked"] = 1
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(_worker, signal.SIGKILL)
    os._exit(1)


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
        return _told(error)
    except BaseException as error:  # noqa: BLE001 - SystemExit and the like: only an agent can have raised it here
        return pickle.dumps((QUIT, f"raised {words_of(error)}"))
    finally:
        if _shared is not None:
            _shared["busy"] = 0


def _told(error: Exception) -> bytes:
    """The reply that raises this in the parent: with its traceback, else without, else its words alone."""
    from multiprocessing.pool import ExceptionWithTraceback  # type: ignore[attr-defined]

    for wrap in (lambda: ExceptionWithTraceback(error, error.__traceback__), lambda: error):
        with suppress(BaseException):  # it may be anybody's, and do anything when it is asked for its text or pickled
            told = pickle.dumps((RAISED, wrap()))
            pickle.loads(told)
            return told
    return pickle.dumps((RAISED, RuntimeError(words_of(error))))


def words_of(error: BaseException) -> str:
    """Type and text of an exception, whatever its text does."""
    try:
        text = str(error)
        return f"{type(error).__name__}: {text}" if text else type(error).__name__
    except BaseException as other:  # noqa: BLE001 - its __str__ is code of an agent as well
        return f"{type(error).__name__}, whose text raised {type(other).__name__}"


def raised_in_compiled_code() -> str:
    """The words of what compiled code raised last in this worker; "" if there was nothing, or this is not a worker.

    Such code cannot raise into the loop that calls it by address: it returns 0, and numba reports the exception aside.
    """
    return _raised


def _note(report: Any) -> None:
    """Keep what numba reports of compiled code for the words of a fault; all else is printed as usual."""
    global _raised
    if isinstance(report.object, str) and report.object.startswith("<numba."):
        _raised = words_of(report.exc_value)
    else:
        sys.__unraisablehook__(report)


def _end_with_parent(lifeline: int, parent: int) -> None:
    """Make sure that this process, and whatever it starts, ends when the parent is gone, however that ended.

    The pipe's other end closes with the parent; the system then sends SIGIO, which ends a process without asking its
    interpreter: code that keeps the lock for ever ends as well. A thread looks after parents whose forked children still
    hold that end.
    """
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:  # it was gone before
        os._exit(0)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_SECONDS)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=look, daemon=True).start()


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """What is printed inside the block goes to standard error, also by C code; a worker's own output goes there anyway."""
    if inside():
        yield
        return
    from contextlib import redirect_stdout

    kept = None
    with suppress(OSError, ValueError):  # a notebook has none of these descriptors, or others
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


def main(arguments: Sequence[str]) -> None:
    """Serve with numbers from the command line."""
    serve(*map(int, arguments))
