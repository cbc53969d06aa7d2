"""The rows of facts that a study keeps: written as a partitioned Parquet data set, and read again as data frames.

facts/<table>/players=4/variant=base/lineup=random/cell-0000.parquet, in the order of deals and seatings. Names of folders
are URL-encoded, as Hive has it, so that readers of Hive data sets find players, variant and line-up. The metadata
of every column describe it; `levels` are those of its cell.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from strozzi_sim.errors import InputError, StorageError, short_repr, suggest_names
from strozzi_sim.facts.columns import OUTCOMES, YES_NO, Array, Column, GameConfig, Levels
from strozzi_sim.facts.row_storage import KeptRows
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.studies.database import Content, read_files
from strozzi_sim.studies.folder import read_manifest, refuse_links_to
from strozzi_sim.studies.plan import Cell, Plan
from strozzi_sim.studies.store import MemoryStore, Store

if TYPE_CHECKING:
    import pandas as pd

GROUP = 2**16  # rows of a row group
PART = "facts/"
KEYS = ("players", "variant", "lineup")  # the columns that are folders
_NAME_MOST = 200  # characters of a folder's name; file systems allow 255 bytes
_DTYPES = ("uint8", "uint16", "int32")
_ID = (
    Column("deal", "number of the deal; together with the seating it is the game", dtype="i4"),
    Column("seating", "number of the seating of the deal", dtype="u2"),
)
_AGENT = Column("agent", "the agent at the seat")


class KeptTable:
    """Format of the rows of a fact table, the same in all cells of a plan.

    Args:
        plan: plan of the study.
        name: name of the table.
    """

    def __init__(self, plan: Plan, name: str) -> None:
        (self.table,) = (table for table in plan.game.fact_tables if table.name == name)
        self._plan = plan
        settings = {(cell.match.players, cell.match.variant.name): cell.match.setting for cell in plan.cells}.values()
        self.columns = [*_ID, *self.table.columns]
        for outcome in OUTCOMES if self.table.has_seat else ():
            self.columns += [outcome, _AGENT] if outcome.name == "position" else [outcome]
        names = [column.name for column in self.columns]
        assert len({*names, *KEYS}) == len(names) + len(KEYS), f"{name}: a column has the name of another"
        self._labelled = {
            column.name for column in self.columns if any(_are_labels(column, setting) for setting in settings)
        } | {_AGENT.name}
        self._dtypes = {column.name: _dtype(column, settings) for column in self.columns}

    def path(self, cell: Cell) -> str:
        """Return the file of a cell, within the results folder."""
        keys = (str(cell.match.players), cell.match.variant.name, cell.lineup)
        folders = "/".join(f"{key}={_folder_name(value)}" for key, value in zip(KEYS, keys, strict=True))
        return f"{PART}{self.table.name}/{folders}/cell-{cell.number:04d}.parquet"

    def schema(self, cell: Cell) -> Any:
        """Return the Arrow schema of a cell's rows; names and types are the same in every cell."""
        import pyarrow as pa

        match, plan, fields = cell.match, self._plan, []
        for column in self.columns:
            kind: Any = pa.float64() if column.scale != 1 else pa.type_for_alias(self._dtypes[column.name])
            kind = pa.dictionary(pa.int32(), pa.string()) if column.name in self._labelled else kind
            kind = pa.bool_() if column.levels is YES_NO else kind
            metadata = {"description": column.text, "unit": column.unit}
            names = self._names(column, cell)
            metadata |= {"levels": json.dumps(list(names))} if names else {}
            fields.append(
                pa.field(column.name, kind, nullable=False, metadata={k: v for k, v in metadata.items() if v})
            )
        every = np.lcm(plan.keep.every, max(self.table.sampled, 1))
        about: dict[str, Any] = {
            "table": self.table.name, "description": self.table.text, "game": plan.game.name, "seed": plan.seed,
            "behaviour": plan.game.behaviour, "strozzi-sim": version("strozzi-sim"), "players": match.players,
            "variant": match.variant.name, "lineup": cell.lineup, "deals": "all" if every == 1 else f"multiples of {every}",
            "share": 1 / every,
        }  # fmt: skip
        return pa.schema(fields, metadata={key: str(value) for key, value in about.items()})

    def batches(self, cell: Cell, store: MemoryStore) -> Iterator[Any]:
        """Yield the rows of a cell in order, as Arrow record batches."""
        import pyarrow as pa

        schema = self.schema(cell)
        derived = {
            column.name: np.asarray(column.values(cell.match.setting))
            for column in self.columns
            if column.values is not None
        }
        for chunk in range(self._plan.chunks):
            for rows in store.kept((cell.number, chunk), self.table):
                wanted = rows.games["deal"] % self._plan.keep.every == 0
                if not wanted.all():
                    chosen = wanted[rows.game]
                    columns = {name: values[chosen] for name, values in rows.columns.items()}
                    rows = rows._replace(game=rows.game[chosen], columns=columns)
                arrays = [self._array(column, cell, rows, derived) for column in self.columns]
                yield pa.record_batch(arrays, schema=schema)

    def write(self, cell: Cell, store: MemoryStore, file: IO[bytes]) -> None:
        """Write the file of a cell in constant memory."""
        import pyarrow as pa
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

    def _names(self, column: Column, cell: Cell) -> tuple[str, ...]:
        """Return the names of a column's levels in a cell; empty for a number without levels."""
        if column is _AGENT:
            return tuple(dict.fromkeys(spec.text for spec in cell.match.positions))
        levels = column.levels_in(cell.match.setting)
        return levels.names if levels else ()

    def _array(self, column: Column, cell: Cell, rows: KeptRows, derived: dict[str, Array]) -> Any:
        """Return the values of a column."""
        import pyarrow as pa

        name = column.name
        if column in _ID:
            values = rows.games[name][rows.game]
        elif column in OUTCOMES:
            values = rows.games[name][rows.game, rows.columns["seat"]]
        elif column is _AGENT:
            names = self._names(column, cell)
            places = np.array([names.index(spec.text) for spec in cell.match.positions], np.int32)
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
            return pa.DictionaryArray.from_arrays(
                levels.of(values).astype(np.int32), pa.array(levels.names, pa.string())
            )
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
    """The smallest type that is not below the declared one and has room for what follows from other columns."""
    declared = ("u1", "u2", "i4").index(column.dtype)
    if column.values is None:
        return _DTYPES[declared]
    found = [np.asarray(column.values(setting)) for setting in settings]
    low, high = min(int(values.min()) for values in found), max(int(values.max()) for values in found)
    fits = (np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max for dtype in _DTYPES)
    return next(
        dtype for number, (dtype, fit) in enumerate(zip(_DTYPES, fits, strict=True)) if fit and number >= declared
    )


