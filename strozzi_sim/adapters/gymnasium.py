"""Gymnasium environments: one seat learns, named opponents have the others.

Importing this module registers `strozzi_sim/NAME-v0` for every installed game, such as `strozzi_sim/Strozzi-v0`.

>>> import gymnasium
>>> import strozzi_sim.adapters.gymnasium
>>> env = gymnasium.make("strozzi_sim/Strozzi-v0", players=4, opponents=["heuristic", "random"])
>>> observation, info = env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from strozzi_sim.adapters.common import RENDER_MODES, Deals, check_render_mode, needs, no_action
from strozzi_sim.agent import AnyAgent
from strozzi_sim.errors import ArgumentError, InputError, short_repr
from strozzi_sim.game import default_players, find_game, game_names
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, AnyVariant, Variant, shipped_variants
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.vector import Reward, VectorEnv
from strozzi_sim.simulation.vector_arrays import Step
from strozzi_sim.simulation.vector_kernels import SKIPPED

with needs("Gymnasium", "gymnasium"):
    import gymnasium
    from gymnasium.spaces import Box, Discrete
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space

Opponents = AnyAgent | Sequence[Any]
_MODES = (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)


def observation_box(game: Game, variant: Variant) -> Any:
    """Return the space of observations, Box float32[F]: the slices' ranges, or no limits in a custom variant."""
    if variant.name == BASE or variant.name in shipped_variants(game):
        low, high = game.slices.limits()
        high = np.where(low == high, high + 1, high)  # Gymnasium warns of a range of one number
        return Box(low, high, dtype=np.float32)
    return Box(-np.inf, np.inf, (game.slices.size,), np.float32)


def env_id(game: str) -> str:
    """Return the name of a game's environment.

    >>> env_id("sevens_of_hearts")
    'strozzi_sim/SevensOfHearts-v0'
    """
    return f"strozzi_sim/{''.join(word.capitalize() for word in game.split('_'))}-v0"


def _make_games(
    game: str | Game, players: int | None, num_envs: int, opponents: Opponents, *arguments: Any, **options: Any
) -> VectorEnv:
    if opponents is None:
        raise ArgumentError(
            "opponents", "expected agents for the other seats; to decide for every seat, take the PettingZoo adapter"
        )
    game = find_game(game)
    players = default_players(game) if players is None else players
    return VectorEnv(game, players, num_envs, opponents, *arguments, **options)


