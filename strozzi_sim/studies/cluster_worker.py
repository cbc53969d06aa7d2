"""The worker's side of a cluster: what it is, and how it plays a chunk."""

import pickle
from functools import lru_cache
from threading import Lock
from typing import Any

from strozzi_sim.agent.sent_files import SentFile, receive
from strozzi_sim.errors import StrozziError
from strozzi_sim.game import load_game
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.pool import Task, perform
from strozzi_sim.studies.manifest import machine_of

_warming = Lock()
PLAYED, REFUSED, FAILED = "played", "refused", "failed"  # kinds of answers: a result, a reason, an exception


def describe_worker(game: str) -> tuple[str, Any]:
    """Return what must be equal on all machines, or why this worker cannot play; it raises nothing.

    An exception that Dask cannot send on leaves its client waiting for ever.
    """
    try:
        return PLAYED, machine_of(load_game(game))
    except Exception as error:  # noqa: BLE001 - see above
        return REFUSED, f"{type(error).__name__}: {error}"


@lru_cache(maxsize=256)
def _match_of(content: bytes) -> Match:
    match = pickle.loads(content)
    assert isinstance(match, Match)
    return match


def perform_there(
    match: bytes, digests: tuple[str | None, ...], files: tuple[SentFile, ...], rest: dict[str, Any]
) -> tuple[str, str, Any]:
    """Play a task. Return this worker's address, and the result, or why it cannot play, or what was raised; it raises nothing.

    Args:
        match: pickled match.
        digests: expected digest of the source of every agent.
        files: agents' files.
        rest: the other fields of the task.
    """
    from distributed import get_worker

    address = str(get_worker().address)
    try:
        receive(files)
        found = _match_of(match)
        there = tuple(spec.source_digest for spec in found.lineup)
    except Exception as error:  # noqa: BLE001 - as in `describe_worker`
        return address, REFUSED, f"cannot load the agents: {error}"
    if there != digests:
        return address, REFUSED, "has other files of the agents"
    try:
        task = Task(match=found, **rest)
        with _warming:  # two threads may begin at once
            found.warm(counted=bool(task.crosstabs or task.keep.tables))
        return address, PLAYED, perform(task)
    except StrozziError as error:
        return address, FAILED, error.with_traceback(None)
    except Exception as error:  # noqa: BLE001 - as in `describe_worker`
        return address, FAILED, f"{type(error).__name__}: {error}"
