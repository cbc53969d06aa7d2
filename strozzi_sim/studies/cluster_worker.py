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


def describe_worker(game: str) -> dict[str, Any]:
    """Return what must be equal on all machines."""
    return machine_of(load_game(game))


@lru_cache(maxsize=256)
def _match_of(content: bytes) -> Match:
    match = pickle.loads(content)
    assert isinstance(match, Match)
    return match


def perform_there(
    match: bytes, digests: tuple[str | None, ...], files: tuple[SentFile, ...], rest: dict[str, Any]
) -> Any:
    """Play a task. Return its address with the result, or with the reason why it cannot play.

    Args:
        match: pickled match.
        digests: expected digest of the source of every agent.
        files: agents' files.
        rest: the other fields of the task.
    """
    from distributed import get_worker

    address = get_worker().address
    try:
        receive(files)
        found = _match_of(match)
        there = tuple(spec.source_digest for spec in found.lineup)
    except (StrozziError, ImportError, AttributeError) as error:
        return address, f"it cannot load the agents: {error}"
    if there != digests:
        return address, "its files of agents differ from those here"
    task = Task(match=found, **rest)
    with _warming:  # two threads may begin at once
        found.warm(counted=bool(task.crosstabs or task.keep.tables))
    return address, perform(task)
