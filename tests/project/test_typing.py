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


# A block of a document stands alone here: names, and the package that the document makes, come from other blocks; it need not
# be typed itself. It says so in its first line, since mypy would check the package anew under other options of the command.
ELSEWHERE = ("name-defined", "import-not-found", "import-untyped", "var-annotated", "assignment")
UNTYPED = "any-generics untyped-calls untyped-defs incomplete-defs untyped-decorators subclassing-any"
FIRST_LINE = ", ".join(
    [*(f"disallow-{each}=False" for each in UNTYPED.split()), "warn-return-any=False", "strict-equality=False", f'disable-error-code="{",".join(ELSEWHERE)}"']
)  # fmt: skip


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Return a function that checks files of a folder; what it has learned of the package is kept."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path_factory.mktemp("cache"))]
    plain = {key: value for key, value in os.environ.items() if key != "MYPYPATH"}

    def check(folder, *arguments):
        return subprocess.run([*command, *arguments], cwd=folder, env=plain, capture_output=True, text=True).stdout

    return check


def check(checked, text, tmp_path):
    (tmp_path / "user.py").write_text(text)
    return checked(tmp_path, "--strict", "user.py")


def test_the_package_is_found_with_its_types(checked, tmp_path):
    found = check(checked, GOOD, tmp_path)
    assert "error" not in found, found
    assert "numpy.dtype[numpy.floating" in found
    assert "numpy.dtype[numpy.bool" in found


def test_typos_in_closed_sets_are_found(checked, tmp_path):
    found = check(checked, TYPOS, tmp_path)
    assert [line.split(":")[1] for line in found.splitlines() if ": error:" in line] == ["4", "5", "6", "7"]


def test_what_the_documents_call_is_called_as_it_is_typed(checked, tmp_path):
    blocks = []
    pages = sorted({*(ROOT / "docs").glob("*.md")} - {ROOT / "docs" / "your-own-game.md"})  # of excerpts from a package
    for document in (ROOT / "README.md", *pages):
        for number, block in enumerate(re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL)):
            lines = block.splitlines()
            if ">>>" in block:
                lines = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
            blocks.append(f"{re.sub(r'[^a-z]', '_', document.stem.lower())}_{number}.py")
            (tmp_path / blocks[-1]).write_text("\n".join([f"# mypy: {FIRST_LINE}", *lines]))
    assert len(blocks) > 40
    found = checked(tmp_path, "--strict", *blocks)
    assert "Success" in found, found
