"""Observations as named slices, whose columns are computed from a declaration.

A game's `view.py` lists its slices in the order of the columns. If it has no kernel `observe`, this is made from their
sources (`observer`). A group with sources is over seats, the first axis of its fields, clockwise from the observer; the
columns of seats that are not in the game are zero. Observations are read by name:

>>> from strozzi_sim.game import load_game
>>> slices = load_game("strozzi").slices
>>> slices["phase"].shape, slices["phase"].columns
((4,), slice(0, 4, None))
"""

from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, prod
from typing import Any

import numpy as np
from numba import float32

from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.kernel.jit import generated


@dataclass(frozen=True)
class Source:
    """The origin of a slice's numbers; made by `number`, `one_hot`, `members`, `seat_of` and `written_by`."""

    kind: str  # "number", "one-hot", "set", "seat" or "kernel"
    field: str = ""  # field of the state
    scale: float | str = 1  # divisor: a number, or the name of a field of the rules
    first: int = 0  # value, or member of a set, of the first column
    # kernel(state, rules, seat, out, start) that writes numbers from column `start` on; what it does not write is zero
    kernel: Any = None


def number(field: str, scale: float | str = 1) -> Source:
    """Return the source of numbers of the slice's shape, divided by `scale` (a number, or a field of the rules)."""
    return Source("number", field, scale)


def one_hot(field: str, first: int = 0) -> Source:
    """Return the source of a one-hot of a number; its first column is for `first`; a number without one sets none."""
    return Source("one-hot", field, first=first)


def members(field: str, first: int = 0) -> Source:
    """Return the source of a set of numbers, an integer whose bit c is member c; the first column is member `first`."""
    return Source("set", field, first=first)


def seat_of(field: str) -> Source:
    """Return the source of a one-hot of a seat, clockwise from the observer; a number that is no seat sets none."""
    return Source("seat", field)


def written_by(kernel: Any) -> Source:
    """Return the source of numbers that `kernel(state, rules, seat, out, start)` writes; in a group, for each seat."""
    return Source("kernel", kernel=kernel)


@dataclass(frozen=True)
class Slice:
    """A named part of an observation, float32[F]."""

    name: str  # an identifier; the name of a field of a group is GROUP.FIELD
    shape: tuple[int, ...]  # shape of the numbers; () is a single number
    meaning: str  # meaning, unit, and axes
    # low, high: limits of the numbers in all shipped variants
    low: float = 0.0
    high: float = 1.0
    source: Source | None = None  # origin of the numbers; optional if view.py has `observe`
    # names of the kinds that it counts, of the values of a one-hot, or of the members of a set, as text shows them
    names: Sequence[object] = ()
    start: int = 0  # first column
    group: "Slice | None" = None  # the group of which it is a field, or None

    @property
    def size(self) -> int:
        """The number of columns."""
        return prod(self.shape)

    @property
    def columns(self) -> slice:
        """The columns as a Python slice."""
        if self.group is not None:
            raise InputError(f"slice {self.name!r}: its columns are not contiguous; read it with of() or index")
        return slice(self.start, self.start + self.size)

    @property
    def index(self) -> np.ndarray[Any, Any]:
        """The column of each number, int64 array of the slice's shape."""
        end = self.start + self.size if self.group is None else self.group.columns.stop
        index: np.ndarray[Any, Any] = self.of(np.arange(end))
        return index

    def of(self, observations: Any) -> Any:
        """Return this part [..., *shape] of observations [..., F], an array or a tensor; a view if possible."""
        lead = observations.shape[:-1]
        if self.group is None:
            return observations[..., self.columns].reshape((*lead, *self.shape))
        axes = self.group.shape[:-1]
        field_shape = self.shape[len(axes) :]
        first = self.start - self.group.start
        return self.group.of(observations)[..., first : first + prod(field_shape)].reshape((*lead, *axes, *field_shape))


@dataclass(frozen=True)
class Group:
    """Repeated fields: all fields for the first entry of `shape`, then all for the next."""

    name: str  # an identifier
    shape: tuple[int, ...]  # number of repetitions, such as (6,)
    meaning: str  # meaning of the axes of `shape`
    fields: tuple[Slice, ...]  # the fields, each with its shape for one entry


