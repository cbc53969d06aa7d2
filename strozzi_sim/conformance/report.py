"""Check a game's report: pictures, heat maps and findings may use only names that their tables have.

A page omits a picture without rows, since a study may lack such events; a misspelt name would go unnoticed.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent import load_agent
from strozzi_sim.conformance.checked import Checked
from strozzi_sim.declare.finding import Comparison
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import SCENARIO, Picture, unknown_figures
from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.game.variants import BASE
from strozzi_sim.simulation.match import Match
from strozzi_sim.study.cells import CellCounts
from strozzi_sim.study.games import figures_of_games

DEALS, CHUNKS = 4, 2  # deals per chunk, and chunks per player count and line-up


def check_report(checked: Checked) -> None:
    """Make the tables of a small study of all player counts; check names in pictures, findings and heat maps."""
    if checked.variant.name != BASE:
        return
    try:
        part = report_of(checked.game)
        if part.is_default:
            return
        agent_counts = (1, 2)  # one agent alone has no table of positions
        cells = [_cell(checked, players, agents) for players in checked.game.player_counts for agents in agent_counts]
        figures = figures_of_games(checked.game, cells, list(part.pages), part.heat_maps)
        tables = {name: table.frame() for name, table in figures.items()}
        pictures = part.pictures(tables)
    except (InputError, LookupError) as error:
        what = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        checked.require("report", False, f"the tables and pictures of a study: {what}")
        return
    for picture in pictures:
        _check_picture(checked, picture, tables)
    for picture, compared, _ in part.comparisons(tables).values():
        _check_finding(checked, picture.name, compared, tables[picture.table])
    for name, heat_map in part.heat_maps.items():
        drawn = Picture(name, "", "table", "", (heat_map.figure,), "")
        unknown = unknown_figures(drawn, tables[f"heat_{name.replace('-', '_')}"])
        checked.require("report", not unknown, f"heat map {name!r}: {'; '.join(unknown)}")


def _cell(checked: Checked, players: int, agents: int) -> CellCounts:
    part = report_of(checked.game)
    lineup = (load_agent("random", checked.game),) * agents
    match = Match(checked.game, players, lineup, checked.variant, checked.seed)
    maps = [heat_map.block.crosstab for heat_map in part.heat_maps.values() if heat_map.block]
    plan = match.plan(list(dict.fromkeys([*part.crosstabs(part.pages), *maps])))
    chunks = [match.play(first, first + DEALS, plan=plan) for first in range(0, CHUNKS * DEALS, DEALS)]
    outcome = np.concatenate([chunk.outcome for chunk in chunks])
    counts = np.stack([chunk.counts for chunk in chunks])
    return CellCounts(0, match, CHUNKS * DEALS, outcome=outcome, counts=counts, plan=plan)


def _require_known(checked: Checked, where: str, kind: str, name: Any, names: Iterable[Any]) -> None:
    listed = [str(each) for each in names]
    checked.require(
        "report", str(name) in listed, f"{where}: unknown {kind} {short_repr(name)}; {suggest_names(name, listed)}"
    )


def _check_picture(checked: Checked, picture: Picture, tables: Mapping[str, pd.DataFrame]) -> None:
    where = f"picture {picture.name!r}"
    _require_known(checked, where, "page", picture.page, report_of(checked.game).pages)
    _require_known(checked, where, "table", picture.table, tables)
    table = tables[picture.table]
    where += f", table {picture.table!r}"
    unknown = unknown_figures(picture, table)
    checked.require("report", not unknown, f"{where}: {'; '.join(unknown)}")
    columns = (picture.x, picture.series if picture.series != SCENARIO else "")
    _check_rows(checked, where, table, columns, picture.where)
    for column, levels in ((picture.x, picture.levels), (picture.series, picture.series_levels)):
        _check_levels(checked, where, table, column, levels)


def _check_finding(checked: Checked, picture: str, compared: Comparison, table: pd.DataFrame) -> None:
    where = f"finding of picture {picture!r}"
    figures = table["figure"].unique()
    for figure in compared.figures if len(table) else ():
        _require_known(checked, where, "figure", figure.name, figures)
    _check_rows(checked, where, table, (compared.key, compared.at), compared.where)
    _check_levels(checked, where, table, compared.key, compared.levels)


def _check_rows(
    checked: Checked, where: str, table: pd.DataFrame, columns: Iterable[str], rows: Mapping[str, str]
) -> None:
    """Check that `columns` and the columns of `rows` exist, and that the latter have the values in `rows`."""
    for column in filter(None, (*columns, *rows)):
        _require_known(checked, where, "column", column, table.columns)
    for column, level in rows.items():
        _require_known(checked, where, f"value of {column}", level, table[column].unique())


def _check_levels(checked: Checked, where: str, table: pd.DataFrame, column: str, levels: tuple[str, ...]) -> None:
    """Check that a column has one of the declared levels; a small study may lack the others."""
    levels_in_table = set(table[column]) if levels else set()
    known = suggest_names("", map(str, sorted(levels_in_table)))
    what = f"{where}: unknown levels {short_repr(list(levels))} of {column}; {known}"
    checked.require("report", not levels or levels_in_table & set(levels), what)
