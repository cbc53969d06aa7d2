"""A watchdog independent of the interpreter's lock: a thread in compiled code that ends the process.

Python code can be interrupted by a signal. C code that holds the lock can be ended only by a thread that needs no lock.
"""

import threading
from functools import cache

import numpy as np
from numba import int32, int64, intp, types, uint8, uint32, void

from strozzi_sim.kernel.jit import entry, jit

TICK = 20_000  # microseconds between two checks

_ALLOWED, _CALL, _LETTERS = 0, 1, 2  # `watched`: time limit in microseconds (0: no call), call number, message bytes
_MAX_LETTERS = 1000

_usleep = types.ExternalFunction("usleep", int32(uint32))
_write = types.ExternalFunction("write", intp(int32, intp, intp))
_exit = types.ExternalFunction("_exit", void(int32))


@jit
def _watch(watched, message, code):
    call, waited = int64(-1), int64(0)
    while True:
        _usleep(uint32(TICK))
        if watched[_ALLOWED] == 0 or watched[_CALL] != call:
            call, waited = watched[_CALL], int64(0)
            continue
        waited += TICK
        if waited > watched[_ALLOWED]:
            _write(int32(2), message.ctypes.data, watched[_LETTERS])
            _exit(int32(code))


class Watchdog:
    """A thread that ends the process if a call takes too long; one per process, for one call at a time."""

    def __init__(self, game: str, code: int) -> None:
        self._watched, self._message = np.zeros(3, np.int64), np.zeros(_MAX_LETTERS, np.uint8)
        watch = entry(_watch, void(int64[::1], uint8[::1], int64), game)
        threading.Thread(target=watch, args=(self._watched, self._message, code), daemon=True).start()

    def speak(self, line: str) -> None:
        """Set the line that it writes to standard error when it ends the process."""
        letters = line.encode("utf-8", "replace")[:_MAX_LETTERS]
        self._message[: len(letters)] = np.frombuffer(letters, np.uint8)
        self._watched[_LETTERS] = len(letters)

    def watch(self, seconds: float) -> None:
        """Start the time limit of a call."""
        self._watched[_CALL] += 1
        self._watched[_ALLOWED] = int(seconds * 1e6)

    def rest(self) -> None:
        """Stop the time limit: the call is over."""
        self._watched[_ALLOWED] = 0


@cache
def watchdog(game: str, code: int) -> Watchdog:
    """Return this process's watchdog, which ends it with exit code `code`; compiled in the cache folder of `game`."""
    return Watchdog(game, code)
