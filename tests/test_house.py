"""The house: imports point one way, every game folder holds the same files, nothing draws from global randomness."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "strozzi_sim"
ORDER = [
    "errors", "kernel", "spec_text", "thoughts", "python_agent", "games", "agent", "selfplay", "stats", "studies", "reports",
    "adapters", "cli",
]  # fmt: skip
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "agents").rglob("*.py")])
GAME_FILES = {
    "__init__.py", "components.toml", "variants.toml", "components.py", "state.py", "core.py", "events.py", "view.py",
    "tallies.py", "pages.py", "reference.py", "check.py",
}  # fmt: skip


def imports(file):
    """The modules a file imports, with whether the import runs when the module does."""
    tree = ast.parse(file.read_text())
    inside = {id(node) for outer in ast.walk(tree) if isinstance(outer, ast.FunctionDef) for node in ast.walk(outer)}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            yield name, id(node) not in inside


def part_of(name):
    pieces = name.split(".")
    return pieces[1] if pieces[0] == "strozzi_sim" and len(pieces) > 1 else None


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_point_one_way(file):
    here = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if here in ("__init__", "__main__"):
        return
    for name, _ in imports(file):
        part = part_of(name)
        assert not name.startswith("strozzi_agents"), f"{file}: agents are found through entry points, not imported"
        if part is not None:
            assert ORDER.index(part) <= ORDER.index(here), f"{file} imports {name} from a higher floor"


def test_games_do_not_know_each_other_and_nobody_knows_a_game():
    games = [folder.name for folder in (PACKAGE / "games").iterdir() if (folder / "core.py").exists()]
    assert games == ["strozzi"]
    for file in PACKAGE.rglob("*.py"):
        for game in games:
            if game not in file.relative_to(PACKAGE).parts:
                assert not any(name.startswith(f"strozzi_sim.games.{game}") for name, _ in imports(file)), file


def test_every_game_folder_holds_the_same_files():
    for folder in (path for path in (PACKAGE / "games").iterdir() if (path / "core.py").exists()):
        assert {file.name for file in folder.iterdir()} >= GAME_FILES


def test_the_reference_shares_nothing_with_the_core():
    for file in (PACKAGE / "games").rglob("reference.py"):
        assert not [name for name, _ in imports(file) if name.startswith(("strozzi_sim", "numpy", "numba"))]


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_global_randomness_and_no_long_modules(file):
    text = file.read_text()
    assert len(text.splitlines()) <= 450
    assert not re.search(r"np\.random|numpy\.random|^import random|from random import|time_ns\(\)", text, re.MULTILINE)


def test_importing_an_agent_compiles_nothing():
    for file in (ROOT / "agents").rglob("*.py"):
        assert not any(name in ("numba.cfunc", "numba.njit", "numba.jit") for name, _ in imports(file)), file


def test_every_agent_is_registered_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["strozzi_sim.agents"]
    declared = set()
    for file in (ROOT / "agents").rglob("*.py"):
        declared |= set(re.findall(r'@compiled_agent\(\s*(?:name=)?"([a-z0-9-]+)"', file.read_text()))
    assert declared <= set(points)
