"""A candidate of a race: its figure in one heat, what each chunk contributes to it, and intervals that hold whenever a heat stops.

The interval of the gap between seats is that of the largest difference of two seats, over all pairs together. The gap itself is
the largest of noisy numbers, so an interval around it alone would miss a small gap.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from strozzi_sim import stats
from strozzi_sim.stats.confidence_sequences import FIRST_LOOK
from strozzi_sim.stats.intervals import Array, Estimate, divide, exact_share, jackknife, leave_one_out, t_quantile
from strozzi_sim.stats.precision import ALPHA, mean_half_width, share_interval
from strozzi_sim.studies.cells import CellCounts, FigureCounts
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.run import cell_counts
from strozzi_sim.studies.store import MemoryStore
from strozzi_sim.studies.tables import figure_tables

GAP = "seat_gap"
TYPICAL_STOP = 400  # chunks of a heat that stops where it was expected to
_LOOKS = 10  # chunks between two looks
_NEAR = 1.03  # ratio to which an expected number of deals is found


@dataclass(frozen=True, eq=False)
class Candidate:
    """A value's figure in one heat.

    Attributes:
        name: name of its variant.
        value: the figure, as a mean over all player counts and line-ups.
        parts: contribution of each chunk, float64[C]: C times the figure, minus C - 1 times the figure without the chunk.
        n: number of events of the figure.
        deals: number of deals.
        pairs: of the gap between seats, the differences of every two seats by chunk, float64[C, P] for each player count and line-up.
        bounded: whether the figure is the mean of a number in [0, 1] per deal.
    """

    name: str
    value: float
    parts: Array
    n: int
    deals: int
    pairs: tuple[Array, ...] = ()
    bounded: bool = False

    @property
    def means(self) -> Array:
        """The means that are pooled over heats: the figure, float64[1]; of the gap, the difference of every two seats of every cell, float64[K]."""
        return np.concatenate([each.mean(axis=0) for each in self.pairs]) if self.pairs else np.array([self.value])

    def pooled(self, means: Array) -> float:
        """Return the figure given its means over several heats."""
        if not self.pairs:
            return float(means[0])
        ends = np.cumsum([each.shape[1] for each in self.pairs])[:-1]
        return float(np.mean([np.abs(each).max() for each in np.split(means, ends)]))

    def interval(self) -> tuple[float, float]:
        """Return low and high of the figure, for a number of deals fixed in advance."""
        half = self._half_width(self.parts)
        if half == 0 and self.bounded:  # equal in every chunk, as rare events are
            low, high = exact_share(np.array([self.value * self.deals]), np.array([float(self.deals)]))
            return float(low[0]), float(high[0])
        return max(self.value - half, 0.0) if self.pairs else self.value - half, self.value + half

    def minus(self, other: "Candidate", precision: float | None = None) -> tuple[float, float, float]:
        """Return the difference of the figures, low and high, paired by deal; with a precision, valid whenever the heat stops.

        Differences that vary in too few chunks for an interval that is valid whenever the heat stops have none (NaN).
        """
        if self is other:
            return 0.0, 0.0, 0.0
        less, value = self.parts - other.parts, self.value - other.value
        half = self._half_width(less) if precision is None else float(mean_half_width(less))
        half = half if np.isfinite(half) else float("nan")
        return value, value - half, value + half

    def anytime(self, precision: float) -> tuple[float, float]:
        """Return low and high of a share, valid whenever the heat stops.

        Args:
            precision: half width to which the interval is tuned, as a part of 1.
        """
        if self.pairs:
            low, high = self._ends_of_gap()
            return max(low, 0.0), min(high, 1.0)
        half = float(mean_half_width(self.parts, ALPHA / 2 if self.bounded else ALPHA))
        low, high = max(self.value - half, 0.0), min(self.value + half, 1.0)
        if self.bounded:
            of_deals = share_interval(np.array([self.value]), self.deals, precision, ALPHA / 2)
            low, high = max(low, float(of_deals[0][0])), min(high, float(of_deals[1][0]))
        return low, high

    def is_known(self, precision: float) -> bool:
        """Return whether the share is known to this half width; for the gap between seats, before the interval is cut at 0."""
        low, high = self._ends_of_gap() if self.pairs else self.anytime(precision)
        return high - low <= 2 * precision

    def _ends_of_gap(self) -> tuple[float, float]:
        ends = np.array([_largest(each, ALPHA / len(self.pairs)) for each in self.pairs])
        return float(ends[:, 0].mean()), float(ends[:, 1].mean())

    def deals_until_known(self, precision: float, most: int) -> int:
        """Return the number of deals, at most `most`, after which the share is expected to be known to this half width."""
        from scipy.special import ndtri

        shape = ndtri((np.arange(TYPICAL_STOP) + 0.5) / TYPICAL_STOP)
        shape /= shape.std(ddof=1)

        def is_known(deals: float) -> bool:
            """Return whether it is known after these deals, in chunks that vary like those of this heat."""
            size = self.deals / len(self.parts) / deals * TYPICAL_STOP

            def vary(seen: Array) -> Array:
                error = seen.std(axis=0, ddof=1) * np.sqrt(size)
                return np.asarray(seen.mean(axis=0) + np.multiply.outer(shape, error))

            pairs = tuple(map(vary, self.pairs))
            return replace(self, parts=vary(self.parts), pairs=pairs, deals=round(deals)).is_known(precision)

        few, many = 1.0, float(most)
        while many > _NEAR * few:
            middle = float(np.sqrt(few * many))
            few, many = (few, middle) if is_known(middle) else (middle, many)
        return round(many)

    @staticmethod
    def _half_width(parts: Array) -> float:
        if len(parts) < 2:
            return float("nan")
        return float(t_quantile(len(parts) - 1) * jackknife(parts) / (len(parts) - 1))


def _largest(pairs: Array, alpha: float) -> tuple[float, float]:
    """Return low and high of the largest difference of two seats."""
    size = np.abs(pairs.mean(axis=0))
    half = mean_half_width(pairs, alpha / pairs.shape[1])
    return float((size - half).max()), float((size + half).max())


def candidates(plan: Plan, store: MemoryStore, figure: str, names: Sequence[str] | None = None) -> Iterator[Candidate]:
    """Yield the figure of the table balance for variants (default: all), averaged over their player counts and line-ups."""
    deals = np.diff([plan.chunk_range(chunk)[0] for chunk in range(plan.chunks)], append=plan.deals)
    for name in [variant.name for variant in plan.variants] if names is None else names:
        cells = [cell_counts(plan, store, cell) for cell in plan.lineup_cells if cell.match.variant.name == name]
        wins = [cell.sums("seat")[0] for cell in cells] if figure == GAP else []
        own = [] if figure == GAP else _estimates(plan, cells, figure)
        sides = [_gap(each) for each in wins] or [_single(each) for each in own]
        value = float(np.mean([whole for whole, _ in sides]))
        without = np.mean(np.array([each for _, each in sides]), axis=0)
        yield Candidate(
            name,
            value,
            len(without) * value - (len(without) - 1) * without,
            sum(int(each.n) for each in own) or sum(cell.games for cell in cells),
            plan.deals,
            tuple(_pairs(each) for each in wins),
            figure != GAP and not plan.search_deals and all(_is_bounded(each, deals) for each in own),
        )


def _estimates(plan: Plan, cells: Sequence[CellCounts], figure: str) -> list[Estimate]:
    """Return a figure of the table balance of every cell; from the pages of the game alone if they have it, which is faster."""
    of_game = plan.game.report.tables(cells, (), {}, stats, sums=True)["balance"].parts
    found = [part.estimate for part in of_game if part.figure == figure]
    every = () if found else figure_tables(plan.game, cells, (), {}, sums=True)["balance"].parts
    return found or [part.estimate for part in every if part.figure == figure]


def _gap(wins: FigureCounts) -> tuple[float, Array]:
    """Return the largest share of wins minus the smallest, and the same without each chunk."""
    whole = divide(wins.numerator.sum(axis=0), wins.played.sum(axis=0)) / wins.unit
    return float(np.ptp(whole)), np.ptp(leave_one_out(wins.numerator, wins.played, wins.unit), axis=1)


def _pairs(wins: FigureCounts) -> Array:
    """Return the differences of every two seats by chunk, float64[C, P]."""
    shares = divide(wins.numerator, wins.played) / wins.unit
    one, two = np.triu_indices(shares.shape[1], 1)
    return np.asarray(shares[:, one] - shares[:, two])


def _is_bounded(estimate: Estimate, deals: Array) -> bool:
    """Return whether every deal has equally many events of a share, given the deals of each chunk."""
    if estimate.sums is None or not is_share(estimate):
        return False
    events = estimate.sums.denominator
    return bool((events * deals.sum() == events.sum() * deals).all())


def is_share(estimate: Estimate) -> bool:
    """Return whether a figure is a share of events."""
    return estimate.sums is not None and estimate.sums.n_deals is not None


def replicates(estimate: Estimate) -> Array | None:
    """Return a single figure without each chunk, float64[C]; None if it has no such values."""
    if np.ndim(estimate.value):
        return None
    sums = estimate.sums
    return estimate.without if sums is None else leave_one_out(sums.numerator, sums.denominator, sums.unit)


def _single(estimate: Estimate) -> tuple[float, Array]:
    """Return a single figure, however few its events, and the figure without each chunk."""
    without, sums = replicates(estimate), estimate.sums
    assert without is not None
    value = estimate.value if sums is None else divide(sums.numerator.sum(), sums.denominator.sum()) / sums.unit
    return float(value), without


def until_known(figure: str, name: str, precision: float) -> Callable[[Plan, MemoryStore], bool]:
    """Return the rule that stops a heat once the figure of a variant is known to a precision, looking every few chunks."""

    def stop(plan: Plan, store: MemoryStore) -> bool:
        if plan.chunks < FIRST_LOOK or plan.chunks % _LOOKS:
            return False
        (found,) = candidates(plan, store, figure, (name,))
        return found.is_known(precision)

    return stop
