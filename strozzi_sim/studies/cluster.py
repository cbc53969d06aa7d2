"""Chunks on the workers of a Dask cluster, which may join and leave; Dask decides which worker plays what.

joblib's Dask backend is not used: it waits for ever when the scheduler goes away, and does not say who played a chunk. Here a
worker plays only after it was compared with this machine, one chunk in twenty is replayed elsewhere, and a worker whose results
differ from two replays gets no more chunks, and the others replay its own.
"""

import contextlib
import logging
import pickle
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

import numpy as np

from strozzi_sim.errors import ArgumentError, ClusterError, StrozziError, pluralize
from strozzi_sim.game import load_game
from strozzi_sim.simulation.match import MatchResult
from strozzi_sim.simulation.pool import Task, play_tasks
from strozzi_sim.studies.cluster_worker import FAILED, REFUSED, describe_worker, perform_there
from strozzi_sim.studies.manifest import machine_of
from strozzi_sim.studies.plan_identity import differences
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.replays import Sampler, content_of
from strozzi_sim.studies.store import Key

_AHEAD = 2  # chunks sent for each thread of a worker, so that none waits for the network
_TICK = 0.2  # seconds between two looks at `stop`
_LOOK = 1.0  # seconds between two looks at the list of workers
_CONNECT = 10  # seconds for a scheduler to answer
_MOST_DEATHS = 5  # times that a chunk is sent again after its workers died; Dask itself tries four of them each time


@dataclass
class _Sent:
    """A task on its way: `first` is the worker whose result it replays, with that result's digest."""

    task: Task
    future: Any
    allowed: frozenset[str]
    deaths: int = 0
    first: tuple[str, bytes] | None = None


