"""Custom heat maps: rows, columns and a value from any fact table of a game."""

import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.errors import ArgumentError, as_argument_error, check_names, short_repr, suggest_names
from strozzi_sim.facts.blocks import GAMES, Block, Ratio
from strozzi_sim.facts.columns import YES_NO, Column, Table
from strozzi_sim.facts.conditions import Condition
from strozzi_sim.facts.figures import Figure, share
from strozzi_sim.game.contract import Game
from strozzi_sim.game.converting import converted
from strozzi_sim.game.sentences import listed, with_capital

_MOST_NEAR = 6  # names of columns that an error suggests
NAME = r"^[a-z0-9-]{1,64}$(?!\n)"


class HeatMapSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The specification of a custom heat map."""

    name: Annotated[str, Meta(pattern=NAME)]  # its picture is heat-<name>; its table heat_<name>, with _ for each -
    rows: str  # column of a fact table
    columns: str  # another column of that table
    # count (facts per game), share (of the row's facts), `mean COLUMN`, or `share COLUMN` (a yes/no column or `win`)
    value: str = "share"
    where: str = ""  # condition on columns; default: all facts
    fact: str = ""  # fact table; default: see `table_of`
    title: str = ""  # title of the picture; default: made from the other fields


def table_of(game: Game, columns: Mapping[str, str], fact: str) -> Table:
    """Return the fact table with all these columns: the one named `fact`, or the only one. Raises ArgumentError.

    `columns` maps each column to the argument that names it. Tables that are not `sampled` come first.
    """
    tables = {table.name: table for table in game.fact_tables}
    as_argument_error("fact", check_names, "table", filter(None, [fact]), tables)
    candidates = [tables[fact]] if fact else list(tables.values())
    known = {column.name: column for table in candidates for column in table.all_columns}
    for name, argument in columns.items():
        if name not in known:
            unknown = f"table {fact}: no column" if fact else "unknown column"
            raise ArgumentError(argument, f"{unknown} {short_repr(name)}; {_near(game, name, known.values())}")
    matching = [table for table in candidates if columns.keys() <= {column.name for column in table.all_columns}]
    matching = [table for table in matching if not table.sampled] or matching
    if len(matching) > 1:
        facts = " and ".join(table.name for table in matching)
        raise ArgumentError("fact", f"{facts} have the columns {', '.join(columns)}; name one")
    if not matching:
        hint = f"`strozzi facts {game.name}` lists them"
        raise ArgumentError([*columns.values()][-1], f"no fact table has all of {', '.join(columns)}; {hint}")
    return matching[0]


def _near(game: Game, name: str, columns: Collection[Column]) -> str:
    """Return the columns most like a wrong name, or with a word of it in their name or meaning, and who lists all."""
    words = _words_in(name)
    similar = get_close_matches(name.lower(), [column.name for column in columns], _MOST_NEAR)
    related = [column.name for column in columns if words & _words_in(f"{column.name} {column.text}")]
    near = list(dict.fromkeys([*similar, *related]))[:_MOST_NEAR]
    advice = f"`strozzi facts {game.name}` lists all"
    return f"did you mean {listed(near, 'or')}? {advice}" if near else advice


def _words_in(text: str) -> set[str]:
    """Return the words of a text without a plural's s, apart from those of one or two letters."""
    return {word.rstrip("s") for word in re.findall(r"[a-z0-9]{3,}", text.lower().replace("_", " "))}


def custom_heat_map(game: Game, spec: HeatMapSpec) -> HeatMap:
    """Return the heat map of a specification. Raises ArgumentError."""
    of = spec.value.partition(" ")[2]
    if spec.rows == spec.columns:
        raise ArgumentError("columns", f"rows and columns are both {spec.rows!r}; name two columns")
    columns = dict.fromkeys(Condition(spec.where).columns if spec.where else (), "where")
    columns = {spec.rows: "rows", spec.columns: "columns"} | ({of: "value"} if of else {}) | columns
    table = table_of(game, columns, spec.fact)
    across, down = table.column(spec.columns), table.column(spec.rows)
    for key, column in (("rows", down), ("columns", across)):
        if column.levels is None:
            near = _near(game, column.name, [each for each in table.all_columns if each.levels is not None])
            raise ArgumentError(key, f"{column.name} has no levels and cannot be a row or column; {near}")
    ratio = counted(table, spec.value, "value", along="column")
    figure = ratio.figure
    block = Block(table.name, {"row": spec.rows, "column": spec.columns}, (ratio,), where=spec.where)
    labels = words_of(spec.rows), words_of(spec.columns)
    condition = f", where {Condition(spec.where).words}" if spec.where else ""
    axes = f"Rows: {down.text}. Columns: {across.text}."
    caption = f"Of each {table.text.removeprefix('a ')}{condition}: {figure.label}. {axes}"
    title = spec.title or with_capital(f"{figure.label} by {' and '.join(labels)}{condition}")
    return HeatMap(title, caption, *labels, figure, block, table=map_table_name(spec.name))


