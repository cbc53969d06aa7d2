"""The cells of a study, what their chunks count, and the figures that a precision is about.

Counts are integers, and intervals come from the chunks of a cell, which are independent: so a cell keeps its chunks apart, on the
first axis C of every array. Axes of the outcome: [C, position, seat].
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.crosstabs import Crosstab, CrosstabPlan, Found
from strozzi_sim.simulation.luck import LUCK_SUMS
from strozzi_sim.simulation.match import Match
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.luck import LuckSums

Side = Literal["seat", "position"]
WITHOUT_LUCK, GAMES_SAVED = "_without_luck", "_games_saved"  # endings of figures
_WORTH_OF = {"win_share": WIN, "score_mean": SCORE, "lead_mean": LEAD}


@dataclass(frozen=True)
class Cell:
    """Players x line-up x variant, played on the first `deals` deals."""

    number: int  # place of the cell in its study, from 0
    match: Match
    deals: int
    without: str = ""  # the restriction of position 0 in a cell that measures worth

    @property
    def players(self) -> int:
        """Number of players."""
        return self.match.players

    @property
    def variant(self) -> str:
        """Name of the variant."""
        return self.match.variant.name

    @property
    def lineup(self) -> str:
        """The line-up as tables print it."""
        return ",".join(spec.text for spec in self.match.lineup)

    @property
    def positions(self) -> tuple[str, ...]:
        """The agent of every position, spec strings."""
        return tuple(spec.text for spec in self.match.positions)

    @property
    def selfplay(self) -> bool:
        """Whether one agent plays itself, so that positions mean nothing."""
        return len(self.match.lineup) == 1

    @property
    def components(self) -> dict[str, Any]:
        """Component data of the variant."""
        return self.match.variant.components


class Headline(NamedTuple):
    """A figure that a precision is about: the wins of a seat or position of a cell, less those in the cell `than` if there is one."""

    cell: Cell
    by: str
    level: int
    than: Cell | None = None


class Counts(NamedTuple):
    """The counts of chunks."""

    outcome: Array  # OUTCOME records, [C] (see `simulation.loop`)
    facts: Array  # counts of facts, integers [C, size], or ORDERS records, [C]


class FigureCounts(NamedTuple):
    """A figure of every seat or position as two sums by chunk."""

    figure: str  # its name in tables
    numerator: Array  # int64[C, P], in 1/`unit`
    unit: int  # value of one event in the numerator
    played: Array  # games, int64[C, P]
    n_deals: int | None  # number of deals, of a share; None: the figure is no share
    span: tuple[float, float] | None = None  # smallest and largest value in a game, if bounded and no share
    deals: int | None = None  # number of deals, of a figure with a span

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


@dataclass(frozen=True, kw_only=True)
class CellCounts(Cell):
    """A cell with its counts, from which its figures are made."""

    outcome: Array  # as in `Counts`
    counts: Array  # the facts of `Counts`
    plan: CrosstabPlan  # layout of the counts of facts
    recounted: tuple[CrosstabPlan, Array] | None = None  # counts of kept rows, for what `counts` do not answer
    read_rows: Callable[[], Iterator[Array]] = lambda: iter(())  # ROW records of each chunk, if they are kept
    found: Found = field(default_factory=dict)  # in `counts`, see `CrosstabPlan.read`

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
        luck = self.luck(side).items()
        return (
            FigureCounts("win_share", wins, WIN_UNITS, played, self.deals),
            FigureCounts("rank_mean", places, 2, played, None, (1.0, float(self.players)), self.deals),
            FigureCounts("score_mean", scores, 1, played, None),
            FigureCounts("lead_mean", self._leads(scores), self.players - 1, played, None),
            *(FigureCounts(f"{name}{WITHOUT_LUCK}", each.adjusted(), 1, played, None) for name, each in luck),
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
        leads: Array = self.match.game.sign * (self.players * scores - scores.sum(axis=1, keepdims=True))
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
    found = {}
    for figure, sums in results.items():
        own, squares, products = luck[..., _WORTH_OF[figure]]
        found[figure] = LuckSums(np.asarray(sums, np.float64), own, squares, products, played)
    return found


CountsOf = Callable[[Cell], CellCounts]
CountsOfChunks = Callable[[Cell, range], Counts]  # of some chunks, once they are played
