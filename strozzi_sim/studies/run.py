"""Run a study: play the chunks that are missing, then make tables and report. Running again resumes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from strozzi_sim.errors import InputError, Interrupted, StorageError
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.recount import recount
from strozzi_sim.facts.row_storage import NO_ROWS, RowSelection, keep_of
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.simulation.interrupts import stop_flag
from strozzi_sim.simulation.pool import Task, play_tasks
from strozzi_sim.stats.confidence_sequences import FIRST_LOOK
from strozzi_sim.studies import tables
from strozzi_sim.studies.cells import CellCounts
from strozzi_sim.studies.database import read_files
from strozzi_sim.studies.fact_files import PART as FACTS
from strozzi_sim.studies.fact_files import damage, frames_of, read_table, write_facts
from strozzi_sim.studies.folder import MANIFEST, read_manifest, write_manifest
from strozzi_sim.studies.manifest import make_manifest, now
from strozzi_sim.studies.outputs import games_of, read_tables, write_rows, write_tables
from strozzi_sim.studies.plan import RESUMES, Cell, Plan
from strozzi_sim.studies.plan_identity import identity_of, with_all_components
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.results import Results
from strozzi_sim.studies.store import MemoryStore, Store
from strozzi_sim.studies.worth import KEYS, add_worth

Tables = Callable[[Plan, MemoryStore], dict[str, Any]]
StoppingRule = Callable[[Plan, MemoryStore], bool]
_DECISIVE = (
    "kind",
    "plan_hash",
    "report",
    "kept",
    "versions",
    "commit",
)  # keys of a manifest that decide tables and rows
MIN_CHUNKS = 20  # chunks that are worth tables after an interruption


def _as_played(plan: Plan, cut: Plan) -> dict[str, Any]:
    """Return the plan as plain data, with the deals and games of `cut`."""
    return {**plan.resolved, "deals": cut.deals, "games": cut.games}


def run_study(
    plan: Plan,
    folder: Path,
    *,
    workers: int,
    progress: Progress | None = None,
    ready: Callable[[], None] | None = None,
    tables: Tables | None = None,
    kind: str = "",
    stopping_rule: StoppingRule | None = None,
    trust_agents: bool = False,
) -> Results:
    """Play the missing chunks of a study and write its tables, made by `tables`; default: those of a study.

    `kind` names the function that makes the tables, with all its inputs other than the plan. Tables are made if chunks,
    plan, report or versions are newer, or a file is missing; else they are read.

    With `trust_agents`, a folder resumes although changes of its agents' code could not be detected.

    `ready` is called once the results folder is locked and play can start.
    With `stopping_rule`, all cells are played chunk by chunk, until the rule is true for the plan reduced to the chunks
    played so far. The tables describe this reduced plan.

    A plan with a `part` plays its chunks and makes no tables: `parts.merge` does.

    Raises:
        InputError: the folder holds the results of another plan, or of agents whose code may have changed.
        StorageError: the folder cannot be written, is in use, or the disk is full.
        AgentFault: an agent chose an illegal action.
        Interrupted: a signal asked to stop; finished chunks are kept.
    """
    progress = progress or Progress()
    began = monotonic()
    plan = _reuse_stored_facts(folder, plan)
    with Store(folder, plan) as store:
        if plan.undigested and store.done and not trust_agents:
            raise InputError(f"{folder}: {'; '.join(plan.unknown_code())}; {RESUMES}, or name another folder")
        if ready is not None:
            ready()
        try:
            with stop_flag():  # while tables are written too
                before = read_manifest(folder) if (folder / MANIFEST).exists() else {}
                manifest, cut, played_now = _play_all(plan, store, workers, progress, stopping_rule, before)
                if plan.part is not None:
                    return _end_part(plan, store, manifest, played_now, monotonic() - began)
                manifest["kind"] = kind
                same = not played_now and _has_outputs(store, before, manifest)
                if same:
                    frames = read_tables(folder, before.get("tables", []))
                else:
                    write_manifest(folder, manifest)  # of a study that is not finished
                    progress.on_phase("tables", 0, 0)
                    with single_threaded_blas():  # fits use BLAS, whose bits depend on the number of threads
                        frames = (tables or study_tables)(cut, store)
                    progress.on_phase("saving", 0, 0)
                    write_tables(store.files, frames)
                    if plan.rows:
                        write_rows(plan, store)
                    write_facts(plan, store)
                seconds = round(monotonic() - began, 3)
                if same:
                    manifest = before  # the run that made the tables, and what it was
                else:
                    manifest |= _as_finished(cut, seconds, frames) | {"played_now": played_now}
                write_manifest(folder, manifest)
                store.end_run(played_now)
        except Interrupted as signal:
            kept = f"{len(store.done)} of {len(plan.keys)} chunks are kept"
            message = f"{signal}; {kept}; run the same command again to resume"
            raise Interrupted(signal.signal_number, message) from None
    return Results(_as_played(plan, cut), frames, cut.games, played_now, seconds, folder, manifest)


def _as_finished(cut: Plan, seconds: float, frames: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that a manifest gets once the tables are made."""
    return {
        "games": cut.games, "deals": cut.deals, "finished": now(), "seconds": seconds, "tables": sorted(frames),
    }  # fmt: skip


