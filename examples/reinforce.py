"""REINFORCE (Williams 1992) with a linear policy in NumPy: in a few seconds it learns to beat `random` at Strozzi.

Run it with `python examples/reinforce.py`.
"""

import numpy as np

import strozzi_sim as ss

GAME, PLAYERS, OPPONENTS = "strozzi", 4, "random"
CARD = ("sail", "cargo", "scrolls", "promotion")
READ = ("phase", "deck", "holder_flag", *CARD, "seats.flags", "seats.coins", "display")
FAIR = 1 / PLAYERS  # share of wins of a player as good as the others


def features(env, observations):
    """Return the inputs of the policy, float32[n, D]: slices by name, and a constant 1."""
    parts = [env.slices[name].of(observations).reshape(len(observations), -1) for name in READ]
    return np.concatenate([*parts, np.ones((len(observations), 1), np.float32)], axis=1)


def chances(weights, x, masks):
    """Return the probability of every action, float[n, A]: a softmax over the legal actions."""
    scores = np.where(masks, x @ weights, -np.inf)
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    return likely / likely.sum(axis=1, keepdims=True)


def choose(p, words):
    """Draw an action for every game, int[n], with the 64 random bits of each decision."""
    points = (words >> np.uint64(11)) * 2.0**-53  # in [0, 1)
    return (p.cumsum(axis=1) <= points[:, None] * p.sum(axis=1, keepdims=True)).sum(axis=1)


def learn(updates=80, games=512, steps=64, rate=20.0, seed=0):
    """Return weights [D, A] after `updates` updates, and the mean lead over the others in each update, in coins."""
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
            slopes.append((x, np.eye(env.num_actions)[actions] - p))  # x.T @ second is the gradient of log p
            results[k], done[k] = step.rewards[each, seats], step.done
        for k in reversed(range(steps - 1)):  # the result of a decision is that of its game,
            results[k] = np.where(done[k], results[k], results[k + 1])
        finished = np.logical_or.accumulate(done[::-1])[::-1]  # if that has ended
        leads.append(results[finished].mean())
        worth = finished * (results - leads[-1]) / results[finished].std()
        weights += (
            rate * sum(x.T @ (toward * worth[k][:, None]) for k, (x, toward) in enumerate(slopes)) / finished.size
        )
    return weights, leads


def win_share(weights, games=2048, seed=1):
    """Return (share of wins, half-width of its 95 % interval) in the first game of every slot, with another seed."""
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
