"""Restricted play: what a thing is worth to an agent that must do without it, in every seat, on the deals on which all play with it.

Jaffe, Miller, Andersen, Liu, Karlin and Popovic 2012. Position 0 plays without the thing, the others are the same agent without
restrictions; all know it, since it is part of the rules that agents are handed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, names
from strozzi_sim.errors import as_argument_error
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import THIN, FigureTable, Picture, Tables, format_estimate, headline_players, some_of
from strozzi_sim.game.restricting import Use, find_things, restricted
from strozzi_sim.game.significance import (
    ALPHA,
    MIN_SHARE,
    degrees_of_freedom,
    missed,
    not_excluded,
    p_value,
    p_value_of_share,
)
from strozzi_sim.game.variants import Variant
from strozzi_sim.stats.intervals import Estimate
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.cells import WITHOUT_LUCK, Cell, CellCounts, CountsOf
from strozzi_sim.study.look import KeyNumber, Look, Section
from strozzi_sim.study.model import Study
from strozzi_sim.study.wording import players_words

WORTH, COSTS, SMALL, UNCLEAR = "worth having", "better not used", "too small to matter", "unclear"
TOLD, MISLEADS = "significant worth", "its users' wins mislead"
_SEEN = {SMALL: SMALL, UNCLEAR: UNCLEAR}
LOST, SCORE_LOST = (
    Figure("win_share_lost", "games lost without it", "share"),
    Figure("score_lost", "score lost without it", "amount"),
)
USED, NAIVE = (
    Figure("popularity", "how often it is used", "share"),
    Figure("naive_win_share", "games won by its users", "share"),
)


def uses_of(study: Study, things: Sequence[str], argument: str) -> dict[str, Use | None]:
    """Return the things that can be restricted in every variant, by name or pattern, with the facts that show their use."""
    first, *others = [find_things(study.the_game, variant, things, argument) for variant in study.variant_of.values()]
    return {thing: use for thing, use in first.items() if all(thing in other for other in others)}


def check_uses(study: Study, uses: Iterable[str], argument: str) -> None:
    """Refuse things that an agent that plays itself cannot do without."""
    for lineup, thing, variant in product(study.lineups, uses, study.variant_of.values()):
        if len(lineup) == 1:
            restrictions = {0: (*study.specs[lineup[0]].without, thing)}
            as_argument_error(argument, restricted, study.the_game, variant, restrictions)


def restricted_cells(study: Study, uses: Iterable[str]) -> Iterator[tuple[int, tuple[AgentSpec, ...], Variant, str]]:
    """Yield the cells of each agent that plays itself, with position 0 restricted; see `Study.plan`."""
    for players, lineup, thing, variant in product(study.players, study.lineups, uses, study.variant_of.values()):
        if len(lineup) == 1:
            agent = study.specs[lineup[0]]
            yield players, (agent.restricted(thing), *[agent] * (players - 1)), variant, thing


def worth_table(cells: Iterable[Cell], counts: CountsOf, uses: Mapping[str, Use | None]) -> FigureTable:
    """Return the table worth: what each thing is worth, of the restricted cells among these, in their order."""
    table, cells = FigureTable("thing", "agent"), list(cells)
    free = {_key(cell, cell.match.lineup[0].text): counts(cell) for cell in cells if cell.selfplay and not cell.without}
    for cell in cells:
        if cell.without:
            own, without = free[_key(cell, cell.match.lineup[1].text)], counts(cell)
            for figure, estimate in {**_losses(own, without), **_uses(own, uses[cell.without])}.items():
                table.add(own, figure, estimate, thing=cell.without, agent=own.lineup)
    return table


def worth_sentences(study: Study, tables: Tables, look: Look) -> list[str]:
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
                missed(not_excluded(rows, chunks=study.chunks), what="a worth or a cost")
                if verdict == UNCLEAR and len(rows)
                else ""
            )
            parts += [f"{len(rows)} of {len(order)} {verdict}{f' ({size})' if size else ''}"] if len(rows) else []
        misled = [line["thing"] for line in order if line["misleads"]]
        parts += [f"the wins of users mislead about {some_of(misled, 3)}"] if misled else []
        of = "" if len(study.variant_of) == 1 else f" of {variant}"
        said.append(f"In the games{of} of {agent} at {players} players, {'; '.join(parts)}.")
    strongest = max(range(len(said)), key=lambda k: _tier(study, list(found)[k][2]))
    agent = list(found)[strongest][2]
    first = said[strongest].replace(f" of {agent} at", f" of {players_words(study.the_game, agent)} at", 1)
    return [first, *(each for each in said if each is not said[strongest])]


def _tier(study: Study, agent: str) -> int:
    """Return how strong an agent is among the game's agents of each strength."""
    tiers = [names.agents_named(study.the_game, text)[0].text for text in study.the_game.tiers.values()]
    return tiers.index(agent) if agent in tiers else -1


