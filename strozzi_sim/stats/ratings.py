"""Ratings of agents, with intervals: Plackett-Luce strengths and ranks from finishing orders, and Nash averaging.

docs/tournaments.md describes both. Strengths are the maximum likelihood of the model of Plackett (1975) and Luce
(1959), found by Newton's method from the sets that remained (simulation.finishing_orders), which is equivalent to
fitting the full orders. All sums are in one fixed order by NumPy alone, without BLAS, so that the bits do not depend on
threads.

The library choix fits the same model, and tests compare with it. It takes whole orders without weights, so orders
cannot be counted first, nor ties shared out. For 8 agents at 4 seats, 140,000 orders and 200 chunks a first fit of its
I-LSR took 2.7 s and a warm start 1.7 s, so that the jackknife would take 5.6 minutes; here it takes 0.1 s.

Nash averaging is for two players: the payoff of a pair of agents is the share of games won minus one half, an
antisymmetric matrix (Balduzzi, Tuyls, Perolat, Graepel 2018, "Re-evaluating evaluation"). The paper takes log odds as
payoffs; shares are finite even where an agent won every game.

Axes: C chunks, F agents, K sets, N places in a set.
"""

from dataclasses import dataclass

import numpy as np

from strozzi_sim.stats.intervals import MIN_EVENTS, Array, Estimate, jackknife, share_interval, t_quantile

PRIOR = 0.01  # tied games added for every two agents
_STEPS = 200  # most steps of Newton's method
_LONGEST = 2.0  # the longest step
_TOLERANCE = 1e-11  # length of a step that ends it
_NEAR, _SHRINKS = 1e-4, 0.5  # a step shorter than the first that does not shrink by the second is rounding noise
_CLOSE = 1e-9  # a singular value up to this per agent is 0: payoffs are shares of at most some 10^8 games
_DIGITS = 9  # decimals of results


@dataclass(frozen=True)
class Orders:
    """Finishing orders of F agents, by chunk."""

    chosen: Array  # float64[C, F], number of times an agent was placed before all others that remained
    members: Array  # int64[K, N], the agents of each set that remained, padded with F
    counts: Array  # float64[C, K], number of times the set remained
    ahead: Array  # float64[C, F, F], number of games that i finished ahead of j; a tie counts half


@dataclass(frozen=True)
class Ratings:
    """Strengths and ranks of F agents."""

    strength: Estimate  # log strength, mean 0
    rank: Estimate  # 1 is best; `low` and `high` contain the true rank with 95 % confidence, agent by agent
    # whether every agent finished ahead of every other at least once, directly or through others; if not, the
    # best-fitting strengths are infinite, and the returned ones depend on the prior and have no interval
    connected: bool
    converged: bool = True  # if not, strengths and ranks have no values


def fit_ratings(orders: Orders, games: Array, same: Array | None = None) -> Ratings:
    """Return strengths and ranks with delete-one-chunk jackknife intervals; NaN if an agent has under 30 games.

    Two agents differ if their difference of strengths is significant, Bonferroni over the others. An agent's rank is
    between 1 + the number of significantly stronger agents and the number of agents - the number of significantly
    weaker ones (Mogstad, Romano, Shaikh and Wilhelm 2024). `games`, int64[F], are the games of each agent; `same`,
    int64[F], is equal for copies of one agent, which count as one agent in ranks (default: all differ).
    """
    agents = orders.chosen.shape[1]
    same = np.arange(agents) if same is None else same
    members, chosen, counts = _with_prior(orders)
    chunks = len(chosen) - 1  # the last is the prior
    missing = np.full(agents, np.nan)
    no_ratings = Estimate(missing, missing, missing, games)
    connected = _is_connected(orders.ahead.sum(axis=0))
    sums = chosen.sum(axis=0), counts.sum(axis=0)
    try:
        value = plackett_luce(members, *sums)
    except ArithmeticError:
        return Ratings(no_ratings, no_ratings, connected, converged=False)
    if games.min() < MIN_EVENTS:
        return Ratings(no_ratings, no_ratings, connected)
    try:
        fits = [plackett_luce(members, sums[0] - chosen[c], sums[1] - counts[c], start=value) for c in range(chunks)]
    except ArithmeticError:
        fits = []  # no intervals then
    if len(fits) < 2:
        return Ratings(Estimate(value, missing, missing, games), _ranks(value, None, games, same), connected)
    leave_one_out_values = np.array(fits)
    half_width = t_quantile(chunks - 1) * jackknife(leave_one_out_values)
    low, high = (value - half_width, value + half_width) if connected else (missing, missing)
    return Ratings(Estimate(value, low, high, games), _ranks(value, leave_one_out_values, games, same), connected)


