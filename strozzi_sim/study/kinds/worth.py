"""worth: what is a part of the game worth to a player?

Restricted play (Jaffe, Miller, Andersen, Liu, Karlin and Popovic 2012). Position 0 plays without the thing in every seat, the others
are the same agent without restrictions, on the deals on which all play without restrictions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec
from strozzi_sim.errors import ArgumentError, as_argument_error, suggest_names
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.missed import missed, not_excluded
from strozzi_sim.game.reporting import THIN, FigureTable, Picture, Tables, format_estimate, some_of
from strozzi_sim.game.restricting import Use, find_things, restricted
from strozzi_sim.game.restricting import things as things_of
from strozzi_sim.game.significance import ALPHA, MIN_SHARE, degrees_of_freedom, p_value, p_value_of_share
from strozzi_sim.game.variants import AnyVariant, Variant
from strozzi_sim.stats.intervals import Estimate
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study import names
from strozzi_sim.study.cells import Cell, CountsOf, Headline
from strozzi_sim.study.counts import WITHOUT_LUCK, CellCounts
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study, fact_union
from strozzi_sim.study.names import Agents, Players
from strozzi_sim.study.pages import Section
from strozzi_sim.study.progress import ProgressOption
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import Folder, run

WORTH, COSTS, SMALL, UNCLEAR = "worth having", "better not used", "too small to matter", "unclear"


def worth(
    game: str | Game,
    things: Sequence[str] = (),
    *,
    every: bool = False,
    players: Players = None,
    agents: Agents = (),
    deals: int | None = None,
    precision: float | None = None,
    search_deals: int | None = None,
    luck: str = "",
    luck_redraws: int | None = None,
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Measure what a thing is worth: an agent that must do without it, against itself on the same deals.

    The loss is causal, unlike the share of wins of those who use the thing, which stands beside it.

    Args:
        game: a game; `strozzi games` lists them
        things: restrictions by name, or patterns such as 'KIND:*'
        every: measure everything that can be restricted
        players: player counts: 4, 3-6, 3,5 or all; default: 4, or the fewest of the game
        agents: agents, separated by commas, each measured by itself; default: random and the game's default agent
        deals: deals for every thing and player count; default: 1,000, or as many as the precision takes
        precision: play until shares of wins are known to within +- these points, and at most deals
        search_deals: deals of agents that search; default: a fraction of the deals
        luck: an agent that evaluates positions, such as learned: takes the luck of chance out of the figures, as more rows
        luck_redraws: number of redraws of each chance event, which measure its luck; default: 8
        variant: a variant of the game's components
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        folder: keep everything in this folder, with a report, and resume there; default: only print
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only

    >>> import strozzi_sim.study as ss
    >>> table = ss.worth("strozzi", "flag:ware", players=3, agents="heuristic", deals=200).tables["worth"]
    >>> bool(table.set_index("figure")["low"]["score_lost"] > 0)
    True
    """
    the_game = names.game_named(game)
    variants = names.variants_named(the_game, variant)
    known = things_of(the_game, variants[0])
    if not known:
        raise ArgumentError("game", f"{the_game.name} has no restrictions")
    wanted = [things] if isinstance(things, str) else list(things)
    if bool(wanted) == every:
        named = (
            "leave out the things" if every else f"name things or patterns such as {next(iter(known))}, or everything"
        )
        raise ArgumentError("every" if every else "things", f"{named}; {suggest_names('', known)}")
    default = list(dict.fromkeys(["random", the_game.default_agent]))
    search = the_game.search_deals(deals or Worth.usual_deals) if search_deals is None else search_deals
    study = Worth.of(
        game=the_game, things=["*"] if every else wanted, players=names.player_counts(the_game, players), deals=deals, precision=precision,
        lineups=[[agent] for agent in names.agents_named(the_game, agents or default)], variants=variants,
        search_deals=search, luck=luck, luck_redraws=luck_redraws, seed=seed,
    )  # fmt: skip
    return run(
        study, folder, look=Look(name=f"worth-{study.game.replace('_', '-')}"), workers=workers, progress=progress
    )


