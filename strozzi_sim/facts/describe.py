"""Descriptions of a game's fact tables, for the command line and the documents."""

from collections.abc import Sequence
from typing import Any

from strozzi_sim.facts.columns import Column, GameConfig, Table

_MAX_LISTED = 8  # most names listed


def described_table(table: Table, setting: GameConfig) -> dict[str, Any]:
    """Return a fact table as plain data: name, text, sampled, on_request, and its columns (`described_column`)."""
    return {
        "name": table.name,
        "text": table.text,
        "sampled": table.sampled,
        "on_request": table.optional,
        "columns": [described_column(column, setting) for column in table.all_columns],
    }


def described_column(column: Column, setting: GameConfig) -> dict[str, Any]:
    """Return a column as plain data; `levels` are names of values or groups, None for a number without levels."""
    levels = column.levels_in(setting)
    names = list(levels.names) if levels else None
    return {
        "name": column.name,
        "text": column.text,
        "unit": column.unit,
        "levels": names,
        "values": _format_values(names, column.unit),
        "of": list(column.derived_from),
    }


def _format_values(names: list[str] | None, unit: str) -> str:
    """Format the values: a unit, a range of numbers, or a list of at most 8 names."""
    if names is None:
        return unit or "number"
    are_numbers = all(name.lstrip("-").rstrip("+").isdigit() for name in names)
    if len(names) > 2 and are_numbers and names[0].lstrip("-").isdigit():
        return f"{names[0]} to {names[-1]}" + (f" {unit}" if unit else "")
    return ", ".join(names if len(names) <= _MAX_LISTED else [*names[: _MAX_LISTED - 2], "...", names[-1]])


def page(title: str, name: str, tables: Sequence[dict[str, Any]]) -> str:
    """Format the fact tables of a game, from `described_table`, as a page of its documents (Markdown)."""
    lines = [
        f"# The facts of {title}\n",
        "The events counted in a game: one table per kind of event, one row per event. Custom heat maps are made of",
        f"these columns (see [facts.md](../facts.md)). This page is the output of `strozzi facts {name} --markdown`.",
        "Columns marked * are derived from others when tables are made.",
    ]
    for table in tables:
        notes = [f"of one deal in {table['sampled']}"] if table["sampled"] else []
        notes += ["only on request"] if table["on_request"] else []
        suffix = f" ({', '.join(notes)})" if notes else ""
        lines += ["", f"## {table['name']}", "", f"{table['text'][0].upper()}{table['text'][1:]}{suffix}.", ""]
        lines += ["| column | values | meaning |", "|---|---|---|"]
        for column in table["columns"]:
            star = "*" if column["of"] else ""
            lines.append(f"| `{column['name']}`{star} | {column['values']} | {column['text']} |".replace(">", "\\>"))
    return "\n".join(lines) + "\n"
