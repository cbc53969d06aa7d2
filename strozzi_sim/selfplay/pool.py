"""The pool: ranges of deals played by joblib workers.

Compiled agents release the interpreter lock, so threads are the default, and processes where an agent is written in
Python; whoever wants something else, or a cluster, says so with `joblib.parallel_config(backend="loky")` or `backend="dask"`. Results come back as they are ready; they do not
depend on the number of workers, the backend or the order.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from strozzi_sim.errors import AgentFault
from strozzi_sim.selfplay.match import Match, Played
from strozzi_sim.selfplay.orders import count_orders


@dataclass(frozen=True)
class Task:
    """A range of deals to play; `key` says whose it is. With `orders`, ORDERS records take the place of tallies."""

    key: Any
    match: Match
    first: int
    last: int
    counted: bool = True
    rows: bool = False
    orders: bool = False


def _perform(task: Task, stop: np.ndarray[Any, Any]) -> tuple[Task, Played | None]:
    counted = task.counted and not task.orders
    played = task.match.play(task.first, task.last, counted=counted, rows=task.rows or task.orders, stop=stop)
    if task.orders:
        played.tallies = count_orders(played.rows, task.match.players)
        played.rows = played.rows if task.rows else played.rows[:0]
    whole = (task.last - task.first) * len(task.match.design)
    played.journal = None
    return task, played if played.games == whole else None


def play_tasks(tasks: Iterable[Task], workers: int, stop: np.ndarray[Any, Any]) -> Iterator[tuple[Task, Played]]:
    """Play tasks on `workers` workers; yields each when it is done, in no particular order.

    Args:
        tasks: what to play; drawn lazily.
        workers: number of joblib workers.
        stop: int64[1]; once it is not 0, tasks under way are dropped and no more are yielded.

    Raises:
        AgentFault: of any agent; also when a worker process dies with an agent in Python.
    """
    for in_python, group in groupby(tasks, lambda task: task.match.in_python):
        for task, played in _play_group(group, workers, stop, "processes" if in_python else "threads"):
            if played is None:
                return
            yield task, played


def _play_group(
    tasks: Iterable[Task], workers: int, stop: np.ndarray[Any, Any], prefer: str
) -> Iterator[tuple[Task, Played | None]]:
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=workers, prefer=prefer, return_as="generator_unordered")
    agents: set[str] = set()

    def calls() -> Iterator[Any]:
        for task in tasks:
            agents.update(spec.text for spec in task.match.lineup if spec.agent.kind != "compiled")
            yield delayed(_perform)(task, stop)

    try:
        yield from pool(calls())
    except BrokenExecutor as error:
        raise AgentFault(
            f"a worker process died, or hung in code that never comes back, while it played {', '.join(sorted(agents))}"
        ) from error
