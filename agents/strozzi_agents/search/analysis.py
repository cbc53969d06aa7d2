"""Analyses of the searching agents after a decision, read from their memory; see `strozzi_sim.agent.analysis`."""

from collections.abc import Sequence
from typing import Any

from strozzi_agents.search.tree import NO_NODE, ROOT
from strozzi_sim.agent.analysis import ActionAnalysis


def flat_analyses(memory: Any, legal: Sequence[int], node: Any) -> list[ActionAnalysis]:
    """Mean reward of an action's simulated games for the seat that decides, from 0 to 1 (see the parameter `utility`)."""
    analyses = []
    for k, action in enumerate(legal):
        tried = int(memory["tried"][k])
        analyses.append(ActionAnalysis(action, tried, float(memory["total"][k]) / tried))
    return analyses


def tree_analyses(memory: Any, legal: Sequence[int], node: Any) -> list[ActionAnalysis]:
    """Mean reward of an action's iterations for the seat that takes it, from 0 to 1 (see `utility` and `backup`)."""
    nodes = memory["nodes"]
    analyses = []
    child = int(nodes[ROOT if node is None else node]["first"])
    while child != NO_NODE:
        here = nodes[child]
        visits = int(here["visits"])
        analyses.append(
            ActionAnalysis(int(here["action"]), visits, float(here["total"]) / visits, int(here["seat"]), child)
        )
        child = int(here["next"])
    return analyses
