"""Custom heat maps: rows, columns and a value from any fact table of a game."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Protocol

import msgspec
from msgspec import Meta

from strozzi_sim.errors import ArgumentError, InputError, short_repr, suggest_names
from strozzi_sim.facts.blocks import ROWS, Block, Ratio, mean, per_game, share, share_along
from strozzi_sim.facts.columns import YES_NO, Column, Table
from strozzi_sim.facts.conditions import Condition
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.converting import converted

NAME = r"^[a-z0-9-]{1,64}$"
_VALUES = '"count", "share", "mean COLUMN" or "share COLUMN"'


class Counted(Protocol):
    """The part of a game that heat maps need."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def fact_tables(self) -> tuple[Table, ...]: ...  # noqa: D102


class HeatMapSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The specification of a custom heat map."""

    name: Annotated[str, Meta(pattern=NAME)]  # name of its picture; its table is heat_<name>
    rows: str  # column of a fact table
    columns: str  # another column of that table
    # count (facts per game), share (of the row's facts), `mean COLUMN`, or `share COLUMN` (a yes/no column or `win`)
    value: str = "share"
    where: str = ""  # condition on columns; default: all facts
    fact: str = ""  # fact table; default: the only one with all columns
    title: str = ""  # title of the picture; default: made from the other fields


def table_of(game: Counted, names: Sequence[str], fact: str, place: str) -> Table:
    """Return the fact table named `fact`, or the only one with all these columns."""
    tables = {table.name: table for table in game.fact_tables}
    if fact:
        if fact not in tables:
            raise InputError(f"{place}: fact: unknown table {short_repr(fact)}; {suggest_names(fact, tables)}")
        table = tables[fact]
        column_names = [column.name for column in table.all_columns]
        for name in names:
            if name not in column_names:
                raise InputError(
                    f"{place}: table {fact}: no column {short_repr(name)}; {suggest_names(name, column_names)}"
                )
        return table
    matching = [table for table in tables.values() if {*names} <= {column.name for column in table.all_columns}]
    matching = [table for table in matching if not table.sampled] or matching  # a sampled table must be named
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise InputError(
            f"{place}: {' and '.join(table.name for table in matching)} have the columns {', '.join(names)}; name one as `fact`"
        )
    everywhere = dict.fromkeys(column.name for table in tables.values() for column in table.all_columns)
    for name in names:
        if name not in everywhere:
            raise InputError(f"{place}: unknown column {short_repr(name)}; {suggest_names(name, everywhere)}")
    raise InputError(f"{place}: no fact table has all of {', '.join(names)}; `strozzi facts {game.name}` lists them")


def custom_heat_map(game: Counted, spec: HeatMapSpec, place: str = "heatmap") -> HeatMap:
    """Return the heat map of a specification."""
    place = f"{place} {spec.name}"
    kind, _, of = spec.value.partition(" ")
    if (kind, bool(of)) not in (("count", False), ("share", False), ("mean", True), ("share", True)):
        raise InputError(f"{place}: value: must be {_VALUES}, got {short_repr(spec.value)}")
    if spec.rows == spec.columns:
        raise InputError(f"{place}: rows and columns are both {spec.rows!r}; name two columns")
    conditions = Condition(spec.where, f"{place}: where").columns if spec.where else []
    names = list(dict.fromkeys([spec.rows, spec.columns, *([of] if of else []), *conditions]))
    table = table_of(game, names, spec.fact, place)
    across, down = table.column(spec.columns), table.column(spec.rows)
    for key, column in (("rows", down), ("columns", across)):
        if column.levels is None:
            sortable = [each.name for each in table.all_columns if each.levels is not None]
            say = suggest_names(column.name, sortable)
            raise InputError(f"{place}: {key}: {column.name} has no levels and cannot be a row or column; {say}")
    ratio, figure = _value(table, kind, of, place)
    block = Block(table.name, {"row": spec.rows, "column": spec.columns}, (ratio,), where=spec.where)
    words = f"{figure.label} by {_words(spec.rows)} and {_words(spec.columns)}"
    which = f", where {spec.where}" if spec.where else ""
    caption = (
        f"Of each {table.text.removeprefix('a ')}{which}: {figure.label}. Rows: {down.text}. Columns: {across.text}."
    )
    title = spec.title or words[0].upper() + words[1:] + which
    return HeatMap(title, caption, _words(spec.rows), _words(spec.columns), figure, block)


def heat_map_spec(
    rows: str, columns: str, value: str = "share", where: str = "", fact: str = "", name: str = "", title: str = ""
) -> HeatMapSpec:
    """Return the specification of a custom heat map; without a name, one is made from the other arguments."""
    if name and not re.fullmatch(NAME, name):
        raise ArgumentError("name", f"must be 1 to 64 lower-case letters, digits and -, got {short_repr(name)}")
    return HeatMapSpec(name or name_of_map(value, rows, columns, where), rows, columns, value, where, fact, title)


def name_of_map(value: str, rows: str, columns: str, where: str) -> str:
    """Return a name made from a heat map's arguments."""
    text = f"{value} by {rows} and {columns} {where}".lower()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:64].strip("-")


def _words(name: str) -> str:
    return name.replace("_", " ")


def _value(table: Table, kind: str, of: str, place: str) -> tuple[Ratio, Figure]:
    """Return the ratio and the figure of the value."""
    if kind == "count":
        return per_game("count"), Figure("count", f"number of {table.name} facts in a game", "number")
    if not of:
        return share_along("share", "column", ROWS), Figure("share", "share of the row", "share")
    column = table.column(of)
    if kind == "mean" and _is_yes_or_no(column):  # a share, by another name
        return mean(f"mean_{of}", of), Figure(f"mean_{of}", _share_words(of), "share")
    if kind == "mean":
        unit = f", {column.unit}" if column.unit not in ("", of) else ""
        return mean(f"mean_{of}", of), Figure(f"mean_{of}", f"mean of {_words(of)}{unit}", "amount")
    if not _is_yes_or_no(column):
        yes_or_no = [each.name for each in table.all_columns if _is_yes_or_no(each)]
        raise InputError(f'{place}: value: {of} is not yes or no; {suggest_names(of, yes_or_no)}, or use "mean {of}"')
    name = "win_share" if of == "win" else f"share_{of}"
    return share(name, of), Figure(name, _share_words(of), "share")


def _share_words(column: str) -> str:
    return "games won" if column == "win" else f"share with {_words(column)}"


def _is_yes_or_no(column: Column) -> bool:
    return column.levels is YES_NO or column.name == "win"


def split_maps(asked: Any) -> tuple[list[str], list[HeatMapSpec]]:
    """Return the names of shipped heat maps, and the specifications of custom ones."""
    listed = [asked] if isinstance(asked, str | Mapping) else asked
    if not isinstance(listed, Sequence) or not all(isinstance(each, str | Mapping) for each in listed):
        raise ArgumentError(
            "heatmaps", f"expected names of heat maps, or mappings with rows and columns, got {short_repr(asked)}"
        )
    own = [{"name": _name(each), **each} for each in listed if isinstance(each, Mapping)]
    return [each for each in listed if isinstance(each, str)], converted(own, list[HeatMapSpec], "heatmaps")


def _name(keys: Mapping[str, Any]) -> str:
    usual = {"value": "share", "rows": None, "columns": None, "where": ""}
    return name_of_map(*(str(keys.get(key, default)) for key, default in usual.items()))
