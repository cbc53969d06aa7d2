"""Results of a cell of a study: its identity, and its counts by chunk."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent.worth import LEAD, SCORE, WIN
from strozzi_sim.facts.crosstabs import Crosstab, CrosstabPlan
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.simulation.luck import LUCK_SUMS
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.luck import LuckSums

WITHOUT_LUCK, GAMES_SAVED = "_without_luck", "_games_saved"  # behind the name of a figure
_WORTH_OF = {"win_share": WIN, "score_mean": SCORE, "lead_mean": LEAD}


class FigureCounts(NamedTuple):
    """A figure of every seat or position, summed by chunk.

    Attributes:
        figure: its name in tables.
        numerator: int64[C, P], in 1/`unit`.
        unit: value of one event in `numerator`.
        played: games, int64[C, P].
        n_deals: deals behind it if it is a share, else None.
        span: the smallest and the largest it can be in a game, if that is known and it is not a share.
        deals: behind it, if it has a span.
    """

    figure: str
    numerator: Array
    unit: int
    played: Array
    n_deals: int | None
    span: tuple[float, float] | None = None
    deals: int | None = None

    def of(self, level: int | slice) -> "FigureCounts":
        """Return the counts of one seat or position, int64[C], or of a slice of them."""
        return self._replace(numerator=self.numerator[:, level], played=self.played[:, level])

    def estimate(self) -> Estimate:
        """Its mean over games, with its interval."""
        return stats.ratio(
            self.numerator, self.played, unit=self.unit, n_deals=self.n_deals, span=self.span, deals=self.deals
        )

    def minus(self, other: "FigureCounts", *, same: bool = False) -> Estimate:
        """The difference of the means, paired by chunk; `same` if both are of the same thing."""
        over, under = (self.numerator, other.numerator), (self.played, other.played)
        return stats.difference(
            over, under, unit=self.unit, n_deals=self.n_deals, span=self.span, deals=self.deals, same=same
        )

    def saved_by_pairing(self, other: "FigureCounts") -> Estimate:
        """The share of variance that pairing saves in their difference."""
        over, under = (self.numerator, other.numerator), (self.played, other.played)
        return stats.variance_saved(over, under, unit=self.unit, share=self.n_deals is not None)


@dataclass(frozen=True)
class CellCounts:
    """The counts of one cell: players x line-up x variant.

    Attributes:
        players: number of seats.
        variant: name of the variant.
        lineup: line-up as tables print it, agents separated by commas.
        positions: the agent of every position, spec strings.
        selfplay: whether the line-up is one agent, so that positions mean nothing.
        deals: deals played, all chunks together.
        components: the variant's component data, plain.
        outcome: OUTCOME records, array [C] (see simulation.loop).
        counts: counts of facts, int64[C, plan.size].
        plan: layout of the counts.
        recounted: counts of rows that were kept, for what `counts` do not answer, and what they are; or None.
        sign: what makes the highest score the best, see `Game.sign`.
    """

    players: int
    variant: str
    lineup: str
    positions: tuple[str, ...]
    selfplay: bool
    deals: int
    components: dict[str, Any]
    outcome: Array
    counts: Array
    plan: CrosstabPlan
    recounted: tuple[CrosstabPlan, Array] | None = None
    sign: int = 1

    @property
    def games(self) -> int:
        """Games played, all chunks together."""
        return int(self.outcome["games"].sum())

    def count(self, crosstab: Crosstab) -> Array:
        """A crosstab by chunk, int64[C, levels of each column, 1 + sums]; see `facts.crosstabs`."""
        if self.recounted is not None and crosstab in self.recounted[0].crosstabs:
            return self.recounted[0].read(crosstab, self.recounted[1])
        return self.plan.read(crosstab, self.counts)

    def of_table(self, fact: str) -> "CellCounts":
        """The cell with the deals that a fact table has rows of: of a sampled one, every k-th."""
        sampled = self.plan.table(fact).sampled
        return replace(self, deals=-(-self.deals // sampled)) if sampled else self

    def sums(self, breakdown: Literal["seat", "position"]) -> tuple[FigureCounts, ...]:
        """Share of wins, mean rank, mean score, and mean lead over the others at the table."""
        wins, places, scores, played = (
            self.outcome[field].sum(axis=1 if breakdown == "seat" else 2)[:, : self.players]
            for field in ("wins", "places", "scores", "played")
        )
        leads = self._leads(scores)
        found = (
            FigureCounts("win_share", wins, WIN_UNITS, played, self.deals),
            FigureCounts("rank_mean", places, 2, played, None, (1.0, float(self.players)), self.deals),
            FigureCounts("score_mean", scores, 1, played, None),
            FigureCounts("lead_mean", leads, self.players - 1, played, None),
        )
        return found + tuple(
            FigureCounts(f"{name}{WITHOUT_LUCK}", sums.adjusted(), 1, played, None)
            for name, sums in self.luck(breakdown).items()
        )

    def luck(self, breakdown: Literal["seat", "position"]) -> dict[str, LuckSums]:
        """Results and luck of the figures whose luck was measured, by name; empty if it was not."""
        if "luck" not in (self.outcome.dtype.names or ()):
            return {}
        axis = 1 if breakdown == "seat" else 2
        played, wins, scores = (
            self.outcome[field].sum(axis=axis)[:, : self.players] for field in ("played", "wins", "scores")
        )
        leads = self._leads(scores) / (self.players - 1)
        luck = np.array([self.outcome[field].sum(axis=axis)[:, : self.players] for field in LUCK_SUMS])
        return luck_sums({"win_share": wins / WIN_UNITS, "score_mean": scores, "lead_mean": leads}, luck, played)

    def _leads(self, scores: Array) -> Array:
        """Return leads over the mean of the others, times the number of rivals, [C, P]."""
        leads: Array = self.sign * (self.players * scores - scores.sum(axis=1, keepdims=True))
        return leads


def luck_sums(results: Mapping[str, Array], luck: Array, played: Array) -> dict[str, LuckSums]:
    """Return results and luck by figure.

    Args:
        results: sums of the results by figure, [C, P].
        luck: float64[3, C, P, worths], as in `simulation.luck.LUCK_SUMS`.
        played: games, int64[C, P].
    """
    return {
        figure: LuckSums(np.asarray(sums, np.float64), luck[0, ..., k], luck[1, ..., k], luck[2, ..., k], played)
        for figure, sums in results.items()
        for k in [_WORTH_OF[figure]]
    }
