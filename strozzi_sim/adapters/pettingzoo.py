"""PettingZoo environments: every seat is an agent, `seat_0` to `seat_(P - 1)`.

>>> from strozzi_sim.adapters import pettingzoo
>>> env = pettingzoo.env("strozzi", players=4)
>>> env.reset(seed=7)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     action = None if terminated or truncated else int(observation["action_mask"].argmax())
...     env.step(action)
"""

from typing import Any

import numpy as np

from strozzi_sim.adapters.common import RENDER_MODES, Deals, check_render_mode, final_rewards, needs, no_action
from strozzi_sim.errors import InputError, as_argument_error, check_names, check_whole
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, AnyVariant
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.vector import REWARDS, Reward

with needs("PettingZoo", "pettingzoo"):
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

    from strozzi_sim.adapters.gymnasium import observation_box

_MOST_CYCLES = 2**31


class GameAEC(AECEnv):  # type: ignore[misc]
    """A game as a PettingZoo AEC environment, without wrappers; see `env`.

    Observations are dicts: `observation` float32[F], the game's named slices (`slices`); `action_mask` int8[A], 1 where
    an action is legal. A seat with nothing to decide has 1 only at action 0, which is never legal in the game.

    Attributes:
        position: the game being played, a `Position`; None before the first reset and once closed.
        slices: the named slices of an observation.
    """

    def __init__(
        self,
        game: str | Game,
        players: int | None = None,
        variant: AnyVariant = BASE,
        reward: Reward = "win",
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        as_argument_error("reward", check_names, "reward", [reward], REWARDS)
        check_render_mode(render_mode)
        if max_cycles is not None:
            check_whole("max_cycles", max_cycles, 1, _MOST_CYCLES)
        position = Position(game, players, variant=variant)  # checks the arguments, and finds game and variant
        self._game, self._variant, self._players = position.game, position.variant, position.players
        self._reward, self._max_cycles, self._cycles = reward, max_cycles, 0
        self.metadata = {"render_modes": list(RENDER_MODES), "is_parallelizable": True, "render_fps": 1}
        self.metadata["name"] = f"{self._game.name}_v{self._game.behaviour}"
        self.render_mode, self.slices = render_mode, self._game.slices
        self.possible_agents = [f"seat_{seat}" for seat in range(self._players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}

        def new_space() -> Any:
            mask = Box(0, 1, (self._game.actions,), np.int8)
            return Dict({"observation": observation_box(self._game, self._variant), "action_mask": mask})

        self._observation_spaces = {agent: new_space() for agent in self.possible_agents}
        self._action_spaces = {agent: Discrete(self._game.actions) for agent in self.possible_agents}
        self._deals = Deals()
        self.position: Position | None = None

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations; the object is the same in every call."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions, Discrete(A); the object is the same in every call."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game and advance to its first decision; the arguments are those of the Gymnasium adapter."""
        self._deals.advance(seed, options)
        self.position = Position(self._game, self._players, self._deals.seed, self._deals.deal, self._variant)
        self.agents, self._cycles = self.possible_agents[:], 0
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0.0), dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.position.actor]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent knows and its legal actions, as the class describes."""
        position, seat = self._dealt_position(), self._seats[agent]
        if position.actor == seat and not self.truncations.get(agent, False):
            mask = position.mask.view(np.int8)
        else:
            mask = no_action(self._game.actions)
        return {"observation": position.observation(seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play the action of the selected agent; it must be None once the agent's game is over or truncated.

        Raises:
            InputError: the action is illegal, or `reset` was not called; nothing changes.
        """
        position, agent = self._dealt_position(), self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        position.play(action)  # type: ignore[arg-type]
        self._cycles += 1
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if position.over:
            self.rewards = dict(zip(self.agents, final_rewards(position, self._reward), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]  # every agent takes a last step, with None
        else:
            self.agent_selection = self.possible_agents[position.actor]
            if self._cycles == self._max_cycles:
                self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the board as the acting seat sees it, or print it ("human"); at the end seat 0's, and the scores."""
        position = self._dealt_position()
        text = str(position)
        if position.over:
            text += f"\nscores by seat: {', '.join(map(str, position.scores))}"
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Drop the game."""
        self.position = None

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def _dealt_position(self) -> Position:
        if self.position is None:
            raise InputError("no game is dealt; call reset(seed) first")
        return self.position


def raw_env(*args: Any, **kwargs: Any) -> GameAEC:
    """Return the environment without wrappers; the arguments are those of `env` without `illegal_reward`."""
    return GameAEC(*args, **kwargs)


def env(
    game: str | Game,
    players: int | None = None,
    variant: AnyVariant = BASE,
    reward: Reward = "win",
    max_cycles: int | None = None,
    illegal_reward: float | None = -1.0,
    render_mode: str | None = None,
) -> Any:
    """Return a PettingZoo AEC environment of a game.

    Args:
        game: the game, or its name.
        players: number of seats; default: 4, or the game's minimum.
        variant: name of a shipped variant, changes under a new name, or a Variant.
        reward: at the end of a game, 0 before: "win" (1, divided among winners), "score", or "lead" (over the mean of
            the others); the score is negative where the lowest wins.
        max_cycles: number of actions after which a game is truncated; default: no limit, since every game ends.
        illegal_reward: reward for an illegal action, which ends the game; None: it is an error and changes nothing.
        render_mode: "human" prints the board after the deal and every action, "ansi" returns it from `render`; default:
            as "ansi".

    >>> environment = env("medici_vs_strozzi")
    >>> environment.possible_agents
    ['seat_0', 'seat_1']
    """
    environment = raw_env(game, players, variant, reward, max_cycles, render_mode)
    if illegal_reward is not None:
        environment = TerminateIllegalWrapper(environment, illegal_reward=illegal_reward)
    return OrderEnforcingWrapper(environment)


def parallel_env(*args: Any, **kwargs: Any) -> Any:
    """Return a PettingZoo parallel environment; the arguments are those of `env`.

    A step takes an action of every seat and plays only that of the acting seat; the other masks have only action 0.
    """
    return turn_based_aec_to_parallel(env(*args, **kwargs))
