"""What the tests of reports share: the counts of a cell, played on the spot, and sums of figures."""

import numpy as np

from strozzi_sim.agent import load_agent
from strozzi_sim.declare.pages import report_of
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.match import Match
from strozzi_sim.study.cells import CellCounts
from strozzi_sim.study.games import figures_of_games

CELL, FIGURE = ["players", "variant", "lineup"], ["figure", "value", "low", "high", "n", "deals"]


def cell(game, players, agents="random", deals=240, chunks=12, variant="base"):
    """The counts of one cell; one agent plays itself, several take turns at the seats."""
    lineup = tuple(load_agent(agent, game) for agent in agents.split(","))
    resolved = resolve_variant(game, variant) if isinstance(variant, str) else variant
    match = Match(game, players, lineup, resolved, 2008, "one" if len(lineup) == 1 else "rotate")
    maps = [heat_map.block.crosstab for heat_map in report_of(game).heat_maps.values()]
    plan = match.plan([*report_of(game).crosstabs(report_of(game).pages), *maps])
    played = [match.play(c * deals // chunks, (c + 1) * deals // chunks, plan=plan) for c in range(chunks)]
    outcome, counts = np.concatenate([each.outcome for each in played]), np.stack([each.counts for each in played])
    return CellCounts(0, match, deals, outcome=outcome, counts=counts, plan=plan)


def tables_of(game, cells, pages, maps):
    """The tables of these pages and heat maps of a game, beside seats, lineup and balance."""
    return {name: table.frame() for name, table in figures_of_games(game, cells, pages, maps).items()}


def sums(table, figure, group, **where):
    """The sums of a figure by group, of the groups in which every row has a value."""
    rows = table[table["figure"] == figure]
    for column, values in where.items():
        rows = rows[rows[column].isin(values)]
    assert len(rows)
    whole = rows.dropna(subset="value").groupby(group, sort=False)["value"].sum()
    complete = rows.groupby(group, sort=False)["value"].apply(lambda values: values.notna().all())
    return whole[complete]