def _folder_name(value: str) -> str:
    """Return a value as the name of a folder: a long one is cut and hashed; the file holds it in full."""
    name = quote(value, safe=",")
    if len(name) <= _NAME_MOST:
        return name
    return f"{name[: _NAME_MOST - 20].rstrip('%')}~{hashlib.sha256(value.encode()).hexdigest()[:12]}"


def write_facts(plan: Plan, store: Store) -> None:
    """Write the rows that the plan keeps, and remove all other files of rows."""
    contents: dict[str, Content] = {}
    for name in plan.keep.tables:
        kept = KeptTable(plan, name)
        contents |= {kept.path(cell): partial(kept.write, cell, store) for cell in plan.lineup_cells}
    store.files.replace(contents, parts=(PART,))


def frames_of(plan: Plan, store: MemoryStore) -> "dict[str, pd.DataFrame]":
    """Return the rows that the plan keeps, by table, as data frames."""
    import pyarrow as pa

    frames = {}
    for name in plan.keep.tables:
        kept = KeptTable(plan, name)
        cells = [pa.Table.from_batches(kept.batches(cell, store), kept.schema(cell)) for cell in plan.lineup_cells]
        frames[name] = _frame(cells)
    return frames


def read_facts(folder: Path, table: str) -> "pd.DataFrame":
    """Return the rows of a fact table that a finished study keeps, cell after cell, in the order of deals and seatings.

    Raises:
        InputError: there are no results, the study is not finished, keeps no rows of that table, or a file is missing or
            damaged.
        StorageError: a file cannot be read.
    """
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no results of a study") from None
    if not manifest["finished"]:
        raise InputError(f"{folder}: the study is not finished; run it again to resume: {manifest['command']}")
    check_kept(table, manifest.get("kept", {}).get("tables", ()), str(folder))
    names = [name for name in read_files(folder).names if name.startswith(f"{PART}{table}/")]
    names.sort(key=lambda name: int(Path(name).stem.partition("-")[2]))
    tables = [read_table(folder, name) for name in names]
    with damage(f"{folder / PART / table}"):
        return _frame(tables)


@contextmanager
def damage(where: str) -> Iterator[None]:
    """Inside the block, Parquet files of a folder are put together; what cannot be is refused.

    Raises:
        InputError: the files do not fit each other, or lack what a run notes in them; names `where`.
    """
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, ValueError, LookupError, TypeError):
        raise InputError(f"{where}: the files are not as a run wrote them; run the study again") from None


def read_table(folder: Path, name: str) -> Any:
    """Return the Parquet file `name` of a results folder as an Arrow table.

    Raises:
        InputError: it is missing or damaged.
        StorageError: it cannot be read, or is a link.
    """
    import pyarrow as pa
    from pyarrow import parquet

    path = folder / name
    refuse_links_to(folder, name)
    try:
        with storage_errors(f"{path}: cannot be read"), path.open("rb") as file:
            return parquet.read_table(file)
    except pa.ArrowInvalid:
        raise InputError(f"{path}: is damaged; remove it and run the study again") from None
    except StorageError:
        if path.exists():
            raise
        raise InputError(f"{path}: is missing; run the study again") from None


def check_kept(table: str, kept: Any, place: str) -> None:
    """Refuse a table of which no rows are kept.

    Raises:
        InputError: names those of which some are.
    """
    if not kept:
        raise InputError(f'{place}: keeps no rows of facts; add facts = ["{table}"] to the study and run it again')
    if table not in kept:
        raise InputError(f"{place}: keeps no rows of a fact table {short_repr(table)}; {suggest_names(table, kept)}")


def _frame(cells: list[Any]) -> "pd.DataFrame":
    """Return the rows of cells as a data frame, with the keys in the names of folders as columns."""
    import pyarrow as pa

    whole = []
    for cell in cells:
        about = cell.schema.metadata
        rows = np.zeros(len(cell), np.int32)
        for at, key in enumerate(KEYS):
            value = about[key.encode()].decode()
            column = (
                pa.array(rows.astype(np.uint8) + int(value))
                if key == "players"
                else pa.DictionaryArray.from_arrays(rows, pa.array([value]))
            )
            cell = cell.add_column(at, key, column)
        whole.append(cell)
    frame: pd.DataFrame = pa.concat_tables(whole).unify_dictionaries().to_pandas()
    return frame
