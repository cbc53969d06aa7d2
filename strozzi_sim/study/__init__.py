"""Studies: which games are played, their counts, tables and verdicts. Names are imported on first use."""

from importlib import import_module
from typing import Any

_PLACES = {
    "Study": "model", "Look": "look", "Results": "results", "run": "running", "read_study": "folders", "load_results": "folders",
    "run_file": "folders", "merge": "folders", "report": "beside", "side_by_side": "beside", "simulate": "kinds.balance", "Balance": "kinds.balance", "compare": "kinds.compare",
    "CompareAgents": "kinds.compare", "CompareVariants": "kinds.compare", "worth": "kinds.worth", "Worth": "kinds.worth", "tournament": "kinds.tournament", "Tournament": "kinds.tournament",
    "sweep": "kinds.sweep", "Sweep": "kinds.sweep",
    "luck": "kinds.luck", "Luck": "kinds.luck", "weights": "kinds.weights", "Weights": "kinds.weights", "exploit": "kinds.exploit",
    "Exploit": "kinds.exploit", "leak_check": "kinds.leak_check", "LeakCheck": "kinds.leak_check", "our_table": "kinds.our_table",
    "OurTable": "kinds.our_table", "heatmap": "kinds.heatmap",
}  # fmt: skip

__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _PLACES:
        raise AttributeError(f"module 'strozzi_sim.study' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"strozzi_sim.study.{_PLACES[name]}"), name)
    return value
