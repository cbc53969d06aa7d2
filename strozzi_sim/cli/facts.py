"""facts, heatmap: what a game counts, and a heat map of one's own."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.errors import InputError, known_names, shown


def facts(
    game: options.GameName,
    table: Annotated[str, typer.Argument(metavar="[TABLE]", help="show this table's columns and their values")] = "",
    markdown: Annotated[bool, typer.Option("--markdown", help="as the page of the game's documents")] = False,
    json: options.Json = False,
) -> None:
    """List the fact tables of a game, or the columns of one: what a heat map of your own can be made of.

    Example: strozzi facts strozzi ship
    """
    from strozzi_sim.facts.columns import Setting
    from strozzi_sim.facts.describe import described_table, page
    from strozzi_sim.games import load_game
    from strozzi_sim.games.variants import resolve_variant

    the_game = load_game(game)
    setting = Setting(the_game.max_players, resolve_variant(the_game, "base").components)
    found = the_game.facts.TABLES if the_game.facts else ()
    tables = {each.name: described_table(each, setting) for each in found}
    if table and table not in tables:
        raise InputError(f"{the_game.name}: no fact table {shown(table)}; {known_names(table, tables)}")
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
            print(options.columns_of(rows))
        else:
            print(f"    {', '.join(column['name'] for column in each['columns'])}")
    if not table and chosen:
        print(f"\nstrozzi facts {the_game.name} TABLE shows what its columns mean and which values they have.")


def heatmap(
    source: Annotated[str, typer.Argument(metavar="DIR|GAME", help="a results folder of a study, or a game")],
    rows: Annotated[str, typer.Option(help="the column whose values are the rows; see strozzi facts GAME")],
    columns: Annotated[str, typer.Option(help="the column whose values are the columns")],
    value: Annotated[str, typer.Option(help="count, share, 'mean COLUMN' or 'share COLUMN'")] = "share",
    where: Annotated[str, typer.Option(help="a condition, such as 'round == 3 and seat != 0'")] = "",
    fact: Annotated[str, typer.Option(help="the fact table, if several have these columns")] = "",
    name: Annotated[str, typer.Option(help="of the map; default: from its rows, columns and value")] = "",
    title: Annotated[str, typer.Option(help="above the picture")] = "",
    players: options.Players = "",
    agents: Annotated[str, typer.Option(help="of a game: one line-up, separated by commas")] = "",
    deals: Annotated[int | None, typer.Option(help="of a game: deals for every cell; default 5000")] = None,
    variant: options.Variants = None,
    seed: Annotated[int | None, typer.Option(help="of a game: 0 to 2^53 - 1; default 0")] = None,
    workers: options.Workers = None,
    code: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="of a folder: a file of agents that its study may run")
    ] = None,
    out: Annotated[
        Path | None, options.out_option("of a game: keep everything in this folder, with a report; default: only print")
    ] = None,
    json: options.Json = False,
) -> None:
    """Draw a heat map of your own, of a game or of a study that has been played.

    Example: strozzi heatmap strozzi --rows seat --columns round --value "mean coins" --where "place == 1"
    """
    from strozzi_sim.agent import split_specs
    from strozzi_sim.games import load_game
    from strozzi_sim.games.own_maps import OwnMap, name_of_map
    from strozzi_sim.studies.maps import add_heat_map, heat_map

    own = OwnMap(
        name=_checked(name) or name_of_map(value, rows, columns, where), rows=rows, columns=columns, value=value,
        where=where, fact=fact, title=title,
    )  # fmt: skip
    if _is_folder(source):
        given = {"--players": players, "--agents": agents, "--deals": deals, "--variant": variant, "--seed": seed}
        for option, setting in {**given, "--out": out}.items():
            if setting not in ("", None):
                raise InputError(f"{option}: {source} is a study that has been played; it has its own")
        folder = options.named_path(source)
        with options.how_to_run(workers, folder, json, options.say_calibrating) as how:
            results = add_heat_map(folder, own, how, code or ())
            page = options.write_page(results, how)
    else:
        if code:
            raise InputError("--code: is for the agents of a results folder; name those of a game with --agents")
        the_game = load_game(source)
        counts, lineup = (
            options.parse_players(players, the_game) if players else None,
            split_specs(agents) if agents else [],
        )
        with options.how_to_run(workers, out, json, options.say_calibrating) as how:
            results = heat_map(
                the_game, own, agents=lineup, players=counts, deals=5000 if deals is None else deals,
                variants=variant or "base", seed=seed or 0, how=how,
            )  # fmt: skip
            page = options.write_page(results, how)
    table = "heat_" + own.name.replace("-", "_")
    if json:
        options.print_tables(results)
        return
    print(_matrix(results.tables[table]))
    if page is not None:
        print(f"table: {page.parent / 'tables' / f'{table}.csv'}\npicture: {page.parent / 'figures'}\nreport: {page}")
    else:
        options.say("add --out DIR to keep the table and a report with the picture")


def _checked(name: str) -> str:
    if name and not re.fullmatch(r"[a-z0-9-]{1,64}", name):
        raise InputError(f"--name: {shown(name)} must be 1 to 64 lower-case letters, digits and -")
    return name


def _is_folder(source: str) -> bool:
    from strozzi_sim.games import game_names

    return source not in game_names() and ("/" in source or Path(source).exists())


def _matrix(table: Any) -> str:
    """A heat map for the terminal, one block a player count, variant and line-up, with half-widths of the intervals."""
    blocks = []
    for (players, variant, lineup), rows in table.groupby(["players", "variant", "lineup"], sort=False):
        rows = rows.dropna(subset="value")
        names, tops = list(dict.fromkeys(rows["row"])), list(dict.fromkeys(rows["column"]))
        order = list(dict.fromkeys(table["column"]))
        digits = 3 if rows["value"].abs().max() < 10 else 1
        cells = {(row.row, row.column): _cell(row, digits) for row in rows.itertuples(index=False)}
        tops.sort(key=order.index)
        lines = [["", *tops], *([name, *(cells.get((name, top), "") for top in tops)] for name in names)]
        shown_rows = options.columns_of(lines) if names else "no cell has 30 facts: play more deals"
        blocks.append(f"{players} players, variant {variant}, {lineup}\n{shown_rows}")
    return "\n\n".join(blocks)


def _cell(row: Any, digits: int) -> str:
    half = "" if row.low != row.low else f" ±{max(row.high - row.value, row.value - row.low):.{digits}f}"
    return f"{row.value:.{digits}f}{half}"


COMMANDS = {"facts": facts, "heatmap": heatmap}
