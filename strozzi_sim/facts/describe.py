"""The fact tables of a game in words: for the command line, the documents, and the metadata of kept rows."""

from typing import Any

from strozzi_sim.facts.columns import Column, Setting, Table

_SHOWN = 8  # values that are listed


def described_table(table: Table, setting: Setting) -> dict[str, Any]:
    """A fact table as plain data: name, text, sampled, columns with name, text, unit, values, of."""
    return {
        "name": table.name,
        "text": table.text,
        "sampled": table.sampled,
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
