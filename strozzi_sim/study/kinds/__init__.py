"""The kinds of study, each in a file of its own: public function, study, tables, headlines, verdict and sections.

This is the only list of them. The command line, the tools for assistants and the reader of files go through it.
"""

from importlib import import_module
from typing import Any

from strozzi_sim.errors import ArgumentError, suggest_names

FUNCTIONS = {  # function -> its file, which is also the command
    "simulate": "balance", "compare": "compare", "worth": "worth", "tournament": "tournament", "sweep": "sweep",
    "luck": "luck", "weights": "weights", "exploit": "exploit", "leak_check": "leak_check", "our_table": "our_table", "heatmap": "heatmap",
}  # fmt: skip
STUDIES = {  # kind in a file -> its class
    "balance": "balance:Balance", "compare_agents": "compare:CompareAgents", "compare_variants": "compare:CompareVariants",
    "worth": "worth:Worth", "tournament": "tournament:Tournament", "sweep": "sweep:Sweep",
    "luck": "luck:Luck", "weights": "weights:Weights", "exploit": "exploit:Exploit", "leak_check": "leak_check:LeakCheck", "our_table": "our_table:OurTable",
}  # fmt: skip


def kind_named(kind: str) -> Any:
    """Return the class of a kind of study, whose file is imported now."""
    if kind not in STUDIES:
        raise ArgumentError("kind", f"unknown kind {kind!r}; {suggest_names(kind, STUDIES)}")
    module, _, name = STUDIES[kind].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), name)
