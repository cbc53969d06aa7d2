"""What each number of the components weighs: one step up and one step down from the box as it is, on common deals.

These are the elementary effects of Morris (1991) at one point, the box itself: a designer asks what a change of this box does, so
nothing is sampled and no library is needed. The race has two heats. In the first every number is moved, and tested: the
shares of wins together (Hotelling 1931), the mean score and the length, corrected for all numbers (Benjamini and Yekutieli
2001, as all are compared with the same games of the box). In the second the numbers with the largest effects play more deals,
on which nothing was chosen.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import InputError
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant, with_values
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.stats.intervals import Array, jackknife, t_quantile
from strozzi_sim.stats.multiple_testing import benjamini_yekutieli
from strozzi_sim.studies.plan import Cell, Plan
from strozzi_sim.studies.store import MemoryStore

Play = Callable[[Plan, Callable[[Plan, MemoryStore], dict[str, Any]]], Any]
MOST = 10  # numbers that are measured again
CHUNKS = 50
SHARE, GAP, SCORE, LENGTH = "win_share", "seat_gap", "score_mean", "decisions_mean"
HEAVY, REAL, NOTHING = "among those that matter most", "matters less", "cannot be told from zero"
ALPHA = 0.05
COLUMNS = {
    "players": "int64", "variant": "str", "lineup": "str", "key": "str", "from": "float64", "to": "float64", "by": "str",
    "level": "int64", "figure": "str", "value": "float64", "low": "float64", "high": "float64", "n": "int64", "deals": "int64",
    "p": "float64", "status": "str",
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A number moved one step: its key, its value before and after, and the box with it."""

    key: str
    before: float
    after: float
    variant: Variant


@dataclass(frozen=True)
class Effect:
    """The effect of a step.

    Attributes:
        step: the step.
        differences: variant minus base by chunk: every share of wins, mean score, length; float64[C, K + 2].
        gap: difference of the gap between seats: value, low, high.
        p: p-values of the shares together, the score and the length; not corrected.
        deals: number of deals.
    """

    step: Step
    differences: Array
    gap: tuple[float, float, float]
    p: tuple[float, float, float]
    deals: int

    @property
    def size(self) -> float:
        """How far the shares of wins move, squared, less what chance adds; without bias."""
        shares = self.differences[:, :-2]
        return float((shares.mean(axis=0) ** 2 - shares.var(axis=0, ddof=1) / len(shares)).sum())


def numbers(game: Game, variant: Variant) -> Iterator[tuple[str, float]]:
    """Yield every number of the components that a variant may change, with its key: ("tracks.bonus.7", 5)."""
    for section in game.components_part.VARIABLE:
        yield from _numbers_in(variant.components.get(section), section)


def _numbers_in(data: Any, key: str) -> Iterator[tuple[str, float]]:
    if isinstance(data, Mapping):
        for name, each in data.items():
            if name != "id":
                yield from _numbers_in(each, f"{key}.{name}")
    elif isinstance(data, list | tuple):
        ids = [each.get("id") if isinstance(each, Mapping) else None for each in data]
        for place, each in enumerate(data):
            yield from _numbers_in(each, f"{key}.{place if ids[place] is None else ids[place]}")
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield key, data


def steps(game: Game, variant: Variant) -> tuple[list[Step], dict[str, str]]:
    """Return every number moved one step up and down, and those that cannot be moved with the reason.

    A step is 1 for a whole number below 20, else a tenth of the number.
    """
    found: list[Step] = []
    refused: dict[str, str] = {}
    for key, value in numbers(game, variant):
        step = value / 10 if isinstance(value, float) else max(1, round(abs(value) / 10))
        for after in (value + step, value - step):
            try:
                changed = with_values(game, variant, {key: after})
            except InputError as error:
                refused[f"{key}={after:g}"] = str(error)
                continue
            if changed.components == variant.components:
                refused[f"{key}={after:g}"] = "is counted from the other data, whatever is written there"
            else:
                found.append(Step(key, value, after, changed))
    return found, refused


