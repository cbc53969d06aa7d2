"""The sink: the record into which a game's handlers write facts, a few games at a time.

Fields of every table in the record:
    <table>_rows            rows written so far (unsigned: numba indexes faster with it)
    <table>_ends            [game] rows written by the end of the game
    <table>_<column>        one array per written column
If rows are about a seat, they have OUTCOMES as well; those that a crosstab needs are filled in when rows are counted.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.facts.columns import OUTCOMES, GameConfig, Table
from strozzi_sim.kernel.jit import force_inline, generated

GAMES = 64  # most games between two counts
SEATS = 6  # most seats of any game


def sink_dtype(tables: Sequence[Table], notes: Sequence[tuple[Any, ...]] = ()) -> np.dtype[Any]:
    """Return the dtype of a sink; `notes` are further fields, for the game's handlers."""
    fields: list[tuple[Any, ...]] = [
        ("games", "i8"),  # number of games in the sink
        ("batch", "i8"),  # number of games after which rows are counted
        ("taker", "i8"),  # address of a function that copies rows before they are discarded (RowRecorder), or 0
        ("asked", "i8"),  # bit set of the tables (by number) that are counted or kept
        ("deal", "i8", (GAMES,)),
        ("seating", "i4", (GAMES,)),
        *((f"of_seat_{column.name}", column.dtype, (GAMES, SEATS)) for column in OUTCOMES),  # result of each seat
    ]
    for table in tables:
        fields += [(f"{table.name}_rows", "u4"), (f"{table.name}_ends", "u4", (GAMES,))]
        outcomes = OUTCOMES if table.has_seat else ()
        for column in (*table.written, *outcomes):
            fields.append((f"{table.name}_{column.name}", column.dtype, (table.rows,)))
    return np.dtype([*fields, *notes], align=True)


def batch_for(tables: Sequence[Table], setting: GameConfig, asked: int = -1) -> int:
    """Return the number of games that always fit into a sink; `asked`: as in the sink, default: all tables.

    Raises InputError if a table has no room for the rows of one game.
    """
    written = [table for number, table in enumerate(tables) if asked >> number & 1 or not table.optional]
    for table in written:
        if (most := table.max_rows(setting)) > table.rows:
            message = f"table {table.name}: up to {most:,} rows per game, but rows={table.rows}; give it rows={most}"
            raise InputError(message)
    return min([GAMES, *(table.rows // table.max_rows(setting) for table in written)])


def row_writer(
    table: Table,
    *,
    zero: Sequence[str] = (),
    later: Sequence[str] = (),
    copied: Table | None = None,
    append: bool = True,
) -> Any:
    """Return a kernel that writes a row of a table and returns its number: `add(facts, seat=..., prize=...)`.

    The kernel takes a value for every written column, except those in `zero`, `later` and `copied`.

    Args:
        table: the fact table.
        zero: columns that begin as 0.
        later: columns that a handler sets afterwards, as `facts.TABLE_COLUMN[row] = ...`.
        copied: another table; columns of the same name are copied from its row, whose number follows `facts`.
        append: whether to add a row; if False, write to an existing one, whose number precedes the values.
    """
    columns = [column.name for column in table.written]
    for name in (*zero, *later):
        if name not in columns:
            known = suggest_names(name, columns)
            raise InputError(f"row_writer of {table.name}: no written column {short_repr(name)}; {known}")
    shared = {column.name for column in copied.written}.intersection(columns) if copied else set()
    arguments = [name for name in columns if name not in {*zero, *later, *shared}]
    values = dict.fromkeys(zero, "0") | {name: name for name in arguments}
    values |= {name: f"facts.{copied.name}_{name}[copied_row]" for name in shared if copied}
    rows, name = f"facts.{table.name}_rows", f"write_{table.name}"
    first_arguments = ["facts", *(["copied_row"] if copied else []), *([] if append else ["row"])]
    body = [f"facts.{table.name}_{column}[row] = {values[column]}" for column in columns if column in values]
    if append:
        body = [f"row = {rows}", *body, f"{rows} = row + 1"]
    source = "\n    ".join([f"def {name}({', '.join([*first_arguments, *arguments])}):", *body, "return row"])
    return force_inline(generated(source, name))


def declared_rows(tables: Sequence[Table], each: str) -> tuple[list[str], dict[str, Any]]:
    """Return lines of source that write a row of each table with this `each`, and the kernels that they call, by name.

    The lines read `facts`, `state`, `rules`, `seat`, and for a decision `action` and `count_legal`.
    """
    lines, bound = list[str](), dict[str, Any]()
    for number, table in enumerate(tables):
        if table.each == each:
            kernels = {f"{table.name}_{column.name}": column.of for column in table.written if callable(column.of)}
            values = {column.name: column.of for column in table.written}
            values |= {name.removeprefix(f"{table.name}_"): f"{name}(state, rules, seat)" for name in kernels}
            lines.append(f"if facts.asked >> {number} & 1:" if table.optional else "if True:")
            lines.append(f"    add_{table.name}(facts, {', '.join(f'{name}={of}' for name, of in values.items())})")
            bound |= {**kernels, f"add_{table.name}": row_writer(table)}
    return lines, bound
