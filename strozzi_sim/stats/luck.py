"""Luck: the sources of the variance of outcomes, and control variates, figures corrected for measured luck.

Sources are of deals that are played once in every rotation of a line-up. A deal's games form a Latin square: rows are
positions (agents), columns seats, letters games. The outcome of position a at seat s in deal d is mean + agent + seat +
(agent at seat) + deal + (deal of seat) + (deal of agent) + (deal of game) + chance; the last two are the source `rest`.
What differs by chance leaks into the margins of a square, and is subtracted from `deal` as the margin of games has it,
from `deal_of_seat` and `deal_of_agent` as the residual has it, from the fixed effects by the jackknife. `Skill and
luck` and `Luck taken out` in docs/statistics.md have the reasons.

Axes: C chunks, D deals, K positions, seats and games.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from strozzi_sim.stats.intervals import (
    MIN_EXCEPTIONS,
    Array,
    Estimate,
    divide,
    is_median,
    jackknife,
    leave_one_out,
    t_quantile,
)

SOURCES = ("agents", "seats", "agents_at_seats", "deal", "deal_of_seat", "deal_of_agent", "rest")
_SAME = 1e-24  # spread of equal replicates that differ by rounding


class Moments(NamedTuple):
    """Sums over the deals of a chunk, by chunk."""

    deals: Array  # number of deals, [C]
    cells: Array  # outcomes by position and seat, [C, K, K]
    # [C] each: the square of a deal's mean outcome, and the mean squares of its means by seat, agent, game and cell
    square_of_deal: Array
    square_of_seat: Array
    square_of_agent: Array
    square_of_game: Array
    square_of_cell: Array


def _game_of(players: int) -> Array:
    """Return the game of each position and seat: in game r position a sits at seat (a + r) mod K."""
    return (np.arange(players) - np.arange(players)[:, None]) % players


def moments(outcomes: Array, chunks: Array) -> Moments:
    """Return the moments of outcomes by deal, position and seat, float64[D, K, K]; `chunks` has each deal's chunk."""
    count, players = int(chunks.max()) + 1, outcomes.shape[1]
    game = _game_of(players)
    by_game = np.stack([outcomes[:, game == r].mean(axis=1) for r in range(players)], axis=1)

    def summed(values: Array) -> Array:
        total = np.zeros((count, *values.shape[1:]))
        np.add.at(total, chunks, values)
        return total

    deal, seat, agent = outcomes.mean(axis=(1, 2))[:, None], outcomes.mean(axis=1), outcomes.mean(axis=2)
    of_deal, of_seat, of_agent, of_game = (summed((means**2).mean(axis=1)) for means in (deal, seat, agent, by_game))
    of_cell = summed((outcomes**2).mean(axis=(1, 2)))
    return Moments(summed(np.ones(len(outcomes))), summed(outcomes), of_deal, of_seat, of_agent, of_game, of_cell)


def variance_shares(sums: Moments) -> tuple[dict[str, Estimate], Estimate]:
    """Return each source's share of the variance, and the variance; the jackknife removes bias and gives intervals.

    A figure that no chunk changes has no interval, nor has one from a single chunk; a variance of 0 has no shares.
    """
    count = len(sums.deals)
    components = _components(Moments._make(part.sum(axis=0) for part in sums))
    without_chunk = np.full((1, len(components)), np.nan)  # components without one chunk
    if count > 1:
        parts = (Moments._make(part.sum(axis=0) - part[c] for part in sums) for c in range(count))
        without_chunk = np.array([_components(part) for part in parts])
    variance = components.sum()
    shares = divide(components, variance)
    shares_without_chunk = divide(without_chunk, without_chunk.sum(axis=1, keepdims=True))
    n = np.asarray(int(sums.deals.sum()) * sums.cells.shape[-1])

    def estimate(value: float, replicates: Array) -> Estimate:
        spread = ((replicates - replicates.mean()) ** 2).sum()
        half = t_quantile(count - 1) * np.sqrt((count - 1) / count * spread) if spread > _SAME else np.nan
        corrected = count * value - (count - 1) * replicates.mean() if count > 1 else value
        return Estimate(np.asarray(corrected), np.asarray(corrected - half), np.asarray(corrected + half), n)

    by_source = {source: estimate(shares[k], shares_without_chunk[:, k]) for k, source in enumerate(SOURCES)}
    return by_source, estimate(variance, without_chunk.sum(axis=1))


