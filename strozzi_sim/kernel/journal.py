"""The journal: what happened in a game, as rows of fixed width. Tallies, tables, records and tests all read it.

A kernel is handed a journal record or None; None compiles to nothing, so search pays nothing.
"""

from typing import Any

import numpy as np
from numba import int64, uint64

from strozzi_sim.kernel.jit import inlined

WIDTH = 6  # numbers in a row: the kind of event, then what the game's events.py says


def journal_dtype(rows: int) -> Any:
    """The dtype of a journal that holds up to `rows` events.

    count : number of rows written
    rows  : int32[rows, WIDTH]
    """
    return np.dtype([("count", "u8"), ("rows", "i4", (rows, WIDTH))], align=True)


@inlined
def write(journal, kind, a, b, c, d, e):
    """Append one event: its kind and five numbers."""
    if journal is not None:
        row = int64(journal.count)
        journal.rows[row, 0] = kind
        journal.rows[row, 1] = a
        journal.rows[row, 2] = b
        journal.rows[row, 3] = c
        journal.rows[row, 4] = d
        journal.rows[row, 5] = e
        journal.count = uint64(row + 1)
