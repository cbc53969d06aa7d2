"""Look-up of player counts, agents, line-ups and variants that callers give as text or as objects.

An ArgumentError shows its argument as the option on the command line, and as the key in a study file.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from strozzi_sim.agent.parameters import NONE, Evaluator, Weights
from strozzi_sim.agent.registry import AGENT_TYPES, AgentSpec, AnyAgent, find_agent, load_agent
from strozzi_sim.agent.registry import agents as agents_of
from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.errors import (
    ArgumentError,
    InputError,
    as_argument_error,
    check_names,
    check_whole,
    short_repr,
    short_text,
)
from strozzi_sim.game import default_players, find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import AnyVariant, Variant, custom_variants, from_components, resolve_variant
from strozzi_sim.runtime.parsing import check_name, read_toml

Players = int | str | Sequence[int] | None
Agents = AnyAgent | Sequence[AnyAgent]
Variants = AnyVariant | Sequence[AnyVariant]

ALL = "all"
MOST_WORKERS = 1_024
CORES_VARIABLE = "LOKY_MAX_CPU_COUNT"  # read by joblib


def player_counts(game: Game, players: Players, argument: str = "players") -> tuple[int, ...]:
    """Return player counts, given as numbers or as `4`, `3-6`, `3,5` or `all`; default: 4, or the game's minimum."""
    if players is None:
        return (default_players(game),)
    if players == ALL:
        return tuple(game.player_counts)
    numbers: Any = _counts_in(game, players, argument) if isinstance(players, str) else players
    counts = list(numbers) if isinstance(numbers, Iterable) else [numbers]
    wrong = [short_repr(count) for count in counts if isinstance(count, bool) or count not in game.player_counts]
    if not counts:
        wrong = [f"none in {players!r}" if isinstance(players, str) else "none"]
    if wrong:
        raise ArgumentError(argument, f"{game.name} takes {game.player_count_text}, got {wrong[0]}")
    return tuple(dict.fromkeys(map(int, counts)))


def _counts_in(game: Game, text: str, argument: str) -> list[int]:
    """Return the player counts that a text such as `3-6` or `3,5` names."""
    by_text, counts = {str(count): count for count in game.player_counts}, list[int]()
    for piece in text.split(","):
        ends = piece.strip().split("-", 1)
        for end in ends:
            if not end.isdecimal():
                raise ArgumentError(argument, f"expected 4, 3-6 or 3,5, got {short_repr(text)}")
            if end not in by_text:
                raise ArgumentError(argument, f"{game.name} takes {game.player_count_text}, got {short_text(end)}")
        counts += range(by_text[ends[0]], by_text[ends[-1]] + 1)
    return counts


def one_count(game: Game, players: Players) -> int:
    """Return a single player count; default: 4, or the game's minimum."""
    counts = player_counts(game, players)
    if len(counts) > 1:
        raise ArgumentError("players", f"this is played at one player count, got {short_repr(players)}")
    return counts[0]


def agents_named(
    game: Game, agents: Agents, argument: str = "agents", counts: Sequence[int] = ()
) -> tuple[AgentSpec, ...]:
    """Return agents, given as spec strings (a list or comma-separated) or in code; check that they play at `counts`."""
    listed: Any = as_argument_error(argument, split_specs, agents) if isinstance(agents, str) else agents
    if isinstance(listed, AGENT_TYPES):
        listed = [listed]
    if not isinstance(listed, Iterable):
        raise ArgumentError(argument, f"expected an agent or a list of agents, got {short_repr(agents)}")
    specs = tuple(as_argument_error(argument, find_agent, agent, game) for agent in listed)
    for count in counts:
        as_argument_error(argument, check_lineup, specs, game, count)
    return specs


def styles_of(game: Game) -> list[AgentSpec]:
    """Return the agents that come with the game, except those that search and those that must be given a file."""
    specs = (load_agent(name, game) for name in agents_of(game))
    return [spec for spec in specs if comes_with(spec, game) and not (spec.searches or spec.missing)]


