"""Figures with intervals from sums by chunk.

A figure's value comes from the summed counts, its standard error from the delete-one-chunk jackknife (Miller 1974):
with v_c the value without chunk c, se^2 = (C - 1) / C * sum (v_c - mean v)^2. docs/statistics.md has the methods.

`wilson` and `exact_share` agree with statsmodels' `proportion_confint` to 2e-15 and take equally long. They stay
because they accept empty cells without a warning, and because importing statsmodels would cost each command 1.4 s.

Axes: C chunks, then any shape of figures.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MIN_EVENTS = 30  # a figure of fewer events has no value
LEVEL = 0.95
_RARE = 60.0  # effective events on the rarer side; with fewer, Wilson's interval does not keep its level
_NEWTON_STEPS = 5
MIN_EXCEPTIONS = 10  # chunks that must differ from the median (C - 1, if less), or a mean has no interval
_MIN = 1e-9  # replaces a count of 0 in functions that are undefined there
LARGE_DF = 1e6  # above it Student's t is taken as normal


@dataclass(frozen=True)
class Sums:
    """Numerators and denominators of ratios by chunk; the attributes are the arguments of `ratio`."""

    numerator: Array
    denominator: Array
    unit: float = 1.0
    n_deals: int | None = None
    span: tuple[float, float] | None = None
    deals: int | None = None

    def at(self, index: Any) -> "Sums":
        """Return the counts of the figures at `index`, an index into [...]."""
        by_chunk = _by_chunk(index)
        return replace(self, numerator=self.numerator[by_chunk], denominator=self.denominator[by_chunk])

    def take(self, places: list[int], axis: int) -> "Sums":
        """Return the counts at these places of an axis of [C, ...]."""
        numerator, denominator = (part.take(places, axis) for part in (self.numerator, self.denominator))
        return replace(self, numerator=numerator, denominator=denominator)


def _by_chunk(index: Any) -> tuple[Any, ...]:
    """Return an index into figures [...] as an index into [C, ...]."""
    return slice(None), *(index if isinstance(index, tuple) else (index,))


@dataclass(frozen=True)
class Estimate:
    """Figures with their intervals, float64[...], NaN where undefined."""

    value: Array
    low: Array
    high: Array
    n: Array  # int64[...], events of each figure
    # for paired differences: the counts of ratios, and the other figures without each chunk, float64[C, ...]
    sums: Sums | None = field(default=None, compare=False, repr=False)
    without: Array | None = field(default=None, compare=False, repr=False)

    def at(self, index: Any) -> "Estimate":
        """Return the figures at `index`, an index into [...]."""
        sums = None if self.sums is None else self.sums.at(index)
        without = None if self.without is None else self.without[_by_chunk(index)]
        return Estimate(self.value[index], self.low[index], self.high[index], self.n[index], sums, without)

    def minus(self, constant: Any) -> "Estimate":
        """Return the figures minus a constant, a number or float64[...]; without `sums`."""
        without = None if self.without is None else self.without - constant
        return Estimate(self.value - constant, self.low - constant, self.high - constant, self.n, without=without)


@cache
def z_quantile(figures: int = 1) -> float:
    """Return the two-sided 95 % quantile of the normal distribution, with Bonferroni's correction for `figures`."""
    from scipy.special import ndtri

    return float(ndtri(1 - (1 - LEVEL) / (2 * figures)))


def t_quantile(df: Any, figures: int = 1) -> Any:
    """Return the two-sided 95 % quantile of Student's t with `df` degrees of freedom, for `figures` (Bonferroni)."""
    from scipy.special import stdtrit

    df = np.asarray(df, np.float64)
    upper = 1 - (1 - LEVEL) / (2 * figures)
    quantile = np.where(df > LARGE_DF, z_quantile(figures), stdtrit(np.minimum(df, LARGE_DF), upper))
    return float(quantile) if quantile.ndim == 0 else quantile


def jackknife(values: Array) -> Array:
    """Return the standard error from delete-one values, float64[C, ...] -> float64[...]; NaN with a NaN or C = 1."""
    chunks = len(values)
    if chunks < 2:
        return np.full(values.shape[1:], np.nan)
    spread: Array = values - values.mean(axis=0)
    error: Array = np.sqrt((chunks - 1) / chunks * (spread**2).sum(axis=0))
    return np.where((values == values[0]).all(axis=0), 0.0, error)


