"""Intervals of a precision chosen beforehand, valid however often they are looked at.

All are confidence sequences, tuned to be narrow where their half width reaches the precision. Near 0 and 1 the sides of
an interval differ; its precision is the longer one.

- A share: a value is excluded if the share nearer to the observed one by the precision is 2 / alpha times as likely
  (Wald 1945; Robbins 1970).
- A mean of chunks, such as a difference of shares: the t statistic mixed over a normal effect (Lai 1976; Wang and
  Ramdas 2024).

Axes: t chunks, then any shape of figures.
"""

from typing import Any

import numpy as np

from strozzi_sim.stats.intervals import Array

ALPHA = 0.05
FIRST_LOOK = 20  # chunks; earlier looks are valid, but their intervals are usually too wide to stop
CHUNKS_AT_MOST = 200  # default most chunks of the largest number of deals; a study stops at the end of a chunk
FEWEST_IN_CHUNK = 10  # deals
_EFFECT_CHUNKS = 12.5  # chunks after which the effect expected by the t mixture is one standard error
_HALVINGS = 40
_DIFFERING = 30  # chunks that must differ from the median, or a mean has no interval


def most_deals(half_width: float, *, paired: bool) -> int:
    """Return the number of deals that give any share, or if `paired` any difference of two, about this half width.

    A difference is assumed not to gain from pairing, as the gain is unknown beforehand.
    """
    variance = 0.5 if paired else 0.25
    factor = 9.6 if paired else 1.05 * 2 * np.log(2 / ALPHA)  # larger if paired: the mixture covers a range of effects
    return int(np.ceil(factor * variance / half_width**2))


def reach(value: Any, low: Any, high: Any) -> Any:
    """Return the distance of an interval's further end from its value: the x of "value +- x"."""
    return np.asarray(np.maximum(value - low, high - value))


def share_interval(value: Array, deals: int, half_width: float | Array, alpha: float = ALPHA) -> tuple[Array, Array]:
    """Return low and high of the mean of deals' shares, tuned to a half width; level 1 - `alpha` over all looks."""
    limit = np.log(2 / alpha)
    sign = np.array([1, -1]).reshape(2, *[1] * np.ndim(value))  # both ends at once, low and high

    def excluded(share: Array) -> Array:
        other = np.minimum(np.maximum(share + sign * half_width, 1e-12), 1 - 1e-12)
        gained = np.where(value > 0, value * np.log(other / share), 0.0)
        lost = np.where(value < 1, (1 - value) * np.log((1 - other) / (1 - share)), 0.0)
        return np.asarray(deals * (gained + lost) >= limit)

    inside = np.stack([value, value])
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = _edge(excluded, np.zeros(inside.shape) + (sign < 0), inside)
    return low, high


def mean_half_width(means: Array, alpha: float = ALPHA) -> Array:
    """Return the half width of the mean of chunks, float64[t, ...]; infinite if under 30 differ from the median."""
    t = len(means)
    growth = 1 + t / _EFFECT_CHUNKS
    ratio = np.exp(2 / t * (np.log(1 / alpha) + np.log(growth) / 2))
    if ratio >= growth:  # too few chunks for any interval
        return np.full(means.shape[1:], np.inf)
    differing = (means != np.median(means, axis=0)).sum(axis=0)
    error = means.std(axis=0, ddof=1) / np.sqrt(t)
    errors = np.sqrt((t - 1) * (ratio - 1) / (1 - ratio / growth))  # in the half width
    return np.where(differing >= _DIFFERING, errors * error, np.inf)


def _edge(excluded: Any, outside: Array, inside: Array) -> Array:
    """Return, by bisection, the last excluded value from `outside`, an end of the range, to the mean `inside`.

    If `outside` is not excluded, return it.
    """
    outer, inner = outside.copy(), inside.copy()
    inner = np.where(excluded(outer), inner, outer)
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2
        is_out = excluded(middle)
        outer, inner = np.where(is_out, middle, outer), np.where(is_out, inner, middle)
    return outer
