"""What a report of Strasbourg has: scores and where their points come from, and how often each task is fulfilled."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.facts.blocks import Block, Quantiles, mean, share
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.games.pages import QUANTILES, Page, Report
from strozzi_sim.games.reporting import Tables
from strozzi_sim.games.strasbourg.fact_tables import SOURCES

__all__ = ["HEATMAPS", "PAGES", "PAGE_TITLES", "crosstabs", "pictures", "sentences", "tables", "words"]

_BALANCE = (
    Quantiles("seat", "total", QUANTILES, open_below=True),
    Block("seat", {}, (mean("score_mean", "total"), *(mean(f"points_{source}_mean", source) for source in SOURCES))),
    Block("game", {}, (mean("margin_mean", "margin"), share("tie_share", "tie"), share("shared_win_share", "shared"))),
)
_TASKS = Block(
    "task",
    {"task": "task"},
    (share("fulfilled_share", "fulfilled"), mean("points_mean", "points"), share("win_share", "win")),
)
_PAGES = {
    "balance": Page("Balance", "Has everybody the same chance, and where do points come from?", (), _BALANCE),
    "tasks": Page("Tasks", "Which tasks are fulfilled?", ("task",), (_TASKS,)),
}
HEATMAPS: dict[str, HeatMap] = {}
_REPORT = Report(_PAGES, {}, {})
PAGES, PAGE_TITLES = _REPORT.names, _REPORT.titles
tables, crosstabs = _REPORT.tables, _REPORT.crosstabs
pictures, sentences = _REPORT.pictures, _REPORT.sentences


def words(tables: Tables, components: Mapping[str, Any]) -> dict[str, str]:
    """Raw values stand for themselves."""
    return {}
