"""The functions that play studies, and the kinds of study: a file has a function, and the classes of its kinds.

This is the only list of both. The command line, the tools for assistants and the reader of files go through it.
"""

from importlib import import_module
from typing import Any

from strozzi_sim.errors import ArgumentError, short_repr, suggest_names

FUNCTIONS = {"simulate": "balance"}  # function -> its file, which names the command too
FUNCTIONS |= {name: name for name in ("compare", "worth", "tournament", "sweep", "luck", "weights", "exploit")}
FUNCTIONS |= {name: name for name in ("leak_check", "our_table", "heatmap")}
# kind, as in a study file -> its file here
STUDIES = {"balance": "balance", "compare_agents": "compare", "compare_variants": "compare"}
STUDIES |= {kind: kind for kind in FUNCTIONS if kind not in ("simulate", "compare", "heatmap", "weights")}


def kind_named(kind: str) -> Any:
    """Import the file of a kind of study, and return its class."""
    if kind not in list(STUDIES):  # a file may have a list here, which is no key
        raise ArgumentError("kind", f"unknown kind {short_repr(kind)}; {suggest_names(kind, STUDIES)}")
    return getattr(import_module(f"{__name__}.{STUDIES[kind]}"), kind.title().replace("_", ""))
