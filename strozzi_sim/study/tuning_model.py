"""The model of `tune`: what the figures of any box are, predicted from the changes of the boxes that were played.

Each figure, and not the distance from the targets, is modelled (`stats.surface`): so a prediction of a box of one, two
or three changed numbers is a sum over tables, and those considered are compared in less than a second.

Axes: F columns of figures, G targets, K active numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from strozzi_sim.stats.intervals import Array
from strozzi_sim.stats.surface import Surface
from strozzi_sim.study.box_numbers import BoxNumber
from strozzi_sim.study.targets import Target

FEWER = 12  # most useful numbers, whose triples are considered
SHORT = 30  # predicted boxes that are looked at closely
MARGIN = -0.5  # a box is sought whose predicted figures are this far inside of every range, in scales
_OPEN = 2.0  # standard errors of a pair's product that are left open when a target is called out of reach
_FAR_AWAY = 1e3  # a loss above all others
_SOURCED = 0.1  # what a change of a number that a source gives costs more than one of a reconstructed one, in steps

Box = tuple[tuple[int, float], ...]  # (index of a number, value) of every changed number; () is the box before changes


@dataclass(frozen=True)
class Seen:
    """The measured change of a box: of each figure the mean by precision, float64[F], and its variance."""

    deals: int
    change: Array
    variance: Array

    def and_then(self, other: "Seen") -> "Seen":
        """Return this and a further measurement together."""
        total = 1 / (1 / self.variance + 1 / other.variance)
        change = total * (self.change / self.variance + other.change / other.variance)
        return Seen(self.deals + other.deals, change, total)


@dataclass(frozen=True)
class Known:
    """The box before any change, as far as it was played.

    Attributes:
        figures, error: its figures and their standard errors, float64[F].
        half: half widths of the intervals of a box that is checked, float64[F].
    """

    figures: Array
    error: Array
    half: Array


class Model:
    """Figures of boxes as functions of the active numbers, fitted to the boxes that were played.

    A Box has indices in `numbers`; `places` in the methods, and the axes K, are indices in `active`.

    Args:
        targets: the targets.
        numbers: all numbers that may change.
        grids: index in `numbers` of an active number -> positions that the game allows, in steps; the most useful
            number first.
        seen: measured changes by box, of active numbers only.
        known: the box before any change.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        numbers: Sequence[BoxNumber],
        grids: Mapping[int, Array],
        seen: Mapping[Box, Seen],
        known: Known,
    ) -> None:
        self.targets, self.numbers, self.known = targets, numbers, known
        self.active, self._grids = [*grids], [*grids.values()]
        self._chances: dict[Box, float] = {}
        change = np.array([each.change for each in seen.values()])
        error = np.sqrt([each.variance for each in seen.values()])
        self._largest = np.maximum(np.abs(change).max(axis=0), 1e-9)  # the unit of the surface, by figure
        positions = np.array([self._position(box) for box in seen])
        self._surface = Surface(positions, change / self._largest, error / self._largest)
        self._along = [self._surface.along(k, grid) * self._largest for k, grid in enumerate(self._grids)]

    def chance(self, box: Box) -> float:
        """Return about how likely a box is to be shown to meet all targets."""
        if box not in self._chances:
            self._chances[box] = self._chance(box)
        return self._chances[box]

    def _chance(self, box: Box) -> float:
        change, error = self._surface.at(self._position(box))
        figures = self.known.figures + change * self._largest
        error = error * self._largest
        known = self.known
        chances = [target.chance(figures, error, known.figures, known.error, known.half) for target in self.targets]
        return float(np.prod(chances))

    def rank(self, box: Box) -> tuple[float, float, float]:
        """Return the key by which boxes of one size are sorted: chance in tenths, cost; at chance 0 distance, cost."""
        position = self._position(box)
        sourced = sum(not self.numbers[k].is_reconstructed for k, _ in box)
        cost = float(np.abs(position).sum()) + _SOURCED * sourced
        chance = round(10 * self.chance(box))
        if chance > 0:
            return -chance, cost, 0.0
        change, error = self._surface.at(position)
        return 0.0, float(self._losses(change * self._largest, error * self._largest).max()), cost

    def singles(self, count: int) -> list[Box]:
        """Return the best value of each of the most useful numbers, at most `count` boxes."""
        found = []
        for place in range(min(count, len(self.active))):
            grids, losses = self._predicted([place], thin=1)
            loss = losses.max(axis=-1) + _FAR_AWAY * (grids[0] == 0)
            found.append(self._box([place], grids, np.argmin(loss), loss.shape))
        return [box for box in found if box]

    def candidates(self, size: int) -> list[Box]:
        """Return the SHORT best boxes: of each set of `size` numbers the nearest, and the shortest inside by MARGIN."""
        found = []
        for places in self._sets(size):
            grids, losses = self._predicted(places, thin=(1, 1, 3)[size - 1])
            steps = [_along_axis(np.abs(grid)[:, None], axis, size) for axis, grid in enumerate(grids)]
            unchanged = [_along_axis((grid == 0)[:, None], axis, size) for axis, grid in enumerate(grids)]
            moved: Any = sum(steps)[..., 0]  # type: ignore[index]
            loss = losses.max(axis=-1) + _FAR_AWAY * sum(unchanged)[..., 0]  # type: ignore[index]
            shortest = np.argmin(np.where(loss <= MARGIN, moved, _FAR_AWAY + loss))
            for at in {int(np.argmin(loss)), int(shortest)}:
                box = self._box(places, grids, at, loss.shape)
                found.append((max(float(loss.flat[at]), MARGIN), float(moved.flat[at]), box))
        return [box for *_, box in sorted(found) if len(box) == size][:SHORT]

    def clearest_pairs(self, count: int) -> list[tuple[int, int]]:
        """Return the numbers of the pairs that most clearly do more than each alone, at most `count`."""
        products = self._surface.products
        clear = np.abs(products.shown / products.error).max(axis=-1)
        first, second = np.unravel_index(np.argsort(-clear, axis=None)[:count], clear.shape)
        return [
            (self.active[k], self.active[other]) for k, other in zip(first, second, strict=True) if clear[k, other] > 0
        ]

    def alone(self, most: int) -> list[Box]:
        """Return for each target the box of at most `most` changes that is predicted to come nearest to it alone."""
        nearest: dict[int, tuple[float, Box]] = {}
        for places, grids, losses in self._all_predicted(most):
            for target in range(len(self.targets)):
                loss = losses[..., target]
                if loss.min() < nearest.get(target, (np.inf,))[0]:
                    box = self._box(places, grids, np.argmin(loss), loss.shape)
                    nearest[target] = float(loss.min()), box
        return [box for _, box in nearest.values() if box]

    def reach(self, most: int) -> tuple[dict[str, float], list[tuple[str, str]]]:
        """Return how near each target comes alone, in scales outside of its range, and the pairs in conflict.

        How near is hopeful: one pair of numbers may do as much more than predicted as its games leave open.
        A pair of targets is in conflict if each of them can be met alone, and not both together, as predicted.
        """
        alone, hopeful = np.full((2, len(self.targets)), np.inf)
        both = np.full((len(self.targets), len(self.targets)), np.inf)
        for places, grids, losses in self._all_predicted(most):
            flat = losses.reshape(-1, len(self.targets))
            alone = np.minimum(alone, flat.min(axis=0))
            hopeful = np.minimum(hopeful, (losses - self._left_open(places, grids)).reshape(flat.shape).min(axis=0))
            both = np.minimum(both, np.maximum(flat[:, :, None], flat[:, None, :]).min(axis=0))
        conflicts = [
            (self.targets[first].label, self.targets[second].label)
            for first, second in combinations(range(len(self.targets)), 2)
            if both[first, second] > 0 and max(alone[first], alone[second]) <= 0
        ]
        return {target.label: float(loss) for target, loss in zip(self.targets, hopeful, strict=True)}, conflicts

    def _left_open(self, places: Sequence[int], grids: Sequence[Array]) -> Array:
        """Return how much nearer to each target one pair of these numbers may come, in scales, float64[..., G]."""
        products, base = self._surface.products, self.known.figures
        open_at = np.zeros((*map(len, grids), len(self.targets)))
        for (first, k), (second, other) in combinations(enumerate(places), 2):
            more = np.abs(products.shown - products.fitted)[k, other] + _OPEN * products.error[k, other]
            by_step = [target.most_moved(more * self._largest, base) / target.scale for target in self.targets]
            steps = [_along_axis(np.abs(grids[axis])[:, None], axis, len(places)) for axis in (first, second)]
            open_at = np.maximum(open_at, steps[0] * steps[1] * np.array(by_step))
        return open_at

    def _all_predicted(self, most: int) -> Iterator[tuple[tuple[int, ...], list[Array], Array]]:
        for size in range(1, most + 1):
            for places in self._sets(size):
                yield places, *self._predicted(places, thin=(1, 2, 4)[size - 1])

    def _sets(self, size: int) -> Iterator[tuple[int, ...]]:
        """Yield the sets of indices in `active` that are considered."""
        yield from combinations(range(len(self.active) if size < 3 else min(FEWER, len(self.active))), size)

    def _position(self, box: Box) -> Array:
        """Return a box in steps of the active numbers, float64[K]."""
        position = np.zeros(len(self.active))
        for k, value in box:
            position[self.active.index(k)] = self.numbers[k].steps_to(value)
        return position

    def _losses(self, change: Array, error: Array | None = None) -> Array:
        """Return the distances from the targets at predicted changes, float64[..., F] -> float64[..., G]."""
        base = self.known.figures
        return np.stack([target.loss(target.value(base + change, base, error)) for target in self.targets], axis=-1)

    def _predicted(self, places: Sequence[int], thin: int) -> tuple[list[Array], Array]:
        """Return the grids of some active numbers, each `thin`-th position, and the losses at all combinations."""
        chosen = [np.unique([*range(0, len(self._grids[k]), thin), len(self._grids[k]) - 1]) for k in places]
        grids = [self._grids[k][own] for k, own in zip(places, chosen, strict=True)]
        change: Any = 0.0
        for axis, (k, own) in enumerate(zip(places, chosen, strict=True)):
            change = change + _along_axis(self._along[k][own], axis, len(places))
        for (first, k), (second, other) in combinations(enumerate(places), 2):
            pair = [_along_axis(grids[axis][:, None], axis, len(places)) for axis in (first, second)]
            change = change + pair[0] * pair[1] * self._surface.products.fitted[k, other] * self._largest
        return grids, self._losses(change)

    def _box(self, places: Sequence[int], grids: Sequence[Array], at: Any, shape: tuple[int, ...]) -> Box:
        """Return the box at an index into a grid of combinations, without the numbers that do not change."""
        steps = [grid[k] for grid, k in zip(grids, np.unravel_index(int(at), shape), strict=True)]
        chosen = [self.active[place] for place in places]
        values = [(k, self.numbers[k].at(each)) for k, each in zip(chosen, steps, strict=True)]
        return tuple(sorted((k, value) for k, value in values if value != self.numbers[k].value))


def allowed_positions(number: BoxNumber, is_allowed: Callable[[float], bool]) -> Array:
    """Return the positions of a number that the game allows around its value, by bisection on either side."""
    positions = number.positions
    start = int(np.argmin(np.abs(positions)))
    ends = []
    for end, beyond in ((0, -1), (len(positions) - 1, len(positions))):
        good, bad, middle = start, beyond, end
        while abs(bad - good) > 1:
            if is_allowed(number.at(positions[middle])):
                good = middle
            else:
                bad = middle
            middle = (good + bad) // 2
        ends.append(good)
    return positions[ends[0] : ends[1] + 1]


def _along_axis(values: Array, axis: int, axes: int) -> Array:
    """Return values [V, F] as an array of `axes` axes and F, along one of the axes."""
    shape = [1] * axes + [values.shape[-1]]
    shape[axis] = len(values)
    return values.reshape(shape)
