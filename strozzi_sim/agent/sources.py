"""The sources of an agent, that is the code and files that determine its behaviour: their import, and their digest.

Files and packages of third parties are imported first in a worker process, where code that hangs or ends its process
does no harm, and by any other process only after a worker has done so.

The sources of an agent in a file are the file and the user's modules that it imports, with their whole packages; of an
agent in a package, that package and its imports. Imports are followed by name, without running code. Python,
strozzi-sim and other installed packages are excluded: they have versions. A package installed in editable form is in
its author's folder and is followed like the user's code.

The digest of an agent declared in code, in a notebook or a script, covers the user's functions and classes that it
reaches: byte code, defaults, closures and globals, and what these reach in turn. Of an object that wraps a function, by
numba or a decorator such as `lru_cache`, it covers the function alone; of others, what `pickle` would store of them.
"""

import ast
import dis
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from importlib.metadata import EntryPoint
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import getattr_static
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from strozzi_sim.agent.declare import Agent
from strozzi_sim.agent.files import check_named
from strozzi_sim.agent.python import SECONDS_VARIABLE, seconds_allowed
from strozzi_sim.errors import SIGNALS, AgentFault, InputError, short_repr, short_text, suggest_names
from strozzi_sim.runtime import workers
from strozzi_sim.runtime.entry_points import load_object

BUILTIN_PACKAGE = "strozzi_agents"  # the package of the built-in agents
MIN_SECONDS = 10.0  # shortest time limit of an import, since libraries take seconds to load
_BUILTIN = ("strozzi_sim", BUILTIN_PACKAGE)
_INSTALLED = {"site-packages", "dist-packages"}  # folders of packages, also in an environment inside a project
_BY_NAME = {"import_module", "__import__"}  # functions that import the module with a given name


@cache
def _module_of(file: str, digest: str) -> ModuleType:
    """Return the module of a file with this digest of its content, so that a changed file is imported again."""
    if spec_from_file_location("agent", file) is None:
        raise InputError(f"agent file {file}: not a Python file")
    module: ModuleType = _load(f"agent file {file}", _run_file, file, digest)
    return module


def _run_file(file: str, digest: str) -> ModuleType:
    path = Path(file)
    name = f"strozzi_agent_file_{sha256(str(path.resolve()).encode()).hexdigest()[:16]}_{digest}"
    specification: Any = spec_from_file_location(name, path)  # `_module_of` has checked that there is one
    sys.modules[name] = module = module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except BaseException:  # remove the partially imported module
        del sys.modules[name]
        raise
    return module


def agent_in_file(file: str, place: str, name: str) -> Agent:
    """Return the agent `name` of a file; `file` is its path in a spec string, `place` the path to open (`place_of`)."""
    if not os.path.isfile(place):  # `Path.is_file` raises for a name that is too long
        raise InputError(f"agent {short_text(f'{file}::{name}')}: no file {short_repr(file)}")
    check_named(place)
    module = _module_of(place, sha256(Path(place).read_bytes()).hexdigest()[:16])
    agents = {agent.name: agent for agent in vars(module).values() if isinstance(agent, Agent)}
    agent = agents[name] if name in agents else getattr(module, name, None)
    if not isinstance(agent, Agent):
        declared = suggest_names(name, agents).removeprefix("known: ")
        raise InputError(f"agent {file}::{name}: the file declares no agent {name!r}; it has: {declared}")
    return agent


def load_point(name: str, value: str) -> Any:
    """Return the object at `value`, MODULE:ATTRIBUTE, which a package registers as agent `name`."""
    trusted = value.split(".")[0] == BUILTIN_PACKAGE
    return _load(f"agent {name!r}: {value}", load_object, EntryPoint("", value, ""), trusted=trusted)


def _load(what: str, load: Callable[..., Any], *arguments: Any, trusted: bool = False) -> Any:
    """Return `load(*arguments)`; a worker process runs it first if it is not trusted. Raises AgentFault."""
    if not (trusted or workers.is_worker()):
        seconds = max(seconds_allowed(), MIN_SECONDS)
        try:
            workers.call_in_worker(_try, what, load, *arguments, seconds=seconds)
        except workers.Hung:
            limit = f"{seconds:g} s ({SECONDS_VARIABLE} sets the limit)"
            raise AgentFault(f"{what} does not import: it takes longer than {limit}") from None
        except workers.WorkerDied as died:
            raise AgentFault(f"{what} does not import: it {died.what}") from None
    try:
        with workers.stdout_to_stderr():
            return load(*arguments)
    except BaseException as error:
        if isinstance(error, SIGNALS) and not workers.is_worker():
            raise  # a signal that ends the run; a worker ignores Ctrl-C, so there the file raised it
        raise AgentFault(f"{what} does not import: {workers.describe_exception(error)}") from error


