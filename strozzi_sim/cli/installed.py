"""agents, games, facts, new: what is installed, what a game counts, and the folder of a new game."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from strozzi_sim.agent import Agent, Param, Policy
from strozzi_sim.agent.declare import EVERY_GAME
from strozzi_sim.agent.registry import installed_agents
from strozzi_sim.cli.show import Answer, columns_of
from strozzi_sim.errors import ArgumentError, InputError, pluralize, short_repr, suggest_names
from strozzi_sim.facts.columns import GameConfig, described_table, facts_page
from strozzi_sim.game import default_players, find_game, game_names, installed_games
from strozzi_sim.game.new_game import write_new_game
from strozzi_sim.game.restricting import things as things_of
from strozzi_sim.game.variants import BASE, resolve_variant, shipped_variants

Document = dict[str, Any]


def agents(agent: str = "") -> Answer:
    """List the agents, or the parameters of one.

    Example: strozzi agents heuristic

    Args:
        agent: show this agent's parameters
    """
    errors = dict[str, str]()
    listed = installed_agents(agent, on_error=lambda point, error: errors.update({point: str(error)}))
    document = [_described(agent_object, names) for agent_object, names in listed]
    if agent:
        return Answer(document, (line for entry in listed for line in _parameters(*entry, several=len(listed) > 1)))
    rows = []
    for agent_object, names in listed:
        everywhere = agent_object.games == EVERY_GAME and names == game_names()
        where = "every game" if everywhere else ", ".join(names or agent_object.games)
        parameters = pluralize(len(agent_object.params), "parameter") if agent_object.params else ""
        rows.append([agent_object.name, where, agent_object.description, parameters])
    hint = "\nstrozzi agents AGENT shows the parameters; set them as AGENT:KEY=VALUE,KEY=VALUE"
    return _with_errors(document, [columns_of(rows)], errors, hint)


def _with_errors(document: list[Document], lines: list[str], errors: Mapping[str, str], *closing_lines: str) -> Answer:
    document += [{"name": name, "error": error} for name, error in errors.items()]
    return Answer(document, [*lines, *(f"not loaded: {error}" for error in errors.values()), *closing_lines])


def _parameters(agent: Agent, names: list[str], *, several: bool) -> Iterator[str]:
    yield f"{agent.name}: {agent.description}" + (f" ({', '.join(names)})" if several else "")
    rows = [["    parameter", "default", "range", "meaning"]]
    for key, param in agent.params.items():
        if isinstance(param, Param):
            allowed = f"{param.low:g} to {param.high:g}"
        else:
            allowed = "an agent" if isinstance(param, Policy) else ", ".join(getattr(param, "options", ("a file",)))
        rows.append([f"    {key}", param.format(param.default), allowed, param.description])
    yield columns_of(rows) if agent.params else "    no parameters"


def _described(agent: Agent, games: list[str]) -> Document:
    installed = [game for game in installed_games()[0] if game.name in games]
    players = sorted({n for game in installed for n in game.player_counts if agent.plays(game, n)})
    params: dict[str, Document] = {}
    for name, param in agent.params.items():
        params[name] = {key: getattr(param, key, None) for key in ("default", "low", "high", "options")}
        params[name]["about"] = param.description
    described = {"name": agent.name, "games": games, "players": players, "kind": agent.kind}
    return described | {"stochastic": agent.stochastic, "params": params, "about": agent.description}


def games(game: str = "") -> Answer:
    """List the games with their player counts and variants; of one game also its sizes.

    Example: strozzi games strozzi

    Args:
        game: list only this game, with its sizes; default: every game
    """
    listed_games, errors = ([find_game(game)], dict[str, str]()) if game else installed_games()
    lines, document = list[str](), list[Document]()
    for listed_game in listed_games:
        try:
            shipped = shipped_variants(listed_game)
        except InputError as error:
            errors[listed_game.name] = str(error)
            continue
        sizes = dict[str, int]()
        if game:
            sizes = {"actions": listed_game.actions - 1, "observation_size": listed_game.observation_size}
            sizes["state_bytes"] = listed_game.state.itemsize
        known = {"name": listed_game.name, "players": list(listed_game.player_counts), "variants": [BASE, *shipped]}
        document.append({**known, "behaviour": listed_game.behaviour, "tiers": dict(listed_game.tiers), **sizes})
        about = f"{listed_game.title}, {listed_game.player_count_text}, behaviour {listed_game.behaviour}"
        lines.append(f"{listed_game.name}: {about}")
        lines += [f"    {name.replace('_', ' ')}: {size:,}" for name, size in sizes.items()]
        lines.append("    variant base: the components as published or reconstructed")
        lines += [f"    variant {variant}: {changes.get('about', '')}" for variant, changes in shipped.items()]
    return _with_errors(document, lines, errors)


def describe_games(game: str = "") -> Document:
    """List the games; of one game list rules, variants, agents, things whose worth can be measured, and facts.

    Args:
        game: describe this game; default: list all games
    """
    if not game:
        listed, errors = installed_games()
        titles = {each.name: f"{each.title}, {each.player_count_text}" for each in listed}
        return {"games": titles, "not_loaded": errors}
    found = find_game(game)
    base = resolve_variant(found, BASE)
    playing = [agent for agent, names in installed_agents() if game in names]
    parameters = {agent.name: {key: param.description for key, param in agent.params.items()} for agent in playing}
    return {
        "rules": found.view.short_rules(base.components, default_players(found)).splitlines(),
        "players": list(found.player_counts),
        "variants": {name: changes.get("about", "") for name, changes in shipped_variants(found).items()},
        "agents_by_strength": dict(found.tiers),
        "agents": {agent.name: {"about": agent.description, "parameters": parameters[agent.name]} for agent in playing},
        "things": {name: thing.words for name, thing in things_of(found, base).items()},
        "facts": {table.name: table.text for table in found.fact_tables},
        "reconstructed_data": list(base.reconstructed),
    }


def facts(game: str, table: str = "", *, markdown: bool = False) -> Answer:
    """List the fact tables of a game, or the columns of one table, which custom heat maps can use.

    Example: strozzi facts strozzi ship

    Args:
        table: show this table's columns and their values
        markdown: print Markdown, as in docs/games
    """
    the_game = find_game(game)
    setting = GameConfig(the_game.max_players, resolve_variant(the_game, BASE).components, the_game.journal_rows)
    tables = {fact.name: described_table(fact, setting) for fact in the_game.fact_tables}
    if table and table not in tables:
        raise ArgumentError("table", f"{game} has no fact table {short_repr(table)}; {suggest_names(table, tables)}")
    chosen = [tables[table]] if table else list(tables.values())
    if markdown:
        return Answer(chosen, [facts_page(the_game.title, the_game.name, chosen).rstrip("\n")])
    lines = []
    for described in chosen:
        sampled = f"; of one deal in {described['sampled']}" if described["sampled"] else ""
        rows = [[f"    {column['name']}", column["values"], column["text"]] for column in described["columns"]]
        column_names = f"    {', '.join(column['name'] for column in described['columns'])}"
        lines.append(f"{described['name']}: {described['text']}{sampled}")
        lines.append(columns_of([["    column", "values", "meaning"], *rows]) if table else column_names)
    hint = f"\nstrozzi facts {game} TABLE shows what its columns mean and which values they have."
    return Answer(chosen, lines if table else [*lines, hint])


def new(game: str, *, folder: str | Path = "") -> Answer:
    """Write a small playable game into a new folder, with a fact table, a report page, an agent and a test.

    Example: strozzi new fair

    Args:
        game: name of the game: lower-case letters, digits, underscores
        folder: new folder for its files; default: the name of the game
    """
    place = Path(folder or game)
    paths = write_new_game(game, place)
    quoted = shlex.quote(str(place))
    lines = [
        f"{len(paths)} files in {place}: a small complete game. "
        "Change them into yours; begin with state.py and core.py.",
        f"\n  pip install -e {quoted} pytest\n  strozzi play {game}\n  strozzi balance {game}\n  pytest {quoted}\n",
        "docs/your-own-game.md explains every file.",
    ]
    return Answer({"folder": str(place), "files": [str(path) for path in paths]}, lines)
