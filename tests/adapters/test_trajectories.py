"""Trajectories: every decision is written once, results are those of its game, and nothing half-written stays."""

import doctest

import numpy as np
import pyarrow.parquet as pq
import pytest

from strozzi_sim.adapters import trajectories
from strozzi_sim.adapters.trajectories import TrajectoryWriter, describe, read_batches, torch_dataset
from strozzi_sim.errors import InputError
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.vector import VectorEnv


def write(folder, steps=400, opponents=None, n=6, reward="lead"):
    env = VectorEnv("strozzi", 3, n, opponents, reward=reward)
    shown, rows = env.reset(5), []
    with TrajectoryWriter(folder, env) as writer:
        for _ in range(steps):
            actions = env.random_actions()
            after = env.step(actions)
            writer.add(shown, actions, after)
            rows.append((shown, actions, after))
            shown = after
    assert writer.rows == steps * n
    return env, rows


def test_every_decision_is_written_with_the_result_of_its_game(tmp_path, monkeypatch):
    monkeypatch.setattr(trajectories, "_ROWS", 100)
    env, rows = write(tmp_path)
    table = pq.read_table(tmp_path / "decisions.parquet")
    assert len(table) == 6 * len(rows)
    assert np.array_equal(table["action"].to_numpy(), np.concatenate([actions for _, actions, _ in rows]))
    assert np.array_equal(table["game"].to_numpy(), np.concatenate([shown.info.deals for shown, _, _ in rows]))
    found = {name: np.concatenate([batch[name] for batch in read_batches(tmp_path, 77)]) for name in ("game", "seat", "win", "score", "result", "mask", "observation", "done", "action")}  # fmt: skip
    ended = {int(deal) for _, _, after in rows for deal in after.info.final_deals}
    assert set(found["game"].tolist()) == ended
    assert len(ended) > 10
    for deal in sorted(ended)[:4]:
        mine = found["game"] == deal
        position = Position("strozzi", 3, seed=5, deal=deal)
        for k in np.flatnonzero(mine):
            assert found["seat"][k] == position.actor
            assert np.array_equal(found["observation"][k], position.observation())
            assert np.array_equal(found["mask"][k], position.mask)
            position.play(int(found["action"][k]))
            assert found["done"][k] == position.over
        assert position.over
        scores = np.array(position.scores)
        assert np.array_equal(found["score"][mine], scores[found["seat"][mine]])
        assert found["result"][mine] == pytest.approx((scores - (scores.sum() - scores) / 2)[found["seat"][mine]])
        assert set(found["win"][mine][found["seat"][mine] == np.argmin(position.places)]) <= {1, 0.5}
    assert describe(tmp_path) == {
        "format": "strozzi-sim.trajectories/1", "game": "strozzi", "behaviour": env.game.behaviour, "players": 3,
        "variant": "base", "reward": "lead", "seed": 5,
    }  # fmt: skip


def test_several_readers_share_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(trajectories, "_ROWS", 64)
    write(tmp_path, 120, "random")
    whole = np.concatenate([batch["action"] for batch in read_batches(tmp_path)])
    shares = [sum(len(batch["action"]) for batch in read_batches(tmp_path, 50, part, 3)) for part in range(3)]
    assert sum(shares) == len(whole) > 300
    assert min(shares) > 0
    assert all(len(batch["action"]) <= 50 for batch in read_batches(tmp_path, 50))


def test_nothing_half_written_stays(tmp_path):
    env = VectorEnv("strozzi", 3, 2)
    shown = env.reset(1)

    def broken():
        with TrajectoryWriter(tmp_path, env) as writer:
            writer.add(shown, env.random_actions(), env.step(env.random_actions()))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    assert not list(tmp_path.iterdir())


def test_wrong_arguments_are_named(tmp_path):
    env = VectorEnv("strozzi", 3, 2)
    with pytest.raises(InputError, match="no games are dealt"):
        TrajectoryWriter(tmp_path, env)
    shown = env.reset(1)
    with TrajectoryWriter(tmp_path / "new", env) as writer:
        with pytest.raises(InputError, match="expected one for each of 2 games"):
            writer.add(shown, [1], shown)
        env.reset(2)
        with pytest.raises(InputError, match="was reset to seed 2 while seed 1 is written"):
            writer.add(shown, [1, 1], shown)
    assert list(read_batches(tmp_path / "new")) == []
    with pytest.raises(InputError, match=r"folder: .*decisions\.parquet"):
        describe(tmp_path)
    with pytest.raises(InputError, match="batch"):
        next(read_batches(tmp_path / "new", 0))
    with pytest.raises(InputError, match="part"):
        next(read_batches(tmp_path / "new", 1, 2, 2))
    pq.write_table(
        pq.read_table(tmp_path / "new" / "games.parquet").replace_schema_metadata(None), tmp_path / "decisions.parquet"
    )
    with pytest.raises(InputError, match="holds no trajectories"):
        describe(tmp_path)


def test_pytorch_reads_them(tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    write(tmp_path, 120)
    loader = torch.utils.data.DataLoader(torch_dataset(tmp_path, 128), batch_size=None)
    rows = 0
    for batch in loader:
        assert batch["observation"].dtype == torch.float32
        assert batch["mask"].gather(1, batch["action"].long()[:, None]).all()
        rows += len(batch["action"])
    assert rows == sum(len(batch["action"]) for batch in read_batches(tmp_path))


def test_the_example_runs():
    found = doctest.testmod(trajectories)
    assert found.attempted > 0 == found.failed
