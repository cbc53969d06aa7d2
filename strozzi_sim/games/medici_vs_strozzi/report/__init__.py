"""What a report of Medici vs Strozzi has: its tables, pictures, heat maps and sentences."""

from strozzi_sim.game.pages import Page, Report
from strozzi_sim.game.reporting import Picture, Tables
from strozzi_sim.games.medici_vs_strozzi.report import tables as of
from strozzi_sim.games.medici_vs_strozzi.report.findings import SENTENCES
from strozzi_sim.games.medici_vs_strozzi.report.heatmaps import HEATMAPS
from strozzi_sim.games.medici_vs_strozzi.report.labels import words
from strozzi_sim.games.medici_vs_strozzi.report.pictures import PICTURES, compared

__all__ = ["HEATMAPS", "PAGES", "PAGE_TITLES", "crosstabs", "pictures", "sentences", "tables", "words"]

_BY = ("by", "level")
_PAGES = {
    "balance": Page("Balance", "Have both families the same chance, and how does a game unfold?", (), of.BALANCE),
    "prices": Page("Prices", "What does a lot cost, and who buys it?", ("tiles", *_BY), of.PRICES),
    "tiles": Page("Tiles", "What is a tile worth, above all one of value 0?", ("tile",), of.TILES),
    "harbors": Page("Harbors", "Which ship and which load win a harbor, and which harbor pays?", ("harbor", *_BY), of.HARBORS),
    "monopolies": Page("Monopolies", "How do the markers march, and what do they pay?", ("track", *_BY), of.MONOPOLIES),
    "rounds": Page("Rounds", "How does a round go, and what does it bring and cost?", ("round",), of.ROUNDS),
    "discards": Page("Discards", "Which lots are thrown away, by whom and why?", _BY, of.DISCARDS),
}  # fmt: skip
_REPORT = Report(_PAGES, PICTURES, SENTENCES)
PAGES, PAGE_TITLES = _REPORT.names, _REPORT.titles
tables, crosstabs, sentences = _REPORT.tables, _REPORT.crosstabs, _REPORT.sentences


def pictures(tables: Tables) -> list[Picture]:
    """What to show, in order; only of pages whose tables are there; last, variants and line-ups side by side."""
    return [*_REPORT.pictures(tables), *compared(tables)]
