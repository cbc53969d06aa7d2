"""Clean stops: a signal that ends play sets the stop flag. Kernels read it between games, searches between playouts."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from strozzi_sim.errors import Stopped
from strozzi_sim.kernel.record_types import Array
from strozzi_sim.runtime.system import ENDING, call_in_forks, end_process, is_executing, postpones

Result = TypeVar("Result")

NO_STOP = np.zeros(1, np.int64)
# the stop flag of the innermost `stop_flag` around the caller in this thread, else one that stays 0
current_stop: ContextVar[Array] = ContextVar("stop_flag", default=NO_STOP)
_outside: dict[int, Any] = {}  # handlers of signals outside the outermost `stop_flag` of the main thread


def call_interruptible(stop: Array, call: Callable[[], Result]) -> Result:
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


@call_in_forks
def _restore() -> None:
    """Restore the handlers in a fork, such as a worker of `multiprocessing`, which a signal must end while it waits."""
    for number, handler in _outside.items():
        signal.signal(number, handler)


@contextmanager
def stop_flag() -> Iterator[Array]:
    """Yield an int64[1] that a signal sets to its number if it ends the block; the end of the block sets it too.

    A signal means inside the block what it means outside: its handler is called at once, as Python does. If that
    raises, such as KeyboardInterrupt, the number is set, and the block ends with that exception, whatever code in
    between has made of it. If it returns, play goes on. If the signal ends the process by default, Stopped ends the
    block, and the outermost block then ends the process. Outside the main thread signals cannot be caught, and the
    number stays 0.
    """
    stop = np.zeros(1, np.int64)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    handlers = {number: signal.getsignal(number) for number in ENDING}
    caught = [number for number, handler in handlers.items() if callable(handler) or handler is signal.SIG_DFL]
    raised: list[BaseException] = []
    fatal: list[int] = []  # signals that end the process
    late: list[int] = []
    is_leaving = False

    def on_signal(number: int, frame: FrameType | None) -> None:
        if is_leaving:
            late.append(number)
            return
        if postpones(number, frame):
            return
        handler = handlers[number]
        try:
            if not callable(handler):
                fatal.append(number)
                raise Stopped(number)
            handler(number, frame)
        except BaseException as error:
            stop[0] = number
            raised.append(error)
            if isinstance(error, Exception) and is_executing("numba", frame):
                raise KeyboardInterrupt from None  # numba replaces an Exception
            raise

    token = current_stop.set(stop)
    is_outermost = not _outside
    if is_outermost:
        _outside.update({number: handlers[number] for number in caught})
    try:
        for number in caught:
            signal.signal(number, on_signal)
        yield stop
    finally:
        is_leaving = True
        current_stop.reset(token)
        stop[0] = stop[0] or 1  # after an error, calls that still run in other threads end early
        for number in caught:
            signal.signal(number, handlers[number])
        if is_outermost:
            _outside.clear()
        if fatal:
            end_process(fatal[0])
        for number in late:
            signal.raise_signal(number)
        if raised:
            raise raised[0] from None
