"""How numbers of the components work together: Sobol indices, from boxes in which several of them are moved at once.

Every number takes one step down, its value, or one step up, with equal probability. A block is a row of Saltelli's sample (2002):
two boxes A and B, and boxes with all numbers of one but a single number of the other. The boxes of a block play the same deals,
those of another block other deals, so that blocks are independent and the jackknife over them covers deals and boxes alike.

Saltelli's estimators drown in the noise of play: with 128 blocks their intervals are about +- 0.1, those of a fit +- 0.005. So the
outcome of a box, less the mean of its block, is fitted as a sum of orthonormal functions, a line and a parabola of each number and the
product of the lines of each pair (Sudret 2008): the squared coefficients are the parts of the variance. A coefficient's squared
error is subtracted from its square, so that a number that does nothing has an index of 0 on average. What three numbers do together,
and what is neither line nor product, stays out. The shares of wins are taken together, as the sum over seats (Gamboa et al.
2014): the gap between seats is biased by noise.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.game.variants import Variant, with_values
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.stats.intervals import Array, jackknife, t_quantile
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.store import MemoryStore
from strozzi_sim.studies.weights import ALPHA, SCORE, SHARE, Play, Step, by_chunk, hotelling

BLOCKS = 128  # a power of 2, as Sobol's sequence needs
FEWEST = 16  # blocks of valid boxes
LEAST_SURE = 3  # standard errors of the variance from 0, below which there are no shares of it
FIRST_ORDER, TOTAL, SECOND_ORDER = "first_order", "total", "second_order"
COLUMNS = {
    "players": "int64", "variant": "str", "lineup": "str", "key": "str", "other": "str", "outcome": "str", "figure": "str",
    "value": "float64", "low": "float64", "high": "float64", "n": "int64", "deals": "int64",
}  # fmt: skip


def find_sampler() -> Any:
    """Return SALib's sampler of Sobol indices.

    Raises:
        ArgumentError: SALib is not installed.
    """
    try:
        from SALib.sample import sobol
    except ImportError:
        words = "needs SALib; install it with: pip install 'strozzi-sim[sensitivity]'"
        raise ArgumentError("interactions", words) from None
    return sobol


def interactions(plan: Plan, moved: Sequence[Step], play: Play, deals: int) -> tuple[pd.DataFrame, int, int]:
    """Return the table interactions, the number of games, and that of blocks left out because a box of theirs is invalid.

    Args:
        plan: plays the base at one player count with one line-up.
        moved: the steps of the numbers that are varied together; fewer than two numbers have an empty table.
        play: plays a plan, and reads its chunks by the function.
        deals: deals of each block of boxes.

    Raises:
        ArgumentError: SALib is not installed, or too few blocks are valid.
    """
    if len({step.key for step in moved}) < 2:
        return pd.DataFrame(columns=list(COLUMNS)).astype(COLUMNS), 0, 0
    before = {step.key: step.before for step in moved}
    steps = {key: sorted({value, *(step.after for step in moved if step.key == key)}) for key, value in before.items()}
    levels = [len(values) for values in steps.values()]
    problem = {"num_vars": len(steps), "names": list(steps), "bounds": [[0, count] for count in levels]}
    rows = find_sampler().sample(problem, BLOCKS, calc_second_order=True, seed=plan.seed).astype(np.int64)
    designs, outcomes, games = list[Array](), list[Array](), 0
    for number, block in enumerate(rows.reshape(BLOCKS, -1, len(steps))):
        boxes = _boxes(plan, before, steps, block)
        if boxes is None:
            continue
        variants = tuple(boxes.values())
        part = replace(plan, variants=variants, deals=deals, chunks=1, chunk_deals=0, seed=plan.seed + 2 + number)
        found = dict[tuple[int, ...], Array]()

        def read(cut: Plan, store: MemoryStore, boxes: Any = boxes, found: Any = found) -> dict[str, Any]:
            found.update((box, by_chunk(cell, cut, store)[0]) for box, cell in zip(boxes, cut.cells, strict=True))
            return {}

        play(part, read)
        designs.append(_design(block, levels))
        outcomes.append(np.array([found[tuple(box)] for box in block]))
        games += part.games
    if len(designs) < FEWEST:
        words = (
            f"only {len(designs)} of {BLOCKS} samples of {', '.join(steps)} make valid boxes; choose others with keys"
        )
        raise ArgumentError("interactions", words)
    table = _rows(plan, list(steps), levels, fitted(designs, outcomes), deals * len(designs))
    return pd.DataFrame(table, columns=list(COLUMNS)).astype(COLUMNS), games, BLOCKS - len(designs)


def _boxes(
    plan: Plan, before: Mapping[str, float], steps: Mapping[str, list[float]], block: Array
) -> dict[tuple[int, ...], Variant] | None:
    """Return the different boxes of a block by the levels of their numbers, or None if one is invalid."""
    boxes = dict[tuple[int, ...], Variant]()
    for box in block:
        values = {key: steps[key][level] for key, level in zip(steps, box, strict=True)}
        changed = {key: value for key, value in values.items() if value != before[key]}
        try:
            boxes[tuple(box)] = with_values(plan.game, plan.variants[0], changed) if changed else plan.variants[0]
        except InputError:
            return None
    return boxes


def _design(block: Array, levels: Sequence[int]) -> Array:
    """Return the functions of a block's boxes: lines, parabolas of numbers with three levels, products; float64[B, functions].

    Args:
        block: the level of every number, from the smallest value, int64[B, K].
        levels: how many levels each number has.
    """
    counts = np.array(levels)
    middle = (counts - 1) / 2
    lines = (block - middle) / np.sqrt((counts**2 - 1) / 12)
    parabolas = (3 * (block - 1) ** 2 - 2)[:, counts == 3] / np.sqrt(2)
    products = [lines[:, i] * lines[:, j] for i, j in combinations(range(len(levels)), 2)]
    return np.column_stack([lines, parabolas, *products])


def fitted(designs: Sequence[Array], outcomes: Sequence[Array]) -> tuple[Array, Array]:
    """Return the coefficients float64[functions, outcomes], and those without each block, float64[R, functions, outcomes].

    Args:
        designs: the functions of each block's boxes, float64[B, functions].
        outcomes: the outcomes of these boxes, float64[B, outcomes].
    """
    both = [(x - x.mean(axis=0), y - y.mean(axis=0)) for x, y in zip(designs, outcomes, strict=True)]
    squares, products = (np.array([x.T @ side for x, side in pairs]) for pairs in ([(x, x) for x, _ in both], both))
    with single_threaded_blas():
        whole, right = squares.sum(axis=0), products.sum(axis=0)
        inverse = np.linalg.pinv(whole - squares, hermitian=True)
        return np.linalg.pinv(whole, hermitian=True) @ right, inverse @ (right - products)


def _sums(levels: Sequence[int]) -> dict[str, Array]:
    """Return the functions that each index adds up, by figure: float64[numbers or pairs, functions] of 0 and 1."""
    pairs = list(combinations(range(len(levels)), 2))
    curved = [k for k, count in enumerate(levels) if count == 3]
    of_number = np.array([*range(len(levels)), *curved])  # of each line and parabola
    alone = np.array([[*(of_number == k), *([False] * len(pairs))] for k in range(len(levels))], float)
    with_pairs = np.array([[*([False] * len(of_number)), *(k in pair for pair in pairs)] for k in range(len(levels))])
    products = np.eye(len(of_number) + len(pairs))[len(of_number) :]
    return {FIRST_ORDER: alone, TOTAL: alone + with_pairs, SECOND_ORDER: products}


def _rows(
    plan: Plan, keys: list[str], levels: Sequence[int], found: tuple[Array, Array], deals: int
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the table; a pair only if its coefficients differ from 0, corrected for the number of pairs (Holm)."""
    cell, pairs = plan.cells[0], list(combinations(keys, 2))
    where = (cell.match.players, plan.variants[0].name, cell.lineup)
    of_keys = {FIRST_ORDER: [(key, "") for key in keys], TOTAL: [(key, "") for key in keys], SECOND_ORDER: pairs}
    blocks = len(found[1])
    for outcome, chosen in ((SHARE, slice(0, -2)), (SCORE, slice(-2, -1))):
        whole, without = found[0][:, chosen], found[1][:, :, chosen]
        error = jackknife(without)
        parts, rest = ((each**2 - error**2).sum(axis=-1) for each in (whole, without))  # of each function
        of_square = (2 * error**4).sum(
            axis=-1
        )  # variance of a squared coefficient near 0, where the jackknife sees none
        variance, all_rest = parts.sum(), rest.sum(axis=1)
        is_known = variance > LEAST_SURE * np.sqrt(jackknife(all_rest) ** 2 + of_square.sum())
        together = (blocks * whole - (blocks - 1) * without)[:, len(parts) - len(pairs) :]  # pseudo-values of products
        p = holm(
            np.array(
                [hotelling(together[:, k, :-1] if outcome == SHARE else together[:, k]) for k in range(len(pairs))]
            )
        )
        for figure, sums in _sums(levels).items():
            value = sums @ parts / variance if is_known else np.full(len(sums), np.nan)
            by_block = rest @ sums.T / all_rest[:, None]
            half = t_quantile(blocks - 1) * np.sqrt(jackknife(by_block) ** 2 + sums @ of_square / variance**2)
            for k, names in enumerate(of_keys[figure]):
                if figure != SECOND_ORDER or (is_known and p[k] < ALPHA):
                    ends = (value[k] - half[k], value[k] + half[k])
                    yield (*where, *names, outcome, figure, value[k], *ends, blocks, deals)
