"""strozzi-sim: simulates millions of games of three Eurogames to measure balance, strategy and agent strength.

Names are imported on first use. Only the names listed here, and the functions of the kinds of study, are public;
type checkers find them in the file __init__.pyi.
"""

from importlib import import_module
from typing import Any

from strozzi_sim import runtime
from strozzi_sim.study.kinds import KINDS

# The key of the code cache is made of these sources; set here, since `runtime` must not name packages built on it.
runtime.compiled_sources = (
    *(f"strozzi_sim.{name}" for name in ("kernel", "facts", "agent", "simulation", "play", "conformance.kernels")),
    *(f"strozzi_sim.game.{module}" for module in ("contract", "events", "slices")),
    "strozzi_agents",
)

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
    "study.look": ("Look",),
    "study.model": ("Study",),
    "study.results": ("Results",),
    "study.running": ("run",),
}
_PLACES = {name: f"strozzi_sim.{module}:{name}" for module, names in _NAMES.items() for name in names}
_PLACES |= {kind.name: kind.place for kind in KINDS}

__all__ = sorted([*_PLACES, "__version__"])


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name == "__version__":
        from importlib.metadata import version

        return version("strozzi-sim")
    if name not in _PLACES:
        from strozzi_sim.errors import suggest_names

        raise AttributeError(f"module 'strozzi_sim' has no attribute {name!r}; {suggest_names(name, __all__)}")
    module, _, _ = _PLACES[name].partition(":")
    value = globals()[name] = getattr(import_module(module), name)
    return value


def __dir__() -> list[str]:
    return __all__
