"""Page of a tournament: ranking, pairwise results, Nash averaging and seats."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import pluralize
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Picture, Tables, format_estimate, listed, pick, row_of
from strozzi_sim.game.significance import MIN_SHARE, differs_significantly
from strozzi_sim.reports.answers import number
from strozzi_sim.reports.content import Answer, Content, Item, Part, Section, section
from strozzi_sim.reports.dominance import FieldOrder, declare_cycle, dominance_sentences, field_orders
from strozzi_sim.reports.findings import RANK, SCORE, WIN
from strozzi_sim.reports.marks import HERO
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.study_page import known_facts
from strozzi_sim.studies.standings import unrated

STRENGTH = Figure("strength", "strength", "number")
AHEAD = Figure("ahead_share", "finished ahead", "share")
WEIGHT = Figure("weight", "Nash weight", "share")
AGAINST = Figure("score", "wins against the mixture", "share")
_LONG, _LONGER = 34, 60  # maximum letters of an agent's name beside a heat map and beside dots
_DEFINITIONS = {
    "strength": "Plackett-Luce strength of complete finishing orders, logarithm, mean 0",
    "win_share": "games won / games of the agent; a win shared by k counts 1/k for each",
    "rank_mean": "mean place over the agent's games",
    "score_mean": "mean final score over the agent's games",
    "weight": "weight of the agent in the mixture that no agent beats",
    "score": "games won against that mixture",
}
_GLOSSARY = {
    "strength": "Plackett-Luce strength: a difference of 1 means finishing ahead about 2.7 times as often as behind.",
    "interval": "The thin line through a point. If all were played again with other luck, the true value would lie in it 95 times in 100.",
}
_MAX_PAIRS = 6  # maximum pairs against the ranking that a sentence lists
_MAX_MAPPED = 40  # maximum agents in a heat map

Words = dict[str, str]


def tournament_page(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> Content:
    """Paint the pictures of a tournament and return the content of its page.

    Args:
        manifest: content of its manifest.json.
        tables: agents, pairwise, ratings, seat_effects and nash.
        game: game of the tournament.
        painter: receives the pictures.
    """
    standings = list(_standings(tables))
    orders = field_orders(tables, manifest["plan"]["chunks"])
    standing = _standing(standings, painter)
    first = next((each.title for each in standings if each.players == 4), standings[0].title)
    sections = [
        _pairs(standings, orders, painter, manifest["plan"]["chunks"]),
        _nash(standings, tables, painter),
        _seats(tables, painter),
    ]
    return Content(
        plan=_plan(manifest, game, standings),
        facts=_facts(manifest, standings),
        answer=tournament_answer(manifest, tables, game),
        hero=tuple(item.starting_with(first) for item in standing.items[:1]),
        sections=[replace(standing, items=standing.items[1:]), *(section for section in sections if section.items)],
        certainty=_certainty(manifest),
        tables=sorted(tables),
        glossary=_GLOSSARY,
        definitions=_DEFINITIONS,
    )


def tournament_answer(manifest: Mapping[str, Any], tables: Tables, game: Game) -> Answer:
    """Return which agent is strongest, and whether it beats every other one."""
    standings = list(_standings(tables))
    orders = field_orders(tables, manifest["plan"]["chunks"])
    best = {standing.agents[0] for standing in standings}
    winners = {order.winner for order in orders}
    first = next((standing for standing in standings if standing.players == 4), standings[0])
    field = f"{len(first.agents)} agents of {game.title}"
    if len(winners) == 1 and "" not in winners:
        where = " at every player count" if len({order.players for order in orders}) > 1 else ""
        verdict = f"{winners.pop()} finishes ahead of every other one of {field}{where}."
    elif all(standing.converged for standing in standings) and len(best) == 1:
        alone = all(not _rivals(standing) and standing.rank_interval(standing.agents[0]) for standing in standings)
        verdict = f"{best.pop()} {'is the strongest' if alone else 'did best'} of {field}" + (", but does not beat each of them." if alone else "; others may be as strong.")  # fmt: skip
    else:
        verdict = f"Which of {field} is strongest depends on the number of players."
    if not all(standing.converged for standing in standings):
        verdict = f"The strengths of {field} could not be estimated from these games."
    detail = " ".join([*(text.replace("`", "") for text in dominance_sentences(orders)[:1]), *(_headline(each) for each in standings[:2])])  # fmt: skip
    rows = [(agent, first.row("win_share", agent)) for agent in first.agents]
    numbers = [
        number(row, "share", f"games won by {agent}, {first.players} players") for agent, row in rows if row is not None
    ]
    return Answer(verdict, detail, tuple(numbers[:3]))


def _rivals(standing: "_Standing") -> list[str]:
    """Return the agents that may be as strong as the best one."""
    return [agent for agent in standing.agents[1:] if (ranks := standing.rank_interval(agent)) and ranks[0] == 1]


class _Standing:
    """Standing at one player count in one variant.

    Attributes:
        title: player count, and variant if there are several. slug: suffix for file names.
        agents: best first. words: agent -> "1 random".
        ratings, figures, pairs: rows of the tables; `figures` holds all rows of agents, including `ratings`.
        converged: whether the fit of strengths converged; without it there is no ranking.
    """

    def __init__(self, tables: Tables, players: int, variant: str, several: bool) -> None:
        self.players, self.variant = players, variant
        self.title = f"{players} players" + (f", variant {variant}" if several else "")
        self.slug = f"--{players}" + (f"-{variant}" if several else "")
        self.ratings, agents, self.pairs = (
            pick(tables[name], players=players, variant=variant) for name in ("ratings", "agents", "pairwise")
        )
        self.figures = pd.concat([self.ratings, agents], ignore_index=True)
        strengths = pick(self.ratings, figure="strength").sort_values("value", ascending=False, kind="stable")
        self.agents = tuple(strengths["agent"])
        self.converged = not unrated(self.ratings)
        self.words = {agent: f"{number} {agent}" for number, agent in enumerate(self.agents, 1)}

    def row(self, figure: str, agent: str) -> Any:
        """Return the row of an agent's figure, or None."""
        return row_of(self.figures, figure=figure, agent=agent)

    def rank_interval(self, agent: str) -> tuple[int, int] | None:
        """Return the 95 % interval of an agent's rank, or None if unknown."""
        rank = self.row("rank", agent)
        return None if rank is None or np.isnan(rank.low) else (int(rank.low), int(rank.high))