class Worth(Study, frozen=True, kw_only=True, tag="worth"):
    """A measurement of what things are worth to agents that play themselves.

    Attributes:
        things: the restrictions, by name or pattern.
    """

    things: tuple[str, ...]
    printed = ("worth",)

    def plan(self) -> Iterator[tuple[int, tuple[AgentSpec, ...], Variant, str]]:
        """Yield the cells of each agent that plays itself, then those with position 0 restricted."""
        yield from super().plan()
        for lineup in self.lineups:
            agent = self.specs[lineup[0]]
            for thing in self.uses:
                for players in self.players:
                    for variant in self.variant_of.values():
                        yield players, (agent.restricted(thing), *[agent] * (players - 1)), variant, thing

    @cached_property
    def uses(self) -> dict[str, Use | None]:
        """The things that can be restricted in every variant, with the facts that show their use."""
        first, *others = [find_things(self.the_game, variant, self.things) for variant in self.variant_of.values()]
        return {thing: use for thing, use in first.items() if all(thing in other for other in others)}

    def check(self) -> None:
        """Refuse line-ups of several agents, and things that an agent cannot do without."""
        for lineup in self.lineups:
            if len(lineup) > 1:
                raise ArgumentError("lineups", "a worth is measured of one agent that plays itself")
            for thing in self.uses:
                for variant in self.variant_of.values():
                    as_argument_error(
                        "things", restricted, self.the_game, variant, {0: (*self.specs[lineup[0]].without, thing)}
                    )

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        """Return the facts that show the use of things."""
        return fact_union(*(use.crosstabs for use in self.uses.values() if use))

    def headlines(self) -> list[Headline]:
        """Return the wins of the restricted agents."""
        return [Headline(cell, "position", 0) for cell in self.cells if cell.without and cell.deals == self.deals]

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return the table worth: what each thing is worth by players and agent."""
        table = FigureTable("thing", "agent")
        free = {_key(cell, cell.match.lineup[0].text): counts(cell) for cell in self.cells if not cell.without}
        cells = [cell for cell in self.cells if cell.without]
        for cell in sorted(
            cells,
            key=lambda cell: (self.lineups.index((cell.match.lineup[1].text,)), self.players.index(cell.match.players)),
        ):
            own, without = free[_key(cell, cell.match.lineup[1].text)], counts(cell)
            for figure, estimate in {**_losses(own, without), **_uses(own, self.uses[cell.without])}.items():
                table.add(own, figure, estimate, thing=cell.without, agent=own.lineup)
        return {"worth": table}

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return what is worth most to each agent, how much is too small to matter or unclear, and whose users' wins mislead."""
        said = []
        found: dict[tuple[int, str, str], list[Mapping[str, Any]]] = {}
        for line in verdicts(tables["worth"], look.effect):
            found.setdefault((line["players"], line["variant"], line["agent"]), []).append(line)
        for (players, variant, agent), lines in found.items():
            order = ranked(lines)
            parts = [_worth_of_best(order)]
            for verdict in (COSTS, SMALL, UNCLEAR):
                of_verdict = [line for line in order if line["verdict"] == verdict]
                rows = pd.DataFrame([line["win_share_lost"] for line in of_verdict])
                size = (
                    missed(not_excluded(rows, chunks=self.chunks), what="a worth or a cost")
                    if verdict == UNCLEAR and len(rows)
                    else ""
                )
                parts += [f"{len(rows)} of {len(order)} {verdict}{f' ({size})' if size else ''}"] if len(rows) else []
            misled = [line["thing"] for line in order if line["misleads"]]
            parts += [f"the wins of users mislead about {some_of(misled, 3)}"] if misled else []
            of = "" if len(self.variant_of) == 1 else f" of {variant}"
            said.append(f"In the games{of} of {agent} at {players} players, {'; '.join(parts)}.")
        strongest = max(range(len(said)), key=lambda k: self._tier(list(found)[k][2]))
        return [said[strongest], *(each for each in said if each is not said[strongest])]

    def _tier(self, agent: str) -> int:
        """Return how strong an agent is among the game's agents of each strength."""
        tiers = [names.agents_named(self.the_game, text)[0].text for text in self.the_game.tiers.values()]
        return tiers.index(agent) if agent in tiers else -1

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the losses, and the figures."""
        lost, score = (
            Figure("win_share_lost", "games lost without it", "share"),
            Figure("score_lost", "score lost without it", "amount"),
        )
        used, naive = (
            Figure("popularity", "how often it is used", "share"),
            Figure("naive_win_share", "games won by those who use it", "share"),
        )
        drawn = Picture(
            "worth",
            "",
            "dots",
            "worth",
            (lost, score),
            "What an agent loses without a thing",
            x="thing",
            zero=True,
            sort="win_share_lost",
        )
        table = Picture(
            "worth-table",
            "",
            "table",
            "worth",
            (lost, score, used, naive),
            "Worth in figures",
            x="thing",
            sort="win_share_lost",
        )
        return [Section("Worth", "What is each thing worth?", (drawn, table))]


def _key(cell: Cell, agent: str) -> tuple[int, str, str]:
    return cell.match.players, cell.match.variant.name, agent


def _losses(free: CellCounts, without: CellCounts) -> dict[str, Estimate]:
    """Return the share of wins and the score that position 0 loses by doing without."""
    own = {figure.figure: figure.of(0) for figure in without.sums("position")}
    of_all, fair, found = {figure.figure: figure for figure in free.sums("seat")}, 1 / free.players, {}
    for ending in ("", WITHOUT_LUCK) if f"win_share{WITHOUT_LUCK}" in own else ("",):
        share, scores, whole = (
            own[f"win_share{ending}"].estimate(),
            own[f"score_mean{ending}"],
            of_all[f"score_mean{ending}"],
        )
        with_it, doing_without = (
            (whole.numerator.sum(axis=1), whole.played.sum(axis=1)),
            (scores.numerator, scores.played),
        )
        more, less = (with_it, doing_without) if free.sign > 0 else (doing_without, with_it)
        lost = stats.difference((more[0], less[0]), (more[1], less[1]))
        found[f"win_share_lost{ending}"] = Estimate(fair - share.value, fair - share.high, fair - share.low, share.n)
        found[f"score_lost{ending}"] = replace(lost, n=share.n)
    return found


def _uses(free: CellCounts, use: Use | None) -> dict[str, Estimate]:
    """Return the share of occasions in which the thing is used, and the share of wins of its users by use."""
    if use is None:
        return {}
    (used, among), cell = use.crosstabs, free.of_table(use.fact)
    unit = cell.plan.column(use.fact, "win").scale
    uses, wins = use.uses_and_wins(cell.count(used), unit)
    occasions = use.of.times * free.of_table(use.of.fact).count(among)[..., 0]
    return {
        "popularity": stats.ratio(uses, occasions, n_deals=cell.deals),
        "naive_win_share": stats.ratio(wins, uses, unit=unit, n_deals=cell.deals),
    }


def verdicts(table: Any, effect: float) -> Iterator[Mapping[str, Any]]:
    """Yield one line for each thing, agent, variant and player count: its figures by name, its verdict, and two marks.

    A thing is SMALL only if its loss is known to be. `misleads`: the wins of its users point elsewhere. `at_ceiling`:
    without it the agent wins less than `effect` of its games, so that the share lost cannot tell such things apart,
    but the score can.

    Args:
        table: the table worth.
        effect: smallest share of wins that matters.
    """
    keys = ["players", "variant", "agent", "thing"]
    p_of_loss, p_of_naive = _significance(table, "win_share_lost", keys), _significance(table, "naive_win_share", keys)
    p_of_size = _significance(table, "win_share_lost", keys, effect)
    for key, rows in table.groupby(keys, sort=False):
        figures = {row.figure: row for row in rows.itertuples(index=False)}
        loss, naive = figures["win_share_lost"], figures.get("naive_win_share")
        if p_of_size[key] < ALPHA:
            verdict = SMALL
        elif p_of_loss[key] < ALPHA:
            verdict = WORTH if loss.value > 0 else COSTS
        else:
            verdict = UNCLEAR
        naive_sign = 0
        if naive is not None and p_of_naive[key] < ALPHA and abs(naive.value - 1 / naive.players) >= MIN_SHARE:
            naive_sign = 1 if naive.value > 1 / naive.players else -1
        causal_sign = {WORTH: 1, COSTS: -1}.get(verdict, 0)
        misleads = naive_sign != 0 and naive_sign != causal_sign and verdict != UNCLEAR
        further = {"misleads": misleads, "at_ceiling": loss.value > 1 / loss.players - effect}
        yield {**dict(zip(keys, key, strict=True)), **figures, "verdict": verdict, **further}


def ranked(lines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the lines of `verdicts`, most valuable first: those at the ceiling by score, then the others by wins."""

    def place(line: Mapping[str, Any]) -> tuple[bool, float]:
        lost = line["score_lost" if line["at_ceiling"] else "win_share_lost"].value
        return not line["at_ceiling"], -lost if lost == lost else float("inf")

    return sorted(lines, key=place)


