"""Alpha-rank and Nash averaging of a field of agents, with bootstrap intervals.

Choosing an agent is a game of two players with the payoff `ahead / met`: how often the chosen agent finishes ahead of the other in
games that both play. Alpha-rank (Omidshafiei et al. 2019), by OpenSpiel, follows a population in which all choose one agent: another
agent is tried at random, and replaces it if it is ahead of it in more than half of their games. The mass of an agent is the share
of the time for which the population holds it.

Axes: C chunks, F agents.
"""

import numpy as np

from strozzi_sim.adapters.common import needs
from strozzi_sim.stats.intervals import MIN_EVENTS, Array, Estimate
from strozzi_sim.stats.nash import averaged
from strozzi_sim.stats.resampling import draws

with needs("OpenSpiel and networkx", "openspiel"):
    from open_spiel.python.egt import alpharank

FIGURES = ("alpha_rank", "nash_weight", "nash_score")
RESAMPLES = 400
_MUTATION = 1e-4  # probability with which a worse agent replaces a better one, so that the chain has one stationary distribution
_STREAM = 5


def alpha_rank(payoff: Array) -> Array:
    """Return the mass of each agent, float64[F], in the limit of infinite selection.

    >>> alpha_rank(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    return np.asarray(alpharank.compute([payoff], use_inf_alpha=True, inf_alpha_eps=_MUTATION)[2])


def meta_game(ahead: Array, met: Array, seed: int) -> dict[str, Estimate]:
    """Return alpha-rank's mass, and the weight and score of Nash averaging, of each agent.

    Intervals are the middle 95 % of 400 bootstrap samples of whole chunks, which hold the same deals for all agents. Where two agents
    are about equally good, mass and weights jump from sample to sample, and the intervals are as wide as that.

    Args:
        ahead: float64[C, F, F], number of games that i finished ahead of j; a tie counts half.
        met: int64[C, F, F], number of games that both played; above 0 for every two agents in every chunk.
        seed: seed of the bootstrap.
    """
    chunks, games = len(met), met.sum(axis=(0, 2)) - met.sum(axis=0).diagonal()
    nothing = np.full((len(FIGURES), len(games)), np.nan)
    value, low, high = nothing, nothing, nothing
    if games.min() >= MIN_EVENTS:
        value = _figures(ahead.sum(axis=0), met.sum(axis=0))
    if games.min() >= MIN_EVENTS and chunks > 1:
        chosen = draws(seed, _STREAM, (RESAMPLES, chunks), chunks)
        found = [_figures(ahead[sample].sum(axis=0), met[sample].sum(axis=0)) for sample in chosen]
        low, high = np.percentile(found, (2.5, 97.5), axis=0)  # NaN as soon as one of them is
    return {name: Estimate(value[k], low[k], high[k], games) for k, name in enumerate(FIGURES)}


def _figures(ahead: Array, met: Array) -> Array:
    """Return mass, weight and score of each agent, float64[3, F]; NaN for weight and score if the linear program fails."""
    share = np.where(np.eye(len(met), dtype=bool), 0.5, ahead / np.maximum(met, 1))
    try:
        nash = averaged(ahead, met)
    except ArithmeticError:
        nash = np.full((2, len(met)), np.nan)
    return np.vstack([alpha_rank(share), nash])
