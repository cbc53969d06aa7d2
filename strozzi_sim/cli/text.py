"""Tables as text for a terminal."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.runtime.digits import rounded
from strozzi_sim.runtime.text_columns import columns_of

NUMBERS = ("value", "low", "high")
MOST_LINES, MOST_COLUMNS = 60, 8
LAST = "n"  # the last column
LEFT_OUT = (LAST, "deals")


def table_text(frame: Any) -> str:
    """Return a table for the terminal: the columns that vary, rounded, at most eight columns and sixty lines."""
    vary = [name for name in frame.columns if name not in LEFT_OUT and (frame[name].nunique() > 1 or len(frame) == 1)]
    kept = [name for name in frame.columns if name in ("figure", "value") or name in vary][: MOST_COLUMNS - 1]
    kept += [LAST] if LAST in frame else []
    lines = [kept, *(_line(row, kept) for row in frame.head(MOST_LINES).to_dict("records"))]
    more = f"\nand {len(frame) - MOST_LINES:,} more lines; --json has them" if len(frame) > MOST_LINES else ""
    return columns_of(lines) + more


def _line(row: Mapping[str, Any], kept: list[str]) -> list[str]:
    """Return the cells of a row: a value and its interval with the digits that the interval allows."""
    known: dict[str, str] = {}
    if set(NUMBERS) <= row.keys():
        value, low, high = (row[name] for name in NUMBERS)
        known = dict(
            zip(NUMBERS, rounded((value, low, high), (high - low) / 2, 4 if abs(value) < 10 else 2), strict=True)
        )
    return [known[name] if name in known else _cell(row[name]) for name in kept]


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.3g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)
