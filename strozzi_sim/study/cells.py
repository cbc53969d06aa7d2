"""The cells of a study, the counts of their chunks, and the figures to which a precision applies.

Counts are integers, sums of luck floats. Intervals come from the chunks of a cell, which are independent: so a cell
keeps its chunks apart, on the first axis C of every array. Axes of results in the outcome: [C, position, seat].
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent import analysis
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.crosstabs import CellsByColumns, Crosstab, CrosstabPlan
from strozzi_sim.facts.figures import DECISIONS, SCORE, WIN_SHARE, Figure, Scale
from strozzi_sim.simulation.luck import LUCK_SUMS
from strozzi_sim.simulation.match import Match
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.luck import LuckSums

Side = Literal["seat", "position"]
_OF_PLACES = "mean of the final places; a shared place is the mean of the places"
RANK = Figure("rank_mean", "mean place", "number", _OF_PLACES, lowest=1.0, better="lower")
_OF_LEAD = "own final score less the mean of the others, mean over games"
LEAD = Figure("lead_mean", "mean lead over the others", "amount", _OF_LEAD, scale="score", better="higher")
SEAT_GAP = Figure(
    "seat_gap",
    "gap between the seats",
    "points",
    "share of wins of the best seat less that of the worst",
    lowest=0.0,
    better="lower",
)
_BY_CHANCE = "what the gap stays below in 95 % of studies if all seats are equal"
GAP_BY_CHANCE = Figure("seat_gap_by_chance", "", "points", _BY_CHANCE, lowest=0.0, scale="")
_UNSEEN = "the most by which a seat can be favoured without this study showing it (95 %)"
FAVOUR_BOUND = Figure("seat_favour_bound", "", "points", _UNSEEN, lowest=0.0, scale="")
FAIRNESS_P = Figure("seat_fairness_p", "", "p", "probability of a gap as large or larger if all seats are equal")
OF_BALANCE = (SEAT_GAP, GAP_BY_CHANCE, FAVOUR_BOUND, FAIRNESS_P, DECISIONS)
OF_SIDES = (WIN_SHARE, RANK, SCORE, LEAD)  # figures of every seat or position
WITH_LUCK = {WIN_SHARE: analysis.WIN, SCORE: analysis.SCORE, LEAD: analysis.LEAD}  # figures of which luck is measured


def minus_position_0(figure: Figure) -> Figure:
    """Return the figure of a position less that of position 0."""
    scale: Scale = "score" if figure.measure.scale == "score" else "itself"
    return figure.difference(f"{figure.name}_minus_position_0", "less that of position 0, paired by deal", scale)


def without_luck(figure: Figure) -> Figure:
    """Return the figure from which the measured luck is subtracted."""
    how = "less a coefficient, fitted on the other chunks, times the luck of the chance events"
    return figure.derived("without_luck", "without luck", how)


def games_saved(figure: Figure) -> Figure:
    """Return by what factor the subtraction of luck saves games."""
    how = "variance of its mean over that of the mean without luck"
    return replace(figure.derived("games_saved", "games saved", how, unit="number"), scale=None)


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
        """Whether the line-up is one agent, which plays itself, so that positions mean nothing."""
        return len(self.match.lineup) == 1

    @property
    def components(self) -> dict[str, Any]:
        """Component data of the variant."""
        return self.match.variant.components


class Headline(NamedTuple):
    """The share of wins of a seat or position of a cell, minus that in the cell `than` if given, for a precision."""

    cell: Cell
    by: str
    level: int
    than: Cell | None = None


@dataclass(frozen=True, kw_only=True)
class CellCounts(Cell):
    """A cell with its counts, and the figures computed from them."""

    outcome: Array  # records of `simulation.match.outcome_dtype`, [C]
    counts: Array  # counts of facts, integers [C, size], or ORDERS records, [C]
    plan: CrosstabPlan  # layout of the counts of facts
    recounted: tuple[CrosstabPlan, Array] | None = None  # counts of kept rows, for crosstabs that `counts` lack
    read_rows: Callable[[], Iterator[Array]] = lambda: iter(())  # ROW records of each chunk, if they are kept
    known_cells: CellsByColumns = field(default_factory=dict)  # of `counts`, see `CrosstabPlan.read`

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.outcome["games"].sum())

    def count(self, crosstab: Crosstab) -> Array:
        """Return a crosstab, int64[C, levels of each column, 1 + sums]; see `facts.crosstabs`."""
        if self.recounted is not None and crosstab in self.recounted[0].crosstabs:
            return self.recounted[0].read(crosstab, self.recounted[1])
        return self.plan.read(crosstab, self.counts, self.known_cells)

    def of_table(self, fact: str) -> "CellCounts":
        """Return the cell with `deals` the number of deals of which a fact table has rows: if sampled, every k-th."""
        sampled = self.plan.table(fact).sampled
        return replace(self, deals=-(-self.deals // sampled)) if sampled else self

    def figures(self, side: Side) -> dict[Figure, Estimate]:
        """Return the figures of every seat or position; if luck was measured, all but the rank also without it."""
        wins, places, scores, played = (self.totals(side, field) for field in ("wins", "places", "scores", "played"))
        span, rivals = (1.0, float(self.players)), self.players - 1
        return {
            WIN_SHARE: stats.ratio(wins, played, unit=WIN_UNITS, n_deals=self.deals),
            RANK: stats.ratio(places, played, unit=2, span=span, deals=self.deals),
            SCORE: stats.ratio(scores, played),
            LEAD: stats.ratio(self._leads(scores), played, unit=rivals),
            **{without_luck(each): stats.ratio(sums.adjusted(), played) for each, sums in self.luck(side).items()},
        }

    def games_saved(self, side: Side) -> dict[Figure, Estimate]:
        """Return by what factor the subtraction of luck saves games, by figure; empty if luck was not measured."""
        return {games_saved(figure): sums.games_saved() for figure, sums in self.luck(side).items()}

    def luck(self, side: Side) -> dict[Figure, LuckSums]:
        """Return results and luck by figure; empty if luck was not measured."""
        if "luck" not in (self.outcome.dtype.names or ()):
            return {}
        played, wins, scores = (self.totals(side, field) for field in ("played", "wins", "scores"))
        leads = self._leads(scores) / (self.players - 1)
        luck = np.array([self.totals(side, field) for field in LUCK_SUMS])
        return luck_sums({WIN_SHARE: wins / WIN_UNITS, SCORE: scores, LEAD: leads}, luck, played)

    def _leads(self, scores: Array) -> Array:
        """Return leads over the mean of the others, times the number of rivals, [C, P]; positive is better."""
        leads: Array = self.match.game.sign * (self.players * scores - scores.sum(axis=1, keepdims=True))
        return leads

    def totals(self, side: Side, field: str) -> Array:
        """Return a field of the outcome of every seat or position by chunk, [C, P]; of LUCK_SUMS [C, P, worth]."""
        totals: Array = self.outcome[field].sum(axis=1 if side == "seat" else 2)[:, : self.players]
        return totals


def luck_sums(results: Mapping[Figure, Array], luck: Array, played: Array) -> dict[Figure, LuckSums]:
    """Return results and luck by figure, of sums of results [C, P], of luck [LUCK_SUMS, C, P, worth] and of games."""
    sums_by_figure = {}
    for figure, sums in results.items():
        luck_of_figure, squares, products = luck[..., WITH_LUCK[figure]]
        sums_by_figure[figure] = LuckSums(np.asarray(sums, np.float64), luck_of_figure, squares, products, played)
    return sums_by_figure


CountsOf = Callable[[Cell], CellCounts]
