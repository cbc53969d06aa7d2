"""The tables of a study: seats, line-up and fairness here, for every game; the rest by the game's own pages.

Axes of the outcome: [C chunks, position, seat].
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.facts.blocks import ALL, Block
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import CELL, FIGURE, FigureTable, check_names
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.stats.intervals import Estimate
from strozzi_sim.studies.cells import GAMES_SAVED, CellCounts
from strozzi_sim.studies.changes import changes
from strozzi_sim.studies.plan import EFFECT, Plan

EXPLORER, EXPLORER_KEYS = "explorer", ("map", "row", "column", "round")


def study_tables(
    game: Game,
    cells: Sequence[CellCounts],
    pages: Sequence[str],
    heatmaps: Mapping[str, HeatMap],
    compared: Sequence[tuple[str, str]] = (),
    effect: float = EFFECT,
    explored: Mapping[str, Block] = MappingProxyType({}),
) -> dict[str, pd.DataFrame]:
    """Return every table of a study by name; `seats`, `lineup` and `balance` always, the others as pages and heat maps ask.

    `changes` has the differences of the `compared` pairs of variants; see `studies.changes`. `explorer` has the figures of
    `explored`, map by map.

    Raises:
        InputError: a page the game does not have.
    """
    found = figure_tables(game, cells, pages, heatmaps, sums=bool(compared))
    tables = {name: table.frame() for name, table in found.items()}
    if compared:
        whole = {name: table for name, table in found.items() if not name.startswith("heat_")}
        tables["changes"] = changes(whole, compared, effect)
    if explored:
        tables[EXPLORER] = _explorer(cells, explored).frame()
    return tables


def _explorer(cells: Sequence[CellCounts], explored: Mapping[str, Block]) -> FigureTable:
    """Return the figures of all maps by row, column and round."""
    table = FigureTable(*EXPLORER_KEYS)
    for name, block in explored.items():
        round_of_all = {} if "round" in block.axes else {"round": ALL}
        named = replace(block, levels={**block.levels, "map": name, **round_of_all})
        for cell in cells:
            named.write(table, cell, stats)
    return table


def figure_tables(
    game: Game, cells: Sequence[CellCounts], pages: Sequence[str], heatmaps: Mapping[str, HeatMap], *, sums: bool
) -> dict[str, FigureTable]:
    """Return the tables of `study_tables` but `changes`, before they become data frames; with `sums` they keep the counts of ratios."""
    part = game.report
    check_names("page", pages, part.PAGES)
    seats, lineup, balance = (FigureTable(*keys, sums=sums) for keys in (("seat",), ("position", "agent"), ()))
    for cell in cells:
        _add_seats(seats, cell)
        _add_fairness(balance, cell)
        if not cell.selfplay:
            _add_lineup(lineup, cell)
    of_game = part.tables(cells, pages, heatmaps, stats, sums=sums)
    cell_order = {(cell.players, cell.variant, cell.lineup): number for number, cell in enumerate(cells)}
    balance.parts += of_game.pop("balance").parts
    balance.parts.sort(key=lambda part: cell_order[part.players, part.variant, part.lineup])
    return {"balance": balance, "seats": seats, "lineup": lineup, **of_game}


def sweep_table(balance: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """Return the figures of the whole game beside the swept values: players, variant, lineup, the keys, figure, ..."""
    values, keys = plan.swept_values, [key for key, _ in plan.sweep]
    columns = {
        key: np.array([values[name][number] for name in balance["variant"]], np.float64)
        for number, key in enumerate(keys)
    }
    return balance.assign(**columns)[[*CELL, *keys, *FIGURE]]


def _add_seats(table: FigureTable, cell: CellCounts) -> None:
    for sums in cell.sums("seat"):
        table.add(cell, sums.figure, sums.estimate(), seat=range(cell.players))
    for figure, luck in cell.luck("seat").items():
        table.add(cell, f"{figure}{GAMES_SAVED}", luck.games_saved(), seat=range(cell.players))


def _add_lineup(table: FigureTable, cell: CellCounts) -> None:
    for sums in cell.sums("position"):
        _by_agent(table, cell, sums.figure, sums.estimate(), range(cell.players))
        figure, first = f"{sums.figure}_minus_position_0", sums.of(slice(0, 1))
        for position in range(1, cell.players):
            same = cell.positions[position] == cell.positions[0]
            less = sums.of(slice(position, position + 1)).minus(first, same=same)
            _by_agent(table, cell, figure, less, range(position, position + 1))
    for name, luck in cell.luck("position").items():
        _by_agent(table, cell, f"{name}{GAMES_SAVED}", luck.games_saved(), range(cell.players))


def _by_agent(table: FigureTable, cell: CellCounts, figure: str, estimate: Estimate, positions: range) -> None:
    """Add one row per position; the agent is determined by the position, so it is no separate axis."""
    for k, position in enumerate(positions):
        table.add(cell, figure, estimate.at(k), position=position, agent=cell.positions[position])


def _add_fairness(table: FigureTable, cell: CellCounts) -> None:
    """Add the gap between seats, the gap expected by chance, and the test of equal seats."""
    wins = cell.sums("seat")[0].numerator
    seats = stats.seat_gap(wins, unit=WIN_UNITS, deals=cell.deals)
    games = np.asarray(cell.games)
    nothing = np.asarray(np.nan)
    for figure, value, without in (
        ("seat_gap", seats.gap, seats.without),
        ("seat_gap_by_chance", seats.by_chance, None),
        ("seat_favour_bound", seats.bound, None),
        ("seat_fairness_p", stats.equal_shares_p(wins, WIN_UNITS), None),
    ):
        table.add(cell, figure, Estimate(np.asarray(value), nothing, nothing, games, without=without))
    outcome = cell.outcome
    table.add(cell, "decisions_mean", stats.ratio(outcome["decisions"], outcome["games"]))
