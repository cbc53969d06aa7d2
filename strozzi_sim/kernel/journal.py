"""The journal: the events of a game, as rows of fixed width. Records, replays and tests read it.

The type of the `sink` of `write_event` selects its effect at compile time: None compiles to nothing, so that search has
no cost; a journal stores the event; a sink of facts calls the game's fact handlers. An event beyond the capacity of a
journal is counted but not stored, so a journal must be read with `events_in`.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from strozzi_sim.errors import InputError

_I64, _I32, _BYTES = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()

WIDTH = 6  # numbers in a row: the kind of event, then five numbers defined in the game's events.py


def journal_dtype(rows: int) -> np.dtype[Any]:
    """Return the dtype of a journal of up to `rows` events.

    count : number of events, including those not stored
    rows  : int32[rows, WIDTH]
    """
    return np.dtype([("count", "i8"), ("rows", "i4", (rows, WIDTH))], align=True)


class JournalFull(InputError):
    """A game that wrote more events than its journal has room for; `message` is without the game's name."""

    def __init__(self, game: str, events: int, capacity: int) -> None:
        room = f"JOURNAL_ROWS has room for {capacity:,}; make it at least {events:,}"
        self.message = f"a game wrote {events:,} events; {room}"
        super().__init__(f"{game}: journal: {self.message}")


def events_in(journal: np.ndarray[Any, Any], game: str) -> np.ndarray[Any, Any]:
    """Return the events of a journal, an array of shape (1,), as int32[events, WIDTH]; `game`: its game's name."""
    events, rows = int(journal["count"][0]), journal["rows"][0]
    if events > len(rows):
        raise JournalFull(game, events, len(rows))
    stored: np.ndarray[Any, Any] = rows[:events].copy()
    return stored


def write_event(sink, kind, a, b, c, d, e):
    """Write an event: its kind and five numbers. A verb of compiled code."""
    raise TypeError("write_event is a verb of compiled code; call it from a kernel")


@overload(write_event, strict=False, jit_options={"forceinline": True})
def _write(sink: Any, kind: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    if isinstance(sink, types.NoneType):
        return lambda sink, kind, a, b, c, d, e: None
    if isinstance(sink, types.Record) and list(sink.fields) == ["count", "rows"]:
        return lambda sink, kind, a, b, c, d, e: _append(sink, kind, a, b, c, d, e)
    return None


@intrinsic
def _append(typingctx: Any, journal: Any, kind: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    """Append one event, or only count it if the journal is full."""
    capacity = journal.typeof("rows").shape[0]

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start = builder.bitcast(args[0], _BYTES)
        count = builder.bitcast(builder.gep(start, [_I64(journal.offset("count"))]), _I64.as_pointer())
        row = builder.load(count)
        with builder.if_then(builder.icmp_unsigned("<", row, _I64(capacity)), likely=True):
            offset = builder.add(_I64(journal.offset("rows")), builder.mul(row, _I64(4 * WIDTH)))
            cell = builder.bitcast(builder.gep(start, [offset]), _I32.as_pointer())
            for k, number in enumerate(args[1:]):
                builder.store(builder.trunc(number, _I32), builder.gep(cell, [_I64(k)]))
        builder.store(builder.add(row, _I64(1)), count)
        return context.get_dummy_value()

    return types.void(journal, *[types.int64] * 6), build
