"""The kernel `observe`, made from the slices of an observation.

A slice with a source names the field of the state from which its numbers come. In a group over seats the field has a
first axis of seats; seats count clockwise from the observer, and the columns of seats that are not in the game are zero.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numba import float32

from strozzi_sim.errors import InputError
from strozzi_sim.game.slices import Layout, Slice
from strozzi_sim.kernel.generated import generated


def observer(slices: Layout, state: np.dtype[Any], rules: np.dtype[Any]) -> Callable[..., Any]:
    """Return `observe(state, rules, seat, out)`, which writes every slice."""
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
            found = _statements(field, field.shape[1:], start, "[other]", state, rules, writers)
            lines += [f"    {line}" for line in found]
    source = "\n    ".join(["def observe(state, rules, seat, out):", *lines])
    return generated(source, "observe", float32=float32, **writers)


def _statements(
    part: Slice, shape: tuple[int, ...], start: str, of_seat: str, state: Any, rules: Any, writers: dict[str, Any]
) -> list[str]:
    """Return the statements that write one slice, whose first column is the expression `start`."""
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
        raise InputError(
            f"slice {part.name!r}: a {source.kind} needs one axis and one number, field {field!r} has {axes}"
        )
    (size,) = shape
    if source.kind == "set":
        column = f"out[{start} + member] = float32(({value} >> (member + {source.first})) & 1)"
        return [f"for member in range({size}):", f"    {column}"]
    if source.kind == "seat":
        return [f"if {value} < players:", f"    out[{start} + ({value} + players - seat) % players] = 1"]
    return [
        f"if {source.first} <= {value} < {source.first + size}:",
        f"    out[{start} + {value} - {source.first}] = 1",
    ]
