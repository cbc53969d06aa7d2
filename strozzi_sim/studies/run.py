"""Run a study: play the chunks that are missing, then make tables and report. Running again resumes."""

import json
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from strozzi_sim.errors import InputError, Interrupted
from strozzi_sim.selfplay.interrupts import stop_flag
from strozzi_sim.selfplay.pool import Task, play_tasks
from strozzi_sim.studies.cells import CellCounts
from strozzi_sim.studies.plan import Cell, Plan
from strozzi_sim.studies.store import MANIFEST_FORMAT, Key, Shelf, Store, storage_errors, write_whole

Tables = Callable[[Plan, Store], dict[str, Any]]
Enough = Callable[[Plan, Store], bool]
LIBRARIES = ("numba", "llvmlite", "numpy", "scipy", "pandas", "pyarrow", "joblib", "msgspec", "matplotlib")


@dataclass
class Progress:
    """What a run tells while it goes on; replace what you want to hear.

    Attributes:
        say: called with a line for the user.
        games: called with (games done so far, games in all).
        ready: called once the results folder is ours and nothing is in the way of playing.
    """

    say: Callable[[str], None] = field(default=lambda line: None)
    games: Callable[[int, int], None] = field(default=lambda done, total: None)
    ready: Callable[[], None] = field(default=lambda: None)


@dataclass(frozen=True)
class Results:
    """What a run left behind.

    Attributes:
        folder: the results folder.
        manifest: what manifest.json says.
        frames: the tables by name.
        tables: their Parquet files by name.
        games: games of the plan. played_now: games played by this run. seconds: this run took.
    """

    folder: Path
    manifest: dict[str, Any]
    frames: dict[str, Any]
    tables: dict[str, Path]
    games: int
    played_now: int
    seconds: float


def run_study(
    plan: Plan,
    folder: Path,
    *,
    workers: int,
    command: str = "",
    progress: Progress | None = None,
    tables: Tables | None = None,
    enough: Enough | None = None,
) -> Results:
    """Play what is missing of a study and write its tables: those that `tables` makes, by default a study's own.

    With `enough`, chunk after chunk is played of all cells, and no more once it says so of the plan cut down to the
    chunks so far; that cut plan is what the tables are of.

    Raises:
        InputError: the folder holds the results of another plan.
        StorageError: the folder cannot be written, is in use, or the disk is full.
        AgentFault: an agent chose an illegal action.
        Interrupted: a signal asked to stop; finished chunks are kept.
    """
    progress = progress or Progress()
    began = monotonic()
    with Store(folder, plan) as store:
        progress.ready()
        for cell, chunk in store.damaged:
            progress.say(f"chunk {chunk} of cell {cell} is damaged or missing: it is played again")
        manifest = _manifest(plan, command)
        path = folder / "manifest.json"
        if path.is_file():
            before = json.loads(path.read_bytes())
            manifest["started"] = before["started"]
            manifest["calibrated"] = manifest["calibrated"] or before.get("calibrated", [])
        write_whole(path, _json(manifest))
        cut, played_now = _play(plan, store, workers, progress, enough)
        frames = (tables or _tables)(cut, store)
        files = _write_tables(folder, frames)
        if plan.rows:
            _write_rows(plan, store)
        seconds = monotonic() - began
        manifest |= {
            "games": cut.games,
            "deals": cut.deals,
            "finished": _now(),
            "seconds": round(seconds, 3),
            "played_now": played_now,
        }
        write_whole(path, _json(manifest))
    return Results(folder, manifest, frames, files, cut.games, played_now, seconds)


def run_in_memory(
    plan: Plan, tables: Tables, *, workers: int, progress: Progress | None = None, enough: Enough | None = None
) -> tuple[Plan, dict[str, Any]]:
    """Play a study that leaves nothing behind: the plan as far as it was played, and the tables that `tables` makes.

    Raises:
        AgentFault: an agent chose an illegal action.
        Interrupted: a signal asked to stop.
    """
    with Shelf(plan) as store:
        cut, _ = _play(plan, store, workers, progress or Progress(), enough)
        return cut, tables(cut, store)


def _play(plan: Plan, store: Store, workers: int, progress: Progress, enough: Enough | None) -> tuple[Plan, int]:
    """Play what is missing; gives the plan as far as it was played, and the games played now."""
    if enough is None:
        return plan, _play_missing(plan, store, workers, progress, range(plan.chunks))
    played_now = 0
    for chunk in range(plan.chunks):
        played_now += _play_missing(plan, store, workers, progress, range(chunk, chunk + 1))
        cut = replace(plan, chunks=chunk + 1, deals=plan.chunk_range(chunk)[1])
        if enough(cut, store):
            return cut, played_now
    return plan, played_now


