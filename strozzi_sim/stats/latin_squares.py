"""Sources of the variance of outcomes, in deals that are played once in every rotation of a line-up.

A deal's games form a Latin square: rows are positions (agents), columns seats, letters games, so that effects of the
deal on each are orthogonal. The outcome of position a at seat s in deal d is mean + agent + seat + (agent at seat) +
deal + (deal's seat) + (deal's agent) + (deal's game) + rest. Agents and seats are fixed and deals random. What differs
from cell to cell by chance leaks into the margins of a square; it is estimated from the square's residual, and
subtracted there (analysis of variance, Fisher 1925), so that an effect that does not exist is 0 on average, and may
come out below 0. A 2 x 2 square has no residual: there the two effects of the deal include chance.

Axes: C chunks, D deals, K positions, seats and games.
"""

from typing import NamedTuple

import numpy as np

from strozzi_sim.stats.intervals import Array, Estimate, divide, t_quantile

SOURCES = ("agents", "seats", "agents_at_seats", "deal", "deal_of_seat", "deal_of_agent", "rest")


class Moments(NamedTuple):
    """Sums over the deals of a chunk: the cells, and the squares of margins; each with the axis of chunks first."""

    deals: Array  # [C]
    cells: Array  # [C, K, K]
    square_of_deal: Array  # [C], of the mean of all cells
    square_of_seat: Array  # [C], mean over seats
    square_of_agent: Array
    square_of_game: Array
    square_of_cell: Array


def moments(outcomes: Array, chunks: Array) -> Moments:
    """Return the sums of squares of deals by chunk, from outcomes by deal, position and seat, float64[D, K, K].

    In game r position a sits at seat (a + r) mod K.
    """
    count, players = int(chunks.max()) + 1, outcomes.shape[1]
    game = (np.arange(players) - np.arange(players)[:, None]) % players  # of position and seat
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
    """Return each source's share of the variance, and the variance; with jackknife intervals.

    One chunk has no interval, and a variance of 0 no shares.
    """
    count = len(sums.deals)
    components = _components(*(part.sum(axis=0) for part in sums))
    without_chunk = np.full((1, len(components)), np.nan)  # components without one chunk
    if count > 1:
        without_chunk = np.array([_components(*(part.sum(axis=0) - part[c] for part in sums)) for c in range(count)])
    variance = components.sum()
    shares = divide(components, variance)
    shares_without_chunk = divide(without_chunk, without_chunk.sum(axis=1, keepdims=True))
    n = np.asarray(int(sums.deals.sum()) * sums.cells.shape[-1])

    def estimate(value: float, replicates: Array) -> Estimate:
        half = t_quantile(count - 1) * np.sqrt((count - 1) / count * ((replicates - replicates.mean()) ** 2).sum())
        corrected = count * value - (count - 1) * replicates.mean() if count > 1 else value
        return Estimate(np.asarray(corrected), np.asarray(corrected - half), np.asarray(corrected + half), n)

    by_source = {source: estimate(shares[k], shares_without_chunk[:, k]) for k, source in enumerate(SOURCES)}
    return by_source, estimate(variance, without_chunk.sum(axis=1))


def _components(
    deals: Array, cells: Array, of_deal: Array, of_seat: Array, of_agent: Array, of_game: Array, of_cell: Array
) -> Array:
    """Return the variance from each of SOURCES, float64[7]."""
    players = cells.shape[-1]
    mean = cells / deals
    total = mean.mean()
    game = (np.arange(players) - np.arange(players)[:, None]) % players
    game_means = np.array([mean[game == r].mean() for r in range(players)])
    agents, seats, games = (
        float(((m - total) ** 2).mean()) for m in (mean.mean(axis=1), mean.mean(axis=0), game_means)
    )
    fixed = float(((mean - total) ** 2).mean())
    d, s, a, g, c = (float(squares / deals) for squares in (of_deal, of_seat, of_agent, of_game, of_cell))
    # variances from deal to deal, chance included
    of_deals = d - total**2
    of_seats, of_agents, of_games = s - d - seats, a - d - agents, g - d - games
    residual = c - s - a - g + 2 * d - (fixed - agents - seats - games)
    leak = residual / (players - 2) if players > 2 else 0.0
    deal = of_deals - of_games / (players - 1)
    deal_of_seat, deal_of_agent = of_seats - leak, of_agents - leak
    variance = c - total**2
    explained = (agents, seats, fixed - agents - seats, deal, deal_of_seat, deal_of_agent)
    return np.array([*explained, variance - sum(explained)])