@dataclass
class DaskCluster:
    """The workers of a Dask cluster; a context manager that connects to its scheduler.

    Attributes:
        address: address of the scheduler.
        game: name of the game that is played.
        progress: receives messages about workers.
        refused: workers that are not used, with the reason.
        replayed: number of chunks that were replayed elsewhere.
    """

    address: str
    game: str
    progress: Progress
    refused: dict[str, str] = field(default_factory=dict)
    replayed: int = 0

    def __enter__(self) -> "DaskCluster":
        """Connect.

        Raises:
            ArgumentError: Dask is not installed.
            ClusterError: the scheduler does not answer.
        """
        try:
            import distributed
        except ImportError:
            raise ArgumentError("backend", "Dask is not installed; run pip install 'strozzi-sim[dask]'") from None
        connect: Any = distributed.Client
        self._quiet = contextlib.ExitStack()
        log = logging.getLogger("distributed")
        self._quiet.callback(log.setLevel, log.level)
        log.setLevel(logging.CRITICAL)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of other versions of Dask, which `machine_of` compares
                self._client: Any = connect(self.address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            self._quiet.close()
            raise ClusterError(
                f"no Dask scheduler answers at {self.address} within {_CONNECT} s ({str(error).splitlines()[0] if str(error) else 'timeout'}); "
                "start one with `dask scheduler`, and workers with `dask worker ADDRESS`"
            ) from None
        self._here = machine_of(load_game(self.game))
        self._usable: set[str] = set()
        self._asked: dict[str, Any] = {}
        self._threads: dict[str, int] = {}
        self._samplers: dict[str, Sampler] = {}
        self._played_by: dict[str, dict[Key, Task]] = {}
        self._pickled: dict[int, tuple[Any, ...]] = {}
        self._ready: SimpleQueue[Any] = SimpleQueue()
        return self

    def __exit__(self, *_: object) -> None:
        """Drop what is under way, and disconnect."""
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            self._client.close(timeout=2)
        self._quiet.close()

    def report(self) -> dict[str, Any]:
        """Return how many chunks were replayed elsewhere, and the workers that were refused with the reasons."""
        return {"backend": "dask", "replayed": self.replayed, "refused": dict(self.refused)}

    def play(self, tasks: Iterable[Task], stop: np.ndarray[Any, Any]) -> Iterator[tuple[Task, MatchResult]]:
        """Play tasks on the cluster; yields each when it is done, and once more if a replay corrects it.

        Args:
            tasks: tasks to play; drawn lazily.
            stop: int64[1]; once it is not 0, no more are yielded.

        Raises:
            AgentFault: an agent failed.
            ClusterError: the scheduler went away, all workers are refused, or a chunk ends every worker.
        """
        waiting, again = iter(tasks), list[_Sent]()
        under_way: dict[Any, _Sent] = {}
        looked, told = 0.0, False
        try:
            while not stop[0]:
                if monotonic() - looked > _LOOK:
                    self._look()
                    looked = monotonic()
                    again += self._lost(under_way)
                    if not self._usable and not self._asked:
                        told = self._wait_for_workers(told)
                while self._usable and len(under_way) < _AHEAD * sum(self._threads[name] for name in self._usable):
                    sent = (
                        again.pop()
                        if again
                        else _Sent(task, None, frozenset())
                        if (task := next(waiting, None))
                        else None
                    )
                    if sent is None:
                        break
                    self._send(sent, under_way)
                if not under_way and not again and self._usable:
                    return
                try:
                    future = self._ready.get(timeout=_TICK)
                except Empty:
                    continue
                if future.key in self._asked:
                    self._judge(self._asked.pop(future.key), future)
                elif (sent := under_way.pop(future.key, None)) is not None:
                    yield from self._results(sent, future, again, stop)
        finally:
            for sent in under_way.values():
                with contextlib.suppress(Exception):
                    sent.future.cancel()

    # -- workers

    def _look(self) -> None:
        """Ask new workers what they are, and forget those that left.

        Raises:
            ClusterError: the scheduler went away.
        """
        try:
            gone = self._client.status != "running"
            self._threads = {} if gone else dict(self._client.nthreads())
        except StrozziError:  # a signal
            raise
        except Exception:  # noqa: BLE001 - Dask raises many kinds, and all mean the same
            gone = True
        if gone:
            raise ClusterError(
                f"the Dask scheduler at {self.address} went away; start it again, and run the same command to resume"
            )
        self._usable &= set(self._threads)
        asked = set(self._asked.values())
        for name in self._threads:
            if name not in self._usable | self.refused.keys() | asked:
                future = self._client.submit(
                    describe_worker, self.game, workers=[name], allow_other_workers=False, pure=False
                )
                self._asked[future.key] = name
                self._keep(future)
        self._asked = {key: name for key, name in self._asked.items() if name in self._threads}

    def _keep(self, future: Any) -> None:
        """Await a future, which Dask forgets once nothing refers to it."""
        future.add_done_callback(self._ready.put)

    def _judge(self, name: str, future: Any) -> None:
        """Use a worker, or refuse it by name."""
        try:
            kind, there = future.result(timeout=_CONNECT)
        except ImportError as error:
            kind, there = REFUSED, f"cannot import strozzi_sim ({error}); install it there"
        except StrozziError:  # a signal
            raise
        except Exception:  # noqa: BLE001 - Dask's own: it left
            return
        if kind == REFUSED:
            self._refuse(name, there)
            return
        changes = list(differences(there, self._here))
        if changes:
            self._refuse(
                name,
                f"differs from this machine ({'; '.join(changes[:3])}); install the same versions, or use equal processors",
            )
        else:
            self._usable.add(name)

    def _refuse(self, name: str, why: str) -> None:
        self._usable.discard(name)
        self.refused[name] = why
        self.progress.on_message(f"worker {name} is not used: it {why}")

    def _wait_for_workers(self, told: bool) -> bool:
        """Say once that there are no workers.

        Raises:
            ClusterError: all are refused.
        """
        if self._threads:
            name, why = next(reversed(self.refused.items()))
            raise ClusterError(
                f"all {pluralize(len(self._threads), 'worker')} of {self.address} are refused; worker {name} {why}; finished chunks are "
                "kept: run the same command to resume"
            )
        if not told:
            self.progress.on_message(f"waiting for workers: start some with `dask worker {self.address}`")
        return True

    def _lost(self, under_way: dict[Any, _Sent]) -> list[_Sent]:
        """Take back tasks all of whose workers left."""
        lost = [key for key, sent in under_way.items() if sent.allowed.isdisjoint(self._usable)]
        for key in lost:
            with contextlib.suppress(Exception):
                under_way[key].future.cancel()
        return [under_way.pop(key) for key in lost]

    # -- tasks

    def _send(self, sent: _Sent, under_way: dict[Any, _Sent]) -> None:
        others = self._usable - {sent.first[0]} if sent.first else self._usable
        sent.allowed = frozenset(others or self._usable)
        task = sent.task
        if id(task.match) not in self._pickled:
            lineup = task.match.lineup
            files = tuple(dict.fromkeys(file for spec in lineup for file in spec.sent_files))
            self._pickled[id(task.match)] = (
                pickle.dumps(task.match),
                tuple(spec.source_digest for spec in lineup),
                files,
            )
        rest = {key: value for key, value in vars(task).items() if key != "match"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large graphs, if agents' files are
            sent.future = self._client.submit(
                perform_there,
                *self._pickled[id(task.match)],
                rest,
                workers=list(sent.allowed),
                allow_other_workers=False,
                pure=False,
            )
        under_way[sent.future.key] = sent
        self._keep(sent.future)

    def _results(
        self, sent: _Sent, future: Any, again: list[_Sent], stop: np.ndarray[Any, Any]
    ) -> Iterator[tuple[Task, MatchResult]]:
        """Yield the result of a task, if it is there and to be stored; else send it again."""
        from distributed import KilledWorker

        try:
            name, kind, played = future.result(timeout=_CONNECT)
        except StrozziError:  # a signal
            raise
        except KilledWorker:
            sent.deaths += 1
            if sent.deaths >= _MOST_DEATHS:
                raise ClusterError(
                    f"{_name_of(sent.task)} ended every worker that played it, {4 * sent.deaths} in all; look at a worker's log (memory?)"
                ) from None
            again.append(sent)
            return
        except Exception as error:
            if future.status == "error":
                raise ClusterError(
                    f"Dask could not play {_name_of(sent.task)}: {type(error).__name__}: {error}"
                ) from error
            again.append(sent)  # a result or a connection was lost
            return
        if kind == FAILED:
            if isinstance(played, StrozziError):
                raise played
            raise ClusterError(f"worker {name} failed while it played {_name_of(sent.task)}: {played}")
        if kind == REFUSED:
            if name not in self.refused:
                self._refuse(name, played)
            again.append(sent)
            return
        if played is None:
            again.append(sent)
            return
        if sent.first is not None:
            yield from self._compare(sent, name, played, again, stop)
            return
        if name in self.refused:  # named while it played
            again.append(sent)
            return
        self._played_by.setdefault(name, {})[sent.task.key] = sent.task
        if self._samplers.setdefault(name, Sampler()).chooses_next():
            self.replayed += 1
            first = (name, content_of(played))
            if len(self._usable) > 1:
                again.append(_Sent(sent.task, None, frozenset(), first=first))
            else:
                yield sent.task, played
                played = self._play_here(sent.task, stop)
                if played is not None and content_of(played) != first[1]:
                    self._name(name, sent.task, again)
                    yield sent.task, played
                return
        yield sent.task, played

    def _compare(
        self, sent: _Sent, name: str, played: MatchResult, again: list[_Sent], stop: np.ndarray[Any, Any]
    ) -> Iterator[tuple[Task, MatchResult]]:
        """Compare a replay with the first result; if they differ, this machine decides."""
        assert sent.first is not None
        first, content = sent.first
        if content_of(played) == content and name != first:
            return
        own = self._play_here(sent.task, stop)
        if own is None:
            return
        for each, digest in ((first, content), (name, content_of(played))):
            if digest != content_of(own) and each not in self.refused:
                self._name(each, sent.task, again)
        yield sent.task, own

    def _name(self, name: str, task: Task, again: list[_Sent]) -> None:
        """Name a worker whose results differ from two replays; its chunks are kept until the others have replayed them."""
        played = self._played_by.pop(name, {})
        self._refuse(
            name,
            f"returned another result than two replays for {_name_of(task)}; its {pluralize(len(played), 'chunk')} of this "
            "run are played again",
        )
        again += [_Sent(each, None, frozenset()) for each in played.values()]

    def _play_here(self, task: Task, stop: np.ndarray[Any, Any]) -> MatchResult | None:
        """Return the result of a task on this machine, None if it was stopped."""
        return next((played for _, played in play_tasks([task], 1, stop)), None)


def _name_of(task: Task) -> str:
    cell, chunk = task.key
    return f"chunk {chunk} of cell {cell}"
