"""The report of a game that has none of its own: seats and line-up, which every study has, and scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from strozzi_sim.games.reporting import FigureTable, HeatMap, make_tables

PAGES = ("balance",)
PAGE_TITLES = {"balance": ("Balance", "Is the game fair to its seats?")}
HEATMAPS: dict[str, HeatMap] = {}


def _add_balance(table: FigureTable, cell: Any, stats: Any) -> None:
    scores, played = (cell.outcome[name].sum(axis=(1, 2)) for name in ("scores", "played"))
    table.add(cell, "score_mean", stats.ratio(scores, played))


def tables(cells: Sequence[Any], pages: Sequence[str], heatmaps: Sequence[str], stats: Any) -> dict[str, pd.DataFrame]:
    """The tables of these cells; see `make_tables`.

    Raises:
        InputError: an unknown page or heat map; lists the known ones.
    """
    return make_tables(cells, pages, heatmaps, stats, {"balance": ((), _add_balance)}, HEATMAPS)


def pictures(tables: Mapping[str, pd.DataFrame]) -> list[Any]:
    """None beyond those of every study."""
    return []


def sentences(tables: Mapping[str, pd.DataFrame], components: Mapping[str, Any]) -> dict[str, list[str]]:
    """None beyond those of every study."""
    return {}


def words(tables: Mapping[str, pd.DataFrame], components: Mapping[str, Any]) -> dict[str, str]:
    """Raw values stand for themselves."""
    return {}
