"""The page of a tournament: who is strongest, who beats whom, and what the seats do."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import pluralize
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Picture, Tables, listed, pick, quote, row_of
from strozzi_sim.game.significance import MIN_SHARE, surely_not
from strozzi_sim.reports.findings import RANK, SCORE, WIN
from strozzi_sim.reports.page import Content, Item, Section, known_facts, section
from strozzi_sim.reports.painter import Painter
from strozzi_sim.studies.standings import unrated

STRENGTH = Figure("strength", "strength", "number")
AHEAD = Figure("ahead_share", "finished ahead", "share")
WEIGHT = Figure("weight", "Nash weight", "share")
AGAINST = Figure("score", "wins against the mixture", "share")
_LONG, _LONGER = 34, 60  # letters of an agent's name beside a heat map, beside dots
_MAX_PAIRS = 6  # against the ranking, told one by one
_MAX_MAPPED = 40  # agents of a heat map

Words = dict[str, str]


def tournament_page(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> Content:
    """What the page of a tournament says, with its pictures painted.

    Args:
        manifest: what its manifest.json says.
        tables: agents, pairwise, ratings, seat_effects; with two players nash.
        game: what was played.
        painter: takes the pictures.
    """
    standings = list(_standings(tables))
    sections = [
        _standing(standings, painter),
        _pairs(standings, painter, manifest["plan"]["chunks"]),
        _nash(standings, tables, painter),
        _seats(tables, painter),
    ]
    return Content(
        plan=_plan(manifest, game, standings),
        facts=_facts(manifest, standings),
        headline=" ".join(_first(standing) for standing in standings),
        sections=[section for section in sections if section.items],
        certainty=_certainty(manifest),
        tables=sorted(tables),
    )


class _Standing:
    """One player count and variant.

    Attributes:
        title: in words, with the variant if there are several. slug: the same for file names.
        agents: best first. words: agent -> "1 random".
        ratings, figures, pairs: its rows of the tables; figures are those of agents, ratings among them.
        converged: whether the fit of strengths did; if not, there is no ranking.
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
        """A figure of an agent, or None."""
        return row_of(self.figures, figure=figure, agent=agent)

    def reach(self, agent: str) -> tuple[int, int] | None:
        """The interval of its rank."""
        rank = self.row("rank", agent)
        return None if rank is None or np.isnan(rank.low) else (int(rank.low), int(rank.high))


def _standings(tables: Tables) -> Iterator[_Standing]:
    every = list(dict.fromkeys(zip(tables["ratings"]["players"], tables["ratings"]["variant"], strict=True)))
    several = len({variant for _, variant in every}) > 1
    for players, variant in every:
        yield _Standing(tables, int(players), str(variant), several)


# -- what is shown ---------------------------------------------------------------------------------------------------


def _standing(standings: Sequence[_Standing], painter: Painter) -> Section:
    pictures, lines, every = [], [], pd.concat([standing.ratings for standing in standings])
    for standing in standings:
        words = {agent: _with_reach(standing, agent) for agent in standing.agents}
        dots = Picture("strength", "", "dots", "", (STRENGTH,), "Strength", x="agent", levels=standing.agents)
        short = {agent: _with_reach(standing, agent, _LONGER) for agent in standing.agents}
        pictures += painter.parts(
            dots, f"strength{standing.slug}", standing.ratings, short, standing.title, compared=every
        )
        table = Picture(
            "standing", "", "table", "", (STRENGTH, WIN, RANK, SCORE), "", x="agent", levels=standing.agents,
            x_label="agent (95 % interval of its rank)",
        )  # fmt: skip
        lines += painter.parts(table, "", standing.figures, words, standing.title)
    caption = (
        "Plackett-Luce strengths from whole finishing orders; logarithms with mean 0. A difference of 1 means finishing ahead about "
        "e = 2.7 times as often as behind. Whiskers are 95 % intervals. In parentheses the ranks that are possible with 95 % confidence."
    )
    items = [
        Item("How strong each agent is", caption, tuple(pictures)),
        Item("The standing in figures", "Over all games of an agent, whoever sat there with it.", tuple(lines)),
    ]
    sentences = [sentence for standing in standings for sentence in _told(standing)]
    return section("standing", "Standing", "Who is strongest, and how certain is that?", sentences, items)


def _pairs(standings: Sequence[_Standing], painter: Painter, chunks: int) -> Section:
    parts, sentences, maps = [], [], []
    counted = "of the agent with this number"
    heat_map = HeatMap("Who finishes ahead of whom", "", "agent", counted, AHEAD)
    for standing in standings:
        sentences += _against(standing, chunks)
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
        "How often the agent of the row finished ahead of that of the column, in games that both played; a tie counts half. "
        "n is the number of those games. Agents are numbered by strength."
    )
    items = [Item("Who finishes ahead of whom", caption, tuple(parts))]
    return section("pairs", "Pairs", "Does the ranking hold for every two agents?", sentences, items)


