"""What each number of the components weighs: one step up and one step down from the box as it is, on common deals.

These are the elementary effects of Morris (1991) at one point, the box itself: a designer asks what a change of this box does, so
nothing is sampled and no library is needed. The race has three heats. In the first every number is moved; in each
later one those that moved the shares of wins furthest play more deals, on which nothing was chosen. Every heat tests
the shares of wins together (Hotelling 1931), the mean score and the length, corrected for all of them (Holm 1979): a
run that says of any number that it changes something though it does not is one of a thousand.

How much a number matters is the largest change of a share of wins by its steps. Every heat has bounds of it that hold
for all its numbers at once (Bonferroni, 95 % over all heats). A number is said to matter less than another only if its
upper bound is below the lower one of the other.
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
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.studies.plan import Cell, Plan
from strozzi_sim.studies.store import MemoryStore

Play = Callable[[Plan, Callable[[Plan, MemoryStore], dict[str, Any]]], Any]
FIRST, SECOND = 20, 5  # parts of the deals that the first two heats play
MIDDLE, MOST = 40, 10  # numbers in the second heat and in the last one
CHUNKS = 50
SHARE, GAP, SCORE, LENGTH = "win_share", "seat_gap", "score_mean", "decisions_mean"
HEAVY, REAL, NOTHING = "among those that matter most", "matters less", "cannot be told from zero"
TIED = "may matter as much"
KNOWN = 0.001  # share of runs that say of some number that it changes something, though it does not
COLUMNS = {
    "players": "int64", "variant": "str", "lineup": "str", "key": "str", "from": "float64", "to": "float64", "by": "str",
    "level": "int64", "figure": "str", "value": "float64", "low": "float64", "high": "float64", "n": "int64", "deals": "int64",
    "p": "float64", "status": "str", "least": "float64", "most": "float64", "place_low": "int64", "place_high": "int64",
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

    def bounds(self, figures: int) -> tuple[float, float]:
        """Return the least and the most that the largest change of a share can be, of `figures` bounded at once."""
        shares = self.differences[:, :-2]
        change = np.abs(shares.mean(axis=0))
        half = t_quantile(len(shares) - 1, figures) * shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
        return float(np.maximum(change - half, 0).max()), float((change + half).max())


@dataclass(frozen=True)
class Judged:
    """What the heats say of a number.

    Attributes:
        status: HEAVY: it is in the last heat and known to move the shares of wins. TIED and REAL: it is known to
            change something, and may move the shares as much as the lightest of those, or is known to move them less.
            NOTHING: neither.
        least, most: bounds of the largest change of a share, for all numbers at once.
        places: first and last place that it can have among all numbers, from 1.
    """

    status: str
    least: float
    most: float
    places: tuple[int, int]


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


def weigh(plan: Plan, moved: Sequence[Step], play: Play) -> tuple[pd.DataFrame, int]:
    """Return the table weights, and the number of games.

    Args:
        plan: plays the base at one player count with one line-up; its deals are those of the last heat.
        moved: the steps.
        play: plays a plan, and reads its chunks by the function.
    """
    games = 0

    def measure(chosen: Sequence[Step], deals: int, number: int) -> list[Effect]:
        nonlocal games
        chunks, seed = min(CHUNKS, deals), plan.seed + number
        variants = (*plan.variants, *(each.variant for each in chosen))
        heat = replace(plan, variants=variants, deals=deals - deals % chunks, chunks=chunks, chunk_deals=0, seed=seed)
        found: list[Effect] = []

        def read(cut: Plan, store: MemoryStore) -> dict[str, Any]:
            base, *others = cut.cells
            shares = by_chunk(base, cut, store)
            found.extend(
                effect_of(step, shares, by_chunk(cell, cut, store), cut.deals)
                for step, cell in zip(chosen, others, strict=True)
            )
            return {}

        play(heat, read)
        games += heat.games
        return found

    heats = race(moved, measure, plan.deals)
    return table_of(plan, heats, judge(heats)), games


def table_of(plan: Plan, heats: Sequence[Sequence[Effect]], judged: Mapping[str, Judged]) -> pd.DataFrame:
    """Return the table weights: each step as its last heat measured it, those that moved a share most first."""
    p = {_place(each): own for heat in heats for each, own in zip(heat, _adjusted(heat), strict=True)}
    last = {_place(each): each for heat in heats for each in heat}
    groups = (HEAVY, TIED, REAL, NOTHING)
    furthest: dict[str, float] = {}
    for each in last.values():
        furthest[each.step.key] = max(
            furthest.get(each.step.key, 0.0), np.abs(each.differences[:, :-2].mean(axis=0)).max()
        )
    keys = sorted(furthest, key=lambda key: (groups.index(judged[key].status), -furthest[key]))
    rank = {key: number for number, key in enumerate(keys)}
    ordered = sorted(last.items(), key=lambda place: rank[place[1].step.key])
    rows = [row for place, each in ordered for row in _rows(plan, each, p[place], judged[each.step.key])]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _place(effect: Effect) -> tuple[str, float]:
    return effect.step.key, effect.step.after


Measure = Callable[[Sequence[Step], int, int], list[Effect]]


def race(moved: Sequence[Step], measure: Measure, deals: int) -> list[list[Effect]]:
    """Return the effects of the steps in each heat: of all, of those that go on, and of the last few.

    Args:
        moved: the steps.
        measure: returns the effects of steps, given the number of deals and that of the heat.
        deals: deals of the last heat.
    """
    heats = [measure(moved, deals // FIRST, 0)]
    for number, (size, own_deals) in enumerate(((MIDDLE, deals // SECOND), (MOST, deals)), 1):
        chosen = _furthest(heats, size)
        if not chosen:
            break
        heats.append(measure([each for each in moved if each.key in chosen], own_deals, number))
    return heats


def _furthest(heats: Sequence[Sequence[Effect]], size: int) -> set[str]:
    """Return the numbers that go on: those known to change something, then those that moved the shares furthest."""
    known, sizes = _changing(heats), dict[str, float]()
    for each in heats[-1]:
        if each.differences.any():
            sizes[each.step.key] = max(sizes.get(each.step.key, -np.inf), each.size)
    return set(sorted(sizes, key=lambda key: (key not in known, -sizes[key]))[:size])


def _adjusted(heat: Sequence[Effect]) -> Array:
    """Return the p-values of a heat, corrected for all of them, float64[effects, 3]."""
    return holm(np.array([each.p for each in heat]).reshape(-1, 3))


def _changing(heats: Sequence[Sequence[Effect]]) -> set[str]:
    """Return the numbers that are known to change something."""
    found = [(each, own) for heat in heats for each, own in zip(heat, _adjusted(heat), strict=True)]
    return {each.step.key for each, own in found if (own < KNOWN / len(heats)).any()}


def judge(heats: Sequence[Sequence[Effect]]) -> dict[str, Judged]:
    """Return what the heats say of each number; the first heat has all of them."""
    least: dict[str, float] = {}
    most: dict[str, float] = {}
    for heat in heats:
        figures = len(heats) * sum(each.differences.shape[1] - 2 for each in heat)
        bounds: dict[str, list[tuple[float, float]]] = {}
        for each in heat:
            bounds.setdefault(each.step.key, []).append(each.bounds(figures))
        for key, own in bounds.items():
            lows, highs = zip(*own, strict=True)
            least[key] = max(least.get(key, 0.0), *lows)
            most[key] = min(most.get(key, np.inf), max(highs))
    last = zip(heats[-1], _adjusted(heats[-1]), strict=True)
    heavy = {each.step.key for each, own in last if own[0] < KNOWN / len(heats)}
    lightest = min((least[key] for key in heavy), default=0.0)
    changing = _changing(heats)

    def status(key: str) -> str:
        if key in heavy:
            return HEAVY
        if key not in changing:
            return NOTHING
        return REAL if most[key] < lightest or most[key] == 0 else TIED

    ends = np.array([[least[key], most[key]] for key in least]).reshape(-1, 2)

    def places(key: str) -> tuple[int, int]:
        return 1 + int((ends[:, 0] > most[key]).sum()), int((ends[:, 1] >= least[key]).sum())

    return {key: Judged(status(key), least[key], most[key], places(key)) for key in least}


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


def effect_of(step: Step, base: Array, moved: Array, deals: int) -> Effect:
    """Return the effect of a step, from the figures of the box and of the moved box by chunk; see `by_chunk`."""
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


def _rows(plan: Plan, effect: Effect, p: Array, judged: Judged) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a step: its effect on every figure."""
    cell = plan.cells[0]
    step, chunks = effect.step, len(effect.differences)
    where = (cell.match.players, plan.variants[0].name, cell.lineup, step.key, step.before, step.after)
    n = effect.deals * cell.match.games_per_deal
    value = effect.differences.mean(axis=0)
    half = t_quantile(chunks - 1) * effect.differences.std(axis=0, ddof=1) / np.sqrt(chunks)
    by = "seat" if cell.selfplay else "position"
    said = (judged.status, judged.least, judged.most, *judged.places)
    for k in range(len(value) - 2):
        ends = (value[k], value[k] - half[k], value[k] + half[k])
        yield (*where, by, k, SHARE, *ends, n, effect.deals, p[0], *said)
    yield (*where, "", 0, GAP, *effect.gap, n, effect.deals, p[0], *said)
    for k, figure in ((-2, SCORE), (-1, LENGTH)):
        yield (*where, "", 0, figure, value[k], value[k] - half[k], value[k] + half[k], n, effect.deals, p[k], *said)
