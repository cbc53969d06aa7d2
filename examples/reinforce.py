"""REINFORCE (Williams 1992) with a linear policy in NumPy: in some seconds it learns to beat `random` at Strozzi.

Run it with `python examples/reinforce.py`.
"""

import numpy as np

import strozzi_sim as ss

GAME, PLAYERS, OPPONENTS = "strozzi", 4, "random"
CARD = ("sail", "cargo", "scrolls", "promotion")
READ = ("phase", "deck", "holder_flag", *CARD, "seats.flags", "seats.coins", "display")
FAIR = 1 / PLAYERS  # the share of wins of a player who is no better than the others


def features(env, observations):
    """What the policy reads, float32[n, D]: slices by name, and a constant 1."""
    parts = [env.slices[name].of(observations).reshape(len(observations), -1) for name in READ]
    return np.concatenate([*parts, np.ones((len(observations), 1), np.float32)], axis=1)


def chances(weights, x, masks):
    """The chance of every action, float[n, A]: a softmax over the legal ones."""
    scores = np.where(masks, x @ weights, -np.inf)
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    return likely / likely.sum(axis=1, keepdims=True)


def choose(p, words):
    """An action for every game, int[n], drawn by the 64 random bits that come with each decision."""
    points = (words >> np.uint64(11)) * 2.0**-53  # in [0, 1)
    return (p.cumsum(axis=1) <= points[:, None] * p.sum(axis=1, keepdims=True)).sum(axis=1)


def learn(updates=80, games=512, steps=64, rate=20.0, seed=0):
    """Weights [D, A] after so many updates, and of each update the mean lead over the others, in coins."""
    env = ss.VectorEnv(GAME, PLAYERS, games, OPPONENTS, reward="lead")
    step, each = env.reset(seed), np.arange(games)
    weights, leads = np.zeros((features(env, step.observations).shape[1], env.num_actions)), []
    for _ in range(updates):
        slopes, results, done = [], np.zeros((steps, games)), np.zeros((steps, games), bool)
        for k in range(steps):
            x = features(env, step.observations)
            p = chances(weights, x, step.masks)
            actions, seats = choose(p, step.info.random_bits), step.seats
            step = env.step(actions)
            slopes.append((x, np.eye(env.num_actions)[actions] - p))  # x.T @ that is the slope of log p
            results[k], done[k] = step.rewards[each, seats], step.done
        for k in reversed(range(steps - 1)):  # what a decision led to is the end of its game,
            results[k] = np.where(done[k], results[k], results[k + 1])
        told = np.logical_or.accumulate(done[::-1])[::-1]  # if that has come
        leads.append(results[told].mean())
        worth = told * (results - leads[-1]) / results[told].std()
        weights += rate * sum(x.T @ (toward * worth[k][:, None]) for k, (x, toward) in enumerate(slopes)) / told.size
    return weights, leads


def win_share(weights, games=2048, seed=1):
    """(share of wins, half the width of its 95 % interval) in games of another seed: the first one of every slot."""
    env = ss.VectorEnv(GAME, PLAYERS, games, OPPONENTS, reward="win")
    step, wins, over = env.reset(seed), np.zeros(games), np.zeros(games, bool)
    while not over.all():
        seats = step.seats
        step = env.step(choose(chances(weights, features(env, step.observations), step.masks), step.info.random_bits))
        ended = step.done & ~over
        wins[ended] = step.rewards[ended, seats[ended]]
        over |= ended
    return wins.mean(), 1.96 * wins.std() / np.sqrt(games)


if __name__ == "__main__":
    learned, _ = learn()
    share, half_width = win_share(learned)
    print(f"wins {100 * share:.1f} +- {100 * half_width:.1f} % against {OPPONENTS} (fair: {100 * FAIR:.1f} %)")
