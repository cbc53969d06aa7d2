"""What a verdict of no could miss: the largest change that intervals do not exclude, and its sentence.

A study that finds nothing says how much it could not see. The intervals of all figures of a verdict are widened together
(Bonferroni), as its tests are corrected together: a true change lies within them all in 19 of 20 studies.
"""

from typing import Any

import numpy as np

from strozzi_sim.errors import pluralize
from strozzi_sim.facts.pictures import Unit
from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, degrees_of_freedom


def not_excluded(rows: Any, null: Any = 0.0, chunks: int = MAX_CHUNKS, *, sign: int = 0) -> float:
    """Return the largest distance from `null` that the intervals of all rows together do not exclude; NaN without an interval.

    `rows` is a data frame with value, low, high, n and deals; `sign` is 1 for the largest gain, -1 for the largest
    loss, 0 for either.
    """
    from scipy.special import stdtrit

    value, low, high = (rows[side].to_numpy(np.float64) for side in ("value", "low", "high"))
    known = ~np.isnan(value + low + high)
    if not known.any():
        return float("nan")
    df = degrees_of_freedom(rows["n"], rows["deals"], chunks)
    wider = stdtrit(df, 1 - ALPHA / 2 / known.sum()) / stdtrit(df, 1 - ALPHA / 2)
    up, down = value + wider * (high - value) - null, null - value + wider * (value - low)
    ends = up if sign > 0 else down if sign < 0 else np.maximum(up, down)
    return max(float(ends[known].max()), 0.0)


def size_text(size: float, unit: Unit = "share") -> str:
    """Return a size as text, rounded up: shares in points.

    >>> size_text(0.0312), size_text(0.004), size_text(0.22), size_text(1.46, "amount")
    ('3.2 points', '0.4 points', '22 points', '1.5')
    """
    scaled = 100 * size if unit == "share" else size
    digits = 0 if scaled >= 10 else 1 if scaled >= 0.1 else 2
    up = np.ceil(scaled * 10**digits - 1e-6) / 10**digits
    if unit != "share":
        return f"{up:,.{digits}f}"
    return pluralize(1, "point") if up == 1 else f"{up:,.{digits}f} points"


def missed(size: float, unit: Unit = "share", what: str = "a change") -> str:
    """Return what could be missed as text: "a change of up to 3.2 points could be missed"; "" if it is not known.

    >>> missed(0.0312)
    'a change of up to 3.2 points could be missed'
    """
    return "" if np.isnan(size) else f"{what} of up to {size_text(size, unit)} could be missed"
