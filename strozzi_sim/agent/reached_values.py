"""The digest of an agent declared in code, in a notebook or a script: of all that its functions and classes reach.

That is their text, or their byte code if the text is lost, their defaults, closures and globals, and what these reach in turn.
Values of other libraries' types are taken apart as by pickle. What cannot be taken apart is named.
"""

import dis
import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from hashlib import sha256
from typing import Any

import numpy as np

from strozzi_sim.agent.reached_modules import is_users, reached_by_name
from strozzi_sim.agent.source import source_of

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
_BY_TEXT = {
    "__module__",
    "__qualname__",
    "__doc__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__abstractmethods__",
}
_NAMED = (  # of Python and of extensions: their name says all
    types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
    types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodWrapperType,
)  # fmt: skip


def digest_of_values(values: Iterable[Any]) -> tuple[str, tuple[str, ...]]:
    """Return the SHA-256 of everything that these values reach, and what could not be digested, as text."""
    walk = _Walk()
    for value in values:
        walk.add(value, getattr(value, "__name__", type(value).__name__))
    return walk.hash.hexdigest(), tuple(walk.unknown)


class _Walk:
    """Adds values to a digest, each once."""

    def __init__(self) -> None:
        self.hash = sha256()
        self.unknown: dict[str, None] = {}
        self._seen: dict[int, int] = {}
        self._held: list[Any] = []  # keeps what `__reduce_ex__` makes, so that no other object gets its id

    def _write(self, *words: object) -> None:
        for word in words:
            content = word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogatepass")
            self.hash.update(len(content).to_bytes(8, "little") + content)

    def add(self, value: Any, where: str) -> None:
        """Add a value; `where` says in messages which it is."""
        if type(value) in _PLAIN:
            self._write(type(value).__name__, repr(value))
            return
        if id(value) in self._seen:
            self._write("again", self._seen[id(value)])
            return
        self._seen[id(value)] = len(self._seen)
        self._held.append(value)
        kind = type(value)
        self._write(kind.__module__, kind.__qualname__)
        if isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, types.ModuleType):
            self._module(value.__name__)
        elif isinstance(value, _NAMED):
            self._write(getattr(value, "__module__", ""), getattr(value, "__qualname__", repr(value)))
        elif (function := _compiled_from(value)) is not None:
            self.add(function, where)
        elif isinstance(value, types.MethodType):
            self._all((value.__func__, value.__self__), where)
        elif isinstance(value, staticmethod | classmethod):
            self.add(value.__func__, where)
        elif isinstance(value, property):
            self._all((value.fget, value.fset, value.fdel), where)
        elif isinstance(value, Enum):
            self._write(value.name)
            self.add(type(value), where)
        elif isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
            self._write(value.dtype.descr, value.shape, value.tobytes())
        elif isinstance(value, np.dtype):
            self._write(value.descr, value.alignment)
        elif kind in (tuple, list):
            self._all(value, where)
        elif kind in (dict, types.MappingProxyType):
            self._items(value, where)
        elif kind in (set, frozenset):
            self._set(value, where)
        elif isinstance(getattr(kind, "source_digest", None), property):  # an agent with values
            self._write(value.text, value.source_digest)
            self.unknown |= dict.fromkeys(value.undigested)
        else:
            self._object(value, where)

    def _all(self, values: Iterable[Any], where: str) -> None:
        for value in values:
            self.add(value, where)
        self._write("end")

    def _items(self, values: Mapping[Any, Any], where: str) -> None:
        for key, value in values.items():
            self.add(key, where)
            self.add(value, f"{where}.{key}" if isinstance(key, str) else where)
        self._write("end")

    def _set(self, values: Iterable[Any], where: str) -> None:
        """Add the digests of the elements in their order: the order of a set differs between processes."""
        digests = []
        for value in values:
            walk = _Walk()
            walk.add(value, where)
            digests.append(walk.hash.hexdigest())
            self.unknown |= walk.unknown
        self._write(*sorted(digests), "end")

    def _function(self, function: types.FunctionType) -> None:
        self._write(function.__module__, function.__qualname__)
        if not _is_users_code(function.__module__, function.__code__):
            return
        text = source_of(function)
        name = function.__qualname__
        self._write(text) if text is not None else self._code(function.__code__, name)
        self.add(function.__defaults__, f"a default of {name}")
        self.add(function.__kwdefaults__, f"a default of {name}")
        for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                content = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
            self.add(content, f"{variable} of {name}")
        for variable in sorted(set(_names(function.__code__)) & function.__globals__.keys()):
            self._write(variable)
            self.add(function.__globals__[variable], variable)
        for module in dict.fromkeys(_imported(function.__code__)):
            self._module(module)

    def _code(self, code: types.CodeType, where: str) -> None:
        """Add byte code; constants come in their order, sets among them sorted."""
        self._write(code.co_code, code.co_names, code.co_varnames, code.co_flags)
        for constant in code.co_consts:
            self._code(constant, where) if isinstance(constant, types.CodeType) else self.add(constant, where)

    def _class(self, made: type) -> None:
        self._write(made.__module__, made.__qualname__)
        if not _is_users_class(made):
            return
        self._write(source_of(made) or "")
        self._all(made.__bases__, made.__qualname__)
        for name, value in vars(made).items():
            if name not in _BY_TEXT and not name.startswith(("_abc_", "__static_", "__firstlineno")):
                self._write(name)
                self.add(value, f"{made.__qualname__}.{name}")

    def _module(self, name: str) -> None:
        reached = reached_by_name([name])
        self._write(name, reached.contents)
        self.unknown |= dict.fromkeys(reached.unknown)

    def _object(self, value: Any, where: str) -> None:
        """Add an object as pickle would take it apart."""
        try:
            parts = value.__reduce_ex__(4)
        except Exception:  # noqa: BLE001 - it may do anything
            self.unknown[f"{where} ({type(value).__qualname__})"] = None
            return
        self._held.append(parts)
        if isinstance(parts, str):
            self._write(parts)
            return
        made_by, arguments, state, listed, items = (*parts, None, None, None, None)[:5]
        self._all((made_by, arguments, state), where)
        self._all(listed if listed is not None else (), where)
        self._items(dict(items) if items is not None else {}, where)


