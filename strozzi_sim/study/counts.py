"""What chunks count. The counts of a chunk are integers, and counts of the same deals add.

Intervals come from the chunks of a cell, which are independent: so a cell keeps its chunks apart, on the first axis C of every array.
Axes of the outcome: [C, position, seat].
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent.worth import LEAD, SCORE, WIN
from strozzi_sim.facts.crosstabs import Crosstab, CrosstabPlan, Found
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.simulation.luck import LUCK_SUMS
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.luck import LuckSums

Side = Literal["seat", "position"]
WITHOUT_LUCK, GAMES_SAVED = "_without_luck", "_games_saved"  # endings of figures
_WORTH_OF = {"win_share": WIN, "score_mean": SCORE, "lead_mean": LEAD}


@dataclass(frozen=True)
class Counts:
    """The counts of chunks.

    Attributes:
        outcome: OUTCOME records, [C] (see `simulation.loop`).
        facts: counts of facts, integers [C, size], or ORDERS records, [C].
    """

    outcome: Array
    facts: Array

    def __add__(self, other: "Counts") -> "Counts":
        """Return the sums, chunk by chunk."""
        return Counts(_sum(self.outcome, other.outcome), _sum(self.facts, other.facts))

    @staticmethod
    def joined(chunks: list["Counts"]) -> "Counts":
        """Return several chunks of one cell, one behind the other."""
        return Counts(
            np.concatenate([each.outcome for each in chunks]), np.concatenate([each.facts for each in chunks])
        )


def _sum(first: Array, second: Array) -> Array:
    """Return the sum of two arrays of numbers or of records."""
    if first.dtype.names is None:
        return np.asarray(first + second)
    whole = first.copy()
    for name in first.dtype.names:
        whole[name] += second[name]
    return whole


class FigureCounts(NamedTuple):
    """A figure of every seat or position as two sums by chunk.

    Attributes:
        figure: its name in tables.
        numerator: int64[C, P], in 1/`unit`.
        unit: value of one event in the numerator.
        played: games, int64[C, P].
        n_deals: number of deals, of a share; None: the figure is no share.
        span: smallest and largest value in a game, of a figure that is bounded and no share.
        deals: number of deals, of a figure with a span.
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
        """Return the mean over games with its interval."""
        return stats.ratio(
            self.numerator, self.played, unit=self.unit, n_deals=self.n_deals, span=self.span, deals=self.deals
        )

    def minus(self, other: "FigureCounts", *, same: bool = False) -> Estimate:
        """Return the difference of the means, paired by chunk; `same`: both are of the same thing."""
        sides = (self.numerator, other.numerator), (self.played, other.played)
        return stats.difference(
            *sides, unit=self.unit, n_deals=self.n_deals, span=self.span, deals=self.deals, same=same
        )

    def saved_by_pairing(self, other: "FigureCounts") -> Estimate:
        """Return the share of variance that pairing saves in the difference."""
        sides = (self.numerator, other.numerator), (self.played, other.played)
        return stats.variance_saved(*sides, unit=self.unit, share=self.n_deals is not None)


@dataclass(frozen=True)
class CellCounts:
    """The counts of a cell, from which its figures are made.

    Attributes:
        players, variant, lineup, deals: what identifies the cell in tables.
        positions: the agent of every position, spec strings.
        selfplay: whether one agent plays itself, so that positions mean nothing.
        components: component data of the variant.
        outcome, counts: the arrays of `Counts`.
        plan: layout of the counts of facts.
        sign: what makes the highest score the best, see `Game.sign`.
        recounted: counts of rows that were kept, for what `counts` do not answer, and what they are; or None.
        read_rows: reads the ROW records of each chunk, if the study keeps them.
        found: what was found in `counts`, see `CrosstabPlan.read`.
    """

    players: int
    variant: str
    lineup: str
    deals: int
    positions: tuple[str, ...]
    selfplay: bool
    components: dict[str, Any]
    outcome: Array
    counts: Array
    plan: CrosstabPlan
    sign: int = 1
    recounted: tuple[CrosstabPlan, Array] | None = None
    read_rows: Callable[[], Iterator[Array]] = field(default=lambda: iter(()), compare=False)
    found: Found = field(default_factory=dict, compare=False, repr=False)

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.outcome["games"].sum())

    def count(self, crosstab: Crosstab) -> Array:
        """Return a crosstab, int64[C, levels of each column, 1 + sums]; see `facts.crosstabs`."""
        if self.recounted is not None and crosstab in self.recounted[0].crosstabs:
            return self.recounted[0].read(crosstab, self.recounted[1])
        return self.plan.read(crosstab, self.counts, self.found)

    def of_table(self, fact: str) -> "CellCounts":
        """Return the cell with the deals that a fact table has rows of: of a sampled table every k-th."""
        sampled = self.plan.table(fact).sampled
        return replace(self, deals=-(-self.deals // sampled)) if sampled else self

    def sums(self, side: Side) -> tuple[FigureCounts, ...]:
        """Return share of wins, mean rank, mean score, and mean lead over the others at the table."""
        wins, places, scores, played = (self._by(side, field) for field in ("wins", "places", "scores", "played"))
        leads = self._leads(scores)
        found = (
            FigureCounts("win_share", wins, WIN_UNITS, played, self.deals),
            FigureCounts("rank_mean", places, 2, played, None, (1.0, float(self.players)), self.deals),
            FigureCounts("score_mean", scores, 1, played, None),
            FigureCounts("lead_mean", leads, self.players - 1, played, None),
        )
        luck = self.luck(side).items()
        return found + tuple(
            FigureCounts(f"{name}{WITHOUT_LUCK}", sums.adjusted(), 1, played, None) for name, sums in luck
        )

    def luck(self, side: Side) -> dict[str, LuckSums]:
        """Return results and luck by figure; nothing if luck was not measured."""
        if "luck" not in (self.outcome.dtype.names or ()):
            return {}
        played, wins, scores = (self._by(side, field) for field in ("played", "wins", "scores"))
        leads = self._leads(scores) / (self.players - 1)
        luck = np.array([self._by(side, field) for field in LUCK_SUMS])
        return luck_sums({"win_share": wins / WIN_UNITS, "score_mean": scores, "lead_mean": leads}, luck, played)

    def _leads(self, scores: Array) -> Array:
        """Return leads over the mean of the others, times the number of rivals, [C, P]."""
        leads: Array = self.sign * (self.players * scores - scores.sum(axis=1, keepdims=True))
        return leads

    def _by(self, side: Side, field: str) -> Array:
        found: Array = self.outcome[field].sum(axis=1 if side == "seat" else 2)[:, : self.players]
        return found


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
