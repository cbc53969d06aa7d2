"""The house: imports point one way, every game folder holds the same files, nothing draws from global randomness."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module

from our_games import OUR_GAMES
from paths import ROOT
from sources import text_of, tree_of
from strozzi_sim.agent import spec_of
from strozzi_sim.agent.declare import EVERY_GAME
from strozzi_sim.agent.registry import installed_agents
from strozzi_sim.game import game_names

PACKAGE = ROOT / "strozzi_sim"
ORDER = [
    "errors", "runtime", "kernel", "stats", "facts", "game", "declare", "games", "agent", "template", "table", "simulation", "play", "adapters", "study", "pictures", "report", "web", "conformance", "cli", "desk",
]  # fmt: skip
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "agents").rglob("*.py")])
GAME_FILES = {
    "__init__.py", "components.toml", "variants.toml", "components.py", "state.py", "core.py", "events.py", "view.py",
    "fact_handlers.py", "report.py", "report.toml", "names.toml", "reference.py", "verify.py",
}  # fmt: skip


@cache
def imports(file):
    """The modules a file imports, inside functions too."""
    found = []
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def part_of(name):
    pieces = name.split(".")
    return pieces[1] if pieces[0] == "strozzi_sim" and len(pieces) > 1 else None


def test_imports_point_one_way():
    for file in PACKAGE.rglob("*.py"):
        here = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if here in ("__init__", "__main__"):
            continue
        for name in imports(file):
            part = part_of(name)
            assert not name.startswith("strozzi_agents"), f"{file}: agents are found through entry points, not imported"
            if part is not None:
                assert ORDER.index(part) <= ORDER.index(here), f"{file} imports {name} from a part below it"


def module_of(file):
    top = PACKAGE.parent if file.is_relative_to(PACKAGE) else ROOT / "agents"
    return ".".join(file.relative_to(top).with_suffix("").parts).removesuffix(".__init__")


def test_no_two_files_import_each_other():
    """Nor is there a longer circle, imports for types and inside functions included."""
    modules = {module_of(file) for file in SOURCES}
    needs = {}
    for file in SOURCES:
        found = (name if name in modules else name.rpartition(".")[0] for name in imports(file))
        needs[module_of(file)] = {name for name in found if name in modules} - {module_of(file)}
    kinds = [name for name in needs if name.startswith("strozzi_sim.study.kinds.")]
    assert not [need for kind in kinds for need in needs[kind] if need in kinds], "no kind of study knows another"
    assert "strozzi_sim.agent" in needs["strozzi_sim.simulation.match"]
    list(TopologicalSorter(needs).static_order())  # raises CycleError, which names the circle


def test_modules_are_imported_by_a_computed_name_in_few_places():
    """Such an import is in no list of imports: of public names, of kinds of study, of the report, of the parts of a game, and of commands."""
    found = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func)
    }
    of_games = {"game/contract.py", "game/as_json.py", "game/parts.py"}
    assert found == {"__init__.py", "study/kinds/__init__.py", "study/results.py", "cli/parser.py", *of_games}


def test_what_benchmarks_import_is_there():
    for file in (ROOT / "benchmarks").rglob("*.py"):
        for name in imports(file):
            if part_of(name) is not None:
                module, _, thing = name.rpartition(".")
                assert hasattr(import_module(module), thing), f"{file}: there is no {name}"


def test_games_do_not_know_each_other_and_nobody_knows_a_game():
    assert set(OUR_GAMES) <= set(game_names())
    for file in PACKAGE.rglob("*.py"):
        for game in OUR_GAMES:
            if game not in file.relative_to(PACKAGE).parts:
                assert not any(name.startswith(f"strozzi_sim.games.{game}") for name in imports(file)), file


# Words of one game's box. "coins", the unit of scores, and "tracks" of a variant's data are none: every game has them.
GAME_WORDS = re.compile(
    r"\b(ships?|flags?|ports?|pirates?|harbou?rs?|florence|medici\w*|promotions?|wares?|cargos?|scrolls?|venice|rome|"
    r"naples|tiles?|cards?|decks?|claims?|markers?|berths?|dye|spice|cloth|fur|gold|monopol(?:y|ies)|lots?|prices?|cash|"
    r"bag|proposer|buyer|responder|moored)\b",
    re.IGNORECASE,
)
ALLOWED = {  # file -> where such a word means something else
    "cli/play.py": [r"\bport\b"],  # of a network
    "web/local.py": [r"\bport\b"],
    "desk/server.py": [r"\bport\b"],
    "desk/assets/desk.css": [r"scroll-margin-top"],
    "simulation/loop.py": [r"stop flag"],
    "simulation/interrupts.py": [r"stop flag"],
    "report/page.py": [r"flags=re\.\w+"],
    "report/templates/page.html": [r'class="scroll"'],
    "report/templates/page.css": [r"\.scroll\b", r"scroll-margin-top", r"scroll-behavior"],
}
AGENTS_OF_GAMES = sorted(
    {
        agent.name
        for agent, games in installed_agents()
        if agent.games != EVERY_GAME
        and spec_of(agent, games[0]).builtin
        and set(agent.function.__module__.split(".")) & set(OUR_GAMES)  # not one written once for all games
    }
)


def test_words_of_one_game_stand_in_its_folder_alone():
    agents = re.compile(rf"(?<![\w-])({'|'.join(AGENTS_OF_GAMES)})(?![\w-])")
    assert {"heuristic", "fair-price"} <= set(AGENTS_OF_GAMES)
    ours = ROOT / "agents" / "strozzi_agents"
    files = [(file, file.relative_to(root)) for root in (PACKAGE, ours) for file in sorted(root.rglob("*"))]
    for file, place in files:
        own_folders = place.parts[:2] if place.parts[0] == "games" else place.parts[:1]
        if file.suffix not in (".py", ".toml", ".html", ".css") or set(own_folders) & set(OUR_GAMES):
            continue
        text = re.sub(
            r"Example: .*|^lineups = .*|^ *>>> .*", "", file.read_text(), flags=re.MULTILINE
        )  # examples name some agent
        for allowed in ALLOWED.get(place.as_posix(), ()):
            text, count = re.subn(allowed, "", text)
            assert count, f"{place}: {allowed!r} stands there no more; drop it from the list"
        found = GAME_WORDS.findall(text) + agents.findall(text)
        assert not found, f"{place}: {found}"


def test_every_game_folder_holds_the_same_files():
    for game in OUR_GAMES:
        assert {file.name for file in (PACKAGE / "games" / game).iterdir()} >= GAME_FILES


def test_the_reference_shares_nothing_with_the_core():
    """A reference may have several modules, `reference*.py` of one folder, and knows nothing but them."""
    files = list((PACKAGE / "games").rglob("reference*.py"))
    assert len(files) > len(OUR_GAMES)
    for file in files:
        own = module_of(file.with_name("reference"))
        used = [name for name in imports(file) if name.startswith(("strozzi_sim", "numpy", "numba"))]
        shared = (own, "strozzi_sim.game.record_checking.")  # how a reference asks and writes
        assert not [name for name in used if not name.startswith(shared)], file


def test_no_global_randomness_and_no_long_modules():
    drawn = r"np\.random|numpy\.random|^import random|from random import|time_ns\(\)"
    for file in SOURCES:
        assert len(text_of(file).splitlines()) <= 450, file
        assert not re.search(drawn, text_of(file), re.MULTILINE), file


def test_importing_an_agent_compiles_nothing():
    for file in (ROOT / "agents").rglob("*.py"):
        assert not any(name in ("numba.cfunc", "numba.njit", "numba.jit") for name in imports(file)), file


# What a command imports from others before its first game: numpy, scipy, numba, pandas and joblib with what they take along.
AT_START = {
    "cloudpickle", "colorama", "dateutil", "joblib", "llvmlite", "msgspec", "numba", "numpy", "pandas", "psutil", "pyarrow", "scipy",
    "six", "typing_extensions", "yaml", "coverage", "strozzi_agents", "strozzi_sim",
}  # fmt: skip
UNTIL_PLAY = """
import os, sys
from strozzi_sim.cli.app import run
from strozzi_sim.study import running
def stop(*_, **__):
    print(*sys.modules, flush=True)
    os._exit(0)
running.warm_all = stop
run(["balance", "strozzi", "--players", "4", "--deals", "10"])
"""


def test_a_command_imports_little_before_its_first_game():
    done = subprocess.run([sys.executable, "-c", UNTIL_PLAY], capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    others = {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names)
    print(*sorted(others))
    assert {name for name in others if not re.match("_|cython", name)} <= AT_START
    # Of compiling nothing, of statistics and pictures nothing: a cached study needs them late or not at all.
    assert not {"numba.np.linalg", "numba.np.arrayobj", "scipy.stats", "scipy.special", "matplotlib"} & set(modules)


def test_every_agent_is_registered_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["strozzi_sim.agents"]
    declared = set()
    for file in (ROOT / "agents").rglob("*.py"):
        declared |= set(re.findall(r'@compiled_agent\(\s*(?:name=)?"([a-z0-9-]+)"', file.read_text()))
    assert declared <= {point.partition("@")[0] for point in points}


def test_pages_speak_of_players():
    """They or the seat, but for what a rulebook says in quotation marks."""
    for file in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        text = re.sub(r'"[^"\n]*"', "", file.read_text("utf-8"))
        assert not re.findall(r"\b(?:he|his|him|himself)\b", text, re.IGNORECASE), file
