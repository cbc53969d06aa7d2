"""The parent's side of worker processes: start, call and monitor them, and end them if their code hangs.

Workers run third-party code, which can loop for ever, end its process or crash it. The parent survives and raises
`WorkerDied`, with the last heartbeat. Workers are reused, since starting one takes a second.

loky, which joblib uses for the chunks of a study, cannot kill one worker: a call that hangs ends its whole pool, and the
caller does not learn which decision hung. pebble kills one worker after a fixed time for the whole call; here the limit is
the time without a heartbeat, which a long match does not exceed, and the heartbeat names game, seat and decision.
"""

import atexit
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from mmap import mmap
from time import monotonic
from typing import Any

import numpy as np

from strozzi_sim.runtime.worker import DONE, HEARTBEAT, IDLE_SECONDS, QUIT, is_worker

AVAILABLE = os.name == "posix"
TICK = 0.05  # seconds between two checks
GRACE = 1.0  # seconds beyond the limit, in which a worker may end a decision itself, with a better message
_GOODBYE = 1.0  # seconds for an idle worker to end by itself
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from strozzi_sim.runtime.worker import serve; "
    "serve(*map(int, sys.argv[2:]))"
)
# Every process computes on one core; workers use the others.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
     "NUMEXPR_NUM_THREADS"), "1",
)  # fmt: skip


class WorkerDied(Exception):
    """The end of a worker process, caused by its code: `what` it did follows its name, `beat` is the last HEARTBEAT."""

    def __init__(self, what: str, beat: np.ndarray[Any, Any]) -> None:
        super().__init__(what)
        self.what, self.beat = what, beat


class Hung(WorkerDied):
    """The killing of a worker process whose heartbeat stopped for too long."""


class Cancelled(Exception):
    """A call that was cancelled; its worker was killed."""


class Worker:
    """One worker process."""

    def __init__(self) -> None:
        from multiprocessing.connection import Connection

        here, there = socket.socketpair()
        held, lifeline = os.pipe()
        self._lifeline: int | None = lifeline
        with here, there, _shared_file() as memory:
            os.ftruncate(memory.fileno(), HEARTBEAT.itemsize)
            self._beat = np.frombuffer(mmap(memory.fileno(), HEARTBEAT.itemsize), HEARTBEAT, 1)
            passed = (there.fileno(), memory.fileno(), held)
            path = json.dumps([place for place in sys.path if isinstance(place, str)])
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _START, path, *map(str, passed), str(os.getpid())],
                    stdin=subprocess.DEVNULL,
                    stdout=_stderr(),  # agents' output is not a result
                    pass_fds=passed,
                    process_group=0,  # the parent handles Ctrl-C, and children of the worker end with it
                    env={**os.environ, **_ONE_THREAD},
                )
            except BaseException:
                os.close(lifeline)
                raise
            finally:
                os.close(held)
            self._line = Connection(here.detach())
        self._killed = False
        self.idle_since = 0.0

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def call(self, request: bytes, seconds: float, is_cancelled: Callable[[], bool]) -> Any:
        """Return the reply to a request (see `worker.serve`), or raise its exception; see `call_in_worker`."""
        try:
            kind, value = pickle.loads(self._wait(request, seconds, is_cancelled))
        except pickle.UnpicklingError:
            self.end()
            raise WorkerDied("wrote to the line between its process and the parent", self._beat.copy()) from None
        except BaseException:
            self.end()
            raise
        if kind == DONE:
            return value
        if kind == QUIT:
            raise WorkerDied(value, self._beat.copy())
        raise value

    def _wait(self, request: bytes, seconds: float, is_cancelled: Callable[[], bool]) -> bytes:
        seen, waited = -1, 0.0
        try:
            self._line.send_bytes(request)
            while not self._line.poll(TICK):
                if is_cancelled():
                    raise Cancelled
                if not self.alive and not self._line.poll(0):  # a child of the worker may still hold the connection
                    raise EOFError
                busy, decisions = int(self._beat["busy"][0]), int(self._beat["decisions"][0])
                # ticks, not a clock: a parent that was suspended for a while must not kill a worker
                waited = waited + TICK if busy and decisions == seen else 0.0
                seen = decisions
                if waited > seconds + GRACE:
                    raise Hung(f"did not answer within {seconds:g} s", self._beat.copy())
            return self._line.recv_bytes()
        except (EOFError, OSError):
            raise WorkerDied(self._death(), self._beat.copy()) from None

    def _death(self) -> str:
        try:
            code = self._process.wait(_GOODBYE)
        except subprocess.TimeoutExpired:
            return "closed the line to its parent"
        if code >= 0:
            return f"ended its process with exit code {code}"
        with suppress(ValueError):
            return f"ended its process with {signal.Signals(-code).name}"
        return f"ended its process with signal {-code}"

    def kill(self) -> None:
        """Kill the process and all that it has started; from any thread. A caller waiting for a reply raises Ended."""
        if not self._killed:
            self._killed = True
            with suppress(ProcessLookupError, PermissionError):  # the group may outlive the process
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def end(self) -> None:
        """Kill the process and close its connections."""
        self.kill()
        self.close()
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None

    def close(self) -> None:
        """Close the connection: an idle worker then ends by itself."""
        self._line.close()

    def wait(self, seconds: float) -> None:
        """Wait for a worker to end after `close`, and kill it after `seconds`."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(seconds, 0))
        self.end()


def _stderr() -> int:
    with suppress(OSError):
        os.fstat(2)
        return 2
    return subprocess.DEVNULL  # standard error is closed


def _shared_file() -> Any:
    """Return an unnamed file that two processes can map."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("strozzi-sim"), "r+b")
    return tempfile.TemporaryFile()