def _with_prior(orders: Orders) -> tuple[Array, Array, Array]:
    """Return members, chosen and counts with the prior: one more chunk, and a further set for every two agents."""
    agents = orders.chosen.shape[1]
    pairs = np.array([(i, j) for j in range(agents) for i in range(j)]).reshape(-1, 2)
    spare = np.full((len(pairs), orders.members.shape[1] - 2), agents)
    members = np.concatenate([orders.members, np.concatenate([pairs, spare], axis=1)])
    chosen = np.concatenate([orders.chosen, np.full((1, agents), PRIOR * (agents - 1) / 2)])
    counts = np.zeros((len(chosen), len(members)))
    counts[:-1, : orders.counts.shape[1]] = orders.counts
    counts[-1, orders.counts.shape[1] :] = PRIOR
    return members, chosen, counts


def plackett_luce(members: Array, chosen: Array, counts: Array, start: Array | None = None) -> Array:
    """Return the maximum-likelihood strengths, float64[F] with mean 0, from the sums of `Orders` over chunks.

    Newton's method begins at `start`, by default 0. Raises ArithmeticError if it does not converge: without a prior,
    some agents were never beaten by the others.
    """
    agents = len(chosen)
    strength = np.zeros(agents) if start is None else start.copy()
    corner = (members[:, :, None] * (agents + 1) + members[:, None, :]).ravel()
    size = agents + 1

    def likelihood(strengths: Array) -> tuple[float, Array]:
        weights = np.append(np.exp(strengths - strengths.max()), 0.0)[members]
        total = weights.sum(axis=1)
        log_likelihood = (chosen * strengths).sum() - (counts * (np.log(total) + strengths.max())).sum()
        return float(log_likelihood), weights / total[:, None]

    current, shares = likelihood(strength)
    previous_step = np.inf
    for _ in range(_STEPS):
        weighted = counts[:, None] * shares
        expected = np.bincount(members.ravel(), weighted.ravel(), minlength=size)[:agents]
        both = np.bincount(corner, (weighted[:, :, None] * shares[:, None, :]).ravel(), minlength=size * size)
        curvature = np.diag(expected) - both.reshape(size, size)[:agents, :agents]
        step = _solve(curvature + curvature.trace() / agents**2, chosen - expected)
        step *= min(1.0, _LONGEST / max(np.abs(step).max(), _TOLERANCE))
        longest = float(np.abs(step).max())
        # Newton's steps shrink by far more than half near the end; those that do not are rounding noise, which
        # depends on the number of games and is larger if an agent hardly ever wins.
        if longest < _TOLERANCE or _SHRINKS * previous_step < longest < _NEAR:
            strength = strength + step
            rounded: Array = np.round(strength - strength.mean(), _DIGITS)
            return np.asarray(rounded + 0.0)  # equal agents become exactly equal, and -0.0 becomes 0.0
        while True:
            next_likelihood, shares = likelihood(strength + step)
            if next_likelihood >= current - 1e-9 * abs(current) or not np.abs(step).max() > _TOLERANCE:
                break
            step /= 2
        strength, current, previous_step = strength + step, next_likelihood, longest
    raise ArithmeticError("the fit of strengths does not converge: some agents were never beaten by the others")


