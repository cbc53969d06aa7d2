"""Differences of two figures, paired by chunk and therefore by deal, and the variance that pairing saves.

Axes: C chunks, then any shape of figures.
"""

import numpy as np

from strozzi_sim.stats.intervals import (
    MIN_EVENTS,
    MIN_EXCEPTIONS,
    Array,
    Estimate,
    Sums,
    as_share,
    divide,
    is_median,
    jackknife,
    leave_one_out,
    residuals,
    share_interval,
    skewed_sides,
    t_quantile,
    uncommon_chunks,
)

Pairs = list[tuple[Array, Array]]  # numerator and denominator of each side
_ROUNDING = 1e-9  # equal differences of ratios may differ by this, relative to the larger of 1 and their size
SMALLEST = 1e-12  # sum of squares below which a figure does not vary
_WIDEST_SAVING = 1.0  # a share of variance with a wider interval is uninformative


def difference(one: Sums, other: Sums, *, same: bool = False) -> Estimate:
    """Return the differences of two ratios of one kind, paired by chunk; NaN where a side has fewer than 30 events.

    Shares: the intervals of both sides, combined with their correlation (Newcombe 1998; Zou and Donner 2008). Means:
    value +- t se, adjusted for the skewness of the chunks; no interval if fewer than 10 chunks (or C - 1, if less)
    contribute to the error. Means with a `span` are treated as shares of it. With one chunk there is no interval. If
    both sides are the `same` thing, such as copies of one agent, a difference of 0 without an error has [0, 0].
    """
    unit, span = one.unit, one.span
    pairs = [(side.numerator, side.denominator) for side in (one, other)]
    sides = [divide(sums.sum(axis=0), events.sum(axis=0)) / unit for sums, events in pairs]
    leave_one_out_values = [leave_one_out(sums, events, unit) for sums, events in pairs]
    n = _fewer_events(one, other)
    value = sides[0] - sides[1]
    if len(leave_one_out_values[0]) < 2:
        missing = np.full(value.shape, np.nan)
        return Estimate(np.where(n >= MIN_EVENTS, value, np.nan), missing, missing, n)
    error = jackknife(leave_one_out_values[0] - leave_one_out_values[1])
    equal = (error == 0) & (value == 0)
    if one.n_deals is not None:
        low, high = _of_shares(pairs, leave_one_out_values, unit, one.n_deals)
    elif span is not None:
        deals = one.deals or len(one.denominator)
        parts = [(as_share(sums, events, unit=unit, span=span)[0], events) for sums, events in pairs]
        low, high = _of_shares(parts, leave_one_out_values, unit * (span[1] - span[0]), deals)
        low, high = low * (span[1] - span[0]), high * (span[1] - span[0])
    else:
        low, high = _of_means(pairs, value, error, unit)
    if same:
        low, high = np.where(equal, 0.0, low), np.where(equal, 0.0, high)
    value, low, high = (np.where(n >= MIN_EVENTS, side, np.nan) for side in (value, low, high))
    return Estimate(value, low, high, n)


def paired(first: Estimate, second: Estimate, *, same: bool = False) -> Estimate:
    """Return `first` - `second`, two estimates from the same deals, paired by chunk.

    Ratios: see `difference`. Other figures: value +- t se from `Estimate.without`; no interval if a side lacks it, with
    one chunk, or if the error is 0 and the sides are not the `same` thing.
    """
    n = np.minimum(first.n, second.n)
    value = np.asarray(first.value - second.value)
    if first.sums is not None and second.sums is not None:
        estimate = difference(first.sums, second.sums, same=same)
        low, high = (np.where(np.isnan(value), np.nan, side) for side in (estimate.low, estimate.high))
        return Estimate(np.where(np.isnan(value), np.nan, estimate.value), low, high, n)
    half_width = np.full(value.shape, np.nan)
    if first.without is not None and second.without is not None and len(first.without) > 1:
        error = jackknife(first.without - second.without)
        half_width = np.where((error > 0) | same, t_quantile(len(first.without) - 1) * error, np.nan)
    return Estimate(value, value - half_width, value + half_width, n)


def _fewer_events(one: Sums, other: Sums) -> Array:
    return np.asarray(np.minimum(one.denominator.sum(axis=0), other.denominator.sum(axis=0)), np.int64)


def _of_means(pairs: Pairs, value: Array, error: Array, unit: float) -> tuple[Array, Array]:
    first, second = (residuals(sums, events, unit) for sums, events in pairs)
    squares = ((share**2).sum(axis=0) for _, share in (first, second))
    chunks = np.minimum(*(divide(np.full(value.shape, len(first[1]) ** 2), sums) for sums in squares))
    down, up = skewed_sides(first[0] - second[0], np.maximum(chunks - 1, 1.0))
    varied = (error > 0) & (_exceptions(pairs) >= min(MIN_EXCEPTIONS, len(first[0]) - 1))
    return np.where(varied, value - down * error, np.nan), np.where(varied, value + up * error, np.nan)