# -- the pool of workers ---------------------------------------------------------------------------------------------

_lock = threading.Lock()
_idle: list[Worker] = []
_all: set[Worker] = set()


def call_in_worker(
    function: Callable[..., Any], *arguments: Any, seconds: float, is_cancelled: Callable[[], bool] = lambda: False
) -> Any:
    """Call a function in a worker process, or here if this is a worker or the system does not support workers.

    Raises:
        WorkerDied: the process ended or was killed.
        Cancelled: `is_cancelled` returned True.

    `seconds` is the longest time without a heartbeat while agents are running. The worker is killed once
    `is_cancelled`, which is polled, returns True.
    """
    if is_worker() or not AVAILABLE:
        return function(*arguments)
    import cloudpickle

    try:
        folder = os.getcwd()
    except OSError:  # the folder was removed
        folder = ""
    environment = {**os.environ, **_ONE_THREAD}
    request = pickle.dumps((folder, environment, sys.path, cloudpickle.dumps((function, arguments))))
    worker = _borrow()
    try:
        return worker.call(request, seconds, is_cancelled)
    finally:
        _give_back(worker)


def _borrow() -> Worker:
    with _lock:
        while _idle:
            worker = _idle.pop()
            if worker.alive and monotonic() - worker.idle_since < 0.8 * IDLE_SECONDS:
                return worker
            _all.discard(worker)
            worker.end()
    worker = Worker()
    with _lock:
        _all.add(worker)
    return worker


def _give_back(worker: Worker) -> None:
    with _lock:
        worker.idle_since = monotonic()
        if worker.alive:
            _idle.append(worker)
            return
        _all.discard(worker)
    worker.end()


@atexit.register
def end_all() -> None:
    """End every worker; idle ones may end by themselves first."""
    with _lock:
        resting, busy = list(_idle), _all.difference(_idle)
        _idle.clear()
        _all.clear()
    for worker in busy:
        worker.kill()
    for worker in resting:
        worker.close()
    until = monotonic() + _GOODBYE
    for worker in resting:
        worker.wait(until - monotonic())


def _forget() -> None:
    """Clear the pool in a forked copy: the workers belong to the original process."""
    _idle.clear()
    _all.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
