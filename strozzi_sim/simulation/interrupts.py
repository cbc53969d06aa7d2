"""Clean stops: SIGINT and SIGTERM set the stop flag, which kernels read between games and searches between playouts."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from strozzi_sim.errors import Interrupted
from strozzi_sim.runtime.signals import is_executing, postponed

Result = TypeVar("Result")

NO_STOP = np.zeros(1, np.int64)
_current: ContextVar[np.ndarray[Any, Any]] = ContextVar("stop_flag", default=NO_STOP)


def current_stop() -> np.ndarray[Any, Any]:
    """Return the stop flag of the innermost `stop_flag` around the caller in this thread, else one that stays 0."""
    return _current.get()


def call_interruptible(stop: np.ndarray[Any, Any], call: Callable[[], Result]) -> Result:
    """Return `call()`, whose kernels end early once `stop`, int64[1], is set.

    Python runs signal handlers in the main thread, and not during a kernel there. So if the caller is the main thread,
    another thread makes the call, unless `stop` is NO_STOP. If a handler raises meanwhile, `stop` is set at least until
    the call has ended.
    """
    if stop is NO_STOP or threading.current_thread() is not threading.main_thread():
        return call()
    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(call).result()
        except BaseException:
            before = int(stop[0])
            stop[0] = before or 1
            pool.shutdown()
            stop[0] = before
            raise


@contextmanager
def stop_flag() -> Iterator[np.ndarray[Any, Any]]:
    """Yield an int64[1] that SIGINT or SIGTERM sets to its number; the block then ends with Interrupted.

    The end of the block sets it too. Outside the main thread signals cannot be caught, and it stays 0.
    """
    stop = np.zeros(1, np.int64)
    timers: list[threading.Timer] = []

    def interrupted() -> Interrupted:
        number = int(stop[0])
        return Interrupted(number, f"interrupted by {signal.Signals(number).name}")

    def on_signal(number: int, frame: FrameType | None) -> None:
        stop[0] = number
        if (timer := postponed(number, frame)) is not None:
            timers.append(timer)
            return
        # numba replaces an Exception, but not a KeyboardInterrupt
        raise KeyboardInterrupt if is_executing("numba", frame) else interrupted()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    token = _current.set(stop)
    try:
        yield stop
        if stop[0]:
            raise interrupted()
    except KeyboardInterrupt:
        raise (interrupted() if stop[0] else KeyboardInterrupt) from None
    finally:
        _current.reset(token)
        for timer in timers:
            timer.cancel()
        stop[0] = stop[0] or 1  # after an error, calls that still run in other threads end early
        for number, handler in before.items():
            signal.signal(number, handler)
