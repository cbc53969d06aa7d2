"""Calls of agents written in Python: their random numbers, valid answers, and time limits.

An agent in Python is a class with one of two methods, or an object with the second:

- `act(view, legal, rng) -> action`: one instance per game and seat. `view` is the game's View, `legal` the legal
  actions in ascending order, `rng` a SeatRng.
- `act_batch(observations, legal, rng) -> actions`: an instance decides for many games and seats, so it must keep no
  memory; from float32[B, F], bool[B, A] and uint64[B] to int[B]. B is always BATCH_SIZE: empty rows (zeros, only action
  0 legal) fill up a batch.
"""

import faulthandler
import os
import threading
from collections import deque
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from strozzi_sim.errors import SIGNALS, InputError, short_repr
from strozzi_sim.kernel.streams import SeatRng
from strozzi_sim.runtime.parsing import real_number
from strozzi_sim.runtime.system import HAS_TIMER, set_timer, set_timer_handler
from strozzi_sim.runtime.workers import describe_exception, is_worker

BATCH_SIZE = 256  # rows of every call of `act_batch`; constant, since the bits of a row may depend on it
SECONDS = 60.0  # time limit of a decision, or of the decisions of a batch
SECONDS_VARIABLE = "STROZZI_DECISION_SECONDS"
_STDERR = 2


class Acting(Protocol):
    """An agent that is called for one decision at a time."""

    def act(self, view: Any, legal: tuple[int, ...], rng: Any, /) -> int:
        """Return one of the legal actions."""


class ActingInBatches(Protocol):
    """An agent that is called for many decisions at once."""

    def act_batch(self, observations: NDArray[np.float32], legal: NDArray[np.bool_], rng: NDArray[np.uint64], /) -> Any:
        """Return an action for each row, int[B]."""


class Replacement(int):
    """A legal action that an agent chose because its own answer was illegal; studies count them, see `python_agent`."""


class InvalidAnswer(Exception):
    """A failure or illegal answer of an agent; `what` describes it, `row` is its row in a batch (0 without one)."""

    def __init__(self, what: str, row: int = 0) -> None:
        super().__init__(what)
        self.what, self.row = what, row


def kind_of(player: Any) -> str | None:
    """Return "batch" for a class or object with `act_batch`, "act" for a class with `act`, None for anything else."""
    if callable(getattr(player, "act_batch", None)):
        return "batch"
    return "act" if isinstance(player, type) and callable(getattr(player, "act", None)) else None


def seconds_allowed() -> float:
    """Return the time limit of a decision in seconds: the environment's STROZZI_DECISION_SECONDS, default: 60."""
    text = os.environ.get(SECONDS_VARIABLE, "")
    try:
        seconds = real_number(text) if text else SECONDS
    except ValueError:
        seconds = 0.0  # refused below
    if not 0 < seconds < 1e8:
        raise InputError(f"{SECONDS_VARIABLE}: must be a positive number of seconds below 1e8, got {text!r}")
    return seconds


class _TimeUp(BaseException):
    """Raised inside an agent at the time limit; a BaseException, so that its `except Exception` cannot catch it."""