class GameEnv(gymnasium.Env):  # type: ignore[misc]
    """A game for one learner, with Gymnasium's interface.

    Observations are float32[F], the game's named slices (`slices`). `info["action_mask"]`, int8[A], has 1 where an
    action is legal, for `action_space.sample(mask)`; `action_masks()` returns it as bool, for sb3-contrib. `info` also
    has `seat` and `deal`. At the end it has `scores` int64[P] and `wins` float32[P] of all seats too (after an illegal
    action `illegal` instead), and the mask only action 0, which is never legal in a game.

    Args:
        game: the game, or its name.
        players: number of seats; default: 4, or the game's minimum.
        opponents: compiled agents of the other seats, or a pool of line-ups; see `VectorEnv`.
        seat: seat of the learner, or "rotate": in deal d it is d modulo players.
        reward: at the end, 0 before: "win" (1, divided among winners), "score", or "lead" (over the mean of the
            others); the score is negative where the lowest wins.
        variant: name of a shipped variant, changes under a new name, or a Variant.
        illegal_reward: reward of an illegal action, which ends the game with `info["illegal"]`; None: it is an error.
        render_mode: "human" prints the board after the deal and every step, at the end the scores instead; "ansi"
            returns this text from `render`; default: as "ansi".
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        game: str | Game,
        players: int | None = None,
        opponents: Opponents = "random",
        seat: int | Literal["rotate"] = "rotate",
        reward: Reward = "win",
        variant: AnyVariant = BASE,
        illegal_reward: float | None = -1.0,
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        self._env = _make_games(game, players, 1, opponents, seat, reward, variant=variant)
        self._illegal_reward, self.render_mode, self._deals = illegal_reward, render_mode, Deals()
        self.slices = self._env.slices
        self.observation_space = observation_box(self._env.game, self._env.variant)
        self.action_space = Discrete(self._env.num_actions)
        self._current: Step | None = None  # None: no game is under way
        self._end_message = "no game is dealt; call reset(seed) first"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal a game and advance to the learner's first decision; deals without one are skipped.

        Args:
            seed: seed below 2^53, whose first deal is played; None: the next deal of the current seed, random at first.
            options: {"deal": D} plays deal D instead.
        """
        super().reset(seed=seed)
        self._deals.advance(seed, options)
        self._current = step = self._env.reset(self._deals.seed, deal=self._deals.deal)
        self._deals.deal = int(step.info.deals[0])  # a deal without a decision of the learner is skipped
        if self.render_mode == "human":
            self.render()
        return step.observations[0], self._info(step)

    def _info(self, step: Step) -> dict[str, Any]:
        seat, deal = int(step.seats[0]), int(step.info.deals[0])
        return {"action_mask": step.masks[0].astype(np.int8), "seat": seat, "deal": deal}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action, and advance to the learner's next decision or to the end.

        Raises:
            InputError: no game is under way, or an illegal action if `illegal_reward` is None.
            AgentFault: an opponent chose an illegal action.
        """
        if self._current is None:
            raise InputError(self._end_message)
        current, seat = self._current, int(self._current.seats[0])
        legal = 0 <= int(action) < self._env.num_actions and bool(current.masks[0, int(action)])
        if not legal and self._illegal_reward is not None:
            self._current, self._end_message = None, f"the game is over: action {action} was illegal; call reset()"
            info = self._info(current) | {"action_mask": no_action(self._env.num_actions), "illegal": True}
            return current.observations[0].copy(), float(self._illegal_reward), True, False, info
        step = self._env.step(np.array([int(action)]))
        if not step.done[0]:
            self._current = step
            if self.render_mode == "human":
                self.render()
            return step.observations[0], 0.0, False, False, self._info(step)
        end = step.info
        scores = ", ".join(map(str, end.final_scores[0]))
        self._current, self._end_message = None, f"the game is over, with scores {scores} by seat; call reset()"
        if self.render_mode == "human":
            self.render()
        info = {"action_mask": no_action(self._env.num_actions), "seat": seat, "deal": int(end.final_deals[0])}
        info |= {"scores": end.final_scores[0], "wins": end.final_wins[0]}
        return end.final_observations[0, seat], float(step.rewards[0, seat]), True, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, bool[A]; only action 0 where no game is under way."""
        no_game = no_action(self._env.num_actions).view(np.bool_)
        return no_game if self._current is None else self._current.masks[0].copy()

    def render(self) -> str | None:
        """Return the board as the learner sees it, or print it ("human"); without a game under way, the reason."""
        text = self._end_message if self._current is None else str(Position.from_slot(self._env, 0))
        if self.render_mode != "human":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Free the memory."""
        self._env.close()


class GameVectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """Many games at once, compiled, with Gymnasium's vector interface; `games` is the `VectorEnv`.

    `num_envs` is the number of games n; illegal actions are errors, `max_episode_steps` must be None, and `render_mode`
    is not "human". The other arguments are as in `GameEnv`. Slot i plays the deals i, i + n, ... of a seed. `infos` has
    `action_mask` int8[n, A], `seat` and `deal` int64[n]. `autoreset_mode`:

    - "SameStep" : where games ended, the step has the first observation of the next deal. `final_obs` has the learner's
      last observation, and `final_info` `seat`, `deal`, `scores` [n, P] and `wins` [n, P]; `_final_obs` and
      `_final_info`, bool[n], mark these games.
    - "NextStep" : the step has the last observation, a mask of zeros, and in `infos` also `scores` and `wins`. The next
      step ignores the slot's action and has the first observation of the next deal. Some wrappers need this, such as
      NormalizeObservation.

    The games are the same in both.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        players: int | None = None,
        opponents: Opponents = "random",
        seat: int | Literal["rotate"] = "rotate",
        reward: Reward = "win",
        variant: AnyVariant = BASE,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        if max_episode_steps is not None:
            why = "every game ends, and games in slots are not truncated"
            raise ArgumentError("max_episode_steps", f"{why}; leave it out")
        if render_mode not in (None, "ansi"):
            raise ArgumentError("render_mode", f"must be None or 'ansi' for many games, got {render_mode!r}")
        if autoreset_mode not in _MODES and autoreset_mode not in [mode.value for mode in _MODES]:
            allowed = " or ".join(repr(mode.value) for mode in _MODES)
            raise ArgumentError("autoreset_mode", f"must be {allowed}, got {short_repr(autoreset_mode)}")
        self.metadata = {**type(self).metadata, "autoreset_mode": AutoresetMode(autoreset_mode)}
        self.games = _make_games(game, players, num_envs, opponents, seat, reward, variant=variant)
        self.num_envs, self.render_mode, self._slots = self.games.num_envs, render_mode, np.arange(self.games.num_envs)
        self.single_observation_space = observation_box(self.games.game, self.games.variant)
        self.single_action_space = Discrete(self.games.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._seats = np.zeros(self.num_envs, np.int64)
        self._masks = np.zeros((self.num_envs, self.games.num_actions), np.bool_)
        self._ended = np.zeros(self.num_envs, np.bool_)  # in the last step, with NEXT_STEP

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal the first n deals of a seed, below 2^53, or of one from the operating system; `options` are ignored."""
        super().reset(seed=seed)
        step = self.games.reset(seed)
        self._seats, self._masks = step.seats, step.masks
        self._ended[:] = False
        return step.observations, self._infos(step)

    def _infos(self, step: Step) -> dict[str, Any]:
        all_slots = np.ones(self.num_envs, np.bool_)
        infos = {"action_mask": step.masks.view(np.int8), "seat": step.seats, "deal": step.info.deals}
        return infos | {f"_{name}": all_slots for name in infos}

    def _scattered(self, values: NDArray[Any], step: Step) -> NDArray[Any]:
        scattered = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
        scattered[step.info.finished] = values
        return scattered

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action in every game; a finished game's slot begins its next deal now or in the next step."""
        chosen, learner, in_next = np.array(actions), self._seats, self.metadata["autoreset_mode"] == _MODES[1]
        if self._ended.any() and chosen.shape == self._ended.shape and chosen.dtype.kind in "iu":
            chosen = np.where(self._ended, SKIPPED, chosen.astype(np.int64))
        step = self.games.step(chosen)
        self._seats, observations, infos = step.seats, step.observations, self._infos(step)
        if in_next:
            self._ended = step.done.copy()
        if len(step.info.finished):
            if in_next:
                observations = self._show_end(step, infos)
            else:
                infos |= self._final_infos(step)
        self._masks = infos["action_mask"].astype(np.bool_)
        rewards = step.rewards[self._slots, learner].astype(np.float64)
        return observations, rewards, step.done, np.zeros(self.num_envs, np.bool_), infos

    def _final_infos(self, step: Step) -> dict[str, Any]:
        end, final = step.info, np.full(self.num_envs, None, object)
        for row, slot in enumerate(end.finished):
            final[slot] = end.final_observations[row, end.final_seats[row]]
        values: dict[str, NDArray[Any]] = {"seat": end.final_seats, "deal": end.final_deals}
        values |= {"scores": end.final_scores, "wins": end.final_wins}
        final_info = {name: self._scattered(part, step) for name, part in values.items()}
        final_info |= {f"_{name}": step.done for name in values}
        return {"final_obs": final, "_final_obs": step.done, "final_info": final_info, "_final_info": step.done}

    def _show_end(self, step: Step, infos: dict[str, Any]) -> NDArray[np.float32]:
        end, observations = step.info, step.observations.copy()
        for name, part in {"action_mask": 0, "seat": end.final_seats, "deal": end.final_deals}.items():
            infos[name] = infos[name].copy()
            infos[name][end.finished] = part
        results: dict[str, NDArray[Any]] = {"scores": end.final_scores, "wins": end.final_wins}
        for name, part in results.items():
            infos[name], infos[f"_{name}"] = self._scattered(part, step), step.done
        observations[end.finished] = end.final_observations[np.arange(len(end.finished)), end.final_seats]
        return observations

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal in every game, bool[n, A]."""
        return self._masks.copy()

    def render(self) -> tuple[str, ...]:
        """Return the board in every slot as its learner sees it; where a game has just ended, that of the next deal."""
        return tuple(str(Position.from_slot(self.games, slot)) for slot in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Free the memory."""
        self.games.close()


_one_game, _many_games = (f"{__name__}:{environment.__name__}" for environment in (GameEnv, GameVectorEnv))
for _name in game_names():
    gymnasium.register(env_id(_name), entry_point=_one_game, vector_entry_point=_many_games, kwargs={"game": _name})
