"""Worker processes, in which third-party code runs: it can loop for ever, end its process or crash it.

The parent calls functions in workers and survives their failures: it raises `WorkerDied` with the last heartbeat, from
shared memory, which names game, seat and decision. Workers are reused, as a start takes a second. They end with the
parent.

loky, which joblib uses for processes, cannot kill one worker: a call that hangs ends its whole pool. pebble kills one
after a fixed time for the whole call; here the limit is the time without a heartbeat, which a long match keeps.
"""

import atexit
import json
import mmap
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, redirect_stdout, suppress
from queue import Empty, SimpleQueue
from traceback import format_exception
from types import MappingProxyType
from typing import IO, Any

import numpy as np

from strozzi_sim.runtime.frames import Frames, receive, send
from strozzi_sim.runtime.system import OWN_GROUP, call_in_forks, end_group, end_on_close

# Progress of the games, written by the game loops and read by the parent. The compiled loop does not call the agent
# `random`, whose decisions are added with the next call or at the end of the game.
HEARTBEAT = np.dtype([
    ("busy", "i8"),  #       1: agents are running, subject to the time limit
    ("decisions", "i8"),  #  decisions begun so far, written before each call of an agent and at the end of a game
    ("first", "i8"),  #      `decisions` at the start of the current game
    ("players", "i8"),
    ("deal", "i8"),
    ("seating", "i8"),  #    index among the played seatings
    ("seat", "i8"),  #       acting seat
    ("spare", "u1", (128,)),  # keeps the records of threads in separate cache lines
], align=True)  # fmt: skip

TICK = 0.05  # seconds between two checks of a worker
GRACE = 1.0  # seconds beyond the limit, in which a worker may end a decision itself, with a better message
IDLE_SECONDS = 300  # without a request for this long a worker ends and frees its memory
_GOODBYE = 1.0  # seconds for a worker to end after its requests are closed
_PARENT_SECONDS = 0.5  # between two checks that the parent is alive
_DONE, _RAISED, _QUIT = range(3)  # kinds of reply: a value, an exception, an exception that ends processes
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from strozzi_sim.runtime.workers import serve; "
    "serve(sys.argv[2], int(sys.argv[3]))"
)
# One thread in each process: other workers use the other cores.
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
_ONE_THREAD = dict.fromkeys(("VECLIB_MAXIMUM_THREADS", *(f"{name}_NUM_THREADS" for name in _LIBRARIES)), "1")
_INHERITED: Mapping[str, str] = MappingProxyType({})  # no variables but those of this process

_shared: np.ndarray[Any, Any] | None = None  # in a worker: the heartbeat that the parent reads
_raised = ""  # last exception of compiled code in the current call of this worker


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
    """Record in a heartbeat, as int64 `words`, that Python begins the `number`-th decision of a game, from 0."""
    words[2] = words[1] - number  # first
    words[1] += 1  # decisions
    words[4], words[5], words[6] = deal, seating, seat


def serve(beat_file: str, parent: int) -> None:
    """Answer the requests on standard input until the process `parent` closes it or sends none for IDLE_SECONDS.

    A request is a pickled (folder, environment, path, pickled (function, arguments)), a reply, on standard output, a
    pickled (kind, value). Output of agents goes to standard error. The file of the heartbeat is removed.
    """
    global _shared
    worker = os.getpid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    _shared = _map_heartbeat(beat_file)
    with suppress(OSError):  # a file in use cannot be removed on Windows, where the parent does it
        os.remove(beat_file)
    requests, replies = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # for output of agents that end the process
    sys.unraisablehook = _note
    frames: Frames = SimpleQueue()
    threading.Thread(target=_listen, args=(requests, frames), daemon=True).start()
    with suppress(Empty):
        while request := frames.get(timeout=IDLE_SECONDS):
            with end_on_close(requests.fileno()):
                reply = _reply(request)
                if os.getpid() != worker:  # a fork made by an agent: only the worker replies
                    os._exit(1)
            send(replies, reply)


def _listen(requests: IO[bytes], frames: Frames) -> None:
    """Receive requests to their end; then the process has _GOODBYE to end by itself."""
    receive(requests, frames)
    time.sleep(_GOODBYE)
    end_group(os.getpid())


def _watch(parent: int) -> None:
    """End this process and its group once the parent has ended, though a forked copy of it may hold the requests."""
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    end_group(os.getpid())


def _map_heartbeat(beat_file: str) -> np.ndarray[Any, Any]:
    """Return the HEARTBEAT record in a file that two processes share, array of shape (1,)."""
    with open(beat_file, "r+b") as file:
        return np.frombuffer(mmap.mmap(file.fileno(), HEARTBEAT.itemsize), HEARTBEAT, 1)


