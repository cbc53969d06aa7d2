"""What things are worth: the page of a worth study, and the section of a study that measures worth too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent import load_agent
from strozzi_sim.errors import pluralize
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.missed import missed, not_excluded
from strozzi_sim.game.reporting import (
    THIN,
    Picture,
    Tables,
    cell_name,
    format_estimate,
    format_value,
    headline_players,
    listed,
    pick,
    some_of,
)
from strozzi_sim.game.restricting import occasions
from strozzi_sim.reports.answers import number
from strozzi_sim.reports.content import Answer, Content, Item, Number, Part, Section, section
from strozzi_sim.reports.html_tables import Cell, page_table
from strozzi_sim.reports.marks import HERO, WIDE
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.study_page import by_scenario, known_facts
from strozzi_sim.studies.plan import EFFECT
from strozzi_sim.studies.worth import COSTS, SMALL, UNCLEAR, WORTH, ranked, rivals_of, verdicts

USED = Figure("popularity", "how often it is used", "share")
NAIVE = Figure("naive_win_share", "games won by its users", "share")
LOST = Figure("win_share_lost", "games lost without it", "share")
SCORE_LOST = Figure("score_lost", "score lost without it", "amount")

_COLUMNS = (
    "popularity: used, % of its occasions",
    "naive: games that its users win, %",
    "causal: games lost without it, points",
    "score lost without it",
)
_DEFINITIONS = {
    "popularity": "occasions in which a seat used the thing / all occasions: rounds, games or others (see the table)",
    "naive_win_share": "games won by the seats that used it / uses; a seat counts once for each use",
    "win_share_lost": "games won by the agent without restrictions less those won by the restricted one, same deals, every seat",
    "score_lost": "score of the agent without restrictions less that of the restricted one, same deals, every seat",
}
_GLOSSARY = {
    "worth": "What an agent loses that must do without a thing and knows it, on the same deals against the same rivals.",
    "mislead": "The share of wins of those who use a thing also counts all else that they do; it may point the wrong way.",
}
_SEEN = {
    "told": "significant worth",
    "misleads": "its users' wins mislead",
    "small": SMALL,
    "unclear": UNCLEAR,
}
_SEEN_OF = {SMALL: "small", UNCLEAR: "unclear"}
_MARK = " (!)"  # behind the verdict on a thing whose naive share misleads
_MOST = 3  # things that a sentence lists
_MAX = 12  # cells with a sentence each


def worth_page(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> Content:
    """Paint the pictures of a worth study and return the content of its page.

    Args:
        manifest: content of its manifest.json.
        tables: the table worth.
        game: game of the study.
        painter: receives the pictures.
    """
    table = tables["worth"]
    agents, things = _distinct(table, "agent"), _distinct(table, "thing")
    counts = [str(count) for count in _distinct(table, "players")]
    plan = (
        f"{game.title} at {listed(counts)} players: {pluralize(len(things), 'thing')}, each forbidden to one agent among "
        f"copies of itself ({listed(agents)}), {pluralize(manifest['deals'], 'deal')} each: {manifest['games']:,} games in all."
    )
    fewer = manifest["plan"].get("search_deals")
    facts = [
        ("Agents", ", ".join(agents)),
        ("Things", ", ".join(things)),
        ("Variants", ", ".join(_distinct(table, "variant"))),
        ("Deals for each thing", f"{manifest['deals']:,}" + (f" ({fewer:,} with an agent that searches)" if fewer else "")),
        ("Seatings", str(manifest["plan"]["seatings"])),
    ]  # fmt: skip
    found = worth_section(manifest, tables, game, painter, HERO)
    return Content(
        plan=plan,
        facts=known_facts(manifest, facts),
        answer=worth_answer(tables, effect_of(manifest), game),
        hero=tuple(
            item.starting_with(_strongest(_groups(table, effect_of(manifest)), game).agent) for item in found.items[:1]
        ),
        sections=[replace(found, items=found.items[1:])],
        certainty=_certainty(manifest),
        tables=sorted(tables),
        glossary=_GLOSSARY,
        definitions=_DEFINITIONS,
    )


def with_worth(content: Content, manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> Content:
    """Return the content of a study's page with the section of what things are worth, before the heat maps."""
    sections = content.sections
    place = next((k for k, each in enumerate(sections) if each.anchor == "heatmaps"), len(sections))
    found = worth_section(manifest, tables, game, painter)
    return replace(content, sections=[*sections[:place], found, *sections[place:]])


def effect_of(manifest: Mapping[str, Any]) -> float:
    """Return the smallest share of wins that matters in these results."""
    return float(manifest.get("report", {}).get("effect", EFFECT))


