"""Look-up of arguments that callers give by name: player counts, agents, variants, workers.

Each is looked up once, here, from text as a user types it or from objects, which stay unchanged. Errors
name the argument; the command line puts its option in its place, a study's file its key.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

from strozzi_sim.agent import AGENT_TYPES, Agent, AgentSpec, AnyAgent, find_agent, split_specs
from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, check_whole, short_repr
from strozzi_sim.game import default_players
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variant_names import check_names_differ
from strozzi_sim.game.variants import AnyVariant, Variant, find_variant, own_variants, with_values

Lineup = AnyAgent | Sequence[AnyAgent]
Folder = str | PathLike[str] | None
Players = int | str | Sequence[int] | None
Variants = AnyVariant | Sequence[AnyVariant]
Settings = Sequence[str]
Things = str | Sequence[str]

MAX_WORKERS = 1_024
CORES_VARIABLE = "LOKY_MAX_CPU_COUNT"  # read by joblib
ALL = "all"  # player counts


def find_agents(agents: Lineup, game: Game, argument: str = "agents") -> tuple[AgentSpec, ...]:
    """Return agents from spec strings, a list or separated by commas; an agent declared in code has its default parameters.

    Raises:
        ArgumentError: an agent or parameter that is not known, or a value out of its range.
        AgentFault: an agent's file or package that does not import.
    """
    several: Any = split_specs(agents) if isinstance(agents, str) else agents
    if isinstance(several, AGENT_TYPES):
        several = [several]
    if not isinstance(several, Iterable):
        raise ArgumentError(argument, f"expected an agent or a list of agents, got {short_repr(agents)}")
    return tuple(as_argument_error(argument, find_agent, agent, game, argument) for agent in several)


def find_variants(game: Game, variants: Variants, argument: str = "variant") -> tuple[Variant, ...]:
    """Return variants by name (shipped ones), by changes as in a study's file ({name: changes}), or unchanged.

    Raises:
        ArgumentError: an unknown name, an invalid change, or a variant listed twice.
    """
    if isinstance(variants, str | Variant | Mapping) or not isinstance(variants, Iterable):
        variants = [variants]
    found: list[Variant] = []
    for each in variants:
        if isinstance(each, Mapping):
            found += as_argument_error(argument, own_variants, game, each)
        else:
            found.append(as_argument_error(argument, find_variant, game, each))
    as_argument_error(argument, check_names_differ, found)
    names = [variant.name for variant in found]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(argument, f"{name!r} is listed {names.count(name)} times")
    return tuple(found)


def find_players(game: Game, players: Players) -> tuple[int, ...]:
    """Return player counts from numbers or from text, `4`, `3-6`, `3,5` or `all`; default: 4, or the game's minimum.

    Raises:
        ArgumentError: one that the game does not have.
    """
    if players is None:
        return (default_players(game),)
    if players == ALL:
        return tuple(game.player_counts)
    several: Any = (
        _counts(game, players) if isinstance(players, str) else (players,) if isinstance(players, int) else players
    )
    if not isinstance(several, Iterable):
        raise ArgumentError("players", f"expected a number of players, or several, got {short_repr(players)}")
    counts = tuple(several)
    for count in counts:
        if isinstance(count, bool) or count not in game.player_counts:
            raise ArgumentError("players", f"{game.name} takes {game.player_count_text}, got {short_repr(count)}")
    if not counts:
        raise ArgumentError("players", f"{game.name} takes {game.player_count_text}, got none")
    return tuple(int(count) for count in dict.fromkeys(counts))


def _counts(game: Game, text: str) -> Iterator[int]:
    """Yield the player counts in text."""
    by_text = {str(count): count for count in game.player_counts}
    for piece in text.split(","):
        low, dash, high = piece.strip().partition("-")
        for end in (low, high) if dash else (low,):
            if not end.isdecimal():
                raise ArgumentError("players", f"expected 4, 3-6 or 3,5, got {short_repr(text)}")
            if end not in by_text:
                raise ArgumentError(
                    "players", f"{game.name} takes {game.player_count_text}, got {short_repr(end)[1:-1]}"
                )
        named = range(by_text[low], by_text[high if dash else low] + 1)
        if not named:
            raise ArgumentError(
                "players", f"{game.name} takes {game.player_count_text}, got none in {short_repr(text)}"
            )
        yield from named


def one_count(game: Game, players: Players) -> int:
    """Return a single player count; default: 4, or the game's minimum."""
    counts = find_players(game, players)
    if len(counts) > 1:
        raise ArgumentError("players", f"this is played at one player count, got {short_repr(players)}")
    return counts[0]


