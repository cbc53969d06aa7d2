"""Check a game's named slices: their ranges must hold, and every column is written."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from strozzi_sim.conformance.checked import Checked
from strozzi_sim.errors import in_ranges
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, shipped_variants

SHOWN = 6  # most columns or ranges of columns listed in an error
Array = np.ndarray[Any, Any]


@cache
def _ranges(game: Game) -> tuple[frozenset[str], Array, Array]:
    """Return the variants for which ranges are declared, and the range of every column."""
    return frozenset((BASE, *shipped_variants(game))), *game.slices.limits()


def check_range(here: Checked, observation: Array, seat: int) -> None:
    """Check that every number is in the range of its slice; only shipped components, since others may exceed it."""
    names, low, high = _ranges(here.game)
    if here.variant.name not in names:
        return
    outside = np.flatnonzero((observation < low) | (observation > high))
    message = ""
    for column in outside[:1].tolist():
        part = [part for part in here.game.slices.values() if column in part.index][-1]  # a field before its group
        message = f"{part.name}, seen by seat {seat}, is {observation[column]:g}, outside {part.low:g} to {part.high:g}"
    here.require("observe", not message, message)


def check_written(here: Checked, observation: Array, seat: int) -> None:
    """Check that an observation, NaN before, is finite everywhere; name the slices and columns that are not."""
    left = np.flatnonzero(~np.isfinite(observation))
    slices = here.game.slices
    parts = [part for part in slices.values() if not slices.fields(part.name)]  # a group's fields instead of the group
    found = [(part.name, np.intersect1d(part.index, left).tolist()) for part in parts] if left.size else []
    named = "; ".join(f"{name}, {_in_words(columns)}" for name, columns in found if columns)
    here.require(
        "observe", left.size == 0, f"not every place seen by seat {seat} is written with a finite number: {named}"
    )


def _in_words(columns: Sequence[int]) -> str:
    """Format columns, at most the first SHOWN ranges."""
    listed = in_ranges([str(column) for column in columns])
    rest = f", ... ({len(columns)} in all)" if len(listed) > SHOWN else ""
    return f"column{'s' if len(columns) > 1 else ''} {', '.join(listed[:SHOWN])}{rest}"
