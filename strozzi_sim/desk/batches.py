"""What the worker process of the strip does: it plays chunks of a box, or counts the alarms of the box."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from strozzi_sim.agent.python import seconds_allowed
from strozzi_sim.runtime.workers import call_in_worker
from strozzi_sim.simulation.match import Match, Measures
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.kinds.balance import simulate

Found = TypeVar("Found")
_FEWEST, _MOST = 100, 1_000  # deals of which alarms are counted
_ALARM_SECONDS = 0.5  # that they would take without facts; too few have no alarms


def in_worker(function: Callable[..., Found], *arguments: Any) -> Found:
    """Return what one of the functions below returns in a worker process, of which each function has its own."""
    found: Found = call_in_worker(function, *arguments, seconds=seconds_allowed(), pool=function.__name__)
    return found


def play_chunks(match: Match, first: int, chunks: int, deals: int, threads: int) -> tuple[Array, float]:
    """Return the outcome of each chunk from deal `first` on, OUTCOME[chunks], and the seconds that they took."""
    start = monotonic()
    ranges = [(first + k * deals, first + (k + 1) * deals) for k in range(chunks)]
    threads = 1 if match.in_python else min(threads, chunks)
    parts = [ranges[k::threads] for k in range(threads)]
    with ThreadPoolExecutor(len(parts)) as pool:
        found = list(pool.map(lambda part: _outcomes(match, part), parts))
    outcomes = [None] * chunks
    for k, part in enumerate(found):
        outcomes[k::threads] = part  # type: ignore[assignment]
    return np.concatenate(outcomes), monotonic() - start  # type: ignore[arg-type]


def _outcomes(match: Match, ranges: list[tuple[int, int]]) -> list[Array]:
    """Return the outcome of each range of deals; agents in Python play one range at a time."""
    if match.in_python:
        return [match.play(first, last).outcome for first, last in ranges]
    return [each.outcome for each in match.play_ranges(ranges, Measures())]


def alarms_of(match: Match, seconds: float) -> list[str]:
    """Return the alarms of games of a match as sentences; `seconds` are those of a deal on one core."""
    deals = min(_MOST, int(_ALARM_SECONDS / seconds))
    if match.in_python or deals < _FEWEST:
        return []
    results = simulate(
        match.game,
        players=match.players,
        agents=match.lineup,
        variant=match.variant,
        deals=deals,
        workers=1,
        progress=False,
    )
    return [alarm.text for alarm in results.alarms]
