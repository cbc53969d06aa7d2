"""Run a study: play the chunks that are missing, then make tables and report. Running again resumes."""

import io
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import numpy as np

from strozzi_sim.errors import InputError, Interrupted, StorageError
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.keeping import Keep, keep_of
from strozzi_sim.kernel.threads import one_thread
from strozzi_sim.play.calibrate import Calibration
from strozzi_sim.selfplay.interrupts import stop_flag
from strozzi_sim.selfplay.pool import Task, play_tasks
from strozzi_sim.studies.calibrated import noted_in
from strozzi_sim.studies.cells import CellCounts
from strozzi_sim.studies.folder import (
    FILES,
    FORMAT,
    MANIFEST,
    read_file,
    read_list,
    read_manifest,
    write_manifest,
)
from strozzi_sim.studies.kept import check_kept, frames_of, read_facts, write_facts
from strozzi_sim.studies.outputs import write_rows, write_tables
from strozzi_sim.studies.plan import Cell, Plan
from strozzi_sim.studies.store import LEDGER, MemoryStore, Store

Tables = Callable[[Plan, Store], dict[str, Any]]
StoppingRule = Callable[[Plan, Store], bool]
LIBRARIES = ("numba", "llvmlite", "numpy", "scipy", "pandas", "pyarrow", "joblib", "msgspec", "matplotlib")


@dataclass(frozen=True)
class Progress:
    """What a run tells while it goes on; give what you want to hear.

    Attributes:
        say: called with a line for the user.
        games: called with (games done so far, games in all).
        calibrating: called before agents with budgets in seconds are calibrated, with whether the results folder
            says of some what they play as.
        planned: called with the plan in one line and the calibrations, once nothing is in the way of playing.
    """

    say: Callable[[str], None] = field(default=lambda line: None)
    games: Callable[[int, int], None] = field(default=lambda done, total: None)
    calibrating: Callable[[bool], None] = field(default=lambda noted: None)
    planned: Callable[[str, Sequence[Calibration]], None] = field(default=lambda summary, calibrations: None)


@dataclass(frozen=True)
class Results:
    """What a study came to.

    Attributes:
        plan: all that decides it, as plain data, with `deals` and `games` as far as they were played, and `calibrated`
            if agents were given in seconds.
        tables: data frames by name.
        games: games behind the tables. played_now: games played by this run. seconds: this run took.
        folder: the results folder, or None: then nothing was kept.
        manifest: what manifest.json in it says.
        files: the tables' Parquet files in it, by name.
        kept: rows of facts by table, if nothing was kept on the disk; see `facts`.
    """

    plan: dict[str, Any]
    tables: dict[str, Any]
    games: int
    played_now: int
    seconds: float
    folder: Path | None = None
    manifest: dict[str, Any] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)

    def facts(self, name: str) -> Any:
        """The rows of a fact table that the study keeps, as a data frame.

        Raises:
            InputError: it keeps none; lists the tables of which it does.
        """
        if self.folder is not None:
            return read_facts(self.folder, name)
        check_kept(name, self.kept, "the study")
        return self.kept[name]


def _as_played(plan: Plan, cut: Plan) -> dict[str, Any]:
    """The plan as plain data, with the deals and games of `cut`."""
    return noted_in({**plan.resolved, "deals": cut.deals, "games": cut.games}, plan.calibrated)


def run_study(
    plan: Plan,
    folder: Path,
    *,
    workers: int,
    command: str = "",
    progress: Progress | None = None,
    ready: Callable[[], None] | None = None,
    tables: Tables | None = None,
    stopping_rule: StoppingRule | None = None,
) -> Results:
    """Play what is missing of a study and write its tables: those that `tables` makes, by default a study's own.

    `ready` is called once the results folder is ours and nothing is in the way of playing.
    With `stopping_rule`, chunk after chunk is played of all cells, and no more once it says so of the plan cut down to the
    chunks so far; that cut plan is what the tables are of.

    Raises:
        InputError: the folder holds the results of another plan.
        StorageError: the folder cannot be written, is in use, or the disk is full.
        AgentFault: an agent chose an illegal action.
        Interrupted: a signal asked to stop; finished chunks are kept.
    """
    progress = progress or Progress()
    began = monotonic()
    plan = _held_as_in(folder, plan)
    with Store(folder, plan) as store:
        read_list(folder)  # one that was spoiled is refused before anything is said or played
        if ready is not None:
            ready()
        try:
            with stop_flag():  # while tables are written too
                manifest, cut, played_now = _play_all(plan, store, command, workers, progress, stopping_rule)
                with one_thread():  # fits use BLAS, whose bits depend on the number of threads
                    frames = (tables or study_tables)(cut, store)
                files = write_tables(folder, frames)
                if plan.rows:
                    write_rows(plan, store)
                write_facts(plan, store)
                manifest |= {
                    "games": cut.games,
                    "deals": cut.deals,
                    "finished": _now(),
                    "seconds": round(monotonic() - began, 3),
                    "played_now": played_now,
                    "tables": sorted(frames),
                }
                write_manifest(folder, manifest)
        except Interrupted as signal:
            kept = f"{len(store.done)} of {len(plan.cells) * plan.chunks} chunks are kept"
            message = f"{signal}; {kept}; run the same command again to resume"
            raise Interrupted(signal.signal_number, message) from None
    return Results(_as_played(plan, cut), frames, cut.games, played_now, manifest["seconds"], folder, manifest, files)