def heat_map_spec(
    rows: str, columns: str, value: str = "share", where: str = "", fact: str = "", name: str = "", title: str = ""
) -> HeatMapSpec:
    """Return the specification of a custom heat map; default name: see `name_of_map`."""
    if name and not re.fullmatch(NAME, name):
        raise ArgumentError("name", f"must be 1 to 64 lower-case letters, digits and -, got {short_repr(name)}")
    return HeatMapSpec(name or name_of_map(rows, columns, value, where), rows, columns, value, where, fact, title)


def name_of_map(rows: Any = None, columns: Any = None, value: Any = "share", where: Any = "", **_: Any) -> str:
    """Return a name made from a heat map's rows, columns, value and condition; other arguments are ignored."""
    text = f"{value} by {rows} and {columns} {where}".lower()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:64].strip("-")


def map_table_name(name: str) -> str:
    """Return the name of the table of a heat map."""
    return f"heat_{name.replace('-', '_')}"


def words_of(name: str) -> str:
    """Return the name of a column as words."""
    return name.replace("_", " ")


def counted(table: Table, value: str, argument: str, *, name: str = "", along: str = "") -> Ratio:
    """Return the figure of a value, with this name (default: made from the value).

    A value is `count` (rows per game), `mean COLUMN`, `share COLUMN` (of a yes/no column or `win`), or with a key
    `along` also `share`: the part of the rows over all levels of that key. Raises ArgumentError for `argument`.
    """
    kind, _, of = value.partition(" ")
    if kind == "count" and not of:
        several = re.sub("y$", "ie", words_of(table.name)) + "s"  # seats, round ends, categories
        return Ratio(Figure(name or "count", f"number of {several} in a game", "number"), denominator=GAMES)
    if kind == "share" and not of and along:
        return Ratio(share(name or "share", label="share of the row"), along=along)
    if kind not in ("mean", "share") or not of:
        values = ["count", *(["share"] if along else []), "mean COLUMN", "share COLUMN"]
        known = listed([f'"{each}"' for each in values], "or")
        raise ArgumentError(argument, f"must be {known}, got {short_repr(value)}")
    column = as_argument_error(argument, table.column, of)
    if kind == "share" and not _is_yes_or_no(column):
        yes_or_no = [each.name for each in table.all_columns if _is_yes_or_no(each)]
        raise ArgumentError(argument, f'{of} is not yes or no; {suggest_names(of, yes_or_no)}, or use "mean {of}"')
    name = name or ("win_share" if value == "share win" else f"{kind}_{of}")
    if _is_yes_or_no(column):  # its mean is a share too
        label = "games won" if of == "win" else f"share with {words_of(of)}"
        return Ratio(share(name, label=label, equal=of == "win"), (of,))
    unit = f" in {column.unit}" if column.unit not in ("", of) else ""
    return Ratio(Figure(name, f"mean {words_of(of)}{unit}", "amount"), (of,))


def _is_yes_or_no(column: Column) -> bool:
    return column.levels is YES_NO or column.name == "win"


def split_maps(asked: Any) -> tuple[list[str], list[HeatMapSpec]]:
    """Return names of heat maps, not checked, and specifications of custom ones; `asked`: one of either, or a list."""
    entries = [asked] if isinstance(asked, str | Mapping) else asked
    if not isinstance(entries, Sequence) or not all(isinstance(each, str | Mapping) for each in entries):
        message = f"expected names of heat maps, or mappings with rows and columns, got {short_repr(asked)}"
        raise ArgumentError("heatmaps", message)
    custom = [{"name": name_of_map(**each), **each} for each in entries if isinstance(each, Mapping)]
    return [each for each in entries if isinstance(each, str)], converted(custom, list[HeatMapSpec], "heatmaps")
