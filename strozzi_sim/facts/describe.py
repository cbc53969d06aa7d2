"""The fact tables of a game in words: for the command line, the documents, and the metadata of kept rows."""

from collections.abc import Sequence
from typing import Any

from strozzi_sim.facts.columns import Column, Setting, Table

_SHOWN = 8  # values that are listed


def described_table(table: Table, setting: Setting) -> dict[str, Any]:
    """A fact table as plain data: name, text, sampled, columns with name, text, unit, values, of."""
    return {
        "name": table.name,
        "text": table.text,
        "sampled": table.sampled,
        "on_request": table.on_request,
        "columns": [described_column(column, setting) for column in table.all_columns],
    }


def described_column(column: Column, setting: Setting) -> dict[str, Any]:
    """A column as plain data; `levels` are the names of its values, None if it is a number to add up."""
    levels = column.levels_in(setting)
    names = list(levels.names) if levels else None
    return {
        "name": column.name,
        "text": column.text,
        "unit": column.unit,
        "levels": names,
        "values": _in_words(names, column.unit),
        "of": list(column.of),
    }


def _in_words(names: list[str] | None, unit: str) -> str:
    """The values in a few words."""
    if names is None:
        return unit or "number"
    if (
        len(names) > 2
        and names[0].lstrip("-").isdigit()
        and all(name.lstrip("-").rstrip("+").isdigit() for name in names)
    ):
        return f"{names[0]} to {names[-1]}" + (f" {unit}" if unit else "")
    return ", ".join(names if len(names) <= _SHOWN else [*names[: _SHOWN - 2], "...", names[-1]])


def page(title: str, name: str, tables: Sequence[dict[str, Any]]) -> str:
    """The fact tables of a game as a page of its documents (Markdown), from what `described_table` gives."""
    lines = [
        f"# The facts of {title}", "",
        "What is counted of a game: a table for each kind of thing that happens, a row each time it does. Heat maps of your",
        f"own are made of these columns (see [facts.md](../facts.md)). This page is the output of `strozzi facts {name} --markdown`.",
        "Columns marked * follow from others; they are worked out when tables are made.",
    ]  # fmt: skip
    for table in tables:
        notes = [f"of one deal in {table['sampled']}"] if table["sampled"] else []
        notes += ["only if it is asked for"] if table["on_request"] else []
        lines += ["", f"## {table['name']}", "", f"{table['text'].capitalize()}{_noted(notes)}.", ""]
        lines += ["| column | values | meaning |", "|---|---|---|"]
        for column in table["columns"]:
            star = "*" if column["of"] else ""
            lines.append(f"| `{column['name']}`{star} | {column['values']} | {column['text']} |".replace(">", "\\>"))
    return "\n".join(lines) + "\n"


def _noted(notes: Sequence[str]) -> str:
    return f" ({', '.join(notes)})" if notes else ""
