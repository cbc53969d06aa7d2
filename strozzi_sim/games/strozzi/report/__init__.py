"""What a report of Strozzi has: its tables, pictures, heat maps and sentences."""

from strozzi_sim.game.pages import Page, Report
from strozzi_sim.games.strozzi.report.findings import SENTENCES
from strozzi_sim.games.strozzi.report.heatmaps import HEATMAPS
from strozzi_sim.games.strozzi.report.labels import words
from strozzi_sim.games.strozzi.report.pictures import PICTURES
from strozzi_sim.games.strozzi.report.tables import BLOCKS

__all__ = ["HEATMAPS", "PAGES", "PAGE_TITLES", "crosstabs", "pictures", "sentences", "tables", "words"]

_BY = ("by", "level")
_PAGES = {
    "balance": Page("Balance", "Has everybody the same chance, and how does a game unfold?", (), BLOCKS["balance"]),
    "flags": Page("Flags", "What is each flag used for, and what does it bring?", ("flag", *_BY), BLOCKS["flags"]),
    "ports": Page("Ports and markers", "Which cities pay, and for what?", ("port", *_BY), BLOCKS["ports"]),
    "promotion": Page("Promotion tiles", "What is a tile worth?", ("category", "place"), BLOCKS["promotion"]),
    "ships": Page("Ships", "Which cards does everybody want, and which nobody?", ("ship",), BLOCKS["ships"]),
}
_REPORT = Report(_PAGES, PICTURES, SENTENCES)
PAGES, PAGE_TITLES = _REPORT.names, _REPORT.titles
tables, crosstabs = _REPORT.tables, _REPORT.crosstabs
pictures, sentences = _REPORT.pictures, _REPORT.sentences
