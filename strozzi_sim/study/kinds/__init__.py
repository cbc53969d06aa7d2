"""The kinds of study, each in a file of its own: public function, study, tables, headlines, verdict and sections.

This is the only list of them. The command line, the tools for assistants and the reader of files go through it.
"""

from importlib import import_module
from typing import Any

from strozzi_sim.errors import ArgumentError, suggest_names

FUNCTIONS = {"simulate": "balance"}  # function -> its file, which is also the command
FUNCTIONS |= {name: name for name in ("compare", "worth", "tournament", "sweep", "luck", "weights", "exploit")}
FUNCTIONS |= {name: name for name in ("leak_check", "our_table", "heatmap")}
# kind in a file -> its file
STUDIES = {"balance": "balance", "compare_agents": "compare", "compare_variants": "compare"}
STUDIES |= {kind: kind for kind in FUNCTIONS if kind not in ("simulate", "compare", "heatmap", "weights")}


def kind_named(kind: str) -> Any:
    """Return the class of a kind of study, whose file is imported now."""
    if kind not in STUDIES:
        raise ArgumentError("kind", f"unknown kind {kind!r}; {suggest_names(kind, STUDIES)}")
    return getattr(import_module(f"{__name__}.{STUDIES[kind]}"), kind.title().replace("_", ""))
