"""The rows that a study keeps, of games and seats and of facts, as partitioned Parquet data sets and data frames.

facts/<table>/4-players,base,random/cell-0000.parquet, in the order of deals and seatings. Players, variant and line-up
are columns of every file: a reader that took them from names of folders would guess their types, and read variant 007
as the number 7. games/cell-0000.parquet has a row for every game and seat.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
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
from strozzi_sim.study.store import Store

GROUP = 2**16  # rows of a row group
PART, GAMES = "facts/", "games/"  # folders of the rows of facts, and of games and seats
KEYS = ("players", "variant", "lineup")  # the first columns, the same in all rows of a file
_NAME_MOST = 200  # characters of a folder's name; file systems allow 255 bytes
_INTEGERS = {"u1": pa.uint8(), "u2": pa.uint16(), "i4": pa.int32()}
_ID = (
    Column("deal", "number of the deal; together with the seating it is the game", dtype="i4"),
    Column("seating", "number of the seating of the deal", dtype="u2"),
)
_AGENT = Column("agent", "the agent at the seat")
_LABELS = pa.dictionary(pa.int32(), pa.string())


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
        self._types = {column.name: _type(column, settings) for column in self.columns}

    def path(self, cell: Cell) -> str:
        """Return the file of a cell, within the results folder."""
        folder = _folder_name(f"{cell.players}-players,{cell.variant},{cell.lineup}")
        return f"{PART}{self.table.name}/{folder}/cell-{cell.number:04d}.parquet"

    def schema(self, cell: Cell) -> Any:
        """Return the Arrow schema of a cell's rows; names and types are the same in every cell."""
        study, descriptions = self._study, ("player count", "variant of the components", "the agents by position")
        fields = [
            pa.field(key, kind, nullable=False, metadata={"description": description})
            for key, kind, description in zip(KEYS, (pa.uint8(), _LABELS, _LABELS), descriptions, strict=True)
        ]
        for column in self.columns:
            levels = json.dumps(names) if (names := self._names(column, cell)) else ""
            metadata = {"description": column.text, "unit": column.unit, "levels": levels}
            filled = {key: value for key, value in metadata.items() if value}
            fields.append(pa.field(column.name, self._types[column.name], nullable=False, metadata=filled))
        every = np.lcm(self._every, max(self.table.sampled, 1))
        properties: dict[str, Any] = {"table": self.table.name, "description": self.table.text}
        properties |= {key: getattr(study, key) for key in ("game", "seed", "behaviour")}
        properties |= {"strozzi-sim": version("strozzi-sim"), **{key: getattr(cell, key) for key in KEYS}}
        properties |= {"deals": "all" if every == 1 else f"multiples of {every}", "share": 1 / every}
        return pa.schema(fields, metadata={key: str(value) for key, value in properties.items()})

    def rows(self, cell: Cell, store: Store) -> Iterator[Any]:
        """Yield the rows of a cell in order, as Arrow tables; the first one is empty."""
        schema, setting = self.schema(cell), cell.match.setting
        yield schema.empty_table()
        derived = {each.name: np.asarray(each.values(setting)) for each in self.columns if each.values is not None}
        for rows in chain.from_iterable(store.kept(cell, self.table, range(self._study.chunks))):
            selected = rows.games["deal"] % self._every == 0
            if not selected.all():
                chosen = selected[rows.game]
                columns = {name: values[chosen] for name, values in rows.columns.items()}
                rows = rows._replace(game=rows.game[chosen], columns=columns)
            keys = [_repeated(getattr(cell, key), len(rows.game)) for key in KEYS]
            yield pa.table(
                [*keys, *(self._array(column, cell, rows, derived) for column in self.columns)], schema=schema
            )

    def _names(self, column: Column, cell: Cell) -> list[str]:
        """Return the names of a column's levels in a cell; empty for a number without levels."""
        if column is _AGENT:
            return list(dict.fromkeys(cell.positions))
        levels = column.levels_in(cell.match.setting)
        return list(levels.names) if levels else []

    def _array(self, column: Column, cell: Cell, rows: KeptRows, derived: dict[str, Array]) -> Any:
        """Return a column of these kept rows as an Arrow array; `derived` has the values of derived columns."""
        name = column.name
        if column in _ID:
            values = rows.games[name][rows.game]
        elif column in OUTCOMES or column is _AGENT:
            outcome = rows.games["position" if column is _AGENT else name]
            values = outcome[rows.game, rows.columns["seat"]]
        elif column.derived_from:
            sizes = derived[name].shape  # larger values count as the largest, as in crosstabs
            bases = zip(column.derived_from, sizes, strict=True)
            values = derived[name][tuple(np.minimum(rows.columns[base], size - 1) for base, size in bases)]
        else:
            values = rows.columns[name]
        if self._types[name] == _LABELS:
            names, levels = self._names(column, cell), column.levels_in(cell.match.setting)
            if levels is None:  # agents, by position
                values = np.array([names.index(agent) for agent in cell.positions])[values]
            else:
                values = levels.of(values)
            return pa.DictionaryArray.from_arrays(values.astype(np.int32), pa.array(names, pa.string()))
        return pa.array(values / column.scale if column.scale != 1 else values).cast(self._types[name])


