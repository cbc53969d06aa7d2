"""A test whether K shares of one whole, such as the win shares of seats, are equal, and their gap beside chance.

Axes: C chunks, K shares. A chunk's wins are divided among the shares.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from strozzi_sim.stats.intervals import (
    LARGE_DF,
    LEVEL,
    MIN_EVENTS,
    Array,
    divide,
    effective_n,
    jackknife,
    leave_one_out,
    wilson,
)

MIN_CHUNKS = 10  # with fewer chunks there is no test, no gap by chance and no bound


@dataclass(frozen=True)
class SeatGap:
    """The gap between K shares of one whole."""

    gap: float  # the largest share minus the smallest; chance alone makes it positive, so it has no interval
    by_chance: float  # the gap that equal shares exceed in 5 % of studies
    bound: float  # upper bound of share - 1 / K with 95 % confidence, for all K shares simultaneously
    without: Array | None = None  # the gap without each chunk, float64[C]; None without a bound


def equal_shares_p(wins: Array, unit: float = 1.0) -> float:
    """Return the p-value of "all K shares are equal"; NaN under 30 games or 10 chunks.

    The score test of docs/statistics.md, with x_c the wins of chunk c minus an equal part for each share: f times
    |sum x|^2 / sum |x|^2 is about chi-squared with f degrees of freedom, f = (tr V)^2 / tr V^2, V the covariance of x,
    estimated without bias from pairs of chunks. Two seats with one game per chunk get the exact sign test: whole games
    are too coarse for a smooth distribution. `wins` are [C, K], a whole win is `unit`.
    """
    from scipy.special import betainc, gammaincc

    chunks, shares = wins.shape
    if chunks < MIN_CHUNKS or wins.sum() < MIN_EVENTS * unit:
        return float("nan")
    deviations = (wins - wins.sum(axis=1, keepdims=True) / shares) / unit
    size = (deviations**2).sum(axis=1)
    if not size.any():
        return 1.0
    if shares == 2 and (wins.sum(axis=1) == unit).all() and len(np.unique(np.abs(deviations[size > 0]))) == 1:
        decided = int((size > 0).sum())
        more_frequent = max(int((deviations[:, 0] > 0).sum()), int((deviations[:, 1] > 0).sum()))
        return min(1.0, 2 * float(betainc(more_frequent, decided - more_frequent + 1, 0.5)))
    # without BLAS, whose last digit depends on the processor
    covariance = np.einsum("ci,cj->ij", deviations, deviations)
    # sum over different chunks of their squared products
    off_diagonal = float((covariance**2).sum() - (size**2).sum())
    same_chunk = float((size**2).sum())
    df = 1.0
    if off_diagonal > 0:
        df = min(max((float(size.sum()) ** 2 - same_chunk) / off_diagonal, 1.0), shares - 1.0)
    statistic = float((deviations.sum(axis=0) ** 2).sum() / size.sum())
    return float(gammaincc(df / 2, df * statistic / 2))


def seat_gap(wins: Array, *, unit: float, deals: int) -> SeatGap:
    """Return the largest share minus the smallest, with its 95 % quantile under equal shares; NaN under 30 games.

    The gap by chance is q s, with q the 95 % quantile of the studentized range (Tukey 1949). s^2 = 1 / (K n) is half
    the variance of a difference of equal shares, with n the effective number of games, over all shares together. The
    bound is the highest upper end of the shares' intervals, minus 1 / K, with Bonferroni's correction. Both are NaN
    under 10 chunks. `wins` are those of each share, [C, K], a whole win is `unit`; `deals` are those of all chunks.
    """
    chunks, shares = wins.shape
    games = wins.sum(axis=1)
    total_games = float(games.sum()) / unit
    missing = float("nan")
    if total_games < MIN_EVENTS:
        return SeatGap(missing, missing, missing)
    value = wins.sum(axis=0) / games.sum()
    gap = float(value.max() - value.min())
    if chunks < MIN_CHUNKS:
        return SeatGap(gap, missing, missing)
    games_of_chunk = games[:, None] / unit
    shares_without = leave_one_out(wins, games_of_chunk, unit)
    variance = (jackknife(shares_without) ** 2).sum()
    binomial = (value * (1 - value)).sum()
    n_of_share = effective_n(wins, np.broadcast_to(games_of_chunk, wins.shape), unit=unit, deals=deals)
    n = float(divide(binomial, variance)) if variance > 0 else float(n_of_share.min())
    by_chance = range_quantile(shares, (chunks - 1) * (shares - 1)) / np.sqrt(shares * n)
    # Wilson's interval at level 1 - 0.05 / K, as any of the K shares may exceed it by chance.
    _, high = wilson(value, n_of_share, figures=shares)
    without = shares_without.max(axis=1) - shares_without.min(axis=1)
    return SeatGap(gap, float(by_chance), float((high - 1 / shares).max()), without)


@cache
def range_quantile(shares: int, df: float) -> float:
    """Return the 95 % quantile of the studentized range of `shares` normal values, to 6 decimals.

    Gauss-Legendre quadrature over a normal value and over the estimate of its spread, both smooth, is right to about
    1e-12. `scipy.stats.studentized_range` agrees, but takes 0.2 s, and its import half a second more.
    """
    from scipy.special import ndtr

    z, weight_z = _nodes(-_FAR, _FAR)
    below = ndtr(z)
    density = shares * weight_z * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    spread, weight = _spread(df)
    low, high = 0.0, 100.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        inside = below - ndtr(z - middle * spread[:, None])
        share = float(((density * inside ** (shares - 1)).sum(axis=1) * weight).sum())
        low, high = (middle, high) if share < LEVEL else (low, middle)
    return round(high, 6)


_FAR = 8.5  # a normal value is beyond +-_FAR with probability 2e-17
_NODES = 96


def _nodes(low: float, high: float) -> tuple[Array, Array]:
    """Return the places and weights of Gauss-Legendre quadrature from `low` to `high`."""
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    return low + (high - low) * (places + 1) / 2, weights * (high - low) / 2


def _spread(df: float) -> tuple[Array, Array]:
    """Return values of chi / sqrt(df) and their weights, which sum to 1; 1 alone for `df` above LARGE_DF."""
    from scipy.special import gammainccinv, gammaincinv, gammaln

    if df > LARGE_DF:
        return np.ones(1), np.ones(1)
    low, high = (np.sqrt(2 * float(side(df / 2, 1e-17)) / df) for side in (gammaincinv, gammainccinv))
    places, weights = _nodes(low, high)
    half = df / 2
    log_density = np.log(2) + half * np.log(half) - gammaln(half) + (df - 1) * np.log(places) - half * places**2
    return places, weights * np.exp(log_density)
