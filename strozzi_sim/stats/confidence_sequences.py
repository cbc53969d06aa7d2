"""Confidence sequences: intervals valid at every look simultaneously, so that sampling may stop at any look.

Two confidence sequences for means of bounded values are combined, each at half the error. Both hold for any number of
looks, however rare the events are.

- For the chunk means, the hedged capital process of Waudby-Smith and Ramdas (2024, section 4.4): the capital of a
  gambler who bets that the mean is above, or below, a value. It is narrow if chunks differ little.
- For the deals, the beta mixture of Robbins (1970; Howard, Ramdas, McAuliffe and Sekhon 2021): the likelihood of q
  against m, averaged over q. A deal's share is in [0, 1], so by convexity its likelihood is at most that of a
  game won or lost. It is narrow if wins are rare or chunks few.

Axes: t chunks, then any shape of figures.
"""

from functools import partial
from typing import Any

import numpy as np

from strozzi_sim.stats.intervals import Array

ALPHA = 0.05
FIRST_LOOK = 20  # chunks; earlier looks are valid, but their intervals are too wide to stop
_STAKE = 0.9  # largest share of the capital at risk in one chunk
_HALVINGS = 40


def anytime_interval(means: Array, deals: Array, alpha: float = ALPHA) -> tuple[Array, Array]:
    """Return low and high of the means of chunks in [0, 1], float64[...] each.

    With probability 1 - alpha, the interval of one mean contains the true mean at every t.

    Args:
        means: float64[t, ...], each the mean of independent deals.
        deals: number of deals of each chunk, int64[t].
        alpha: probability of ever excluding the true mean.
    """
    value = means.mean(axis=0)
    limit = np.log(4 / alpha)  # half the error for each sequence, and half of that for each side of the first
    bets = _bets(means, limit)
    count, n = (deals.reshape(-1, *[1] * (means.ndim - 1)) * means).sum(axis=0), float(deals.sum())

    def excluded(above: bool, place: Array) -> Array:
        """Return whether the mean is significantly above a value, or below it."""
        capital = _capital(means, bets, place) if above else _capital(1 - means, bets, 1 - place)
        return np.asarray((capital >= limit) | (_evidence(count, n, place) >= np.log(2 / alpha)))

    low = edge(partial(excluded, True), np.zeros(value.shape), value)
    high = edge(partial(excluded, False), np.ones(value.shape), value)
    return low, high


def differs_anytime(means: Array, place: float, alpha: float) -> Array:
    """Return whether the means of chunks in [0, 1] differ significantly from a value, bool[...]; valid at every t.

    Args:
        means: float64[t, ...].
        place: value to compare with.
        alpha: probability of ever being wrong.
    """
    limit = np.log(2 / alpha)
    bets = _bets(means, limit)
    at = np.full(means.shape[1:], place)
    return np.asarray((_capital(means, bets, at) >= limit) | (_capital(1 - means, bets, 1 - at) >= limit))


def _bets(means: Array, limit: float) -> Array:
    """Return the stake on each chunk per unit of deviation, computed from earlier chunks alone, float64[t, ...]."""
    t = np.arange(1, len(means) + 1).reshape(-1, *[1] * (means.ndim - 1))
    mean = (0.5 + means.cumsum(axis=0)) / (t + 1)
    variance = (0.25 + ((means - mean) ** 2).cumsum(axis=0)) / (t + 1)
    before = np.concatenate([np.full((1, *means.shape[1:]), 0.25), variance[:-1]])
    return np.asarray(np.sqrt(2 * limit / (before * t * np.log(t + 1))))


def _capital(means: Array, bets: Array, place: Array) -> Array:
    """Return the log capital of a gambler who starts with 1 and bets on a mean above `place`, float64[...]."""
    with np.errstate(divide="ignore"):
        stakes = np.minimum(bets, _STAKE / place)
    return np.asarray(np.log1p(stakes * (means - place)).sum(axis=0))


def _evidence(count: Array, n: float, place: Array) -> Array:
    """Return the log ratio of the beta mixture of likelihoods to the likelihood of `place`, float64[...]."""
    from scipy.special import betaln, xlog1py, xlogy

    mixture = betaln(count + 0.5, n - count + 0.5) - betaln(0.5, 0.5)
    return np.asarray(mixture - xlogy(count, place) - xlog1py(n - count, -place))


def edge(excluded: Any, outside: Array, inside: Array) -> Array:
    """Return the edge of the excluded values between the end of the range and the mean, by bisection from outside."""
    outer, inner = outside.copy(), inside.copy()
    inner = np.where(excluded(outer), inner, outer)
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2
        out = excluded(middle)
        outer, inner = np.where(out, middle, outer), np.where(out, inner, middle)
    return outer
