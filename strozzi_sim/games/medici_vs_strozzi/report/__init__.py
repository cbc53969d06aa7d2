"""The report of Medici vs Strozzi: its tables, pictures, heat maps and sentences."""

from strozzi_sim.game.pages import Page, Report
from strozzi_sim.games.medici_vs_strozzi.report import tables as of
from strozzi_sim.games.medici_vs_strozzi.report.findings import SENTENCES, TITLES
from strozzi_sim.games.medici_vs_strozzi.report.heatmaps import HEATMAPS, QUESTIONS
from strozzi_sim.games.medici_vs_strozzi.report.labels import words
from strozzi_sim.games.medici_vs_strozzi.report.pictures import PICTURES, compared

_BY = ("by", "level")
_PAGES = {
    "balance": Page("Balance", "Is the game fair to both families, and how does it unfold?", (), of.BALANCE),
    "prices": Page("Prices", "What does a lot cost, and who buys it?", ("tiles", *_BY), of.PRICES),
    "tiles": Page("Tiles", "What is a tile worth, above all one of value 0?", ("tile",), of.TILES),
    "harbors": Page("Harbors", "Which ship and which load win a harbor, and which harbor pays?", ("harbor", *_BY), of.HARBORS),
    "monopolies": Page("Monopolies", "How do the markers march, and what do they pay?", ("track", *_BY), of.MONOPOLIES),
    "rounds": Page("Rounds", "How does a round go, and what does it bring and cost?", ("round",), of.ROUNDS),
    "discards": Page("Discards", "Which lots are thrown away, by whom and why?", _BY, of.DISCARDS),
}  # fmt: skip
REPORT = Report(
    _PAGES, PICTURES, SENTENCES, heatmaps=HEATMAPS, words=words, compared=compared, titles=TITLES, questions=QUESTIONS
)
