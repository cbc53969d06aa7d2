"""agents, games: what is installed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import InputError
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.agent import Agent
    from strozzi_sim.game.contract import Game


def agents(agent: str = "") -> Answer:
    """List the agents, or the parameters of one.

    Example: strozzi agents heuristic

    Args:
        agent: show this agent's parameters
    """
    from strozzi_sim.agent import installed_agents

    errors = dict[str, str]()
    listed = installed_agents(agent, on_error=lambda point, error: errors.update({point: str(error)}))
    document = [agent_document(each, names) for each, names in listed] + _not_loaded(errors)
    if agent:
        return Answer(document, (line for found in listed for line in _parameters(*found, several=len(listed) > 1)))
    rows = []
    for each, names in listed:
        count = f"{len(each.params)} parameters" if each.params else ""
        rows.append([each.name, _games_in_words(each, names), each.description, count])
    last = "\nstrozzi agents AGENT shows the parameters; set them as AGENT:KEY=VALUE,KEY=VALUE"
    return Answer(document, [columns_of(rows), *(f"not loaded: {error}" for error in errors.values()), last])


def _games_in_words(agent: "Agent", names: list[str]) -> str:
    from strozzi_sim.agent import EVERY_GAME
    from strozzi_sim.game import game_names

    everywhere = agent.games == EVERY_GAME and names == game_names()
    return "every game" if everywhere else ", ".join(names or agent.games)


def _parameters(agent: "Agent", names: list[str], *, several: bool) -> Iterator[str]:
    yield f"{agent.name}: {agent.description}" + (f" ({', '.join(names)})" if several else "")
    rows = [[f"    {key}", of.format(of.default), _range(of), of.description] for key, of in agent.params.items()]
    yield columns_of([["    parameter", "default", "range", "meaning"], *rows]) if rows else "    no parameters"


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


def _not_loaded(errors: dict[str, str]) -> list[dict[str, Any]]:
    """Return games or agents that do not load as plain data."""
    return [{"name": name, "error": error} for name, error in errors.items()]


def _range(param: Any) -> str:
    from strozzi_sim.agent import Policy

    if hasattr(param, "low"):
        return f"{param.low:g} to {param.high:g}"
    return ", ".join(getattr(param, "options", ("an agent" if isinstance(param, Policy) else "a file",)))


def games(game: str = "") -> Answer:
    """List the games, their player counts and variants, or the sizes of one.

    Example: strozzi games strozzi

    Args:
        game: this game, with its sizes; default: every game
    """
    from strozzi_sim.agent.names import game_named
    from strozzi_sim.game import installed_games
    from strozzi_sim.game.variants import BASE, shipped_variants

    found, errors = ([game_named(game)], dict[str, str]()) if game else installed_games()
    lines, document = list[str](), list[dict[str, Any]]()
    for each in found:
        try:
            shipped = shipped_variants(each)
        except InputError as error:
            errors[each.name] = str(error)
            continue
        sizes = _sizes(each) if game else {}
        document.append({
            "name": each.name, "players": list(each.player_counts), "variants": [BASE, *shipped], "behaviour": each.behaviour,
            "tiers": dict(each.tiers), **sizes,
        })  # fmt: skip
        lines.append(f"{each.name}: {each.title}, {each.player_count_text}, behaviour {each.behaviour}")
        lines += [f"    {name.replace('_', ' ')}: {size:,}" for name, size in sizes.items()]
        lines.append("    variant base: the components as published or reconstructed")
        lines += [f"    variant {variant}: {changes.get('about', '')}" for variant, changes in shipped.items()]
    return Answer(document + _not_loaded(errors), [*lines, *(f"not loaded: {error}" for error in errors.values())])


def _sizes(game: "Game") -> dict[str, int]:
    """Return the number of actions, the numbers of an observation and the bytes of a state."""
    return {"actions": game.actions - 1, "observation_size": game.observation_size, "state_bytes": game.state.itemsize}


def things(game: str, variant: Any = "base") -> Answer:
    """Return what can be measured by restricted play, and how to ask for it."""
    from strozzi_sim.agent.names import game_named, variants_named
    from strozzi_sim.errors import ArgumentError
    from strozzi_sim.game.restricting import described_things

    the_game = game_named(game)
    known = described_things(the_game, variants_named(the_game, variant)[0])
    if not known:
        raise ArgumentError("game", f"{game} has no restrictions")
    first = next(iter(known))
    return Answer([{"thing": name, "about": about} for name, about in known.items()], [
        f"{len(known)} things of {the_game.title} whose worth can be measured, by a player who must do without:\n",
        columns_of([["thing", "without it"], *([name, about] for name, about in known.items())]),
        f"\nOne of them: strozzi worth {game} {first}; several by name or pattern: '{first.partition(':')[0]}:*'; all: --all.",
    ])  # fmt: skip


def template(game: str, file: str) -> Answer:
    """Write an empty score sheet for `our-table`, and return where it is."""
    from strozzi_sim.agent.names import game_named
    from strozzi_sim.study.kinds.our_table import write_template

    write_template(game_named(game), file)
    return Answer({"template": file}, [f"template: {file}"])


def describe_games(game: str = "") -> dict[str, Any]:
    """List the games; or of one game its rules, variants, agents, things whose worth can be measured, and facts.

    Args:
        game: default: all games in short
    """
    from strozzi_sim.agent import installed_agents
    from strozzi_sim.agent.names import game_named
    from strozzi_sim.game import default_players, installed_games
    from strozzi_sim.game.restricting import described_things
    from strozzi_sim.game.variants import find_variant, shipped_variants

    if not game:
        listed, errors = installed_games()
        return {
            "games": {each.name: f"{each.title}, {each.player_count_text}" for each in listed},
            "not_loaded": errors,
        }
    found = game_named(game)
    base = find_variant(found, "base")
    own = {each.name: each for each, names in installed_agents() if game in names}
    return {
        "rules": found.view.short_rules(base.components, default_players(found)).splitlines(),
        "players": list(found.player_counts),
        "variants": {name: changes.get("about", "") for name, changes in shipped_variants(found).items()},
        "agents_by_strength": dict(found.tiers),
        "agents": {
            name: {
                "about": each.description,
                "parameters": {key: of.description for key, of in each.params.items()},
            }
            for name, each in own.items()
        },
        "things": described_things(found, base),
        "facts": {table.name: table.text for table in found.fact_tables},
        "reconstructed_data": list(base.reconstructed),
    }
