"""Who plays the chunks of a study: workers of this machine, or of a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.simulation.pool import Workers
from strozzi_sim.studies.cluster import DaskCluster
from strozzi_sim.studies.progress import Progress

BACKENDS = ("dask",)


@contextmanager
def workers_of(
    backend: str, scheduler: str, workers: int | None, count: int, game: str, progress: Progress
) -> Iterator[Workers]:
    """Yield who plays: this machine's workers, or those of a cluster.

    Args:
        backend: "" or a name.
        scheduler: address of the scheduler.
        workers: number of workers that the user asked for, or None.
        count: number of workers on this machine.
        game: name of the game.
        progress: receives messages about workers.

    Raises:
        ArgumentError: an unknown backend, or arguments that do not fit it.
        ClusterError: the scheduler does not answer.
    """
    if backend not in ("", *BACKENDS):
        raise ArgumentError("backend", f"must be dask, or left out, got {short_repr(backend)}")
    if not backend:
        if scheduler:
            raise ArgumentError("scheduler", "needs the backend dask")
        yield count
        return
    if not scheduler:
        raise ArgumentError(
            "scheduler",
            "needed with the backend dask: the address that `dask scheduler` prints, as tcp://10.0.0.1:8786",
        )
    if workers is not None:
        raise ArgumentError("workers", "is for this machine; a Dask cluster has its own workers")
    with DaskCluster(scheduler, game, progress) as cluster:
        yield cluster
