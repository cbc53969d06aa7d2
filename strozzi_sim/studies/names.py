"""What callers may give by name: agents of a game, its variants, its player counts; the game itself: `games.find_game`.

Each is looked up once, here. Whatever is an object already is taken as it is. `place` says where the name stood, and
begins the error.
"""

from collections.abc import Iterable, Sequence

from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.games.contract import Game
from strozzi_sim.games.variants import Variant, find_variant


def find_agents(agents: Iterable[str | AgentSpec], game: Game, place: str = "") -> tuple[AgentSpec, ...]:
    """The agents of these spec strings in this game.

    Raises:
        InputError: an agent or parameter that is not known, or a value out of its range.
        AgentFault: an agent's file or package that does not import.
    """
    try:
        return tuple(load_agent(agent, game) if isinstance(agent, str) else agent.within(game) for agent in agents)
    except InputError as error:
        raise _at(place, error) from None


def find_variants(
    game: Game, variants: str | Variant | Sequence[str | Variant], place: str = ""
) -> tuple[Variant, ...]:
    """The variants of these names, shipped ones.

    Raises:
        InputError: the game has none of that name.
    """
    if isinstance(variants, str | Variant):
        variants = [variants]
    return tuple(find_variant(game, each, place) for each in variants)


def find_players(game: Game, players: int | Sequence[int] | None) -> tuple[int, ...]:
    """The player counts asked for; if none, the usual one: 4, or the fewest of the game.

    Raises:
        ArgumentError: one that the game does not have.
    """
    if players is None:
        return (4 if 4 in game.player_counts else game.player_counts[0],)
    counts = (players,) if isinstance(players, int) else tuple(dict.fromkeys(players))
    for count in counts:
        if count not in game.player_counts:
            raise ArgumentError("players", f"{game.name} takes {game.player_count_text}, got {count}")
    return counts


def check_seats(lineup: Sequence[str | AgentSpec], players: Sequence[int]) -> None:
    """Refuse a line-up with more agents than some player count has seats.

    Raises:
        ArgumentError: names the agents and the most that fit.
    """
    fewest = min(players)
    if len(lineup) > fewest:
        names = ",".join(agent if isinstance(agent, str) else agent.text for agent in lineup)
        raise ArgumentError("agents", f"{len(lineup)} agents ({names}) for {fewest} seats; give at most {fewest}")


def seated(lineup: Sequence[AgentSpec], players: Sequence[int]) -> list[tuple[AgentSpec, ...]]:
    """The line-ups of a study: one agent is self-play; of more, seat i gets agent i mod their number."""
    if len(lineup) == 1:
        return [tuple(lineup)]
    return [tuple(lineup[seat % len(lineup)] for seat in range(count)) for count in players]


def _at(place: str, error: InputError) -> InputError:
    """The error, with the place before it."""
    return InputError(f"{place}: {error}") if place else error
