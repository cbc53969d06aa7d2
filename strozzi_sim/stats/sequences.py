"""Intervals that hold at every look at once, so that one may stop when they are narrow enough.

The normal-mixture sequence of Robbins (1970) with an estimated variance, which holds in the limit of many scores
(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, theorem 2.2). Hence no look before `FIRST_LOOK` scores, and a little more width while they are few. In simulations
of 200 looks it was ever wrong in about 3 % of runs for normal scores, 4 % for scores as skewed as a mean of four exponentials.
"""

from typing import Any

import numpy as np

from strozzi_sim.stats.intervals import t_quantile

Array = np.ndarray[Any, Any]

FIRST_LOOK = 20
_NARROWEST_AT = 60  # scores


def anytime_reach(scores: Array, alpha: float = 0.05) -> Array:
    """Half the width of the intervals around the means of `scores`, float64[t, ...] -> float64[...].

    With chance 1 - alpha, the interval of one mean holds the truth at every t from FIRST_LOOK on.
    """
    t = len(scores)
    if t < FIRST_LOOK:
        return np.full(scores.shape[1:], np.inf)
    log = -2 * np.log(alpha)
    rho = (log + np.log(log + 1)) / _NARROWEST_AT
    factor = np.sqrt(2 * (t * rho + 1) / (t * t * rho) * np.log(np.sqrt(t * rho + 1) / alpha))
    few = t_quantile(t - 1) / t_quantile(10**9)  # the variance is estimated from so few
    return np.asarray(factor * few * scores.std(axis=0, ddof=1))
