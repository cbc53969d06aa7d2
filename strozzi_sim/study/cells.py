"""The cells of a study, the counts of their chunks, and the figures to which a precision applies.

Counts are integers, sums of luck floats. Intervals come from the chunks of a cell, which are independent: so a cell
keeps its chunks apart, on the first axis C of every array. Axes of results in the outcome: [C, position, seat].
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.crosstabs import CellsByColumns, Crosstab, CrosstabPlan
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

    def figures(self, side: Side) -> dict[str, Estimate]:
        """Return the figures of every seat or position; if luck was measured, all but the rank also without it."""
        wins, places, scores, played = (self.totals(side, field) for field in ("wins", "places", "scores", "played"))
        span, rivals = (1.0, float(self.players)), self.players - 1
        return {
            "win_share": stats.ratio(wins, played, unit=WIN_UNITS, n_deals=self.deals),
            "rank_mean": stats.ratio(places, played, unit=2, span=span, deals=self.deals),
            "score_mean": stats.ratio(scores, played),
            "lead_mean": stats.ratio(self._leads(scores), played, unit=rivals),
            **{f"{name}{WITHOUT_LUCK}": stats.ratio(sums.adjusted(), played) for name, sums in self.luck(side).items()},
        }

    def games_saved(self, side: Side) -> dict[str, Estimate]:
        """Return by what factor the subtraction of luck saves games, by figure; empty if luck was not measured."""
        return {f"{name}{GAMES_SAVED}": sums.games_saved() for name, sums in self.luck(side).items()}

    def luck(self, side: Side) -> dict[str, LuckSums]:
        """Return results and luck by figure; empty if luck was not measured."""
        if "luck" not in (self.outcome.dtype.names or ()):
            return {}
        played, wins, scores = (self.totals(side, field) for field in ("played", "wins", "scores"))
        leads = self._leads(scores) / (self.players - 1)
        luck = np.array([self.totals(side, field) for field in LUCK_SUMS])
        return luck_sums({"win_share": wins / WIN_UNITS, "score_mean": scores, "lead_mean": leads}, luck, played)

    def _leads(self, scores: Array) -> Array:
        """Return leads over the mean of the others, times the number of rivals, [C, P]; positive is better."""
        leads: Array = self.match.game.sign * (self.players * scores - scores.sum(axis=1, keepdims=True))
        return leads

    def totals(self, side: Side, field: str) -> Array:
        """Return a field of the outcome of every seat or position by chunk, [C, P]; of LUCK_SUMS [C, P, worth]."""
        totals: Array = self.outcome[field].sum(axis=1 if side == "seat" else 2)[:, : self.players]
        return totals


def luck_sums(results: Mapping[str, Array], luck: Array, played: Array) -> dict[str, LuckSums]:
    """Return results and luck by figure, of sums of results [C, P], of luck [LUCK_SUMS, C, P, worth] and of games."""
    sums_by_figure = {}
    for figure, sums in results.items():
        luck_of_figure, squares, products = luck[..., _WORTH_OF[figure]]
        sums_by_figure[figure] = LuckSums(np.asarray(sums, np.float64), luck_of_figure, squares, products, played)
    return sums_by_figure


CountsOf = Callable[[Cell], CellCounts]
