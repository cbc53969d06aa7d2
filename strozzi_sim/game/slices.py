"""Observations as named slices: what stands in which columns is declared as data, and counted nowhere by hand.

A game's `view.py` lists its slices in the order of the columns; where each begins follows. Its kernel writes by those
numbers, and whoever reads an observation does so by name:

>>> from strozzi_sim.game import load_game
>>> slices = load_game("strozzi").slices
>>> slices["phase"].shape, slices["phase"].columns
((4,), slice(0, 4, None))
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite, prod
from typing import Any

import numpy as np

from strozzi_sim.errors import InputError, short_repr, suggest_names


@dataclass(frozen=True)
class Slice:
    """A named part of an observation, float32[F].

    Attributes:
        name: an identifier; that of a field of a group begins with the group's and a dot.
        shape: of the numbers; () is a single one.
        meaning: what they are, in which unit, and what the axes count.
        low, high: no number lies outside, in any shipped variant.
        start: the first column.
        group: the slice that it is a field of, or None.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    low: float = 0.0
    high: float = 1.0
    start: int = 0
    group: "Slice | None" = None

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    @property
    def columns(self) -> slice:
        """Its columns as a Python slice.

        Raises:
            InputError: it is a field of a group, whose numbers do not lie side by side.
        """
        if self.group is not None:
            raise InputError(f"slice {self.name!r}: its numbers do not lie side by side; read it with of() or index")
        return slice(self.start, self.start + self.size)

    @property
    def index(self) -> np.ndarray[Any, Any]:
        """The column of every number, int64 array of the slice's shape."""
        end = self.start + self.size if self.group is None else self.group.columns.stop
        index: np.ndarray[Any, Any] = self.of(np.arange(end))
        return index

    def of(self, observations: Any) -> Any:
        """This part of observations [..., F], an array or tensor [..., *shape]; a view where there can be one.

        >>> from strozzi_sim.game import load_game
        >>> slices = load_game("strozzi").slices
        >>> slices["seats.coins"].of(np.zeros((8, slices.size), np.float32)).shape
        (8, 6)
        """
        lead = observations.shape[:-1]
        if self.group is None:
            return observations[..., self.columns].reshape((*lead, *self.shape))
        axes = self.group.shape[:-1]
        own = self.shape[len(axes) :]
        first = self.start - self.group.start
        return self.group.of(observations)[..., first : first + prod(own)].reshape((*lead, *axes, *own))


@dataclass(frozen=True)
class Group:
    """Fields that are repeated: for every entry of `shape` all fields, one after another.

    Attributes:
        name: an identifier.
        shape: how often they are repeated, (6,) for each of six.
        meaning: what the axes of `shape` count.
        fields: the fields, with the shape that each has for one entry.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    fields: tuple[Slice, ...]


class Layout(Mapping[str, Slice]):
    """All slices of an observation by name, in the order of the columns; fields of a group follow it as `group.field`.

    Attributes:
        size: F, the number of columns.

    Raises:
        InputError: a name that is no identifier or stands twice, a shape, a range or a meaning that cannot be.
    """

    def __init__(self, *parts: Slice | Group) -> None:
        self.size = 0
        self._slices: dict[str, Slice] = {}
        for part in parts:
            self._add(part)
            self.size += self._slices[part.name].size

    def _add(self, part: Slice | Group) -> None:
        if isinstance(part, Slice):
            self._put(replace(part, start=self.size), part.name)
            return
        width = sum(field.size for field in part.fields)
        low, high = (
            choose(getattr(field, end) for field in part.fields) for choose, end in ((min, "low"), (max, "high"))
        )
        group = Slice(part.name, (*part.shape, width), part.meaning, low, high, self.size)
        self._put(group, part.name)
        start = self.size
        for field in part.fields:
            name = f"{part.name}.{field.name}"
            self._put(
                replace(field, name=name, shape=(*part.shape, *field.shape), start=start, group=group), field.name
            )
            start += field.size

    def _put(self, part: Slice, own_name: str) -> None:
        where = f"slice {part.name!r}"
        if not own_name.isidentifier():
            raise InputError(f"slice {short_repr(own_name)}: a name must be an identifier, such as `seats`")
        if part.name in self._slices:
            raise InputError(f"{where}: two slices have this name")
        if any(length < 1 for length in part.shape):
            raise InputError(f"{where}: shape: every length must be 1 or more, got {part.shape}")
        if not (isfinite(part.low) and isfinite(part.high) and part.low <= part.high):
            raise InputError(f"{where}: low and high: must be finite and in order, got {part.low} and {part.high}")
        if not part.meaning:
            raise InputError(f"{where}: meaning: must say what the numbers are")
        self._slices[part.name] = part

    def __getitem__(self, name: str) -> Slice:
        if name not in self._slices:
            raise KeyError(f"unknown slice {short_repr(name)}; {suggest_names(name, self._slices)}")
        return self._slices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._slices)

    def __len__(self) -> int:
        return len(self._slices)

    @property
    def parts(self) -> list[Slice]:
        """The slices that are no fields: together they are all columns, each once."""
        return [part for part in self._slices.values() if part.group is None]

    def fields(self, group: str) -> list[Slice]:
        """The fields of a group, which together are all its columns; none if it is no group."""
        return [part for part in self._slices.values() if part.group is not None and part.group.name == group]

    def limits(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The range of every column: (low, high), float32[F] each."""
        low, high = np.zeros(self.size, np.float32), np.zeros(self.size, np.float32)
        for part in self.values():  # fields follow their group
            low[part.index], high[part.index] = part.low, part.high
        return low, high

    def describe(self) -> str:
        """A table in text: name, shape, range, and meaning of every slice."""
        rows = [(part.name, str(part.shape), f"{part.low:g} .. {part.high:g}", part.meaning) for part in self.values()]
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        return "\n".join(
            f"{name:<{widths[0]}}  {shape:<{widths[1]}}  {values:<{widths[2]}}  {meaning}"
            for name, shape, values, meaning in rows
        )
