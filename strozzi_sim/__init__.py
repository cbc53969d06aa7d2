"""strozzi-sim: plays Renaissance Eurogames millions of times and says what that teaches.

Nothing is imported before it is used. What is not listed here may change from version to version.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strozzi_sim.agent import Param, compiled_agent, load_agent, python_agent
    from strozzi_sim.api.contests import compare, exploit, fairness, ladder, tournament
    from strozzi_sim.api.results import Results
    from strozzi_sim.api.studies import Study, agents, read_study, run, simulate
    from strozzi_sim.conformance import check_agent, check_game
    from strozzi_sim.games import game_names as games
    from strozzi_sim.games import load_game
    from strozzi_sim.play.position import Position
    from strozzi_sim.selfplay.vector import VectorEnv

    __version__: str

_PLACES = {
    "Param": "agent", "compiled_agent": "agent", "load_agent": "agent", "python_agent": "agent",
    "agents": "api.studies", "compare": "api.contests", "exploit": "api.contests", "fairness": "api.contests",
    "ladder": "api.contests", "tournament": "api.contests", "Results": "api.results", "Study": "api.studies",
    "read_study": "api.studies", "run": "api.studies", "simulate": "api.studies", "check_agent": "conformance",
    "check_game": "conformance", "load_game": "games", "Position": "play.position", "VectorEnv": "selfplay.vector",
}  # fmt: skip

__all__ = [
    "Param", "Position", "Results", "Study", "VectorEnv", "__version__", "agents", "check_agent", "check_game", "compare", "compiled_agent",
    "exploit", "fairness", "games", "ladder", "load_agent", "load_game", "python_agent", "read_study", "run",
    "simulate", "tournament",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        return version("strozzi-sim")
    if name == "games":  # a module too, which lists them when it is called
        return import_module("strozzi_sim.games")
    if name not in _PLACES:
        from strozzi_sim.errors import known_names

        raise AttributeError(f"module 'strozzi_sim' has no attribute {name!r}; {known_names(name, __all__)}")
    value = globals()[name] = getattr(import_module(f"strozzi_sim.{_PLACES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
