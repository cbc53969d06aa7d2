"""Figures with intervals from sums by chunk.

A figure's value comes from the summed counts. Its standard error comes from the delete-one-chunk jackknife (Miller
1974): with v_c the value without chunk c, se^2 = (C - 1) / C * sum (v_c - mean v)^2. A chunk holds a range of deals
with all their seatings, so the repeated use of a deal is inside the chunk and widens nothing and narrows nothing. The
interval is value +- t(C - 1) se at 95 %; for shares it is Wilson's (1927) with the effective n = v (1 - v) / se^2.

Axes: C chunks, then any shape of figures.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

LEAST_EVENTS = 30  # fewer give no value
LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """Figures of one shape.

    Attributes:
        value, low, high : float64[...], NaN where there is none
        n : int64[...], events behind each
    """

    value: Array
    low: Array
    high: Array
    n: Array

    def minus(self, constant: float) -> "Estimate":
        """The same figures less a number that is known."""
        return Estimate(self.value - constant, self.low - constant, self.high - constant, self.n)


@cache
def t_quantile(freedom: int, figures: int = 1) -> float:
    """The two-sided 95 % quantile of Student's t; for several figures at once (Bonferroni) if `figures` > 1."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 1 - (1 - LEVEL) / (2 * figures)))


def jackknife(values: Array) -> Array:
    """The standard error from delete-one values, float64[C, ...] -> float64[...]; NaN where one of them is NaN."""
    chunks = len(values)
    if chunks < 2:
        return np.full(values.shape[1:], np.nan)
    spread: Array = values - values.mean(axis=0)
    error: Array = np.sqrt((chunks - 1) / chunks * (spread**2).sum(axis=0))
    return np.where((values == values[0]).all(axis=0), 0.0, error)


