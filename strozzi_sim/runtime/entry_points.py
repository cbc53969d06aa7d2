"""Entry points of installed packages by group; they are imported only when used."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from strozzi_sim.errors import InputError


@cache
def find_entry_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group, such as `strozzi_sim.agents`, by name.

    Raises:
        InputError: two packages register the same name; the message names both.
    """
    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        other = points.get(point.name)
        if other is not None and other.value != point.value:
            packages = " and ".join(str(p.dist.name if p.dist else p.value) for p in (other, point))
            kind = group.rpartition(".")[2].removesuffix("s")
            raise InputError(f"{kind} name {point.name!r} is claimed by two packages: {packages}; remove one of them")
        points[point.name] = point
    return points