def worth_section(study: Study, tables: Tables, look: Look) -> Section:
    """Return the section of worth: what is lost over how often a thing is used, the losses, and the figures with verdicts."""
    keys, lines = ["players", "variant", "agent", "thing"], list(verdicts(tables["worth"], look.effect))
    seen = {tuple(line[key] for key in keys): MISLEADS if line["misleads"] else _SEEN.get(line["verdict"], TOLD) for line in lines}  # fmt: skip
    said = {tuple(line[key] for key in keys): f"{line['thing']}: {line['verdict']}{' (!)' * line['misleads']}" for line in lines}  # fmt: skip
    of_row = list(tables["worth"][keys].itertuples(index=False, name=None))
    table = tables["worth"].assign(seen=[seen[key] for key in of_row], said=[said[key] for key in of_row])
    counted = {key for key, row in zip(of_row, tables["worth"].itertuples(index=False), strict=True) if row.figure == USED.name and row.value == row.value}  # fmt: skip
    used = table[[key in counted for key in of_row]]
    uncounted = sorted(set(table["thing"]) - set(used["thing"]))
    without = f" Without a dot, since no fact counts their use: {some_of(uncounted, 6)}." if uncounted else ""
    over = Picture(
        "worth", "", "scatter", "used", (USED, replace(LOST, label="points of games won, lost without it")), "Used against worth",
        "A dot is a thing: in what share of its occasions (rounds, games or others) it is used, and how many points of games won an agent "
        f"loses that must do without it. The broken line is a thing that is worth nothing; whiskers are 95 % intervals.{without}",
        x="thing", series="seen", series_levels=(TOLD, MISLEADS, SMALL, UNCLEAR), zero=True,
    )  # fmt: skip
    losses = Picture("losses", "", "dots", "worth", (LOST, SCORE_LOST), "What an agent loses without a thing", x="thing", zero=True, sort=LOST.name, series="players" if table["players"].nunique() > 1 else "")  # fmt: skip
    figures = Picture(
        "worth-table", "", "table", "worth", (LOST, SCORE_LOST, USED, NAIVE), "Worth in figures",
        "Worth is what the same agent loses on the same deals if it must do without; where it then hardly wins a game, the score lost decides. "
        "(!) marks where the wins of users point elsewhere: they show who uses a thing, and what else they do. Verdicts are corrected for all "
        f"things, agents and player counts; too small to matter is what stays within {100 * look.effect:g} points of games won.",
        x="said", x_label="thing", sort=LOST.name,
    )  # fmt: skip
    return Section(
        "Worth", "What is each thing worth to its users, and do their wins show it?", (*((over,) if len(used) else ()), losses, figures),
        numbers=tuple(_worth_numbers(study, lines)), tables={"worth": table, "used": used},
    )  # fmt: skip


def _worth_numbers(study: Study, lines: Sequence[Mapping[str, Any]]) -> Iterator[KeyNumber]:
    """Yield what is lost without the things that are worth most to the strongest agent, at the player count of the headline."""
    players = headline_players(pd.DataFrame({"players": [line["players"] for line in lines]}))
    here = [line for line in lines if line["players"] == players]
    agent = max(dict.fromkeys(line["agent"] for line in here), key=lambda agent: _tier(study, agent))
    for line in ranked([line for line in here if line["agent"] == agent])[:2]:
        whom = f"without {line['thing']} ({agent}, {players} players)"
        yield KeyNumber(pd.Series(line["win_share_lost"]._asdict()), "share", f"points of games won, lost {whom}", is_change=True)  # fmt: skip
        if line["score_lost"].value == line["score_lost"].value:
            yield KeyNumber(pd.Series(line["score_lost"]._asdict()), "amount", f"points of score lost {whom}", is_change=True)  # fmt: skip


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
        more, less = (with_it, doing_without) if free.match.game.sign > 0 else (doing_without, with_it)
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