def worker_count(workers: int | None) -> int:
    """Return the number of workers; default: one per core.

    Raises:
        ArgumentError: not a number of workers.
        InputError: joblib's variable for the number of cores is not a number.
    """
    if workers is None:
        return core_count()
    check_whole("workers", workers, 1, MAX_WORKERS)
    return workers


def core_count() -> int:
    """Return the number of cores that this process may use, as joblib counts them.

    Raises:
        InputError: joblib's variable for it is not a number.
    """
    from joblib import cpu_count

    limit = os.environ.get(CORES_VARIABLE)
    if limit is not None and not (limit.strip().isdecimal() and int(limit) > 0):
        raise InputError(f"{CORES_VARIABLE}: must be a whole number from 1, got {short_repr(limit)}")
    return int(cpu_count())


def path_of(argument: str, path: Any) -> Path:
    """Return the path that an argument names.

    Raises:
        ArgumentError: it is neither text nor a path, or holds a NUL character.
    """
    if not isinstance(path, str | PathLike):
        raise ArgumentError(argument, f"expected a path, got {short_repr(path)}")
    if "\0" in str(path):
        raise ArgumentError(argument, f"must not hold a NUL character, got {short_repr(str(path))}")
    return Path(path)


def check_seats(lineup: Sequence[AgentSpec], players: Sequence[int]) -> None:
    """Refuse a line-up with more agents than some player count has seats.

    Raises:
        ArgumentError: names the agents and the most that fit.
    """
    fewest = min(players)
    if len(lineup) > fewest:
        names = ",".join(map(text_of, lineup))
        raise ArgumentError("agents", f"{len(lineup)} agents ({names}) for {fewest} seats; give at most {fewest}")


def text_of(agent: AnyAgent) -> str:
    """Return an agent as errors name it."""
    if isinstance(agent, AgentSpec):
        return agent.text
    return agent.name if isinstance(agent, Agent) else str(agent)


def make_lineups(lineup: Sequence[AgentSpec], players: Sequence[int]) -> list[tuple[AgentSpec, ...]]:
    """Return the line-ups of a study: one agent plays itself; of k agents, seat i gets agent i mod k.

    Raises:
        ArgumentError: more agents than some player count has seats.
    """
    check_seats(lineup, players)
    if len(lineup) == 1:
        return [tuple(lineup)]
    return [tuple(lineup[seat % len(lineup)] for seat in range(count)) for count in players]


MAX_SWEPT = 2  # keys of a sweep
MAX_COMBINATIONS = 400  # of their values


def sweep_variants(game: Game, base: Variant, grid: Mapping[str, Sequence[Any]]) -> dict[str, Variant]:
    """Return the variants of a grid by name, in the order of its values.

    Raises:
        InputError: more than two keys, a key with fewer than two values, a value twice, too many combinations, or an invalid value.
    """
    if not 1 <= len(grid) <= MAX_SWEPT:
        raise InputError(f"give one or {MAX_SWEPT} keys, got {len(grid)}")
    for key, values in grid.items():
        if not isinstance(values, list | tuple) or len(values) < 2:
            raise InputError(f"{key}: expected a list of at least two values, got {short_repr(values)}")
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"{key}: expected numbers, got {short_repr(value)}")
        if len(set(values)) < len(values):
            raise InputError(f"{key}: a value is listed twice in {short_repr(list(values))}")
    combinations = list(product(*grid.values()))
    if len(combinations) > MAX_COMBINATIONS:
        raise InputError(f"{len(combinations)} combinations; give at most {MAX_COMBINATIONS}")
    found = [with_values(game, base, dict(zip(grid, values, strict=True))) for values in combinations]
    check_names_differ(found)
    return {variant.name: variant for variant in found}
