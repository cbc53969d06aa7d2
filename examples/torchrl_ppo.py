"""PPO of TorchRL learns Strozzi on VectorEnv, against three `random`.

Run it with `python examples/torchrl_ppo.py`; it needs `pip install torchrl`. Single environments need no code: TorchRL's `PettingZooWrapper` and
`GymEnv` take those of `strozzi_sim.adapters`.
"""

import sys

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import strozzi_sim as ss

GAME, PLAYERS, OPPONENTS = "strozzi", 4, "random"
STEPS, BATCH, EPOCHS = 64, 2048, 4  # of all games before an update; decisions of a gradient; passes over the decisions


class Games(EnvBase):
    """A VectorEnv as TorchRL takes environments that step many games at once, [n] of them."""

    def __init__(self, env):
        super().__init__(batch_size=[env.num_envs])
        self.env, self.each = env, np.arange(env.num_envs)
        n, (size,) = env.num_envs, env.observation_shape
        self.observation_spec = Composite(
            observation=Unbounded((n, size)),
            action_mask=Binary(shape=(n, env.num_actions), dtype=torch.bool),
            shape=(n,),
        )
        self.action_spec = Categorical(env.num_actions, (n,))
        self.reward_spec = Unbounded((n, 1))

    def _reset(self, tensordict=None, **kwargs):
        if tensordict is None or "_reset" not in tensordict:
            self.shown = self.env.reset(1)
        return self._seen(self.shown.observations)  # a game that ended has made room for the next one already

    def _step(self, tensordict):
        seats, self.shown = self.shown.seats, self.env.step(tensordict["action"].numpy())
        info, observations = self.shown.info, self.shown.observations.copy()
        observations[info.finished] = info.final_observations[np.arange(len(info.finished)), info.final_seats]
        seen = self._seen(observations)
        seen["reward"] = torch.from_numpy(self.shown.rewards[self.each, seats])[:, None].float()
        seen["done"] = seen["terminated"] = torch.from_numpy(self.shown.done)[:, None]
        return seen

    def _seen(self, observations):
        """Return observations and masks as TorchRL names them."""
        masks = torch.from_numpy(self.shown.masks)
        self.action_spec.update_mask(masks)  # for random actions
        return TensorDict({"observation": torch.from_numpy(observations), "action_mask": masks}, self.batch_size)

    def _set_seed(self, seed):
        """Do nothing: `VectorEnv.reset` takes the seed."""


def networks(env, hidden=128):
    """Return the policy, which draws legal actions alone, and the value."""

    def layers(outputs):
        return torch.nn.Sequential(
            torch.nn.Linear(*env.observation_shape, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, hidden),
            torch.nn.ReLU(), torch.nn.Linear(hidden, outputs),
        )  # fmt: skip

    policy = ProbabilisticActor(
        TensorDictModule(layers(env.num_actions), in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"}, distribution_class=MaskedCategorical, return_log_prob=True,
    )  # fmt: skip
    return policy, ValueOperator(layers(1), in_keys=["observation"])


def learn(steps=1_000_000, games=256):
    """Return a policy that has learned from so many decisions."""
    torch.manual_seed(0)
    env = ss.VectorEnv(GAME, PLAYERS, games, OPPONENTS, reward="win")
    arena, (policy, value) = Games(env), networks(env)
    loss = ClipPPOLoss(policy, value, entropy_coeff=0.005, normalize_advantage=True)
    judge, optimizer = GAE(gamma=1.0, lmbda=0.95, value_network=value), torch.optim.Adam(loss.parameters(), 1e-3)
    frames = games * STEPS
    collector = Collector(
        arena,
        policy,
        frames_per_batch=frames,
        total_frames=max(1, steps // frames) * frames,
        auto_register_policy_transforms=False,
    )
    for played in collector:
        with torch.no_grad():
            rows = judge(played).reshape(-1)
        for order in (torch.randperm(len(rows)) for _ in range(EPOCHS)):
            for some in order.split(BATCH):
                parts = loss(rows[some])
                optimizer.zero_grad()
                (parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]).backward()
                torch.nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
    collector.shutdown()
    return policy


def win_share(policy, games=2048, seed=2):
    """Return (share of wins, half-width of its 95 % interval) in the first game of every slot, with another seed."""
    env = ss.VectorEnv(GAME, PLAYERS, games, OPPONENTS, reward="win")
    step, wins, over = env.reset(seed), np.zeros(games), np.zeros(games, bool)
    while not over.all():
        parts = {"observation": torch.from_numpy(step.observations), "action_mask": torch.from_numpy(step.masks)}
        with torch.no_grad():
            actions = policy.get_dist(TensorDict(parts, [games])).mode
        seats, step = step.seats, env.step(actions.numpy())
        ended = step.done & ~over
        wins[ended] = step.rewards[ended, seats[ended]]
        over |= ended
    return wins.mean(), 1.96 * wins.std() / np.sqrt(games)


if __name__ == "__main__":
    share, half_width = win_share(learn(int(sys.argv[1])) if len(sys.argv) > 1 else learn())
    print(f"wins {100 * share:.1f} +- {100 * half_width:.1f} % against {OPPONENTS} (fair: {100 / PLAYERS:.1f} %)")
