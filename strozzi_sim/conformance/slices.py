"""Check observations: every column must be written, and be in the range of its slice."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from strozzi_sim.conformance.checked import Checked
from strozzi_sim.errors import in_ranges
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, shipped_variants

SHOWN = 6  # number of columns, or ranges of columns, listed in an error
Array = np.ndarray[Any, Any]


@cache
def _ranges(game: Game) -> tuple[frozenset[str], Array, Array]:
    """Return the names of the variants for which ranges hold, and the lowest and highest values, float32[F] each."""
    return frozenset((BASE, *shipped_variants(game))), *game.slices.limits()


def check_range(checked: Checked, observation: Array, seat: int) -> None:
    """Check that every number is in the range of its slice; only in shipped variants, since others may exceed it."""
    names, low, high = _ranges(checked.game)
    if checked.variant.name not in names:
        return
    outside = np.flatnonzero((observation < low) | (observation > high))
    message = ""
    if outside.size:
        column = outside[0]
        part = [part for part in checked.game.slices.values() if column in part.index][-1]  # a field, not its group
        message = f"{part.name}, seen by seat {seat}, is {observation[column]:g}, outside {part.low:g} to {part.high:g}"
    checked.require("observe", not message, message)


def check_written(checked: Checked, observation: Array, seat: int) -> None:
    """Check that an observation, NaN before it was written, is finite; name the slices and columns that are not."""
    unwritten = np.flatnonzero(~np.isfinite(observation))
    slices = checked.game.slices
    parts = [part for part in slices.values() if not slices.fields(part.name)]  # a group's fields instead of the group
    columns_by_slice = (
        [(part.name, np.intersect1d(part.index, unwritten).tolist()) for part in parts] if unwritten.size else []
    )
    listed = "; ".join(f"{name}, {_format_columns(columns)}" for name, columns in columns_by_slice if columns)
    what = f"not every column seen by seat {seat} is written with a finite number: {listed}"
    checked.require("observe", unwritten.size == 0, what)


def _format_columns(columns: Sequence[int]) -> str:
    """Return column numbers as text, at most the first SHOWN numbers or ranges."""
    listed = in_ranges([str(column) for column in columns])
    ending = f", ... ({len(columns)} in all)" if len(listed) > SHOWN else ""
    return f"column{'s' if len(columns) > 1 else ''} {', '.join(listed[:SHOWN])}{ending}"
