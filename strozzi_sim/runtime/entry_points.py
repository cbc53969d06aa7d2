"""What installed packages offer under an entry-point group: nothing is imported until it is named."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from strozzi_sim.errors import InputError


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, such as `strozzi_sim.agents`.

    Raises:
        InputError: two packages have one name; names both.
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
