"""Count stored rows for crosstabs that were not requested during play."""

from collections.abc import Iterable

import numpy as np

from strozzi_sim.facts.columns import OUTCOMES, Array, Table
from strozzi_sim.facts.crosstabs import CrosstabPlan
from strozzi_sim.facts.row_storage import KeptRows

_OUTCOMES = {column.name for column in OUTCOMES}


def recount(plan: CrosstabPlan, table: Table, blocks: Iterable[KeptRows]) -> Array:
    """Return the counts of a plan, int64[plan.size]: those of one table from its stored rows, 0 for other tables.

    Sums are exact below 2^53.
    """
    counts = np.zeros(plan.size, np.int64)
    for rows in blocks:
        for cube in plan.cubes_of(table.name):
            cell = np.zeros(len(rows.game), np.int64)
            for name, starts in cube.bounds.items():
                values = np.maximum(_values(rows, name), starts[0])
                cell = cell * len(starts) + np.searchsorted(np.asarray(starts), values, side="right") - 1
            numbers = [np.bincount(cell, minlength=cube.cells)]
            numbers += [np.bincount(cell, _values(rows, name), cube.cells) for name in cube.sums]
            part = counts[cube.first : cube.first + cube.cells * cube.width].reshape(cube.cells, cube.width)
            part += np.stack(numbers, axis=1).astype(np.int64)
    return counts


def _values(rows: KeptRows, name: str) -> Array:
    if name in _OUTCOMES:
        outcomes: Array = rows.games[name][rows.game, rows.columns["seat"]]
        return outcomes.astype(np.int64)
    return rows.columns[name].astype(np.int64)
