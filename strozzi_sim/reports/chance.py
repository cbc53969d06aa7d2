"""Whether figures differ from one another by more than chance, however many there are."""

from typing import Any

import numpy as np

from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, degrees_of_freedom

Array = np.ndarray[Any, Any]


def is_noise(
    value: Array, low: Array, high: Array, n: Array, deals: Array, *, share: bool, chunks: int = MAX_CHUNKS
) -> bool:
    """Whether one number lies in the intervals of all figures; False with fewer than two intervals.

    The intervals are widened to `ALPHA` over the number of figures (Bonferroni). So figures that all measure the same
    are said to differ in at most 1 of 20 such sets, whether they come from the same deals, add up to 1 or are
    independent (measured: in 0 to 3 of 100). The cost: a difference must be rather larger than a test of two
    figures alone would ask for, and noise does not mean that there is none, but that so many games do not show it.

    Args:
        value: float64[F], the figures.
        low: ends of their 95 % intervals; NaN where there is none, and the figure is ignored.
        high: as `low`.
        n: int64[F], events behind them.
        deals: deals behind them.
        share: whether they are shares, with Wilson's intervals.
        chunks: parts of the study that intervals are made of.
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
    """The end of Wilson's interval on the same side as `end`, at a quantile `wider` times as large.

    An end e solves (e - value)^2 = c e (1 - e), c = z^2 / n.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        c = np.nan_to_num((end - value) ** 2 / (end * (1 - end)), nan=0.0, posinf=0.0) * wider**2
    root = np.sqrt(c * value * (1 - value) + c**2 / 4)
    return np.asarray((value + c / 2 + np.where(end < value, -root, root)) / (1 + c))