def _divide(top: Array, bottom: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Array = np.asarray(top, np.float64) / bottom
    return np.where(np.asarray(bottom) == 0, np.nan, result)


def ratio(
    top: Array, bottom: Array, *, unit: float = 1.0, share_of: int | None = None, events: Array | None = None
) -> Estimate:
    """The figures sum(top) / sum(bottom) / unit.

    Args:
        top: int64[C, ...], for instance wins.
        bottom: int64[C, ...], for instance games.
        unit: what one event counts in `top` (60 for wins in sixtieths).
        share_of: number of deals if the figures are shares in [0, 1], else None.
        events: int64[C, ...], the events if `bottom` is not their number.
    """
    top, bottom = np.broadcast_arrays(np.asarray(top), np.asarray(bottom))
    sum_top, sum_bottom = top.sum(axis=0), bottom.sum(axis=0)
    n = (bottom if events is None else np.broadcast_to(events, bottom.shape)).sum(axis=0)
    value = _divide(sum_top, sum_bottom) / unit
    without = _divide(sum_top - top, sum_bottom - bottom) / unit
    return finish(value, without, n, share_of)


def finish(value: Array, without: Array, n: Array, share_of: int | None) -> Estimate:
    """An Estimate from values, delete-one values float64[C, ...] and numbers of events."""
    value = np.where(n >= LEAST_EVENTS, value, np.nan)
    error = jackknife(without)
    if len(without) < 2:
        low = high = np.full(value.shape, np.nan)
    elif share_of is None:
        reach = t_quantile(len(without) - 1) * error
        low, high = value - reach, value + reach
    else:
        low, high = wilson(value, error, share_of, t_quantile(len(without) - 1))
    low, high = np.where(np.isnan(value), np.nan, low), np.where(np.isnan(value), np.nan, high)
    return Estimate(value, low, high, np.asarray(n, np.int64))


def wilson(share: Array, error: Array, deals: int, quantile: float) -> tuple[Array, Array]:
    """Wilson's interval of shares whose standard errors are known; n is `deals` where the error is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        n = np.where(error > 0, share * (1 - share) / error**2, deals)
        n = np.where(n > 0, n, deals)
        z2 = quantile**2
        middle = (share + z2 / (2 * n)) / (1 + z2 / n)
        reach = quantile / (1 + z2 / n) * np.sqrt(share * (1 - share) / n + z2 / (4 * n**2))
    low, high = np.clip(middle - reach, 0.0, share), np.clip(middle + reach, share, 1.0)  # but for rounding they are
    return np.where(np.isnan(error), np.nan, low), np.where(np.isnan(error), np.nan, high)


def difference(top: tuple[Array, Array], bottom: tuple[Array, Array], *, unit: float = 1.0) -> Estimate:
    """The figures A - B of two ratios, formed chunk by chunk, so paired by deal.

    Args:
        top: the numerators of A and B, int64[C, ...] each.
        bottom: the denominators.
        unit: as in `ratio`.
    """
    sides = []
    for over, under in zip(top, bottom, strict=True):
        sum_over, sum_under = over.sum(axis=0), under.sum(axis=0)
        sides.append((_divide(sum_over, sum_under) / unit, _divide(sum_over - over, sum_under - under) / unit))
    n = np.minimum(bottom[0].sum(axis=0), bottom[1].sum(axis=0))
    return finish(sides[0][0] - sides[1][0], sides[0][1] - sides[1][1], n, None)


def variance_saved(top: tuple[Array, Array], bottom: tuple[Array, Array]) -> Estimate:
    """The share of variance that pairing saves in a difference of two ratios: 1 - var(A - B) / (var(A) + var(B)).

    Variances are those of the delete-one-chunk jackknife; the interval is a jackknife over them. Between -1 and 1; no
    value if neither side varies.

    Args:
        top: as in `difference`.
        bottom: as in `difference`.
    """
    first, second = (
        _divide(over.sum(axis=0) - over, under.sum(axis=0) - under) for over, under in zip(top, bottom, strict=True)
    )

    def saved(one: Array, other: Array) -> Array:
        one, other = one - one.mean(axis=0), other - other.mean(axis=0)
        return _divide(2 * (one * other).sum(axis=0), (one**2 + other**2).sum(axis=0))

    n = np.minimum(bottom[0].sum(axis=0), bottom[1].sum(axis=0))
    chunks = len(first)
    if chunks < 3:
        nothing = np.full(first.shape[1:], np.nan)
        return Estimate(nothing, nothing, nothing, np.asarray(n, np.int64))
    others = [np.arange(chunks) != c for c in range(chunks)]
    estimate = finish(saved(first, second), np.array([saved(first[keep], second[keep]) for keep in others]), n, None)
    return Estimate(estimate.value, np.maximum(estimate.low, -1.0), np.minimum(estimate.high, 1.0), estimate.n)


def quantiles(counts: Array, levels: tuple[float, ...]) -> Estimate:
    """Quantiles of a histogram, int64[C, bins] -> figures [levels]; interpolated between the values that occur."""

    def of(histogram: Array) -> Array:
        found = np.flatnonzero(histogram)
        if not len(found):
            return np.full(len(levels), np.nan)
        weights = histogram[found]
        middle = (np.cumsum(weights) - weights / 2) / weights.sum()
        return np.interp(levels, middle, found)

    total = counts.sum(axis=0)
    n = np.full(len(levels), total.sum())
    value = of(total)
    if total[-1] > 0:  # the last bin takes everything beyond, so a quantile in it has no value
        value = np.where(value > np.flatnonzero(total[:-1]).max(initial=0), np.nan, value)
    without = (
        np.array([of(total - chunk) for chunk in counts]) if len(counts) > 1 else np.full((1, len(levels)), np.nan)
    )
    return finish(value, without, n, None)


def wald_test(top: Array, bottom: Array) -> float:
    """The p-value of "all shares are equal": Hotelling's T^2 on all but one of them, covariance by jackknife.

    Args:
        top: int64[C, K], for instance wins by seat.
        bottom: int64[C], for instance wins in all.
    """
    from scipy.linalg import lstsq
    from scipy.special import fdtrc

    chunks, shares = top.shape
    sum_top, sum_bottom = top.sum(axis=0), bottom.sum()
    free = shares - 1
    if chunks <= free + 1 or sum_bottom < LEAST_EVENTS:
        return float("nan")
    without = (sum_top - top)[:, :free] / (sum_bottom - bottom)[:, None]
    spread = without - without.mean(axis=0)
    covariance = (chunks - 1) / chunks * spread.T @ spread
    gap = sum_top[:free] / sum_bottom - 1 / shares
    if not gap.any():
        return 1.0
    statistic = float(gap @ lstsq(covariance, gap)[0])
    scaled = statistic * (chunks - free) / (free * (chunks - 1))
    return float(fdtrc(free, chunks - free, scaled))


def widest_gap(top: Array, bottom: Array) -> tuple[Estimate, float, float]:
    """How far K shares of the same whole lie apart.

    Returns:
        the largest share less the smallest; the gap that K equal shares would exceed by chance in 5 % of studies; and
        the bound that no share exceeds 1 / K by more, with 95 % confidence for all K at once (Bonferroni).

    The gap of equal shares is q s, with q the studentized range (Tukey 1949) and s^2 half the mean variance of the
    differences of two shares. q is that of known variances, widened by t / z for the chunks there are.

    Args:
        top: int64[C, K], for instance wins by seat.
        bottom: int64[C], for instance wins in all.
    """
    chunks, shares = top.shape
    whole = bottom.sum()
    value = _divide(top.sum(axis=0), whole)
    without = _divide(top.sum(axis=0) - top, (whole - bottom)[:, None])
    events = np.asarray(whole)
    gap = finish(value.max() - value.min(), without.max(axis=1) - without.min(axis=1), events, None)
    gap = Estimate(gap.value, np.maximum(gap.low, 0.0), gap.high, gap.n)
    if chunks < 2 or whole < LEAST_EVENTS:
        return gap, float("nan"), float("nan")
    pairs = [(i, j) for i in range(shares) for j in range(i)]
    variance = np.mean([jackknife(without[:, i] - without[:, j]) ** 2 for i, j in pairs])
    by_chance = range_quantile(shares) * np.sqrt(variance / 2) * t_quantile(chunks - 1) / t_quantile(10**9)
    bound = (value - 1 / shares + t_quantile(chunks - 1, shares) * jackknife(without)).max()
    return gap, float(by_chance), float(bound)


@cache
def range_quantile(normals: int) -> float:
    """The 95 % quantile of the range of so many standard normal variables, by bisection of its integral."""
    from scipy.special import ndtr

    z = np.linspace(-8.0, 8.0, 4001)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    low, high = 0.0, 10.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        below = normals * np.trapezoid(density * (ndtr(z + middle) - ndtr(z)) ** (normals - 1), z)
        low, high = (middle, high) if below < LEVEL else (low, middle)
    return low


def holm(p_values: Array) -> Array:
    """Adjusted p-values that keep the chance of any false alarm (Holm 1979); NaN stays NaN."""
    return _adjusted(p_values, lambda count: np.arange(count, 0, -1), np.maximum.accumulate)


def benjamini_hochberg(p_values: Array) -> Array:
    """Adjusted p-values that keep down the share of false alarms (Benjamini and Hochberg 1995); NaN stays NaN."""

    def backwards(scaled: Array) -> Array:
        lowest: Array = np.minimum.accumulate(scaled[::-1])[::-1]
        return lowest

    return _adjusted(p_values, lambda count: count / np.arange(1, count + 1), backwards)


def _adjusted(p_values: Array, factors: Callable[[int], Array], accumulate: Callable[[Array], Array]) -> Array:
    p_values = np.asarray(p_values, np.float64)
    result = np.full(p_values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    result[order] = np.minimum(accumulate(p_values[order] * factors(len(order))), 1.0)
    return result