def _held_as_in(folder: Path, plan: Plan) -> Plan:
    """The plan, with chunks that hold what they hold already if that answers all it asks; else they are played again.

    Then they count what they did and what is asked now, and keep the rows that are asked for.
    """
    try:
        before = read_manifest(folder)
    except (FileNotFoundError, StorageError):  # the store says what is wrong
        return plan
    counted = tuple(msgspec.convert(crosstab, Crosstab) for crosstab in before.get("counted", []))
    held = msgspec.convert(before.get("held", {}), Keep)
    if before["plan_hash"] != plan.hash:
        return plan
    keep_of(plan.game.fact_tables, held.tables, None, f"{folder / MANIFEST}: was changed by hand: held")
    answers = not counted or all(
        cell.match.plan(counted).holds(crosstab) for cell in plan.cells for crosstab in plan.asked
    )
    if counted:
        plan = replace(plan, counted=counted if answers else tuple(dict.fromkeys([*counted, *plan.asked])))
    return replace(plan, held=held) if answers and held.covers(plan.keep) else plan


def _play_all(
    plan: Plan, store: Store, command: str, workers: int, progress: Progress, stopping_rule: StoppingRule | None
) -> tuple[dict[str, Any], Plan, int]:
    """Write the manifest of an unfinished study and play it; gives both, the plan as far as played, and games played."""
    for cell, chunk in store.damaged:
        progress.say(f"chunk {chunk} of cell {cell} is damaged or missing and is played again")
    if store.outdated:
        progress.say(
            f"{len(store.outdated)} of {len(plan.cells) * plan.chunks} chunks do not hold all that is asked and are played again"
        )
    for line in store.unreadable:
        progress.say(f"line {line} of {store.folder / LEDGER} is damaged; its chunks are played again")
    manifest = _manifest(plan, command)
    try:
        before = read_manifest(store.folder)
    except FileNotFoundError:
        before = None
    if before is not None:
        manifest["started"] = before["started"]
        manifest["calibrated"] = manifest["calibrated"] or before["calibrated"]
    write_manifest(store.folder, manifest)
    cut, played_now = _play(plan, store, workers, progress, stopping_rule)
    store.settle()
    return manifest, cut, played_now


def run_in_memory(
    plan: Plan,
    *,
    workers: int,
    progress: Progress | None = None,
    tables: Tables | None = None,
    stopping_rule: StoppingRule | None = None,
) -> Results:
    """Play a study that leaves nothing behind; otherwise as `run_study`.

    Raises:
        AgentFault: an agent chose an illegal action.
        Interrupted: a signal asked to stop.
    """
    began = monotonic()
    try:
        with MemoryStore(plan) as store, stop_flag():
            cut, played_now = _play(plan, store, workers, progress or Progress(), stopping_rule)
            with one_thread():
                frames = (tables or study_tables)(cut, store)
            kept = frames_of(cut, store)
    except Interrupted as signal:
        raise Interrupted(signal.signal_number, f"{signal}; nothing is kept without a folder") from None
    seconds = round(monotonic() - began, 3)
    return Results(_as_played(plan, cut), frames, cut.games, played_now, seconds, kept=kept)


def _play(
    plan: Plan, store: Store, workers: int, progress: Progress, stopping_rule: StoppingRule | None
) -> tuple[Plan, int]:
    """Play what is missing; gives the plan as far as it was played, and the games played now."""
    if stopping_rule is None:
        return plan, _play_missing(plan, store, workers, progress, range(plan.chunks))
    played_now = 0
    for chunk in range(plan.chunks):
        played_now += _play_missing(plan, store, workers, progress, range(chunk, chunk + 1))
        cut = replace(plan, chunks=chunk + 1, deals=plan.chunk_range(chunk)[1])
        if stopping_rule(cut, store):
            return cut, played_now
    return plan, played_now


