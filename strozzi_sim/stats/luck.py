"""Figures with the luck taken out: less a coefficient times the luck, the coefficient fitted on the other chunks.

Luck has mean zero and the coefficient of a chunk does not depend on it, so the adjusted mean has the expectation of the mean
itself, whatever the coefficient: a poor one saves fewer games, and biases nothing.
"""

from dataclasses import dataclass

import numpy as np

from strozzi_sim.stats.intervals import (
    MIN_EXCEPTIONS,
    Array,
    Estimate,
    divide,
    is_median,
    jackknife,
    leave_one_out,
    t_quantile,
)


@dataclass(frozen=True)
class LuckSums:
    """Sums over the games of each chunk, of one figure, float64[C, P] each."""

    results: Array
    luck: Array  # in the unit of the results
    squares: Array  # of the luck
    products: Array  # result times luck
    played: Array  # games, int64[C, P]

    def coefficients(self) -> Array:
        """Return the slope of results on luck in all other chunks, float64[C, P].

        0 where luck does not vary, and where fewer than 10 of these chunks differ from the median in their result: the slope would be
        that of a few exceptions, whose frequency and size are unknown. Such a mean has no interval, as without luck.
        """
        results, luck, squares, products, played = (
            part.sum(axis=0) - part for part in (self.results, self.luck, self.squares, self.products, self.played)
        )
        spread = squares - divide(luck * luck, played)
        slope = divide(products - divide(results * luck, played), spread)
        means = divide(self.results, self.played)
        uncommon = ~np.isnan(means) & ~is_median(means)
        enough = uncommon.sum(axis=0) - uncommon >= min(MIN_EXCEPTIONS, len(means) - 2)
        return np.where(enough & (np.nan_to_num(spread) > 0), np.nan_to_num(slope), 0.0)

    def adjusted(self) -> Array:
        """Return the sums of the results with the luck taken out, float64[C, P]."""
        return np.asarray(self.results - self.coefficients() * self.luck)

    def games_saved(self) -> Estimate:
        """Return the variance of the mean over that of the adjusted mean, with its interval: by how much fewer games do as well.

        A mean that the luck explains entirely has no such factor. One whose luck is left in, or that hangs on one chunk, has no interval.
        """
        adjusted = self.adjusted()
        chunks = len(adjusted)
        played = np.asarray(self.played, np.float64)
        parts = [_contributions(part, played) ** 2 for part in (self.results, adjusted)]
        value = divide(parts[0].sum(axis=0), parts[1].sum(axis=0))
        with np.errstate(all="ignore"):
            without = np.log(leave_one_out(parts[0], parts[1]))
            half = t_quantile(chunks - 1) * jackknife(without) if chunks > 2 else np.full(value.shape, np.nan)
            low, high = value * np.exp(-half), value * np.exp(half)
        known = (half > 0) & np.isfinite(high)
        low, high = (np.where(known, side, np.nan) for side in (low, high))
        return Estimate(value, low, high, np.asarray(self.played.sum(axis=0), np.int64))


def _contributions(results: Array, played: Array) -> Array:
    """Return each chunk's contribution to the error of a mean, float64[C, P]."""
    return np.asarray(results - divide(results.sum(axis=0), played.sum(axis=0)) * played)