def _standings(tables: Tables) -> Iterator[_Standing]:
    every = list(dict.fromkeys(zip(tables["ratings"]["players"], tables["ratings"]["variant"], strict=True)))
    several = len({variant for _, variant in every}) > 1
    for players, variant in every:
        yield _Standing(tables, int(players), str(variant), several)


# -- sections -------------------------------------------------------------------------------------------------------


def _standing(standings: Sequence[_Standing], painter: Painter) -> Section:
    pictures, lines, every = [], [], pd.concat([standing.ratings for standing in standings])
    for standing in standings:
        words = {agent: _with_rank(standing, agent) for agent in standing.agents}
        dots = Picture("strength", "", "dots", "", (STRENGTH,), "Strength", x="agent", levels=standing.agents)
        short = {agent: _with_rank(standing, agent, _LONGER) for agent in standing.agents}
        pictures += painter.parts(
            dots, f"strength{standing.slug}", standing.ratings, short, standing.title, compared=every, width=HERO
        )
        table = Picture(
            "standing", "", "table", "", (STRENGTH, WIN, RANK, SCORE), "", x="agent", levels=standing.agents,
            x_label="agent (95 % interval of its rank)",
        )  # fmt: skip
        lines += painter.parts(table, "", standing.figures, words, standing.title)
    caption = (
        "Plackett-Luce strengths from complete finishing orders; logarithms with mean 0. A difference of 1 means finishing ahead about "
        "e = 2.7 times as often as behind. Thin lines are 95 % intervals. Parentheses: 95 % interval of the rank."
    )
    items = [
        Item("How strong each agent is", caption, tuple(pictures)),
        Item("The standing in figures", "Over all games of an agent, against any opponents.", tuple(lines)),
    ]
    sentences = [sentence for standing in standings for sentence in _ranking_sentences(standing)]
    return section("standing", "Standing", "Who is strongest, and how certain is that?", sentences, items)


def _cycles(orders: Sequence[FieldOrder], painter: Painter) -> Item:
    """Return the agents that beat one another in a circle, drawn as one."""
    parts = []
    several = len({order.variant for order in orders}) > 1
    for order in orders:
        title = f"{order.players} players" + (f", variant {order.variant}" if several else "")
        for count, cycle in enumerate(order.cycles()):
            slug = f"cycle-{order.players}" + (f"-{order.variant}" if several else "") + (f"-{count}" if count else "")
            shown = painter.paint(
                declare_cycle(order, cycle), slug, f"Agents that beat one another in a circle: {title}"
            )
            parts.append(Part(title, shown))
    caption = (
        "An arrow points from an agent to one that it finishes ahead of in significantly more than half of their games, all pairs judged together; "
        "the coloured arrows are the shortest circle."
    )
    return Item("Who beats whom in a circle", caption, tuple(parts))


