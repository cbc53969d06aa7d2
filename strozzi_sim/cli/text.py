"""Tables as text for a terminal: a title, at most eight columns, units, and every figure with its interval."""

from collections.abc import Mapping, Sequence
from typing import Any

from strozzi_sim.runtime.digits import rounded

NUMBERS = ("value", "low", "high")
MOST_COLUMNS, MOST_LINES, FEW = 8, 12, 3
_SHARES = ("popularity", "seat_gap", "seat_gap_by_chance", "seat_favour_bound", "gives_away")  # of other names
_BESIDE = ("figure", *NUMBERS, "n", "deals")
_TOLD = ("before", "p", "p_corrected", "size", "verdict", "variant", "than")  # of a difference, beside what it is of


def table_text(name: str, frame: Any, most: int = MOST_LINES) -> str:
    """Return a table for the terminal, with what all lines have in common in its title.

    A table of figures has a column for each figure, or with few things a line for each; a heat map is a grid.

    Args:
        name: name of the table.
        frame: the table.
        most: most lines.
    """
    keys = [key for key in frame.columns if key not in _BESIDE]
    vary = [key for key in keys if frame[key].astype(str).nunique() > 1]
    vary = [key for key in vary if key != "lineup" or not {"agent", "position"} & set(vary)]  # which tell it
    same = [_in_common(key, frame[key].iloc[0]) for key in keys if key not in vary]
    title = ", ".join(word for word in (name.replace("_", " "), *same) if word)
    if not set(_BESIDE[:4]) <= set(frame.columns):
        lines = [[key.replace("_", " ") for key in frame.columns][:MOST_COLUMNS]]
        lines += [[plain(cell) for cell in row][:MOST_COLUMNS] for row in frame.itertuples(index=False)]
    elif "verdict" in keys:
        lines = _changes(frame, [key for key in vary if key not in _TOLD])
    elif {"row", "column"} <= set(keys):
        return "\n\n".join([title, *_grids(frame)])
    else:
        lines = _figures(frame, vary, most)
    left = len(lines) - 1 - most
    return f"{title}\n{columns_of(lines[: most + 1])}" + (f"\nand {left:,} more lines: --tables" if left > 0 else "")


def columns_of(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text in aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _in_common(key: str, value: Any) -> str:
    """Return what all lines of a table share, in words."""
    return _head(key, value) if key == "players" or (isinstance(value, str) and value not in ("base", "all")) else ""


def _head(key: str, value: Any) -> str:
    """Return a value of a key in words: `3 players`, `seat 0`, `random`."""
    if isinstance(value, bool):
        return key if value else f"not {key}"
    return f"{value} players" if key == "players" else str(value) if isinstance(value, str) else f"{key} {plain(value)}"


def _figures(frame: Any, vary: Sequence[str], most: int) -> list[list[str]]:
    """Return the lines of a table of figures, the first of them its heading."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in frame.to_dict("records"):
        found.setdefault(tuple(row[key] for key in vary), {})[row["figure"]] = row
    figures = list(dict.fromkeys(frame["figure"]))
    if len(found) <= FEW and len(figures) > len(found):
        heads = [", ".join(map(_head, vary, key)) or "value" for key in found]
        lines = [["figure", *heads, "n"]]
        for figure in figures:
            cells = [rows.get(figure) for rows in found.values()]
            count = max((row["n"] for row in cells if row), default=0)
            lines.append([figure.replace("_", " "), *map(estimate, cells), f"{count:,}"])
        return lines
    shown = figures[: max(MOST_COLUMNS - 1 - len(vary), 1)]
    lines = [[*vary, *(figure.replace("_", " ") for figure in shown), "n"]]
    for key, rows in found.items():
        count = max(row["n"] for row in rows.values())
        lines.append([*map(plain, key), *(estimate(rows.get(figure)) for figure in shown), f"{count:,}"])
    return lines


def _changes(frame: Any, vary: Sequence[str]) -> list[list[str]]:
    """Return a line for each difference, the surest first, after their heading."""
    lines = [[*vary, "figure", "before", "change", "verdict", "n"]]
    for row in frame.sort_values("p", kind="stable").to_dict("records"):
        keys = [*(plain(row[key]) for key in vary), row["figure"].replace("_", " ")]
        lines.append([*keys, plain(row["before"]), estimate(row), row["verdict"], f"{row['n']:,}"])
    return lines


def _grids(frame: Any) -> list[str]:
    """Return heat maps, one for each player count, variant and line-up, with half-widths of the intervals."""
    blocks = []
    for (players, variant, lineup), rows in frame.groupby(["players", "variant", "lineup"], sort=False):
        rows = rows.dropna(subset="value")
        sides, tops = list(dict.fromkeys(rows["row"])), list(dict.fromkeys(rows["column"]))
        tops.sort(key=list(dict.fromkeys(frame["column"])).index)
        cells = {(row.row, row.column): _cell(row) for row in rows.itertuples(index=False)}
        lines = [["", *tops], *([side, *(cells.get((side, top), "") for top in tops)] for side in sides)]
        shown = columns_of(lines) if sides else "no cell has 30 facts: play more deals"
        blocks.append(f"{players} players, variant {variant}, {lineup}\n{shown}")
    return blocks


def _cell(row: Any) -> str:
    half = max(row.high - row.value, row.value - row.low)
    shown, width = rounded((row.value, half), half, 3)
    return shown if row.low != row.low else f"{shown} ±{width}"


def estimate(row: Mapping[str, Any] | None) -> str:
    """Return a figure and its interval, a share in per cent: `25.1 % (23.0 to 27.2)`; "-" without a value."""
    if row is None or row["value"] != row["value"]:
        return "-"
    share = "share" in row["figure"] or row["figure"] in _SHARES
    value, low, high = ((100 if share else 1) * row[name] for name in NUMBERS)
    shown, *ends = rounded((value, low, high), (high - low) / 2, 1 if share or abs(value) >= 20 else 3)
    return f"{shown}{' %' if share else ''}" + (f" ({ends[0]} to {ends[1]})" if low == low else "")


def plain(value: Any) -> str:
    """Return a cell without an interval."""
    if isinstance(value, float):
        return "" if value != value else f"{value:.3g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)
