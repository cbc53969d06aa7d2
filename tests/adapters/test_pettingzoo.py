"""PettingZoo's own suite passes for every game and player count, and a game is the one that a Position plays."""

from types import SimpleNamespace

import numpy as np
import pytest

from needed import need
from our_games import OUR_GAMES
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.play.position import Position

need("pettingzoo")

from gymnasium.spaces import Discrete
from pettingzoo.test import api_test, max_cycles_test, parallel_seed_test, render_test, seed_test
from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.wrappers import BaseParallelWrapper

from strozzi_sim.adapters import pettingzoo

COUNTS = [(name, players) for name in OUR_GAMES for players in load_game(name).player_counts]
# The suite knows by name the environments whose observations are dicts with a mask, and warns of every other one.
DICTS = "ignore:Observation (space for each agent probably should be|is not a NumPy array):UserWarning"


@pytest.mark.nightly_for("strasbourg-4", "strasbourg-5")
@pytest.mark.slow_for("strasbourg")
@pytest.mark.filterwarnings(DICTS)
@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_the_suite_of_pettingzoo_passes(name, players, capsys):
    api_test(pettingzoo.env(name, players), num_cycles=100)
    seed_test(lambda: pettingzoo.env(name, players), num_cycles=20)
    parallel_seed_test(lambda: pettingzoo.parallel_env(name, players), num_cycles=20)
    assert "Passed API test" in capsys.readouterr().out


def test_boards_are_rendered_as_text(capsys):
    render_test(lambda **kwargs: pettingzoo.env("strozzi", 3, **kwargs), {"ansi": lambda text: "seat 0" in text})
    assert "seat 0 decides" in capsys.readouterr().out


class _Legal(Discrete):
    """A space that draws among the legal actions, which the suite does not look at."""

    def __init__(self, n, env, agent):
        super().__init__(n)
        self.env, self.agent = env, agent

    def sample(self):
        return super().sample(self.env.unwrapped.observe(self.agent)["action_mask"])


class _DrawsLegal(BaseParallelWrapper):
    def action_space(self, agent):
        return _Legal(int(self.env.action_space(agent).n), self.env, agent)


def test_cycles_are_limited():
    """The suite counts turns of every agent, which PettingZoo's own conversion of the parallel environment gives to each."""

    def parallel_env(max_cycles):
        return _DrawsLegal(pettingzoo.parallel_env("strozzi", 3, max_cycles=max_cycles))

    max_cycles_test(
        SimpleNamespace(parallel_env=parallel_env, env=lambda max_cycles: parallel_to_aec(parallel_env(max_cycles)))
    )
    env = pettingzoo.env("strozzi", 3, max_cycles=2)
    env.reset(seed=1)
    for turn, agent in enumerate(env.agent_iter()):
        assert turn < 5
        stopped = env.truncations[agent]
        assert stopped == (turn >= 2)
        env.step(None if stopped else int(env.observe(agent)["action_mask"].argmax()))


@pytest.mark.parametrize("reward", ["win", "score", "lead"])
@pytest.mark.parametrize("name", OUR_GAMES)
def test_a_game_is_that_of_a_position(name, reward):
    env = pettingzoo.env(name, reward=reward)
    env.reset(seed=5, options={"deal": 3})
    players = env.num_agents
    position = Position(name, players, seed=5, deal=3)
    while not position.over:
        assert env.agent_selection == f"seat_{position.actor}"
        observation, *_ = env.last()
        assert np.array_equal(observation["observation"], position.observation())
        assert tuple(np.flatnonzero(observation["action_mask"])) == position.legal
        other = f"seat_{(position.actor + 1) % players}"
        assert np.flatnonzero(env.observe(other)["action_mask"]).tolist() == [0]
        action = position.legal[-1]
        env.step(action)
        position.play(action)
    assert all(env.terminations.values())
    won = [place == min(position.places) for place in position.places]
    scores = np.array(position.scores, float)
    expected = {
        "win": np.array(won) / sum(won),
        "score": scores,
        "lead": scores - (scores.sum() - scores) / (players - 1),
    }
    assert list(env.rewards.values()) == pytest.approx(expected[reward].tolist())


def test_resets_play_one_deal_after_another():
    env = pettingzoo.raw_env("strozzi", 4)
    played = []
    for seed in (7, None, None, 8, None):
        env.reset(seed=seed)
        played.append((env.position.seed, env.position.deal))
    assert played == [(7, 0), (7, 1), (7, 2), (8, 0), (8, 1)]
    fresh = [pettingzoo.raw_env("strozzi", 4) for _ in range(2)]
    for each in fresh:
        each.reset()
    assert fresh[0].position.seed != fresh[1].position.seed


def test_illegal_actions_are_errors_or_end_the_game(caplog):
    env = pettingzoo.env("strozzi", 3, illegal_reward=None)
    env.reset(seed=1)
    with pytest.raises(InputError, match="14 is not legal"):
        env.step(14)
    env.step(1)  # nothing had changed
    strict = pettingzoo.env("strozzi", 3)
    strict.reset(seed=1)
    strict.step(14)
    assert "Illegal move made" in caplog.text
    assert all(strict.terminations.values())
    assert strict.rewards["seat_0"] == -1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": "strozzi", "max_cycles": 0}, "max_cycles"),
        ({"game": "strozzi", "render_mode": "rgb_array"}, "render_mode: unknown mode 'rgb_array'; known: human, ansi"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(InputError, match=words):
        pettingzoo.env(**arguments)


def test_a_custom_variant_plays():
    env = pettingzoo.env("strozzi", 4, variant={"short": {"setup": {"rounds": 1}}})
    env.reset(seed=2)
    decisions = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        assert env.observation_space(agent).contains(observation)
        env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
        decisions += not terminated
    assert 4 < decisions < 80
