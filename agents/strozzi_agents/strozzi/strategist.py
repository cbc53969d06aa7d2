"""The strongest known settings of `ismcts` for Strozzi, without learned values, as an agent (docs/search.md)."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from strozzi_agents.search.ismcts import ismcts


def _preset(**values: Any) -> MappingProxyType[str, Any]:
    """Return the parameters of the search with these values as defaults."""
    declared: dict[str, Any] = dict(ismcts.params)
    return MappingProxyType(declared | {key: replace(declared[key], default=value) for key, value in values.items()})


strategist = replace(
    ismcts,
    name="strategist",
    games=("strozzi",),
    description="Simulates 500 games, continued by `heuristic`, before each decision.",
    params=_preset(iterations=500, root="halving", backup="selfish", rollout="heuristic", prior="heuristic", bias=50.0),
)
