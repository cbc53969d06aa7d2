"""Cache of the unoptimised code of kernels (drafts) between processes, so that another entry compiles only new kernels.

numba caches an entry's machine code, but not the kernels linked into it. Most of these are the rules of the game, which
the next entry needs again. They are stored next to the machine code, one bundle of drafts for each entry that compiled
any. The name of the cache folder is a hash of all sources of drafts (see `runtime.cache`); a kernel from another file is
not cached.
"""

import hashlib
import pickle
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher

from strozzi_sim.errors import StorageError
from strozzi_sim.runtime.cache import PRIVATE, tell
from strozzi_sim.runtime.files import write_atomically

_FOLDER, _SUFFIX = "drafts", ".drafts"


class Kept(NamedTuple):
    """A cached draft.

    Attributes:
        key: hash of its source, see `key_of`.
        bitcode: bitcode of its module, with linked code of other packages.
        needs: names of the drafts that it links. A name is a unique symbol of the machine code: drafts with equal keys,
            compiled by two processes for two games, have two names.
        description: numba's description and the signature, pickled.
    """

    key: str
    bitcode: bytes
    needs: tuple[str, ...]
    description: bytes


class _Folder:
    """The bundles in a cache folder.

    Attributes:
        sources: source files of drafts that are cached.
    """

    def __init__(self, folder: Path, sources: frozenset[str]) -> None:
        self.sources = sources
        self._folder = folder / _FOLDER
        self._read: set[str] = set()
        self._there: set[str] = set()  # names of drafts in the bundles
        self._new: dict[str, Kept] = {}

    def read(self) -> None:
        """Read the bundles of other processes."""
        for file in sorted(self._folder.glob(f"*{_SUFFIX}")):
            if file.name not in self._read:
                content = file.read_bytes()
                if file.name != _name(content):
                    file.unlink()
                    tell(f"damaged code is compiled again: {file}")
                    continue
                drafts = pickle.loads(zlib.decompress(content))
                self._read.add(file.name)
                self._there |= drafts.keys()
                for name, parts in drafts.items():
                    _learn(name, Kept(*parts))

    def add(self, name: str) -> None:
        """Add a draft, and all drafts that it needs, to those to write."""
        if name not in self._there and name not in self._new:
            self._new[name] = _kept[name]
            for needed in _kept[name].needs:
                self.add(needed)

    def write(self) -> None:
        """Write the new drafts.

        Raises:
            OSError: they cannot be written.
        """
        if not self._new:
            return
        content = zlib.compress(pickle.dumps({name: tuple(kept) for name, kept in self._new.items()}), 1)
        file = _name(content)
        self._folder.mkdir(mode=PRIVATE, exist_ok=True)
        try:
            write_atomically(self._folder / file, content)
        except StorageError as error:
            raise OSError(str(error)) from error
        self._read.add(file)
        self._there |= self._new.keys()

    def forget(self) -> None:
        """Discard drafts that were not written."""
        self._new = {}


def _name(content: bytes) -> str:
    """Return the name of a bundle, by which a damaged one is found."""
    return hashlib.sha256(content).hexdigest()[:16] + _SUFFIX


_folders: dict[Path, _Folder] = {}
_open: list[_Folder] = []
_kept: dict[str, Kept] = {}  # every draft that was read or compiled, by name
_names: dict[str, str] = {}  # by key
_libraries: dict[str, Any] = {}  # of this process, by name


def _learn(name: str, kept: Kept) -> None:
    _kept[name] = kept
    _names[kept.key] = name


@contextmanager
def keeping(folder: Path | None, sources: frozenset[str]) -> Iterator[None]:
    """Load drafts from the cache folder `folder`, if any, inside the block, and store the newly compiled ones.

    Raises:
        OSError: they cannot be written.
    """
    if folder is None:
        yield
        return
    here = _folders.setdefault(folder, _Folder(folder, sources))
    _open.append(here)
    try:
        yield
        here.write()
    finally:
        here.forget()
        _open.pop()


def is_keeping() -> bool:
    """Return whether drafts are being cached."""
    return bool(_open)


def key_of(function: Any, arguments: Any, options: Any) -> str | None:
    """Return the key of the draft of `function` for arguments of these types; None if it is not cached."""
    if not _open:
        return None
    parts = [_identity(function), *map(_type, arguments), repr(options)]
    return None if None in parts else hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def _type(kind: Any) -> str | None:
    """Return a text unique to this type across processes, or None."""
    if isinstance(kind, types.Dispatcher):
        return _identity(kind.dispatcher)
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        inner = [_type(one) for one in kind]
        return None if None in inner else f"{type(kind).__name__} {inner}"
    text = f"{type(kind).__name__} {kind}"
    return None if " at 0x" in text else text


def _identity(value: Any, inside: tuple[CodeType, ...] = ()) -> str | None:
    """Return a text unique to this value across processes with equal sources, or None.

    Args:
        value: any value.
        inside: code of the enclosing closures, which detects a function that calls itself.
    """
    if isinstance(value, Dispatcher):
        return _identity(value.py_func, inside)
    if isinstance(value, FunctionType):
        code = value.__code__
        if code in inside:
            return f"closure {inside.index(code)}"
        if code.co_filename not in _open[-1].sources:
            return None
        bound = (value.__defaults__, *(cell.cell_contents for cell in value.__closure__ or ()))
        inner = [_identity(one, (*inside, code)) for one in bound]
        return None if None in inner else f"{value.__module__}.{value.__qualname__} {_digest(code)} {inner}"
    if isinstance(value, tuple):
        inner = [_identity(one, inside) for one in value]
        return None if None in inner else str(inner)
    if isinstance(value, types.Type):
        return _type(value)
    plain = value is None or isinstance(value, int | float | str | bytes | np.dtype | np.generic)
    return f"{type(value).__name__} {value!r}" if plain else None


@cache
def _digest(code: CodeType) -> str:
    constants = [_digest(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    text = repr((code.co_code, code.co_names, constants, code.co_filename, code.co_firstlineno))
    return hashlib.sha256(text.encode()).hexdigest()


def name_of(key: str) -> str | None:
    """Return the name of a draft with this key; None if it, or a draft that it needs, is missing."""
    _open[-1].read()
    name = _names.get(key, "")
    return name if _is_whole(name) else None


def _is_whole(name: str) -> bool:
    """Return whether a draft and all drafts that it needs exist: a bundle may have been removed."""
    todo, seen = [name], set()
    while todo:
        if (one := todo.pop()) in _libraries or one in seen:
            continue
        if one not in _kept:
            return False
        seen.add(one)
        todo += _kept[one].needs
    return True


def library_of(name: str, make: Callable[[str, bytes, list[Any]], Any]) -> Any:
    """Return the library of a draft; if missing, call `make(name, bitcode, linked libraries)`."""
    if name not in _libraries:
        needs = [library_of(needed, make) for needed in _kept[name].needs]
        _libraries[name] = make(name, _kept[name].bitcode, needs)
    _open[-1].add(name)
    return _libraries[name]


def description_of(name: str) -> Any:
    """Return numba's description of a draft, and its signature."""
    return pickle.loads(_kept[name].description)


def add(name: str, library: Any, kept: Kept) -> None:
    """Add a compiled draft to the cache."""
    _learn(name, kept)
    _libraries[name] = library
    _open[-1].add(name)
