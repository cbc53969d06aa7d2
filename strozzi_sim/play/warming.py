"""Compile in advance the code that a game's first results need."""

from collections.abc import Iterator

from strozzi_sim.agent import load_agent
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.agent.registry import installed_agents
from strozzi_sim.game.contract import Game
from strozzi_sim.play import kernels
from strozzi_sim.simulation import slots
from strozzi_sim.simulation import vector_kernels as vector
from strozzi_sim.simulation.loop import compiled_loop


def warm(game: Game) -> Iterator[str]:
    """Compile the loops, the kernels of `Position` and `VectorEnv`, and the installed agents; yield the name of each.

    Agents have their default parameters. Third-party agents are left out, since the cache omits them (docs/agents.md).
    """
    for output, name in (("", "silent loop"), ("facts", "counting loop"), ("journal", "recording loop")):
        compiled_loop(game, output)
        yield name
    kernels.kernels(game).loaded()
    yield "position"
    slots.kernels(game)
    vector.kernels(game)
    yield "vector environment"
    for agent, games in installed_agents():
        if game.name in games and (spec := load_agent(agent.name, game)).builtin and agent.kind == "compiled":
            compile_agent(spec, game)
            yield f"agent {agent.name}"
