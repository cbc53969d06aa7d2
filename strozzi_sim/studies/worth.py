"""What a thing is worth: an agent that must do without it, among agents that need not, on the same deals.

Restricted play (Jaffe, Miller, Andersen, Liu, Karlin and Popovic 2012). Position 0 plays without the thing in every seat, the
others are the same agent without restrictions; all know it, since it is part of the rules that agents are handed. The loss is that of
position 0 against the same deals with nobody restricted, where each seat wins 1 / players of the games on average.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from strozzi_sim import stats
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.game.restricting import Use
from strozzi_sim.game.significance import ALPHA, MIN_SHARE, degrees_of_freedom, p_value, p_value_of_share
from strozzi_sim.stats.intervals import Estimate
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.studies.cells import WITHOUT_LUCK, CellCounts

KEYS = ("thing", "agent")  # of the table worth
WORTH, COSTS, SMALL, UNCLEAR = "worth having", "better not used", "too small to matter", "unclear"


def add_worth(table: FigureTable, free: CellCounts, without: CellCounts, thing: str, use: Use | None) -> None:
    """Add what a thing is worth to an agent.

    Args:
        table: table with the keys thing and agent.
        free: counts of the agent that plays itself.
        without: counts of the same deals with position 0 restricted.
        thing: the restriction.
        use: facts that show the use of the thing; None: not counted.
    """
    found = {**_losses(free, without), **({} if use is None else _uses(free, use))}
    for figure, estimate in found.items():
        table.add(free, figure, estimate, thing=thing, agent=free.lineup)


def _losses(free: CellCounts, without: CellCounts) -> dict[str, Estimate]:
    """Return the share of wins and the score that position 0 loses by doing without."""
    sums = {figure.figure: figure.of(0) for figure in without.sums("position")}
    of_all = {figure.figure: figure for figure in free.sums("seat")}
    fair, found = 1 / free.players, {}
    for ending in ("", WITHOUT_LUCK):
        if f"win_share{ending}" not in sums:  # luck was not measured
            continue
        share, scores = sums[f"win_share{ending}"].estimate(), sums[f"score_mean{ending}"]
        whole = of_all[f"score_mean{ending}"]
        with_it, doing_without = (
            (whole.numerator.sum(axis=1), whole.played.sum(axis=1)),
            (scores.numerator, scores.played),
        )
        more, less = (with_it, doing_without) if free.sign > 0 else (doing_without, with_it)
        lost = stats.difference((more[0], less[0]), (more[1], less[1]))
        found[f"win_share_lost{ending}"] = Estimate(fair - share.value, fair - share.high, fair - share.low, share.n)
        found[f"score_lost{ending}"] = replace(lost, n=share.n)
    return found


def _uses(free: CellCounts, use: Use) -> dict[str, Estimate]:
    """Return the share of occasions in which the thing is used, and the share of wins of its users by use."""
    used, among = use.crosstabs
    cell = free.of_table(use.fact)
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
