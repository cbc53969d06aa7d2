"""What callers may give by name: a game, its player counts, agents, variants.

Each is looked up once, here, whoever asks: as text, as one types it, or as objects, which are taken as they are. Errors
name the argument; the command line puts its option in its place, a study's file its key.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from strozzi_sim.agent import Agent, AgentSpec, AnyAgent, find_agent, split_specs
from strozzi_sim.errors import ArgumentError, about, shown
from strozzi_sim.games.contract import Game
from strozzi_sim.games.variants import Variant, resolve_variant

AnyVariant = str | Variant | Mapping[str, Mapping[str, Any]]
Lineup = str | Sequence[AnyAgent]
Players = int | str | Sequence[int] | None
Variants = AnyVariant | Sequence[AnyVariant]

ALL = "all"  # player counts


def find_agents(agents: Lineup, game: Game, argument: str = "agents") -> tuple[AgentSpec, ...]:
    """The agents of these spec strings, a list or separated by commas; one that is declared in code plays with its defaults.

    Raises:
        ArgumentError: an agent or parameter that is not known, or a value out of its range.
        AgentFault: an agent's file or package that does not import.
    """
    several: Any = split_specs(agents) if isinstance(agents, str) else agents
    if isinstance(several, AnyAgent) or not isinstance(several, Iterable):
        raise ArgumentError(argument, f"expected a list of agents, got {shown(agents)}")
    return tuple(about(argument, find_agent, agent, game, argument) for agent in several)


def find_variants(game: Game, variants: Variants, argument: str = "variant") -> tuple[Variant, ...]:
    """The variants of these names, shipped ones, or of one's own: name -> changes, as in a study's file.

    Raises:
        ArgumentError: the game has none of that name, it cannot be changed so, or one is listed twice.
    """
    if isinstance(variants, str | Variant | Mapping):
        variants = [variants]
    found: list[Variant] = []
    for each in variants:
        if isinstance(each, Mapping):
            own = with_text_keys(each)
            found += [about(argument, resolve_variant, game, name, own) for name in own]
        else:
            found.append(about(argument, resolve_variant, game, each) if isinstance(each, str) else each)
    names = [variant.name for variant in found]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(argument, f"{name!r} is listed {names.count(name)} times")
    return tuple(found)


def with_text_keys(plain: Any) -> Any:
    """Plain data as TOML has it, where every key is text; objects stay as they are."""
    if isinstance(plain, Mapping):
        return {str(key): with_text_keys(value) for key, value in plain.items()}
    return [with_text_keys(each) for each in plain] if isinstance(plain, list | tuple) else plain


def find_players(game: Game, players: Players) -> tuple[int, ...]:
    """The player counts asked for, as numbers or as text, `4`, `3-6`, `3,5` or `all`; if none, 4, or the fewest of the game.

    Raises:
        ArgumentError: one that the game does not have.
    """
    if players is None:
        return (4 if 4 in game.player_counts else game.player_counts[0],)
    if players == ALL:
        return tuple(game.player_counts)
    several: Any = (
        _counts(game, players) if isinstance(players, str) else (players,) if isinstance(players, int) else players
    )
    if not isinstance(several, Iterable):
        raise ArgumentError("players", f"expected a number of players, or several, got {shown(players)}")
    counts = tuple(dict.fromkeys(several))
    for count in counts:
        if count not in game.player_counts:
            raise ArgumentError("players", f"{game.name} takes {game.player_count_text}, got {count}")
    return counts


def _counts(game: Game, text: str) -> Iterator[int]:
    """The player counts in text."""
    by_text = {str(count): count for count in game.player_counts}
    for piece in text.split(","):
        low, dash, high = piece.strip().partition("-")
        for end in (low, high) if dash else (low,):
            if not end.isdecimal():
                raise ArgumentError("players", f"expected 4, 3-6 or 3,5, got {shown(text)}")
            if end not in by_text:
                raise ArgumentError("players", f"{game.name} takes {game.player_count_text}, got {shown(end)[1:-1]}")
        named = range(by_text[low], by_text[high if dash else low] + 1)
        if not named:
            raise ArgumentError("players", f"{game.name} takes {game.player_count_text}, got none in {shown(text)}")
        yield from named


def one_count(game: Game, players: Players) -> int:
    """The player count of what is played at one; if none, 4, or the fewest of the game."""
    counts = find_players(game, players)
    if len(counts) > 1:
        raise ArgumentError("players", f"this is played at one player count, got {shown(players)}")
    return counts[0]


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
    """An agent as errors name it."""
    return agent if isinstance(agent, str) else agent.name if isinstance(agent, Agent) else agent.text


def seated(lineup: Sequence[AgentSpec], players: Sequence[int]) -> list[tuple[AgentSpec, ...]]:
    """The line-ups of a study: one agent is self-play; of more, seat i gets agent i mod their number.

    Raises:
        ArgumentError: more agents than some player count has seats.
    """
    check_seats(lineup, players)
    if len(lineup) == 1:
        return [tuple(lineup)]
    return [tuple(lineup[seat % len(lineup)] for seat in range(count)) for count in players]
