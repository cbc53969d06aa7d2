"""The report of a game that has none of its own: seats and line-up, which every study has, and scores."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.pages import Page, Report
from strozzi_sim.game.reporting import FigureTable, Tables


def _add_balance(table: FigureTable, cell: Any, stats: Any) -> None:
    scores, played = (cell.outcome[name].sum(axis=(1, 2)) for name in ("scores", "played"))
    table.add(cell, "score_mean", stats.ratio(scores, played))


HEATMAPS: dict[str, HeatMap] = {}
_REPORT = Report({"balance": Page("Balance", "Is the game fair to its seats?", (), add=_add_balance)}, {}, {})
PAGES, PAGE_TITLES = _REPORT.names, _REPORT.titles
tables, crosstabs = _REPORT.tables, _REPORT.crosstabs
pictures, sentences = _REPORT.pictures, _REPORT.sentences


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return no words: raw values stand for themselves."""
    return {}
