"""Run a study: play the chunks that are missing, then make the tables. Running again resumes."""

import warnings
from collections.abc import Iterable
from functools import partial
from os import PathLike
from time import monotonic
from typing import Any

import numpy as np
from joblib import parallel_config

from strozzi_sim import stats
from strozzi_sim.agent.names import path_of, worker_count
from strozzi_sim.errors import ArgumentError, InputError, Interrupted, short_repr
from strozzi_sim.facts.crosstabs import CrosstabPlan
from strozzi_sim.facts.recount import recount
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.simulation.interrupts import stop_flag
from strozzi_sim.simulation.pool import play_tasks
from strozzi_sim.stats.confidence_sequences import FIRST_LOOK
from strozzi_sim.study.cells import Cell, Rule
from strozzi_sim.study.chunks import Part
from strozzi_sim.study.cluster import cluster_of
from strozzi_sim.study.counts import CellCounts, Counts
from strozzi_sim.study.identity import RESUMES, unknown_code
from strozzi_sim.study.kept import rows_of, write_rows
from strozzi_sim.study.look import PLAIN, Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.precision import Precision
from strozzi_sim.study.progress import GAMES, Progress, ProgressOption, progress_of
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.store import Store, versions

Folder = str | PathLike[str] | None
FEWEST_CHUNKS = 20  # that are worth tables after an interruption


def run(
    study: Study, folder: Folder = None, *, look: Look = PLAIN, workers: int | None = None, progress: ProgressOption = None,
    deals: int | None = None, part: str = "", backend: str = "", scheduler: str = "", trust_agents: bool = False,
) -> Results:  # fmt: skip
    """Play a study and make its tables. In a results folder it resumes, and more deals extend it.

    Args:
        study: the study.
        folder: results folder; default: in memory only.
        look: what is counted beside wins and scores, kept and shown.
        workers: number of workers, which does not affect results; default: one per core.
        progress: True or False to show a bar, or a `Progress` with callbacks; default: a bar in a terminal or notebook only.
        deals: deals of every cell instead of the study's.
        part: play only a share of the chunks, such as 2/5; `merge` joins the folders of all parts.
        backend: where to play: "dask", or as joblib is configured (`joblib.parallel_config`); default: threads here.
        scheduler: address of the Dask scheduler, such as tcp://10.0.0.1:8786; its workers play instead of this machine's.
        trust_agents: resume a folder although changes of its agents' code could not be detected, such as of a module whose name
            is computed; the first run says so.

    Raises:
        InputError: the folder holds another study, or agents whose code may have changed; names the difference.
        StorageError: the folder cannot be written, or is in use.
        AgentFault: an agent chose an illegal action, failed or hung.
        ClusterError: the scheduler does not answer or went away, or a worker differs from this machine.
        Interrupted: a signal asked to stop; finished chunks are kept in the folder. In memory the finished part is returned.

    >>> import strozzi_sim as ss
    >>> study = ss.Study.of(game="medici_vs_strozzi", deals=100, lineups=[["random"]])
    >>> ss.run(study).n_games
    100
    """
    if not isinstance(study, Study):
        raise ArgumentError("study", f"expected a Study, got {short_repr(study)}")
    place, share = None if folder is None else path_of("folder", folder), Part.of_text(part)
    if deals is not None:
        study = study.extended(deals)
    study.check_look(look)
    if share.of > 1 and (place is None or not study.can_grow):
        raise ArgumentError("part", "needs a results folder, and a study without precision and search_deals")
    began, team = monotonic(), worker_count(workers)
    with (
        progress_of(progress) as reporter,
        cluster_of(backend, scheduler, workers, study),
        Store(place, study, look, share) as store,
    ):
        plan = [study.summary] if study.chunks and reporter.command != Progress.command else []
        for line in (*plan, *study.warnings, *store.left):
            reporter.on_message(line)
        if store.done and (unknown := unknown_code(study.agents)) and not trust_agents:
            raise InputError(f"{place}: {'; '.join(unknown)}; {RESUMES}, or name another folder")
        store.begin_run(reporter.command)
        played, new_games, interrupted = _play(store, team, reporter)
        tables: dict[str, Any] = {}
        rows: dict[str, Any] = {}
        if share.of == 1:
            reporter.on_phase("tables", 0, 0)
            # The bits of a fit depend on the number of threads of BLAS; joblib is for kinds whose tables take play of their own.
            with stop_flag(), single_threaded_blas(), parallel_config(n_jobs=team):
                known = store.tables() if place is not None and not new_games else None
                tables = tables_of(played, store) if known is None else known
                if place is not None and known is None:
                    store.write_tables(tables)
                if place is not None:
                    write_rows(store, played, same=known is not None)
                else:
                    rows = rows_of(store, played)
        seconds = round(monotonic() - began, 3)
        store.end_run(played, new_games, seconds)
    if interrupted:
        warnings.warn(interrupted, stacklevel=2)
    about = {"command": reporter.command, "part": str(share), "versions": versions()}
    shown = played.games, played.summary, new_games, seconds
    return Results(played, look, Frames(tables), place, *shown, about, interrupted, rows)


