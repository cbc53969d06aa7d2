"""Line-ups: which agents play a game, and whether those of a line-up do."""

from collections.abc import Sequence

from strozzi_sim.agent.parameters import NONE, Evaluator, Weights
from strozzi_sim.agent.registry import AgentSpec, installed_agents, load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game


def seat_others(others: Sequence[AgentSpec], players: int, seat: int) -> list[AgentSpec]:
    """Return the agent of every seat around one seat: of k others, the i-th seat after it in turn order gets agent i mod k (i from 0).

    The entry of `seat` itself is the first agent; the caller replaces or ignores it. Every argument `opponents` follows this rule.
    """
    return [others[(each - seat - 1) % players % len(others)] if each != seat else others[0] for each in range(players)]


def check_lineup(lineup: Sequence[AgentSpec], game: Game, players: int) -> None:
    """Check that all agents of a line-up, and their policies, play this game and player count, and have their networks."""
    for spec in lineup:
        check_lineup(spec.resolve_for(game).policies, game, players)
        if not spec.agent.plays(game, players):
            games = ", ".join(spec.agent.games).replace("*", "every game")
            counts = "" if spec.agent.players is None else f" with {spec.agent.players} players"
            raise InputError(
                f"agent {spec.text!r} does not play {game.name} with {players} players; it plays {games}{counts}"
            )
        if spec.missing:
            raise InputError(
                f"agent {spec.text!r}: {spec.missing} must be a file, such as {spec.text}:{spec.missing}=FILE; it has no default file"
            )
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
            table, _ = param.networks(str(spec.values[key]), game, evaluates)
        except InputError as error:
            what = " (to evaluate positions)" if evaluates else ""
            raise InputError(f"agent {spec.text!r}: {key}: {error}{what}") from None
        if not table[players]:
            raise InputError(
                f"agent {spec.text!r}: {key}: {param.file(str(spec.values[key]))} has no network for {players} players"
            )


def agents(game: str | Game | None = None) -> list[str]:
    """Return the names of the agents, or of those that play a game.

    Args:
        game: name or Game; default: all agents.

    Raises:
        InputError: unknown game.

    >>> import strozzi_sim as ss
    >>> "fair-price" in ss.agents("medici_vs_strozzi"), "fair-price" in ss.agents("strozzi")
    (True, False)
    """
    name = None if game is None else find_game(game).name
    return sorted({agent.name for agent, games in installed_agents() if name is None or name in games})