def _exceptions(pairs: Pairs) -> Array:
    """Return the number of chunks that contribute to the error of a difference of means, int64[...].

    A chunk does not contribute if both sides have equally many events and the median difference, or if each side has
    its median ratio or no events.
    """
    ratios = [divide(sums, events) for sums, events in pairs]
    usual_gap = (pairs[0][1] == pairs[1][1]) & is_median(ratios[0] - ratios[1], _ROUNDING)
    usual = [np.isnan(values) | is_median(values) for values in ratios]
    return np.asarray((~usual_gap & ~(usual[0] & usual[1])).sum(axis=0))


def _of_shares(pairs: Pairs, without: list[Array], unit: float, deals: int) -> tuple[Array, Array]:
    first, low_1, high_1 = share_interval(*pairs[0], unit=unit, deals=deals)
    second, low_2, high_2 = share_interval(*pairs[1], unit=unit, deals=deals)
    spread = [values - values.mean(axis=0) for values in without]
    norms = np.sqrt((spread[0] ** 2).sum(axis=0) * (spread[1] ** 2).sum(axis=0))
    correlation = np.nan_to_num(np.clip(divide((spread[0] * spread[1]).sum(axis=0), norms), -1, 1))

    def combined(first_half: Array, second_half: Array) -> Array:
        squares = first_half**2 + second_half**2 - 2 * correlation * first_half * second_half
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))

    value = first - second
    return value - combined(first - low_1, high_2 - second), value + combined(high_1 - first, second - low_2)


def variance_saved(one: Sums, other: Sums) -> Estimate:
    """Return the share of variance that pairing saves in A - B: 1 - var(A - B) / (var(A) + var(B)), in [-1, 1].

    Variances come from the delete-one-chunk jackknife. docs/statistics.md says why there is no interval. There is no
    value where it would be uninformative: if a side has fewer than 30 chunks that differ from the median (a variance
    made by a few exceptions is as uncertain as they are) or fewer than 30 events (of shares: hits or misses), or if the
    jackknife interval is wider than 1.
    """
    sides = [(side.numerator, side.denominator) for side in (one, other)]
    first, second = (leave_one_out(sums, events) for sums, events in sides)
    n = _fewer_events(one, other)
    missing = np.full(first.shape[1:], np.nan)
    chunks = len(first)
    if chunks <= MIN_EVENTS:
        return Estimate(missing, missing, missing, n)
    first_deviation, second_deviation = first - first.mean(axis=0), second - second.mean(axis=0)
    twice_product, squares = 2 * first_deviation * second_deviation, first_deviation**2 + second_deviation**2
    value = divide(twice_product.sum(axis=0), squares.sum(axis=0))
    # Without chunk c the means change too: these are sums of products of C - 1 numbers about the new means.
    scale = chunks / (chunks - 1)
    products_left, squares_left = (part.sum(axis=0) - scale * part for part in (twice_product, squares))
    leave_one_out_values = divide(products_left, squares_left)
    with np.errstate(divide="ignore", invalid="ignore"):
        half_width = t_quantile(chunks - 1) * jackknife(np.arctanh(np.clip(leave_one_out_values, -1, 1)))
        low, high = np.tanh(np.arctanh(value) - half_width), np.tanh(np.arctanh(value) + half_width)
    certain = np.abs(value) >= 1 - 1e-12
    narrow = certain | (high - low <= _WIDEST_SAVING)
    varied = np.minimum(*(uncommon_chunks(sums, events) for sums, events in sides))
    enough = (varied >= MIN_EVENTS) & (n >= MIN_EVENTS) & narrow
    if one.n_deals is not None:
        for sums, events in sides:
            hits, total = sums.sum(axis=0) / one.unit, events.sum(axis=0)
            enough &= np.minimum(hits, total - hits) >= MIN_EVENTS
    return Estimate(np.where(enough, value, np.nan), missing, missing, n)


def control_coefficient(own: Array, base: Array, groups: Array) -> Array:
    """Return the coefficients of `base` as a control variate of `own` on the same deals, 0 to 1, float64[F].

    It is 1 where both are equal. Figures of one group share a coefficient, so that changes of shares sum to 0.

    Args:
        own: figures by chunk, float64[C, F].
        base: figures of the other side on the same deals, float64[C, F].
        groups: a number for each figure.
    """
    together = np.equal.outer(groups, groups)
    spread = base - base.mean(axis=0)
    squares = together @ (spread**2).sum(axis=0)
    products = together @ (spread * (own - own.mean(axis=0))).sum(axis=0)
    fitted = np.clip(products / np.maximum(squares, SMALLEST), 0.0, 1.0)
    return np.where(together @ (own != base).any(axis=0), fitted, 1.0)
