"""The rows that a study keeps: rows of games and seats, and rows of facts, as partitioned Parquet data sets and as data frames.

facts/<table>/players=4/variant=base/lineup=random/cell-0000.parquet, in the order of deals and seatings. Names of folders are
URL-encoded, as Hive has it, so that readers of Hive data sets find players, variant and line-up. The metadata of every column describe
it; `levels` are those of its cell. games/cell-0000.parquet has a row for every game and seat.
"""

import hashlib
import json
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import pyarrow as pa

from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.facts.columns import OUTCOMES, YES_NO, Array, Column, GameConfig, Levels
from strozzi_sim.facts.row_storage import KeptRows
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.study.cells import Cell
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.store import Content, Store

GROUP = 2**16  # rows of a row group
PART, GAMES = "facts/", "games/"
KEYS = ("players", "variant", "lineup")  # the columns that are folders
_NAME_MOST = 200  # characters of a folder's name; file systems allow 255 bytes
_DTYPES = ("uint8", "uint16", "int32")
_ID = (
    Column("deal", "number of the deal; together with the seating it is the game", dtype="i4"),
    Column("seating", "number of the seating of the deal", dtype="u2"),
)
_AGENT = Column("agent", "the agent at the seat")


class KeptTable:
    """Format of the kept rows of a fact table, the same in all cells of a study."""

    def __init__(self, study: Study, look: Look, name: str) -> None:
        (self.table,) = (table for table in study.the_game.fact_tables if table.name == name)
        self._study, self._every = study, look.kept_in(study.the_game).every
        settings = {(cell.players, cell.variant): cell.match.setting for cell in study.cells}.values()
        self.columns = [*_ID, *self.table.columns]
        for outcome in OUTCOMES if self.table.has_seat else ():
            self.columns += [outcome, _AGENT] if outcome.name == "position" else [outcome]
        names = [column.name for column in self.columns]
        assert len({*names, *KEYS}) == len(names) + len(KEYS), f"{name}: a column has the name of another"
        labelled = (column.name for column in self.columns if any(_are_labels(column, each) for each in settings))
        self._labelled = {*labelled, _AGENT.name}
        self._dtypes = {column.name: _dtype(column, settings) for column in self.columns}

    def path(self, cell: Cell) -> str:
        """Return the file of a cell, within the results folder."""
        keys = (str(cell.players), cell.variant, cell.lineup)
        folders = "/".join(f"{key}={_folder_name(value)}" for key, value in zip(KEYS, keys, strict=True))
        return f"{PART}{self.table.name}/{folders}/cell-{cell.number:04d}.parquet"

    def schema(self, cell: Cell) -> Any:
        """Return the Arrow schema of a cell's rows; names and types are the same in every cell."""
        study, fields = self._study, []
        for column in self.columns:
            kind: Any = pa.float64() if column.scale != 1 else pa.type_for_alias(self._dtypes[column.name])
            kind = pa.dictionary(pa.int32(), pa.string()) if column.name in self._labelled else kind
            kind = pa.bool_() if column.levels is YES_NO else kind
            levels = json.dumps(names) if (names := self._names(column, cell)) else ""
            metadata = {"description": column.text, "unit": column.unit, "levels": levels}
            told = {key: value for key, value in metadata.items() if value}
            fields.append(pa.field(column.name, kind, nullable=False, metadata=told))
        every = np.lcm(self._every, max(self.table.sampled, 1))
        about: dict[str, Any] = {
            "table": self.table.name, "description": self.table.text, "game": study.game, "seed": study.seed,
            "behaviour": study.behaviour, "strozzi-sim": version("strozzi-sim"), "players": cell.players,
            "variant": cell.variant, "lineup": cell.lineup, "deals": "all" if every == 1 else f"multiples of {every}",
            "share": 1 / every,
        }  # fmt: skip
        return pa.schema(fields, metadata={key: str(value) for key, value in about.items()})

    def batches(self, cell: Cell, store: Store) -> Iterator[Any]:
        """Yield the rows of a cell in order, as Arrow record batches."""
        schema, setting = self.schema(cell), cell.match.setting
        derived = {each.name: np.asarray(each.values(setting)) for each in self.columns if each.values is not None}
        for rows in chain.from_iterable(store.kept(cell, self.table)):
            wanted = rows.games["deal"] % self._every == 0
            if not wanted.all():
                chosen = wanted[rows.game]
                columns = {name: values[chosen] for name, values in rows.columns.items()}
                rows = rows._replace(game=rows.game[chosen], columns=columns)
            arrays = [self._array(column, cell, rows, derived) for column in self.columns]
            yield pa.record_batch(arrays, schema=schema)

    def write(self, cell: Cell, store: Store, file: IO[bytes]) -> None:
        """Write the file of a cell in constant memory."""
        from pyarrow import parquet

        schema = self.schema(cell)
        with parquet.ParquetWriter(file, schema, compression="zstd", use_dictionary=True) as writer:
            waiting, rows = [], 0
            for batch in self.batches(cell, store):
                waiting.append(batch)
                rows += len(batch)
                if rows >= GROUP:  # whole groups, whatever the sizes of chunks: the bytes depend on the rows alone
                    found = pa.Table.from_batches(waiting).combine_chunks()
                    whole = rows // GROUP * GROUP
                    writer.write_table(found.slice(0, whole), row_group_size=GROUP)
                    waiting, rows = found.slice(whole).to_batches(), rows - whole
            if rows:
                writer.write_table(pa.Table.from_batches(waiting).combine_chunks())

    def _names(self, column: Column, cell: Cell) -> list[str]:
        """Return the names of a column's levels in a cell; empty for a number without levels."""
        if column is _AGENT:
            return list(dict.fromkeys(cell.positions))
        levels = column.levels_in(cell.match.setting)
        return list(levels.names) if levels else []

    def _array(self, column: Column, cell: Cell, rows: KeptRows, derived: dict[str, Array]) -> Any:
        """Return the values of a column."""
        name = column.name
        if column in _ID:
            values = rows.games[name][rows.game]
        elif column in OUTCOMES:
            values = rows.games[name][rows.game, rows.columns["seat"]]
        elif column is _AGENT:
            names = self._names(column, cell)
            places = np.array([names.index(text) for text in cell.positions], np.int32)
            positions = rows.games["position"][rows.game, rows.columns["seat"]]
            return pa.DictionaryArray.from_arrays(places[positions], pa.array(names, pa.string()))
        elif column.derived_from:
            values = derived[name][tuple(rows.columns[base] for base in column.derived_from)]
        else:
            values = rows.columns[name]
        if column.levels is YES_NO:
            return pa.array(values.astype(np.bool_))
        if name in self._labelled:
            levels = column.levels_in(cell.match.setting)
            assert levels is not None, name
            numbers = levels.of(values).astype(np.int32)
            return pa.DictionaryArray.from_arrays(numbers, pa.array(levels.names, pa.string()))
        return pa.array(values / column.scale if column.scale != 1 else values.astype(self._dtypes[name]))


