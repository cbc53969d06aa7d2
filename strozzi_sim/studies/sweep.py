"""Component values over a grid, on common deals: their figures, and the search for the best of them.

The search is a race. Each heat plays all candidates that are left on deals of its own, twice as many as before, and keeps the better half:
those that are significantly worse than the leader are out, others are dropped as being behind. The last heat plays on deals of its own
too, so that the winner's figure is free of the luck by which it was chosen, and says which finalists cannot be told from it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import ArgumentError, short_repr, suggest_names
from strozzi_sim.game.variants import Variant
from strozzi_sim.stats.intervals import Array, Estimate, jackknife, leave_one_out, t_quantile
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.run import figure_tables
from strozzi_sim.studies.store import MemoryStore

Play = Callable[[Plan, Callable[[Plan, MemoryStore], dict[str, Any]]], Any]

_TRIAL = 40  # deals from which the names of figures are known
FIRST_HEAT = 200  # deals, at least
FINALISTS = 4
WINNER, OPEN, WORSE, BEHIND = "winner", "not told from the winner", "significantly worse", "behind, and dropped"


@dataclass(frozen=True)
class Candidate:
    """A variant in the race.

    Attributes:
        variant: the variant.
        value: the figure, as a mean over all player counts and line-ups.
        without: the figure without each chunk, float64[C].
        n: number of events of the figure.
        deals: number of deals on which it was last measured.
    """

    variant: Variant
    value: float
    without: Array
    n: int
    deals: int

    def interval(self) -> tuple[float, float]:
        """Return low and high of the figure."""
        half_width = t_quantile(len(self.without) - 1) * float(jackknife(self.without))
        return self.value - half_width, self.value + half_width

    def minus(self, other: "Candidate") -> tuple[float, float, float]:
        """Return the difference of the figures, low and high, paired by deal."""
        half_width = t_quantile(len(self.without) - 1) * float(jackknife(self.without - other.without))
        value = self.value - other.value
        return value, value - half_width, value + half_width


def find_best(plan: Plan, figure: str, highest: bool, play: Play) -> tuple[pd.DataFrame, int]:
    """Return the table of the race for the best value of a figure, and the number of games that it took.

    Args:
        plan: the sweep; its deals are those of the last heat.
        figure: figure of the table balance.
        highest: whether the highest value is the best.
        play: plays a plan, and makes tables of it by the function.

    """
    sign = 1 if highest else -1
    left, deals, heat, games = list(plan.variants), max(plan.deals // 8, min(FIRST_HEAT, plan.deals)), 1, 0
    outcome: dict[str, tuple[Candidate, str]] = {}

    def measure(variants: Sequence[Variant], number: int, seed: int) -> list[Candidate]:
        nonlocal games
        short = replace(
            plan,
            variants=tuple(variants),
            deals=number,
            chunks=min(number, plan.chunks),
            seed=seed,
            pages=(),
            heatmaps={},
            sweep=(),
            worth=(),
        )
        short = replace(short, counted=short.required_facts)
        found: list[Candidate] = []

        def read(cut: Plan, store: MemoryStore) -> dict[str, Any]:
            found.extend(_candidates(cut, store, figure))
            return {}

        play(short, read)
        games += short.games
        return sorted(found, key=lambda each: -sign * each.value)

    while len(left) > FINALISTS and deals < plan.deals:
        found = measure(left, deals, plan.seed + heat)
        lost = _worse(found, sign)
        kept = found[: max(FINALISTS, (len(found) + 1) // 2)]
        kept = [each for each in kept if not lost[each.variant.name]]
        for each in found:
            if each not in kept:
                outcome[each.variant.name] = each, WORSE if lost[each.variant.name] else BEHIND
        left = [each.variant for each in kept]
        deals, heat = min(2 * deals, plan.deals), heat + 1
    if len(left) > FINALISTS:
        found = measure(left, deals, plan.seed + heat)
        lost = _worse(found, sign)
        for each in found[FINALISTS:]:
            outcome[each.variant.name] = each, WORSE if lost[each.variant.name] else BEHIND
        left, heat = [each.variant for each in found[:FINALISTS]], heat + 1
    order = left
    final = {each.variant.name: each for each in measure(left, plan.deals, plan.seed)}
    winner = final[order[0].name]
    ranked = sorted(final.values(), key=lambda each: each is not winner)
    lost = _worse(ranked, sign)
    for each in ranked:
        outcome[each.variant.name] = (each, WINNER if each is winner else WORSE if lost[each.variant.name] else OPEN)
    return _race_table(plan, figure, winner, outcome), games


def check_figure(plan: Plan, figure: str, play: Play) -> None:
    """Play a few games, and refuse a figure that the table balance does not have or that is no figure of the game.

    Raises:
        ArgumentError: lists the figures.
    """
    small = replace(
        plan, variants=plan.variants[:1], deals=_TRIAL, chunks=10, pages=(), heatmaps={}, sweep=(), worth=()
    )
    small = replace(small, counted=small.required_facts)
    known: list[str] = []

    def read(cut: Plan, store: MemoryStore) -> dict[str, Any]:
        parts = figure_tables(cut, store, sums=True)["balance"].parts
        known.extend(dict.fromkeys(part.figure for part in parts if _replicates(part.estimate) is not None))
        return {}

    play(small, read)
    if figure not in known:
        raise ArgumentError("best", f"unknown figure {short_repr(figure)}; {suggest_names(figure, known)}")


def _worse(found: Sequence[Candidate], sign: int) -> dict[str, bool]:
    """Return by name whether a candidate is significantly worse than the first one, corrected for their number."""
    from scipy.special import stdtr

    first, *others = found
    p = []
    for each in others:
        error = float(jackknife(each.without - first.without))
        behind = sign * (first.value - each.value)
        p.append(float(stdtr(len(each.without) - 1, -behind / error)) if error > 0 else float(behind <= 0))
    adjusted = holm(np.array(p, np.float64)) if p else np.zeros(0)
    return {first.variant.name: False} | {
        each.variant.name: bool(value < 0.05) for each, value in zip(others, adjusted, strict=True)
    }


def _candidates(plan: Plan, store: MemoryStore, figure: str) -> Iterator[Candidate]:
    """Yield the figure of every variant, averaged over its cells."""
    parts = figure_tables(plan, store, sums=True)["balance"].parts
    for variant in plan.variants:
        own = [part for part in parts if part.variant == variant.name and part.figure == figure]
        without = [_replicates(part.estimate) for part in own]
        assert all(each is not None for each in without)
        value = float(np.mean([float(part.estimate.value) for part in own]))
        yield Candidate(
            variant, value, np.mean(np.array(without), axis=0), sum(int(part.estimate.n) for part in own), plan.deals
        )


def _replicates(estimate: Estimate) -> Array | None:
    """Return a single figure without each chunk, float64[C]; None if it has no such values."""
    if np.ndim(estimate.value):
        return None
    sums = estimate.sums
    return estimate.without if sums is None else leave_one_out(sums.numerator, sums.denominator, sums.unit)


def _race_table(
    plan: Plan, figure: str, winner: Candidate, outcome: Mapping[str, tuple[Candidate, str]]
) -> pd.DataFrame:
    values, keys = plan.swept_values, [key for key, _ in plan.sweep]
    rows = []
    for name, (candidate, status) in outcome.items():
        low, high = candidate.interval()
        less = (
            candidate.minus(winner)
            if len(candidate.without) == len(winner.without) and candidate.deals == plan.deals
            else (np.nan,) * 3
        )
        rows.append(
            {
                "variant": name,
                **dict(zip(keys, map(float, values[name]), strict=True)),
                "status": status,
                "figure": figure,
            }
            | {"value": candidate.value, "low": low, "high": high, "n": candidate.n, "deals": candidate.deals}
            | dict(zip(("minus_winner", "minus_winner_low", "minus_winner_high"), less, strict=True))
        )
    order = [WINNER, OPEN, BEHIND, WORSE]
    return pd.DataFrame(sorted(rows, key=lambda row: order.index(str(row["status"]))))
