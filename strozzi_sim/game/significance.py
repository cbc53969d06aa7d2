"""What may be said of a figure: how sure it is that it is not some number, and whether that matters.

A 95 % interval tells which numbers a two-sided test at 5 % does not refuse. Here the same test gives a p-value, found
from the side of the interval that faces the number, so that p < 0.05 exactly where the number lies outside. Sentences
that pick from several figures judge them together (Bonferroni), and differences below `MIN_...` are not findings,
however sure they are.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MIN_SHARE = 0.005  # of games won: half a point
MIN_COINS = 0.5
ALPHA = 0.05
MAX_CHUNKS = 200  # parts of a study that intervals are made of, if it does not say otherwise


def degrees_of_freedom(n: Any, deals: Any, chunks: int = MAX_CHUNKS) -> Array:
    """Those of the variance behind an interval: one less than its parts, of which no more say anything than events."""
    return np.asarray(np.maximum(np.minimum(np.minimum(n, deals), chunks) - 1, 1))


def p_value(value: Any, low: Any, high: Any, null: float, df: Any) -> Array:
    """P-values float64[...] of "the figure is `null`" from figures with 95 % intervals; NaN where there is none.

    Args:
        value: float64[...].
        low: as `value`.
        high: as `value`.
        null: the number.
        df: of Student's t, int64[...].
    """
    from scipy.special import stdtr, stdtrit

    value, low, high = (np.asarray(side, np.float64) for side in (value, low, high))
    half_width = np.where(value > null, value - low, high - value)
    gap = np.abs(value - null)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = stdtrit(df, 1 - ALPHA / 2) * gap / half_width
    p = 2 * stdtr(df, -size)
    # An interval without width is an exact figure.
    return np.where(np.isnan(half_width), np.nan, np.where(half_width > 0, p, np.where(gap > 0, 0.0, 1.0)))


def p_value_of_share(value: Any, low: Any, high: Any, null: float, df: Any) -> Array:
    """As `p_value`, of shares: the score test, with the variance that the share would have if it were `null`.

    It is for many figures at once: the width of an interval around a share that came out small by chance is too small.
    An end e of Wilson's interval solves (e - value)^2 = z^2 e (1 - e) / n, which gives the effective n.
    """
    from scipy.special import stdtr, stdtrit

    value, low, high = (np.asarray(side, np.float64) for side in (value, low, high))
    end = np.where(value > null, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        z2_by_n = (end - value) ** 2 / (end * (1 - end))
        size = stdtrit(df, 1 - ALPHA / 2) * np.abs(value - null) / np.sqrt(null * (1 - null) * z2_by_n)
    p = 2 * stdtr(df, -size)
    return np.where(np.isnan(end + value), np.nan, np.where(np.isnan(size), 1.0, p))


def surely_not(rows: Iterable[Any], null: float, *, share: bool = False, chunks: int = MAX_CHUNKS) -> list[bool]:
    """Of each row of a table (named tuples) whether its figure is surely not `null`, all rows judged together."""
    rows = list(rows)
    if not rows:
        return []
    value, low, high, n, deals = (
        np.array([getattr(row, name) for row in rows], np.float64) for name in ("value", "low", "high", "n", "deals")
    )
    test = p_value_of_share if share else p_value
    p = test(value, low, high, null, degrees_of_freedom(n, deals, chunks))
    return [bool(verdict) for verdict in p * max(int((~np.isnan(p)).sum()), 1) < ALPHA]