def _is_users_class(made: type) -> bool:
    """Return whether a class is the user's, by the files of its methods, or of its module if it has none."""
    methods = [each for each in vars(made).values() if isinstance(each, types.FunctionType)]
    if made.__module__ == "__main__" or not methods:
        module = inspect.getmodule(made)
        return made.__module__ == "__main__" or is_users(made.__module__, getattr(module, "__file__", None))
    return any(_is_users_code(made.__module__, each.__code__) for each in methods)


def _is_users_code(module: str | None, code: types.CodeType) -> bool:
    return is_users(module or "", code.co_filename) and not code.co_filename.startswith("<frozen ")


def _compiled_from(value: Any) -> types.FunctionType | None:
    """Return the Python function of one that numba compiles."""
    try:
        function = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
    except Exception:  # noqa: BLE001 - code of somebody's class
        return None
    return function if isinstance(function, types.FunctionType) else None


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _names(code: types.CodeType) -> Iterator[str]:
    """Yield the names that code may look up among the globals; names of attributes are among them."""
    for each in _codes(code):
        yield from each.co_names


def _imported(code: types.CodeType) -> Iterator[str]:
    """Yield the names of the modules that code imports, and names that may be of modules."""
    for each in _codes(code):
        module = ""
        for step in dis.get_instructions(each):
            if step.opname == "IMPORT_NAME":
                module = str(step.argval)
                yield module
            elif step.opname == "IMPORT_FROM":
                yield f"{module}.{step.argval}"
