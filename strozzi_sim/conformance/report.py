"""Check a game's report: what `report.toml` declares may only use names that the tables have.

A picture without rows is omitted from the page, since a study may have no such event; a misspelt name would be missed.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent import load_agent
from strozzi_sim.conformance.checked import Checked
from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.game.finding import Comparison
from strozzi_sim.game.reporting import SCENARIO, Picture, unknown_figures
from strozzi_sim.game.variants import BASE
from strozzi_sim.simulation.match import Match
from strozzi_sim.study.cells import CellCounts
from strozzi_sim.study.games import figures_of_games

DEALS, CHUNKS = 4, 2  # deals per chunk, and chunks per player count and line-up, played at random


def check_report(here: Checked) -> None:
    """Make the tables of a small study with every player count, and check the names in the game's pictures and heat maps."""
    if here.variant.name != BASE:
        return
    try:
        part = here.game.report
        if part.is_default:
            return
        lineups = (1, 2)  # self-play has no table of positions
        cells = [_cell(here, players, agents) for players in here.game.player_counts for agents in lineups]
        figures = figures_of_games(here.game, cells, part.PAGES, part.HEATMAPS)
        tables = {name: table.frame() for name, table in figures.items()}
        pictures = part.pictures(tables)
    except (InputError, LookupError) as error:
        what = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        here.require("report", False, f"the tables and pictures of a study: {what}")
        return
    for picture in pictures:
        _check_picture(here, picture, tables)
    for picture, compared, _ in part.comparisons(tables).values():
        _check_finding(here, picture.name, compared, tables[picture.table])
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
    return CellCounts(0, match, CHUNKS * DEALS, outcome=outcome, counts=counts, plan=plan)


def _known(here: Checked, where: str, kind: str, name: Any, names: Iterable[Any]) -> None:
    listed = [str(each) for each in names]
    here.require(
        "report", str(name) in listed, f"{where}: unknown {kind} {short_repr(name)}; {suggest_names(name, listed)}"
    )


def _check_picture(here: Checked, picture: Picture, tables: Mapping[str, pd.DataFrame]) -> None:
    """Check that the names used in a picture exist in its table."""
    where = f"picture {picture.name!r}"
    _known(here, where, "page", picture.page, here.game.report.PAGES)
    _known(here, where, "table", picture.table, tables)
    table = tables[picture.table]
    where += f", table {picture.table!r}"
    unknown = unknown_figures(picture, table)
    here.require("report", not unknown, f"{where}: {'; '.join(unknown)}")
    columns = (picture.x, picture.series if picture.series != SCENARIO else "")
    _check_rows(here, where, table, columns, picture.where)
    for column, levels in ((picture.x, picture.levels), (picture.series, picture.series_levels)):
        _check_levels(here, where, table, column, levels)


def _check_finding(here: Checked, picture: str, compared: Comparison, table: pd.DataFrame) -> None:
    """Check that the names used by the finding of a picture exist in its table."""
    where = f"finding of picture {picture!r}"
    figures = table["figure"].unique()
    for figure in compared.figures if len(table) else ():
        _known(here, where, "figure", figure.name, figures)
    _check_rows(here, where, table, (compared.key, compared.at), compared.where)
    _check_levels(here, where, table, compared.key, compared.levels)


def _check_rows(
    here: Checked, where: str, table: pd.DataFrame, columns: Iterable[str], rows: Mapping[str, str]
) -> None:
    """Check the names of columns, and of values in `rows`."""
    for column in filter(None, (*columns, *rows)):
        _known(here, where, "column", column, table.columns)
    for column, level in rows.items():
        _known(here, where, f"value of {column}", level, table[column].unique())


def _check_levels(here: Checked, where: str, table: pd.DataFrame, column: str, levels: tuple[str, ...]) -> None:
    there = set(table[column]) if levels else set()
    here.require(
        "report", not levels or bool(there & set(levels)),
        f"{where}: unknown levels {short_repr(list(levels))} of {column}; {suggest_names('', map(str, sorted(there)))}",
    )  # fmt: skip
