"""Titles of Strasbourg's report: the finding of each page in a sentence."""

from typing import Any

from strozzi_sim.game.missed import missed_between
from strozzi_sim.game.pages import ALL
from strozzi_sim.game.reporting import Narrator, format_row, listed
from strozzi_sim.game.significance import contrast, differs_significantly, extreme_levels
from strozzi_sim.games.strasbourg.fact_tables import SOURCES
from strozzi_sim.games.strasbourg.report.findings import FEW, MIN_POINTS, missed_of_sources, sources_ahead, spaces


def _title_of_balance(say: Narrator) -> str:
    margin, ahead = say.row("margin_mean"), sources_ahead(say)
    lead = f"The winner ends {format_row(margin, 'amount')} points ahead of the second" if margin else ""
    most = f"winners gain most from {listed([source for source, *_ in ahead])}" if ahead else ""
    text = "; ".join(filter(None, [lead, most]))
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _title_of_positions(say: Narrator) -> str:
    gaps = {}
    for source in SOURCES:
        ends = say.extremes(f"points_{source}_mean")
        if ends and ends[0].high < ends[1].low and ends[1].value - ends[0].value >= MIN_POINTS:
            gaps[source] = ends[1].value - ends[0].value
    if not gaps:
        return f"Nobody is known to get more points from a source than the others{missed_of_sources(say)}."
    return f"They differ most in points from {max(gaps, key=lambda source: gaps[source])}."


def _title_of_auctions(say: Narrator) -> str:
    def phrase(rows: list[Any], word: str) -> str:
        return f"{listed([row.step for row in rows], 'or')} is the {word} to win, at {format_row(rows[0], 'number')}"

    words, whole = ("cheapest", "most expensive"), "Step {1} influence; step {0}."
    return contrast(say.rows("winning_bid_mean", by=ALL), "step", words, phrase, whole)


def _title_of_council(say: Narrator) -> str:
    paid = say.row("points_mean", chair=ALL, by=ALL)
    return f"The council pays {format_row(paid, 'amount')} points in a game, all players together." if paid else ""


def _title_of_guilds(say: Narrator) -> str:
    rows = say.rows("points_mean", rank=ALL)
    if len(rows) < 2:
        return ""
    if (found := extreme_levels(rows, "guild")) is None:
        return f"No guild is known to pay a member more than another: {missed_between(rows, called='points')}."
    least, most = (listed([row.guild for row in own], "or") for own in found)
    return f"A member earns most with guild {most}, least with {least}."


def _title_of_city(say: Narrator) -> str:
    def phrase(rows: list[Any], word: str) -> str:
        places = listed([row.place for row in rows]) if len(rows) <= FEW else f"{len(rows)} spaces"
        return f"{word} often: {places}, in {format_row(rows[0], 'share')} of games"

    whole = "The spaces of the city taken {1}; {0}."
    return contrast(spaces(say, "taken_share"), "place", ("least", "most"), phrase, whole)


def _title_of_tasks(say: Narrator) -> str:
    rows = [row for row in say.rows("fair_less_printed", by=ALL) if row.task != ALL]
    worth = say.row("worth_mean", task=ALL, by=ALL)
    if not rows or not worth:
        return ""
    certain = zip(rows, differs_significantly(rows, 0.0), strict=True)
    known = [row.value for row, differs in certain if differs and abs(row.value) >= MIN_POINTS]
    if not known:
        return f"None of {len(rows)} tasks is known to be worth more or less than its points, beside the others."
    more = sum(value > 0 for value in known)
    return (
        f"To be worth as much as the mean kept one ({format_row(worth, 'amount')} points), {more} of {len(rows)} tasks need "
        f"more points than they have, and {len(known) - more} fewer."
    )


def _title_of_buildings(say: Narrator) -> str:
    def phrase(rows: list[Any], word: str) -> str:
        return f"{listed([row.thing for row in rows], 'or')} pays {word}, {format_row(rows[0], 'amount')} points"

    return contrast(say.rows("points_mean"), "thing", ("least", "most"), phrase, "Of the buildings {1}; {0}.")


TITLES = {
    "balance": _title_of_balance, "positions": _title_of_positions, "auctions": _title_of_auctions, "council": _title_of_council,
    "guilds": _title_of_guilds, "city": _title_of_city, "tasks": _title_of_tasks, "buildings": _title_of_buildings,
}  # fmt: skip