def _nash(standings: Sequence[_Standing], tables: Tables, painter: Painter) -> Section:
    lines, sentences = [], []
    for standing in standings if "nash" in tables else ():
        rows = pick(tables["nash"], players=standing.players, variant=standing.variant)
        table = Picture(
            "nash", "", "table", "", (WEIGHT, AGAINST), "", x="agent", levels=standing.agents, x_label="agent"
        )
        lines += painter.parts(table, "", rows, standing.words, standing.title)
        weighty = pick(rows, figure="weight").query("value > 0").sort_values("value", ascending=False, kind="stable")
        mixture = [f"`{row.agent}` ({quote(row, 'share')})" for row in weighty.itertuples(index=False)]
        if mixture:
            sentences.append(f"At {standing.title} the mixture that no agent beats is {listed(mixture)}.")
    caption = (
        "Choosing an agent is a game itself, and this is its solution: the most even mixture of agents that none of them beats (Nash averaging, Balduzzi et al. 2018). "
        "Against it an agent with a weight wins one half, the others less. Neither copies nor more weak agents change these scores."
    )
    items = [Item("Weights, and scores against the mixture", caption, tuple(lines))]
    return section("nash", "Nash averaging", "Which agents does nobody beat?", sentences, items)


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
        "All games of the tournament together. The broken line is an equal chance. Every agent sits at every seat equally often, so that seats "
        "favour no agent in the standing."
    )
    items = [Item("How often each seat wins", caption, tuple(pictures)), Item("Seats in figures", "", tuple(lines))]
    return section("seats", "Seats", "What do the seats do, whoever sits there?", [], items)


def _short(name: str, most: int = _LONG) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


# -- what is said ----------------------------------------------------------------------------------------------------


def _with_reach(standing: _Standing, agent: str, most: int = 1000) -> str:
    """An agent with its number and the interval of its rank: "2 random (2-3)"."""
    name = _short(standing.words[agent], most)
    reach = standing.reach(agent)
    return name + ("" if reach is None else f" ({_span(*reach)})")


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}\N{EN DASH}{high}"


def _first(standing: _Standing) -> str:
    """Who is strongest, in a sentence."""
    where, best = f"At {standing.title}", standing.agents[0]
    if not standing.converged:
        return f"{where} the fit of strengths did not converge, so there is no ranking; the other figures are valid."
    if standing.reach(best) is None:
        return f"{where} {best} did best; there are too few games to say how certain that is."
    rivals = [agent for agent in standing.agents[1:] if (reach := standing.reach(agent)) and reach[0] == 1]
    if not rivals:
        return f"{where} {best} is the strongest of {len(standing.agents)}."
    return f"{where} {best} did best; {listed(rivals)} may be as strong."


def _told(standing: _Standing) -> list[str]:
    """The best agent in figures, and who cannot be told apart."""
    statements = []
    best = standing.agents[0]
    strength, share = standing.row("strength", best), standing.row("win_share", best)
    if strength is not None and share is not None:
        equal = f"{100 / standing.players:.1f} %"
        statements.append(
            f"At {standing.title} `{best}` has strength {quote(strength, 'number')} and wins {quote(share, 'share')} of its "
            f"{share.n:,} games, where {equal} would be equal."
        )
    groups: dict[tuple[int, int], list[str]] = {}
    for agent in standing.agents:
        reach = standing.reach(agent)
        if reach is not None and reach[0] < reach[1]:
            groups.setdefault(reach, []).append(f"`{agent}`")
    for reach, agents in groups.items():
        statements.append(f"{listed(agents)} may stand anywhere from rank {reach[0]} to {reach[1]}.")
    return statements


def _against(standing: _Standing, chunks: int) -> list[str]:
    """Pairs in which the weaker one is surely ahead, all pairs judged together, or that there are none."""
    if not standing.converged:
        return []
    place = {agent: k for k, agent in enumerate(standing.agents)}
    pairs = pick(standing.pairs, figure="ahead_share").dropna(subset="low")
    rows = [row for row in pairs.itertuples(index=False) if place[row.agent] > place[row.opponent]]
    against = [
        f"`{row.agent}` finished ahead of `{row.opponent}` in {quote(row, 'share')} of {row.n:,} games"
        for row, sure in zip(rows, surely_not(rows, 0.5, share=True, chunks=chunks), strict=True)
        if sure and row.value >= 0.5 + MIN_SHARE
    ]
    if not against:
        return [
            f"At {standing.title} no weaker agent certainly finishes ahead of a stronger one ({len(rows)} pairs, judged together)."
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
    stopped = f"{rule if rule == 'decided' else f'win shares known to within {rule}'}; at most {plan['deals']:,} deals"
    facts = [
        ("Field", ", ".join(sorted({agent for standing in standings for agent in standing.agents}))),
        ("Matchups", f"{len(plan['lineups']):,}"),
        ("Variants", ", ".join(plan["variants"])),
        ("Seatings", plan["seatings"]),
        ("Deals of a matchup", f"{manifest['deals']:,}"),
        ("Stopping rule", stopped if rule else ""),
    ]
    return known_facts(manifest, facts)


def _certainty(manifest: Mapping[str, Any]) -> list[str]:
    plan = manifest["plan"]
    chunks = -(-manifest["deals"] * plan["chunks"] // plan["deals"])  # those played: a rule may stop before the last
    statements = [
        f"The deals are cut into {chunks} parts; part c of every matchup holds the same deals. Every interval comes from leaving out one part of all "
        "matchups at a time (the delete-one jackknife), so that deals used many times make nothing look more certain than it is.",
        "Intervals are 95 %: strengths and means by Student's t, shares by Wilson's formula, or the exact one where events are rare. An agent's rank lies above all that are certainly weaker and below all that are "
        "certainly stronger, with the comparisons of that agent judged together (Bonferroni).",
        "Strengths sum up a field: they leave out who sits where, and where three agents beat one another in a circle no ranking is right. They hold for "
        "these opponents; another field may give another order.",
        "Figures with fewer than 30 games behind them have no value. Intervals cover chance, not what other agents, or people, would do.",
    ]
    if manifest["plan"].get("until"):
        statements.append(
            "The tournament stopped because of what it saw. `win_share_anytime` in `tables/agents.csv` has intervals that hold however often one looks; the others "
            "are those of a tournament planned with that number of deals."
        )
    return statements