def _try(what: str, load: Callable[..., Any], *arguments: Any) -> None:
    with workers.active_heartbeat(workers.heartbeat()):
        _load(what, load, *arguments)


class Sources(NamedTuple):
    """A digest of code and files, with the parts that it does not cover."""

    digest: str  # SHA-256
    unknown: tuple[str, ...]  # descriptions of these parts


def sources_of_files(files: Iterable[Path]) -> Sources:
    """Return the digest of these files and of the user's modules and packages that they import, directly or not."""
    contents, unknown, seen = set[str](), list[str](), set[str]()
    pending = list(files)
    while pending:
        file = pending.pop()
        try:
            content = file.read_bytes()
        except OSError:
            unknown.append(f"{file} cannot be read")
            continue
        contents.add(sha256(f"{file.name}\0".encode() + content).hexdigest())
        names, line = _imports(content) if file.suffix in SOURCE_SUFFIXES else (frozenset[str](), 0)
        if line:
            unknown.append(f"{file.name}, line {line}, imports a module by a computed name")
        for name in names - seen:
            pending += [path for path in files_of(name) if _is_user_code(name, str(path))]
        seen |= names
    return Sources(sha256("".join(sorted(contents)).encode()).hexdigest(), tuple(dict.fromkeys(unknown)))


def files_of(module: str) -> list[Path]:
    """Return a module's file, or all source and extension files of a package; this imports only its parent packages."""
    try:
        spec = find_spec(module)
    except Exception:  # noqa: BLE001 - third-party finders may raise anything
        return []
    if spec is None or (not spec.has_location and spec.submodule_search_locations is None):
        return []
    folders, suffixes = spec.submodule_search_locations, (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)
    if folders is None:
        return [Path(str(spec.origin))]
    return [file for folder in folders for file in sorted(Path(folder).rglob("*")) if file.name.endswith(suffixes)]


def _is_user_code(module: str | None, file: str | None) -> bool:
    top = (module or "").partition(".")[0]
    library = file is not None and not _INSTALLED.isdisjoint(Path(file).parts)
    return top == "__main__" or not (library or top in _BUILTIN or top in sys.stdlib_module_names)


@lru_cache(maxsize=4096)
def _imports(source: bytes) -> tuple[frozenset[str], int]:
    """Return the top-level names that a source imports, and the first line that imports a computed name, or 0.

    Relative imports are left out: they stay in the package, all files of which are followed.
    """
    names, computed_at = set[str](), list[int]()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # its import fails too
        return frozenset(), 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(str(node.module).partition(".")[0])
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in _BY_NAME:
            argument = node.args[0] if node.args else None
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                names.add(argument.value.partition(".")[0])
            else:
                computed_at.append(node.lineno)
    return frozenset(filter(None, names)), min(computed_at, default=0)


_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
_NAMED = (  # types of objects of Python and extensions, which are digested by name
    types.BuiltinFunctionType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
)
_INTERNAL = ("_abc_", "__static_", "__firstlineno")  # attributes that Python adds to a class


def sources_of_values(values: Iterable[Any]) -> Sources:
    """Return the digest of these values and of what they reach, within the limits that the module describes."""
    walk = _Walk()
    for value in values:
        walk.add(value, "the agent")
    return Sources(walk.hash.hexdigest(), tuple(walk.unknown))


