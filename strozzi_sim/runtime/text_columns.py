"""Text in aligned columns, for the terminal."""

from collections.abc import Sequence


def columns_of(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text in aligned columns."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
