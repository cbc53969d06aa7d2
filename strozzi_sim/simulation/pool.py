"""The pool: ranges of deals played by joblib workers.

Compiled agents release the interpreter lock, so the workers are threads by default; other backends are set with
`joblib.parallel_config(backend="loky")`. For a third-party agent in the line-up each worker has a separate process (see
`isolation`). Results arrive as they become ready; they do not depend on workers, backend or order.
"""

import pickle
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from time import monotonic
from typing import Any

import numpy as np

from strozzi_sim.errors import ClusterError
from strozzi_sim.kernel.record_types import Array
from strozzi_sim.runtime.workers import Cancelled
from strozzi_sim.simulation.finishing_orders import count_orders
from strozzi_sim.simulation.interrupts import NO_STOP
from strozzi_sim.simulation.isolation import run_in_worker
from strozzi_sim.simulation.match import Match, MatchResult, Measures

_GROUP = 4  # batches per worker in a call of joblib, if the backend returns all results of a call at once
_AHEAD = 256  # if workers are processes, at least this many batches are dispatched ahead: a cluster may grow
_SECONDS = 0.04  # expected time of a batch: long compared with joblib's overhead, short for a waiting caller
_MOST = 64  # most tasks of a batch
refusal = ""  # reason why this process, a worker of a cluster that differs from the others, must not play; or ""


@dataclass(frozen=True)
class PlayTask:
    """The deals first .. last - 1 of a match to play, identified by `key`.

    With `orders` the counts of the result are an ORDERS record. `finish`, if given, is called with the result in the
    worker, and what it returns is the result of the task.
    """

    key: Any
    match: Match
    first: int
    last: int
    measures: Measures = field(default_factory=Measures)
    orders: bool = False
    finish: Callable[[MatchResult], Any] | None = None


def _group_key(task: PlayTask) -> Any:
    """Return a key, equal for tasks that one call can play; unique if it can play one range only."""
    if task.match.foreign or task.match.in_python or task.measures.one_range:
        return id(task)
    return id(task.match), task.measures, task.orders


def _play(tasks: Sequence[PlayTask], stop: Array = NO_STOP) -> list[MatchResult] | None:
    """Return the results of tasks with the same `_group_key`, played in one call; None if they were stopped."""
    task, ranges = tasks[0], [(each.first, each.last) for each in tasks]
    measures = replace(task.measures, rows=True) if task.orders else task.measures
    results = task.match.play_ranges(ranges, measures, stop=stop)
    if task.orders:
        for result in results:
            result.counts = count_orders(result.rows, task.match.players)
            result.rows = result.rows if task.measures.rows else result.rows[:0]
    games = sum(last - first for first, last in ranges) * task.match.games_per_deal
    is_whole = sum(result.games for result in results) == games
    return results if is_whole and stop[0] == 0 else None  # stopped searches choose any legal action


def perform(tasks: Sequence[PlayTask], stop: Array = NO_STOP, abandoned: Array = NO_STOP) -> list[MatchResult] | None:
    """Return the results of tasks with the same `_group_key`, played in one call; None if they were stopped.

    Third-party agents play in another process, which is also killed once `abandoned`, int64[1], is not 0.
    """
    match = tasks[0].match
    if not match.foreign:
        return _play(tasks, stop)
    try:
        results: list[MatchResult] | None = run_in_worker(
            _play, tasks, blame=match.lost, is_cancelled=lambda: bool(stop[0] or abandoned[0])
        )
    except Cancelled:
        return None
    return results


def _perform(
    number: int, batch: Sequence[PlayTask] | bytes, stop: Array, abandoned: Array
) -> tuple[int, list[tuple[Any, float]]]:
    """Return a batch's number, and (result, seconds) of its tasks up to the first stopped one, whose result is None.

    A pickled batch is unpickled here, so that an error of unpickling reaches the caller.
    """
    if refusal:
        raise ClusterError(refusal)
    stop = np.require(stop, requirements="W")  # a copy in a worker of Ray, which shares arrays read-only
    results_and_seconds: list[tuple[Any, float]] = []
    for _, group in groupby(pickle.loads(batch) if isinstance(batch, bytes) else batch, _group_key):
        tasks, start = list(group), monotonic()
        played = perform(tasks, stop, abandoned)
        if played is None:
            return number, [*results_and_seconds, (None, 0.0)]
        results = [task.finish(result) if task.finish else result for task, result in zip(tasks, played, strict=True)]
        seconds = (monotonic() - start) / len(tasks)
        results_and_seconds += [(result, seconds) for result in results]
    return number, results_and_seconds


def play_tasks(tasks: Iterable[PlayTask], workers: int, stop: Array) -> Iterator[tuple[PlayTask, Any]]:
    """Play tasks on `workers` workers, or all those of a cluster; yield each with its result, in no particular order.

    Tasks are drawn lazily. Once `stop`, int64[1], is not 0, threads drop their tasks, and only tasks that were finished
    may still be yielded. Workers in other processes have a copy of `stop`, which does not change.
    """
    abandoned = np.zeros(1, np.int64)  # set once the results are no longer awaited
    results = _joblib_results(tasks, workers, stop, abandoned)
    try:
        for task, played in results:
            if played is None:
                return
            yield task, played
    finally:
        abandoned[0] = 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # from joblib, about results that are not fetched
            results.close()


def _batches(tasks: Iterable[PlayTask], seconds: Mapping[int, float]) -> Iterator[list[PlayTask]]:
    """Yield batches: one task, or tasks expected to take _SECONDS; `seconds`: time of a task by `id` of its match."""
    batch: list[PlayTask] = []
    expected = 0.0
    for task in tasks:
        task_seconds = seconds.get(id(task.match), _SECONDS)
        if batch and (expected + task_seconds > _SECONDS or len(batch) == _MOST):
            yield batch
            batch, expected = [], 0.0
        batch.append(task)
        expected += task_seconds
    if batch:
        yield batch


def _joblib_results(
    tasks: Iterable[PlayTask], workers: int, stop: Array, abandoned: Array
) -> Generator[tuple[PlayTask, Any]]:
    """Yield each task with its result as it arrives, or group by group if joblib's backend cannot stream (Ray's)."""
    import cloudpickle
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    shared = getattr(get_active_backend(prefer="threads")[0], "supports_sharedmem", False)
    under_way: dict[int, list[PlayTask]] = {}
    seconds: dict[int, float] = {}  # `id` of a match -> time of its latest task

    def calls() -> Iterator[Any]:
        for number, batch in enumerate(_batches(tasks, seconds)):
            under_way[number] = batch
            yield delayed(_perform)(number, batch if shared else cloudpickle.dumps(batch), stop, abandoned)

    def results(number: int, done: list[tuple[Any, float]]) -> Iterator[tuple[PlayTask, Any]]:
        # once stopped, the last tasks have no results
        for task, (result, took) in zip(under_way.pop(number), done, strict=False):
            seconds[id(task.match)] = took
            yield task, result

    ahead = 2 * workers if shared else max(_AHEAD, 2 * workers)
    try:
        pool = Parallel(n_jobs=workers, prefer="threads", return_as="generator_unordered", pre_dispatch=ahead)
    except ValueError:
        pool, waiting = Parallel(n_jobs=workers, prefer="threads"), calls()
        while group := list(islice(waiting, _GROUP * workers)):
            for number, done in pool(group):
                yield from results(number, done)
        return
    streamed = pool(calls())
    try:
        for number, done in streamed:
            yield from results(number, done)
    finally:
        streamed.close()
