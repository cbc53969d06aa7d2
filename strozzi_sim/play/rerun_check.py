"""Repeat an agent's decisions in another process, with everything changed that must not matter to it.

Played games are dealt again in a separate process. One seat of one game after another is queried, in reverse order,
while the others play their recorded actions. There the user's environment variables are missing, the clock jumps, and
global random numbers and hashes have other seeds. All that an agent may know is unchanged.
"""

import datetime
import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.python import InvalidAnswer
from strozzi_sim.errors import AgentFault
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.position import Position
from strozzi_sim.play.seat import Seat
from strozzi_sim.runtime.threads import single_threaded_blas

ORDER, ENVIRONMENT, CLOCK, NUMBERS = (
    "the order of games and seats in which it was queried",
    "the environment variables",
    "the clock and the date",
    "what differs between processes: global random numbers, hashes, the process itself",
)
CHANGES = (ORDER, ENVIRONMENT, CLOCK, NUMBERS)

# Kept: variables of the interpreter, the libraries and this package. An agent might read any other one.
_KEPT = ("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "VIRTUAL_ENV", "GLIBC_TUNABLES")
_KEPT_PREFIXES = (
    "LD_", "DYLD_", "PYTHON", "XDG_", "STROZZI_", "NUMBA_", "NPY_", "OPENBLAS_", "MKL_", "OMP_", "COV_", "COVERAGE_",
)  # fmt: skip
_OFFSET = 101 * 86_400 + 11 * 3_600 + 0.377  # initial offset of the clock in seconds, without its minutes
_STRIDE = 5 * 3_600 + 7 * 60 + 0.113  # seconds by which the clock jumps before each decision


class PlayedGame(NamedTuple):
    """A played game: player count, deal and actions in order."""

    players: int
    deal: int
    actions: list[int]


class ChangedDecision(NamedTuple):
    """A decision that changed in the other process: number of the game, number of the decision, action chosen there."""

    game: int
    decision: int
    moved_to: int


class RerunChecker:
    """Repeats an agent's decisions in another process.

    Create it before the agent plays: it pickles the agent's code and data as they are then.
    """

    def __init__(self, spec: AgentSpec, game: Game, variant: Variant, seed: int) -> None:
        from joblib.externals.loky.backend.reduction import dumps  # pickles classes without a file by value

        self._name, self._job = spec.text, bytes(dumps((spec, game, variant, seed)))

    def ask(
        self, games: Sequence[PlayedGame], changes: Sequence[str] = CHANGES, hash_seed: str | None = None
    ) -> ChangedDecision | None:
        """Return the first decision of these games that differs under these changes, or None.

        Args:
            games: games played in this process.
            changes: changes in the other process; default: all.
            hash_seed: PYTHONHASHSEED of the other process; default: Python's choice, or fixed with the change `NUMBERS`.

        Raises:
            AgentFault: the agent fails there.
        """
        environment = dict(os.environ)
        if ENVIRONMENT in changes:
            environment = {name: value for name, value in environment.items() if _is_kept(name)}
            environment |= {"LANG": "C", "USER": "nobody"}
        if CLOCK in changes:
            environment["TZ"] = _zone_six_hours_east()
        if NUMBERS in changes:
            environment["PYTHONHASHSEED"] = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
        elif hash_seed is not None:
            environment["PYTHONHASHSEED"] = hash_seed
        environment["PYTHONPATH"] = os.pathsep.join([path or os.getcwd() for path in sys.path])
        with tempfile.TemporaryDirectory(prefix="strozzi-sim-") as folder:
            answer = Path(folder) / "answer"
            order = pickle.dumps((str(answer), tuple(changes), list(games), self._job))
            command = [sys.executable, "-c", "from strozzi_sim.play.rerun_check import answer; answer()"]
            done = subprocess.run(command, input=order, env=environment, capture_output=True)
            if not answer.exists():
                said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"]
                raise AgentFault(
                    f"agent {self._name!r} ended the process in which its decisions were repeated (exit code "
                    f"{done.returncode}); last line of its output: {said[-1]}"
                )
            moved: ChangedDecision | str | None = pickle.loads(answer.read_bytes())
        if isinstance(moved, str):
            raise AgentFault(
                f"agent {self._name!r}, repeated in another process without the user's environment variables, {moved}"
            )
        return moved

    def cause(self, games: Sequence[PlayedGame]) -> str:
        """Return the first single change that changes a decision of these games, or the list of all changes."""
        # Hashes of two processes can lead to equal decisions by chance, so several seeds are tried first.
        if any(self.ask(games, [], hash_seed) is not None for hash_seed in (None, "1", "2", "3")):
            return NUMBERS
        for change in CHANGES:
            if self.ask(games, [change]) is not None:
                return change
        return ", ".join(CHANGES[:-1]) + f", or {CHANGES[-1]}"


def _is_kept(name: str) -> bool:
    return name in _KEPT or name.startswith(_KEPT_PREFIXES)


def _zone_six_hours_east() -> str:
    """Return a time zone six hours east of the local one, as a value of TZ (POSIX counts hours west)."""
    minutes = time.localtime().tm_gmtoff // 60 + 360
    return f"EAST{'-' if minutes >= 0 else '+'}{abs(minutes) // 60}:{abs(minutes) % 60:02}"


# -- in the other process ----------------------------------------------------------------------------------------------


def answer() -> None:
    """Run the job that `RerunChecker.ask` wrote to standard input."""
    place, changes, games, job = pickle.loads(sys.stdin.buffer.read())
    os.dup2(2, 1)  # the agent's prints must not reach standard output
    step = _let_the_clock_run() if CLOCK in changes else lambda: None
    if NUMBERS in changes:
        random.seed(20_260_714)
        np.random.seed(20_260_714)  # noqa: NPY002 - agents might read the legacy generator
    try:
        spec, game, variant, seed = pickle.loads(job)
        with single_threaded_blas():
            moved: ChangedDecision | str | None = _first_moved(spec, game, variant, seed, games, ORDER in changes, step)
    except InvalidAnswer as bad:
        moved = bad.what
    except AgentFault as fault:
        moved = f"failed: {fault}"
    whole = Path(f"{place}.part")
    whole.write_bytes(pickle.dumps(moved))
    whole.replace(place)


def _first_moved(
    spec: AgentSpec, game: Game, variant: Variant, seed: int, games: Sequence[PlayedGame], backwards: bool,
    step: Callable[[], None],
) -> ChangedDecision | None:  # fmt: skip
    rounds = [(number, seat) for number, played in enumerate(games) for seat in range(played.players)]
    for number, seat in reversed(rounds) if backwards else rounds:
        played = games[number]
        table = Position(game, played.players, seed=seed, deal=played.deal, variant=variant)
        sitting = None
        for decision, action in enumerate(played.actions):
            if table.actor == seat:
                step()
                sitting = sitting or Seat(spec, table, seat)
                other = sitting.choose(table.state)
                if other != action:
                    return ChangedDecision(number, decision, other)
            table.play(action)
    return None


def _let_the_clock_run() -> Callable[[], None]:
    """Shift Python's clocks and return a function that makes them jump."""
    # Minutes carry into no hour: hours change by 17 or -7 (in UTC by 11 or -13), minutes by 17 or -43. Agents take such
    # numbers modulo the number of their actions, and a change by 18 or -6 would be none with two, three or six actions.
    ahead = [_OFFSET + 60 * (17 if time.localtime().tm_min < 43 else -43)]

    def shifted(clock: Callable[[], float]) -> Callable[[], float]:
        return lambda: clock() + ahead[0]

    def shifted_ns(clock: Callable[[], int]) -> Callable[[], int]:
        return lambda: clock() + int(ahead[0] * 1e9)

    def of_now(convert: Callable[..., Any]) -> Callable[..., Any]:
        return lambda seconds=None: convert(time.time() if seconds is None else seconds)

    write = time.strftime
    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, shifted(getattr(time, name)))
        setattr(time, f"{name}_ns", shifted_ns(getattr(time, f"{name}_ns")))
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, of_now(getattr(time, name)))
    time.strftime = lambda form, moment=None: write(form, time.localtime() if moment is None else moment)

    class Date(datetime.date):
        @classmethod
        def today(cls) -> "Date":
            return cls.fromtimestamp(time.time())

    class DateTime(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "DateTime":
            return cls.fromtimestamp(time.time(), tz)

        @classmethod
        def today(cls) -> "DateTime":
            return cls.now()

        @classmethod
        def utcnow(cls) -> "DateTime":
            return cls.now(datetime.UTC).replace(tzinfo=None)

    datetime.date, datetime.datetime = Date, DateTime  # type: ignore[misc]

    def jump() -> None:
        ahead[0] += _STRIDE

    return jump
