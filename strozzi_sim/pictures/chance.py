"""Test whether the figures of a set differ significantly, corrected for their number."""

from typing import Any

import numpy as np

from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, degrees_of_freedom

Array = np.ndarray[Any, Any]


def no_significant_difference(
    value: Array, low: Array, high: Array, n: Array, deals: Array, *, share: bool, chunks: int = MAX_CHUNKS
) -> bool:
    """Return whether one number is in the intervals of all figures; False with fewer than two intervals.

    The intervals are widened to the level `ALPHA` divided by the number of figures (Bonferroni). Sets of equal figures
    therefore yield a difference in at most 1 of 20 cases, whether the figures share deals, add up to 1 or are
    independent (measured: 0 to 3 of 100). The cost is power: a difference must be larger than in a test of two figures
    alone, so True means that these games show no difference, not that there is none.

    Args:
        value: figures, float64[F].
        low: lower ends of their 95 % intervals; a figure with NaN is ignored.
        high: upper ends of their 95 % intervals, like `low`.
        n: events behind each figure, int64[F].
        deals: deals behind each figure, int64[F].
        share: whether the figures are shares, with Wilson intervals.
        chunks: chunks of the study from which the intervals were estimated.
    """
    from scipy.special import stdtrit

    known = ~np.isnan(value + low + high)
    if known.sum() < 2:
        return False
    value, low, high = value[known], low[known], high[known]
    df = degrees_of_freedom(n[known], deals[known], chunks)
    wider = stdtrit(df, 1 - ALPHA / 2 / len(value)) / stdtrit(df, 1 - ALPHA / 2)
    if share and low.min() >= 0 and high.max() <= 1:
        low, high = _wilson(value, low, wider), _wilson(value, high, wider)
    else:
        low, high = value - wider * (value - low), value + wider * (high - value)
    return bool(low.max() <= high.min() + 1e-12)


def _wilson(value: Array, end: Array, wider: Array) -> Array:
    """Return the end of Wilson's interval on the side of `end`, for a quantile `wider` times as large.

    An end e solves (e - value)^2 = c e (1 - e), c = z^2 / n.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        c = np.nan_to_num((end - value) ** 2 / (end * (1 - end)), nan=0.0, posinf=0.0) * wider**2
    root = np.sqrt(c * value * (1 - value) + c**2 / 4)
    return np.asarray((value + c / 2 + np.where(end < value, -root, root)) / (1 + c))