def _are_labels(column: Column, setting: GameConfig) -> bool:
    """Return whether the values of a column represent names rather than numbers."""
    levels: Levels | None = column.levels_in(setting)
    if levels is None or levels is YES_NO:
        return False
    if not levels.exact or column.scale != 1:
        return not all(name.lstrip("-<").rstrip("+").replace(".", "").isdigit() for name in levels.names)
    return any(name != str(start) for name, start in zip(levels.names, levels.starts, strict=True))


def _dtype(column: Column, settings: Any) -> str:
    """Return the smallest type that is not below the declared one and has room for what follows from other columns."""
    types = _DTYPES[("u1", "u2", "i4").index(column.dtype) :]
    if column.values is None:
        return types[0]
    found = [np.asarray(column.values(setting)) for setting in settings]
    low, high = min(int(values.min()) for values in found), max(int(values.max()) for values in found)
    return next(dtype for dtype in types if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max)


def _folder_name(value: str) -> str:
    """Return a value as the name of a folder: a long one is cut and hashed; the file holds it in full."""
    name = quote(value, safe=",")
    if len(name) <= _NAME_MOST:
        return name
    return f"{name[: _NAME_MOST - 20].rstrip('%')}~{hashlib.sha256(value.encode()).hexdigest()[:12]}"