def worth_answer(tables: Tables, effect: float, game: Game) -> Answer:
    """Return what is worth most, to whom, and what misleads."""
    first = _strongest(_groups(tables["worth"], effect), game)
    players = first.players
    best = first.lines[0]
    if best["verdict"] == WORTH:
        verdict = f"{best['thing']} is worth most to {first.agent} at {players} players of {game.title}"
        verdict = f"{'; '.join([verdict, *first.not_known()])}."
    else:
        unseen = first.unseen(1)
        lines = first.lines
        subject = f"None of {len(lines)} things is" if len(lines) > 1 else f"{best['thing']} is not"
        verdict = (
            f"{subject} known to be worth having to {first.agent} at {players} players of "
            f"{game.title}{f': {unseen}' if unseen else ''}."
        )
    detail = f"{first.finding()}.".replace("`", "")
    shown = [(line, line["at_ceiling"]) for line in first.lines[:2]]
    shown += [(best, not best["at_ceiling"])] if best["verdict"] == WORTH else []
    numbers = [_lost(line, score=score) for line, score in shown if not np.isnan(line["score_lost"].value) or not score]
    return Answer(verdict, detail, tuple(numbers))


def _lost(line: Mapping[str, Any], *, score: bool) -> Number:
    """Return the score, or the points of games won, that are lost without a thing."""
    if score:
        return number(line["score_lost"], "amount", f"points of score lost without {line['thing']}")
    points = number(line["win_share_lost"], "share", f"points of games won, lost without {line['thing']}")
    return replace(points, value=points.value.replace(f"{THIN}%", ""))


def worth_section(
    manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter, width: int = WIDE
) -> Section:
    """Paint the picture of used against worth and return its section, with the three measures of each thing beside each other."""
    table, effect = tables["worth"], effect_of(manifest)
    groups = _groups(table, effect)
    sentences = [group.sentence() for group in groups[:_MAX]]
    sentences.append(
        f"Footnote: worth is what an agent loses that must do without a thing, against the same deals without restrictions; too small "
        f"to matter is what stays within {100 * effect:g} {'point' if effect == 0.01 else 'points'}. Verdicts and marks are corrected for the number of things."
    )
    items = [_picture(table, groups, game, painter, width), _figures(table, groups, game)]
    question = "What is each thing worth to its users, and do its use and their wins show it?"
    finding = f"{_strongest(groups, game).finding()}."
    return section("worth", "What things are worth", question, sentences, items, finding)


