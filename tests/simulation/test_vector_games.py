"""Games in the slots of a VectorEnv: copied, stored, taken out as positions and put back; seeds, spaces and winners."""

import copy
import pickle

import numpy as np
import pytest

from our_games import OUR_GAMES
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.vector import VectorEnv

pytestmark = pytest.mark.slow

POOL = [["heuristic"], ["flat_mc:playouts=2", "random"]]


def played(env, steps=25, seed=3):
    env.reset(seed)
    for _ in range(steps):
        env.step(env.random_actions())
    return env


def same(one, other):
    for name in ("observations", "masks", "seats", "rewards", "done"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for name in ("random_bits", "deals", "finished", "final_scores", "final_wins", "final_observations"):
        assert np.array_equal(getattr(one.info, name), getattr(other.info, name)), name


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize(
    ("game", "players", "opponents"),
    [("strozzi", 4, POOL), ("strasbourg", 3, "heuristic"), ("medici_vs_strozzi", 2, None)],
)
@pytest.mark.parametrize("copying", [VectorEnv.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_plays_the_same_games(game, players, opponents, copying):
    env = played(VectorEnv(game, players, 5, opponents, reward="lead"))
    other = copying(env)
    assert (other.seed, other.steps, repr(other)) == (3, 25, repr(env))
    ended = 0
    for _ in range(60):
        actions = env.random_actions()
        assert np.array_equal(actions, other.random_actions())
        step = env.step(actions)
        same(step, other.step(actions))
        ended += step.done.sum()
    assert ended or game != "strozzi"
    before = env.deals
    other.step(other.random_actions())
    other.reset(8)
    assert np.array_equal(env.deals, before)


def test_what_is_not_reset_is_copied_too_and_what_is_closed_is_not():
    env = VectorEnv("strozzi", 3, 2)
    same(env.copy().reset(1), env.reset(1))
    env.close()
    for refused in (env.copy, lambda: pickle.dumps(env)):
        with pytest.raises(InputError, match="it is closed"):
            refused()


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize("game", OUR_GAMES)
def test_a_slot_is_a_position_and_back(game):
    env = played(VectorEnv(game, 2 if game == "medici_vs_strozzi" else 3, 4))
    masks, position = env.step(env.random_actions()).masks, Position.from_slot(env, 2)
    assert position.deal == env.deals[2]
    assert position.legal == tuple(np.flatnonzero(masks[2]))
    other = env.copy()
    action = position.legal[-1]
    position.play(action)
    actions = masks.argmax(axis=1)
    actions[2] = action
    step = env.step(actions)
    assert np.array_equal(position.observation(), step.observations[2])
    assert "from a slot" in repr(position)
    with pytest.raises(InputError, match="nor has one from a slot"):
        position.to_bytes()
    moved = other.put(1, position)  # the game of slot 2, one action later, in slot 1
    assert np.array_equal(moved.observations[1], step.observations[2])
    assert np.array_equal(moved.masks[1], step.masks[2])
    for _ in range(5):
        actions = other.random_actions()
        moved = other.step(actions)
        position.play(int(actions[1]))
        assert position.over == moved.done[1]
        if position.over:
            break
        assert np.array_equal(position.observation(), moved.observations[1])


def test_a_position_put_into_a_slot_is_checked():
    env = played(VectorEnv("strozzi", 4, 4, "random"))
    start = Position("strozzi", 4)
    for wrong, words in (
        (Position("strozzi", 3), "must be of strozzi, 4 players"),
        (Position("medici_vs_strozzi", 2), "must be of strozzi"),
        (Position("strozzi", 4, variant="long-tracks"), "must be of variant 'base', got 'long-tracks'"),
        (Position("strozzi", 4, chance=[0] * 9), "without scripted chance"),
        (start, "one of these seats must decide: \\[1\\]; got 0"),
    ):
        with pytest.raises(ArgumentError, match=words):
            env.put(1, wrong)
    for slot in (-1, 4, "x"):
        with pytest.raises(ArgumentError, match="slot"):
            env.put(slot, start)
        with pytest.raises(ArgumentError, match="slot"):
            env.slot(slot)
    env.put(0, start)
    assert env.step(env.random_actions()).info.deals[1] == 1


def test_a_reset_takes_a_seed_of_the_system_and_any_deal():
    env, other = VectorEnv("strozzi", 4, 3), VectorEnv("strozzi", 4, 3)
    env.reset(None)
    other.reset(None)
    assert env.seed != other.seed
    assert 0 <= env.seed < 2**53
    later = env.reset(5, deal=7)
    assert later.info.deals.tolist() == [7, 8, 9]
    assert np.array_equal(later.observations[1], Position("strozzi", 4, seed=5, deal=8).observation())
    with pytest.raises(ArgumentError, match="deal: must be between 0"):
        env.reset(5, deal=-1)


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize(("game", "players"), [("strozzi", 4), ("strasbourg", 3)])
def test_any_seat_can_be_observed(game, players):
    env = played(VectorEnv(game, players, 6), 40)
    positions = [Position.from_slot(env, slot) for slot in range(6)]
    for seat in range(players):
        rows = env.observe(seat)
        for position, row in zip(positions, rows, strict=True):
            assert np.array_equal(row, position.observation(seat))
    mixed = env.observe(np.arange(6) % players)
    assert np.array_equal(mixed[4], positions[4].observation(4 % players))
    for wrong in (players, -1, [0, 1], 1.0, [[0] * 6]):
        with pytest.raises(ArgumentError, match="seats: "):
            env.observe(wrong)


@pytest.mark.parametrize("reward", ["win", "lead"])
def test_spaces_are_those_of_the_arrays(reward):
    env = VectorEnv("strozzi", 4, 6, reward=reward)
    step = env.reset(1)
    for _ in range(200):
        for name, space in env.spaces.items():
            found = env.random_actions() if name == "actions" else getattr(step, name)
            assert (found.shape, found.dtype) == (space.shape, space.dtype), name
            assert np.all((found >= space.low) & (found <= space.high)), name
        step = env.step(env.random_actions())


def test_winners_are_given_whatever_the_reward():
    wins, scores = (VectorEnv("strozzi", 4, 32, reward=reward) for reward in ("win", "score"))
    steps, games = [wins.reset(2), scores.reset(2)], 0
    for _ in range(150):
        actions = wins.random_actions()
        steps = [env.step(actions) for env in (wins, scores)]
        assert np.array_equal(steps[1].info.final_wins, steps[0].rewards[steps[0].done])
        games += steps[0].done.sum()
    assert games >= 32
