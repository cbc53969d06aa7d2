"""Stopping cleanly: SIGINT and SIGTERM set the stop flag that kernels read between games."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from strozzi_sim.errors import Interrupted
from strozzi_sim.runtime.signals import is_executing, postponed


@contextmanager
def stop_flag() -> Iterator[np.ndarray[Any, Any]]:
    """Yield an int64[1] that a signal sets to its number; the block then ends with Interrupted.

    Outside the main thread signals cannot be caught, and it stays 0.
    """
    stop = np.zeros(1, np.int64)
    later: list[threading.Timer] = []

    def interrupted() -> Interrupted:
        number = int(stop[0])
        return Interrupted(number, f"interrupted by {signal.Signals(number).name}")

    def on_signal(number: int, frame: FrameType | None) -> None:
        stop[0] = number
        if (timer := postponed(number, frame)) is not None:
            later.append(timer)
            return
        # numba wraps an Exception of any kind in its own
        raise KeyboardInterrupt if is_executing("numba", frame) else interrupted()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
        if stop[0]:
            raise interrupted()
    except KeyboardInterrupt:
        raise (interrupted() if stop[0] else KeyboardInterrupt) from None
    finally:
        for timer in later:
            timer.cancel()
        stop[0] = stop[0] or 1  # workers need not continue after any error
        for number, handler in before.items():
            signal.signal(number, handler)