def comes_with(spec: AgentSpec, game: Game) -> bool:
    """Return whether an agent and its policies are built in or in the game's package, thus as trusted as the game."""
    is_own = spec.builtin or spec.agent.function.__module__.split(".")[0] == game.package.split(".")[0]
    return is_own and all(comes_with(policy, game) for policy in spec.policies)


def lineups_of(game: Game, agents: Agents, players: Sequence[int]) -> list[tuple[AgentSpec, ...]]:
    """Return a line-up per player count, with agent i mod k at seat i; a single agent makes one line-up for all counts.

    Without agents the game's default agent plays.
    """
    specs = agents_named(game, agents or [game.default_agent], counts=players)
    seats = min(players)
    if len(specs) > seats:
        names = ",".join(spec.text for spec in specs)
        message = f"{len(specs)} agents ({short_text(names)}) for {seats} seats; give at most {seats}"
        raise ArgumentError("agents", message)
    if len(specs) == 1:
        return [specs]
    return [tuple(specs[seat % len(specs)] for seat in range(count)) for count in players]


def seat_others(others: Sequence[AgentSpec], players: int, seat: int) -> list[AgentSpec]:
    """Return the agent of every seat: `others` in their order, repeated, from the seat after `seat` on.

    The entry of `seat` itself is the first agent, for the caller to replace. Every `opponents` argument works this way.
    """
    places = [0 if other == seat else (other - seat - 1) % players for other in range(players)]
    return [others[place % len(others)] for place in places]


def check_lineup(lineup: Sequence[AgentSpec], game: Game, players: int) -> None:
    """Check that the agents of a line-up and their policies play this game and player count, and have their files."""
    for spec in lineup:
        check_lineup(spec.resolve_for(game).policies, game, players)
        if not spec.agent.plays(game, players):
            games = ", ".join(spec.agent.games).replace("*", "every game")
            counts = "" if spec.agent.players is None else f" with {spec.agent.players} players"
            wanted = f"{game.name} with {players} players"
            raise InputError(f"agent {spec.text!r} does not play {wanted}; it plays {games}{counts}")
        if spec.missing:
            example = f"{spec.source}:{spec.missing}=FILE; it has no default file"
            raise InputError(f"agent {spec.text!r}: {spec.missing} must be a file, such as {example}")
        check_networks(spec, game, players)
        for key, param in spec.agent.params.items():
            if isinstance(param, Evaluator) and spec.values[key] != NONE:
                check_networks(load_agent(str(spec.values[key]), game), game, players, evaluates=True)


def check_networks(spec: AgentSpec, game: Game, players: int, evaluates: bool = False) -> None:
    """Check that the files of an agent have networks for a game and player count."""
    for key, param in spec.agent.params.items():
        if not isinstance(param, Weights):
            continue
        try:
            addresses, _ = param.networks(str(spec.values[key]), game, evaluates)
        except InputError as error:
            purpose = " (to evaluate positions)" if evaluates else ""
            raise InputError(f"agent {spec.text!r}: {key}: {error}{purpose}") from None
        if not addresses[players]:
            file = param.file(str(spec.values[key]))
            raise InputError(f"agent {spec.text!r}: {key}: {file} has no network for {players} players")


def variants_named(game: Game, variants: Variants, argument: str = "variant") -> tuple[Variant, ...]:
    """Return variants, given as names, as {name: changes} as in a file, or as Variant objects."""
    if isinstance(variants, str | Variant | Mapping) or not isinstance(variants, Iterable):
        variants = [variants]
    chosen: list[Variant] = []
    for each in variants:
        if isinstance(each, Mapping):
            chosen += as_argument_error(argument, custom_variants, game, each)
        else:
            chosen.append(as_argument_error(argument, resolve_variant, game, each))
    if not chosen:
        raise ArgumentError(argument, "expected at least one, such as base, got none")
    as_argument_error(argument, check_one_variant_per_name, chosen)
    names = [variant.name for variant in chosen]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(argument, f"{name!r} is listed {names.count(name)} times")
    return tuple(chosen)


