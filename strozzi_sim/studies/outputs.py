"""Output files of a run: tables, and one row per game and seat."""

import contextlib
import io
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from strozzi_sim.studies.database import Content, FileList
from strozzi_sim.studies.fact_files import damage, read_table
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


def write_tables(files: FileList, frames: dict[str, Any]) -> None:
    """Write tables/<name>.parquet and .csv."""
    contents: dict[str, Content] = {}
    for name, frame in frames.items():
        frame = finite(frame)
        parquet = io.BytesIO()
        frame.to_parquet(parquet, index=False)
        contents[f"tables/{name}.parquet"] = parquet.getvalue()
        contents[f"tables/{name}.csv"] = csv_bytes(frame)
    files.replace(contents, parts=("tables/",))


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


def read_tables(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Return the tables of these names in a results folder as data frames.

    Raises:
        InputError: one is missing or damaged.
        StorageError: one cannot be read.
    """
    with damage(f"{folder / 'tables'}"):
        return {name: read_table(folder, f"tables/{name}.parquet").to_pandas() for name in names}


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