def _solve(matrix: Array, right: Array) -> Array:
    """Return the solution of a positive definite system, by elimination in a fixed order."""
    matrix, right = matrix.copy(), right.copy()
    size = len(right)
    for k in range(size):
        factor = matrix[k + 1 :, k] / matrix[k, k]
        matrix[k + 1 :, k:] -= factor[:, None] * matrix[k, k:]
        right[k + 1 :] -= factor * right[k]
    for k in range(size - 1, -1, -1):
        right[k] = (right[k] - (matrix[k, k + 1 :] * right[k + 1 :]).sum()) / matrix[k, k]
    return right


def _ranks(value: Array, leave_one_out_values: Array | None, games: Array, same: Array) -> Estimate:
    groups = np.unique(same)
    best = np.array([value[same == group].max() for group in groups])
    rank = np.array([1 + ((best > value[i]) & (groups != same[i])).sum() for i in range(len(value))], np.float64)
    if leave_one_out_values is None:
        return Estimate(rank, np.full(len(value), np.nan), np.full(len(value), np.nan), games)
    gap = value[None, :] - value[:, None]  # [i, j] strength of j minus strength of i
    error = jackknife(leave_one_out_values[:, None, :] - leave_one_out_values[:, :, None])
    half_width = t_quantile(len(leave_one_out_values) - 1, max(len(groups) - 1, 1)) * error

    def groups_of(ahead: Array) -> Array:
        """Return for every agent i the number of other groups with a member j for which ahead[i, j] is true."""
        other = ahead & (same[:, None] != same[None, :])
        return np.array([sum(bool(row[same == group].any()) for group in groups) for row in other])

    low = 1.0 + groups_of(gap > half_width)
    high = len(groups) - 1.0 * groups_of(gap < -half_width)
    return Estimate(rank, np.minimum(low, rank), np.maximum(high, rank), games)


def _is_connected(ahead: Array) -> bool:
    """Return whether a path of "finished ahead at least once" leads from every agent to every other."""
    reached = (ahead > 0) | np.eye(len(ahead), dtype=bool)
    for k in range(len(ahead)):
        reached |= reached[:, k, None] & reached[None, k, :]
    return bool(reached.all())


@dataclass(frozen=True)
class NashAverage:
    """Weights and scores of agents."""

    weight: Estimate  # each agent's weight in the equilibrium; weights sum to 1
    # share of games won against the equilibrium: 1/2 with a weight; else at most 1/2, of `n` games against such agents
    score: Estimate


def nash_average(ahead: Array, met: Array, deals: int) -> NashAverage | None:
    """Return weights and scores with their intervals; None if two agents never met.

    Weights are discontinuous where one agent overtakes another, and scores have a kink there. Intervals therefore exist
    only if it is certain which agents have a weight: every weight is significantly above 0 and every other agent's
    score significantly below 1/2, all simultaneously (Bonferroni). Scores against a single agent are shares, with the
    interval of shares. Weights of several agents, and scores against them, have +- t se from the delete-one-chunk
    jackknife. There are no values with several equilibria, or if a score is of under 30 games or the program fails.

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
    weight = Estimate(solution[0], low[0], high[0], games)
    return NashAverage(weight, Estimate(solution[1], low[1], high[1], games_of_score))


def _intervals(ahead: Array, met: Array, solution: Array, deals: int) -> tuple[Array, Array]:
    """Return low and high of weights and scores, float64[2, F] each; NaN if the agents with a weight are uncertain."""
    missing = np.full(solution.shape, np.nan)
    weighty = solution[0] > 0
    total_ahead, total_met = ahead.sum(axis=0), met.sum(axis=0)
    try:
        chunks = range(len(ahead))
        leave_one_out_values = np.array([averaged(total_ahead - ahead[c], total_met - met[c]) for c in chunks])
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
    among them. Raises ArithmeticError if there is more than one equilibrium, or the program fails.
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
