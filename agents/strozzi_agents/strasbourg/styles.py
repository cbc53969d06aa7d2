"""Styles that a designer recognises: the evaluator with a few changed weights."""

from dataclasses import replace
from types import MappingProxyType

from strozzi_agents.strasbourg.heuristic import heuristic
from strozzi_sim.agent import Agent, Param


def _style(name: str, description: str, **weights: float) -> Agent:
    """Return `heuristic` under another name, with these weights as defaults."""
    params = dict(heuristic.params)
    for key, weight in weights.items():
        param = params[key]
        assert isinstance(param, Param)
        params[key] = replace(param, default=weight)
    return replace(heuristic, name=name, params=MappingProxyType(params), description=description)


hoarder = _style("hoarder", "Keeps its influence for the last rounds.", early=-0.7, overdraw=-1.0)
spender = _style("spender", "Spends its influence in the first rounds.", early=2.5, overdraw=4.0)
tasker = _style("tasker", "Tasks first: keeps more of them and weighs them higher.", task=1.8, keep=-2.0)
councillor = _style("councillor", "Chairs first: goes for a majority in the council.", chair=2.0, majority=1.0)
merchant = _style("merchant", "Coins first: takes goods and sells them.", coin=2.0, spend=4.0, sale=1.2, carry=0.9)
