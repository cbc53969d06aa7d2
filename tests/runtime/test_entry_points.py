"""Installed packages: one that is broken is named when it is asked for, and is in no other package's way."""

import json
import os
import subprocess
import sys

import pytest

from needed import need
from our_games import OUR_GAMES
from strozzi_sim.agent import load_agent, registry
from strozzi_sim.agent.registry import agents, installed_agents
from strozzi_sim.cli.app import run
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game import installed_games, load_game

POINTS = """[strozzi_sim.games]
broken = broken_package:GAME
hidden = hidden_package:GAME

[strozzi_sim.agents]
random@broken = broken_package:bot
lost-bot = broken_package:bot
"""


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Install a package that raises when it is imported, and a game whose package a folder hides; return their folder."""
    packages = tmp_path / "packages"
    about = packages / "broken-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    (packages / "broken_package.py").write_text("rounds = 1 / 0\n")
    (tmp_path / "hidden_package").mkdir()  # of the project, beside which Python is started
    for folder in (packages, tmp_path):
        monkeypatch.syspath_prepend(str(folder))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(packages), os.environ.get("PYTHONPATH", "")]))
    registry._agent_at.cache_clear()
    yield tmp_path
    registry._agent_at.cache_clear()
    sys.modules.pop("hidden_package", None)


def test_a_broken_game_is_in_no_other_games_way(broken, capsys):
    found, errors = installed_games()
    assert {game.name for game in found} >= set(OUR_GAMES)
    assert errors["broken"] == (
        "game 'broken': broken_package:GAME does not import: ZeroDivisionError: division by zero"
    )
    assert run(["games"]) == 0
    said = capsys.readouterr().out
    assert f"not loaded: {errors['broken']}" in said
    assert "strozzi: Strozzi" in said
    assert run(["games", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["broken"] == {"name": "broken", "error": errors["broken"]}
    assert rows["strozzi"]["behaviour"] > 0


def test_a_broken_game_is_named_when_it_is_asked_for(broken):
    with pytest.raises(InputError, match=r"game 'broken': .* does not import: ZeroDivisionError"):
        load_game("broken")
    words = f"the folder {broken / 'hidden_package'} hides the installed package hidden_package; start Python in another folder"
    with pytest.raises(InputError, match=words):
        load_game("hidden")


def test_a_broken_agent_is_in_no_other_agents_way(broken, capsys):
    errors = {}
    found = installed_agents(on_error=lambda point, error: errors.update({point: error}))
    assert {"heuristic", "random"} <= {agent.name for agent, _ in found}
    assert set(errors) == {"random@broken", "lost-bot"}
    assert "heuristic" in agents("strozzi")
    assert load_agent("random", "strozzi").is_uniform
    assert run(["agents"]) == 0
    assert "not loaded: agent 'lost-bot': broken_package:bot does not import: " in capsys.readouterr().out
    with pytest.raises(AgentFault, match=r"agent 'lost-bot': .* does not import: ZeroDivisionError"):
        installed_agents("lost-bot")


@pytest.mark.slow
def test_adapters_register_the_games_that_load(broken):
    need("pyspiel")
    code = "import strozzi_sim.adapters.open_spiel, pyspiel; print(pyspiel.load_game('python_strozzi'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "python_strozzi(" in done.stdout, done.stderr


def test_a_name_of_two_packages_is_in_no_other_names_way(broken):
    other = broken / "packages" / "other-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (other / "entry_points.txt").write_text("[strozzi_sim.games]\nbroken = other:GAME\n")
    with pytest.raises(InputError, match=r"game name 'broken' is claimed by two packages: .*broken.* and .*other"):
        load_game("broken")
    assert load_game("strozzi").name == "strozzi"
