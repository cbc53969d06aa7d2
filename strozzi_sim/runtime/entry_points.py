"""Games and agents of installed packages."""

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from strozzi_sim.errors import InputError


def find_entry_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group, such as `strozzi_sim.agents`, by name; also of packages installed since the last call.

    Raises:
        InputError: two packages register the same name; the message names both.
    """
    return _found(group, tuple(map(_changed, sys.path)))


def _changed(folder: str) -> tuple[str, int]:
    """Return a folder and the time of its last change, in which packages come and go."""
    try:
        return folder, Path(folder).stat().st_mtime_ns
    except OSError:
        return folder, 0


@lru_cache(maxsize=16)
def _found(group: str, folders: tuple[tuple[str, int], ...]) -> dict[str, EntryPoint]:
    """Return the entry points of a group; `folders` are where they are looked for."""
    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        other = points.get(point.name)
        if other is not None and other.value != point.value:
            packages = " and ".join(str(p.dist.name if p.dist else p.value) for p in (other, point))
            kind = group.rpartition(".")[2].removesuffix("s")
            raise InputError(f"{kind} name {point.name!r} is claimed by two packages: {packages}; remove one of them")
        points[point.name] = point
    return points
