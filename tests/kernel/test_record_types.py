"""Fields of records: small in memory, int64 in hand."""

import numpy as np
import pytest
from numba import njit, types

from strozzi_sim.kernel.record_types import array_type, keep_words, record_type

INNER = np.dtype([("x", "u4"), ("y", "f8")], align=True)
FIELDS = [("a", "u1"), ("b", "u1", (6,)), ("grid", "i2", (2, 3)), ("inner", INNER, (3,))]
ROW = np.dtype([*FIELDS, ("wide", "i8"), ("word", "u8"), ("words", "u8", (2,))], align=True)


def ask(body, returns=types.int64):
    """What a function with this body gives for a row with a = 3 and b = 5 1 7 2 9 9; and the row after it."""
    lines = "\n    ".join(body.splitlines())
    names = {"np": np}
    exec(f"def asked(rows, row):\n    {lines}", names)
    rows = np.zeros(2, ROW)
    rows["a"], rows["b"], rows["grid"] = 3, (5, 1, 7, 2, 9, 9), ((-1, 2, -3), (4, -5, 6))
    rows["word"], rows["words"] = 4, (1 << 62, 2**64 - 1)
    return njit(returns(array_type(ROW), record_type(ROW)))(names["asked"])(rows, rows[0]), rows[0]


@pytest.mark.slow
def test_a_field_is_read_as_an_int64():
    """All in one function, since each is compiled."""
    values = {
        "row.b[1] - row.b[0]": -4,  # two uint8 would wrap around
        "row.a - 5": -2,
        "rows[0].b[1] - row.b[2] + row.wide": -6,  # a uint64 and an int64 would be a float
        "-row.a": -3,
        "row.grid[0, 2] * row.a": -9,
        "row.grid[1][1]": -5,
        "~row.a & 7": 4,
        "1 << row.a": 8,
        "row.b[row.a]": 2,
        "row.word - row.a": 1,  # a uint64 and an int64 would be a float
        "row.word & row.a | 1 << row.a": 8,
        "row.words[0] >> 62 & 1": 1,
        "row.words[row.a - 2]": -1,
        "min(row.b[0], row.a) + max(row.b[1], row.b[2])": 10,
        "abs(row.b[1] - row.b[4])": 8,
        "7 if row.a in (1, 2, row.b[3] + 1) else 8": 7,
        "row.inner[0].x or row.a": 3,
        "len(row.b) + row.b.shape[0]": 12,
        "row.b.max() - row.b[:3].sum()": -4,
        "max(row.b) - sum(row.b[:2])": 3,
        "sorted(row.b)[0] - [bit for bit in row.b][2]": -6,
        "np.argmax(row.b)": 4,
    }
    kinds = types.UniTuple(types.int64, len(values))
    found, _ = ask(f"return {', '.join(f'({expression})' for expression in values)}", kinds)
    assert dict(zip(values, found, strict=True)) == values


def test_floats_of_a_field():
    body = "total = 0.0\nfor coins in row.b[:2]:\n    total += float(coins)\nreturn total / row.a"
    assert ask(body, types.float64)[0] == 2.0


def test_writing_a_field_cuts_it_to_its_size():
    _, row = ask(
        "row.a -= 4\nrow.b[0] = -1\nrow.b[1] += 2\nrow.grid[0, 0] = row.a\nrow.inner[1].x = True\nrow.wide = -1\n"
        "row.word |= 1 << 63\nrow.words[1] -= 1\nreturn 0"
    )
    assert (row["a"], row["b"][0], row["b"][1], row["grid"][0, 0]) == (255, 255, 3, 255)
    assert (row["inner"][1]["x"], row["wide"]) == (1, -1)
    assert (int(row["word"]), int(row["words"][1])) == ((1 << 63) + 4, 2**64 - 2)


def test_random_words_stay_unsigned():
    dtype = keep_words(np.dtype([("word", "u8"), ("size", "u1")], align=True))
    rows = np.zeros(1, dtype)
    rows["word"], rows["size"] = 2**64 - 1, 2

    def half(row):
        return row.word >> np.uint64(63), row.size - 3

    assert njit(types.Tuple((types.uint64, types.int64))(record_type(dtype)))(half)(rows[0]) == (1, -1)


def test_signs_are_kept():
    assert ask("row.grid[1, 2] = row.grid[0, 0] - 1\nreturn row.grid[1, 2]")[0] == -2
