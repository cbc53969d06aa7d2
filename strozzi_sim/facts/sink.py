"""The sink: the record into which a game's handlers write facts, a few games at a time.

Every table has, in the record of its game,
    <table>_rows            rows written so far (unsigned: an index that cannot be negative costs numba less)
    <table>_ends            [game] how many there were when it was over
    <table>_<column>        one array a column
and rows about a seat have OUTCOMES, which are filled in when the rows are counted.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from strozzi_sim.facts.columns import OUTCOMES, Setting, Table

GAMES = 64  # between two counts, at most
SEATS = 6  # most seats of any game


def sink_dtype(tables: Sequence[Table], notes: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of a sink.

    games  : in the sink now
    batch  : after so many games rows are counted
    taker  : address of a function that takes rows before they are forgotten, or 0
    asked  : set of tables (by number) that are written at all
    deal, seating : [game] which game it was
    of_seat_* : [game, seat] how each seat fared
    count  : of rows and ends, see above

    Args:
        tables: of the game.
        notes: fields of its handlers' own.
    """
    fields: list[tuple[Any, ...]] = [
        ("games", "i8"), ("batch", "i8"), ("taker", "i8"), ("asked", "i8"), ("deal", "i8", (GAMES,)),
        ("seating", "i4", (GAMES,)),
    ]  # fmt: skip
    fields += [(f"of_seat_{column.name}", column.dtype, (GAMES, SEATS)) for column in OUTCOMES]
    for table in tables:
        fields += [(f"{table.name}_rows", "u4"), (f"{table.name}_ends", "u4", (GAMES,))]
        outcomes = OUTCOMES if table.has_seat else ()
        for column in (*table.written, *outcomes):
            fields.append((f"{table.name}_{column.name}", column.dtype, (table.rows,)))
    return np.dtype([*fields, *notes], align=True)


def batch_for(tables: Sequence[Table], setting: Setting, asked: int = -1) -> int:
    """How many games can be in a sink at once, whatever happens in them; `asked` as in the sink, by default all tables."""
    written = [table for number, table in enumerate(tables) if asked >> number & 1 or not table.on_request]
    return min(GAMES, *(table.rows // table.most(setting) for table in written))
