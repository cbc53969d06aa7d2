"""facts: what a game counts."""

from collections.abc import Iterator
from typing import Any

from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import ArgumentError, short_repr, suggest_names
from strozzi_sim.runtime.text_columns import columns_of


def facts(game: str, table: str = "", *, markdown: bool = False) -> Answer:
    """List the fact tables of a game, or the columns of one: the columns that a custom heat map can use.

    Example: strozzi facts strozzi ship

    Args:
        game: a game; `strozzi games` lists them
        table: show this table's columns and their values
        markdown: as the page of the game's documents
    """
    from strozzi_sim.agent.names import game_named
    from strozzi_sim.facts.columns import GameConfig
    from strozzi_sim.facts.describe import described_table, page
    from strozzi_sim.game.variants import resolve_variant

    the_game = game_named(game)
    setting = GameConfig(the_game.max_players, resolve_variant(the_game, "base").components)
    tables = {each.name: described_table(each, setting) for each in the_game.fact_tables}
    if table and table not in tables:
        raise ArgumentError("table", f"{game} has no fact table {short_repr(table)}; {suggest_names(table, tables)}")
    chosen = [tables[table]] if table else list(tables.values())
    if markdown:
        return Answer(chosen, [page(the_game.title, the_game.name, chosen).rstrip("\n")])
    if not chosen:
        return Answer(chosen, [f"{the_game.title} has no facts: its studies count who wins, and with how much."])
    more = f"\nstrozzi facts {game} TABLE shows what its columns mean and which values they have."
    return Answer(chosen, [*_lines(chosen, whole=bool(table)), *([] if table else [more])])


def _lines(chosen: list[dict[str, Any]], *, whole: bool) -> Iterator[str]:
    for each in chosen:
        yield f"{each['name']}: {each['text']}" + (f"; of one deal in {each['sampled']}" if each["sampled"] else "")
        columns = each["columns"]
        if not whole:
            yield f"    {', '.join(column['name'] for column in columns)}"
            continue
        rows = [["    column", "values", "meaning"]]
        yield columns_of([*rows, *([f"    {each['name']}", each["values"], each["text"]] for each in columns)])
