"""Commands agents, games and cache: installed agents and games, and compiled code."""

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli.options import Json, print_json
from strozzi_sim.errors import InputError
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.agent import Agent
    from strozzi_sim.game.contract import Game


def agents(
    name: Annotated[str, typer.Argument(metavar="[AGENT]", help="show this agent's parameters")] = "",
    json: Json = False,
) -> None:
    """List the agents, or the parameters of one.

    Example: strozzi agents heuristic
    """
    from strozzi_sim.agent import EVERY_GAME, installed_agents
    from strozzi_sim.game import game_names

    errors = dict[str, str]()
    listed = installed_agents(name, on_error=lambda point, error: errors.update({point: str(error)}))
    if json:
        print_json([agent_document(agent, names) for agent, names in listed] + _not_loaded(errors))
        return
    if name:
        for agent, names in listed:
            print(f"{agent.name}: {agent.description}" + (f" ({', '.join(names)})" if len(listed) > 1 else ""))
            rows = [
                [f"    {key}", param.format(param.default), _range(param), param.description]
                for key, param in agent.params.items()
            ]
            print(
                columns_of([["    parameter", "default", "range", "meaning"], *rows]) if rows else "    no parameters"
            )
        return
    rows = []
    for agent, names in listed:
        everywhere = agent.games == EVERY_GAME and names == game_names()
        games = "every game" if everywhere else ", ".join(names or agent.games)
        count = f"{len(agent.params)} parameters" if agent.params else ""
        rows.append([agent.name, games, agent.description, count])
    print(columns_of(rows))
    for error_text in errors.values():
        print(f"not loaded: {error_text}")
    print("\nstrozzi agents AGENT shows the parameters; set them as AGENT:KEY=VALUE,KEY=VALUE")


def agent_document(agent: "Agent", games: list[str]) -> dict[str, Any]:
    """Return an agent that plays these games as plain data, with its parameters."""
    from strozzi_sim.game import installed_games

    known = [game for game in installed_games()[0] if game.name in games]
    counts = sorted({n for game in known for n in game.player_counts if agent.plays(game, n)})
    keys = ("default", "low", "high", "options")
    params = {
        name: {key: getattr(param, key, None) for key in keys} | {"about": param.description}
        for name, param in agent.params.items()
    }
    return {
        "name": agent.name, "games": games, "players": counts, "kind": agent.kind, "stochastic": agent.stochastic,
        "params": params, "about": agent.description,
    }  # fmt: skip


def _not_loaded(errors: dict[str, str]) -> list[dict[str, str]]:
    """Return games or agents that do not load as plain data."""
    return [{"name": name, "error": error} for name, error in errors.items()]


def _range(param: Any) -> str:
    from strozzi_sim.agent import Policy

    if hasattr(param, "low"):
        return f"{param.low:g} to {param.high:g}"
    return ", ".join(getattr(param, "options", ("an agent" if isinstance(param, Policy) else "a file",)))


def games(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="this game, with its sizes; default: every game")] = "",
    json: Json = False,
) -> None:
    """List the games, their player counts and variants, or the sizes of one.

    Example: strozzi games strozzi
    """
    from strozzi_sim.game import installed_games, load_game
    from strozzi_sim.game.variants import BASE, shipped_variants

    found, errors = ([load_game(game)], {}) if game else installed_games()
    shipped_of = {}
    for each in found:
        try:
            shipped_of[each] = shipped_variants(each)
        except InputError as error:
            errors[each.name] = str(error)
    if json:
        document: list[dict[str, Any]] = [
            {
                "name": each.name, "players": list(each.player_counts), "variants": [BASE, *shipped],
                "behaviour": each.behaviour, "tiers": dict(each.tiers),
                **(_sizes(each) if game else {}),
            }
            for each, shipped in shipped_of.items()
        ]  # fmt: skip
        print_json(document + _not_loaded(errors))
        return
    for each, shipped in shipped_of.items():
        print(f"{each.name}: {each.title}, {each.player_count_text}, behaviour {each.behaviour}")
        if game:
            print("".join(f"    {name.replace('_', ' ')}: {size:,}\n" for name, size in _sizes(each).items()), end="")
        print("    variant base: the components as published or reconstructed")
        for variant, changes in shipped.items():
            print(f"    variant {variant}: {changes.get('about', '')}")
    for error_text in errors.values():
        print(f"not loaded: {error_text}")


