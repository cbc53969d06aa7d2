"""Gymnasium's own checks pass for every game and player count; one game and many are those of VectorEnv."""

import pickle

import numpy as np
import pytest

from needed import need
from our_games import OUR_GAMES
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.simulation.vector import VectorEnv

gymnasium = need("gymnasium")

from gymnasium.utils.env_checker import check_env

from strozzi_sim.adapters.gymnasium import GameEnv, GameVectorEnv, env_id

COUNTS = [(name, players) for name in OUR_GAMES for players in load_game(name).player_counts]


@pytest.mark.nightly_for("strasbourg-4", "strasbourg-5")
@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_the_checks_of_gymnasium_pass(name, players, capsys):
    env = gymnasium.make(env_id(name), players=players, render_mode="ansi")
    check_env(env.unwrapped, skip_render_check=False)
    assert env.unwrapped.observation_space.shape == (load_game(name).observation_size,)


@pytest.mark.parametrize("opponents", ["random", [["heuristic"], ["random", "greedy"]]])
def test_one_game_is_that_of_vector_env(opponents):
    env, many = GameEnv("strozzi", 4, opponents), VectorEnv("strozzi", 4, 1, opponents)
    observation, info = env.reset(seed=9)
    step = many.reset(9)
    ends = 0
    for _ in range(200):
        assert np.array_equal(observation, step.observations[0])
        assert np.array_equal(info["action_mask"], step.masks[0])
        assert np.array_equal(env.action_masks(), step.masks[0])
        assert (info["seat"], info["deal"]) == (step.seats[0], step.info.deals[0])
        action = many.random_actions()
        learner = step.seats[0]
        step = many.step(action)
        observation, reward, terminated, truncated, info = env.step(action[0])
        assert terminated == step.done[0]
        assert not truncated
        assert reward == step.rewards[0, learner]
        if terminated:
            ends += 1
            assert np.array_equal(observation, step.info.final_observations[0, learner])
            assert np.flatnonzero(info["action_mask"]).tolist() == np.flatnonzero(env.action_masks()).tolist() == [0]
            assert np.array_equal(info["scores"], step.info.final_scores[0])
            assert info["wins"].sum() == 1
            observation, info = env.reset()
    assert ends > 2


def test_games_in_slots_are_not_truncated():
    with pytest.raises(InputError, match="max_episode_steps: every game ends, and games in slots are not truncated"):
        gymnasium.make_vec(env_id("strozzi"), 2, "vector_entry_point", max_episode_steps=3)
    single = gymnasium.make(env_id("strozzi"), max_episode_steps=1)
    _, info = single.reset(seed=1)
    *_, truncated, info = single.step(int(info["action_mask"].argmax()))
    assert truncated


def test_many_games_reset_in_the_same_step():
    n = 8
    env = gymnasium.make_vec(env_id("strozzi"), n, "vector_entry_point", players=4, opponents="random", reward="lead")
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    singles = [GameEnv("strozzi", 4, "random", reward="lead") for _ in range(n)]
    observations, infos = env.reset(seed=3)
    for deal, single in enumerate(singles):
        single.reset(seed=3, options={"deal": deal})
    ends = 0
    for _ in range(120):
        assert observations in env.observation_space
        actions = np.array([np.flatnonzero(mask)[-1] for mask in infos["action_mask"]])
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert not truncations.any()
        for i, single in enumerate(singles):
            observation, reward, terminated, _, info = single.step(actions[i])
            assert reward == rewards[i]
            assert terminated == terminations[i]
            if terminated:
                ends += 1
                assert np.array_equal(infos["final_obs"][i], observation)
                assert infos["_final_obs"][i]
                assert infos["final_info"]["_scores"][i]
                assert np.array_equal(infos["final_info"]["scores"][i], info["scores"])
                observation, info = single.reset(options={"deal": info["deal"] + n})
            assert np.array_equal(observation, observations[i])
            assert np.array_equal(info["action_mask"], infos["action_mask"][i])
    assert ends > n
    assert env.render()[0].startswith("<Position of strozzi")
    env.close()


