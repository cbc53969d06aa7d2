"""The tables of a study: seats, line-up and fairness here, for every game; the rest by the game's own pages.

Axes of the outcome: [C chunks, position, seat].
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import FigureTable, check_names
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.stats.intervals import Estimate
from strozzi_sim.studies.cells import CellCounts


def study_tables(
    game: Game, cells: Sequence[CellCounts], pages: Sequence[str], heatmaps: Mapping[str, HeatMap]
) -> dict[str, pd.DataFrame]:
    """Every table of a study by name; `seats`, `lineup` and `balance` always, the others as pages and heat maps ask.

    Raises:
        InputError: a page the game does not have.
    """
    part = game.report
    check_names("page", pages, part.PAGES)
    seats, lineup, balance = FigureTable("seat"), FigureTable("position", "agent"), FigureTable()
    for cell in cells:
        _add_seats(seats, cell)
        _add_fairness(balance, cell)
        if not cell.selfplay:
            _add_lineup(lineup, cell)
    of_game: dict[str, pd.DataFrame] = part.tables(cells, pages, heatmaps, stats)
    own = of_game.pop("balance")
    both = pd.concat([balance.frame(), own], ignore_index=True)
    cell_order = {(cell.players, cell.variant, cell.lineup): number for number, cell in enumerate(cells)}
    number = [cell_order[key] for key in zip(both["players"], both["variant"], both["lineup"], strict=True)]
    both = both.iloc[np.argsort(number, kind="stable")].reset_index(drop=True)
    return {"balance": both, "seats": seats.frame(), "lineup": lineup.frame(), **of_game}


def _add_seats(table: FigureTable, cell: CellCounts) -> None:
    for sums in cell.sums("seat"):
        table.add(cell, sums.figure, sums.estimate(), seat=range(cell.players))


def _add_lineup(table: FigureTable, cell: CellCounts) -> None:
    for sums in cell.sums("position"):
        _by_agent(table, cell, sums.figure, sums.estimate(), range(cell.players))
        figure, first = f"{sums.figure}_minus_position_0", sums.of(slice(0, 1))
        for position in range(1, cell.players):
            same = cell.positions[position] == cell.positions[0]
            less = sums.of(slice(position, position + 1)).minus(first, same=same)
            _by_agent(table, cell, figure, less, range(position, position + 1))


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
    for figure, value in (
        ("seat_gap", seats.gap),
        ("seat_gap_by_chance", seats.by_chance),
        ("seat_favour_bound", seats.bound),
        ("seat_fairness_p", stats.equal_shares_p(wins, WIN_UNITS)),
    ):
        table.add(cell, figure, Estimate(np.asarray(value), nothing, nothing, games))
    outcome = cell.outcome
    table.add(cell, "decisions_mean", stats.ratio(outcome["decisions"], outcome["games"]))
