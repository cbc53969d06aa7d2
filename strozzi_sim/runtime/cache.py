"""The cache folder of machine code.

numba checks only the file that defines a function, so an edit in a callee of another file would leave stale code in
use. Therefore the folder's name is a hash of everything that the compiled code of a game can reach: the sources of
strozzi-sim, the versions of Python, numba, llvmlite and numpy, the processor, and the NUMBA_* settings. A process whose
sources were edited after their import keeps no code. One process at a time works on a folder, since numba
rewrites its index without a lock.

Loaded code is executed, so the folder must belong to the user alone, as those of ssh. A damaged file in it is compiled
again (see `kernel.numba_patches`); a folder that cannot be written to is replaced by one among the temporary files, or by
none, which costs a compilation and one line on standard error.
"""

import hashlib
import multiprocessing
import os
import platform
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import IO

from strozzi_sim.errors import StorageError

FOLDERS_KEPT = 8
PRIVATE = 0o700  # mode of every folder that is made here
PATCHES_OFF = "STROZZI_PATCHES_OFF"  # see `kernel.numba_patches`
_LOCK, _TAG = ".lock", "CACHEDIR.TAG"  # https://bford.info/cachedir/
_TAG_TEXT = b"""Signature: 8a477f597d28d172789f06886806bc55
# Machine code compiled by strozzi-sim. `strozzi cache --clear` removes it.
"""
_PACKAGE = Path(__file__).resolve().parents[1]
_USER_CHOICE = os.environ.get("NUMBA_CACHE_DIR")
_NOT_IN_THE_KEY = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER")  # the code is the same


class CacheFailed(Exception):
    """A failure to store machine code in the chosen folder, which is not used again; the caller retries."""


def cache_root() -> Path:
    """Return the root of all cache folders: STROZZI_CACHE_DIR, else NUMBA_CACHE_DIR, else in the user's cache.

    platformdirs would do, but for a user without a home it returns the relative path `~/.cache`.
    """
    chosen = os.environ.get("STROZZI_CACHE_DIR") or _USER_CHOICE
    if chosen:
        return Path(chosen).absolute()
    with suppress(RuntimeError):  # a user without a home
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "strozzi-sim"
    return _private_root()


def _private_root() -> Path:
    """Return the root among the temporary files, used if `cache_root` fails."""
    return Path(tempfile.gettempdir()) / f"strozzi-sim-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def _roots() -> list[Path]:
    return list(dict.fromkeys((cache_root(), _private_root())))


_TABLE = "table.py"  # of a game: what pages draw, which has no kernels


def _sources(game: str = "") -> list[Path]:
    """Return every source file that code compiled for `game` can reach; without a name, for any game."""
    parts = ("kernel", "facts", "agent", "simulation", "play")
    folders = [_PACKAGE / part for part in parts] + _folders_of(game)
    agents = util.find_spec("strozzi_agents")
    if agents is not None and agents.submodule_search_locations:
        folders += [Path(place) for place in agents.submodule_search_locations]
    files = [_PACKAGE / "game" / name for name in ("contract.py", "slices.py")]
    for folder in folders:
        files += sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]
    return [file for file in files if file.is_file() and file.name != _TABLE]


def _folders_of(game: str) -> list[Path]:
    """Return the folder of a built-in game, or the package of a third-party one; without a name those of all games."""
    shipped = _PACKAGE / "games" / game
    if game and shipped.is_dir():
        return [shipped]
    folders = [] if game else [shipped]
    for point in metadata.entry_points(group="strozzi_sim.games"):
        package = point.value.split(":")[0].split(".")[0]
        if package == _PACKAGE.name or (game and point.name != game):
            continue
        found = util.find_spec(package)
        if found is not None:
            folders += [Path(place) for place in found.submodule_search_locations or ()]
            folders += [Path(found.origin)] if found.origin and not found.submodule_search_locations else []
    return folders


def _stamps() -> dict[Path, tuple[int, int]]:
    return {file: (stat.st_mtime_ns, stat.st_size) for file in _sources() for stat in (file.stat(),)}


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
    """Return the cache folder of `game` for this process."""
    import llvmlite
    import numba
    import numpy

    digest = hashlib.sha256()
    for file in _sources(game):
        digest.update(f"{file.parent.name}/{file.name}\0".encode())
        digest.update(file.read_bytes())
    versions = (sys.version, numba.__version__, llvmlite.__version__, numpy.__version__)
    digest.update(repr((versions, _processor())).encode())
    keys = sorted(key for key in os.environ if key.startswith(("NUMBA_", PATCHES_OFF)) and key not in _NOT_IN_THE_KEY)
    digest.update(repr([(key, os.environ[key]) for key in keys]).encode())
    return cache_root() / f"{game}-{digest.hexdigest()[:16]}"


