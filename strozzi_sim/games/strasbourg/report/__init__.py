"""The report of Strasbourg: its tables, pictures, heat maps and sentences."""

from strozzi_sim.game.pages import Page, Report
from strozzi_sim.games.strasbourg.report import tables as of
from strozzi_sim.games.strasbourg.report.findings import SENTENCES
from strozzi_sim.games.strasbourg.report.heatmaps import HEATMAPS, QUESTIONS
from strozzi_sim.games.strasbourg.report.labels import words
from strozzi_sim.games.strasbourg.report.pictures import PICTURES
from strozzi_sim.games.strasbourg.report.titles import TITLES

_BY = ("by", "level")
_PAGES = {
    "balance": Page("Balance", "Do all seats win equally often, and where do points come from?", (), of.BALANCE),
    "positions": Page("Seats and line-ups", "How does each seat, or each agent of a line-up, get its points?", ("position",), of.POSITIONS),
    "auctions": Page("Auctions", "Where does influence go, and what does a bid win?", ("step", *_BY), of.AUCTIONS),
    "council": Page("Council", "Who holds the seats, and what do they pay?", ("chair", *_BY), of.COUNCIL),
    "guilds": Page("Guilds", "What do masters and the others take, and what does each guild pay?", ("guild", "rank"), of.GUILDS),
    "city": Page("City", "Which spaces are taken, by whom, and what do they earn?", ("place",), of.CITY),
    "tasks": Page("Tasks", "Which tasks are kept and fulfilled, and are they worth their points?", ("task", *_BY), of.TASKS, of.add_fair_points),
    "buildings": Page("Edifices and chapels", "What do buildings pay, and whom?", ("thing",), of.BUILDINGS),
}  # fmt: skip
REPORT = Report(_PAGES, PICTURES, SENTENCES, heatmaps=HEATMAPS, words=words, titles=TITLES, questions=QUESTIONS)
