"""PPO (Schulman et al. 2017) in PyTorch: learns Strozzi against a pool of agents, or against itself, and plays it by name.

`learn(opponents=None)` lets one network play all seats, with snapshots of itself at one seat in half of the games. It is saved as dense
layers for the agent `network`: alone, as prior and as value of a search. Run it with `python examples/ppo.py [FILE] [DECISIONS]`;
it needs PyTorch. One thread is best where other programs run: `OMP_NUM_THREADS=1`.
"""

import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import strozzi_sim as ss
from strozzi_sim.agent.weights import write_networks

GAME, PLAYERS, FAR = "strozzi", 4, -1e9  # FAR: the logit of an illegal action
POINTS = 50  # a lead in points is divided by this
POOL = [["heuristic"], ["heuristic", "greedy"], ["random"]]  # line-ups of opponents, one drawn for each game
CLIP, ENTROPY, LARGEST, LAMBDA = 0.2, 0.003, 0.5, 0.95  # of the ratio, weight of the entropy, norm of gradients, of GAE


class Policy(torch.nn.Sequential):
    """Dense layers of the observation: a logit for each action, the logit of the share of the win, and the final lead."""

    def __init__(self, hidden=128):
        game = ss.load_game(GAME)
        super().__init__(
            torch.nn.Linear(game.observation_size, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, hidden),
            torch.nn.ReLU(), torch.nn.Linear(hidden, game.actions + 2),
        )  # fmt: skip
        with torch.no_grad():  # at first all actions are as likely
            self[-1].weight *= 0.01

    def judge(self, observations, masks):
        """Return log probabilities of the actions [b, A], logits of the share of the win [b], and final leads [b]."""
        out = self(observations)
        return out[:, :-2].masked_fill(~masks, FAR).log_softmax(1), out[:, -2], out[:, -1]

    def save(self, file):
        """Write the layers as a file for `network:weights=FILE`, which takes one value, the logit of the share of the win."""
        linear = [layer for layer in self if isinstance(layer, torch.nn.Linear)]
        layers = [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy()) for layer in linear]
        layers[-1] = (layers[-1][0][:, :-1].copy(), layers[-1][1][:-1].copy())
        write_networks(Path(file), {PLAYERS: layers})


def drawn(log_probabilities, random_bits):
    """Return an action for each row, drawn with the 64 random bits of its decision."""
    points = torch.from_numpy((random_bits >> np.uint64(40)).astype(np.float32) * 2.0**-24)
    sums = log_probabilities.exp().cumsum(1)
    return (sums <= points[:, None] * sums[:, -1:]).sum(1)


class Rollout:
    """Decisions [T, n] of all seats, with what came of them."""

    def __init__(self, env, steps):
        n, (size,) = env.num_envs, env.observation_shape
        self.observations, self.masks = torch.empty(steps, n, size), torch.empty(steps, n, env.num_actions, dtype=bool)
        self.others, self.seats = torch.empty(steps, n, size), np.empty((steps, n), np.int64)  # what another seat knows
        self.other_seats = np.empty((steps, n), np.int64)
        self.actions, self.logs = torch.empty(steps, n, dtype=torch.int64), torch.empty(steps, n)
        self.values, self.rewards = np.empty((steps, n), np.float32), np.empty((steps, n, env.players), np.float32)
        self.done, self.mine, self.wins = (
            np.empty((steps, n), bool),
            np.empty((steps, n), bool),
            np.zeros_like(self.rewards),
        )

    def play(self, env, step, policy, rival, rivals):
        """Fill it from `env`; the seats `rivals` [n, P] are played by `rival`. Return the last step."""
        each = np.arange(env.num_envs)
        for t in range(len(self.done)):
            self.observations[t], self.masks[t] = torch.from_numpy(step.observations), torch.from_numpy(step.masks)
            self.seats[t], self.mine[t] = step.seats, ~rivals[each, step.seats]
            self.other_seats[t] = (step.seats + 1 + step.info.random_bits % np.uint64(env.players - 1)) % env.players
            self.others[t] = torch.from_numpy(env.observe(self.other_seats[t]))
            with torch.no_grad():
                logs, _, leads = policy.judge(self.observations[t], self.masks[t])
                if not self.mine[t].all():
                    theirs = torch.from_numpy(~self.mine[t])
                    logs[theirs] = rival.judge(self.observations[t][theirs], self.masks[t][theirs])[0]
            self.actions[t] = drawn(logs, step.info.random_bits)
            self.logs[t] = logs.gather(1, self.actions[t][:, None])[:, 0]
            self.values[t] = leads
            step = env.step(self.actions[t].numpy())
            self.rewards[t], self.done[t] = step.rewards / POINTS, step.done
            self.wins[t][step.info.finished] = step.info.final_wins
        return step

    def judged(self):
        """Return what came of the decisions, arrays [T, n].

        These are advantages, targets of the lead, weights (0: not judged), shares of the win of the acting seats and of others,
        and whether the game has ended.
        """
        steps, n = self.done.shape
        each, players = np.arange(n), self.rewards.shape[2]
        advantages, targets, own, others = (np.zeros((steps, n), np.float32) for _ in range(4))
        weights, over = np.zeros((steps, n), bool), np.zeros((steps, n), bool)
        value, later, wins = (np.zeros((n, players), np.float32) for _ in range(3))
        known, ended = np.zeros((n, players), bool), np.zeros(n, bool)
        for t in reversed(range(steps)):
            done, seats = self.done[t], self.seats[t]
            value[done], wins[done] = self.rewards[t][done], self.wins[t][done]  # rewards come at the end of a game
            later[done], known[done], ended[done] = 0, True, True
            gain = value[each, seats] - self.values[t] + LAMBDA * later[each, seats]  # GAE, by seat
            advantages[t], targets[t] = gain, self.values[t] + gain
            weights[t] = self.mine[t] & known[each, seats]  # the last decision of a seat has no judgement yet
            value[each, seats], later[each, seats], known[each, seats] = self.values[t], gain, True
            own[t], others[t], over[t] = wins[each, seats], wins[each, self.other_seats[t]], ended
        advantages = (advantages - advantages[weights].mean()) / (advantages[weights].std() + 1e-8)
        return [torch.from_numpy(part) for part in (advantages, targets, weights.astype(np.float32), own, others, over)]