def _reply(request: bytes) -> bytes:
    global _raised
    _raised = ""
    try:
        folder, environment, sys.path[:], call = pickle.loads(request)
        os.environ.clear()
        os.environ.update(environment)
        if folder:
            os.chdir(folder)
        function, arguments = pickle.loads(call)
        return pickle.dumps((_DONE, function(*arguments)))
    except Exception as error:  # noqa: BLE001 - the parent raises it again
        return _error_reply(error)
    except BaseException as error:  # noqa: BLE001 - SystemExit and the like: only an agent can have raised it here
        return pickle.dumps((_QUIT, f"raised {describe_exception(error)}"))
    finally:
        heartbeat()["busy"] = 0


def _error_reply(error: Exception) -> bytes:
    """Return the reply that raises the error in the parent: with its traceback as a note, without it, or as text."""
    trace = "".join(format_exception(error))
    for note in (trace, ""):
        with suppress(BaseException):  # a third-party exception may do anything in str or pickle
            if note:
                error.add_note(note)
            reply = pickle.dumps((_RAISED, error))
            pickle.loads(reply)
            return reply
    return pickle.dumps((_RAISED, RuntimeError(describe_exception(error))))


def describe_exception(error: BaseException) -> str:
    """Return type and text of an exception, even if its `str` raises."""
    try:
        text = str(error)
        return f"{type(error).__name__}: {text}" if text else type(error).__name__
    except BaseException as other:  # noqa: BLE001 - its __str__ may be an agent's code
        return f"{type(error).__name__}, whose text raised {type(other).__name__}"


def raised_in_compiled_code() -> str:
    """Return type and text of the last exception of compiled code in this call of a worker; "" if there was none.

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


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Redirect output inside the block to standard error, from C code too; a worker's output always goes there."""
    if is_worker():
        yield
        return
    stdout_copy = None
    with suppress(OSError, ValueError):  # a notebook may lack these descriptors
        sys.stdout.flush()
        stdout_copy = os.dup(1)
        os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if stdout_copy is not None:
            os.dup2(stdout_copy, 1)
            os.close(stdout_copy)


class WorkerDied(Exception):
    """A call without a result or an Exception: `what`, as in "it ended its process", and the last HEARTBEAT."""

    def __init__(self, what: str, beat: np.ndarray[Any, Any]) -> None:
        super().__init__(what)
        self.what, self.beat = what, beat


class Hung(WorkerDied):
    """The killing of a worker process whose heartbeat stopped for too long."""


class Cancelled(Exception):
    """A call that was cancelled; its worker was killed."""


class Worker:
    """One worker process."""

    def __init__(self, environment: Mapping[str, str] = _INHERITED, pool: str = "") -> None:
        with tempfile.NamedTemporaryFile(prefix="strozzi-", delete=False) as file:
            file.write(bytes(HEARTBEAT.itemsize))
        self._beat_file, self._beat = file.name, _map_heartbeat(file.name)
        path = json.dumps([place for place in sys.path if isinstance(place, str)])
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, path, file.name, str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                env={**os.environ, **_ONE_THREAD, **environment},
                **OWN_GROUP,  # the parent handles Ctrl-C, and children of the worker end with it
            )
        except BaseException:
            os.remove(file.name)
            raise
        self._requests: Any = self._process.stdin
        self._replies: Frames = SimpleQueue()
        threading.Thread(target=receive, args=(self._process.stdout, self._replies), daemon=True).start()
        self._killed, self.idle_since, self.pool = False, 0.0, pool

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def call(self, request: bytes, seconds: float, is_cancelled: Callable[[], bool]) -> Any:
        """Return the reply to a request (see `serve`), or raise its exception; see `call_in_worker`."""
        try:
            kind, value = pickle.loads(self._wait(request, seconds, is_cancelled))
        except (pickle.UnpicklingError, EOFError):
            self.end()
            raise WorkerDied("wrote to the line between its process and the parent", self._beat.copy()) from None
        except BaseException:
            self.end()
            raise
        if kind == _DONE:
            return value
        raise WorkerDied(value, self._beat.copy()) if kind == _QUIT else value

    def _wait(self, request: bytes, seconds: float, is_cancelled: Callable[[], bool]) -> bytes:
        last_decisions, waited, reply = -1, 0.0, None
        try:
            send(self._requests, request)
            while reply is None:
                is_alive = self.alive
                with suppress(Empty):
                    reply = self._replies.get(timeout=TICK)
                    is_alive = reply is not None
                if not is_alive:  # a child of the worker may still hold its streams
                    raise EOFError
                if is_cancelled():
                    raise Cancelled
                busy, decisions = int(self._beat["busy"][0]), int(self._beat["decisions"][0])
                # ticks, not a clock: a parent that was suspended for a while must not kill a worker
                waited = waited + TICK if busy and decisions == last_decisions else 0.0
                last_decisions = decisions
                if waited > seconds + GRACE:
                    raise Hung(f"did not answer within {seconds:g} s", self._beat.copy())
            return reply
        except (EOFError, OSError):
            raise WorkerDied(self._death(), self._beat.copy()) from None

    def _death(self) -> str:
        try:
            code = self._process.wait(_GOODBYE)
        except subprocess.TimeoutExpired:
            return "closed the line to its parent"
        names = {-number: number.name for number in signal.Signals}
        return f"ended its process with {names.get(code, f'exit code {code}')}"

    def kill(self) -> None:
        """Kill the process and its group, from any thread; a call awaiting a reply raises WorkerDied."""
        if not self._killed:
            self._killed = True
            end_group(self._process.pid)  # the group may outlive the process
        self._process.wait()
        with suppress(OSError):  # the worker has removed it
            os.remove(self._beat_file)

    def close(self) -> None:
        """Close the requests: an idle worker then ends by itself, and flushes the output of its agents."""
        with suppress(OSError):  # the worker has gone
            self._requests.close()

    def end(self, seconds: float = 0.0) -> None:
        """Close the requests, wait up to `seconds` for the process to end, and kill what is left of its group."""
        self.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        self.kill()