class Layout(dict[str, Slice]):
    """All slices of an observation by name, in the order of columns; fields of a group follow it as `group.field`."""

    def __init__(self, *parts: Slice | Group) -> None:
        super().__init__()
        self.size = 0  # F, the number of columns
        for part in parts:
            self._add(part)
            self.size += self[part.name].size

    def _add(self, part: Slice | Group) -> None:
        if isinstance(part, Slice):
            self._put(replace(part, start=self.size), part.name)
            return
        width = sum(field.size for field in part.fields)
        low, high = min(field.low for field in part.fields), max(field.high for field in part.fields)
        group = Slice(part.name, (*part.shape, width), part.meaning, low, high, start=self.size)
        self._put(group, part.name)
        start = self.size
        for field in part.fields:
            name, shape = f"{part.name}.{field.name}", (*part.shape, *field.shape)
            self._put(replace(field, name=name, shape=shape, start=start, group=group), field.name)
            start += field.size

    def _put(self, part: Slice, own_name: str) -> None:
        where = f"slice {part.name!r}"
        if not own_name.isidentifier():
            raise InputError(f"slice {short_repr(own_name)}: a name must be an identifier, such as `seats`")
        if part.name in self:
            raise InputError(f"{where}: two slices have this name")
        if any(length < 1 for length in part.shape):
            raise InputError(f"{where}: shape: every length must be 1 or more, got {part.shape}")
        if not (isfinite(part.low) and isfinite(part.high) and part.low <= part.high):
            raise InputError(f"{where}: low and high: must be finite and in order, got {part.low} and {part.high}")
        if part.names and (len(part.names),) != part.shape[-1:]:
            axis = part.shape[-1] if part.shape else 1
            raise InputError(f"{where}: names: expected one for each of {axis}, got {len(part.names)}")
        if not part.meaning:
            raise InputError(f"{where}: meaning: must say what the numbers are")
        self[part.name] = part

    def __missing__(self, name: str) -> Slice:
        raise KeyError(f"unknown slice {short_repr(name)}; {suggest_names(name, self)}")

    @property
    def parts(self) -> list[Slice]:
        """The slices that are not fields of a group; together they have every column once."""
        return [part for part in self.values() if part.group is None]

    def fields(self, group: str) -> list[Slice]:
        """Return the fields of a group, which together have all its columns; [] for a slice that is not a group."""
        return [part for part in self.values() if part.group is not None and part.group.name == group]

    def starts(self, group: str = "") -> Any:
        """Return a named tuple of first columns, of slices or a group's fields, for kernels: `starts().phase`."""
        parts = self.fields(group) if group else self.parts
        names = [part.name.rpartition(".")[2] for part in parts]
        columns: Any = namedtuple("Starts", names)  # type: ignore[misc]
        return columns(*(part.start for part in parts))

    def limits(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return the range of every column: (low, high), float32[F] each."""
        low, high = np.zeros(self.size, np.float32), np.zeros(self.size, np.float32)
        for part in self.values():  # fields follow their group
            low[part.index], high[part.index] = part.low, part.high
        return low, high

    def describe(self) -> str:
        """Return a table as text: name, shape, range and meaning of every slice."""
        rows = [(part.name, str(part.shape), f"{part.low:g} .. {part.high:g}", part.meaning) for part in self.values()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:3]
        return "\n".join("  ".join([*map(str.ljust, row, widths), row[3]]) for row in rows)


def things_shown(slices: Layout, position: Any, who: Sequence[str]) -> Iterator[tuple[Slice, Any]]:
    """Yield each slice whose source is a field of the position, and its value; a field of a group has one by seat.

    The value of a set is a list of its members, of a seat a list of its name, one of `who`, or []; with `Slice.names`
    a value is a list of them. A phase without names is left out. `position` is a View, or a reference game, which may
    have lists for sets and lack fields.
    """
    for part in slices.values():
        source = part.source
        if source is None or source.kernel is not None or not hasattr(position, source.field):
            continue
        names = who if source.kind == "seat" else part.names
        value = getattr(position, source.field)
        if names or source.kind == "set":
            value = [_listed(source, own, names) for own in value] if part.group else _listed(source, value, names)
        if names or source.field != "phase":
            yield part, value


def _listed(source: Source, value: Any, names: Sequence[object]) -> list[Any]:
    """Return a list: of a set its members, by name if they have names; of one value its name; of counts `wine x2`."""
    if source.kind == "number":
        counts = zip(names, value, strict=False)
        return [str(name) if count == 1 else f"{name} x{count}" for name, count in counts if count]
    members = _members(value) if source.kind == "set" else [] if value is None else [value]
    places = (number - source.first for number in members)
    return [str(names[place]) for place in places if 0 <= place < len(names)] if names else members


def name_of(part: Slice) -> str:
    """Return the name of a slice, without its group, as words, the first with a capital."""
    return part.name.rpartition(".")[2].replace("_", " ").capitalize()


def _members(numbers: Any) -> list[int]:
    return [c for c in range(numbers.bit_length()) if numbers >> c & 1] if isinstance(numbers, int) else sorted(numbers)


def observer(slices: Layout, state: np.dtype[Any], rules: np.dtype[Any]) -> Callable[..., Any]:
    """Return `observe(state, rules, seat, out)`, which writes every slice. Raises InputError without a source."""
    writers: dict[str, Any] = {}
    lines = ["players = state.players", f"for column in range({slices.size}):", "    out[column] = 0"]
    for part in slices.parts:
        fields = slices.fields(part.name)
        if not fields:
            lines += _statements(part, part.shape, f"{part.start}", "", state, rules, writers)
            continue
        stride = part.shape[-1]
        lines += ["for place in range(players):", "    other = (seat + place) % players"]
        for field in fields:
            start = f"{field.start} + {stride} * place"
            statements = _statements(field, field.shape[1:], start, "[other]", state, rules, writers)
            lines += [f"    {line}" for line in statements]
    source = "\n    ".join(["def observe(state, rules, seat, out):", *lines])
    return generated(source, "observe", float32=float32, **writers)


def _statements(
    part: Slice, shape: tuple[int, ...], start: str, of_seat: str, state: Any, rules: Any, writers: dict[str, Any]
) -> list[str]:
    """Return the statements that write a slice; its first column `start` and its index `of_seat` are expressions."""
    source = part.source
    if source is None:
        raise InputError(f"slice {part.name!r}: needs a source, since view.py has no observe")
    if source.kernel is not None:
        name = f"write_{len(writers)}"
        writers[name] = source.kernel
        return [f"{name}(state, rules, {'other' if of_seat else 'seat'}, out, {start})"]
    field = source.field
    if field not in (state.names or ()):
        raise InputError(f"slice {part.name!r}: the state has no field {field!r}")
    axes = state[field].shape[1:] if of_seat else state[field].shape
    value = f"state.{field}{of_seat}"
    if source.kind == "number":
        if axes != shape:
            raise InputError(f"slice {part.name!r}: has shape {shape}, the state's field {field!r} {axes}")
        if isinstance(source.scale, str) and source.scale not in (rules.names or ()):
            raise InputError(f"slice {part.name!r}: the rules have no field {source.scale!r}")
        scale = f"rules.{source.scale}" if isinstance(source.scale, str) else repr(source.scale)
        index = [f"k{axis}" for axis in range(len(shape))]
        loops = [f"{'    ' * axis}for k{axis} in range({size}):" for axis, size in enumerate(shape)]
        column = " + ".join([start, *(f"{prod(shape[axis + 1 :])} * k{axis}" for axis in range(len(shape)))])
        element = f"{value}[{', '.join(index)}]" if index else value
        return [*loops, f"{'    ' * len(shape)}out[{column}] = float32({element}) / float32({scale})"]
    if axes or len(shape) != 1:
        needs = f"a {source.kind} needs a slice of one axis and a field that is one number"
        message = f"slice {part.name!r}: {needs}; got shape {shape}, and field {field!r} {axes}"
        raise InputError(message)
    (size,) = shape
    if source.kind == "set":
        column = f"out[{start} + member] = float32(({value} >> (member + {source.first})) & 1)"
        return [f"for member in range({size}):", f"    {column}"]
    if source.kind == "seat":
        return [f"if 0 <= {value} < players:", f"    out[{start} + ({value} + players - seat) % players] = 1"]
    last = source.first + size
    return [f"if {source.first} <= {value} < {last}:", f"    out[{start} + {value} - {source.first}] = 1"]
