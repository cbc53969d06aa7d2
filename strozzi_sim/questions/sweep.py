"""sweep: what do values of the components change, and which is best?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.studies.lookup import Folder
    from strozzi_sim.studies.plan import Plan
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results
    from strozzi_sim.studies.run import Tables
    from strozzi_sim.studies.study import Study


def sweep(
    file: str | Study,
    best: str = "",
    workers: int | None = None,
    *,
    highest: bool = False,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Play one or two component values over a list of values, on common deals; or search the best of them.

    Args:
        file: a study, or a study's TOML file, with a table [sweep] of keys and values, "tracks.bonus.7" = [0, 5, 10]
        best: search the value with the lowest figure of this name (of the table balance, such as seat_gap), instead of playing all
        workers: number of workers; default: all cores
        highest: search the highest figure instead of the lowest
        folder: keep everything in this folder, with a report; default: only print
        progress: as in `simulate`

    Returns:
        The tables of `simulate`, and sweep, the figures of balance beside the values. With `best` one table, best: the
        status of every value (winner, not told from the winner, significantly worse, behind), its figure on the deals on which it
        was last measured, and the difference from the winner, on deals that were not used to choose it.

    Raises:
        InputError: no sweep in the study, a key that is no number, a range of one value, or an unknown figure.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> plan = {"name": "s", "game": "strozzi", "players": [3], "deals": 60, "lineups": [["random"]]}
    >>> found = ss.sweep(ss.Study(**plan, sweep={"tracks.bonus.9": [10, 15, 20]}))
    >>> found.tables["sweep"].query("figure == 'score_mean'")["value"].is_monotonic_increasing
    True
    """
    from pathlib import Path
    from time import monotonic

    from strozzi_sim.errors import ArgumentError
    from strozzi_sim.studies.lookup import worker_count
    from strozzi_sim.studies.planning import read_plan
    from strozzi_sim.studies.progress import report_progress
    from strozzi_sim.studies.results import Results
    from strozzi_sim.studies.run import run_in_memory
    from strozzi_sim.studies.study import Study, path_of, run
    from strozzi_sim.studies.sweep import check_figure, find_best

    given = file if isinstance(file, Study) else Study.of(read_plan(Path(path_of("file", file))))
    if not given.plan.sweep:
        raise ArgumentError(
            "file", 'has no table [sweep]; write one such as "tracks.bonus.7" = [0, 5, 10] below [sweep]'
        )
    if not best:
        if highest:
            raise ArgumentError("highest", "is for best; name the figure with best")
        return run(given, folder, workers, progress)
    if folder is not None:
        raise ArgumentError("folder", "is for all values; leave it out with best")
    began, number = monotonic(), worker_count(workers)
    with report_progress(progress) as reporter:
        plan = given.in_counts(None, reporter.on_calibrating).plan
        check_figure(plan, best, lambda part, tables: run_in_memory(part, workers=number, tables=tables))
        reporter.on_planned(f"{len(plan.variants)} candidates; {plan.summary()} at most", plan.calibrated)

        def play(part: Plan, tables: Tables) -> None:
            run_in_memory(part, workers=number, progress=reporter, tables=tables)

        table, games = find_best(plan, best, highest, play)
    kept = {
        "game": plan.game.name,
        "players": list(plan.players),
        "seed": plan.seed,
        "deals": plan.deals,
        "games": games,
    }
    return Results(kept, {"best": table}, games, games, round(monotonic() - began, 3), workers=workers, watch=progress)
