"""The search for the best of component values, by a race on common deals: its heats are studies, its result is the table best."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import ArgumentError, short_repr, suggest_names
from strozzi_sim.stats.precision import ALPHA, FEWEST_IN_CHUNK, deals_of_mean
from strozzi_sim.studies.candidates import GAP, TYPICAL_STOP, Candidate, candidates, is_share, replicates, until_known
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.race import BEHIND, OPEN, WINNER, WORSE, Outcome, heat_chunks, most_spent, race
from strozzi_sim.studies.run import StoppingRule, Tables, figure_tables
from strozzi_sim.studies.store import MemoryStore

Play = Callable[[Plan, Tables, StoppingRule | None], Any]

_TRIAL = 40  # deals from which the names of figures are known
_GUESS = 10  # the first guess of the deals of a final: so many times fewer than the most
_MOST_CHUNKS = 2000  # of a final with a precision


def find_best(
    plan: Plan, figure: str, highest: bool, play: Play, precision: float | None = None
) -> tuple[pd.DataFrame, int]:
    """Return the table of the race for the best value of a figure, and the number of games that it took.

    Args:
        plan: the sweep; its deals are those of the final.
        figure: figure of the table balance.
        highest: whether the highest value is the best.
        play: plays a plan, until the rule stops it, and makes tables of it by the function.
        precision: half width to which the final measures a share, as a part of 1; its deals are then the most it may take.
    """
    named = {variant.name: variant for variant in plan.variants}
    most = most_deals_of(plan, precision)
    games = 0

    def measure(
        names: Sequence[str], deals: int, chunks: int, seed: int, rule: StoppingRule | None = None
    ) -> list[Candidate]:
        nonlocal games
        found: list[Candidate] = []

        def read(cut: Plan, store: MemoryStore) -> dict[str, Any]:
            nonlocal games
            games += cut.games
            found.extend(candidates(cut, store, figure))
            return {}

        variants = tuple(named[name] for name in names)
        play(replace(part_of(plan, deals, chunks, figure), variants=variants, seed=seed), read, rule)
        return found

    def heat(names: Sequence[str], deals: int, number: int) -> list[Candidate]:
        return measure(names, deals, heat_chunks(len(names)), plan.seed + number)

    def final(names: Sequence[str], need: float) -> list[Candidate]:
        if precision is None:
            return measure(names, most, plan.chunks, plan.seed)
        size = max(FEWEST_IN_CHUNK, round(need / TYPICAL_STOP), -(-most // _MOST_CHUNKS))
        rule = until_known(figure, names[0], precision)
        return measure(names, most, max(1, most // size), plan.seed, rule)

    def expected(candidate: Candidate | None) -> float:
        if precision is None:
            return most
        return most / _GUESS if candidate is None else candidate.deals_until_known(precision, most)

    outcome = race(list(named), 1 if highest else -1, heat, final, expected, precision)
    return _race_table(plan, figure, outcome, precision), games


def race_summary(plan: Plan, figure: str, highest: bool, precision: float | None) -> str:
    """Return the race in one line, with the largest number of games."""
    deals = most_deals_of(plan, precision)
    of_one = replace(part_of(plan, deals, 1), variants=plan.variants[:1]).games
    games = most_spent(len(plan.variants), deals) * of_one // deals
    lineups = " | ".join(",".join(spec.text for spec in lineup) for lineup in plan.lineups)
    return (
        f"{plan.game.title}: players {', '.join(map(str, plan.players))}, {lineups}: {len(plan.variants)} values of "
        f"{', '.join(key for key, _ in plan.sweep)} race for the {'highest' if highest else 'lowest'} {figure}: at most {games:,} games"
    )


def most_deals_of(plan: Plan, precision: float | None) -> int:
    """Return the largest number of deals of a final: those of the plan, or fewer after which every gap is known to the precision."""
    if precision is None:
        return plan.deals
    cells, seats = len(plan.lineup_cells) // len(plan.variants), max(plan.players)
    return min(plan.deals, deals_of_mean(precision, 1.0, ALPHA / cells / max(seats * (seats - 1) // 2, 1)))


def part_of(plan: Plan, deals: int, chunks: int, figure: str = "") -> Plan:
    """Return the plan of a heat: fewer deals, the same share of them with agents that search, and the facts of balance if the figure needs them."""
    search = max(1, plan.search_deals * deals // plan.deals) if plan.search_deals else 0
    chunks = min(chunks, deals, search or deals)
    short = replace(
        plan,
        deals=deals,
        search_deals=search,
        chunks=chunks,
        chunk_deals=0,
        pages=(),
        heatmaps={},
        sweep=(),
        worth=(),
        until="",
        rows=False,
    )
    short = replace(short, asked=() if figure == GAP else short.asked)
    return replace(short, counted=short.required_facts)


def check_figure(plan: Plan, figure: str, play: Play, precision: float | None = None) -> None:
    """Play a few games, and refuse a figure that the table balance does not have or that has no intervals.

    Raises:
        ArgumentError: lists the figures; or a precision is given for a figure that is not a share.
    """
    small = replace(part_of(plan, _TRIAL, _TRIAL // 4), variants=plan.variants[:1])
    known: dict[str, bool] = {}

    def read(cut: Plan, store: MemoryStore) -> dict[str, Any]:
        parts = figure_tables(cut, store, sums=True)["balance"].parts
        known.update(
            {
                part.figure: part.figure == GAP or is_share(part.estimate)
                for part in parts
                if replicates(part.estimate) is not None
            }
        )
        return {}

    play(small, read, None)
    if figure not in known:
        raise ArgumentError("best", f"unknown figure {short_repr(figure)}; {suggest_names(figure, known)}")
    if precision is not None and not known[figure]:
        shares = [name for name, share in known.items() if share]
        raise ArgumentError(
            "precision",
            f"is of a share, in points, and {figure} is not a share; leave it out, or search one of {', '.join(shares)}",
        )


def _race_table(plan: Plan, figure: str, outcome: Outcome, precision: float | None) -> pd.DataFrame:
    """Return the table best: a row for every value, the winner first."""
    values, keys = plan.swept_values, [key for key, _ in plan.sweep]
    winner = outcome.finalists[0]
    rows = []
    for candidate in (*outcome.finalists, *outcome.others):
        final = candidate in outcome.finalists
        low, high = candidate.interval() if precision is None or not final else candidate.anytime(precision)
        less = candidate.minus(winner, precision) if final else (np.nan,) * 3
        rows.append(
            {
                "variant": candidate.name,
                **dict(zip(keys, map(float, values[candidate.name]), strict=True)),
                "status": outcome.status[candidate.name],
                "figure": figure,
            }
            | {"value": candidate.value, "low": low, "high": high, "n": candidate.n, "deals": candidate.deals}
            | dict(zip(("minus_winner", "minus_winner_low", "minus_winner_high"), less, strict=True))
        )
    order = [WINNER, OPEN, BEHIND, WORSE]
    return pd.DataFrame(sorted(rows, key=lambda row: order.index(str(row["status"]))))
