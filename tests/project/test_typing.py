"""What a type checker sees of the package: types that are found, closed sets that are closed, arrays with dtypes."""

import os
import re
import subprocess
import sys

import pytest

from needed import need
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
# Types of other packages say nothing of this one, and take most of the time.
CONFIGURATION = """
[mypy]
strict = True
[mypy-duckdb.*,gymnasium.*,matplotlib.*,open_spiel.*,optuna.*,pandas.*,pettingzoo.*,polars.*,pyspiel.*,torch.*]
follow_imports = skip
ignore_missing_imports = True
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
def blocks():
    """The Python blocks of the documents: name of a file -> its text."""
    found = {}
    pages = sorted({*(ROOT / "docs").glob("*.md")} - {ROOT / "docs" / "your-own-game.md"})  # of excerpts from a package
    for document in (ROOT / "README.md", *pages):
        for number, block in enumerate(re.findall(r"```python\n(.*?)```", document.read_text(), re.DOTALL)):
            lines = block.splitlines()
            if ">>>" in block:
                lines = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
            name = f"{re.sub(r'[^a-z]', '_', document.stem.lower())}_{number}.py"
            found[name] = "\n".join([f"# mypy: {FIRST_LINE}", *lines])
    return found


@pytest.fixture(scope="module")
def found(blocks, tmp_path_factory):
    """What mypy says: lines by file. All are checked in one run, since to learn of the package takes most of the time."""
    need("mypy")
    folder = tmp_path_factory.mktemp("users")
    files = {"good.py": GOOD, "typos.py": TYPOS, **blocks}
    for name, text in {**files, "mypy.ini": CONFIGURATION}.items():
        (folder / name).write_text(text)
    command = [sys.executable, "-m", "mypy", "--cache-dir", os.devnull, *files]
    plain = {key: value for key, value in os.environ.items() if key != "MYPYPATH"}
    said = subprocess.run(command, cwd=folder, env=plain, capture_output=True, text=True).stdout
    assert said.rstrip().endswith(f"(checked {len(files)} source files)"), said
    return {name: [line for line in said.splitlines() if line.startswith(f"{name}:")] for name in files}


def test_the_package_is_found_with_its_types(found):
    notes = found["good.py"]
    assert not any("error" in line for line in notes), notes
    assert "numpy.dtype[numpy.floating" in notes[0]
    assert "numpy.dtype[numpy.bool" in notes[1]


def test_typos_in_closed_sets_are_found(found):
    assert [line.split(":")[1] for line in found["typos.py"] if ": error:" in line] == ["4", "5", "6", "7"]


def test_what_the_documents_call_is_called_as_it_is_typed(blocks, found):
    assert len(blocks) > 40
    assert {name: found[name] for name in blocks if found[name]} == {}