def update(policy, optimizer, rollout, judged, epochs, block):
    """Make one update of PPO, with batches of so many steps of all games, which need no copy; return the mean entropy in nats."""
    advantages, targets, weights, own, others, over = judged
    entropies, wins_loss = [], functional.binary_cross_entropy_with_logits
    for first in block * np.concatenate([torch.randperm(len(weights) // block).numpy() for _ in range(epochs)]):
        rows = slice(first, first + block)
        observations, masks, actions, before = (
            part[rows].flatten(0, 1) for part in (rollout.observations, rollout.masks, rollout.actions, rollout.logs)
        )
        advantage, target, weight, result, ended = (
            part[rows].flatten() for part in (advantages, targets, weights, own, over)
        )
        logs, wins, leads = policy.judge(observations, masks)
        ratio = (logs.gather(1, actions[:, None])[:, 0] - before).clamp(max=10).exp()
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
        entropy = -(logs.exp() * logs).sum(1)
        losses = functional.smooth_l1_loss(leads, target, reduction="none") - gain - ENTROPY * entropy
        loss = (losses * weight).sum() / weight.sum().clamp(min=1)
        if ended.any():  # a value is asked for every seat, whoever decides
            loss = loss + wins_loss(wins[ended], result[ended])
            some = over[first]
            if some.any():
                asked = policy(rollout.others[first][some])[:, -2]
                loss = loss + wins_loss(asked, others[first][some]) / block
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(policy.parameters(), LARGEST)
        if not torch.isfinite(norm):
            raise FloatingPointError("a gradient is no finite number")
        optimizer.step()
        entropies.append(float(entropy.detach().mean()))
    return np.mean(entropies)


def learn(steps=3_000_000, games=512, horizon=64, epochs=1, block=1, opponents=POOL, seed=0, tell=lambda words: None):
    """Return a policy that has learned from so many decisions, and the seconds spent in playing, judging and learning."""
    torch.manual_seed(seed)
    env, policy, rival = ss.VectorEnv(GAME, PLAYERS, games, opponents, reward="lead"), Policy(), Policy()
    step, rollout, spent = env.reset(seed), Rollout(env, horizon), np.zeros(3)
    optimizer, updates = torch.optim.Adam(policy.parameters(), 1e-3), max(1, steps // (games * horizon))
    rivals = np.zeros((games, PLAYERS), bool)
    for number in range(updates):
        if opponents is None and number % 10 == 0:  # a snapshot plays one seat in half of the games
            rival.load_state_dict(policy.state_dict())
            rivals[::2] = np.arange(PLAYERS) == number // 10 % PLAYERS
        optimizer.param_groups[0]["lr"] = 1e-3 * (1 - number / updates)
        began = time.perf_counter()
        step = rollout.play(env, step, policy, rival, rivals)
        played = time.perf_counter()
        rows = rollout.judged()
        judged = time.perf_counter()
        entropy = update(policy, optimizer, rollout, rows, epochs, block)
        spent += (played - began, judged - played, time.perf_counter() - judged)
        if number % 10 == 9:
            rate = (number + 1) * games * horizon / spent.sum()
            tell(f"{(number + 1) * games * horizon:>12,} decisions, {rate:,.0f} per second, entropy {entropy:.2f}")
    return policy, spent


def win_share(file, opponents, deals=500):
    """Return (share of wins, low, high) of the network in a file at one seat against one kind of opponents."""
    agents = [f"network:weights={file}"] + [opponents] * (PLAYERS - 1)
    table = ss.simulate(GAME, players=PLAYERS, agents=agents, deals=deals, seed=9).tables["lineup"]
    row = table[(table["figure"] == "win_share") & (table["position"] == 0)].iloc[0]
    return row["value"], row["low"], row["high"]


if __name__ == "__main__":
    out, number = (*sys.argv[1:], *("ppo.npz", "3000000")[len(sys.argv) - 1 :])
    policy, (playing, judging, learning) = learn(int(number), tell=print)
    policy.save(out)
    print(f"seconds: {playing:.0f} playing, {judging:.0f} judging, {learning:.0f} learning")
    for opponents in ("random", "greedy", "heuristic"):
        share, low, high = win_share(out, opponents)
        print(f"wins {100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f}) against three {opponents}")
    mine, search = f"network:weights={out}", "ismcts:iterations=100,rollout=heuristic"
    agents = ["heuristic", mine, search, f"{search},prior=({mine})", f"{search},utility=win,evaluate=({mine})"]
    table = ss.tournament(GAME, agents, players=PLAYERS, deals=10).tables["ratings"]
    print(table.loc[table["figure"] == "strength", ["agent", "value", "low", "high"]].to_string(index=False))