_lock = threading.Lock()
_idle: list[Worker] = []
_all: set[Worker] = set()


def call_in_worker(
    function: Callable[..., Any],
    *arguments: Any,
    seconds: float,
    is_cancelled: Callable[[], bool] = lambda: False,
    environment: Mapping[str, str] = _INHERITED,
    pool: str = "",
) -> Any:
    """Call a function in a worker process, or here if this is a worker.

    With variables in `environment` the process is a new one, in a worker too, and ends after the call. `seconds` is the
    longest time without a heartbeat while agents are running. `is_cancelled` is polled. Only calls with the same `pool`
    share processes: a call that must not wait for a start keeps its warm one.

    Raises:
        WorkerDied: the process ended, hung or corrupted its reply, or the function raised SystemExit or the like.
        Cancelled: `is_cancelled` returned True, and the worker was killed.
    """
    if is_worker() and not environment:
        return function(*arguments)
    import cloudpickle

    try:
        folder = os.getcwd()
    except OSError:  # the folder was removed
        folder = ""
    variables = {**os.environ, **_ONE_THREAD, **environment}
    request = pickle.dumps((folder, variables, sys.path, cloudpickle.dumps((function, arguments))))
    worker = _borrow(environment, pool)
    try:
        return worker.call(request, seconds, is_cancelled)
    finally:
        if environment:
            worker.end()
        _give_back(worker)


@contextmanager
def run_beside(functions: Iterable[Callable[[], Any]]) -> Iterator[None]:
    """Call functions in a worker process, one after another, while the block runs, for the files that they write.

    The calls are awaited after the block, or cancelled if the block raises. Their results and errors are ignored.
    In a worker the functions are not called.
    """
    if is_worker():
        yield
        return
    has_left = threading.Event()
    calls = (call_in_worker(function, seconds=0, is_cancelled=has_left.is_set) for function in functions)
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(list, calls)
        try:
            yield
            wait([made])
        finally:
            has_left.set()


def _borrow(environment: Mapping[str, str], pool: str) -> Worker:
    with _lock:
        for worker in [] if environment else [each for each in reversed(_idle) if each.pool == pool]:
            _idle.remove(worker)
            if worker.alive and time.monotonic() - worker.idle_since < 0.8 * IDLE_SECONDS:
                return worker
            _all.discard(worker)
            worker.end()
    worker = Worker(environment, pool)
    with _lock:
        _all.add(worker)
    return worker


def _give_back(worker: Worker) -> None:
    with _lock:
        worker.idle_since = time.monotonic()
        if worker.alive:
            _idle.append(worker)
            return
        _all.discard(worker)
    worker.end()


@atexit.register
def end_all() -> None:
    """End all workers: kill busy ones, and let idle ones end by themselves first."""
    with _lock:
        idle, busy = list(_idle), _all.difference(_idle)
        _forget()
    for worker in busy:
        worker.kill()
    for worker in idle:
        worker.close()
    for worker in idle:
        worker.end(_GOODBYE)


@call_in_forks
def _forget() -> None:
    """Clear the pool, also in a forked copy: the workers belong to the original process."""
    _idle.clear()
    _all.clear()
