"""What a type checker sees of the package: types that are found, closed sets that are closed, arrays with dtypes."""

import os
import re
import subprocess
import sys

import pytest

from paths import ROOT

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


# A block of a document stands alone here: names, and the package that the document makes, come from other blocks.
ELSEWHERE = ("name-defined", "import-not-found", "import-untyped", "var-annotated", "assignment")


def check(text, tmp_path):
    (tmp_path / "user.py").write_text(text)
    return checked(tmp_path, "--strict", "user.py")


def checked(tmp_path, *arguments):
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), *arguments]
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


def test_what_the_documents_call_is_called_as_it_is_typed(tmp_path):
    pytest.importorskip("mypy")
    blocks = []
    pages = sorted({*(ROOT / "docs").glob("*.md")} - {ROOT / "docs" / "your-own-game.md"})  # of excerpts from a package
    for document in (ROOT / "README.md", *pages):
        for number, block in enumerate(re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL)):
            lines = block.splitlines()
            if ">>>" in block:
                lines = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
            blocks.append(f"{re.sub(r'[^a-z]', '_', document.stem.lower())}_{number}.py")
            (tmp_path / blocks[-1]).write_text("\n".join(lines))
    assert len(blocks) > 40
    options = [f"--disable-error-code={code}" for code in ELSEWHERE]
    found = checked(tmp_path, "--check-untyped-defs", *options, *blocks)
    assert "Success" in found, found
