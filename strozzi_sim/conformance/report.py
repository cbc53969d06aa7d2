"""Check a game's report: pictures and heat maps may only use names that their tables have.

A picture without rows is omitted from the page, since a study may have no such event; a misspelt name would be missed.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent import load_agent
from strozzi_sim.conformance.checked import Checked
from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.game.reporting import SCENARIO, Picture, unknown_figures
from strozzi_sim.game.variants import BASE
from strozzi_sim.simulation.match import Match
from strozzi_sim.study.counts import CellCounts
from strozzi_sim.study.games import figures_of_games

DEALS, CHUNKS = 4, 2  # deals per chunk, and chunks per player count and line-up, played at random


def check_report(here: Checked) -> None:
    """Make the tables of a small study with every player count, and check the names in the game's pictures and heat maps."""
    part = here.game.report
    if part.is_default or here.variant.name != BASE:
        return
    try:
        lineups = (1, 2)  # self-play has no table of positions
        cells = [_cell(here, players, agents) for players in here.game.player_counts for agents in lineups]
        figures = figures_of_games(here.game, cells, part.PAGES, part.HEATMAPS)
        tables = {name: table.frame() for name, table in figures.items()}
        pictures = part.pictures(tables)
    except (InputError, LookupError) as error:
        what = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        here.require("report", False, f"the tables and pictures of a study: {what}")
    for picture in pictures:
        _check_picture(here, picture, tables)
    for name, heat_map in part.HEATMAPS.items():
        table = tables[f"heat_{name.replace('-', '_')}"]
        own = Picture(name, "", "table", "", (heat_map.figure,), "")
        here.require(
            "report", not unknown_figures(own, table), f"heat map {name!r}: {'; '.join(unknown_figures(own, table))}"
        )


def _cell(here: Checked, players: int, agents: int) -> CellCounts:
    """Return the counts of a few games among agents that play at random."""
    part = here.game.report
    lineup = (load_agent("random", here.game),) * agents
    match = Match(here.game, players, lineup, here.variant, here.seed)
    maps = [heat_map.block.crosstab for heat_map in part.HEATMAPS.values() if heat_map.block]
    plan = match.plan(list(dict.fromkeys([*part.crosstabs(part.PAGES), *maps])))
    chunks = [match.play(first, first + DEALS, plan=plan) for first in range(0, CHUNKS * DEALS, DEALS)]
    outcome = np.concatenate([chunk.outcome for chunk in chunks])
    counts = np.stack([chunk.counts for chunk in chunks])
    text = ", ".join(spec.text for spec in lineup)
    positions = tuple(spec.text for spec in match.positions)
    return CellCounts(
        players, here.variant.name, text, CHUNKS * DEALS, positions, agents == 1, here.variant.components, outcome, counts, plan,
        sign=here.game.sign,
    )  # fmt: skip


def _check_picture(here: Checked, picture: Picture, tables: Mapping[str, pd.DataFrame]) -> None:
    """Check that the names used in a picture exist in its table."""
    where = f"picture {picture.name!r}"

    def known(kind: str, name: Any, names: Any) -> None:
        listed = [str(each) for each in names]
        here.require(
            "report", str(name) in listed, f"{where}: unknown {kind} {short_repr(name)}; {suggest_names(name, listed)}"
        )

    known("page", picture.page, here.game.report.PAGES)
    known("table", picture.table, tables)
    table = tables[picture.table]
    where += f", table {picture.table!r}"
    unknown = unknown_figures(picture, table)
    here.require("report", not unknown, f"{where}: {'; '.join(unknown)}")
    for column in filter(None, (picture.x, picture.series if picture.series != SCENARIO else "", *picture.where)):
        known("column", column, table.columns)
    for column, level in picture.where.items():
        known(f"value of {column}", level, table[column].unique())
    for column, levels in ((picture.x, picture.levels), (picture.series, picture.series_levels)):
        there = set(table[column]) if levels else set()
        here.require(
            "report", not levels or there & set(levels),
            f"{where}: unknown levels {short_repr(list(levels))} of {column}; {suggest_names('', map(str, sorted(there)))}",
        )  # fmt: skip
