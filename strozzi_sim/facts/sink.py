"""The sink: the record into which a game's handlers write facts, a few games at a time.

Fields of every table in the record:
    <table>_rows            rows written so far (unsigned: numba indexes faster with it)
    <table>_ends            [game] rows written by the end of the game
    <table>_<column>        one array per column
Rows about a seat have OUTCOMES, which are filled in when the rows are counted.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from strozzi_sim.facts.columns import OUTCOMES, GameConfig, Table

GAMES = 64  # most games between two counts
SEATS = 6  # most seats of any game


def sink_dtype(tables: Sequence[Table], notes: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return the dtype of a sink.

    games  : number of games in the sink
    batch  : number of games after which rows are counted
    taker  : address of a function that copies rows before they are discarded, or 0
    asked  : bit set of the tables (by number) that are written
    deal, seating : [game] deal and seating of the game
    of_seat_* : [game, seat] result of each seat

    Args:
        tables: fact tables of the game.
        notes: custom fields of its handlers.
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


def batch_for(tables: Sequence[Table], setting: GameConfig, asked: int = -1) -> int:
    """Return the number of games that always fit into a sink; `asked`: as in the sink, default: all tables."""
    written = [table for number, table in enumerate(tables) if asked >> number & 1 or not table.on_request]
    return min(GAMES, *(table.rows // table.most(setting) for table in written))
