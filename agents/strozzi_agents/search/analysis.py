"""Analyses of the searches' decisions, read from their memory; see `strozzi_sim.agent.analysis`."""

from collections.abc import Sequence
from typing import Any

from strozzi_agents.search.tree import NO_NODE, ROOT
from strozzi_sim.agent.analysis import ActionAnalysis


def flat_analyses(memory: Any, legal: Sequence[int], node: Any) -> list[ActionAnalysis]:
    """Return each action's mean reward for the acting seat over its simulated games, 0 to 1; see `utility`."""
    tried, total = memory["tried"], memory["total"]
    return [ActionAnalysis(action, int(tried[k]), float(total[k]) / int(tried[k])) for k, action in enumerate(legal)]


def tree_analyses(memory: Any, legal: Sequence[int], node: Any) -> list[ActionAnalysis]:
    """Return each action's mean reward, 0 to 1, for the seat that takes it; see `utility`, `backup`."""
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