def _play_missing(plan: Plan, store: Store, workers: int, progress: Progress, chunks: range) -> int:
    missing = [(cell, chunk) for cell in plan.cells for chunk in chunks if (cell.number, chunk) not in store.done]
    done = before = sum(place.games for place in store.done.values())
    if before and chunks.start == 0:
        progress.say(f"resuming: {before:,} of {plan.games:,} games are already played")
    if not missing:
        return 0
    tasks = (
        Task(
            (cell.number, chunk),
            cell.match,
            *plan.chunk_range(chunk),
            plan.counted,
            rows=plan.rows,
            orders=plan.orders,
            keep=plan.held,
        )
        for cell, chunk in missing
    )
    progress.games(done, plan.games)
    with stop_flag() as stop:
        for match in {id(cell.match): cell.match for cell, _ in missing}.values():
            match.warm(
                counted=bool(plan.counted or plan.held.tables)
            )  # in the parent, so that workers find everything compiled
        for task, played in play_tasks(tasks, workers, stop):
            store.write(task.key, played)
            done += played.games
            progress.games(done, plan.games)
    return done - before


def cell_counts(plan: Plan, store: Store, cell: Cell) -> CellCounts:
    """The counts of one cell from its chunk files."""
    outcome, counts = [], []
    for chunk in range(plan.chunks):
        parts = store.read((cell.number, chunk))
        outcome.append(parts[0])
        counts.append(parts[1])
    match = cell.match
    return CellCounts(
        players=match.players,
        variant=match.variant.name,
        lineup=cell.lineup,
        positions=tuple(spec.text for spec in match.positions),
        selfplay=cell.selfplay,
        deals=plan.deals,
        components=match.variant.components,
        outcome=np.concatenate(outcome),
        counts=np.stack(counts),
        plan=match.plan(plan.counted),
    )


def study_tables(plan: Plan, store: Store) -> dict[str, Any]:
    """Every table of a study by name."""
    from strozzi_sim.studies import tables

    cells = [cell_counts(plan, store, cell) for cell in plan.cells]
    return tables.study_tables(plan.game, cells, plan.pages, plan.heatmaps)


def _manifest(plan: Plan, command: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "name": plan.name,
        "game": plan.game.name,
        "seed": plan.seed,
        "plan": plan.resolved,
        "plan_hash": plan.hash,
        "calibrated": [calibration.plain() for calibration in plan.calibrated],
        "report": {
            "pages": list(plan.pages),
            "heatmaps": list(plan.heatmaps),
            "own": [msgspec.to_builtins(own) for own in plan.own_maps],
        },
        "counted": [msgspec.to_builtins(crosstab) for crosstab in plan.counted],
        "kept": msgspec.to_builtins(plan.keep) | {"share": 1 / plan.keep.every},
        "held": msgspec.to_builtins(plan.held),
        "games": plan.games,
        "cells": len(plan.cells),
        "summary": plan.summary(),
        "command": command.encode(errors="backslashreplace").decode(),  # a path need not be UTF-8, JSON is
        "versions": {
            "strozzi-sim": version("strozzi-sim"),
            "behaviour": plan.game.behaviour,
            "python": platform.python_version(),
            **{name: version(name) for name in LIBRARIES},
        },
        "reconstructed": {variant.name: list(variant.reconstructed) for variant in plan.variants},
        "host": {
            "system": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "byte_order": sys.byteorder,
        },
        "started": _now(),
        "finished": None,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def load_results(folder: Path) -> Results:
    """What a finished run left in `folder`.

    Raises:
        InputError: there are no results, the study is not finished, or a file was changed since it was written.
        StorageError: a file cannot be read.
    """
    import pandas as pd

    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no results of a study (no {MANIFEST})") from None
    files = read_list(folder)
    if "counts" in manifest["plan"] and "tables/ratings.parquet" not in files:
        raise InputError(f"{folder}: holds a comparison or ladder, which has no report; see {folder / 'tables'}")
    if not manifest["finished"]:
        raise InputError(f"{folder}: the study is not finished; run it again to resume: {manifest['command']}")
    tables, frames = {}, {}
    for name, digest in sorted(files.items()):
        path = folder / name
        if path.parent.name == "tables" and path.suffix == ".parquet":
            tables[path.stem] = path
            frames[path.stem] = pd.read_parquet(io.BytesIO(read_file(folder, name, digest)))
    if sorted(frames) != manifest.get("tables"):
        raise InputError(f"{folder}: {FILES} and {MANIFEST} name different tables; run the study again")
    plan = {**manifest["plan"], "deals": manifest["deals"], "games": manifest["games"]}
    if manifest["calibrated"]:
        plan["calibrated"] = manifest["calibrated"]
    return Results(plan, frames, manifest["games"], 0, 0.0, folder, manifest, tables)
