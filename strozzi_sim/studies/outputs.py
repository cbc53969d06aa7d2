"""Output files of a run: tables, and one row per game and seat."""

import contextlib
import io
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from strozzi_sim.errors import InputError
from strozzi_sim.studies.database import Content, FileList
from strozzi_sim.studies.plan import Cell, Plan
from strozzi_sim.studies.store import MemoryStore, Store

_FORMULA = re.compile(r"[=@\t\r]|[+-](?!\d+(\.\d+)?$)")  # "-3" is a number


def finite(frame: Any) -> Any:
    """Return a table in which nothing is infinite: such a number is undefined, and an interval without an end is none."""
    numbers = frame.select_dtypes("floating")
    endless = np.isinf(numbers)
    if not endless.any(axis=None):
        return frame
    frame = frame.assign(**numbers.mask(endless))
    ends = [name for name in ("low", "high") if name in frame]
    frame.loc[endless[ends].any(axis=1), ends] = np.nan
    return frame


def write_tables(files: FileList, frames: dict[str, Any]) -> dict[str, Path]:
    """Write tables/<name>.parquet and .csv; return the Parquet files by name."""
    contents: dict[str, Content] = {}
    for name, frame in frames.items():
        frame = finite(frame)
        parquet = io.BytesIO()
        frame.to_parquet(parquet, index=False)
        contents[f"tables/{name}.parquet"] = parquet.getvalue()
        contents[f"tables/{name}.csv"] = csv_bytes(frame)
    files.replace(contents, parts=("tables/",))
    return {name: files.folder / "tables" / f"{name}.parquet" for name in frames}


def csv_bytes(frame: Any) -> bytes:
    """Return a table as CSV that a spreadsheet opens without running anything.

    A text cell that a spreadsheet would take for a formula begins with an apostrophe; numbers are unchanged. Names of
    agents' files, for example, are untrusted (OWASP, "CSV injection").
    """
    texts = {
        name: column.map(lambda cell: _safe(cell) if isinstance(cell, str) else cell)
        for name, column in frame.items()
        if not pd.api.types.is_numeric_dtype(column)
    }
    return bytes(frame.assign(**texts).to_csv(index=False, lineterminator="\n").encode())


def _safe(text: str) -> str:
    return f"'{text}".replace("\r", " ") if _FORMULA.match(text) else text.replace("\r", " ")  # \r would end the line


def has_tables(files: FileList, manifest: Mapping[str, Any]) -> bool:
    """Return whether the tables that a manifest names, and rows of games, exist as they were written."""
    listed = files.digests
    names = {f"tables/{name}.{kind}" for name in manifest.get("tables", []) for kind in ("parquet", "csv")}
    there = {name for name in listed if name.startswith("tables/")}
    rows = {name for name in listed if name.startswith("games/")}
    return there == names and files.are_as_written(names | rows)


def read_tables(files: FileList) -> tuple[dict[str, Any], dict[str, Path]]:
    """Return the tables in a results folder as data frames, and their Parquet files, by name.

    Raises:
        InputError: one is missing or was changed since it was written.
        StorageError: one cannot be read.
    """
    frames, places = {}, {}
    for name in sorted(files.digests):
        path = files.folder / name
        if path.parent.name == "tables" and path.suffix == ".parquet":
            places[path.stem] = path
            content = files.read(name)
            try:
                frames[path.stem] = pd.read_parquet(io.BytesIO(content))
            except pa.ArrowException as error:
                raise InputError(f"{path}: is no table: {str(error).splitlines()[0]}; run the study again") from None
    return frames, places


def write_rows(plan: Plan, store: Store) -> None:
    """Write games/<cell>.parquet: one row per game and seat."""
    contents = {
        f"games/cell-{cell.number:04d}.parquet": partial(_write_cell, plan, store, cell) for cell in plan.lineup_cells
    }
    store.files.replace(contents, parts=("games/",))


def games_of(plan: Plan, store: MemoryStore) -> Any:
    """Return one row per game and seat as a data frame, from chunks in memory."""
    return pa.concat_tables(table for cell in plan.lineup_cells for table in _rows(plan, store, cell)).to_pandas()


def _write_cell(plan: Plan, store: Store, cell: Cell, file: IO[bytes]) -> None:
    """Write the rows of a cell, chunk after chunk."""
    with contextlib.ExitStack() as undo:
        writer = None
        for table in _rows(plan, store, cell):
            if writer is None:
                writer = undo.enter_context(parquet.ParquetWriter(file, table.schema))
            writer.write_table(table)


def _rows(plan: Plan, store: MemoryStore, cell: Cell) -> Iterator[Any]:
    names = np.array([spec.text for spec in cell.match.positions])
    for chunk in range(plan.chunks):
        rows = store.read((cell.number, chunk))[2]
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
        yield pa.table(columns)
