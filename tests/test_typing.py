"""What a type checker sees of the package: types that are found, closed sets that are closed, arrays with dtypes."""

import os
import subprocess
import sys

import pytest

GOOD = """
import numpy as np
import strozzi_sim as ss
from strozzi_sim.agent import python_agent


@python_agent(name="first", games=("strozzi",))
class First:
    def act(self, view: object, legal: tuple[int, ...], rng: object) -> int:
        return legal[0]


results = ss.simulate("strozzi", players=4, agents=[First, "random"], deals=10, seatings="rotate")
alone = ss.simulate("strozzi", agents="random")
position = ss.Position("strozzi", 4)
env = ss.VectorEnv("strozzi", 4, 8, opponents="random", reward="lead")
step = env.reset(seed=1)
reveal_type(step.observations)
reveal_type(position.mask)
reveal_type(results.tables)
"""
TYPOS = """
import strozzi_sim as ss

ss.simulate("strozzi", seatings="rotat")
ss.VectorEnv("strozzi", 4, 8, reward="wins")
ss.VectorEnv("strozzi", 4, 8, seat="rotation")
ss.simulate("strozzi", agents=[3])
"""
pytestmark = pytest.mark.slow


def check(text, tmp_path):
    file = tmp_path / "user.py"
    file.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(file)]
    plain = {key: value for key, value in os.environ.items() if key != "MYPYPATH"}
    return subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, text=True, check=False).stdout


def test_the_package_is_found_with_its_types(tmp_path):
    pytest.importorskip("mypy")
    found = check(GOOD, tmp_path)
    assert "error" not in found, found
    assert "numpy.dtype[numpy.floating" in found
    assert "numpy.dtype[numpy.bool" in found


def test_typos_in_closed_sets_are_found(tmp_path):
    pytest.importorskip("mypy")
    found = check(TYPOS, tmp_path)
    assert [line.split(":")[1] for line in found.splitlines() if ": error:" in line] == ["4", "5", "6", "7"]