def _play_missing(plan: Plan, store: Store, workers: int, progress: Progress, chunks: range) -> int:
    missing = [(cell, chunk) for cell in plan.cells for chunk in chunks if (cell.number, chunk) not in store.done]
    done = before = sum(int(entry["games"]) for entry in store.done.values())
    if before and chunks.start == 0:
        progress.say(f"resuming: {before:,} of {plan.games:,} games are already played")
    if not missing:
        return 0
    tasks = (
        Task((cell.number, chunk), cell.match, *plan.chunk_range(chunk), rows=plan.rows, orders=plan.orders)
        for cell, chunk in missing
    )
    progress.games(done, plan.games)
    try:
        with stop_flag() as stop:
            for match in {id(cell.match): cell.match for cell, _ in missing}.values():
                match.warm(counted=not plan.orders)  # in the parent, so that workers find everything compiled
            for task, played in play_tasks(tasks, workers, stop):
                store.write(task.key, played)
                done += played.games
                progress.games(done, plan.games)
    except Interrupted as signal:
        kept = f"{len(store.done)} of {len(plan.cells) * plan.chunks} chunks are kept; run the same command again to resume"
        raise Interrupted(signal.signal_number, f"{signal}; {kept if store.keeps else 'nothing is kept'}") from None
    return done - before


def cell_counts(plan: Plan, store: Store, cell: Cell) -> CellCounts:
    """The counts of one cell from its chunk files."""
    outcome, tallies = [], []
    for chunk in range(plan.chunks):
        parts = store.read((cell.number, chunk))
        outcome.append(parts[0])
        tallies.append(parts[1])
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
        tallies=np.concatenate(tallies),
    )


def _tables(plan: Plan, store: Store) -> dict[str, Any]:
    from strozzi_sim.studies.tables import study_tables

    cells = [cell_counts(plan, store, cell) for cell in plan.cells]
    return study_tables(plan.game, cells, plan.pages, plan.heatmaps)


def _write_tables(folder: Path, frames: dict[str, Any]) -> dict[str, Path]:
    import io

    target = folder / "tables"
    with storage_errors(f"cannot write to {target}"):
        target.mkdir(exist_ok=True)
        for old in target.iterdir():
            if old.stem not in frames:
                old.unlink()
    paths = {}
    for name, frame in frames.items():
        paths[name] = target / f"{name}.parquet"
        parquet = io.BytesIO()
        frame.to_parquet(parquet, index=False)
        write_whole(paths[name], parquet.getvalue())
        write_whole(target / f"{name}.csv", frame.to_csv(index=False, lineterminator="\n").encode())
    return paths


def _write_rows(plan: Plan, store: Store) -> None:
    """games/<cell>.parquet: one row a game and seat."""
    import pyarrow as pa
    from pyarrow import parquet

    target = store.folder / "games"
    with storage_errors(f"cannot write to {target}"):
        target.mkdir(exist_ok=True)
        for cell in plan.cells:
            names = np.array([spec.text for spec in cell.match.positions])
            path = target / f"cell-{cell.number:04d}.parquet"
            temporary = path.with_name(f".{path.name}.tmp")
            writer = None
            for chunk in range(plan.chunks):
                key: Key = (cell.number, chunk)
                rows = store.read(key)[2]
                columns = {
                    "players": np.full(len(rows), cell.match.players),
                    "variant": np.full(len(rows), cell.match.variant.name),
                    "lineup": np.full(len(rows), cell.lineup),
                    **{name: rows[name] for name in ("deal", "seating", "seat", "position")},
                    "agent": names[rows["position"]],
                    "score": rows["score"],
                    "place": rows["twice_place"] / 2,
                    "decisions": rows["decisions"],
                }
                table = pa.table(columns)
                if writer is None:
                    writer = parquet.ParquetWriter(temporary, table.schema)
                writer.write_table(table)
            if writer is not None:
                writer.close()
                temporary.replace(path)


def _manifest(plan: Plan, command: str) -> dict[str, Any]:
    return {
        "format": MANIFEST_FORMAT,
        "name": plan.name,
        "game": plan.game.name,
        "seed": plan.seed,
        "plan": plan.resolved,
        "plan_hash": plan.hash,
        "calibrated": [each.plain() for each in plan.calibrated],
        "report": {"pages": list(plan.pages), "heatmaps": list(plan.heatmaps)},
        "games": plan.games,
        "cells": len(plan.cells),
        "summary": plan.summary(),
        "command": command,
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


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, indent=1).encode() + b"\n"


def load_results(folder: Path) -> Results:
    """What a finished run left in `folder`.

    Raises:
        InputError: there are no results, or the study is not finished.
    """
    import pandas as pd

    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_bytes())
        manifest["plan"], manifest["game"]
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no results of a study (no manifest.json)") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}: is not a manifest of strozzi-sim") from None
    if "counts" in manifest["plan"] and not (folder / "tables" / "ratings.parquet").exists():
        raise InputError(f"{folder}: holds a comparison or ladder, which has no report; see {folder / 'tables'}")
    if not manifest.get("finished"):
        raise InputError(f"{folder}: the study is not finished; run it again to resume: {manifest.get('command')}")
    with storage_errors(f"cannot read {folder / 'tables'}"):
        tables = {file.stem: file for file in sorted((folder / "tables").glob("*.parquet"))}
        frames = {name: pd.read_parquet(file) for name, file in tables.items()}
    return Results(folder, manifest, frames, tables, manifest["games"], 0, 0.0)