def rivals_of(best: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the lines of `verdicts` of which it is not known that they are worth less than `best`."""
    if not best["at_ceiling"]:
        return [line for line in others if line["win_share_lost"].high >= best["win_share_lost"].low]
    ceiling = best["win_share_lost"].low
    return [
        line
        for line in others
        if line["win_share_lost"].high >= ceiling and line["score_lost"].high >= best["score_lost"].low
    ]


def _significance(
    table: Any, figure: str, keys: Sequence[str], effect: float | None = None
) -> dict[tuple[Any, ...], float]:
    """Return by key the p-value of a loss of 0, or of a fair naive share, corrected for the number of rows (Holm).

    With an effect: of a loss of at least as much, either way.
    """
    rows = table[table["figure"] == figure]
    df = degrees_of_freedom(rows["n"], rows["deals"])
    ends = rows["value"], rows["low"], rows["high"]
    if figure == "naive_win_share":
        p = p_value_of_share(*ends, 1 / rows["players"].to_numpy(), df)
    elif effect is not None:
        both = np.maximum(p_value(*ends, effect, df), p_value(*ends, -effect, df))
        p = np.where(np.abs(rows["value"]) < effect, both, 1.0)
    else:
        p = p_value(*ends, 0.0, df)
    return dict(zip(rows[list(keys)].itertuples(index=False, name=None), holm(p), strict=True))


def _worth_of_best(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return what is lost without the thing that is worth most: wins, or the score where as good as no win is left."""
    best, *others = lines
    if best["verdict"] != WORTH:
        return f"no thing of {len(lines)} is known to be worth having"
    rivals = [line["thing"] for line in rivals_of(best, others)]
    as_much = f"; {some_of(rivals, 3)} may be worth as much" if rivals else ""
    if best["at_ceiling"]:
        score = format_estimate(best["score_lost"], "amount")
        return (
            f"{best['thing']} is worth most ({score} points of score; without it an agent hardly wins a game{as_much})"
        )
    points = format_estimate(best["win_share_lost"], "share").replace(f"{THIN}%", " points")
    return f"{best['thing']} is worth most ({points} of games won{as_much})"
