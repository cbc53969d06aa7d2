"""What an agent's code reaches is in its digest: modules that its file imports, and globals of agents declared in a notebook."""

import importlib
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import strozzi_sim as ss
from strozzi_games import STROZZI
from strozzi_sim.agent import load_agent, registry, spec_of
from strozzi_sim.agent.sources import sources_of_files, sources_of_values
from strozzi_sim.errors import InputError
from strozzi_sim.study.progress import Progress
from study_examples import played

pytestmark = pytest.mark.slow

BOT = """
    from strozzi_sim.agent import python_agent
    import numpy as np
    from reached_helper import place

    @python_agent(name="bot", games=("strozzi",))
    class Bot:
        def act(self, view, legal, rng):
            return legal[place(len(legal))]
"""


@pytest.fixture
def code(tmp_path, monkeypatch):
    """A folder on the path; a function writes modules into it, of names that no other test uses."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(**texts):
        for name, text in texts.items():
            path = tmp_path.joinpath(*name.split("__")).with_suffix(".py")
            path = path.with_name(path.name.replace("init", "__init__"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        for name in [name for name in sys.modules if name.startswith("reached_")]:
            monkeypatch.delitem(sys.modules, name)
        importlib.invalidate_caches()
        return tmp_path

    return write


def test_a_study_notices_that_a_module_which_an_agents_file_imports_has_changed(code):
    folder = code(bot=BOT, reached_helper="from reached_deeper import place")
    study = {"game": "strozzi", "players": [3], "deals": 4, "lineups": [[f"{folder / 'bot.py'}::bot"]]}

    def run(**options):
        return played(study, folder / "results", **options)

    code(reached_deeper="def place(count): return 0")
    assert run().new_games == 4
    code(reached_deeper="def place(count): return 0")
    assert run().new_games == 0
    code(reached_deeper="def place(count): return count - 1")
    with pytest.raises(InputError, match=r"another study \(agents\..*source"):
        run()
    with pytest.raises(InputError, match=r"another study \(agents\..*source"):
        run(trust_agents=True)  # which is for what cannot be known, not for what is known to differ


@pytest.mark.parametrize(
    "helper",
    [
        "from reached_package import part",
        "import reached_package.part",
        "def later():\n    from reached_package.part import x",
        "import importlib\nimportlib.import_module('reached_package.part')",
        "from reached_package.inner import y",
    ],
)
def test_modules_are_followed_however_they_are_imported(helper, code):
    inner = "from ..part import x\nfrom . import *\ny = x"
    code(reached_helper=helper, reached_package__init="", reached_package__inner__init=inner)

    def found(text):
        folder = code(reached_package__part=text, bot="import reached_helper")
        return sources_of_files([folder / "bot.py"])

    one, same, other = found("x = 1"), found("x = 1"), found("x = 2")
    assert one == same
    assert one.digest != other.digest
    assert one.unknown == ()


def test_libraries_and_our_own_modules_are_left_out(code, tmp_path, monkeypatch):
    text = """
        import json, numpy as np
        import strozzi_sim.agent
        import reached_missing, reached_library
    """
    installed = tmp_path / ".venv" / "site-packages"
    installed.mkdir(parents=True)
    monkeypatch.syspath_prepend(installed)

    def found(library):
        (installed / "reached_library.py").write_text(library)
        return sources_of_files([code(bot=text) / "bot.py"])

    assert found("x = 1") == found("x = 2")
    assert found("x = 1").unknown == ()


def test_of_an_installed_package_its_own_modules_count(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    for package in ("reached_bots", "reached_library"):
        (folder / package).mkdir(parents=True)
    (folder / "reached_bots" / "__init__.py").write_text(
        "import reached_library\n" + textwrap.dedent(BOT.replace("reached_helper", ".code"))
    )
    (folder / "reached_library" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(registry, "is_installed", lambda agent, game: True)

    def digest(own="def place(count): return 0", library=""):
        (folder / "reached_bots" / "code.py").write_text(own)
        (folder / "reached_library" / "__init__.py").write_text(library)
        return spec_of(importlib.import_module("reached_bots").Bot).source_digest

    first = digest()
    assert digest(library="x = 1") == first
    assert digest(own="def place(count): return 1") != first


def test_an_import_by_a_computed_name_is_said_and_resumes_only_if_trusted(code):
    computed = "import importlib\n    place = importlib.import_module('reached_' + 'helper').place"
    text = BOT.replace("from reached_helper import place", computed)
    folder = code(bot=text, reached_helper="def place(count): return 0")
    study = ss.Study.of(game="strozzi", players=[3], deals=4, lineups=[[f"{folder / 'bot.py'}::bot"]], chunks=2)
    messages = []

    def run(**options):
        return ss.run(study, folder / "results", workers=1, progress=Progress(on_message=messages.append), **options)

    assert run().new_games == 4
    (said,) = messages
    assert "line 5, imports a module by a computed name are not detected; so a results folder resumes only with" in said
    with pytest.raises(InputError, match=r"by a computed name are not detected; .*trust_agents, or name another"):
        run()
    assert run(trust_agents=True).new_games == 0
    assert ss.run(study, workers=1).n_games == 4  # without a folder there is nothing to resume


CELL = """
from dataclasses import dataclass
from functools import partial
import numpy as np
from strozzi_sim.agent import compiled_agent, python_agent
from strozzi_sim.game.contract import kth_legal
from strozzi_sim.kernel.jit import jit

