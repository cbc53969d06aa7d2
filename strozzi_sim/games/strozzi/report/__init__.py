"""The report of Strozzi: its tables, pictures, heat maps and sentences."""

from strozzi_sim.game.pages import Page, Report
from strozzi_sim.games.strozzi.report.findings import SENTENCES, TITLES
from strozzi_sim.games.strozzi.report.heatmaps import HEATMAPS, QUESTIONS
from strozzi_sim.games.strozzi.report.labels import words
from strozzi_sim.games.strozzi.report.pictures import PICTURES
from strozzi_sim.games.strozzi.report.tables import BLOCKS

_BY = ("by", "level")
_PAGES = {
    "balance": Page("Balance", "Is the game fair to its seats, and how does it unfold?", (), BLOCKS["balance"]),
    "flags": Page("Flags", "What is each flag used for, and what does it bring?", ("flag", *_BY), BLOCKS["flags"]),
    "ports": Page("Ports and markers", "Which cities pay, and for what?", ("port", *_BY), BLOCKS["ports"]),
    "promotion": Page("Promotion tiles", "What is a tile worth?", ("category", "place"), BLOCKS["promotion"]),
    "ships": Page("Ships", "Which cards are most and least contested?", ("ship",), BLOCKS["ships"]),
}
REPORT = Report(_PAGES, PICTURES, SENTENCES, heatmaps=HEATMAPS, words=words, titles=TITLES, questions=QUESTIONS)