def row_files(store: Store, study: Study) -> dict[str, Content]:
    """Return the files of the rows that the look keeps."""
    cells, found = [cell for cell in study.cells if not cell.without], dict[str, Content]()
    if store.look.rows:
        found |= {f"{GAMES}cell-{cell.number:04d}.parquet": partial(_write_games, store, cell) for cell in cells}
    for name in store.look.kept_in(study.the_game).tables:
        kept = KeptTable(study, store.look, name)
        found |= {kept.path(cell): partial(kept.write, cell, store) for cell in cells}
    return found


def rows_of(store: Store, study: Study) -> dict[str, pd.DataFrame]:
    """Return the rows that the look keeps as data frames, by fact table; "" has the rows of games and seats."""
    cells, frames = [cell for cell in study.cells if not cell.without], {}
    if store.look.rows:
        frames[""] = pa.concat_tables(table for cell in cells for table in _games(store, cell)).to_pandas()
    for name in store.look.kept_in(study.the_game).tables:
        kept = KeptTable(study, store.look, name)
        frames[name] = _frame([pa.Table.from_batches(kept.batches(cell, store), kept.schema(cell)) for cell in cells])
    return frames


def read_rows(folder: Path, files: list[str], table: str) -> pd.DataFrame:
    """Return the rows of a fact table in a results folder, or with "" those of games and seats, cell after cell."""
    from pyarrow import parquet

    prefix = f"{PART}{table}/" if table else GAMES
    names = [name for name in files if name.startswith(prefix)]
    names.sort(key=lambda name: int(Path(name).stem.partition("-")[2]))
    if not names:
        known = sorted({name.split("/")[1] for name in files if name.startswith(PART)})
        raise InputError(f"{folder}: {missing(table, known)}")
    try:
        found = []
        for name in names:
            with storage_errors(f"{folder / name}: cannot be read"):
                found.append(parquet.read_table(BytesIO((folder / name).read_bytes())))
        return _frame(found) if table else pa.concat_tables(found).to_pandas()
    except (pa.ArrowException, LookupError, ValueError):
        raise InputError(f"{folder / prefix}: the files are not as a run wrote them; run the study again") from None


def missing(table: str, known: Any) -> str:
    """Return what to do where no rows of a table are kept."""
    if not table:
        return "keeps no rows of games; a study does with `rows = true`"
    if not known:
        return f'keeps no rows of facts; add facts = ["{table}"] to the study and run it again'
    return f"keeps no rows of a fact table {short_repr(table)}; {suggest_names(table, known)}"


def _write_games(store: Store, cell: Cell, file: IO[bytes]) -> None:
    """Write the rows of games of a cell, chunk after chunk."""
    from pyarrow import parquet

    writer = None
    for table in _games(store, cell):
        writer = writer or parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _games(store: Store, cell: Cell) -> Iterator[Any]:
    """Yield one row per game and seat, a table for every chunk."""
    names = np.array(cell.positions)
    for rows in store.rows(cell):
        columns = {
            "players": np.full(len(rows), cell.players),
            "variant": np.full(len(rows), cell.variant),
            "lineup": np.full(len(rows), cell.lineup),
            **{name: rows[name] for name in ("deal", "seating", "seat", "position")},
            "agent": names[rows["position"]],
            "score": rows["score"],
            "place": rows["twice_place"] / 2,
            "decisions": rows["decisions"],
        }
        yield pa.table(columns)


def _frame(cells: list[Any]) -> pd.DataFrame:
    """Return the rows of cells as a data frame, with the keys in the names of folders as columns."""
    whole = []
    for cell in cells:
        players, *texts = (cell.schema.metadata[key.encode()].decode() for key in KEYS)
        rows = np.zeros(len(cell), np.int32)
        columns = [pa.array(rows.astype(np.uint8) + int(players))]
        columns += [pa.DictionaryArray.from_arrays(rows, pa.array([text])) for text in texts]
        for at, (key, column) in enumerate(zip(KEYS, columns, strict=True)):
            cell = cell.add_column(at, key, column)
        whole.append(cell)
    frame: pd.DataFrame = pa.concat_tables(whole).unify_dictionaries().to_pandas()
    return frame
