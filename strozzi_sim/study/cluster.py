"""Play the chunks of a study on a Dask cluster, by joblib's backend for Dask, instead of the configured backend."""

import gc
import logging
import platform
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any

from joblib import parallel_config

from strozzi_sim.agent import load_agent
from strozzi_sim.agent.files import SentFile, receive
from strozzi_sim.errors import ArgumentError, ClusterError, InputError, StrozziError, short_repr
from strozzi_sim.game import Game, load_game
from strozzi_sim.game.converting import differences
from strozzi_sim.runtime.cache import processor_type
from strozzi_sim.simulation import pool
from strozzi_sim.study.model import Study
from strozzi_sim.study.store import versions

_CONNECT = 10  # seconds for a scheduler to answer, and for a first worker
_RESUME = "run the study again to resume"


@contextmanager
def cluster_of(backend: str, scheduler: str, workers: int | None, study: Study) -> Iterator[None]:
    """Set joblib to play on a Dask cluster inside the block; without a backend, leave it as it is configured.

    Every worker, also one that joins later, is first prepared, see `prepare`.
    """
    if backend not in ("", "dask"):
        raise ArgumentError("backend", f"must be dask, or left out, got {short_repr(backend)}")
    if not backend:
        if scheduler:
            raise ArgumentError("scheduler", "needs the backend dask")
        yield
        return
    if not scheduler:
        raise ArgumentError("scheduler", "needed with the backend dask: the address that `dask scheduler` prints")
    if workers is not None:
        raise ArgumentError("workers", "is for this machine; a Dask cluster has its own workers")
    try:
        import distributed
    except ImportError:
        raise ArgumentError("backend", "Dask is not installed; run pip install 'strozzi-sim[dask]'") from None
    request = _request_of(study)

    class Joined(distributed.WorkerPlugin):
        """Prepares a worker; pickled with its code, since the worker may lack this package."""

        name = f"strozzi-sim-{study.hash}"

        def setup(self, worker: Any) -> None:
            try:
                from strozzi_sim.study.cluster import prepare

                prepare(request, worker)
            except ImportError as error:
                raise RuntimeError(f"worker {worker.address}: {error}") from None

        def teardown(self, worker: Any) -> None:
            with suppress(ImportError):
                from strozzi_sim.simulation import pool

                pool.refusal = ""

    with _connected(scheduler) as client:
        try:
            client.register_plugin(Joined())
        except (RuntimeError, ClusterError) as error:
            raise ClusterError(f"{error}; install the same there, or leave this worker out") from None
        try:
            with parallel_config(_backend(scheduler)(client=client, wait_for_workers_timeout=_CONNECT)):
                yield
        finally:
            if client.status == "running":
                client.unregister_worker_plugin(Joined.name)


@contextmanager
def _connected(scheduler: str) -> Iterator[Any]:
    """Yield a client of a scheduler; silence Dask's log and warnings, since failures raise a ClusterError."""
    import distributed

    connect = getattr(distributed, "Client")  # noqa: B009 - it has no types
    log, client, why = logging.getLogger("distributed"), None, ""
    level = log.level
    log.setLevel(logging.CRITICAL)
    with warnings.catch_warnings(), ExitStack() as at_end:
        at_end.callback(log.setLevel, level)
        warnings.filterwarnings("ignore", module="distributed")
        try:
            client = connect(scheduler, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            why = (str(error).splitlines() or ["timeout"])[0]
        if client is None:
            gc.collect()  # closes the failed client: Dask locks up if that happens while another one starts
            raise ClusterError(
                f"no Dask scheduler answers at {scheduler} within {_CONNECT} s ({why}); "
                "start one with `dask scheduler`, and workers with `dask worker ADDRESS`"
            )
        at_end.callback(_close, client)
        yield client


def _close(client: Any) -> None:
    with suppress(OSError):  # such as TimeoutError if the scheduler is gone: the error of the run is reported
        client.close(timeout=2)


def _backend(scheduler: str) -> Any:
    """Return joblib's backend for Dask, which also plays on a cluster of one thread, and ends at an error of Dask."""
    from distributed import CancelledError, KilledWorker
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            try:
                return max(int(super().effective_n_jobs(n_jobs)), 2)
            except TimeoutError:
                start = f"start some with `dask worker {scheduler}`"
                raise ClusterError(f"no worker joined {scheduler}; {start}, and {_RESUME}") from None

        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback)
            future.add_done_callback(lambda done: callback(done.exception()) if done.exception() else None)
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if not isinstance(out, BaseException):
                return super().retrieve_result_callback(out)
            why = f"a worker cannot play: {type(out).__name__}: {out}"
            if isinstance(out, CancelledError):
                why = f"the Dask scheduler at {scheduler} went away; start it again, and {_RESUME}"
            if isinstance(out, KilledWorker):
                why = f"a chunk ended every worker that played it ({out.args[0]}); see a worker's log, and {_RESUME}"
            raise out if isinstance(out, ClusterError) else ClusterError(why)

    return Backend


def _machine(game: Game) -> dict[str, Any]:
    processor = {"machine": platform.machine(), "cpu": processor_type(), "byte_order": sys.byteorder}
    return {"version": {**versions(), "commit": "", "behaviour": game.behaviour}, "processor": processor}


def _request_of(study: Study) -> dict[str, Any]:
    """Return what `prepare` needs at a worker, as plain data, which any version can read."""
    specs = [*study.specs.values(), *([study.how_luck.agent] if study.how_luck else [])]
    files = list(dict.fromkeys(file for spec in specs for file in spec.sent_files))
    for file in files:
        for name, _ in file.contents:
            if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
                raise InputError(f"agent file {file.given}: {name!r} leads out of its folder and cannot be sent")
    digests = {spec.text: spec.source_digest for spec in specs if not spec.in_code}
    machine, sent = _machine(study.the_game), [tuple(file) for file in files]
    return {"game": study.game, "machine": machine, "files": sent, "digests": digests}


def prepare(request: Mapping[str, Any], worker: Any) -> None:
    """Store the agents' files in the folder of a Dask worker, and compare it with the machine that made the request.

    If they differ, or if an agent cannot be loaded, raise a ClusterError. Dask gives tasks also to a worker whose setup
    failed: these raise it again.
    """
    try:
        if not worker.address.startswith("inproc:"):  # that worker is this process, whose files may change later
            receive((SentFile(*file) for file in request["files"]), Path(worker.local_directory, "strozzi-agents"))
        game = load_game(request["game"])
        changes = list(differences(_machine(game), request["machine"]))
        for text, digest in request["digests"].items() if not changes else ():
            if load_agent(text, game).source_digest != digest:
                changes.append(f"the code of agent {text}")
        pool.refusal = f"worker {worker.address} differs from this machine: {'; '.join(changes[:3])}" if changes else ""
    except StrozziError as error:
        pool.refusal = f"worker {worker.address}: {error}"
    if pool.refusal:
        raise ClusterError(pool.refusal)
