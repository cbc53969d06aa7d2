"""Tables as text for a terminal."""

from typing import Any

from strozzi_sim.runtime.digits import rounded
from strozzi_sim.runtime.text_columns import columns_of

NUMBERS = ("value", "low", "high")
MOST_LINES = 60


def table_text(frame: Any) -> str:
    """Return a table for the terminal: the columns that vary, rounded, and at most 60 lines."""
    names = [name for name in frame.columns if name not in ("n", "deals")]
    kept = [name for name in names if name in ("figure", "value") or frame[name].nunique() > 1]
    lines = [[*kept, "n"]]
    for row in frame.head(MOST_LINES).to_dict("records"):
        value, low, high = (row[name] for name in NUMBERS)
        numbers = dict(
            zip(NUMBERS, rounded((value, low, high), (high - low) / 2, 4 if abs(value) < 10 else 2), strict=True)
        )
        lines.append([*(numbers.get(name, str(row[name])) for name in kept), f"{row['n']:,}"])
    more = f"\nand {len(frame) - MOST_LINES:,} more lines; --json has them" if len(frame) > MOST_LINES else ""
    return columns_of(lines) + more
