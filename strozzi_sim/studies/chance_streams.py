"""The draws of chance that decide a game: Sobol indices of the game's chance sources, from deals of which some are redrawn.

Two games of a deal share everything but the sources that are redrawn. With W the outcome (a vector over seats), the mean
squared difference of the two is twice the variance that those sources leave open, so that ratios of such means are the
first-order and total indices (estimators of Jansen 1999).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from strozzi_sim import stats
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.rollouts import AGENTS, Rollouts
from strozzi_sim.stats.intervals import Array, Estimate

CHUNKS = 50
OWN_CHANCE = "agents' own chance"
FIRST_ORDER, TOTAL = "first_order", "total"


def source_groups(chance: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    """Return the sources of each group as a row of marks, uint8[SOURCES + 1]; agents' own chance is the last group."""
    groups = dict(chance) or {"chance": range(AGENTS)}
    marks = {name: np.zeros(AGENTS + 1, np.uint8) for name in (*groups, OWN_CHANCE)}
    for name, sources in groups.items():
        marks[name][list(sources)] = 1
    marks[OWN_CHANCE][AGENTS] = 1
    return marks


def stream_indices(match: Match, deals: int) -> dict[tuple[str, str, str], Estimate]:
    """Return first-order and total indices by (outcome, group, figure), with intervals by chunk of deals.

    The first-order index is the share of the variance that the group decides by itself; the total index adds its part in what
    only several groups decide together. A group that never changes a game is left out.

    Args:
        match: line-up and rules.
        deals: number of deals, each played in 2 + 2 x groups versions.
    """
    from joblib import Parallel, delayed

    groups = source_groups(match.game.chance)
    every = np.ones(AGENTS + 1, np.uint8)
    redrawn = np.array([0 * every, every, *groups.values(), *(every - marks for marks in groups.values())], np.uint8)
    ends = np.linspace(0, deals, min(CHUNKS, deals) + 1).astype(np.int64)
    played = Parallel(require="sharedmem")(
        delayed(_squared_changes)(match, int(first), int(last), redrawn) for first, last in pairwise(ends)
    )
    sums = np.array(played)  # int64[chunk, outcome, version]
    found: dict[tuple[str, str, str], Estimate] = {}
    counts = np.diff(ends)
    for number, outcome in enumerate(("win", "score")):
        whole = sums[:, number, 1]
        for place, group in enumerate(groups):
            only, others = sums[:, number, 2 + place], sums[:, number, 2 + len(groups) + place]
            if not only.any():
                continue
            found[outcome, group, FIRST_ORDER] = _complement(stats.ratio(others, whole, events=counts))
            found[outcome, group, TOTAL] = stats.ratio(only, whole, events=counts)
    return found


def _squared_changes(match: Match, first: int, last: int, redrawn: Array) -> Array:
    """Return the squared differences to version 0, of wins and of scores, summed over deals and seats: int64[2, V]."""
    results: tuple[Any, Any] = Rollouts(match).redealt(first, last, redrawn)
    return np.array([((outcome - outcome[:, :1]) ** 2).sum(axis=(0, 2)) for outcome in results])


def _complement(share: Estimate) -> Estimate:
    return Estimate(1 - share.value, 1 - share.high, 1 - share.low, share.n)
