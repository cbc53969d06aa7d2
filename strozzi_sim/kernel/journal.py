"""The journal: what happened in a game, as rows of fixed width. Tallies, tables, records and tests all read it.

A kernel is handed a journal record or None; None compiles to nothing, so search pays nothing.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

_I64, _I32, _BYTES = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()

WIDTH = 6  # numbers in a row: the kind of event, then what the game's events.py says


def journal_dtype(rows: int) -> Any:
    """The dtype of a journal that holds up to `rows` events.

    count : number of rows written
    rows  : int32[rows, WIDTH]
    """
    return np.dtype([("count", "i8"), ("rows", "i4", (rows, WIDTH))], align=True)


@intrinsic
def write(typingctx: Any, journal: Any, kind: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    """Append one event: its kind and five numbers, of any integer type.

    An intrinsic, since numba would compile a function again for every combination of literals it is called with.
    """

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(journal, types.Record):
            start = builder.bitcast(args[0], _BYTES)
            count = builder.bitcast(builder.gep(start, [_I64(journal.offset("count"))]), _I64.as_pointer())
            row = builder.load(count)
            place = builder.add(_I64(journal.offset("rows")), builder.mul(row, _I64(4 * WIDTH)))
            cell = builder.bitcast(builder.gep(start, [place]), _I32.as_pointer())
            for k, number in enumerate(args[1:]):
                builder.store(builder.trunc(number, _I32), builder.gep(cell, [_I64(k)]))
            builder.store(builder.add(row, _I64(1)), count)
        return context.get_dummy_value()

    return types.void(journal, *[types.int64] * 6), build
