"""Nash averaging: the scores of agents against the Nash equilibrium of the game of choosing an agent.

A two-player tournament is itself a game: each side picks an agent, and the payoff is the share of games won minus one
half, an antisymmetric matrix. Its Nash equilibrium is a mixture of agents that no agent beats. Agents are rated by
their scores against it (Balduzzi, Tuyls, Perolat, Graepel 2018, "Re-evaluating evaluation"). Adding copies or weak
agents changes no score. The paper takes log odds as payoffs; shares are finite even where an agent won every game.

Axes: C chunks, F agents.
"""

from dataclasses import dataclass

import numpy as np

from strozzi_sim.stats.intervals import MIN_EVENTS, Array, Estimate, jackknife, share_interval, t_quantile

_CLOSE = 1e-9  # a singular value up to this per agent is 0: payoffs are shares of at most some 10^8 games
_DIGITS = 9


@dataclass(frozen=True)
class NashAverage:
    """Weights and scores of agents."""

    weight: Estimate  # each agent's weight in the equilibrium; weights sum to 1
    # share of games won against the equilibrium: 1/2 with a weight; else at most 1/2, of `n` games against such agents
    score: Estimate


def nash_average(ahead: Array, met: Array, deals: int) -> NashAverage | None:
    """Return weights and scores with their intervals; None if two agents never met.

    Weights are discontinuous where one agent overtakes another, and scores have a kink there. Intervals therefore
    exist only if it is certain which agents have a weight: every weight is significantly above 0 and every other
    agent's score significantly below 1/2, all simultaneously (Bonferroni). Scores against a single agent are shares,
    with the interval of shares. Weights of several agents, and scores against them, have +- t se from the
    delete-one-chunk jackknife. There are no values with several equilibria, or if a score is of under 30 games or the
    program fails.

    `ahead` is the number of games that i won against j (a tie counts half), `met` that of their games: [C, F, F] each;
    `deals` is the number of deals.
    """
    total_ahead, total_met = ahead.sum(axis=0), met.sum(axis=0)
    agents = len(total_met)
    others = ~np.eye(agents, dtype=bool)
    if (total_met[others] == 0).any():
        return None
    games = total_met.sum(axis=1) - total_met.diagonal()
    missing = np.full((2, agents), np.nan)
    try:
        solution = averaged(total_ahead, total_met)
    except ArithmeticError:
        no_scores = Estimate(missing[0], missing[0], missing[0], games)
        return NashAverage(no_scores, no_scores)
    weighty = solution[0] > 0
    games_of_score = np.where(weighty, games, (total_met * weighty).sum(axis=1))
    if min(games.min(), games_of_score.min()) < MIN_EVENTS:
        solution = missing
    met_without_chunk = total_met - met
    low, high = missing, missing
    if len(ahead) >= 2 and (met_without_chunk[:, others] > 0).all() and not np.isnan(solution).any():
        low, high = _intervals(ahead, met, solution, deals)
    return NashAverage(
        Estimate(solution[0], low[0], high[0], games), Estimate(solution[1], low[1], high[1], games_of_score)
    )


def _intervals(ahead: Array, met: Array, solution: Array, deals: int) -> tuple[Array, Array]:
    """Return low and high of weights and scores, float64[2, F] each; NaN if the agents with a weight are uncertain."""
    missing = np.full(solution.shape, np.nan)
    weighty = solution[0] > 0
    total_ahead, total_met = ahead.sum(axis=0), met.sum(axis=0)
    try:
        leave_one_out_values = np.array(
            [averaged(total_ahead - ahead[c], total_met - met[c]) for c in range(len(ahead))]
        )
    except ArithmeticError:
        return missing, missing
    error = jackknife(leave_one_out_values)
    margin = t_quantile(len(ahead) - 1, len(solution[0])) * error
    significant = np.where(weighty, solution[0] > margin[0], solution[1] + margin[1] < 0.5)
    half_width = t_quantile(len(ahead) - 1) * error
    low, high = np.maximum(solution - half_width, 0.0), np.minimum(solution + half_width, 1.0)
    best = np.flatnonzero(weighty)
    if len(best) == 1:
        for i in np.flatnonzero(~weighty):
            _, low[1, i], high[1, i] = share_interval(ahead[:, i, best[0]], met[:, i, best[0]], deals=deals)
            significant[i] &= high[1, i] < 0.5
    return (low, high) if significant.all() else (missing, missing)


def averaged(ahead: Array, met: Array) -> Array:
    """Return weights and scores, float64[2, F], from numbers of games won and met, [F, F] each."""
    share = ahead / np.where(met == 0, 1, met)
    payoff = (share - share.T) / 2  # exactly antisymmetric, and 0 against itself
    weight = equilibrium(payoff)
    return np.stack([weight, np.round(0.5 + payoff @ weight, _DIGITS)])


def equilibrium(payoff: Array) -> Array:
    """Return the Nash equilibrium, float64[F], of an antisymmetric payoff matrix float64[F, F].

    Copies count as one agent and share its weight. A linear program finds every agent that has a weight in some
    equilibrium. Each of these has payoff 0 against any equilibrium, so equilibria are in the null space of the payoffs
    among them.

    Raises:
        ArithmeticError: there is more than one equilibrium, or the program fails.
    """
    _, first, member, copies = np.unique(
        np.round(payoff, _DIGITS), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    payoff = payoff[np.ix_(first, first)]
    support = _support(payoff)
    inner = payoff[np.ix_(support, support)]
    *_, sizes, directions = np.linalg.svd(inner)
    free = directions[sizes <= _CLOSE * len(support)]  # basis of the null space, float64[K, S]
    if len(free) != 1:
        raise ArithmeticError("more than one mixture of agents is unbeaten")
    mixture = np.abs(free[0])
    weight = np.zeros(len(payoff))
    weight[support] = mixture / mixture.sum()
    return np.asarray(np.round((weight / copies)[member.ravel()], _DIGITS))


def _support(payoff: Array) -> Array:
    """Return the agents with a weight in some equilibrium, int64[S].

    The weights of a mixture need not sum to 1 here, so that those of all these agents can be at least 1: the program
    maximizes the number of such weights.
    """
    from scipy.optimize import linprog

    size = len(payoff)
    identity, zeros = np.eye(size), np.zeros((size, size))
    result = linprog(  # maximize sum t over q and t: q >= t, payoff q <= 0, 0 <= t <= 1
        np.append(np.zeros(size), -np.ones(size)),
        A_ub=np.block([[payoff, zeros], [-identity, identity]]),
        b_ub=np.zeros(2 * size),
        bounds=[(0, None)] * size + [(0, 1)] * size,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.status != 0:
        raise ArithmeticError(f"the linear program of an equilibrium failed: {result.message}")
    return np.flatnonzero(result.x[size:] > 0.5)