class TimeLimit:
    """A context manager that ends calls that exceed the time limit of a decision.

    In the main thread of a process a signal ends the call. A signal cannot end a call in another thread, or C code that
    never returns to the interpreter. Then the process is ended: a worker by its parent, any other process by Python's
    `faulthandler`, a second after twice the time, with a traceback of the call.
    """

    def __init__(self) -> None:
        self.seconds = seconds_allowed()
        self._uses_signal = HAS_TIMER and threading.current_thread() is threading.main_thread()
        self._previous_handler: Any = None

    def __enter__(self) -> "TimeLimit":
        if self._uses_signal:
            self._previous_handler = set_timer_handler(self._raise_time_up)
        return self

    def __exit__(self, *_: object) -> None:
        if self._uses_signal:
            set_timer(0)
            set_timer_handler(self._previous_handler)

    @staticmethod
    def _raise_time_up(*_: object) -> None:
        raise _TimeUp

    def call(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Return the result of an agent's function. Raises InvalidAnswer."""
        try:
            if not is_worker():
                faulthandler.dump_traceback_later(2 * self.seconds + 1, exit=True, file=_STDERR)
            if self._uses_signal:
                set_timer(self.seconds)
            try:
                return function(*arguments, **keywords)
            finally:
                if self._uses_signal:
                    set_timer(0)
        except _TimeUp:
            message = f"did not answer within {self.seconds:g} s ({SECONDS_VARIABLE} sets the limit)"
            raise InvalidAnswer(message) from None
        except InvalidAnswer:
            raise
        except BaseException as error:  # agents may raise SystemExit and the like
            if isinstance(error, SIGNALS) and not is_worker():
                raise  # a signal that ends the run; in a worker the agent raised it
            raise InvalidAnswer(f"raised {describe_exception(error)}") from error
        finally:
            if not is_worker():
                faulthandler.cancel_dump_traceback_later()


def aligned(shape: tuple[int, ...], dtype: Any) -> Any:
    """Return an array of zeros aligned to 64 bytes, so that the order of additions does not depend on its address."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    buffer = np.zeros(count + 64, np.uint8)
    first = -buffer.ctypes.data % 64
    return buffer[first : first + count].view(dtype).reshape(shape)


def _copy_state(value: Any) -> Any:
    """Return a list, dict, deque, set or bytearray copied with its parts, a read-only view of an array, or `value`."""
    if isinstance(value, np.ndarray):
        view = value.view()
        view.setflags(write=False)
        return view
    if not isinstance(value, (dict, list, deque, set, bytearray)):
        return value
    copied: Any = copy(value)
    if isinstance(value, dict):
        copied.update({key: _copy_state(part) for key, part in value.items()})
    elif isinstance(value, (list, deque)):
        copied.clear()
        copied.extend(_copy_state(part) for part in value)
    return copied


def fresh_class(player: type) -> type:
    """Return a subclass with copies of the class attributes, made by `_copy_state`, to separate the seats' state."""
    attributes: dict[str, Any] = {}
    for base in reversed(player.__mro__):
        attributes |= {name: _copy_state(value) for name, value in vars(base).items() if not name.startswith("__")}
    names = {"__module__": player.__module__, "__qualname__": player.__qualname__, "__doc__": player.__doc__}
    return type(player)(player.__name__, (player,), {**attributes, **names})


def make_player(player: Any, values: dict[str, Any], limit: TimeLimit) -> Any:
    """Return an instance of an agent's class with its parameters; an object that is no class is returned unchanged."""
    return limit.call(lambda: fresh_class(player)(**values)) if isinstance(player, type) else player


def copy_player(player: Any) -> Any:
    """Return a copy of a player from `make_player`; class attributes are copied as by `_copy_state`."""
    copied = deepcopy(player)
    copied.__class__ = fresh_class(type(player))
    return copied


def ask_one(player: Any, view: Any, legal: tuple[int, ...], rng: SeatRng, limit: TimeLimit) -> int:
    """Return the action that `player.act` chooses. Raises InvalidAnswer."""
    action: int = limit.call(_checked_action, player, view, legal, rng)
    return action


def _checked_action(player: Any, view: Any, legal: tuple[int, ...], rng: SeatRng) -> int:
    """Return the agent's action as an int; the conversion may run the agent's code, so the time limit includes it."""
    action = player.act(view, legal, rng)
    if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer)):
        raise InvalidAnswer(f"returned {short_repr(action)}, a {type(action).__name__}; an action is a whole number")
    number = action if isinstance(action, Replacement) else int(action)
    if number not in legal:
        raise InvalidAnswer(f"chose the illegal action {number:d}; legal: {', '.join(map(str, legal))}")
    return number


def ask_batch(player: Any, observations: Any, legal: Any, rng: Any, rows: int, limit: TimeLimit) -> Any:
    """Return the actions int64[rows] that `player.act_batch` chooses for the first rows. Raises InvalidAnswer."""
    # the conversion may run the agent's code, so the time limit includes it
    answer = limit.call(lambda: np.array(player.act_batch(observations, legal.copy(), rng)))
    if answer.shape != (len(legal),) or answer.dtype.kind not in "iu":
        got = f"an array of {answer.dtype}{list(answer.shape)}"
        raise InvalidAnswer(f"returned {got} for a batch; expected whole numbers [{len(legal)}]")
    actions = answer[:rows]
    in_range = (actions >= 0) & (actions < legal.shape[1])
    is_legal = in_range & legal[np.arange(rows), np.where(in_range, actions, 0)]
    if not is_legal.all():
        row = int(np.argmin(is_legal))
        allowed = ", ".join(map(str, np.flatnonzero(legal[row])))
        raise InvalidAnswer(f"chose the illegal action {actions[row]}; legal: {allowed}", row)
    return actions.astype(np.int64)