def _components(sums: Moments) -> Array:
    """Return the variance from each of SOURCES, float64[7], given moments without the axis of chunks."""
    deals, cells, *squares = sums
    players = cells.shape[-1]
    mean = cells / deals
    total = mean.mean()
    game = _game_of(players)
    game_means = np.array([mean[game == r].mean() for r in range(players)])
    margins = mean.mean(axis=1), mean.mean(axis=0), game_means
    agents, seats, games = (float(((means - total) ** 2).mean()) for means in margins)
    fixed = float(((mean - total) ** 2).mean())
    d, s, a, g, c = (float(square / deals) for square in squares)
    # variances from deal to deal, chance included
    by_deal = d - total**2
    by_seat, by_agent, by_game = s - d - seats, a - d - agents, g - d - games
    residual = c - s - a - g + 2 * d - (fixed - agents - seats - games)
    # chance is equal for each degree of freedom: a deal has 1, a margin K - 1, the residual (K - 1)(K - 2)
    leak = residual / (players - 2) if players > 2 else 0.0
    deal = by_deal - by_game / (players - 1)  # the mean of a deal varies by its games' own effects too
    deal_of_seat, deal_of_agent = by_seat - leak, by_agent - leak
    variance = c - total**2
    explained = (agents, seats, fixed - agents - seats, deal, deal_of_seat, deal_of_agent)
    return np.array([*explained, variance - sum(explained)])


@dataclass(frozen=True)
class LuckSums:
    """Sums of one figure over the games of C chunks, for P positions, seats or agents: float64[C, P] each."""

    results: Array
    luck: Array  # in the unit of the results
    squares: Array  # of the luck
    products: Array  # result times luck
    played: Array  # games, int64[C, P]

    def coefficients(self) -> Array:
        """Return the slope of results on luck in all other chunks, float64[C, P].

        The slope is 0 if luck does not vary, or if the mean result of fewer than 10 of these chunks (or C - 2, if less)
        differs from the median: a few exceptions would determine the slope, and such a mean has no interval.
        """
        parts = self.results, self.luck, self.squares, self.products, self.played
        results, luck, squares, products, played = (part.sum(axis=0) - part for part in parts)
        spread = squares - divide(luck * luck, played)
        slope = divide(products - divide(results * luck, played), spread)
        means = divide(self.results, self.played)
        uncommon = ~np.isnan(means) & ~is_median(means)
        enough = uncommon.sum(axis=0) - uncommon >= min(MIN_EXCEPTIONS, len(means) - 2)
        return np.where(enough & (np.nan_to_num(spread) > 0), np.nan_to_num(slope), 0.0)

    def adjusted(self) -> Array:
        """Return the sums of results minus coefficient times luck, float64[C, P]."""
        return np.asarray(self.results - self.coefficients() * self.luck)

    def games_saved(self) -> Estimate:
        """Return the variance of the mean divided by that of the adjusted mean, with its interval.

        A factor of 2 means that half of the games would give an interval as short. The factor is NaN if luck explains
        the mean entirely; its interval is NaN if the coefficients are 0, one chunk determines the factor, or C <= 2.
        """
        adjusted = self.adjusted()
        chunks = len(adjusted)
        played = np.asarray(self.played, np.float64)
        plain, reduced = (_contributions(sums, played) ** 2 for sums in (self.results, adjusted))
        value = divide(plain.sum(axis=0), reduced.sum(axis=0))
        with np.errstate(all="ignore"):
            log_without_chunk = np.log(leave_one_out(plain, reduced))
            half = t_quantile(chunks - 1) * jackknife(log_without_chunk) if chunks > 2 else np.full(value.shape, np.nan)
            low, high = value * np.exp(-half), value * np.exp(half)
        has_interval = (half > 0) & np.isfinite(high)
        low, high = (np.where(has_interval, end, np.nan) for end in (low, high))
        return Estimate(value, low, high, np.asarray(self.played.sum(axis=0), np.int64))


def _contributions(results: Array, played: Array) -> Array:
    return np.asarray(results - divide(results.sum(axis=0), played.sum(axis=0)) * played)
