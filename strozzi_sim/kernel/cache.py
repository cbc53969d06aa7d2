"""The folder that keeps machine code between runs.

numba stamps only the file that defines a function, so an edit in a callee of another file would leave stale code in
place. Here the folder itself is named by a hash of everything the compiled code of a game can reach: our sources, the
versions of Python, numba, llvmlite and numpy, the processor, and the NUMBA_* settings. A process whose sources were
edited after it had imported them keeps its code to itself. One process at a time works on a folder, since numba
rewrites its index there without a lock.
"""

import atexit
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import util
from pathlib import Path

from strozzi_sim.kernel.locks import take_lock

FOLDERS_KEPT = 8
_PACKAGE = Path(__file__).resolve().parents[1]
_USER_CHOICE = os.environ.get("NUMBA_CACHE_DIR")
_NOT_IN_THE_KEY = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER")  # the code is the same


def cache_root() -> Path:
    """The folder of all cache folders: STROZZI_CACHE_DIR, else the user's cache, else a temporary one."""
    chosen = os.environ.get("STROZZI_CACHE_DIR") or _USER_CHOICE
    if chosen:
        return Path(chosen)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "strozzi-sim"
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / f"strozzi-sim-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
    return home if os.access(home, os.W_OK) else Path(tempfile.gettempdir()) / "strozzi-sim"


def _sources(game: str = "") -> list[Path]:
    """Every source file that code compiled for `game` can reach; without one, for any game."""
    folders = [_PACKAGE / "kernel", _PACKAGE / "selfplay", _PACKAGE / "games" / game]
    agents = util.find_spec("strozzi_agents")
    if agents is not None and agents.submodule_search_locations:
        folders += [Path(place) for place in agents.submodule_search_locations]
    files = [_PACKAGE / "agent.py", _PACKAGE / "games" / "contract.py"]
    for folder in folders:
        files += sorted(folder.rglob("*.py"))
    return [file for file in files if file.is_file()]


def _stamps() -> dict[Path, tuple[int, int]]:
    return {file: (stat.st_mtime_ns, stat.st_size) for file in _sources() for stat in (file.stat(),)}


_AS_IMPORTED = _stamps()


def _processor() -> str:
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    return f"{platform.machine()} {binding.get_host_cpu_name()} {features}"


@cache
def folder_of(game: str) -> Path:
    """The cache folder of `game` for this process."""
    import llvmlite
    import numba
    import numpy

    digest = hashlib.sha256()
    for file in _sources(game):
        digest.update(f"{file.parent.name}/{file.name}\0".encode())
        digest.update(file.read_bytes())
    versions = (sys.version, numba.__version__, llvmlite.__version__, numpy.__version__)
    digest.update(repr((versions, _processor())).encode())
    settings = sorted(
        item for item in os.environ.items() if item[0].startswith("NUMBA_") and item[0] not in _NOT_IN_THE_KEY
    )
    digest.update(repr(settings).encode())
    return cache_root() / f"{game}-{digest.hexdigest()[:16]}"


@contextmanager
def cache_folder(game: str) -> Iterator[None]:
    """Everything compiled inside the block is kept in the folder of `game`; a worker process finds the same one."""
    from numba import config

    folder = folder_of(game) if _stamps() == _AS_IMPORTED else _own_folder()
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _drop_old(folder.parent)
    with _alone_in(folder):
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before


@cache
def _own_folder() -> Path:
    """A folder for this process alone, gone at its end: its code is not that of the sources as they are now."""
    folder = tempfile.mkdtemp(prefix="strozzi-sim-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


_one_thread = threading.RLock()
_held: set[Path] = set()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other threads and processes out of `folder` meanwhile."""
    with _one_thread, ExitStack() as undo:
        if folder not in _held:
            with suppress(OSError):  # nobody can write there, or there are no locks on that disk
                take_lock(undo.enter_context((folder / ".lock").open("wb")), wait=True)
            _held.add(folder)
            undo.callback(_held.discard, folder)
        yield


def folders() -> list[Path]:
    """All cache folders, newest first."""
    root = cache_root()
    found = [path for path in root.glob("*-" + "?" * 16) if path.is_dir()] if root.is_dir() else []
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def _drop_old(root: Path) -> None:
    for folder in folders()[FOLDERS_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


def clear() -> list[Path]:
    """Remove every cache folder; returns what was removed."""
    gone = folders()
    for folder in gone:
        shutil.rmtree(folder, ignore_errors=True)
    return gone