def _play(store: Store, workers: int, reporter: Progress) -> tuple[Study, int, str]:
    """Play the missing chunks; return the study as far as it was played, the number of new games, and how it was interrupted."""
    study, before = store.study, len(store.done)
    if before:
        reporter.on_message(f"resuming: {before:,} of {len(store.keys):,} chunks are already played")
    rule = _rule(study, store)
    if rule is None:
        try:
            return study, _play_chunks(store, workers, reporter, range(study.chunks)), ""
        except Interrupted as signal:
            return _finished_part(store, signal)
    played, first = 0, 0
    while first < study.chunks:
        # The rule is asked after every chunk, so where play stops depends on nothing else; some are played ahead, for all workers.
        last = min(first + (first // FIRST_LOOK or FIRST_LOOK), study.chunks)
        played += _play_chunks(store, workers, reporter, range(first, last))
        for chunk in range(first, last):
            if rule.is_met(chunk + 1):
                return study.first_chunks(chunk + 1), played, ""
        first = last
    return study, played, ""


def _rule(study: Study, store: Store) -> Rule | None:
    return study.rule(store.counts) or (Precision(study, store.counts) if study.precision else None)


def _play_chunks(store: Store, workers: int, reporter: Progress, chunks: range) -> int:
    """Play the missing ones of these chunks of every cell; return the number of games."""
    study, played = store.study, 0
    missing = [
        (study.cells[cell], chunk) for cell, chunk in store.keys if chunk in chunks and (cell, chunk) not in store.done
    ]
    if store.folder is None:
        missing.sort(key=lambda key: key[1])  # the first chunks of all cells first: of use after an interruption
    if not missing:
        return 0
    store.check_space(len(missing))
    done, total = study.games - sum(study.games_of(*key) for key in missing), study.games
    with stop_flag() as stop:
        for number, cell in enumerate(study.cells):  # here, so that workers find everything compiled
            reporter.on_phase("compiling", number, len(study.cells))
            cell.match.warm(
                counted=bool(store.counted or store.held.tables) and study.counts_facts(cell), luck=study.how_luck
            )
        for _, chunk in play_tasks((store.task(*each) for each in missing), workers, stop):
            store.write(chunk)
            played += chunk.games
            reporter.on_phase(GAMES, done + played, total)
    return played


def _finished_part(store: Store, signal: Interrupted) -> tuple[Study, int, str]:
    """Return the chunks that all cells have, of a study in memory; of one in a folder say how to resume."""
    study, chunks = store.study, 0
    while all((cell.number, chunks) in store.done for cell in study.cells):
        chunks += 1
    if store.folder is not None:
        raise Interrupted(
            signal.signal_number,
            f"{signal}; {len(store.done)} of {len(store.keys)} chunks are kept; run again to resume",
        )
    if chunks < FEWEST_CHUNKS:
        raise Interrupted(signal.signal_number, f"{signal}; nothing is kept without a folder")
    played = study.first_chunks(chunks)
    return played, played.games, f"{signal}; these are the first {played.deals:,} of {study.deals:,} deals"


def counts_in_memory(study: Study, workers: int, reporter: Progress) -> list[Counts]:
    """Play a study in memory and return the counts of its cells, for kinds that play several studies, each chosen by the one before."""
    with Store(None, study, PLAIN) as store:
        _play_chunks(store, workers, reporter, range(study.chunks))
        return [store.counts(cell, range(study.chunks)) for cell in study.cells]


def tables_of(study: Study, store: Store) -> dict[str, Any]:
    """Return every table of a study, from the chunks of a store."""
    found = study.tables(partial(counts_of, study, store), store.look)
    tables = {name: table.frame() if isinstance(table, FigureTable) else table for name, table in found.items()}
    rule = _rule(study, store)
    if rule is not None and (headlines := rule.table(study.chunks)) is not None:
        tables["precision"] = headlines
    if study.counts_answers:
        tables["answers"] = _answers(study, store)
    return {name: _finite(table) for name, table in tables.items()}


def _finite(frame: Any) -> Any:
    """Return a table in which nothing is infinite: such a number is undefined, and an interval without an end is none."""
    numbers = frame.select_dtypes("floating")
    endless = np.isinf(numbers)
    if not endless.any(axis=None):
        return frame
    frame = frame.assign(**numbers.mask(endless))
    ends = [name for name in ("low", "high") if name in frame]
    frame.loc[endless[ends].any(axis=1), ends] = np.nan
    return frame


def counts_of(study: Study, store: Store, cell: Cell) -> CellCounts:
    """Return the counts of a cell."""
    counted, match = store.counts(cell, range(study.chunks)), cell.match
    facts, needed = (store.counted, study.facts(store.look)) if study.counts_facts(cell) else ((), ())
    plan = match.plan(facts)
    missing = [crosstab for crosstab in needed if not plan.can_answer(crosstab)]
    return CellCounts(
        match.players, match.variant.name, cell.lineup, cell.deals, tuple(spec.text for spec in match.positions), cell.selfplay,
        match.variant.components, counted.outcome, counted.facts, plan, match.game.sign,
        (match.plan(missing), _recounted(store, cell, match.plan(missing))) if missing else None, partial(store.rows, cell),
    )  # fmt: skip


def _recounted(store: Store, cell: Cell, plan: CrosstabPlan) -> Any:
    """Return the counts of kept rows by chunk, int64[C, size]."""
    tables = [plan.table(name) for name in dict.fromkeys(crosstab.fact for crosstab in plan.crosstabs)]
    return sum(np.stack([recount(plan, table, rows) for rows in store.kept(cell, table)]) for table in tables)


def _answers(study: Study, store: Store) -> Any:
    """Return the table answers: the share of illegal answers of every agent that replaces them, over all its line-ups."""
    table = FigureTable("agent")
    of_agent: dict[tuple[int, str, str], tuple[list[Cell], Counts]] = {}
    for cell in study.cells:
        replacing = {spec.text for spec in cell.match.positions if spec.agent.replaces}
        for agent in replacing:
            key, counts = (cell.match.players, cell.match.variant.name, agent), store.counts(cell, range(study.chunks))
            where = [position for position, spec in enumerate(cell.match.positions) if spec.text == agent]
            cells, before = of_agent.get(key, ([], None))
            own = Counts(_only(counts.outcome, where), counts.facts[:, :0])
            of_agent[key] = [*cells, cell], own if before is None else before + own
    for (_, _, agent), (cells, counts) in of_agent.items():
        first = counts_of(study, store, cells[0])
        asked, replaced = (counts.outcome[field].sum(axis=1) for field in ("answers", "replaced"))
        table.add(first, "illegal_share", stats.ratio(replaced, asked, n_deals=first.deals), agent=agent)
    return table.frame().drop(columns="lineup")  # over all line-ups


def _only(outcome: Any, positions: Iterable[int]) -> Any:
    """Return outcomes with the answers of some positions alone."""
    kept = outcome.copy()
    for position in set(range(outcome["answers"].shape[1])).difference(positions):
        kept["answers"][:, position] = kept["replaced"][:, position] = 0
    return kept
