"""Quantiles of a histogram, with intervals.

Quantiles are those of the mid-distribution G (docs/statistics.md), for discrete values; for p below the smallest or
above the largest G the smallest or the largest value. Intervals are Woodruff's (1952): they contain every x for which
G(x) does not differ significantly from p, by the effective number of events at the estimated quantile
(`intervals.effective_n`).

Axes: C chunks, B bins.
"""

import numpy as np

from strozzi_sim.stats.intervals import MIN_EVENTS, Array, Estimate, effective_n, z_quantile

MIN_BEYOND = 5  # deals that must be expected on either side of a quantile, or it has no interval


def quantiles(
    counts: Array, levels: tuple[float, ...], *, deals: int, open_below: bool = False, open_above: bool = True
) -> Estimate:
    """Return the quantiles with these probabilities of a histogram, int64[C, B] -> figures [levels], in bins.

    If open, the first bin has all smaller values and the last all larger ones. If such a bin has events, a quantile
    beyond the nearest other value that occurs is NaN, and an interval that reaches there is missing.
    """
    total = counts.sum(axis=0)
    n = np.full(len(levels), total.sum())
    missing = np.full(len(levels), np.nan)
    values = np.flatnonzero(total)
    if n[0] < MIN_EVENTS:
        return Estimate(missing, missing, missing, n)
    weights = total[values]
    middle = (np.cumsum(weights) - weights / 2) / weights.sum()
    value = _at_levels(total, levels)
    low, high = missing, missing
    if len(counts) > 1:
        below = np.array([_events_below(counts[:, values], values, quantile) for quantile in value]).T  # [C, levels]
        totals = np.repeat(counts.sum(axis=1)[:, None], len(levels), axis=1)
        shares = np.asarray(levels)
        independent = effective_n(below, totals, unit=1.0, deals=deals)
        first, last = _by_chance(shares, independent)
        enough = deals * np.minimum(shares, 1 - shares) >= MIN_BEYOND
        low = np.where(enough & (first >= middle[0]), np.interp(first, middle, values), np.nan)
        high = np.where(enough & (last <= middle[-1]), np.interp(last, middle, values), np.nan)
    is_known = np.ones(len(levels), bool)
    if open_below and total[0] > 0:
        smallest = values[1] if len(values) > 1 else np.inf
        is_known &= value >= smallest
        low = np.where(low < smallest, np.nan, low)
    if open_above and total[-1] > 0:
        largest = values[-2] if len(values) > 1 else -np.inf
        is_known &= value <= largest
        high = np.where(high > largest, np.nan, high)
    sided = is_known & ~np.isnan(low) & ~np.isnan(high)
    value = np.where(is_known, value, np.nan)
    low, high = (np.where(sided, end, np.nan) for end in (low, high))
    without = np.array([_at_levels(remaining, levels) for remaining in total - counts]) if len(counts) > 1 else None
    return Estimate(value, low, high, n, without=without)


def _at_levels(weights: Array, levels: tuple[float, ...]) -> Array:
    values = np.flatnonzero(weights)
    if not len(values):
        return np.full(len(levels), np.nan)
    weights = weights[values]
    return np.asarray(np.interp(levels, (np.cumsum(weights) - weights / 2) / weights.sum(), values))


def _by_chance(share: Array, n: Array) -> tuple[Array, Array]:
    """Return the 95 % range of the observed share of n events: normal, with a binomial's skewness (Cornish-Fisher)."""
    z, error = z_quantile(), np.sqrt(share * (1 - share) / n)
    shift = (z**2 - 1) / 6 * (1 - 2 * share) / n
    return share + shift - z * error, share + shift + z * error


def _events_below(counts: Array, values: Array, quantile: float) -> Array:
    """Return each chunk's number of events below a quantile, interpolated between values as in G, float64[C]."""
    right = int(np.searchsorted(values, quantile))
    if values[right] == quantile:
        return np.asarray(counts[:, :right].sum(axis=1) + counts[:, right] / 2)
    part = (quantile - values[right - 1]) / (values[right] - values[right - 1])
    below = counts[:, : right - 1].sum(axis=1)
    return np.asarray(below + counts[:, right - 1] * (1 + part) / 2 + counts[:, right] * part / 2)