PLACE = 0
TABLE = {"weights": np.zeros(3), "names": {"a", "b", "c"}}

@dataclass
class Style:
    bold: float = 0.5
    order: tuple = (1, 2)

STYLE = Style()

@jit
def helper(count):
    return PLACE

def made(shift):
    def place(count, extra=0):
        return PLACE + shift + extra
    return place

place = made(0)
third = partial(place, extra=0)

@compiled_agent(name="cell", games=("strozzi",))
def cell(state, rules, params, memory, rng):
    return kth_legal(state, rules, helper(3))

@python_agent(name="celled", games=("strozzi",))
class Celled:
    def act(self, view, legal, rng):
        TABLE, STYLE
        return legal[third(len(legal))]
"""


def cells(text):
    names = {"__name__": "__main__"}
    exec(compile(text, "<cell>", "exec"), names)
    return [spec_of(names[name], STROZZI) for name in ("cell", "Celled")]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("PLACE = 0", "PLACE = 1", (True, True)),
        ("return PLACE\n", "return PLACE + 0\n", (True, False)),
        ("made(0)", "made(1)", (False, True)),
        ("extra=0)\n\n@comp", "extra=1)\n\n@comp", (False, True)),
        ("count, extra=0", "count, extra=1", (False, True)),
        ("np.zeros(3)", "np.ones(3)", (False, True)),
        ('"c"}', '"d"}', (False, True)),
        ("Style()", "Style(0.7)", (False, True)),
        ("order: tuple = (1, 2)", "order: tuple = (2, 1)", (False, True)),
        ("from dataclasses", "NOT_USED = 5\nfrom dataclasses", (False, False)),
    ],
)
def test_whatever_an_agent_in_a_notebook_reaches_is_in_its_digest(old, new, changed):
    assert old in CELL
    before, after = cells(CELL), cells(CELL.replace(old, new, 1))
    assert tuple(a.source_digest != b.source_digest for a, b in zip(before, after, strict=True)) == changed
    assert not any(spec.undigested for spec in before)


def test_the_digest_is_the_same_in_every_process():
    code = "import test_sources as t; print(*[s.source_digest for s in t.cells(t.CELL)])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    environment["PYTHONHASHSEED"] = "1"  # here it is random
    found = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert found.stdout.split() == [spec.source_digest for spec in cells(CELL)]


def test_what_cannot_be_taken_apart_is_named():
    lock = threading.Lock()

    def guarded():
        with lock:
            return np.zeros(3)

    _, unknown = sources_of_values([guarded, [1, 2], load_agent("random", "strozzi")])
    assert unknown == ("a lock of test_what_cannot_be_taken_apart_is_named.<locals>.guarded",)


def test_values_that_contain_themselves_have_a_digest():
    def digest(last):
        values = [1]
        values.append(values)
        values.append(last)
        return sources_of_values([values]).digest

    assert digest(2) == digest(2)
    assert digest(2) != digest(3)