def _pairs(standings: Sequence[_Standing], orders: Sequence[FieldOrder], painter: Painter, chunks: int) -> Section:
    parts, maps = [], []
    sentences = dominance_sentences(orders)
    opponent = "of the agent with this number"
    heat_map = HeatMap("Who finishes ahead of whom", "", "agent", opponent, AHEAD)
    for standing in standings:
        sentences += _pair_sentences(standing, chunks)
        agents = standing.agents[:_MAX_MAPPED]
        number = {agent: k for k, agent in enumerate(agents, 1)}
        rows = standing.pairs[standing.pairs["agent"].isin(agents) & standing.pairs["opponent"].isin(agents)]
        rows = rows.assign(row=rows["agent"].map(number), column=rows["opponent"].map(number)).sort_values("row")
        rows = rows.assign(row="row " + rows["row"].astype("str"), column=rows["column"].astype("str"))
        words = {f"row {k}": _short(standing.words[agent]) for agent, k in number.items()}
        maps.append((standing, rows, words))
    every = pd.concat([rows for _, rows, _ in maps])
    for standing, rows, words in maps:
        parts += painter.parts(heat_map, f"pairs{standing.slug}", rows, words, standing.title, compared=every)
    caption = (
        "How often the row's agent finished ahead of the column's agent in games that both played; a tie counts half. "
        "n is the number of these games. Agents are numbered by strength."
    )
    items = [Item("Who finishes ahead of whom", caption, tuple(parts)), _cycles(orders, painter)]
    return section(
        "pairs",
        "Pairs",
        "Which agent beats which, and does the ranking hold for every pair of agents?",
        sentences,
        items,
    )


def _nash(standings: Sequence[_Standing], tables: Tables, painter: Painter) -> Section:
    lines, sentences = [], []
    for standing in standings if "nash" in tables else ():
        rows = pick(tables["nash"], players=standing.players, variant=standing.variant)
        table = Picture(
            "nash", "", "table", "", (WEIGHT, AGAINST), "", x="agent", levels=standing.agents, x_label="agent"
        )
        lines += painter.parts(table, "", rows, standing.words, standing.title)
        weights = pick(rows, figure="weight")
        weighty = weights.query("value > 0 or high > 0").sort_values("value", ascending=False, kind="stable")
        mixture = [f"`{row.agent}` ({format_estimate(row, 'share')})" for row in weighty.itertuples(index=False)]
        if mixture:
            unsure = " These deals do not decide who has a weight." if weighty["high"].isna().any() else ""
            sentences.append(f"At {standing.title} the mixture that no agent beats is {listed(mixture)}.{unsure}")
    caption = (
        "The choice of an agent is itself a game. Its solution is the mixture of agents that no agent beats (Nash averaging, Balduzzi et al. 2018). "
        "Against it, agents with a weight win one half, the others less. Adding copies or weak agents does not change these scores."
    )
    items = [Item("Weights, and scores against the mixture", caption, tuple(lines))]
    return section("nash", "Nash averaging", "Which mixture of agents is unbeaten?", sentences, items)


def _seats(tables: Tables, painter: Painter) -> Section:
    rows = tables["seat_effects"]
    variants = list(dict.fromkeys(rows["variant"]))
    pictures, lines = [], []
    seats = Picture(
        "seats", "", "intervals", "", (WIN,), "How often each seat wins", x="seat", x_label="seat", equal=True
    )
    table = Picture("seats-table", "", "table", "", (WIN, RANK, SCORE), "", x="seat", x_label="seat")
    for variant in variants:
        title, slug = (f"variant {variant}", f"--{variant}") if len(variants) > 1 else ("", "")
        here = pick(rows, variant=variant)
        pictures += painter.parts(seats, f"seats{slug}", here, {}, title, compared=rows)
        lines += painter.parts(table, "", here, {}, title)
    caption = (
        "All games of the tournament. The broken line is a fair share. Every agent sits at every seat equally often, so that seats "
        "favour no agent in the standing."
    )
    items = [Item("How often each seat wins", caption, tuple(pictures)), Item("Seats in figures", "", tuple(lines))]
    return section("seats", "Seats", "How much does a seat matter, over all agents?", [], items)


def _short(name: str, most: int = _LONG) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


# -- sentences ------------------------------------------------------------------------------------------------------


def _with_rank(standing: _Standing, agent: str, most: int = 1000) -> str:
    """Return an agent's number and name with the interval of its rank: "2 random (2-3)"."""
    name = _short(standing.words[agent], most)
    ranks = standing.rank_interval(agent)
    return name + ("" if ranks is None else f" ({_span(*ranks)})")


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}\N{EN DASH}{high}"


def _headline(standing: _Standing) -> str:
    """Return a sentence that names the strongest agent."""
    where, best = f"At {standing.title}", standing.agents[0]
    if not standing.converged:
        return f"{where} the fit of strengths did not converge, so there is no ranking; the other figures are valid."
    if standing.rank_interval(best) is None:
        return f"{where} {best} did best; there are too few games for an interval of its rank."
    rivals = _rivals(standing)
    if not rivals:
        return f"{where} {best} is the strongest of {len(standing.agents)}."
    return f"{where} {best} did best; {listed(rivals)} may be as strong."


