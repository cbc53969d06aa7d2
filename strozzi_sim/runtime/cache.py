"""The cache folder of machine code.

numba checks only the file that defines a function, so an edit in a callee of another file would leave stale code in
use. Therefore the folder's name has a hash of everything that the cached code of a game depends on: the sources of
kernels, agents and the game, the versions of Python, numba, llvmlite and numpy, the processor, and the NUMBA_*
settings. A process whose sources were edited after their import neither loads nor stores code. Each piece of code is a
file (see `kernel.jit`), so processes need no lock: two that compile the same write equal code, atomically.

Loaded code is executed, so only the user may write to the folder, as with ssh. A folder that cannot be written to is
replaced by a temporary one, or by none, which costs a compilation and one line on standard error.
"""

import hashlib
import multiprocessing
import os
import platform
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib import util
from pathlib import Path

from strozzi_sim import runtime
from strozzi_sim.errors import StorageError
from strozzi_sim.runtime.entry_points import installed
from strozzi_sim.runtime.system import user_id

FOLDERS_KEPT = 8
PRIVATE = 0o700  # mode of new cache folders and roots
_TAG = "CACHEDIR.TAG"  # https://bford.info/cachedir/
_TAG_TEXT = b"""Signature: 8a477f597d28d172789f06886806bc55
# Machine code compiled by strozzi-sim. `strozzi cache --clear` removes it.
"""
_OWN = __name__.partition(".")[0]
_USER_CHOICE = os.environ.get("NUMBA_CACHE_DIR")
_EXCLUDED_SETTINGS = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER")  # the code is the same
_SETTINGS = ("NUMBA_", "STROZZI_PLAIN_NUMBA")  # how names of settings that change the code begin
_TABLE = "table.py"  # a game's module of drawings, without kernels


def cache_root() -> Path:
    """Return the root of the cache folders: STROZZI_CACHE_DIR, else NUMBA_CACHE_DIR, else in the user's cache folder.

    A user without a home gets a temporary folder; platformdirs would return the relative path `~/.cache`.
    """
    chosen = os.environ.get("STROZZI_CACHE_DIR") or _USER_CHOICE
    if chosen:
        return Path(chosen).absolute()
    with suppress(RuntimeError):  # a user without a home
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "strozzi-sim"
    return _private_root()


def _private_root() -> Path:
    """Return the root among the temporary files, used if no other root is usable."""
    return Path(tempfile.gettempdir()) / f"strozzi-sim-{'cache' if (user := user_id()) is None else user}"


def _roots() -> list[Path]:
    return list(dict.fromkeys((cache_root(), _private_root())))


def _sources(game: str = "") -> list[Path]:
    """Return the source files that cached code of `game` can reach; without a name, of any game."""
    files = list[Path]()
    for name in (*runtime.compiled_sources, *_packages_of(game)):
        for place in _places(name):
            files += sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    return [file for file in files if file.is_file() and file.name != _TABLE]


def _packages_of(game: str) -> list[str]:
    """Return the folder of a built-in game, or the whole package of a third-party one; without a name of all games."""
    modules = sorted({point.module for point in installed("strozzi_sim.games") if game in ("", point.name)})
    return [module if module.startswith(f"{_OWN}.") else module.partition(".")[0] for module in modules]


def _places(name: str) -> list[Path]:
    """Return the folder or file of a module, without its ending, in each folder of its package."""
    package, *path = name.split(".")
    found = util.find_spec(package)
    places = found and (found.submodule_search_locations or (found.origin and [found.origin]))
    return [Path(place).joinpath(*path) for place in places or ()]


def _stamps() -> dict[Path, tuple[int, int]]:
    return {file: (status.st_mtime_ns, status.st_size) for file in _sources() for status in (file.stat(),)}


_AS_IMPORTED = _stamps()


def _processor() -> str:
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    return f"{platform.machine()} {binding.get_host_cpu_name()} {features}"


@cache
def processor_type() -> str:
    """Return the type of the processor that code is compiled for, with a digest of its features."""
    from llvmlite import binding

    return f"{binding.get_host_cpu_name()} {hashlib.sha256(_processor().encode()).hexdigest()[:8]}"


@cache
def folder_of(game: str) -> Path:
    """Return the path of the cache folder of `game` in `cache_root`, for this process."""
    import llvmlite
    import numba
    import numpy

    digest = hashlib.sha256()
    for file in _sources(game):
        digest.update(f"{file.parent.name}/{file.name}\0".encode())
        digest.update(file.read_bytes())
    versions = (sys.version, numba.__version__, llvmlite.__version__, numpy.__version__)
    digest.update(repr((versions, _processor())).encode())
    keys = sorted(key for key in os.environ if key.startswith(_SETTINGS) and key not in _EXCLUDED_SETTINGS)
    digest.update(repr([(key, os.environ[key]) for key in keys]).encode())
    return cache_root() / f"{game}-{digest.hexdigest()[:16]}"


def code_folder(game: str) -> Path | None:
    """Make and return the folder of `game`'s compiled code; None if this process neither loads nor stores code.

    Raises StorageError if another user owns the folder or can write to it, so that its code must not be executed.
    """
    if _stamps() != _AS_IMPORTED:
        return None
    for root in _roots():
        folder = root / folder_of(game).name
        try:
            if root not in _given_up:
                _make(folder)
                return folder
        except OSError as error:
            give_up(root, error.strerror or str(error))
    return None


def _make(folder: Path) -> None:
    for directory in (folder.parent, folder):
        directory.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        _check_private(directory)
    if not _is_tagged(folder):
        (folder / _TAG).write_bytes(_TAG_TEXT)
        _drop_old(folder.parent)
    os.utime(folder)  # the folders used last are kept


_given_up: set[Path] = set()


def give_up(root: Path, reason: str) -> None:
    """Stop using the cache folders in `root` in this process, and print the reason once."""
    if root not in _given_up:
        _given_up.add(root)
        print_status(f"the cache of compiled code in {root} is not used: {reason}")


def print_status(line: str) -> None:
    """Print a line for the user, but not in processes of a pool, which would repeat it."""
    if multiprocessing.current_process().name == "MainProcess":
        print(f"strozzi: {line}", file=sys.stderr, flush=True)


def _check_private(folder: Path) -> None:
    if (user := user_id()) is None:
        return  # the folders of a Windows profile are private
    status = folder.stat()
    if status.st_uid != user or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StorageError(
            f"the cache of compiled code in {folder}: must belong to you (uid {user}) and be writable by "
            f"nobody else, got uid {status.st_uid}, mode {stat.S_IMODE(status.st_mode):o}; "
            "make it private (chmod 700), or name another in STROZZI_CACHE_DIR"
        )


def _is_tagged(folder: Path) -> bool:
    try:
        return (folder / _TAG).read_bytes() == _TAG_TEXT
    except OSError:
        return False


def folders() -> list[Path]:
    """Return all cache folders, newest first."""
    tagged = [path for root in _roots() for path in root.glob("*-" + "?" * 16) if _is_tagged(path)]
    return sorted(tagged, key=lambda path: path.stat().st_mtime, reverse=True)


def _drop_old(root: Path) -> None:
    for folder in [folder for folder in folders() if folder.parent == root][FOLDERS_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def clear() -> list[Path]:
    """Remove all cache folders and return their paths; a running process compiles again what it still needs."""
    removed = folders()
    for folder in removed:
        shutil.rmtree(folder, ignore_errors=True)
    return removed
