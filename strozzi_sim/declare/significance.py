"""Significance of figures with intervals, for the sentences of reports.

A p-value follows from the side of a 95 % interval that faces the tested number, so that p < 0.05 exactly if the number
is outside. Several figures are corrected for their number: p-values by Holm's method, intervals by Bonferroni's.
"""

from typing import Any

import numpy as np

from strozzi_sim.facts.figures import UNITS, Unit
from strozzi_sim.stats.intervals import t_quantile
from strozzi_sim.stats.multiple_testing import holm

Array = np.ndarray[Any, Any]

MIN_SHARE = 0.005  # half a point: callers that use it report no smaller difference of shares
ALPHA = 0.05  # significant p-values are below it
MAX_CHUNKS = 200  # default of `chunks`, the number of chunks from which a study's intervals are computed


def degrees_of_freedom(n: Any, deals: Any, chunks: int = MAX_CHUNKS) -> Array:
    """Return the degrees of freedom of intervals: one less than the fewest of chunks, deals and events; at least 1."""
    return np.asarray(np.maximum(np.minimum(np.minimum(n, deals), chunks) - 1, 1))


def p_value(value: Any, low: Any, high: Any, null: float, df: Any) -> Array:
    """Return the p-values float64[...] of "the figure is `null`" by 95 % intervals; NaN without an interval."""
    value, low, high = (np.asarray(side, np.float64) for side in (value, low, high))
    half_width, gap = np.where(value > null, value - low, high - value), np.abs(value - null)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = _two_sided(gap, half_width, df)
    # a figure whose interval has no width is exact
    return np.where(np.isnan(half_width), np.nan, np.where(half_width > 0, p, np.where(gap > 0, 0.0, 1.0)))


