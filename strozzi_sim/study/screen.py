"""The screen of a search: numbers are moved up and down, and changed boxes are measured beside the one before a change.

Every heat plays the box before any change on the deals of the changed ones, and what it played in all heats is pooled.
So it is known from more deals than they are, and its error on the deals of a heat is only taken off as far as a figure
goes with it (a control variate): large changes lead to other games, whose figures hardly do.

Games are played through a function, so that tests can search planted figures.

Axes: B boxes, C chunks, F columns of figures.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from strozzi_sim.errors import InputError
from strozzi_sim.game import Game
from strozzi_sim.game.component_names import name_of_key
from strozzi_sim.game.variants import Variant, with_values
from strozzi_sim.stats.differences import SMALLEST, control_coefficient
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.box_numbers import BoxNumber, box_number, numbers

_FEW, _ALL = 8, 10  # about as many values are tried; all of them if there are no more than these
Play = Callable[[Sequence[Variant], int, int], tuple[Array, int]]  # (boxes, deals, chunks) -> float64[B, C, F], deals


def values_to_try(game: Game, box: Variant, key: str) -> list[float]:
    """Return a few values of a number that a designer would try, the box's own among them. Raises ArgumentError."""
    number = box_number(game, box, key)
    values = number.values
    if len(values) > _ALL:
        places = np.linspace(0, len(values) - 1, _FEW).round().astype(int)
        values = tuple(sorted({number.value, *(values[place] for place in places)}))
    return [value for value in values if changed_box(game, box, {key: value}) is not None]


def changed_box(game: Game, box: Variant, values: Mapping[str, float]) -> Variant | None:
    """Return the box with these values by key; None if the game refuses or ignores one of them.

    A list of falling numbers, such as prizes by rank, must stay one.
    """
    try:
        changed = with_values(game, box, values)
    except InputError:
        return None
    now = dict(numbers(game, changed))
    if any(now.get(key) != value for key, value in values.items()):
        return None
    lists = {key.rpartition(".")[0] for key in values}
    broken = [name for name in lists if name_of_key(game, name).falling and not _is_falling(now, name)]
    if not broken:
        return changed
    before = dict(numbers(game, box))  # a box that is in no order may stay so
    return None if any(_is_falling(before, name) for name in broken) else changed


def _is_falling(by_key: Mapping[str, float], name: str) -> bool:
    """Return whether no number of a list exceeds the one before it; `by_key` has the numbers of a box by key."""
    entries = [value for key, value in by_key.items() if key.rpartition(".")[0] == name]
    return all(value <= before for before, value in pairwise(entries))


def moved(
    number: BoxNumber, steps: Sequence[int], changed: Callable[[float], Variant | None]
) -> Iterator[tuple[float, Variant]]:
    """Yield value and box of the number moved up, then down, by the first of these steps that the game allows.

    `changed` returns the box with a value of the number, None if the game does not allow it.
    """
    for sign in (1, -1):
        for value in number.moved(sign, steps):
            if (box := changed(value)) is not None:
                yield value, box
                break


@dataclass(frozen=True)
class Change:
    """The change of a box, as one heat measured it.

    Attributes:
        value: its figures less those of the box before any change, float64[F].
        series: its figures less `joint` times those of the other box on the same deals, by chunk, float64[C, F].
        joint: how far each figure goes with that of the other box, 0 to 1, float64[F].
        base: the figures of the other box by chunk, float64[C, F].
        deals: deals of the heat.
        slope_covariance: covariance of `value` from the error of `joint`, float64[F, F].
    """

    value: Array
    series: Array
    joint: Array
    base: Array
    deals: int
    slope_covariance: Array

    @property
    def covariance(self) -> Array:
        """The covariance of `value` for a known box before any change, float64[F, F]; C - 2 degrees of freedom."""
        of_series = np.atleast_2d(np.cov(self.series, rowvar=False, ddof=2))  # the mean and `joint` are fitted
        return np.asarray(of_series / len(self.series) + self.slope_covariance)


class Screen:
    """The box before any change, pooled over all heats, and the changed boxes beside it.

    Args:
        box: the box before any change.
        play: plays boxes.
        groups: a number for each column: columns of a group share the coefficient of the control variate, so that
            shares still sum to 1; default: every column has its own.
    """

    def __init__(self, box: Variant, play: Play, groups: Sequence[int] = ()) -> None:
        self.box, self._play = box, play
        self._groups = np.asarray(groups)
        self._heats: list[tuple[Array, int]] = []  # the box by chunk, and deals, of every heat

    @property
    def deals(self) -> int:
        """The deals of the box before any change."""
        return sum(deals for _, deals in self._heats)

    @property
    def figures(self) -> Array:
        """The figures of the box before any change over all its deals, float64[F]."""
        weights = [deals for _, deals in self._heats]
        return np.average([own.mean(axis=0) for own, _ in self._heats], axis=0, weights=weights)

    @property
    def error(self) -> Array:
        """The standard errors of `figures`, float64[F]."""
        weights = np.array([deals for _, deals in self._heats])[:, None]
        variances = np.array([own.var(axis=0, ddof=1) / len(own) for own, _ in self._heats])
        return np.asarray(np.sqrt((weights**2 * variances).sum(axis=0)) / weights.sum())

    @property
    def covariance(self) -> Array:
        """The covariance of `figures`, float64[F, F]."""
        parts = [deals**2 * np.atleast_2d(np.cov(own, rowvar=False)) / len(own) for own, deals in self._heats]
        return np.asarray(np.sum(parts, axis=0) / self.deals**2)

    def play(self, boxes: Sequence[Variant], deals: int, chunks: int) -> tuple[Array, int]:
        """Play boxes, of which the box before any change is pooled; return their figures by chunk, and the deals."""
        figures, played = self._play(boxes, deals, chunks)
        self._heats += [(own, played) for box, own in zip(boxes, figures, strict=True) if box is self.box]
        return figures, played

    def measure(self, boxes: Sequence[Variant], deals: int, chunks: int) -> list[Change]:
        """Play changed boxes and the one before any change on the same deals, and return their changes."""
        figures, played = self.play([self.box, *boxes], deals, chunks)
        base, known = figures[0], self.figures
        spread = base - base.mean(axis=0)
        groups = self._groups if len(self._groups) else np.arange(base.shape[1])
        together = np.equal.outer(groups, groups)
        squares = np.maximum(together @ (spread**2).sum(axis=0), SMALLEST)
        off = together * np.multiply.outer(known - base.mean(axis=0), known - base.mean(axis=0))
        changes = []
        for own in figures[1:]:
            joint = control_coefficient(own, base, groups)
            series = own - joint * base
            left = series - series.mean(axis=0)
            of_slope = (together * (spread.T @ spread) * (left.T @ left)).sum(axis=1)
            slope_variance = together @ of_slope / squares**2 / (len(own) - 2)
            value = series.mean(axis=0) - (1 - joint) * known
            changes.append(Change(value, series, joint, base, played, off * slope_variance))
        return changes
