"""Games and agents of installed packages."""

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from traceback import walk_tb
from typing import Any

from strozzi_sim.errors import InputError

_GROUPS = ("strozzi_sim.games", "strozzi_sim.agents")


def find_entry_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group, such as `strozzi_sim.agents`, by name, as installed now.

    If two packages register a name, the first one's is returned; `check_unique` raises InputError.
    """
    return {point.name: point for point in reversed(installed(group))}


def check_unique(group: str, name: str) -> None:
    """Check that a name in a group stands for at most one object. Raises InputError, which names the packages."""
    by_value = {point.value: point for point in installed(group) if point.name == name}
    if len(by_value) > 1:
        packages = " and ".join(point.dist.name if point.dist else value for value, point in by_value.items())
        kind = group.rpartition(".")[2].removesuffix("s")
        raise InputError(f"{kind} name {name!r} is claimed by two packages: {packages}; remove one of them")


def load_object(point: EntryPoint) -> Any:
    """Return the object of an entry point. If a folder hides its package, the ImportError names the folder."""
    try:
        return point.load()
    except (AttributeError, ModuleNotFoundError) as error:
        package = point.module.partition(".")[0]
        module = sys.modules.get(package)
        if module is None or getattr(module, "__file__", None) is not None:
            raise
        # Python treats a folder without __init__.py as a package, before the finder of an editable installation.
        hidden = f"the folder {next(iter(module.__path__))} hides the installed package {package}"
        advice = "start Python in another folder, or move the package into a folder src"
        raise ImportError(f"{hidden}; {advice}") from error


def error_in_package(error: Exception) -> str:
    """Return an error as `table.py, line 12: KeyError: 'seat'`; "" if not from an agent or a third-party game."""
    points = (point for group in _GROUPS for point in find_entry_points(group).values())
    packages = {point.module.partition(".")[0] for point in points} - {"strozzi_sim"}
    steps = [(frame.f_globals.get("__name__", ""), frame, line) for frame, line in walk_tb(error.__traceback__)]
    places = [(frame.f_code.co_filename, line) for name, frame, line in steps if name.partition(".")[0] in packages]
    message = str(error)
    if isinstance(error, SyntaxError) and Path(error.filename or "").parent.name in packages:
        places.append((str(error.filename), error.lineno or 1))
        message = error.msg
    return f"{Path(places[-1][0]).name}, line {places[-1][1]}: {type(error).__name__}: {message}" if places else ""


def installed(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group; one name may be registered by several packages."""
    return _points(group, tuple(map(_modified, sys.path)))


def _modified(folder: str) -> tuple[str, int]:
    """Return a folder and the time of its last change, which shows that packages were installed or removed."""
    try:
        return folder, Path(folder).stat().st_mtime_ns
    except OSError:
        return folder, 0


@lru_cache(maxsize=16)
def _points(group: str, folders: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, cached until `folders`, the state of `sys.path`, change."""
    return tuple(entry_points(group=group))
