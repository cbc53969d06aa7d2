"""Names in docstrings and comments are those of the code: files, attributes and arguments; examples run."""

import ast
import builtins
import doctest
import io
import keyword
import re
import tokenize
from importlib import import_module

import pytest

import strozzi_sim as ss
from paths import ROOT
from sources import text_of, tree_of
from strozzi_sim.study.arguments import PrecisionOptions

FOLDERS = ("strozzi_sim", "agents", "benchmarks", "examples")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
ALL_FILES = [*ROOT.iterdir()]
ALL_FILES += [path for folder in (*FOLDERS, "docs", "experiments", "tests") for path in (ROOT / folder).rglob("*.*")]
OF_USERS = {"bots.py", "games.jsonl", "mine.py"}  # files that a user or another project has
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


@pytest.fixture(scope="module")
def texts():
    """(path, docstring or comment) of all code; of comments those that quote a name."""
    found = []
    for path in FILES:
        found += [
            (path, ast.get_docstring(each) or "") for each in ast.walk(tree_of(path)) if isinstance(each, DOCUMENTED)
        ]
        if re.search("#.*`", text_of(path)):
            tokens = tokenize.generate_tokens(io.StringIO(text_of(path)).readline)
            found += [(path, token.string) for token in tokens if token.type == tokenize.COMMENT]
    return found


def test_files_that_are_named_exist(texts):
    known = OF_USERS | {path.name for path in ALL_FILES}
    named = {(path.name, name) for path, text in texts for name in re.findall(r"`(\w+\.py)`", text)}
    assert len(named) > 20
    assert [each for each in sorted(named) if each[1] not in known] == []


def own_names(node):
    """Names that a class has, or the arguments of a function."""
    if isinstance(node, ast.ClassDef):
        of_body = {name for each in node.body for name in own_names(each)} if node.body else set()
        stored = {
            each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
        }
        return of_body | stored | {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    if isinstance(node, ast.FunctionDef):
        options = PrecisionOptions.__annotations__ if node.args.kwarg else {}
        return {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)} | set(options)
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def test_attributes_and_arguments_that_are_explained_exist():
    wrong, seen = [], 0
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            doc = ast.get_docstring(node) if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else None
            for kind in ("Args", "Attributes") if doc else ():
                part = re.search(rf"^{kind}:\n((?:    .*\n?|\n)+)", doc, re.MULTILINE)
                heads = re.findall(r"^    (\*{0,2}\w+(?:, \w+)*): ", part[1], re.MULTILINE) if part else []
                names = {name.strip("* ") for head in heads for name in head.split(",")}
                seen += len(names)
                bases = isinstance(node, ast.ClassDef) and node.bases  # whose attributes may be explained again
                missing = names - own_names(node) if not bases else set()
                wrong += [(path.name, node.name, name) for name in sorted(missing)]
    assert seen > 300
    assert wrong == []


WORD = re.compile(r"[A-Za-z_]\w+")
OF_OTHERS = {"proportion_confint", "studentized_range", "multipletests", "false_discovery_control", "python_GAME"}
OF_OTHERS |= {"seat_0", "__array__"}


def names_in_use():
    """Every name of the code, and every word of its strings that are no docstrings, of data files and of commands."""
    found = {path.stem for path in FILES}
    for path in FILES:
        tree = tree_of(path)
        documented = [
            each for each in ast.walk(tree) if isinstance(each, DOCUMENTED) and ast.get_docstring(each, clean=False)
        ]
        docs = {id(each.body[0].value) for each in documented}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                found |= set(WORD.findall(node.value))
            for key in ("name", "id", "attr", "arg", "asname", "module"):
                named = getattr(node, key, None)
                found |= set(WORD.findall(named)) if isinstance(named, str) else set()
    for path in ALL_FILES:
        if path.suffix == ".toml":
            found |= set(WORD.findall(path.read_text("utf-8")))
    return found | OF_OTHERS | set(dir(builtins)) | set(keyword.kwlist)


def test_every_name_in_backticks_is_one_of_the_code(texts):
    known, wrong, seen = names_in_use(), [], 0
    for path, text in texts:
        if path.is_relative_to(ROOT / "strozzi_sim"):
            for quoted in re.findall(r"`+([A-Za-z_]\w*(?:\.\w+)*)(?:\(\))?`+", text):
                seen += 1
                wrong += [(path.name, quoted) for part in quoted.split(".") if part not in known and len(part) > 1]
    assert seen > 300
    assert not wrong, sorted(set(wrong))


WITH_EXAMPLES = [
    path for path in FILES if "adapters" not in path.parts and re.search("^ *>>> ", text_of(path), re.MULTILINE)
]


@pytest.mark.slow_for("position", "start")
@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_of_a_module_run(path):
    """But for those of public names, see `test_python_interface.py`, and of adapters, see `test_page.py`."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removeprefix("agents.")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for each in doctest.DocTestFinder().find(import_module(name), name):
        if each.name.rpartition(".")[2] not in ss.__all__:
            runner.run(each)
    assert not runner.failures