def _ranking_sentences(standing: _Standing) -> list[str]:
    """Return sentences with the best agent's figures and the agents whose rank is uncertain."""
    statements = []
    best = standing.agents[0]
    strength, share = standing.row("strength", best), standing.row("win_share", best)
    if strength is not None and share is not None:
        equal = f"{100 / standing.players:.1f} %"
        statements.append(
            f"At {standing.title} `{best}` has strength {format_estimate(strength, 'number')} and wins {format_estimate(share, 'share')} of its "
            f"{share.n:,} games, where {equal} would be a fair share."
        )
    groups: dict[tuple[int, int], list[str]] = {}
    for agent in standing.agents:
        ranks = standing.rank_interval(agent)
        if ranks is not None and ranks[0] < ranks[1]:
            groups.setdefault(ranks, []).append(f"`{agent}`")
    for (first, last), agents in groups.items():
        statements.append(f"{listed(agents)} may have any rank from {first} to {last}.")
    return statements


def _pair_sentences(standing: _Standing, chunks: int) -> list[str]:
    """Return a sentence on pairs whose weaker agent is significantly ahead, corrected for the number of pairs."""
    if not standing.converged:
        return []
    place = {agent: k for k, agent in enumerate(standing.agents)}
    pairs = pick(standing.pairs, figure="ahead_share").dropna(subset="low")
    rows = [row for row in pairs.itertuples(index=False) if place[row.agent] > place[row.opponent]]
    against = [
        f"`{row.agent}` finished ahead of `{row.opponent}` in {format_estimate(row, 'share')} of {row.n:,} games"
        for row, significant in zip(rows, differs_significantly(rows, 0.5, share=True, chunks=chunks), strict=True)
        if significant and row.value >= 0.5 + MIN_SHARE
    ]
    if not against:
        return [
            f"At {standing.title} no weaker agent finishes significantly ahead of a stronger one ({len(rows)} pairs, judged together)."
        ]
    more = [f"and {len(against) - _MAX_PAIRS} more pairs"] if len(against) > _MAX_PAIRS else []
    return [f"At {standing.title}, against the ranking, {'; '.join([*against[:_MAX_PAIRS], *more])}."]


def _plan(manifest: Mapping[str, Any], game: Game, standings: Sequence[_Standing]) -> str:
    plan = manifest["plan"]
    counts = listed([str(count) for count in dict.fromkeys(standing.players for standing in standings)])
    agents = max(len(standing.agents) for standing in standings)
    return (
        f"{game.title} at {counts} players: {agents} agents, {pluralize(len(plan['lineups']), 'matchup')}, "
        f"{pluralize(manifest['deals'], 'deal')} each, {pluralize(manifest['games'], 'game')} in all."
    )


def _facts(manifest: Mapping[str, Any], standings: Sequence[_Standing]) -> list[tuple[str, str]]:
    plan = manifest["plan"]
    rule = plan.get("until", "")
    stopped = f"{rule if rule == 'decided' else f'win shares to within {rule}'}; at most {plan['deals']:,} deals"
    facts = [
        ("Field", ", ".join(sorted({agent for standing in standings for agent in standing.agents}))),
        ("Matchups", f"{len(plan['lineups']):,}"),
        ("Variants", ", ".join(plan["variants"])),
        ("Seatings", plan["seatings"]),
        ("Deals per matchup", f"{manifest['deals']:,}"),
        ("Stopping rule", stopped if rule else ""),
    ]
    return known_facts(manifest, facts)


def _certainty(manifest: Mapping[str, Any]) -> list[str]:
    plan = manifest["plan"]
    chunks = -(
        -manifest["deals"] * plan["chunks"] // plan["deals"]
    )  # chunks played: a rule may stop before the last one
    statements = [
        f"The deals are divided into {chunks} parts; part c of every matchup has the same deals. Every interval comes from leaving out one part of all "
        "matchups at a time (the delete-one jackknife), so that repeated deals do not narrow the intervals wrongly.",
        "Intervals are 95 %: strengths and means by Student's t, shares by Wilson's formula, or the exact one if events are rare. An agent ranks above all significantly weaker and below all significantly stronger "
        "agents, corrected for the number of its comparisons (Bonferroni).",
        "Strengths summarize a field: they ignore the seating, and if three agents beat one another in a circle, no ranking is right. They hold for "
        "these opponents; another field may have another order.",
        "Figures with fewer than 30 games have no value. Intervals cover chance; results may differ for other agents or for human players.",
    ]
    if manifest["plan"].get("until"):
        statements.append(
            "The stopping rule depends on the results. `win_share_anytime` in `tables/agents.csv` has intervals that are valid at every look; the others "
            "assume a number of deals fixed in advance."
        )
    return statements
