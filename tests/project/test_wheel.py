"""The wheel, installed alone in a new environment, lists the agents, plays from loky workers, and takes packages of others."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from paths import ROOT

PLAY = """
import joblib, numpy as np, strozzi_sim, strozzi_agents
from strozzi_sim.agent import load_agent
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.pool import PlayTask, play_tasks

game = load_game("strozzi")
match = Match(game, 4, (load_agent("greedy"), load_agent("random")), resolve_variant(game, "long-tracks"), 1)
match.warm()
stop = np.zeros(1, np.int64)
tasks = [PlayTask(k, match, 10 * k, 10 * k + 10) for k in range(4)]
with joblib.parallel_config(backend="loky"):
    far = {task.key: played.outcome.tobytes() for task, played in play_tasks(tasks, 2, stop)}
near = {task.key: played.outcome.tobytes() for task, played in play_tasks(tasks, 1, stop)}
print(strozzi_sim.__file__, strozzi_agents.__file__, far == near, len(far), sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return next(folder.glob("strozzi_sim-*.whl"))


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """A new environment with the wheel; the libraries it needs are borrowed from this one."""
    folder = tmp_path_factory.mktemp("an environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    (Path(site) / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def run(environment, *command):
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("COV_", "COVERAGE", "PYTHONPATH"))}
    return subprocess.run(
        [environment / "bin" / command[0], *map(str, command[1:])], cwd=environment, env=clean, capture_output=True, text=True,
        check=True, timeout=300,
    ).stdout  # fmt: skip


@pytest.mark.slow
def test_the_wheel_holds_all_that_is_no_code(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "strozzi_sim/py.typed", "strozzi_agents/py.typed", "strozzi_sim/games/strozzi/components.toml",
        "strozzi_sim/games/strozzi/variants.toml", "strozzi_sim/report/templates/page.html",
        "strozzi_sim/games/strozzi/short_rules.txt",
        "strozzi_sim/games/strozzi/table.js", "strozzi_sim/table/assets/shell.js", "strozzi_sim/table/templates/table.html",
    ):  # fmt: skip
        assert needed in names
    assert not any(name.startswith(("tests/", "agents/")) for name in names)


@pytest.mark.slow
def test_the_wheel_lists_its_agents(environment):
    agents = json.loads(run(environment, "strozzi", "agents", "--json"))
    assert {"random", "greedy", "heuristic", "racer"} <= {agent["name"] for agent in agents}


@pytest.mark.slow
def test_the_wheel_plays_from_loky_workers(environment):
    package, agents, same, count = run(environment, "python", "-c", PLAY).splitlines()
    assert Path(package).is_relative_to(environment)
    assert Path(agents).is_relative_to(environment)
    assert (same, count) == ("True", "4")


AGENT = """
from strozzi_sim.agent import Param, compiled_agent
from strozzi_sim.game.contract import count_legal, kth_legal


@compiled_agent(name="last", place=Param(1, 1, 9, "counted from the end"))
def last(state, rules, params, memory, rng):
    \"\"\"Plays a late action.\"\"\"
    return kth_legal(state, rules, max(count_legal(state, rules) - params.place, 0))
"""
PYPROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "late-bots"
version = "1"

[project.entry-points."strozzi_sim.agents"]
last = "late_bots:last"
"""


@pytest.mark.slow
def test_the_wheel_plays_its_first_study_and_packages_of_others_from_a_path_with_spaces(environment):
    assert " " in str(environment)
    study = environment / "a study.toml"
    study.write_text((ROOT / "experiments" / "balance_by_player_count.toml").read_text())
    said = run(environment, "strozzi", "run", study, "--deals", 200, "--out", environment / "my results")
    assert "my results" in said
    assert (environment / "my results" / "report.html").stat().st_size > 50_000
    bots = environment / "late bots"
    (bots / "late_bots").mkdir(parents=True)
    (bots / "late_bots" / "__init__.py").write_text(AGENT)
    (bots / "pyproject.toml").write_text(PYPROJECT)
    run(environment, "strozzi", "new", "fair", "--out", environment / "my game")
    for package in (bots, environment / "my game"):
        run(environment, "python", "-m", "pip", "install", "--quiet", "--no-deps", package)
    for game in ("strozzi", "fair"):
        agents = "last,last:place=2,random"
        found = json.loads(
            run(environment, "strozzi", "tournament", game, "--agents", agents, "--players", 3, "--deals", 20, "--json")
        )
        assert set(found["tables"]["agents"][0]) >= {"agent", "value", "low", "high", "n"}
        assert {row["agent"] for row in found["tables"]["agents"]} == {"last", "last:place=2", "random"}
