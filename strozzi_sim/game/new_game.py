"""A new game's folder: the files of `strozzi_sim.template` under the game's name, and a test."""

import keyword
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from strozzi_sim.errors import ArgumentError, StorageError, as_argument_error, short_repr
from strozzi_sim.game import game_names
from strozzi_sim.runtime.files import check_portable

_TEMPLATE = "strozzi_sim.template"
_NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")
_TEST = '''"""The game and its agent keep their contracts: a test for each promise and player count."""

import pytest
from strozzi_sim.conformance import agent_checks, game_checks

from {name} import GAME


@pytest.mark.parametrize("check", game_checks(GAME))
def test_game(check):
    check()


@pytest.mark.parametrize("check", agent_checks(["highest"], GAME))
def test_agent(check):
    check()
'''


def write_new_game(name: str, folder: Path) -> list[Path]:
    """Write a playable game as an installable package and return its files. Raises ArgumentError and StorageError."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in sys.stdlib_module_names:
        allowed = "2 to 40 lower-case letters, digits and underscores, a letter first, no word or module of Python"
        raise ArgumentError("game", f"must be {allowed}, got {short_repr(name)}")
    as_argument_error("game", check_portable, name)
    if name in game_names():
        raise ArgumentError("game", f"a game {name!r} is installed; choose another name")
    if hidden := _hidden_by(name):
        raise ArgumentError("game", f"{name!r} would hide {hidden}; choose another name")
    written = {}
    for file in files(_TEMPLATE).iterdir():
        if file.name.endswith((".py", ".toml")):
            text = file.read_text(encoding="utf-8").replace(_TEMPLATE, name)
            text = re.sub(r"\btemplate\b", name, text)
            text = re.sub(r"\bTemplate\b", name.replace("_", " ").title(), text)
            # Sort imports as ruff does in the new package, where strozzi_sim is third-party and the game first-party.
            text = re.sub(rf"(?m)((?:^from {name}\..*\n)+)((?:^from .*\n)*)", r"\2\n\1", text)
            # In src: a folder of this name in the current one would be imported in place of the installed package.
            target = folder if file.name == "pyproject.toml" else folder / "src" / name
            written[target / file.name] = text
    written[folder / f"test_{name}.py"] = _TEST.format(name=name)
    try:
        folder.mkdir(parents=True)
        (folder / "src" / name).mkdir(parents=True)
        for path, text in written.items():
            path.write_text(text, encoding="utf-8", newline="\n")
    except FileExistsError:
        raise StorageError(f"{folder}: exists; choose another folder") from None
    except OSError as error:
        raise StorageError(f"{folder}: cannot be written: {error.strerror}") from error
    return sorted(written)


def _hidden_by(name: str) -> str:
    """Return the installed package, or the importable module, that a game of this name would replace; "" if none."""
    try:
        return f"the installed package {distribution(name).name}"
    except PackageNotFoundError:
        spec = find_spec(name)
    if spec is None:
        return ""
    if spec.origin:
        return f"the module in {spec.origin}"
    # A folder without __init__.py counts as a module, unless it is in the current folder.
    elsewhere = [place for place in spec.submodule_search_locations or () if Path(place).parent != Path.cwd()]
    return f"the module in {elsewhere[0]}" if elsewhere else ""