def _repeated(value: Any, times: int) -> Any:
    if isinstance(value, int):
        return pa.array(np.full(times, value, np.uint8))
    return pa.DictionaryArray.from_arrays(np.zeros(times, np.int32), pa.array([value], pa.string()))


def _are_labels(column: Column, setting: GameConfig) -> bool:
    levels: Levels | None = column.levels_in(setting)
    if levels is None or levels is YES_NO:
        return False
    if not levels.exact or column.scale != 1:
        return not levels.are_numbers
    return any(name != str(start) for name, start in zip(levels.names, levels.starts, strict=True))


def _type(column: Column, settings: Any) -> Any:
    """Return the Arrow type of a column, the same in all settings; an integer type also fits derived values."""
    if column.levels is YES_NO:
        return pa.bool_()
    if column is _AGENT or any(_are_labels(column, setting) for setting in settings):
        return _LABELS
    if column.scale != 1:
        return pa.float64()
    values = [np.asarray(column.values(setting)) for setting in settings] if column.values is not None else []
    low, high = min((array.min() for array in values), default=0), max((array.max() for array in values), default=0)
    sizes = list(_INTEGERS)[list(_INTEGERS).index(column.dtype) :]
    return _INTEGERS[next(size for size in sizes if np.iinfo(size).min <= low and high <= np.iinfo(size).max)]


def _folder_name(value: str) -> str:
    name = re.sub(r"\.\Z", "%2E", quote(value, safe=","))  # Windows drops a point at the end
    if len(name) <= _NAME_MOST:
        return name
    return f"{name[: _NAME_MOST - 20].rstrip('%')}~{hashlib.sha256(value.encode()).hexdigest()[:12]}"


def row_files(store: Store, study: Study) -> dict[str, Callable[[IO[bytes]], None]]:
    """Return the files of the kept rows of unrestricted cells: name -> function to call once, which writes the file."""
    cells, tables_by_file = [cell for cell in study.cells if not cell.without], dict[str, Iterator[Any]]()
    if store.look.rows:
        tables_by_file |= {f"{GAMES}cell-{cell.number:04d}.parquet": _games(store, study, cell) for cell in cells}
    for name in store.look.kept_in(study.the_game).tables:
        kept = KeptTable(study, store.look, name)
        tables_by_file |= {kept.path(cell): kept.rows(cell, store) for cell in cells}
    return {name: partial(_write, tables) for name, tables in tables_by_file.items()}


def read_rows(names: Iterable[str], read: Callable[[str], bytes], table: str, whose: str) -> pd.DataFrame:
    """Return the rows of a fact table, or with "" those of games and seats, cell after cell.

    `read` returns the content of a file of `names`. Errors begin with `whose`, the owner of the rows.
    """
    from pyarrow import parquet

    names, prefix = list(names), f"{PART}{table}/" if table else GAMES
    if not (of_table := [name for name in names if name.startswith(prefix)]):
        tables = sorted({name.split("/")[1] for name in names if name.startswith(PART)})
        if not table:
            raise InputError(f"{whose} keeps no rows of games; a study does with `rows = true`")
        advice = suggest_names(table, tables) if tables else f'add facts = ["{table}"] to the study and run it again'
        raise InputError(f"{whose} keeps no rows of a fact table {short_repr(table)}; {advice}")
    try:
        of_table.sort(key=lambda name: int(Path(name).stem.partition("-")[2]))
        parts = []
        for name in of_table:
            with storage_errors(f"{whose} {name}: cannot be read"):
                parts.append(parquet.read_table(BytesIO(read(name))))
        joined = pa.concat_tables(parts)
        frame: pd.DataFrame = (joined.unify_dictionaries() if table else joined).to_pandas()
        return frame
    except (pa.ArrowException, LookupError, ValueError):
        raise InputError(f"{whose} {prefix[:-1]}: the files are not as a run wrote them; run the study again") from None


def _write(tables: Iterator[Any], file: IO[bytes]) -> None:
    """Write Arrow tables as one Parquet file, in constant memory; its bytes do not depend on the tables' sizes."""
    from pyarrow import parquet

    pending = [next(tables)]
    rows = len(pending[0])
    with parquet.ParquetWriter(file, pending[0].schema, compression="zstd") as writer:
        for table in tables:
            pending.append(table)
            rows += len(table)
            if rows >= GROUP:  # only whole groups are written
                joined, full_rows = pa.concat_tables(pending).combine_chunks(), rows // GROUP * GROUP
                writer.write_table(joined.slice(0, full_rows), row_group_size=GROUP)
                pending, rows = [joined.slice(full_rows)], rows - full_rows
        if rows:
            writer.write_table(pa.concat_tables(pending).combine_chunks(), row_group_size=GROUP)


def _games(store: Store, study: Study, cell: Cell) -> Iterator[Any]:
    names = np.array(cell.positions)
    for rows in store.rows(cell, range(study.chunks)):
        keys = {key: np.full(len(rows), getattr(cell, key)) for key in KEYS}
        columns = {name: rows[name] for name in ("deal", "seating", "seat", "position")}
        results = {"score": rows["score"], "place": rows["twice_place"] / 2, "decisions": rows["decisions"]}
        yield pa.table({**keys, **columns, "agent": names[rows["position"]], **results})