def check_one_variant_per_name(variants: Iterable[Variant]) -> None:
    """Check that different variants have different names. Raises InputError."""
    by_name: dict[str, Variant] = {}
    for variant in variants:
        first = by_name.setdefault(variant.name, variant)
        if first.components != variant.components:
            both = (first, variant)
            texts = [", ".join(each.settings) or f"components {short_repr(each.components)}" for each in both]
            message = f"two variants are called {variant.name!r}: {'; and '.join(texts)}; give them different names"
            raise InputError(message)


def listed_variants(game: Game, listed: Any, own: Mapping[str, Any], has_data: bool) -> tuple[Variant, ...]:
    """Return a study's variants: `listed` as for `variants_named`, or names in `own`, which has changes by name.

    If `has_data`, `listed` has components by name, and `own` is ignored.
    """
    if has_data:
        if not isinstance(listed, Mapping):
            raise ArgumentError("variants", f"expected a table of variants by name, got {short_repr(listed)}")
        return tuple(from_components(game, name, data, f"variants.{name}") for name, data in listed.items())
    listed = list(listed) if isinstance(listed, Iterable) and not isinstance(listed, str | Mapping) else [listed]
    for name in own:
        if name not in listed:
            raise ArgumentError("variant", f"{name} is defined but not listed in variants")
    custom = {variant.name: variant for variant in custom_variants(game, own)}
    variants = [custom.get(each, each) if isinstance(each, str) else each for each in listed]
    return variants_named(game, variants, "variants")


def core_count() -> int:
    """Return the number of cores that this process may use, as joblib counts them."""
    from joblib import cpu_count

    limit = os.environ.get(CORES_VARIABLE)
    if limit is not None and not (limit.strip().isdecimal() and int(limit) > 0):
        raise InputError(f"{CORES_VARIABLE}: must be a whole number from 1, got {short_repr(limit)}")
    return int(cpu_count())


def worker_count(workers: int | None) -> int:
    """Return the number of workers; default: one per core."""
    return core_count() if workers is None else check_whole("workers", workers, 1, MOST_WORKERS)


def path_of(argument: str, path: Any) -> Path:
    """Return the path that an argument names. Raises ArgumentError for anything else."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(argument, f"expected a path, got {short_repr(path)}")
    as_argument_error(argument, check_name, Path(path))
    return Path(path)


def variants_of_file(game: Game, file: str | Path) -> dict[str, Variant]:
    """Return the variants that a study's TOML file lists, by name; a study of another game is refused."""
    keys = as_argument_error("study", read_toml, path_of("study", file))
    if find_game(keys.get("game", game)) is not game:
        raise ArgumentError("study", f"{file} is of {keys['game']}, not of {game.name}")
    changes = keys.get("variant", {})
    try:
        variants = listed_variants(game, keys.get("variants", ["base"]), changes, has_data=False)
    except InputError as error:
        raise ArgumentError("study", f"{file}: {error}") from None
    by_name = {variant.name: variant for variant in variants}
    return by_name | {name: replace(by_name[name], file=str(file)) for name in changes}


def one_variant(game: Game, argument: str, variant: Any, file: str | Path = "") -> Variant:
    """Return a variant, given by name or changes, or with `file` by its name in a study's TOML file."""
    if not file:
        found = variants_named(game, variant, argument)
        if len(found) > 1:
            raise ArgumentError(argument, f"expected one variant, got {len(found)}")
        return found[0]
    by_name = variants_of_file(game, file)
    as_argument_error(argument, check_names, "variant", [variant], by_name)
    return by_name[variant]


def listed_lineups(game: Game, lineups: Any) -> list[tuple[AgentSpec, ...]]:
    """Return the line-ups of a study, each given as a list of agents or as text."""
    if not isinstance(lineups, list | tuple) or not lineups:
        raise ArgumentError("lineups", f"expected a list of line-ups, got {short_repr(lineups)}")
    listed = [agents_named(game, lineup, f"lineups[{number}]") for number, lineup in enumerate(lineups)]
    if not all(listed):
        raise ArgumentError("lineups", "a line-up without agents")
    return listed