def _end_part(plan: Plan, store: Store, manifest: dict[str, Any], played_now: int, seconds: float) -> Results:
    """Note that a part of a study is played, and return its results, which have no tables."""
    manifest |= {"seconds": round(seconds, 3), "played_now": played_now}
    write_manifest(store.folder, manifest)
    store.end_run(played_now)
    return Results(_as_played(plan, plan), {}, plan.games, played_now, manifest["seconds"], store.folder, manifest)


def _has_outputs(store: Store, before: Mapping[str, Any], manifest: Mapping[str, Any]) -> bool:
    """Return whether a finished run wrote the tables and rows that this one would write, and the files exist."""
    alike = bool(before.get("finished")) and all(before.get(key) == _as_read(manifest[key]) for key in _DECISIVE)
    return alike and store.files.exist(("tables/", "games/", FACTS))


def _as_read(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def _reuse_stored_facts(folder: Path, plan: Plan) -> Plan:
    """Return the plan with the facts that the stored chunks hold, if these suffice.

    Otherwise add the missing facts, so that the chunks are replayed.
    """
    try:
        before = read_manifest(folder)
    except (FileNotFoundError, StorageError):  # the store reports it
        return plan
    counted = tuple(msgspec.convert(crosstab, Crosstab) for crosstab in before.get("counted", []))
    held = msgspec.convert(before.get("held", {}), RowSelection)
    if identity_of(with_all_components(before["plan"], plan.game)) != identity_of(plan.resolved):
        return plan
    try:
        keep_of(plan.game.fact_tables, held.tables)
    except InputError as error:
        raise InputError(f"{folder / MANIFEST}: held: {error}") from None
    answers = not counted or replace(plan, counted=counted, held=held).is_covered
    if counted:
        plan = replace(plan, counted=counted if answers else tuple(dict.fromkeys([*counted, *plan.required_facts])))
    return replace(plan, held=held) if answers and held.covers(plan.keep) else plan


def _play_all(
    plan: Plan,
    store: Store,
    workers: int,
    progress: Progress,
    stopping_rule: StoppingRule | None,
    before: Mapping[str, Any],
) -> tuple[dict[str, Any], Plan, int]:
    """Play an unfinished study, whose manifest was `before`; return the manifest, the played part of the plan, and the new games."""
    for cell, chunk in store.damaged:
        progress.on_message(f"chunk {chunk} of cell {cell} is damaged or missing and is played again")
    if store.outdated:
        progress.on_message(f"{len(store.outdated)} of {len(plan.keys)} chunks lack requested facts and are replayed")
    manifest = make_manifest(plan, progress.command)
    if before:
        manifest["started"] = before["started"]
    if len(store.done) < len(plan.keys):
        write_manifest(store.folder, manifest)  # of a study that is not finished
    store.begin_run(manifest)
    cut, played_now = _play(plan, store, workers, progress, stopping_rule)
    return manifest, cut, played_now


def run_in_memory(
    plan: Plan,
    *,
    workers: int,
    progress: Progress | None = None,
    tables: Tables | None = None,
    ready: Callable[[], None] | None = None,
    stopping_rule: StoppingRule | None = None,
) -> Results:
    """Play a study with results in memory only; arguments as in `run_study`.

    If `progress` allows partial results, an interrupted study returns its finished chunks: the first ones, equally many
    of every cell, if they suffice for an interval.

    Raises:
        AgentFault: an agent chose an illegal action.
        Interrupted: a signal asked to stop.
    """
    began = monotonic()
    progress, store, interrupted = progress or Progress(), MemoryStore(plan), ""
    manifest = make_manifest(plan, progress.command)
    if ready is not None:
        ready()
    try:
        with stop_flag():
            cut, played_now = _play(plan, store, workers, progress, stopping_rule)
    except Interrupted as signal:
        cut = _finished_part(plan, store) if progress.allow_partial else plan
        if cut is plan:
            raise Interrupted(signal.signal_number, f"{signal}; nothing is kept without a folder") from None
        played_now = cut.games
        interrupted = f"{signal}; these are the first {cut.deals:,} of {plan.deals:,} deals"
    progress.on_phase("tables", 0, 0)
    with stop_flag(), single_threaded_blas():
        frames = (tables or study_tables)(cut, store)
        kept = frames_of(cut, store)
    seconds = round(monotonic() - began, 3)
    manifest |= _as_finished(cut, seconds, frames)
    manifest["plan"] = {**manifest["plan"], "deals": cut.deals}
    return Results(
        _as_played(plan, cut), frames, cut.games, played_now, seconds, manifest=manifest, kept=kept,
        interrupted=interrupted, played_plan=cut, chunks=store,
    )  # fmt: skip


def _finished_part(plan: Plan, store: MemoryStore) -> Plan:
    """Return the plan of the leading chunks that all cells have; the plan itself if they are too few."""
    chunks = 0
    while all((cell.number, chunks) in store.done for cell in plan.cells):
        chunks += 1
    return plan if chunks < MIN_CHUNKS else plan.first_chunks(chunks)


def tables_again(played: Results, plan: Plan) -> Results:
    """Return the results of chunks in memory for `plan`, the plan of `played` with another report."""
    assert played.chunks is not None
    with single_threaded_blas():
        frames = study_tables(plan, played.chunks)
    manifest = {**played.manifest, "report": make_manifest(plan, "")["report"], "tables": sorted(frames)}
    return replace(played, tables=frames, manifest=manifest, played_plan=plan)


def _play(
    plan: Plan, store: MemoryStore, workers: int, progress: Progress, stopping_rule: StoppingRule | None
) -> tuple[Plan, int]:
    """Play the missing chunks; return the played part of the plan and the number of new games."""
    if stopping_rule is None:
        return plan, _play_missing(plan, store, workers, progress, range(plan.chunks))
    played_now, first = 0, 0
    while first < plan.chunks:
        # The rule is asked after every chunk, so where it stops depends on nothing else; a few are played ahead, for all workers.
        last = min(first + (first // FIRST_LOOK or FIRST_LOOK), plan.chunks)
        played_now += _play_missing(plan, store, workers, progress, range(first, last))
        for chunk in range(first, last):
            cut = plan.first_chunks(chunk + 1)
            if stopping_rule(cut, store):
                return cut, played_now
        first = last
    return plan, played_now


def _play_missing(plan: Plan, store: MemoryStore, workers: int, progress: Progress, chunks: range) -> int:
    every = (
        product(plan.cells, chunks)
        if store.is_persistent
        else ((cell, chunk) for chunk in chunks for cell in plan.cells)
    )
    wanted = set(plan.keys).difference(store.done)
    missing = [(cell, chunk) for cell, chunk in every if (cell.number, chunk) in wanted]
    done = before = sum(games for games, _ in store.done.values())
    if before and chunks.start == 0:
        progress.on_message(f"resuming: {before:,} of {plan.games:,} games are already played")
    if not missing:
        return 0
    tasks = (task_of(plan, cell, chunk) for cell, chunk in missing)
    with stop_flag() as stop:
        matches = list({id(cell.match): cell.match for cell, _ in missing}.values())
        for number, match in enumerate(matches):  # in the parent, so that workers find everything compiled
            progress.on_phase("compiling", number, len(matches))
            match.warm(counted=bool(plan.counted or plan.held.tables), luck=plan.luck)
        progress.on_games(done, plan.games)
        for task, played in play_tasks(tasks, workers, stop):
            done += played.games
            store.write(task.key, played)
            progress.on_games(done, plan.games)
    return done - before


def task_of(plan: Plan, cell: Cell, chunk: int) -> Task:
    """Return the task that plays a chunk."""
    deals, counted = plan.chunk_range(chunk, cell.deals), plan.counted_in(cell)
    return Task(
        (cell.number, chunk),
        cell.match,
        *deals,
        counted,
        rows=plan.rows,
        orders=plan.orders,
        keep=plan.held,
        luck=plan.luck,
        answers=plan.answers,
    )


def cell_counts(plan: Plan, store: MemoryStore, cell: Cell) -> CellCounts:
    """The counts of one cell from its chunk files."""
    outcome, counts = [], []
    for chunk in range(plan.chunks):
        parts = store.read((cell.number, chunk))
        outcome.append(parts[0])
        counts.append(parts[1])
    match = cell.match
    counted = plan.counted_in(cell)
    required = plan.required_facts if plan.counts_facts(cell) else ()
    missing = [crosstab for crosstab in required if not match.plan(counted).can_answer(crosstab)]
    return CellCounts(
        players=match.players,
        variant=match.variant.name,
        lineup=cell.lineup,
        positions=tuple(spec.text for spec in match.positions),
        selfplay=cell.selfplay,
        deals=cell.deals,
        components=match.variant.components,
        outcome=np.concatenate(outcome),
        counts=np.stack(counts),
        plan=match.plan(counted),
        recounted=(match.plan(missing), _recounted(plan, store, cell, missing)) if missing else None,
        sign=match.game.sign,
    )


def _recounted(plan: Plan, store: MemoryStore, cell: Cell, crosstabs: Sequence[Crosstab]) -> Any:
    """Return the counts of these crosstabs from kept rows, int64[C, size]."""
    asked = cell.match.plan(crosstabs)
    tables = [asked.table(name) for name in dict.fromkeys(crosstab.fact for crosstab in crosstabs)]
    every = ((cell.number, chunk) for chunk in range(plan.chunks))
    return np.stack([sum(recount(asked, table, store.kept(key, table)) for table in tables) for key in every])


def study_tables(plan: Plan, store: MemoryStore, compared: Sequence[tuple[str, str]] | None = None) -> dict[str, Any]:
    """Return every table of a study by name.

    Args:
        plan: the plan.
        store: holds its chunks.
        compared: pairs of variants to compare in `changes`; default: the reference with each other one.
    """
    cells = [cell_counts(plan, store, cell) for cell in plan.lineup_cells]
    if compared is None:
        compared = [(plan.reference.name, other.name) for other in plan.variants if other is not plan.reference]
    found = tables.study_tables(plan.game, cells, plan.pages, plan.heatmaps, compared, plan.effect, plan.explored)
    found |= {"sweep": tables.sweep_table(found["balance"], plan)} if plan.sweep else {}
    return found | ({"worth": _worth(plan, store, cells)} if plan.worth else {})


def _worth(plan: Plan, store: MemoryStore, cells: Sequence[CellCounts]) -> Any:
    """Return the table worth of a study whose other cells have these counts."""
    table, free = FigureTable(*KEYS), {(cell.players, cell.variant, cell.lineup): cell for cell in cells}
    for cell in plan.cells:
        if cell.thing:
            match = cell.match
            own = free[match.players, match.variant.name, match.positions[1].text]
            add_worth(table, own, cell_counts(plan, store, cell), cell.thing, plan.things[cell.thing])
    return table.frame()


def games_played(played: Results, *, workers: int, progress: Progress | None = None) -> Any:
    """Return one row per game and seat as a data frame, from the folder or by replaying the games in memory.

    Raises:
        InputError: the folder keeps no rows, or there was no plan to play again.
        AgentFault, Interrupted: as `run_in_memory`.
    """
    if played.folder is not None:
        names = sorted(name for name in read_files(played.folder).names if name.startswith("games/"))
        if not names:
            raise InputError(f"{played.folder}: keeps no rows of games; a study does with `rows = true`")
        tables = [read_table(played.folder, name) for name in names]
        with damage(f"{played.folder / 'games'}"):
            return pa.concat_tables(tables).to_pandas()
    if played.played_plan is None:
        raise InputError("games: a search for a best response has no rows of games")
    plan, chunks = played.played_plan, played.chunks
    if not plan.rows:
        asked = replace(plan, rows=True, counted=(), held=NO_ROWS, pages=(), heatmaps={})
        plan, chunks = asked, MemoryStore(asked)
        _play_missing(plan, chunks, workers, progress or Progress(), range(plan.chunks))
    assert chunks is not None
    return games_of(plan, chunks)
