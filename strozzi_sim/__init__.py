"""strozzi-sim: simulates millions of games of three Eurogames to measure balance, strategy and agent strength.

Names are imported on first use. Only the names listed here are public.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from strozzi_sim import runtime

runtime.compiled_sources = (
    *(f"strozzi_sim.{room}" for room in ("kernel", "facts", "agent", "simulation", "play", "conformance.kernels")),
    *(f"strozzi_sim.game.{module}" for module in ("contract", "events", "slices")),
    "strozzi_agents",
)

if TYPE_CHECKING:
    from strozzi_sim.agent import Param, compiled_agent, load_agent, python_agent
    from strozzi_sim.agent.registry import agents
    from strozzi_sim.conformance import check_agent, check_game
    from strozzi_sim.game import game_names, load_game
    from strozzi_sim.game.variants import Variant
    from strozzi_sim.play.one_game import analyse, record
    from strozzi_sim.play.position import Position
    from strozzi_sim.simulation.vector import VectorEnv
    from strozzi_sim.study.beside import side_by_side
    from strozzi_sim.study.folders import load_results, merge, read_study
    from strozzi_sim.study.kinds.balance import simulate
    from strozzi_sim.study.kinds.compare import compare
    from strozzi_sim.study.kinds.exploit import exploit
    from strozzi_sim.study.kinds.heatmap import heatmap
    from strozzi_sim.study.kinds.leak_check import leak_check
    from strozzi_sim.study.kinds.luck import luck
    from strozzi_sim.study.kinds.our_table import our_table
    from strozzi_sim.study.kinds.sweep import sweep
    from strozzi_sim.study.kinds.tournament import tournament
    from strozzi_sim.study.kinds.weights import weights
    from strozzi_sim.study.kinds.worth import worth
    from strozzi_sim.study.look import Look
    from strozzi_sim.study.model import Study
    from strozzi_sim.study.results import Results
    from strozzi_sim.study.running import run

    __version__: str

_NAMES = {  # module -> its public names
    "agent": ("Param", "compiled_agent", "load_agent", "python_agent"),
    "agent.registry": ("agents",),
    "conformance": ("check_agent", "check_game"),
    "game": ("game_names", "load_game"),
    "game.variants": ("Variant",),
    "play.one_game": ("analyse", "record"),
    "play.position": ("Position",),
    "simulation.vector": ("VectorEnv",),
    "study.beside": ("side_by_side",),
    "study.folders": ("load_results", "merge", "read_study"),
    "study.kinds.balance": ("simulate",),
    "study.look": ("Look",),
    "study.model": ("Study",),
    "study.results": ("Results",),
    "study.running": ("run",),
}
_KINDS = ("compare", "exploit", "heatmap", "leak_check", "luck", "our_table", "sweep", "tournament", "weights", "worth")
_PLACES = {name: module for module, names in _NAMES.items() for name in names}
_PLACES |= {name: f"study.kinds.{name}" for name in _KINDS}

__all__ = ["Look", "Param", "Position", "Results", "Study", "Variant", "VectorEnv", "__version__", "agents", "analyse"]
__all__ += ["check_agent", "check_game", "compare", "compiled_agent", "exploit", "game_names", "heatmap"]
__all__ += ["leak_check", "load_agent", "load_game", "load_results", "luck", "merge", "our_table", "python_agent"]
__all__ += ["read_study", "record", "run", "side_by_side", "simulate", "sweep", "tournament", "weights", "worth"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name == "__version__":
        from importlib.metadata import version

        return version("strozzi-sim")
    if name not in _PLACES:
        from strozzi_sim.errors import suggest_names

        raise AttributeError(f"module 'strozzi_sim' has no attribute {name!r}; {suggest_names(name, __all__)}")
    value = globals()[name] = getattr(import_module(f"strozzi_sim.{_PLACES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
