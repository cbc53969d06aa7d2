"""Styles of play that a designer recognises: `heuristic` with a few changed weights."""

from dataclasses import replace
from types import MappingProxyType

from strozzi_agents.strozzi.heuristic import heuristic
from strozzi_sim.agent import Agent, Param


def _style(name: str, description: str, **weights: float) -> Agent:
    """Return `heuristic` under another name, with these weights as defaults."""
    params = dict(heuristic.params)
    for key, weight in weights.items():
        param = params[key]
        assert isinstance(param, Param)
        params[key] = replace(param, default=weight)
    return replace(heuristic, name=name, params=MappingProxyType(params), description=description)


racer = _style("racer", "Speed first: goes for the ship prizes.", speed=1.6, ware=0.7, scroll=0.7, promotion=0.8)
trader = _style("trader", "Wares first: climbs at the ports.", speed=0.5, ware=2.2, scroll=0.6, promotion=0.6)
florence = _style("florence", "Scrolls first: climbs at Florence.", scroll=4.0)
promoter = _style("promoter", "Promotion tiles first: collects for the category prizes.", promotion=4.0)
pirate_early = _style(
    "pirate-early", "Spends its pirate flag first.", keep_pirate=-2.0, keep_pirate_early=0.0, piracy=-0.5
)
pirate_late = _style("pirate-late", "Keeps its pirate flag for last.", keep_pirate=3.0, keep_pirate_early=2.0)
picky = _style(
    "picky", "Claims little: waits for a very good ship.", patience=1.4, patience_scarce=0.9, patience_plenty=1.6
)
eager = _style("eager", "Claims nearly everything.", patience=0.2, patience_scarce=0.1, patience_plenty=0.2)