def describe_games(game: str = "") -> dict[str, Any]:
    """List the games; or of one game its rules, variants, agents, things whose worth can be measured, and facts.

    Args:
        game: default: all games in short
    """
    from strozzi_sim.agent import installed_agents
    from strozzi_sim.game import default_players, installed_games, load_game
    from strozzi_sim.game.restricting import described_things
    from strozzi_sim.game.variants import find_variant, shipped_variants

    if not game:
        listed, errors = installed_games()
        return {
            "games": {each.name: f"{each.title}, {each.player_count_text}" for each in listed},
            "not_loaded": errors,
        }
    found = load_game(game)
    base = find_variant(found, "base")
    agents = {
        each.name: {"about": each.description, "parameters": {key: of.description for key, of in each.params.items()}}
        for each, names in installed_agents()
        if game in names
    }
    return {
        "rules": found.view.short_rules(base.components, default_players(found)).splitlines(),
        "players": list(found.player_counts),
        "variants": {name: changes.get("about", "") for name, changes in shipped_variants(found).items()},
        "agents_by_strength": dict(found.tiers),
        "agents": agents,
        "things": described_things(found, base),
        "facts": {table.name: table.text for table in found.fact_tables},
        "reconstructed_data": list(base.reconstructed),
    }


def _sizes(game: "Game") -> dict[str, int]:
    """Return the number of actions, the numbers of an observation and the bytes of a state."""
    return {
        "actions": game.actions - 1, "observation_size": game.observation_size, "state_bytes": game.state.itemsize,
    }  # fmt: skip


def cache(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="with --warm: this game; default: every game")] = "",
    clear: Annotated[
        bool, typer.Option("--clear", help="remove all compiled code; the next run compiles again")
    ] = False,
    warm: Annotated[
        bool, typer.Option("--warm", help="compile the games and their agents ahead, so that no later command waits")
    ] = False,
    json: Json = False,
) -> None:
    """Show, clear or fill the folder that keeps compiled code.

    Example: strozzi cache --warm strozzi
    """
    from strozzi_sim.runtime.cache import cache_root, folders
    from strozzi_sim.runtime.cache import clear as clear_folders

    if clear and warm:
        raise InputError("--clear and --warm: use only one of them")
    if game and not warm:
        raise InputError(f"GAME: must be left out without --warm, got {game}")
    if warm:
        _warm_games(game, json)
        return
    shown_folders = clear_folders() if clear else folders()
    if json:
        print_json({"root": str(cache_root()), "cleared": clear, "folders": [folder.name for folder in shown_folders]})
        return
    print(f"{cache_root()}: {len(shown_folders)} folders{' removed' if clear else ''}")
    if not clear:
        for folder in shown_folders:
            print(f"    {folder.name}  {_mib(folder):.1f} MiB")


def _warm_games(game: str, json: bool) -> None:
    from joblib import Parallel, delayed

    from strozzi_sim.game import installed_games, load_game
    from strozzi_sim.studies.lookup import core_count

    names = [each.name for each in ([load_game(game)] if game else installed_games()[0])]
    lines = Parallel(n_jobs=min(len(names), core_count()))(delayed(_warm)(name) for name in names)
    if json:
        print_json(lines)
        return
    for line in lines:
        kept = f"kept in {line['folder']}, {line['mib']:.1f} MiB" if line["folder"] else "could not be stored"
        print(f"{line['game']}: {line['pieces']} pieces of machine code in {line['seconds']:.1f} s, {kept}")


def _warm(name: str) -> dict[str, Any]:
    from strozzi_sim.game import load_game
    from strozzi_sim.play.warming import warm as compile_ahead
    from strozzi_sim.runtime.cache import folder_of, folders

    began = monotonic()
    pieces = len(list(compile_ahead(load_game(name))))
    folder = next((folder for folder in folders() if folder.name == folder_of(name).name), None)
    return {
        "game": name,
        "pieces": pieces,
        "seconds": monotonic() - began,
        "folder": None if folder is None else str(folder),
        "mib": 0.0 if folder is None else _mib(folder),
    }


def _mib(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20


COMMANDS = {"agents": agents, "games": games, "cache": cache}
