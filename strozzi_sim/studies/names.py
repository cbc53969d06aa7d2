"""What callers may give by name: agents of a game, its variants, its player counts; the game itself: `games.find_game`.

Each is looked up once, here. Whatever is an object already is taken as it is. `place` says where the name stood, and
begins the error.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from strozzi_sim.agent import Agent, AgentSpec, AnyAgent, find_agent
from strozzi_sim.errors import ArgumentError, InputError, shown
from strozzi_sim.games.contract import Game
from strozzi_sim.games.variants import Variant, resolve_variant

AnyVariant = str | Variant | Mapping[str, Mapping[str, Any]]


def find_agents(agents: Iterable[AnyAgent], game: Game, place: str = "") -> tuple[AgentSpec, ...]:
    """The agents of these spec strings in this game; one that is declared in code plays with its defaults.

    Raises:
        InputError: an agent or parameter that is not known, or a value out of its range.
        AgentFault: an agent's file or package that does not import.
    """
    check_list(agents)
    try:
        return tuple(find_agent(agent, game, "agents") for agent in agents)
    except InputError as error:
        raise _at(place, error) from None


def check_list(agents: Any) -> None:
    """Refuse what is no list of agents. Raises ArgumentError."""
    if isinstance(agents, AnyAgent) or not isinstance(agents, Iterable):
        raise ArgumentError("agents", f"expected a list of agents, got {shown(agents)}")


def find_variants(game: Game, variants: AnyVariant | Sequence[AnyVariant], place: str = "") -> tuple[Variant, ...]:
    """The variants of these names, shipped ones, or of one's own: name -> changes, as in a study's file.

    Raises:
        InputError: the game has none of that name, or it cannot be changed so.
    """
    if isinstance(variants, str | Variant | Mapping):
        variants = [variants]
    found: list[Variant] = []
    for each in variants:
        if isinstance(each, Mapping):
            own = {str(name): _with_text_keys(changes) for name, changes in each.items()}
            found += [resolve_variant(game, name, own, place) for name in own]
        else:
            found.append(resolve_variant(game, each, place=place) if isinstance(each, str) else each)
    return tuple(found)


def _with_text_keys(changes: Any) -> Any:
    """Changes as TOML has them, where every key is text."""
    if isinstance(changes, Mapping):
        return {str(key): _with_text_keys(value) for key, value in changes.items()}
    return [_with_text_keys(each) for each in changes] if isinstance(changes, list | tuple) else changes


def find_players(game: Game, players: int | Sequence[int] | None) -> tuple[int, ...]:
    """The player counts asked for; if none, the usual one: 4, or the fewest of the game.

    Raises:
        ArgumentError: one that the game does not have.
    """
    if players is None:
        return (4 if 4 in game.player_counts else game.player_counts[0],)
    several: Any = (players,) if isinstance(players, int) else players
    if isinstance(several, str) or not isinstance(several, Iterable):
        raise ArgumentError("players", f"expected a number of players, or several, got {shown(players)}")
    counts = tuple(dict.fromkeys(several))
    for count in counts:
        if count not in game.player_counts:
            raise ArgumentError("players", f"{game.name} takes {game.player_count_text}, got {count}")
    return counts


def check_seats(lineup: Sequence[AnyAgent], players: Sequence[int]) -> None:
    """Refuse a line-up with more agents than some player count has seats.

    Raises:
        ArgumentError: names the agents and the most that fit, or it is no list.
    """
    check_list(lineup)
    fewest = min(players)
    if len(lineup) > fewest:
        names = ",".join(text_of(agent) for agent in lineup)
        raise ArgumentError("agents", f"{len(lineup)} agents ({names}) for {fewest} seats; give at most {fewest}")


def text_of(agent: AnyAgent) -> str:
    """An agent as errors name it."""
    return agent if isinstance(agent, str) else agent.name if isinstance(agent, Agent) else agent.text


def seated(lineup: Sequence[AgentSpec], players: Sequence[int]) -> list[tuple[AgentSpec, ...]]:
    """The line-ups of a study: one agent is self-play; of more, seat i gets agent i mod their number."""
    if len(lineup) == 1:
        return [tuple(lineup)]
    return [tuple(lineup[seat % len(lineup)] for seat in range(count)) for count in players]


def _at(place: str, error: InputError) -> InputError:
    """The error, with the place before it."""
    return InputError(f"{place}: {error}") if place else error