def test_many_games_reset_in_the_next_step():
    """The games are those of SAME_STEP; where one ended, a step shows its end, and ignores the next action."""
    n = 8
    env, same = (
        GameVectorEnv("strozzi", n, 4, reward="score", autoreset_mode=mode) for mode in ("NextStep", "SameStep")
    )
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    assert GameVectorEnv.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
    games = {0: [], 1: []}  # of each mode: by slot, all observations, masks and rewards in order
    for mode, made in enumerate((same, env)):
        observations, infos = made.reset(seed=3)
        games[mode] = [[] for _ in range(n)]
        ended = np.zeros(n, bool)
        for _ in range(150):
            assert observations in made.observation_space
            masks = infos["action_mask"]
            for i in range(n):
                games[mode][i].append(
                    (infos["deal"][i], infos["seat"][i], observations[i].tobytes(), masks[i].tobytes())
                )
            actions = np.array([np.flatnonzero(mask)[-1] if mask.any() else 99 for mask in masks])
            observations, rewards, terminated, _, infos = made.step(actions)
            if mode:
                assert not (terminated & ended).any()
                assert not rewards[ended].any()
                assert not infos["action_mask"][terminated].any()
                assert not made.action_masks()[terminated].any()
                assert ("scores" in infos) == terminated.any()
                for i in np.flatnonzero(terminated):
                    assert rewards[i] == infos["scores"][i, infos["seat"][i]]
                ended = terminated
            else:
                for i in np.flatnonzero(terminated):
                    final = infos["final_info"]
                    last = infos["final_obs"][i].tobytes()
                    games[0][i].append((final["deal"][i], final["seat"][i], last, bytes(len(masks[i]))))
    for i in range(n):
        length = min(len(games[0][i]), len(games[1][i]))
        assert length > 100
        assert games[0][i][:length] == games[1][i][:length]
    with pytest.raises(InputError, match=r"slot \d+ .* is not legal"):
        env.step(np.full(n, 99))
    with pytest.raises(InputError, match=r"autoreset_mode: must be 'SameStep' or 'NextStep', got 'Disabled'"):
        GameVectorEnv("strozzi", n, autoreset_mode="Disabled")


def test_the_wrappers_of_gymnasium_take_many_games():
    """Those that refuse SAME_STEP, as the two last, take NEXT_STEP."""
    wrappers = gymnasium.wrappers.vector

    def wrapped(*layers, **options):
        env = gymnasium.make_vec(env_id("strozzi"), 4, "vector_entry_point", opponents="random", **options)
        for layer in layers:
            env = layer(env)
        observations, infos = env.reset(seed=1)
        ends = 0
        for _ in range(150):
            actions = np.array([np.flatnonzero(mask)[0] if mask.any() else 0 for mask in infos["action_mask"]])
            observations, _, terminated, _, infos = env.step(actions)
            assert observations in env.observation_space
            ends += terminated.sum()
        assert ends
        return infos

    every = (wrappers.RecordEpisodeStatistics, wrappers.NormalizeReward)
    assert "deal" in wrapped(*every)
    more = (*every, wrappers.FlattenObservation, wrappers.NormalizeObservation)
    assert "deal" in wrapped(*more, autoreset_mode="NextStep")


def test_illegal_actions_end_the_game_or_are_errors():
    env = GameEnv("strozzi", 4, seat=0)
    env.reset(seed=1)
    *_, reward, terminated, _, info = env.step(14)
    assert (reward, terminated, info["illegal"]) == (-1, True, True)
    with pytest.raises(InputError, match="the game is over: action 14 was illegal"):
        env.step(1)
    strict = GameEnv("strozzi", 4, seat=0, illegal_reward=None)
    strict.reset(seed=1)
    with pytest.raises(InputError, match="14 is not legal; legal: 1, 2, 3, 4"):
        strict.step(14)


@pytest.mark.slow
def test_boards_are_rendered_as_text(capsys):
    env = GameEnv("medici_vs_strozzi", opponents="random", render_mode="human")
    _, info = env.reset(seed=1)
    assert "Round 1 of 3" in capsys.readouterr().out
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
    assert "the game is over, with scores" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"opponents": None}, "opponents: expected agents for the other seats"),
        ({"render_mode": "rgb_array"}, "render_mode: unknown mode 'rgb_array'"),
        ({"seat": 4}, "seat: must be between 0 and 3"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(InputError, match=words):
        GameEnv("strozzi", **arguments)
    with pytest.raises(InputError, match="no game is dealt"):
        GameEnv("strozzi").step(1)
    with pytest.raises(InputError, match="options: deal: must be a whole number, got 'x'"):
        GameEnv("strozzi").reset(options={"deal": "x"})
    env = GameEnv("strozzi")
    with pytest.raises(InputError, match="seed: must be between 0 and"):
        env.reset(seed=2**53)
    env.reset()
    with pytest.raises(InputError, match="render_mode"):
        GameVectorEnv("strozzi", 2, render_mode="human")


def test_environments_can_be_pickled():
    env = GameEnv("strozzi", 3)
    env.reset(seed=4)
    other = pickle.loads(pickle.dumps(env))
    action = int(env.action_masks().argmax())
    assert np.array_equal(env.step(action)[0], other.step(action)[0])
