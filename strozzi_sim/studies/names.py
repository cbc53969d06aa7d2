"""What callers may give by name: agents of a game, its variants, its player counts; the game itself: `games.find_game`.

Each is looked up once, here. Whatever is an object already is taken as it is. `place` says where the name stood, and
begins the error.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from strozzi_sim.agent import AGENT_TYPES, Agent, AgentSpec, AnyAgent, find_agent
from strozzi_sim.errors import ArgumentError, InputError, shown
from strozzi_sim.games.contract import Game
from strozzi_sim.games.variants import AnyVariant, Variant, find_variant, own_variants


def find_agents(
    agents: AnyAgent | Iterable[AnyAgent], game: Game, place: str = "", argument: str = "agents"
) -> tuple[AgentSpec, ...]:
    """The agents of these spec strings in this game; one that is declared in code plays with its defaults.

    An agent alone is a list of one. Errors begin with `place`, or are about the argument.

    Raises:
        InputError: an agent or parameter that is not known, or a value out of its range.
        AgentFault: an agent's file or package that does not import.
    """
    try:
        return tuple(find_agent(agent, game, argument) for agent in in_list(agents, argument))
    except InputError as error:
        words = error.message if isinstance(error, ArgumentError) else str(error)
        raise InputError(f"{place}: {words}") if place else ArgumentError(argument, words) from None


def in_list(agents: Any, argument: str = "agents") -> list[Any]:
    """Return agents as a list; an agent alone is a list of one.

    Raises:
        ArgumentError: it is no agent and no list of agents.
    """
    if isinstance(agents, AGENT_TYPES):
        return [agents]
    if not isinstance(agents, Iterable):
        raise ArgumentError(argument, f"expected an agent or a list of agents, got {shown(agents)}")
    return list(agents)


def find_variants(game: Game, variants: AnyVariant | Sequence[AnyVariant], place: str = "") -> tuple[Variant, ...]:
    """The variants of these names, shipped ones, or of one's own: name -> changes, as in a study's file.

    Errors begin with `place`, or are about the argument `variant`.

    Raises:
        InputError: the game has none of that name, or it cannot be changed so.
    """
    if isinstance(variants, str | Variant | Mapping) or not isinstance(variants, Iterable):
        variants = [variants]
    found: list[Variant] = []
    try:
        for each in variants:
            found += own_variants(game, each, place) if isinstance(each, Mapping) else [find_variant(game, each, place)]
    except InputError as error:
        raise error if place else ArgumentError("variant", str(error)) from None
    return tuple(found)


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
    counts = tuple(several)
    for count in counts:
        if isinstance(count, bool) or count not in game.player_counts:
            raise ArgumentError("players", f"{game.name} takes {game.player_count_text}, got {shown(count)}")
    if not counts:
        raise ArgumentError("players", f"{game.name} takes {game.player_count_text}, got none")
    counts = tuple(int(count) for count in dict.fromkeys(counts))
    return counts


def check_seats(lineup: Sequence[AnyAgent], players: Sequence[int]) -> None:
    """Refuse a line-up with more agents than some player count has seats.

    Raises:
        ArgumentError: names the agents and the most that fit.
    """
    fewest = min(players)
    if len(lineup) > fewest:
        names = ",".join(text_of(agent) for agent in lineup)
        raise ArgumentError("agents", f"{len(lineup)} agents ({names}) for {fewest} seats; give at most {fewest}")


def text_of(agent: AnyAgent) -> str:
    """Return an agent as errors name it."""
    if isinstance(agent, AgentSpec):
        return agent.text
    return agent.name if isinstance(agent, Agent) else str(agent)


def seated(lineup: Sequence[AgentSpec], players: Sequence[int]) -> list[tuple[AgentSpec, ...]]:
    """The line-ups of a study: one agent is self-play; of more, seat i gets agent i mod their number."""
    if len(lineup) == 1:
        return [tuple(lineup)]
    return [tuple(lineup[seat % len(lineup)] for seat in range(count)) for count in players]
