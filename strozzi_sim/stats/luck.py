"""Control variates: figures from which a coefficient times the measured luck is subtracted.

The coefficient of a chunk is fitted on the other chunks, so it is independent of the chunk's luck. Luck has mean zero.
The adjusted mean is therefore unbiased, whatever the coefficient; a poor coefficient saves fewer games, or costs some.
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
    """Sums of one figure over the games of C chunks, for P positions, seats or agents: float64[C, P] each."""

    results: Array
    luck: Array  # in the unit of the results
    squares: Array  # of the luck
    products: Array  # result times luck
    played: Array  # games, int64[C, P]

    def coefficients(self) -> Array:
        """Return the slope of results on luck in all other chunks, float64[C, P].

        The slope is 0 if luck does not vary, or if the mean result of fewer than 10 of these chunks (or C - 2, if less)
        differs from the median: a few exceptions would determine the slope, and such a mean has no interval.
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
        """Return the sums of results minus coefficient times luck, float64[C, P]."""
        return np.asarray(self.results - self.coefficients() * self.luck)

    def games_saved(self) -> Estimate:
        """Return the variance of the mean divided by that of the adjusted mean, with its interval.

        A factor of 2 means that half of the games would give an interval as short. The factor is NaN if luck explains
        the mean entirely; its interval is NaN if the coefficients are 0, one chunk determines the factor, or C <= 2.
        """
        adjusted = self.adjusted()
        chunks = len(adjusted)
        played = np.asarray(self.played, np.float64)
        plain, reduced = (_contributions(sums, played) ** 2 for sums in (self.results, adjusted))
        value = divide(plain.sum(axis=0), reduced.sum(axis=0))
        with np.errstate(all="ignore"):
            log_without_chunk = np.log(leave_one_out(plain, reduced))
            half = t_quantile(chunks - 1) * jackknife(log_without_chunk) if chunks > 2 else np.full(value.shape, np.nan)
            low, high = value * np.exp(-half), value * np.exp(half)
        has_interval = (half > 0) & np.isfinite(high)
        low, high = (np.where(has_interval, end, np.nan) for end in (low, high))
        return Estimate(value, low, high, np.asarray(self.played.sum(axis=0), np.int64))


def _contributions(results: Array, played: Array) -> Array:
    """Return each chunk's contribution to the error of a mean, float64[C, P]."""
    return np.asarray(results - divide(results.sum(axis=0), played.sum(axis=0)) * played)