@cache
def sources_of(game: str) -> frozenset[str]:
    """Return every source file whose text determines the folder's name."""
    return frozenset(map(str, _sources(game)))


@contextmanager
def cache_folder(game: str) -> Iterator[Path | None]:
    """Store everything compiled inside the block in the folder of `game`, which worker processes use too.

    Yields:
        the folder; None if code cannot be stored.

    Raises:
        StorageError: others could write to the folder, so that its code must not be executed.
        CacheFailed: code compiled inside the block could not be stored; the next call chooses another folder.
    """
    from numba import config

    with _one_thread, ExitStack() as undo:
        folder = _enter(game, undo)
        if folder is None:
            yield None
            return
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            yield folder
        except OSError as error:
            _give_up(folder.parent, error.strerror or str(error))
            raise CacheFailed from error
        except RuntimeError as error:
            if not str(error).startswith("cannot cache function"):  # numba's message if it cannot create a folder
                raise
            _give_up(folder.parent, "no folder can be created there")
            raise CacheFailed from error
        finally:
            config.CACHE_DIR = before


def _enter(game: str, undo: ExitStack) -> Path | None:
    """Return the first usable folder, locked until `undo`; None without a usable folder."""
    if _stamps() != _AS_IMPORTED:
        return None
    for root in _roots():
        if root in _given_up:
            continue
        folder = root / folder_of(game).name
        try:
            fresh = not folder.exists()
            undo.enter_context(_alone_in(folder))
        except OSError as error:
            _give_up(root, error.strerror or str(error))
            continue
        if fresh:
            _drop_old(root)
        return folder
    return None


_given_up: set[Path] = set()


def _give_up(root: Path, why: str) -> None:
    """Stop using the cache folders in `root` in this process."""
    if root not in _given_up:
        _given_up.add(root)
        tell(f"the cache of compiled code in {root} is not used: {why}")


def tell(line: str) -> None:
    """Print a line for the user in the parent process only; its workers have the same message."""
    if multiprocessing.current_process().name == "MainProcess":
        print(f"strozzi: {line}", file=sys.stderr, flush=True)


_one_thread = threading.RLock()
_held: set[Path] = set()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Create `folder` if needed, and lock out other threads and processes inside the block."""
    with _one_thread, ExitStack() as undo:
        if folder not in _held:
            while not _take_folder(folder, undo):
                pass  # the cache was cleared during the wait
            _held.add(folder)
            undo.callback(_held.discard, folder)
        yield


def _take_folder(folder: Path, undo: ExitStack) -> bool:
    """Make and lock a folder; return False if it was removed meanwhile."""
    for place in (folder.parent, folder):
        place.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        _check_private(place)
    if not _is_tagged(folder):
        (folder / _TAG).write_bytes(_TAG_TEXT)
    tempfile.TemporaryFile(dir=folder).close()  # numba's own check, without which it stores code beside the source
    try:
        lock = undo.enter_context((folder / _LOCK).open("wb"))
        with suppress(OSError):  # the file system has no locks
            _take_lock(lock, wait=True)
        return os.path.samestat(os.fstat(lock.fileno()), (folder / _LOCK).stat())
    except FileNotFoundError:
        return False


def _check_private(place: Path) -> None:
    if os.name == "nt":
        return  # Windows has no modes; the folders of a profile are private
    status = place.stat()
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StorageError(
            f"the cache of compiled code in {place}: must belong to you (uid {os.geteuid()}) and be writable by nobody else, got "
            f"uid {status.st_uid}, mode {stat.S_IMODE(status.st_mode):o}; make it private (chmod 700), or name another in STROZZI_CACHE_DIR"
        )


def _take_lock(file: IO[bytes], *, wait: bool) -> None:
    """Take the lock of an open file, which closing it releases. Raises OSError where another process holds it."""
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_tagged(folder: Path) -> bool:
    """Return whether strozzi-sim made this folder."""
    try:
        return (folder / _TAG).read_bytes() == _TAG_TEXT
    except OSError:
        return False


def folders() -> list[Path]:
    """Return all cache folders, newest first."""
    found = [path for root in _roots() for path in root.glob("*-" + "?" * 16) if _is_tagged(path)]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def _drop_old(root: Path) -> None:
    for folder in [folder for folder in folders() if folder.parent == root][FOLDERS_KEPT:]:
        _remove(folder)


def clear() -> list[Path]:
    """Remove every cache folder that no process uses; return the removed folders."""
    return [folder for folder in folders() if _remove(folder)]


def _remove(folder: Path) -> bool:
    """Remove a folder; return False if a process uses it."""
    with suppress(OSError), (folder / _LOCK).open("wb") as lock:
        _take_lock(lock, wait=False)
        shutil.rmtree(folder)
        return True
    return False