def p_value_of_share(value: Any, low: Any, high: Any, null: Any, df: Any) -> Array:
    """Return p-values of shares: the score test, with the variance of a share that equals `null`.

    Use it for many figures at once: the interval of a share that is small by chance is too narrow.
    The effective n follows from the end e that faces `null`, taken as Wilson's: (e - value)^2 = z^2 e (1 - e) / n.
    """
    value, low, high = (np.asarray(side, np.float64) for side in (value, low, high))
    end = np.where(value > null, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        z2_by_n = (end - value) ** 2 / (end * (1 - end))
        p = _two_sided(np.abs(value - null), np.sqrt(null * (1 - null) * z2_by_n), df)
    return np.where(np.isnan(end + value), np.nan, np.where(np.isnan(p), 1.0, p))


def _two_sided(gap: Array, half_width: Array, df: Any) -> Array:
    """Return p-values from the distances between figures and the number tested, and half-widths of 95 % intervals."""
    from scipy.special import stdtr

    return np.asarray(2 * stdtr(df, -(t_quantile(df) * gap / half_width)))


def corrected_p(rows: Any, null: Any = 0.0, chunks: int = MAX_CHUNKS, *, share: bool = False) -> Array:
    """Return p-values of "the figure is `null`" for rows of a data frame, corrected for their number (Holm 1979)."""
    test = p_value_of_share if share else p_value
    df = degrees_of_freedom(rows["n"], rows["deals"], chunks)
    return holm(test(rows["value"], rows["low"], rows["high"], null, df))


def no_significant_difference(
    value: Array, low: Array, high: Array, n: Array, deals: Array, *, share: bool, chunks: int = MAX_CHUNKS
) -> bool:
    """Return whether one number is in the widened intervals of all figures; False with fewer than two intervals.

    The 95 % intervals are widened for the number of figures (Bonferroni). Sets of equal figures therefore yield a
    difference in at most 1 of 20 cases, whether the figures share deals, add up to 1 or are independent (measured: 0 to
    3 of 100). True means that these games show no difference, not that there is none.

    All arrays have shape [F]: the figures, the ends of their 95 % intervals (a figure with NaN is ignored), and the
    events and deals behind each. With `share` the figures are shares, whose ends are widened like Wilson's.
    """
    known = ~np.isnan(value + low + high)
    if known.sum() < 2:
        return False
    value, low, high = value[known], low[known], high[known]
    low, high = _widened(value, low, high, degrees_of_freedom(n[known], deals[known], chunks), share=share)
    return bool(low.max() <= high.min() + 1e-12)


def widened(rows: Any, chunks: int = MAX_CHUNKS) -> tuple[Array, Array]:
    """Return the ends of the 95 % intervals of shares, widened so that all of them hold at once (Bonferroni).

    `rows` is a data frame with value, low, high, n and deals; the ends are NaN without an interval.
    """
    value, low, high = (rows[side].to_numpy(np.float64, copy=True) for side in ("value", "low", "high"))
    known = ~np.isnan(value + low + high)
    if known.any():
        df = np.broadcast_to(degrees_of_freedom(rows["n"], rows["deals"], chunks), value.shape)[known]
        ends = _widened(value[known], low[known], high[known], df, share=True)
        low[known], high[known] = ends
    return low, high


def _widened(value: Array, low: Array, high: Array, df: Array, *, share: bool) -> tuple[Array, Array]:
    wider = t_quantile(df, len(value)) / t_quantile(df)
    if share and low.min() >= 0 and high.max() <= 1:
        return _wilson(value, low, wider), _wilson(value, high, wider)
    return value - wider * (value - low), value + wider * (high - value)


def _wilson(value: Array, end: Array, wider: Array) -> Array:
    """Return the end of a Wilson interval that replaces `end` if the quantile is `wider` times as large.

    An end e solves (e - value)^2 = c e (1 - e), c = z^2 / n.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        c = np.nan_to_num((end - value) ** 2 / (end * (1 - end)), nan=0.0, posinf=0.0) * wider**2
    root = np.sqrt(c * value * (1 - value) + c**2 / 4)
    return np.asarray((value + c / 2 + np.where(end < value, -root, root)) / (1 + c))


def not_excluded(
    rows: Any, null: Any = 0.0, chunks: int = MAX_CHUNKS, *, sign: int = 0, span: tuple[Any, Any] = (-np.inf, np.inf)
) -> float:
    """Return the largest distance from `null` that a widened interval contains, 0 or more; NaN without an interval.

    Intervals are widened for their number, and end at `span`, the lowest and highest possible figure. `rows` is a data
    frame with value, low, high, n and deals; `sign` is 1 for the largest gain, -1 for the largest loss, 0 for either.
    """
    value, low, high = (rows[side].to_numpy(np.float64) for side in ("value", "low", "high"))
    known = ~np.isnan(value + low + high)
    if not known.any():
        return float("nan")
    df = degrees_of_freedom(rows["n"], rows["deals"], chunks)
    wider = t_quantile(df, known.sum()) / t_quantile(df)
    up = np.minimum(value + wider * (high - value), span[1]) - null
    down = null - np.maximum(value - wider * (value - low), span[0])
    ends = up if sign > 0 else down if sign < 0 else np.maximum(up, down)
    return max(float(ends[known].max()), 0.0)


def size_text(size: float, unit: Unit = "share") -> str:
    """Return a size as text, as `rounded_up`; a share is in points.

    >>> size_text(0.0312), size_text(0.004), size_text(0.22), size_text(1.46, "amount"), size_text(0.0)
    ('3.2 points', '0.4 points', '22 points', '1.5', '0 points')
    """
    number = rounded_up(size, unit)
    if UNITS[unit].factor == 1:
        return number
    return f"{number} {'point' if number == '1' else 'points'}"


def rounded_up(size: float, unit: Unit = "share") -> str:
    """Return a size, at least 0, as a number that is rounded up; of a share its points.

    Raises ValueError for a negative size.

    >>> rounded_up(0.0312), rounded_up(0.01), rounded_up(0.22)
    ('3.2', '1', '22')
    """
    if size < 0:
        raise ValueError(f"size: must be at least 0, got {size}")
    factor = UNITS[unit].factor
    scaled = factor * size
    digits = 0 if scaled > 9.9 or scaled == 0 else 1 if scaled >= 0.1 else 2
    up = max(np.ceil(scaled * 10**digits - 1e-6), 1.0) / 10**digits if size > 0 else 0.0
    return "1" if up == 1 and factor != 1 else f"{up:,.{digits}f}"


def missed(size: float, unit: Unit = "share", what: str = "a change") -> str:
    """Return a sentence's clause on a change that could be missed; "" if its size is 0 or NaN.

    >>> missed(0.0312)
    'a change of up to 3.2 points could be missed'
    """
    return f"{what} of up to {size_text(size, unit)} could be missed" if size > 0 else ""
