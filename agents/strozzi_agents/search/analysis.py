"""Analyses of the searching agents after a decision, read from their memory; see `strozzi_sim.agent.analysis`."""

from collections.abc import Sequence
from typing import Any

from strozzi_agents.search.tree import NO_NODE, ROOT
from strozzi_sim.agent.analysis import ActionAnalysis


def flat_analyses(memory: Any, legal: Sequence[int], node: Any) -> list[ActionAnalysis]:
    """Return each action's mean reward in simulated games for the acting seat, 0 to 1 (see the parameter `utility`)."""
    analyses = []
    for k, action in enumerate(legal):
        tried = int(memory["tried"][k])
        analyses.append(ActionAnalysis(action, tried, float(memory["total"][k]) / tried))
    return analyses


def tree_analyses(memory: Any, legal: Sequence[int], node: Any) -> list[ActionAnalysis]:
    """Return each action's mean reward in iterations for the seat that takes it, 0 to 1; see `utility`, `backup`."""
    nodes = memory["nodes"]
    analyses = []
    child = int(nodes[ROOT if node is None else node]["first"])
    while child != NO_NODE:
        record = nodes[child]
        visits = int(record["visits"])
        analyses.append(
            ActionAnalysis(int(record["action"]), visits, float(record["total"]) / visits, int(record["seat"]), child)
        )
        child = int(record["next"])
    return analyses
