"""Line-ups: which agents play a game, and whether those of a line-up do."""

from collections.abc import Sequence

from strozzi_sim.agent.parameters import Weights
from strozzi_sim.agent.registry import AgentSpec, installed_agents
from strozzi_sim.errors import InputError
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game


def check_lineup(lineup: Sequence[AgentSpec], game: Game, players: int) -> None:
    """Check that all agents of a line-up, and their policies, play this game and player count."""
    for spec in lineup:
        check_lineup(spec.resolve_for(game).policies, game, players)
        if not spec.agent.plays(game, players):
            games = ", ".join(spec.agent.games).replace("*", "every game")
            counts = "" if spec.agent.players is None else f" with {spec.agent.players} players"
            raise InputError(
                f"agent {spec.text!r} does not play {game.name} with {players} players; it plays {games}{counts}"
            )
        for key, param in spec.agent.params.items():
            if isinstance(param, Weights) and not param.networks(str(spec.values[key]))[0][players]:
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
