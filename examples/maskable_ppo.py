"""MaskablePPO of Stable-Baselines3 learns Strozzi on VectorEnv: it wins more than nine games in ten against three `random`.

Run it with `python examples/maskable_ppo.py`; it needs `pip install sb3-contrib 'strozzi-sim[gymnasium]'`.
"""

import sys

import numpy as np
from gymnasium.spaces import Discrete
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv

import strozzi_sim as ss
from strozzi_sim.adapters.gymnasium import observation_box

GAME, PLAYERS, OPPONENTS = "strozzi", 4, "random"


class Games(VecEnv):
    """A VectorEnv as Stable-Baselines3 takes environments: the reward is the learner's, masks are asked for by name."""

    def __init__(self, env):
        self.env, self.each = env, np.arange(env.num_envs)
        super().__init__(env.num_envs, observation_box(env.game, env.variant), Discrete(env.num_actions))

    def reset(self):
        """Deal the first games of a seed, and return the observations [n, F]."""
        self.shown = self.env.reset(seed=1)
        return self.shown.observations

    def step_async(self, actions):
        """Keep the actions [n] for `step_wait`."""
        self.actions = actions

    def step_wait(self):
        """Return observations, rewards, ends and the last observation of every game that ended."""
        seats, self.shown = self.shown.seats, self.env.step(self.actions)
        info, infos = self.shown.info, [{} for _ in self.each]
        for row, slot in enumerate(info.finished):
            infos[slot]["terminal_observation"] = info.final_observations[row, info.final_seats[row]]
        return self.shown.observations, self.shown.rewards[self.each, seats], self.shown.done, infos

    def env_method(self, method_name, *args, indices=None, **kwargs):
        """Return the masks of all games, the only method that MaskablePPO calls."""
        assert method_name == "action_masks"
        return list(self.shown.masks)

    def has_attr(self, attr_name):
        """Return whether it is `action_masks`."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name, indices=None):
        """Return an attribute of every game."""
        return [getattr(self, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name, value, indices=None):
        """Refuse: games have no attributes."""
        raise AttributeError(attr_name)

    def env_is_wrapped(self, wrapper_class, indices=None):
        """Return False for every game."""
        return [False] * self.num_envs

    def close(self):
        """Give the memory back."""
        self.env.close()


def learn(steps=1_000_000, games=256):
    """Return a model that has learned from so many decisions."""
    env = Games(ss.VectorEnv(GAME, PLAYERS, games, OPPONENTS, reward="win"))
    model = MaskablePPO(
        "MlpPolicy", env, learning_rate=1e-3, n_steps=64, batch_size=2048, n_epochs=4, gamma=1.0, gae_lambda=0.95,
        ent_coef=0.005, seed=0, device="cpu",
    )  # fmt: skip
    return model.learn(steps)


def win_share(model, games=2048, seed=2):
    """Return (share of wins, half-width of its 95 % interval) in the first game of every slot, with another seed."""
    env = ss.VectorEnv(GAME, PLAYERS, games, OPPONENTS, reward="win")
    step, wins, over = env.reset(seed), np.zeros(games), np.zeros(games, bool)
    while not over.all():
        seats = step.seats
        actions, _ = model.predict(step.observations, action_masks=step.masks, deterministic=True)
        step = env.step(actions)
        ended = step.done & ~over
        wins[ended] = step.rewards[ended, seats[ended]]
        over |= ended
    return wins.mean(), 1.96 * wins.std() / np.sqrt(games)


if __name__ == "__main__":
    share, half_width = win_share(learn(int(sys.argv[1])) if len(sys.argv) > 1 else learn())
    print(f"wins {100 * share:.1f} +- {100 * half_width:.1f} % against {OPPONENTS} (fair: {100 / PLAYERS:.1f} %)")