class _Walk:
    """The digest of a graph of objects, each of which is added once."""

    def __init__(self) -> None:
        self.hash = sha256()
        self.unknown: dict[str, None] = {}
        self._seen: dict[int, int] = {}
        self._referenced: list[Any] = []  # kept, so that no later object gets the id of a temporary one

    def add(self, value: Any, owner: str) -> None:
        """Add a value that `owner`, a function or class, uses."""
        kind = type(value)
        self._write(kind.__module__, kind.__qualname__)
        if kind in _PLAIN:
            self._write(value if kind is bytes else repr(value))
        elif id(value) in self._seen:
            self._write(self._seen[id(value)])
        else:
            self._seen[id(value)] = len(self._seen)
            self._referenced.append(value)
            inner = value.__qualname__ if isinstance(value, types.FunctionType | type) else owner
            for part in self._parts(value, owner):
                self.add(part, inner)
            self._write("end")

    def _write(self, *words: object) -> None:
        for word in words:
            content = word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogatepass")
            self.hash.update(len(content).to_bytes(8, "little") + content)

    def _parts(self, value: Any, owner: str) -> Iterable[Any]:
        """Return the parts that determine a value; add a value that cannot be taken apart to `unknown`."""
        kind = type(value)
        if isinstance(value, types.ModuleType):
            return [value.__name__, self._digest_module(value.__name__)]
        if isinstance(value, types.FunctionType):
            return self._parts_of_function(value)
        if isinstance(value, type):
            file = getattr(sys.modules.get(value.__module__), "__file__", None)
            attributes = {key: part for key, part in vars(value).items() if not key.startswith(_INTERNAL)}
            parts = [value.__bases__, attributes] if _is_user_code(value.__module__, file) else []
            return [value.__module__, value.__qualname__, *parts]
        if isinstance(value, _NAMED):
            return [getattr(value, "__module__", ""), getattr(value, "__qualname__", repr(value))]
        for attribute in ("py_func", "__wrapped__"):  # set by numba, or by a decorator such as `lru_cache`
            if isinstance(function := getattr_static(value, attribute, None), types.FunctionType):
                return [function]
        if isinstance(value, types.CodeType):
            counts = (value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags)
            names = (value.co_names, value.co_varnames)
            return [value.co_code, value.co_exceptiontable, *counts, *names, value.co_consts]
        if isinstance(value, types.MethodType):
            return [value.__func__, value.__self__]
        if isinstance(value, staticmethod | classmethod):
            return [value.__func__]
        if isinstance(value, property):
            return [value.fget, value.fset, value.fdel]
        if kind in (tuple, list):
            return list(value)
        if kind in (dict, types.MappingProxyType):
            return [part for item in value.items() for part in item]
        if kind in (set, frozenset):  # sorted by digest: the order of a set differs between processes
            elements = [sources_of_values([element]) for element in value]
            self.unknown |= dict.fromkeys(name for element in elements for name in element.unknown)
            return sorted(element.digest for element in elements)
        if isinstance(getattr(kind, "source_digest", None), property):  # an AgentSpec
            self.unknown |= dict.fromkeys(value.undigested)
            return [value.text, value.source_digest]
        try:
            reduced = value.__reduce_ex__(4)
        except Exception:  # noqa: BLE001 - user code may raise anything
            self.unknown[f"a {kind.__qualname__} of {owner}"] = None
            return []
        # the name of a global, or a tuple of 2 to 6 elements, of which the sixth, a state setter, is left out
        padded = (*((reduced,) if isinstance(reduced, str) else reduced), *[None] * 4)
        constructor, arguments, state, elements, items = padded[:5]
        return [constructor, arguments, state, list(elements or ()), list(items or ())]

    def _parts_of_function(self, function: types.FunctionType) -> list[Any]:
        named: list[Any] = [function.__module__, function.__qualname__]
        if not _is_user_code(function.__module__, function.__code__.co_filename):
            return named
        codes = list(_codes(function.__code__))
        names = {name for code in codes for name in code.co_names}  # globals and attributes
        if names & _BY_NAME:
            self.unknown[f"modules that {function.__qualname__} imports by name"] = None
        steps = (step for code in codes for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME")
        named += [function.__code__, function.__defaults__, function.__kwdefaults__]
        unassigned = types.CellType()
        closure = [cell.cell_contents for cell in function.__closure__ or () if cell != unassigned]
        reached = {name: function.__globals__[name] for name in sorted(names & function.__globals__.keys())}
        return [*named, closure, reached, [self._digest_module(str(step.argval)) for step in steps]]

    def _digest_module(self, name: str) -> str:
        """Return the digest of the top-level package or module of a name: of no files unless it is the user's."""
        top = name.partition(".")[0]
        sources = sources_of_files(file for file in files_of(top) if _is_user_code(top, str(file)))
        self.unknown |= dict.fromkeys(sources.unknown)
        return sources.digest


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)