# -- sentences ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    """The things of one agent at one player count in one variant.

    Attributes:
        players, variant, agent: the games. name: their name.
        lines: what `verdicts` yields of each thing, the most valuable first.
    """

    players: int
    variant: str
    agent: str
    name: str
    lines: Sequence[Mapping[str, Any]]

    def things(self, *verdicts: str) -> list[str]:
        """Return the things with one of these verdicts."""
        return [f"`{line['thing']}`" for line in self.lines if line["verdict"] in verdicts]

    @property
    def misleading(self) -> list[Mapping[str, Any]]:
        """The things whose naive share misleads."""
        return [line for line in self.lines if line["misleads"]]

    def not_known(self) -> list[str]:
        """Return how many things are known to be too small to matter, and how many are unclear with what could be missed."""
        counts = {verdict: len(self.things(verdict)) for verdict in (SMALL, UNCLEAR)}
        unseen = {UNCLEAR: f" ({words})"} if (words := self.unseen()) else {}
        many = len(self.lines)
        return [
            f"{count} of {many} things {_are(count)} {verdict}{unseen.get(verdict, '')}"
            for verdict, count in counts.items()
            if count
        ]

    def unseen(self, sign: int = 0) -> str:
        """Return what could be missed of the things whose worth is unclear: of either sign, or only if they are worth having."""
        rows = [line["win_share_lost"] for line in self.lines if line["verdict"] == UNCLEAR]
        return (
            missed(not_excluded(pd.DataFrame(rows), sign=sign), what="a worth" if sign else "a worth or a cost")
            if rows
            else ""
        )

    def finding(self) -> str:
        """Return what is worth most, how much is too small to matter or unclear, and what misleads, in a sentence."""
        best, many = self.lines[0], len(self.lines)
        parts = [f"no thing of {many} is known to be worth having"]
        if best["verdict"] == WORTH:
            parts = [f"`{best['thing']}` is worth most ({self._worth_of_best()})"]
        parts += self.not_known()
        misled = [f"`{line['thing']}`" for line in self.misleading]
        parts += [f"the wins of users mislead about {some_of(misled, _MOST)}"] if misled else []
        return f"In the games of {self.agent} at {self.players} players, {'; '.join(parts)}"

    def _worth_of_best(self) -> str:
        """Return what is lost without the first thing: wins, or the score where as good as no win is left."""
        best = self.lines[0]
        if not best["at_ceiling"]:
            return f"{_points(best['win_share_lost'])} of games won{self._rivals()}"
        others = [f"`{line['thing']}`" for line in self.lines[1:] if line["at_ceiling"]]
        score = format_estimate(best["score_lost"], "amount")
        likewise = f", and likewise without {some_of(others, _MOST)}" if others else ""
        return f"{score} points of score{self._rivals()}; without it an agent hardly wins a game{likewise}"

    def _rivals(self) -> str:
        rivals = [f"`{line['thing']}`" for line in rivals_of(self.lines[0], self.lines[1:])]
        return f"; {some_of(rivals, _MOST)} may be worth as much" if rivals else ""

    def sentence(self) -> str:
        """Return the finding with its figures."""
        best, many = self.lines[0], len(self.lines)
        lost = best["win_share_lost"]
        parts = [f"no thing of {many} is known to be worth having"]
        if best["verdict"] == WORTH and best["at_ceiling"]:
            score = format_estimate(best["score_lost"], "amount")
            parts = [
                f"without `{best['thing']}` an agent scores {score} less and hardly wins a game ({lost.n:,} "
                f"games{self._rivals()})"
            ]
        elif best["verdict"] == WORTH:
            parts = [f"without `{best['thing']}` an agent wins {_points(lost)} less ({lost.n:,} games{self._rivals()})"]
        parts += [
            f"without `{line['thing']}` it wins {_points(line['win_share_lost'], -1)} more ({line['win_share_lost'].n:,} games)"
            for line in self.lines
            if line["verdict"] == COSTS
        ][:_MOST]
        parts += self.not_known()
        parts += self._misled()
        return f"{self.name}: {'. '.join(f'{part[:1].upper()}{part[1:]}' for part in parts)}."

    def _misled(self) -> list[str]:
        fair = format_value(1 / self.players, "share")
        said = [
            f"users of `{line['thing']}` win {format_estimate(line['naive_win_share'], 'share')} "
            f"({line['naive_win_share'].n:,} uses; fair: {fair}), but it is {line['verdict']}"
            for line in self.misleading
        ]
        return [f"wins of users mislead: {'; '.join(said[:_MOST])}" + _and_more(len(said) - _MOST)] if said else []


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _and_more(count: int) -> str:
    return f"; and about {pluralize(count, 'other thing')}" if count > 0 else ""


def _points(row: Any, sign: int = 1) -> str:
    """Return a difference of shares in points with its interval; `sign` -1 turns it round."""
    if sign < 0:
        row = row._replace(value=-row.value, low=-row.high, high=-row.low)
    return format_estimate(row, "share").replace(f"{THIN}%", " points")


def _groups(table: pd.DataFrame, effect: float) -> list[_Group]:
    """Return the things of each agent at each player count and variant, in the order of the table."""
    found: dict[tuple[int, str, str], list[Mapping[str, Any]]] = {}
    for line in verdicts(table, effect):
        found.setdefault((line["players"], line["variant"], line["agent"]), []).append(line)
    several = table["variant"].nunique() > 1
    groups = []
    for (players, variant, agent), lines in found.items():
        name = cell_name(players, variant, agent, several=several)
        groups.append(_Group(players, variant, agent, name, ranked(lines)))
    return groups


def _distinct(table: pd.DataFrame, column: str) -> list[Any]:
    return list(dict.fromkeys(table[column]))


# -- picture and table ----------------------------------------------------------------------------------------------


def _picture(table: pd.DataFrame, groups: Sequence[_Group], game: Game, painter: Painter, width: int) -> Item:
    """Return the picture of used against worth: a dot per thing, a part per agent and variant, all in one scale."""
    seen = {
        (group.players, group.variant, group.agent, line["thing"]): (
            "misleads" if line["misleads"] else _SEEN_OF.get(line["verdict"], "told")
        )
        for group in groups
        for line in group.lines
    }
    keys = list(table[["players", "variant", "agent", "thing"]].itertuples(index=False, name=None))
    used = table["figure"].eq(USED.name) & table["value"].notna()
    counted = {key for key, known in zip(keys, used, strict=True) if known}
    rows = table.assign(seen=[seen[key] for key in keys])[[key in counted for key in keys]]
    title = _title(groups, game)
    picture = Picture(
        "worth", "worth", "scatter", "worth", (USED, replace(LOST, label="points of games won, lost without it")), "Used against worth",
        x="thing", series="seen", series_levels=tuple(_SEEN), zero=True,
    )  # fmt: skip
    words = {f"seen={level}": text for level, text in _SEEN.items()}
    parts: list[Part] = []
    for name, slug, own in by_scenario(rows):
        parts += painter.parts(picture, f"{picture.name}{slug}", own, words, name, compared=rows, width=width)
    caption = (
        "Each dot is a thing: in what share of its occasions (rounds, games or others; the table names them) it is "
        "used, and how many points "
        "of the games won an agent loses that must do without it. Whiskers "
        "are 95 % intervals; the broken line is a thing that is worth nothing. All panels have one scale. A dot without room for its name has none; the table below has all."
    )
    without = [thing for thing in _distinct(table, "thing") if thing not in set(rows["thing"])]
    note = f"Without a dot, since no fact counts their use: {some_of(without, 6)}."
    parts += [Part("", note=note)] if parts and without else []
    return Item(title, caption, tuple(parts), "item-worth")


def _title(groups: Sequence[_Group], game: Game) -> str:
    """Return the finding on the agent of the highest tier, else on the first one, at the player count of the headline."""
    return _strongest(groups, game).finding().replace("`", "")


def _strongest(groups: Sequence[_Group], game: Game) -> _Group:
    """Return the group of the agent of the highest tier, else of the first one, at the player count of the headline."""
    tiers = {load_agent(agent, game).text: tier for tier, agent in enumerate(game.tiers.values())}
    players = headline_players(pd.DataFrame({"players": [group.players for group in groups]}))
    return max((group for group in groups if group.players == players), key=lambda group: tiers.get(group.agent, -1))


def _figures(table: pd.DataFrame, groups: Sequence[_Group], game: Game) -> Item:
    """Return popularity, naive and causal worth beside each other: a table per agent, player count and variant."""
    shown = Picture(
        "worth-table", "worth", "table", "worth", (USED, NAIVE, LOST, SCORE_LOST), "", x="thing", sort=LOST.name
    )
    counted_of = occasions(game, _distinct(table, "thing"))
    parts = []
    for group in groups:
        rows = pick(table, players=group.players, variant=group.variant, agent=group.agent)
        lines = page_table(shown, rows, {})
        if lines is None:
            continue
        said = {line["thing"]: line["verdict"] + (_MARK if line["misleads"] else "") for line in group.lines}
        cells_of = {keys[0]: cells for keys, cells in lines.rows}
        rows = tuple(
            ((thing,), (*cells_of[thing], Cell(said[thing]), Cell(counted_of[thing])))
            for thing in (line["thing"] for line in group.lines)
            if thing in cells_of
        )
        heading = f"{group.name}; a fair share is {format_value(1 / group.players, 'share')}"
        labels = tuple((name, figure) for name, (_, figure) in zip(_COLUMNS, lines.columns, strict=False))
        parts.append(
            Part(
                heading,
                table=replace(lines, keys=("thing",), columns=(*labels, ("verdict", ""), ("occasions", "")), rows=rows),
            )
        )
    caption = (
        "Popularity and naive are what a designer sees at the table: in what share of its occasions a seat uses a "
        "thing, and how many games the "
        "seats win that use it, each use counted. Causal is what the same agent loses on the same deals if it must "
        "do without; where it then hardly wins "
        f"a game, the score lost decides the order. {_MARK.strip()} marks where the wins of users point elsewhere: "
        "such a share shows who uses a thing, "
        "and what else they do. A restriction is void at a decision where it would leave no action."
    )
    return Item("Popularity, naive share and worth in figures", caption, tuple(parts))


def _certainty(manifest: Mapping[str, Any]) -> list[str]:
    chunks = manifest["plan"]["chunks"]
    return [
        f"The restricted agent and the agent without restrictions play the same deals, in every seat. Every interval comes from recomputing a "
        f"figure without one of {chunks} parts of the deals at a time (the delete-one jackknife).",
        "Intervals are 95 %. A thing is called worth having or better not used if its loss of games won differs significantly from zero, "
        "and too small to matter if the loss is significantly smaller than what matters, either way; both are "
        "corrected for all things, "
        "agents and player counts (Holm). Unclear means that more deals decide it.",
        "What a thing is worth to one agent need not be what it is worth to another, or to human players: an agent that plays without a "
        "thing does not learn to do without it.",
        "Figures with fewer than 30 events have no value. Intervals cover chance, not how well the agents play.",
    ]
