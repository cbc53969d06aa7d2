"""strozzi-sim: simulates millions of games of three Eurogames to measure balance, strategy and agent strength.

Names are imported on first use. Only the names listed here are public.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strozzi_sim.agent import Param, compiled_agent, load_agent, python_agent
    from strozzi_sim.agent.lineups import agents
    from strozzi_sim.conformance import check_agent, check_game
    from strozzi_sim.game import game_names as games
    from strozzi_sim.game import load_game
    from strozzi_sim.game.variants import Variant
    from strozzi_sim.play.position import Position
    from strozzi_sim.questions.compare import compare
    from strozzi_sim.questions.exploit import exploit
    from strozzi_sim.questions.heatmap import heatmap
    from strozzi_sim.questions.leak_check import leak_check
    from strozzi_sim.questions.luck import luck
    from strozzi_sim.questions.merge import merge
    from strozzi_sim.questions.one_game import analyse, record
    from strozzi_sim.questions.our_table import our_table
    from strozzi_sim.questions.simulate import simulate
    from strozzi_sim.questions.sweep import sweep
    from strozzi_sim.questions.tournament import tournament
    from strozzi_sim.questions.weights import weights
    from strozzi_sim.questions.worth import worth
    from strozzi_sim.simulation.vector import VectorEnv
    from strozzi_sim.studies.results import Results
    from strozzi_sim.studies.study import Study, read_study, run

    __version__: str

_PLACES = {
    "Param": "agent", "compiled_agent": "agent", "load_agent": "agent", "python_agent": "agent", "agents": "agent.lineups",
    "check_agent": "conformance", "check_game": "conformance", "load_game": "game", "Variant": "game.variants", "Position": "play.position",
    "VectorEnv": "simulation.vector", "Results": "studies.results", "Study": "studies.study", "read_study": "studies.study",
    "run": "studies.study", "analyse": "questions.one_game", "record": "questions.one_game",
    **{name: f"questions.{name}" for name in ("compare", "exploit", "heatmap", "leak_check", "luck", "merge", "our_table", "simulate", "sweep", "tournament", "weights", "worth")},
}  # fmt: skip

__all__ = [
    "Param", "Position", "Results", "Study", "Variant", "VectorEnv", "__version__", "agents", "analyse", "check_agent", "check_game", "compare", "compiled_agent",
    "exploit", "games", "heatmap", "leak_check", "load_agent", "load_game", "luck", "merge", "our_table", "python_agent", "read_study", "record", "run",
    "simulate", "sweep", "tournament", "weights", "worth",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name == "__version__":
        from importlib.metadata import version

        return version("strozzi-sim")
    if name == "games":  # a module too, which lists them when it is called
        return import_module("strozzi_sim.games")
    if name not in _PLACES:
        from strozzi_sim.errors import suggest_names

        raise AttributeError(f"module 'strozzi_sim' has no attribute {name!r}; {suggest_names(name, __all__)}")
    value = globals()[name] = getattr(import_module(f"strozzi_sim.{_PLACES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