def weigh(plan: Plan, moved: Sequence[Step], play: Play, first: int) -> tuple[pd.DataFrame, int]:
    """Return the table weights, and the number of games.

    Args:
        plan: plays the base at one player count with one line-up; its deals are those of the second heat.
        moved: the steps.
        play: plays a plan, and reads its chunks by the function.
        first: deals of the first heat.
    """
    games = 0

    def measure(chosen: Sequence[Step], deals: int, seed: int) -> list[Effect]:
        nonlocal games
        chunks = min(CHUNKS, deals)
        variants = (*plan.variants, *(each.variant for each in chosen))
        heat = replace(plan, variants=variants, deals=deals - deals % chunks, chunks=chunks, chunk_deals=0, seed=seed)
        found: list[Effect] = []

        def read(cut: Plan, store: MemoryStore) -> dict[str, Any]:
            base, *others = cut.cells
            shares = by_chunk(base, cut, store)
            found.extend(
                _effect(step, shares, by_chunk(cell, cut, store), cut.deals)
                for step, cell in zip(chosen, others, strict=True)
            )
            return {}

        play(heat, read)
        games += heat.games
        return found

    heat = measure(moved, first, plan.seed)
    p = benjamini_yekutieli(np.array([each.p for each in heat])) if heat else np.zeros((0, 3))
    real = {each.step.key for each, own in zip(heat, p, strict=True) if (own < ALPHA).any()}
    by_key: dict[str, float] = {}
    for each in heat:
        by_key[each.step.key] = max(by_key.get(each.step.key, -np.inf), each.size)
    heaviest = sorted(real, key=lambda key: -by_key[key])[:MOST]
    again = {}
    if heaviest:
        chosen = [each for each in moved if each.key in heaviest]
        again = {(each.step.key, each.step.after): each for each in measure(chosen, plan.deals, plan.seed + 1)}
    rows: list[tuple[Any, ...]] = []
    for each, own in zip(heat, p, strict=True):
        key = each.step.key
        status = HEAVY if key in heaviest else REAL if key in real else NOTHING
        rows += _rows(plan, again.get((key, each.step.after), each), own, status)
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)
    rank = {key: place for place, key in enumerate(heaviest)}
    rank |= dict.fromkeys(real - set(heaviest), MOST)
    order = np.argsort([rank.get(key, MOST + 1) for key in frame["key"]], kind="stable")
    return frame.iloc[order].reset_index(drop=True), games


def by_chunk(cell: Cell, plan: Plan, store: MemoryStore) -> Array:
    """Return shares of wins (by seat; of a line-up by position), mean score and length by chunk, float64[C, K + 2]."""
    players, axis = cell.match.players, 0 if cell.selfplay else 1
    lines = []
    for chunk in range(plan.chunks):
        outcome = store.read((cell.number, chunk))[0][0]
        wins, scores = (outcome[name].sum(axis=axis)[:players] for name in ("wins", "scores"))
        games = outcome["games"]
        lines.append([*(wins / WIN_UNITS / games), scores.sum() / players / games, outcome["decisions"] / games])
    return np.array(lines)


def _effect(step: Step, base: Array, moved: Array, deals: int) -> Effect:
    differences = moved - base
    gaps = []
    for side in (moved, base):
        without = (side[:, :-2].sum(axis=0) - side[:, :-2]) / (len(side) - 1)
        gaps.append((np.ptp(side[:, :-2].mean(axis=0)), np.ptp(without, axis=1)))
    half = t_quantile(len(base) - 1) * float(jackknife(gaps[0][1] - gaps[1][1]))
    gap = float(gaps[0][0] - gaps[1][0])
    p = (hotelling(differences[:, :-3]), _t_test(differences[:, -2]), _t_test(differences[:, -1]))
    return Effect(step, differences, (gap, gap - half, gap + half), p, deals)


def hotelling(differences: Array) -> float:
    """Return the p-value of means that are all 0 (Hotelling 1931); the last share is left out, as shares sum to 1."""
    from scipy.special import fdtrc

    chunks, figures = differences.shape
    mean, spread = differences.mean(axis=0), np.atleast_2d(np.cov(differences, rowvar=False))
    if not spread.any() or np.linalg.matrix_rank(spread) < figures:
        return 1.0
    t2 = chunks * float(mean @ np.linalg.solve(spread, mean))
    return float(fdtrc(figures, chunks - figures, t2 * (chunks - figures) / (figures * (chunks - 1))))


def _t_test(differences: Array) -> float:
    from scipy.special import stdtr

    error = differences.std(ddof=1) / np.sqrt(len(differences))
    if error == 0:
        return float(differences.mean() == 0)
    return float(2 * stdtr(len(differences) - 1, -abs(differences.mean()) / error))


def _rows(plan: Plan, effect: Effect, p: Array, status: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a step: its effect on every figure."""
    cell = plan.cells[0]
    step, chunks = effect.step, len(effect.differences)
    where = (cell.match.players, plan.variants[0].name, cell.lineup, step.key, step.before, step.after)
    n = effect.deals * cell.match.games_per_deal
    value = effect.differences.mean(axis=0)
    half = t_quantile(chunks - 1) * effect.differences.std(axis=0, ddof=1) / np.sqrt(chunks)
    by = "seat" if cell.selfplay else "position"
    for k in range(len(value) - 2):
        ends = (value[k], value[k] - half[k], value[k] + half[k])
        yield (*where, by, k, SHARE, *ends, n, effect.deals, p[0], status)
    yield (*where, "", 0, GAP, *effect.gap, n, effect.deals, p[0], status)
    for k, figure in ((-2, SCORE), (-1, LENGTH)):
        yield (*where, "", 0, figure, value[k], value[k] - half[k], value[k] + half[k], n, effect.deals, p[k], status)
