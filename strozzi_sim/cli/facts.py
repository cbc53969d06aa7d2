"""facts, heatmap: what a game counts, and a custom heat map."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.cli.commands import command
from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.questions.heatmap import heatmap
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.studies.results import Results


def facts(
    game: options.GameName,
    table: Annotated[str, typer.Argument(metavar="[TABLE]", help="show this table's columns and their values")] = "",
    markdown: Annotated[bool, typer.Option("--markdown", help="as the page of the game's documents")] = False,
    json: options.Json = False,
) -> None:
    """List the fact tables of a game, or the columns of one: the columns that a custom heat map can use.

    Example: strozzi facts strozzi ship
    """
    from strozzi_sim.facts.columns import GameConfig
    from strozzi_sim.facts.describe import described_table, page
    from strozzi_sim.game import load_game
    from strozzi_sim.game.variants import resolve_variant

    the_game = load_game(game)
    setting = GameConfig(the_game.max_players, resolve_variant(the_game, "base").components)
    found = the_game.facts.TABLES if the_game.facts else ()
    tables = {each.name: described_table(each, setting) for each in found}
    if table and table not in tables:
        raise InputError(f"{the_game.name}: no fact table {short_repr(table)}; {suggest_names(table, tables)}")
    chosen = [tables[table]] if table else list(tables.values())
    if json:
        options.print_json(chosen)
        return
    if markdown:
        print(page(the_game.title, the_game.name, chosen), end="")
        return
    if not chosen:
        print(f"{the_game.title} has no facts: its studies count who wins, and with how much.")
    for each in chosen:
        sampled = f"; of one deal in {each['sampled']}" if each["sampled"] else ""
        print(f"{each['name']}: {each['text']}{sampled}")
        if table:
            rows = [["    column", "values", "meaning"]]
            rows += [[f"    {column['name']}", column["values"], column["text"]] for column in each["columns"]]
            print(columns_of(rows))
        else:
            print(f"    {', '.join(column['name'] for column in each['columns'])}")
    if not table and chosen:
        print(f"\nstrozzi facts {the_game.name} TABLE shows what its columns mean and which values they have.")


def _show_heatmap(results: "Results", given: dict[str, Any]) -> None:
    if given["json"]:
        options.print_tables(results)
        return
    from strozzi_sim.game.custom_heatmaps import name_of_map

    name = given["name"] or name_of_map(*(given[key] for key in ("value", "rows", "columns", "where")))
    table = "heat_" + name.replace("-", "_")
    print(_matrix(results.tables[table]))
    if given["page"] is not None:
        place = given["page"].parent
        print(f"table: {place / 'tables' / f'{table}.csv'}\npicture: {place / 'figures'}\nreport: {given['page']}")
    else:
        options.print_status("add --out DIR to keep the table and a report with the picture")


def _matrix(table: Any) -> str:
    """Return a heat map for the terminal, one block per player count, variant and line-up, with half-widths of the intervals."""
    blocks = []
    for (players, variant, lineup), rows in table.groupby(["players", "variant", "lineup"], sort=False):
        rows = rows.dropna(subset="value")
        names, tops = list(dict.fromkeys(rows["row"])), list(dict.fromkeys(rows["column"]))
        order = list(dict.fromkeys(table["column"]))
        digits = 3 if rows["value"].abs().max() < 10 else 1
        cells = {(row.row, row.column): _cell(row, digits) for row in rows.itertuples(index=False)}
        tops.sort(key=order.index)
        lines = [["", *tops], *([name, *(cells.get((name, top), "") for top in tops)] for name in names)]
        shown_rows = columns_of(lines) if names else "no cell has 30 facts: play more deals"
        blocks.append(f"{players} players, variant {variant}, {lineup}\n{shown_rows}")
    return "\n\n".join(blocks)


def _cell(row: Any, digits: int) -> str:
    half = "" if row.low != row.low else f" ±{max(row.high - row.value, row.value - row.low):.{digits}f}"
    return f"{row.value:.{digits}f}{half}"


COMMANDS = {
    "facts": facts,
    "heatmap": command(
        heatmap, _show_heatmap,
        'Example: strozzi heatmap strozzi --rows seat --columns round --value "mean coins" --where "place == 1"',
    ),
}  # fmt: skip
