"""Learn a policy with values for Strozzi in PyTorch, and play it by name: alone, as a prior and as a value of a search.

First it imitates `heuristic`, then it improves on the results of its own games (actor-critic, Mnih et al. 2016) against
a pool of opponents. Run it with `python examples/learn_policy.py [FILE]`; it needs PyTorch.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, mse_loss

import strozzi_sim as ss
from strozzi_sim.agent.weights import write_networks

GAME, PLAYERS, TEACHER = "strozzi", 4, "heuristic"
SCORE, LEAD, WIN = range(3)  # outputs after the actions: score and lead to come in points, logit of a win
POINTS = 20.0  # a usual error of points, by which their loss is divided
COINS = 300  # what a coin is divided by in an observation


def network(hidden=192):
    """Return a network of the observation: a logit for each action, and the three values."""
    game = ss.load_game(GAME)
    layers = torch.nn.Linear(game.observation_size, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, game.actions + 3)
    return torch.nn.Sequential(*layers)


def save(policy, file):
    """Write the network as a file for the agent `network`."""
    linear = [layer for layer in policy if isinstance(layer, torch.nn.Linear)]
    layers = [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy()) for layer in linear]
    write_networks(Path(file), {PLAYERS: layers})


def taught(games, every=4):
    """Return the teacher's decisions (observations, masks, actions), and what positions were worth to all seats (observations, worth)."""
    decisions, seen, worth = [], [], []
    for deal in range(games):
        table, at = ss.Position(GAME, players=PLAYERS, seed=1, deal=deal), []
        while not table.over:
            action = table.ask(TEACHER)
            decisions.append((table.observation(), table.mask, action))
            if len(decisions) % every == 0:  # a network that evaluates is asked for every seat, whoever decides
                at.append(np.array(table.scores, float))
                seen += [table.observation(seat) for seat in range(PLAYERS)]
            table.play(action)
        shares = np.array(table.places) == 1
        for scores in at:
            more = table.scores - scores
            worth += np.stack(
                [more, (PLAYERS * more - more.sum()) / (PLAYERS - 1), shares / shares.sum()], axis=1
            ).tolist()
    rows = (np.array(part) for part in (*zip(*decisions, strict=True), seen, worth))
    return [torch.from_numpy(part.astype(np.float32) if part.dtype == np.float64 else part) for part in rows]


def logits_and_values(policy, observations, masks=None):
    """Return the logits of the actions, without illegal ones if masks are given, and the values."""
    logits, values = policy(observations).split([ss.load_game(GAME).actions, 3], dim=1)
    return (logits if masks is None else logits.masked_fill(~masks, -1e9)), values


def value_loss(values, worth):
    """Return the loss of all three values."""
    return mse_loss(values[:, :WIN] / POINTS, worth[:, :WIN] / POINTS) + binary_cross_entropy_with_logits(
        values[:, WIN], worth[:, WIN]
    )


def imitate(policy, games=600, epochs=12, batch=256):
    """Fit the policy to the teacher's decisions and the values to its results; return the share of equal choices."""
    observations, masks, actions, seen, worth = taught(games)
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    for _ in range(epochs):
        for rows, others in zip(
            torch.randperm(len(actions)).split(batch), torch.randperm(len(seen)).split(batch), strict=False
        ):
            logits, _ = logits_and_values(policy, observations[rows], masks[rows])
            loss = cross_entropy(logits, actions[rows]) + value_loss(
                logits_and_values(policy, seen[others])[1], worth[others]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return float((logits_and_values(policy, observations, masks)[0].argmax(dim=1) == actions).float().mean())


def lead_now(env, observations):
    """Return the lead of the acting seat over the mean of the others, in points."""
    coins = env.slices["seats.coins"].of(observations)[:, :PLAYERS] * COINS
    return coins[:, 0] - coins[:, 1:].mean(dim=1)


def improve(policy, file, updates=150, games=512, steps=64, rate=5e-4):
    """Improve the policy against the teacher and its own earlier self; return the mean lead in each update."""
    save(policy, file)
    env = ss.VectorEnv(GAME, PLAYERS, games, [[TEACHER], [f"network:weights={file},temperature=1"]], reward="lead")
    step, each, optimizer, leads = env.reset(seed=2), np.arange(games), torch.optim.Adam(policy.parameters(), rate), []
    for _ in range(updates):
        rows, results, done = [], np.zeros((steps, games), np.float32), np.zeros((steps, games), bool)
        for k in range(steps):
            observations, masks = torch.from_numpy(step.observations), torch.from_numpy(step.masks)
            with torch.no_grad():
                actions = torch.distributions.Categorical(
                    logits=logits_and_values(policy, observations, masks)[0]
                ).sample()
            seats = step.seats
            rows.append((observations, masks, actions))
            step = env.step(actions.numpy())
            results[k], done[k] = step.rewards[each, seats], step.done
        for k in reversed(range(steps - 1)):  # the result of a decision is that of its game,
            results[k] = np.where(done[k], results[k], results[k + 1])
        over = torch.from_numpy(np.logical_or.accumulate(done[::-1])[::-1].copy()).flatten()  # if that has ended
        observations, masks, actions = (torch.cat(parts)[over] for parts in zip(*rows, strict=True))
        result = torch.from_numpy(results).flatten()[over] / POINTS
        for some in torch.randperm(len(actions)).split(2048):
            logits, values = logits_and_values(policy, observations[some], masks[some])
            expected = (lead_now(env, observations[some]) + values[:, LEAD]) / POINTS
            advantage = (result[some] - expected).detach()
            loss = -(advantage * torch.distributions.Categorical(logits=logits).log_prob(actions[some])).mean()
            loss = loss + mse_loss(expected, result[some])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        leads.append(float(results[done].mean()))
    return leads


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    out, learned = sys.argv[1] if len(sys.argv) > 1 else "policy.npz", network()
    print(f"chooses as {TEACHER} in {100 * imitate(learned):.1f} % of its decisions")
    leads = improve(learned, out)
    print(f"mean lead {np.mean(leads[:5]):.1f} points at first, {np.mean(leads[-5:]):.1f} in the end")
    save(learned, out)
    search = "ismcts:iterations=100,rollout=heuristic"
    agents = [
        TEACHER,
        f"network:weights={out}",
        search,
        f"{search},prior=(network:weights={out})",
        f"{search},evaluate=(network:weights={out})",
    ]
    print(ss.tournament(GAME, agents, players=PLAYERS, deals=10).tables["ratings"].to_string(index=False))
