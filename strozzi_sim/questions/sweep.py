"""sweep: what do values of the components change, and which is best?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.studies.lookup import Folder
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results
    from strozzi_sim.studies.study import Study


def sweep(
    file: str | Study, workers: int | None = None, *, folder: Folder = None, progress: ProgressOption = None
) -> Results:
    """Play one or two component values over a list of values, on common deals.

    Args:
        file: a study, or a study's TOML file, with a table [sweep] of keys and values, "tracks.bonus.7" = [0, 5, 10]
        workers: number of workers; default: all cores
        folder: keep everything in this folder, with a report and pictures of the figures over the values; default: only print
        progress: as in `simulate`

    Returns:
        The tables of `simulate`, and sweep, the figures of balance beside the values.

    Raises:
        InputError: no sweep in the study, a key that is no number, or a range of one value.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> plan = {"name": "s", "game": "strozzi", "players": [3], "deals": 60, "lineups": [["random"]]}
    >>> found = ss.sweep(ss.Study(**plan, sweep={"tracks.bonus.9": [10, 15, 20]}))
    >>> found.tables["sweep"].query("figure == 'score_mean'")["value"].is_monotonic_increasing
    True
    """
    from strozzi_sim.errors import ArgumentError
    from strozzi_sim.studies.lookup import path_of
    from strozzi_sim.studies.planning import read_plan
    from strozzi_sim.studies.study import Study, run

    given = file if isinstance(file, Study) else Study.of(read_plan(path_of("file", file)))
    if not given.plan.sweep:
        raise ArgumentError(
            "file", 'has no table [sweep]; write one such as "tracks.bonus.7" = [0, 5, 10] below [sweep]'
        )
    return run(given, folder, workers, progress)
