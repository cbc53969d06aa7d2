"""The modules that an agent's file imports, directly or through others: its behaviour depends on their code too.

Modules are found without running them, by the names in `import` statements. Those of the standard library and of installed
packages are left out: they change with a version. So are ours, whose behaviour has a number. A package that is installed in
editable form lies in its author's folder, and counts as its author's code.
"""

import ast
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from importlib.machinery import SOURCE_SUFFIXES, ModuleSpec
from pathlib import Path
from typing import Any, NamedTuple

_OURS = ("strozzi_sim", "strozzi_agents")
_INSTALLED = {"site-packages", "dist-packages"}  # folders of packages, also of an environment inside a project
_BY_NAME = {"import_module", "__import__"}  # functions that import a module whose name they are given


class _Imports(NamedTuple):
    """The imports of a module's text."""

    names: tuple[str, ...]  # names of modules, and names that may be of modules, in order
    computed: int  # line of the first import whose name is computed, or 0


class Reached(NamedTuple):
    """The modules of the user that some code imports."""

    contents: dict[str, str]  # name of each module -> SHA-256 of its file
    unknown: tuple[str, ...]  # what cannot be followed, as text


def reached_from(text: bytes, name: str, package: str = "") -> Reached:
    """Return the modules that the text of a module imports, and those that they import."""
    first = _imports(text, package)
    unknown = [f"{name}, line {first.computed}, imports a module by a computed name"] if first.computed else []
    return _follow(first.names, package.partition(".")[0], unknown)


def reached_by_name(names: Iterable[str]) -> Reached:
    """Return the modules of these names that are the user's, and those that they import."""
    return _follow(names, "", [])


def is_users(module: str, file: str | None) -> bool:
    """Return whether the module of this name and file is code of the user: not ours, of Python, or of an installed package."""
    if file is None or module.partition(".")[0] in _OURS:
        return False
    path = Path(file).resolve()
    return _INSTALLED.isdisjoint(path.parts) and not any(path.is_relative_to(folder) for folder in _libraries())


def _follow(names: Iterable[str], own: str, unknown: list[str]) -> Reached:
    contents: dict[str, str] = {}
    todo, seen = list(names), set[str]()
    while todo:
        name = todo.pop(0)
        if name in seen:
            continue
        seen.add(name)
        for spec in _specs(name):
            file = spec.origin if spec.has_location else None
            if spec.name in contents or file is None or not (is_users(spec.name, file) or _is_part(spec.name, own)):
                continue
            try:
                content = Path(file).read_bytes()
            except OSError:
                unknown.append(f"module {spec.name} cannot be read")
                continue
            contents[spec.name] = sha256(content).hexdigest()
            if file.endswith(tuple(SOURCE_SUFFIXES)):
                package = spec.name if spec.submodule_search_locations is not None else spec.name.rpartition(".")[0]
                found = _imports(content, package)
                if found.computed:
                    unknown.append(f"module {spec.name}, line {found.computed}, imports a module by a computed name")
                todo += found.names
    return Reached(dict(sorted(contents.items())), tuple(dict.fromkeys(unknown)))


def _is_part(module: str, package: str) -> bool:
    return bool(package) and package not in _OURS and module.partition(".")[0] == package


def _specs(name: str) -> Iterator[ModuleSpec]:
    """Yield where a module is, after the packages that it is in, which Python runs first; nothing is imported."""
    path: Any = None
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        spec = _spec(".".join(parts[:length]), path)
        if spec is None:
            return
        yield spec
        if spec.submodule_search_locations is None:
            return
        path = spec.submodule_search_locations


def _spec(name: str, path: Any) -> ModuleSpec | None:
    for finder in sys.meta_path:
        with suppress(Exception):  # of somebody's finder
            spec = finder.find_spec(name, path, None)
            if spec is not None:
                return spec
    return None


@cache
def _libraries() -> tuple[Path, ...]:
    """Return the folders of Python and of installed packages."""
    paths = sysconfig.get_paths()
    named = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib") if key in paths]
    with suppress(AttributeError):  # `site` of an old virtualenv
        named += [*site.getsitepackages(), site.getusersitepackages()]
    return tuple({Path(folder).resolve() for folder in named})


@lru_cache(maxsize=4096)
def _imports(text: bytes, package: str) -> _Imports:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # its import fails too
        return _Imports((), 0)
    names: dict[str, None] = {}
    computed: list[int] = []
    for node in _run(tree):
        if isinstance(node, ast.Import):
            names |= dict.fromkeys(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node.module or "", node.level, package)
            names |= dict.fromkeys(name for name in (base, *(f"{base}.{each.name}" for each in node.names)) if base)
        elif isinstance(node, ast.Call) and _called(node) in _BY_NAME:
            given = node.args[0] if node.args else None
            if isinstance(given, ast.Constant) and isinstance(given.value, str) and not given.value.startswith("."):
                names[given.value] = None
            else:
                computed.append(node.lineno)
    return _Imports(tuple(names), min(computed, default=0))


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and those below it, without what only type checkers read."""
    yield node
    is_typing = isinstance(node, ast.If) and ast.unparse(node.test).split(".")[-1] == "TYPE_CHECKING"
    below = node.orelse if is_typing else ast.iter_child_nodes(node)  # type: ignore[attr-defined]
    for each in below:
        yield from _run(each)


def _called(node: ast.Call) -> str:
    function = node.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _absolute(module: str, level: int, package: str) -> str:
    """Return the absolute name of a module that is imported in `package`, or "" if there is none."""
    if level == 0:
        return module
    parts = package.split(".") if package else []
    base = parts[: len(parts) - (level - 1)] if level - 1 < len(parts) else []
    return ".".join([*base, module] if module else base) if base else ""