def divide(numerator: Array, denominator: Array) -> Array:
    """Return the quotient; NaN where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Array = np.asarray(np.asarray(numerator, np.float64) / denominator)
    is_zero = np.asarray(denominator) == 0
    return np.where(is_zero, np.nan, result) if is_zero.any() else result


def ratio(
    numerator: Array,
    denominator: Array,
    *,
    unit: float = 1.0,
    n_deals: int | None = None,
    events: Array | None = None,
    span: tuple[float, float] | None = None,
    deals: int | None = None,
) -> Estimate:
    """Return the figures sum(numerator) / sum(denominator) / unit.

    Below 30 events there is no value; shares keep their interval, means have none. With one chunk there is no interval.

    Args:
        numerator: int64 or float64[C, ...], for instance wins.
        denominator: int64[C, ...], for instance games.
        unit: value of one event in `numerator` (`WIN_UNITS` for wins).
        n_deals: number of deals if the figures are shares in [0, 1], else None.
        events: number of events, int64[C, ...]; default: `denominator`.
        span: smallest and largest possible value of a mean (see `bounded_interval`); default: unknown.
        deals: number of deals of a mean with a `span`; default: number of chunks.
    """
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator), np.asarray(denominator))
    n = (denominator if events is None else np.broadcast_to(events, denominator.shape)).sum(axis=0)
    # converted once, instead of in every division
    float_numerator, float_denominator = numerator.astype(np.float64), denominator.astype(np.float64)
    if n_deals is not None:
        value, low, high = share_interval(float_numerator, float_denominator, unit=unit, deals=n_deals)
    else:
        value, low, high = mean_interval(float_numerator, float_denominator, unit=unit)
        if span is not None:
            low, high = bounded_interval(float_numerator, float_denominator, unit=unit, span=span, deals=deals)
        low, high = (np.where(n >= MIN_EVENTS, side, np.nan) for side in (low, high))
    sums = Sums(numerator, denominator, unit, n_deals, span, deals)
    return Estimate(np.where(n >= MIN_EVENTS, value, np.nan), low, high, np.asarray(n, np.int64), sums)


def bounded_interval(
    numerator: Array, denominator: Array, *, unit: float, span: tuple[float, float], deals: int | None
) -> tuple[Array, Array]:
    """Return low and high of means within `span` (lowest, highest), from the intervals of shares of the span.

    So the rank of one of two agents has the interval that follows from its share of wins.
    """
    part, unit_of_part = as_share(numerator, denominator, unit=unit, span=span)
    groups = len(denominator) if deals is None else deals
    _, low, high = share_interval(part, denominator, unit=unit_of_part, deals=groups)
    return span[0] + (span[1] - span[0]) * low, span[0] + (span[1] - span[0]) * high


def as_share(numerator: Array, denominator: Array, *, unit: float, span: tuple[float, float]) -> tuple[Array, float]:
    """Return the numerator and the unit with which a mean within `span` is a share in [0, 1]."""
    return numerator - span[0] * unit * denominator, unit * (span[1] - span[0])


def leave_one_out(numerator: Array, denominator: Array, unit: float = 1.0) -> Array:
    """Return the ratios without each chunk, float64[C, ...]."""
    values = divide(numerator.sum(axis=0) - numerator, denominator.sum(axis=0) - denominator)
    return values if unit == 1 else values / unit


def residuals(numerator: Array, denominator: Array, unit: float = 1.0) -> tuple[Array, Array]:
    """Return each chunk's contribution to the error of a ratio, and its relative denominator, float64[C, ...] each.

    The contributions sum to 0; the standard error of their mean is approximately that of the ratio. The relative
    denominators have mean 1. Both are NaN where the denominators sum to 0.
    """
    value = divide(numerator.sum(axis=0), denominator.sum(axis=0))
    mean = denominator.mean(axis=0)
    contributions = divide(numerator - value * denominator, mean)
    return contributions if unit == 1 else contributions / unit, divide(denominator, mean)


def mean_interval(numerator: Array, denominator: Array, *, unit: float = 1.0) -> tuple[Array, Array, Array]:
    """Return value, low and high of means: value +- t se, adjusted for the skewness of the chunks.

    A mean of mostly equal numbers is a count of exceptions. Its interval is therefore that of a Poisson count with
    equal skewness (`skewed_sides`). Degrees of freedom are (sum b)^2 / sum b^2 - 1 with b the denominators (Kish 1965).
    There is no interval if fewer than 10 chunks (or C - 1, if less) differ from the median.
    """
    value = divide(numerator.sum(axis=0), denominator.sum(axis=0)) / unit
    if len(numerator) < 2:
        return value, np.full(value.shape, np.nan), np.full(value.shape, np.nan)
    error = jackknife(leave_one_out(numerator, denominator, unit))
    contributions, share = residuals(numerator, denominator, unit)
    chunks = divide(np.full(value.shape, float(len(numerator)) ** 2), (share**2).sum(axis=0))
    down, up = skewed_sides(contributions, np.maximum(chunks - 1, 1.0))
    enough = min(MIN_EXCEPTIONS, len(numerator) - 1)
    varied = (error > 0) & (uncommon_chunks(numerator, denominator) >= enough)
    return value, np.where(varied, value - down * error, np.nan), np.where(varied, value + up * error, np.nan)


def uncommon_chunks(numerator: Array, denominator: Array) -> Array:
    """Return the number of chunks with events whose ratio is not the median, int64[...]."""
    ratios = divide(numerator, denominator)
    return np.asarray((~np.isnan(ratios) & ~is_median(ratios)).sum(axis=0))


def is_median(values: Array, rounding: float = 0.0) -> Array:
    """Return which values are the lower median of those not NaN, up to `rounding` * max(|median|, 1), bool[C, ...]."""
    counted = (~np.isnan(values)).sum(axis=0, keepdims=True)
    median = np.take_along_axis(np.sort(values, axis=0), np.maximum(counted - 1, 0) // 2, axis=0)
    if not rounding:
        return np.asarray(values == median)
    return np.asarray(np.abs(values - median) <= rounding * np.maximum(np.abs(median), 1.0))


def skewed_sides(contributions: Array, df: Any) -> tuple[Array, Array]:
    """Return the distances of low and high from the value in standard errors, float64[...] each.

    With g the skewness of the sum of `contributions`, at most 1, a Poisson count of 1 / g^2 events has equal skewness.
    The distances are those of its interval, in standard errors, times t / z (to first order those of Hall 1992 for the
    studentized mean). `contributions` are those of the chunks to the error, float64[C, ...] (`residuals`).
    """
    from scipy.special import gammaincinv

    with np.errstate(divide="ignore", invalid="ignore"):
        skew = (contributions**3).sum(axis=0) / (contributions**2).sum(axis=0) ** 1.5
    skew = np.nan_to_num(skew)
    size = np.clip(np.abs(skew), 1e-2, 1.0)
    events = 1 / size**2
    tail = (1 - LEVEL) / 2
    down = (events - (gammaincinv(events, tail) + gammaincinv(events + 1, tail)) / 2) / np.sqrt(events)
    up = ((gammaincinv(events, 1 - tail) + gammaincinv(events + 1, 1 - tail)) / 2 - events) / np.sqrt(events)
    z = z_quantile()
    weight = np.minimum(np.abs(skew) / size, 1.0)  # for |g| below 1e-2 the asymmetry decreases linearly to 0
    down, up = z + weight * (down - z), z + weight * (up - z)
    scale = t_quantile(df) / z
    return np.where(skew >= 0, down, up) * scale, np.where(skew >= 0, up, down) * scale


def share_interval(
    numerator: Array, denominator: Array, *, unit: float = 1.0, deals: int
) -> tuple[Array, Array, Array]:
    """Return value, low and high of shares: Wilson's interval with an effective n; exact or mid-P for rare events.

    The effective n is the number of independent events with the jackknife's error. It is an estimate, so the interval
    is widened by t / z, with the degrees of freedom of its logarithm (Satterthwaite). With x events on the rarer side,
    the inverse of n is averaged with that of the number of independent groups of events, about deals, with weights x
    and 1 / (1 + x). A share that is equal in every chunk is bounded by the share of groups that could differ.
    """
    events = denominator.sum(axis=0)
    value = divide(numerator.sum(axis=0), events) / unit
    if len(numerator) < 2:
        return value, np.full(value.shape, np.nan), np.full(value.shape, np.nan)
    error = jackknife(leave_one_out(numerator, denominator, unit))
    low, high = score_share(value, effective_n(numerator, denominator, unit=unit, deals=deals, error=error), events)
    constant = (error == 0) & (value > 0) & (value < 1)
    if not constant.any():
        return value, low, high
    half_width = np.where(constant, exact_share(np.zeros(value.shape), independent_groups(denominator, deals))[1], 0.0)
    low = np.where(constant, value * (1 - half_width), low)
    return value, low, np.where(constant, value + (1 - value) * half_width, high)


def effective_n(numerator: Array, denominator: Array, *, unit: float, deals: int, error: Array | None = None) -> Array:
    """Return the effective number of independent events of shares, float64[...]; see `share_interval`."""
    events = denominator.sum(axis=0)
    value = divide(numerator.sum(axis=0), events) / unit
    if error is None:
        error = jackknife(leave_one_out(numerator, denominator, unit))
    binomial = value * (1 - value)
    contributions, share = residuals(numerator, denominator, unit)
    groups = independent_groups(denominator, deals)
    with np.errstate(divide="ignore", invalid="ignore"):
        inflation = events * error**2 / binomial
        of_error = len(numerator) * contributions**2 / (contributions**2).sum(axis=0)
        log_error = of_error - share - (1 - 2 * value) / binomial * contributions
        df = 2 * len(numerator) ** 2 / (log_error**2).sum(axis=0)
        rarer = events * np.minimum(value, 1 - value)
        weight = 1 / (1 + rarer)
        shrunk_inflation = (rarer * inflation + weight * events / groups) / (rarer + weight)
        n = events / shrunk_inflation
    n = n * (z_quantile() / t_quantile(np.maximum(np.nan_to_num(df, nan=np.inf), 1.0))) ** 2
    return np.asarray(np.where((error > 0) & (binomial > 0), n, groups))


def independent_groups(denominator: Array, deals: int) -> Array:
    """Return the number of independent groups of events, float64[...]: about the deals with events, at most the events.

    With b the events of a deal, it is the number of deals times E[b]^2 / E[b^2]. The variance of b is estimated by the
    variance between chunks over the deals of a chunk, less the part due to chunks with one deal more than others.
    """
    size = deals / len(denominator)
    mean = denominator.mean(axis=0)
    uneven = size % 1 * (1 - size % 1) * (mean / size) ** 2
    together = divide(np.maximum(denominator.var(axis=0) - uneven, 0.0), mean) + mean / size
    return np.asarray(denominator.sum(axis=0) / np.maximum(np.nan_to_num(together, nan=1.0), 1.0))


def score_share(value: Array, n: Array, events: Array) -> tuple[Array, Array]:
    """Return low and high of shares of effective n: exact under 30 events or at 0 or 1, mid-P if rare, else Wilson."""
    low, high = wilson(value, n)
    count = np.nan_to_num(value) * n
    exact = (events < MIN_EVENTS) | (value == 0) | (value == 1)
    rare = ~exact & (np.minimum(count, n - count) < _RARE)
    for chosen, method in ((exact, exact_share), (rare, mid_p_share)):
        if chosen.any():
            low, high = np.array(low), np.array(high)
            low[chosen], high[chosen] = method(count[chosen], n[chosen])
    return low, high


def wilson(share: Array, n: Array, figures: int = 1) -> tuple[Array, Array]:
    """Return Wilson's interval of shares of n events, with Bonferroni's correction for `figures`."""
    z2 = z_quantile(figures) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (share + z2 / (2 * n)) / (1 + z2 / n)
        half_width = np.sqrt(z2) / (1 + z2 / n) * np.sqrt(share * (1 - share) / n + z2 / (4 * n**2))
    return np.clip(middle - half_width, 0.0, share), np.clip(middle + half_width, share, 1.0)


def exact_share(count: Array, n: Array, figures: int = 1) -> tuple[Array, Array]:
    """Return Clopper and Pearson's interval for real `count` and `n`, with Bonferroni's correction for `figures`."""
    from scipy.special import betaincinv

    count, n = np.asarray(count, np.float64), np.asarray(n, np.float64)
    others = np.maximum(n - count, 0.0)
    tail = (1 - LEVEL) / (2 * figures)
    low = np.where(count > 0, betaincinv(np.where(count > 0, count, 1.0), others + 1, tail), 0.0)
    high = np.where(others > 0, betaincinv(count + 1, np.where(others > 0, others, 1.0), 1 - tail), 1.0)
    return low, high


def mid_p_share(count: Array, n: Array) -> tuple[Array, Array]:
    """Return the mid-P interval, float64[...] each: Clopper and Pearson's with half the probability of the count.

    Its coverage is about 95 % on average; the exact interval covers more.
    """
    high = _mid_p_high(np.stack([n - count, count]), np.stack([n, n]))
    return 1 - high[0], high[1]


def _mid_p_high(count: Array, n: Array) -> Array:
    """Return the share p at which P(X < count) + P(X = count) / 2 is 2.5 %.

    Newton's method on the logarithm of that probability as a function of log(1 - p), which is almost linear.
    """
    from scipy.special import betainc, gammaln, xlog1py, xlogy

    tail = (1 - LEVEL) / 2
    misses = n - count
    log_ways = gammaln(n + 1) - gammaln(count + 1) - gammaln(misses + 1)
    positive_count, positive_misses = np.maximum(count, _MIN), np.maximum(misses, _MIN)
    high = np.clip(wilson(count / n, n)[1], positive_count / n, 1 - positive_misses / n / 2)
    for _ in range(_NEWTON_STEPS):
        half_probability = np.exp(log_ways + xlogy(count, high) + xlog1py(misses, -high)) / 2
        at_most = 1 - betainc(positive_count, misses + 1, high) + half_probability
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.log(tail / at_most) * at_most / (half_probability * (misses + count * (1 - high) / high))
        improved = np.maximum(1 - (1 - high) * np.exp(step), positive_count / n)
        high = np.where(np.isfinite(step), improved, high)  # from 1 no step is finite
    return np.asarray(high)
