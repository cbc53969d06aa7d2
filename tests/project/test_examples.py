"""The programs in examples/ do what their first lines say, and the code in docs/learning.md runs."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest

import strozzi_sim as ss
from needed import need
from paths import ROOT
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.simulation.vector import Info, Step
from study_examples import played

FOLDER = ROOT / "examples"
PAGE = (ROOT / "docs" / "learning.md").read_text()


def example(name):
    spec = spec_from_file_location(name, FOLDER / f"{name}.py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_stored_decisions_reach_pytorch_row_by_row(tmp_path, workers):
    """Every claim of the study arrives once, in batches."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    keys = {"game": "strozzi", "players": [3, 4], "deals": 20, "lineups": [["heuristic"]], "facts": ["decision"]}
    rows = played(keys, tmp_path).facts("decision").query("phase == 'claim'")
    decisions = example("decisions").Decisions(tmp_path, batch=256)
    parts = list(torch.utils.data.DataLoader(decisions, batch_size=None, num_workers=workers))
    assert max(len(part[1]) for part in parts) <= 256 < sum(len(part[1]) for part in parts) == len(rows)
    features = torch.cat([part[0] for part in parts])
    assert features[:, 3].sum().item() == rows["cargo"].astype(int).sum()
    assert sum(part[2].sum().item() for part in parts) == pytest.approx(rows["win"].sum())


def test_cfr_approaches_an_equilibrium_of_a_variant_that_is_small_enough(tmp_path):
    need("pyspiel")
    (tmp_path / "two-tiles.toml").write_text(
        """game = "medici_vs_strozzi"
players = [2]
[variant.two-tiles]
ships = { capacities = [1] }
tiles = { values_per_type = [0, 2], gold_count = 0 }
type = [{ key = "dye" }]
harbor = [{ id = "H1", tracks = ["dye"] }]
rounds = { count = 1, starter = ["Medici"], reveal_max = 1 }
price_space = { action_space_cap = 2 }
"""
    )
    uniform, *averages = example("solve_tiny").solve(tmp_path / "two-tiles.toml", 16)
    assert averages[0] == pytest.approx(uniform), "the first average is uniform play"
    assert len(averages) == 5
    assert 0 <= averages[-1] < 0.2 * uniform


@pytest.mark.slow
def test_reinforce_learns_to_beat_random():
    """With half the updates of the program itself; whoever has learned nothing wins the fair share."""
    reinforce = example("reinforce")
    with single_threaded_blas():
        weights, leads = reinforce.learn(updates=40)
        share, half_width = reinforce.win_share(weights, games=1024)
        fair, around = reinforce.win_share(np.zeros_like(weights), games=1024)
    assert share - half_width > 2 * reinforce.FAIR
    assert abs(fair - reinforce.FAIR) < 2 * around
    assert np.mean(leads[-5:]) > 20 > np.mean(leads[:1])
    assert len((FOLDER / "reinforce.py").read_text().splitlines()) < 80


@pytest.mark.slow
def test_the_code_of_the_page_runs():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)
    assert names["games"] > 0
    env = names["env"]
    assert env.steps == 100
    assert names["coins"].shape == (4096, 6)
    assert set(names["phase"]) <= set(range(4))
    assert (names["ahead"] < 1).all()
    assert names["others"].shape == (64, env.observation_shape[0])


def test_the_page_names_every_array():
    told = set(re.findall(r"`(?:info\.)?(\w+)`", "\n".join(row for row in PAGE.splitlines() if row.startswith("| `"))))
    assert told == {*Step._fields, *Info._fields} - {"info"}


@pytest.mark.slow
def test_ppo_learns_and_plays_by_name(tmp_path):
    """A short run: what is saved chooses as the policy in PyTorch, plays in a tournament, and in searches as prior and as value."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    ppo = example("ppo")
    torch.set_num_threads(1)
    for opponents in (None, [["greedy", "random"]]):
        policy, spent = ppo.learn(steps=4 * 64 * 64, games=64, horizon=64, opponents=opponents)
        assert (spent > 0).all()
    assert all(torch.isfinite(part).all() for part in policy.parameters())
    file = tmp_path / "ppo.npz"
    policy.save(file)
    position = ss.Position("strozzi", 4, seed=1)
    for _ in range(20):
        logs, _, _ = policy.judge(torch.from_numpy(position.observation())[None], torch.from_numpy(position.mask)[None])
        best, second = logs[0].topk(2).values.tolist()
        action = position.ask(f"network:weights={file}")
        assert logs[0, action] == best or best - second < 1e-5
        position.play(action)
    mine = f"network:weights={file}"
    search = "ismcts:iterations=5,rollout=random"
    agents = [mine, f"{search},prior=({mine})", f"{search},utility=win,evaluate=({mine})", "random"]
    table = ss.tournament("strozzi", agents, players=4, deals=1).tables["ratings"]
    assert {mine, "random"} < set(table["agent"])
    assert table["agent"].nunique() == len(agents)


def test_ppo_judges_each_seat_by_its_own_game():
    """Advantages of a hand-made rollout: two seats in turn, a game that ends, one that does not, and a seat of a rival."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    ppo = example("ppo")
    env = ss.VectorEnv("strozzi", 4, 2)
    rollout = ppo.Rollout(env, 4)
    rollout.seats[:] = [[0, 0], [1, 1], [0, 0], [1, 1]]
    rollout.other_seats[:] = 3
    rollout.values[:], rollout.rewards[:], rollout.done[:], rollout.mine[:] = 0.5, 0, False, True
    rollout.done[2, 0], rollout.rewards[2, 0], rollout.wins[2, 0, 3] = True, [2, -2, 0, 0], 1
    rollout.mine[1, 0] = False
    _, targets, weights, _, others, over = rollout.judged()
    first = 0.5 + ppo.LAMBDA * 1.5  # seat 0 expects 0.5 at both of its decisions, and has 2 in the end
    assert targets[:3, 0].tolist() == pytest.approx([first, -2, 2])
    assert weights.tolist() == [[1, 1], [0, 1], [1, 0], [0, 0]]
    assert others[:, 0].tolist() == [1, 1, 1, 0]
    assert over.tolist() == [[True, False], [True, False], [True, False], [False, False]]
    assert torch.isfinite(targets).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_torchrl_learns():
    """A short run; TorchRL's own check of environments passes."""
    pytest.importorskip("torchrl", reason="TorchRL is not installed")
    from torchrl.envs.utils import check_env_specs

    example_of_torchrl = example("torchrl_ppo")
    env = ss.VectorEnv("strozzi", 4, 64, "random", reward="win")
    games = example_of_torchrl.Games(env)
    check_env_specs(games, break_when_any_done=False)
    share, half_width = example_of_torchrl.win_share(example_of_torchrl.learn(steps=3 * 64 * 256), games=512)
    assert share - half_width > 1 / example_of_torchrl.PLAYERS


@pytest.mark.slow
def test_maskable_ppo_learns():
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    maskable = example("maskable_ppo")
    model = maskable.learn(steps=2 * 64 * 256)
    share, half_width = maskable.win_share(model, games=512)
    assert share - half_width > 1 / maskable.PLAYERS
