"""sweep: what do values of the components change, and which is best?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.studies.lookup import Folder
    from strozzi_sim.studies.plan import Plan
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results
    from strozzi_sim.studies.run import StoppingRule, Tables
    from strozzi_sim.studies.study import Study


def sweep(
    file: str | Study,
    best: str = "",
    workers: int | None = None,
    *,
    highest: bool = False,
    precision: float | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Play one or two component values over a list of values, on common deals; or search the best of them.

    The search is a race. Values that are significantly worse stop early, and of the others the better part stays. It costs at most
    as many games as five values played to the end, however many values there are, if these suffice for ten games of each value.

    Args:
        file: a study, or a study's TOML file, with a table [sweep] of keys and values, "tracks.bonus.7" = [0, 5, 10]
        best: search the value with the lowest figure of this name (of the table balance, such as seat_gap), instead of playing all
        workers: number of workers; default: all cores
        highest: search the highest figure instead of the lowest
        precision: measure the winner's figure to this many points of a share (0.01 to 25), with the study's deals as the most; default: play all deals
        folder: keep everything in this folder, with a report and pictures of the figures over the values; default: only print
        progress: as in `simulate`

    Returns:
        The tables of `simulate`, and sweep, the figures of balance beside the values. With `best` one table, best: the
        status of every value (winner, not told from the winner, significantly worse, behind), its figure on the deals on which it
        was last measured, and the difference from the winner, on deals that were not used to choose it. With `precision` the
        intervals of the winner and the other finalists are valid whenever the race stops.

    Raises:
        InputError: no sweep in the study, a key that is no number, a range of one value, or an unknown figure, or a precision of a
            figure that is not a share.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> plan = {"name": "s", "game": "strozzi", "players": [3], "deals": 60, "lineups": [["random"]]}
    >>> found = ss.sweep(ss.Study(**plan, sweep={"tracks.bonus.9": [10, 15, 20]}))
    >>> found.tables["sweep"].query("figure == 'score_mean'")["value"].is_monotonic_increasing
    True
    """
    from dataclasses import replace
    from time import monotonic

    from strozzi_sim.errors import ArgumentError, check_range
    from strozzi_sim.studies.lookup import path_of, worker_count
    from strozzi_sim.studies.planning import read_plan
    from strozzi_sim.studies.precision import POINTS
    from strozzi_sim.studies.progress import report_progress
    from strozzi_sim.studies.results import Results
    from strozzi_sim.studies.run import run_in_memory
    from strozzi_sim.studies.study import Study, run
    from strozzi_sim.studies.sweep import check_figure, find_best, race_summary

    given = file if isinstance(file, Study) else Study.of(read_plan(path_of("file", file)))
    if not given.plan.sweep:
        raise ArgumentError(
            "file", 'has no table [sweep]; write one such as "tracks.bonus.7" = [0, 5, 10] below [sweep]'
        )
    if not best:
        if highest:
            raise ArgumentError("highest", "is for best; name the figure with best")
        if precision is not None:
            raise ArgumentError("precision", "is for best; to play all values to a precision, write it into the study")
        return run(given, folder, workers, progress)
    if folder is not None:
        raise ArgumentError("folder", "is for all values; leave it out with best")
    if precision is not None:
        check_range("precision", precision, 0.01, 25)
    part = None if precision is None else precision / POINTS
    began, number = monotonic(), worker_count(workers)
    with report_progress(progress) as reporter:
        whole = replace(reporter, allow_partial=False)  # part of a heat would decide the race

        def play(part: Plan, tables: Tables, rule: StoppingRule | None) -> None:
            run_in_memory(part, workers=number, progress=whole, tables=tables, stopping_rule=rule)

        plan = given.plan
        check_figure(plan, best, play, part)
        reporter.on_planned(race_summary(plan, best, highest, part))
        table, games = find_best(plan, best, highest, play, part)
    kept = {
        "game": plan.game.name,
        "players": list(plan.players),
        "seed": plan.seed,
        "deals": plan.deals,
        "games": games,
    } | ({} if precision is None else {"precision": precision})
    return Results(kept, {"best": table}, games, games, round(monotonic() - began, 3), workers=workers, watch=progress)
