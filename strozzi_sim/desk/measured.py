"""The figures of a box under the hand: what has been played of it so far, with intervals that hold at any moment.

A box is played in chunks of equally many deals, and the first box, with which the designer began, further than any
other. The change of a figure is the mean of own - c * first over the chunks that both boxes have played, less (1 - c)
times the mean of the first box over all of its chunks: a control variate whose coefficient c is fitted from the chunks.
Equal boxes differ by exactly 0, and boxes that hardly go together lose nothing.

Axes: t chunks, F figures: the share of wins of every side, then mean score, length, and the lead of the first side.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.stats.differences import control_coefficient
from strozzi_sim.stats.intervals import Array
from strozzi_sim.stats.precision import ALPHA, mean_half_width, reach, share_interval

COARSE, FINE = 0.02, 0.005  # half widths for which intervals of shares are tuned: after few deals, and after many
BASE_FINE = 0.0025  # half width to which the box that was begun with is played
BATCH_SECONDS = 0.05  # of play in a batch
_OF_BASE = 0.1  # part of a change's error probability that the interval of the first box takes


@dataclass
class Series:
    """Figures by chunk of the games of a box with some players."""

    deals: int  # of a chunk
    parts: list[Array] = field(default_factory=list)
    alarms: list[str] | None = None  # sentences, None before they are counted
    known: dict[tuple[int, float, int], "Bounds"] = field(default_factory=dict)  # arguments of `bounds` -> its result

    def add(self, outcomes: Array, players: int, *, is_selfplay: bool) -> None:
        """Add the chunks of an OUTCOME array, by seat if one agent plays itself, else by position."""
        axis = 1 if is_selfplay else 2  # summed over: fields are [chunk, position, seat]
        wins, played, scores = (
            outcomes[name].sum(axis=axis)[:, :players].astype(np.float64) for name in ("wins", "played", "scores")
        )
        means = scores / played
        score = scores.sum(axis=1) / played.sum(axis=1)
        length = outcomes["decisions"] / outcomes["games"]
        lead = means[:, 0] - means[:, 1:].mean(axis=1)
        self.known.clear()
        self.parts.append(np.column_stack([wins / played / WIN_UNITS, score, length, lead]))

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return sum(map(len, self.parts))

    @property
    def total(self) -> int:
        """Number of deals."""
        return self.chunks * self.deals

    def by_chunk(self) -> Array:
        """Return the figures by chunk, float64[t, F]."""
        if len(self.parts) > 1:
            self.parts = [np.concatenate(self.parts)]
        return self.parts[0]


@dataclass(frozen=True)
class Bounds:
    """Figures and their intervals, float64[F] each."""

    value: Array
    low: Array
    high: Array

    def rows(self) -> list[list[float | None]]:
        """Return [value, low, high] of each figure; an end without a number is None."""
        return [[_number(each) for each in ends] for ends in zip(self.value, self.low, self.high, strict=True)]


def bounds(series: Series, shares: int, fine: float = FINE, at_once: int = 1) -> Bounds:
    """Return the figures of a box, of which the first are shares, with intervals of 95 % over all looks.

    So many of them, `at_once`, hold together (Bonferroni).
    """
    key = shares, fine, at_once
    if key not in series.known:
        series.known[key] = _bounds(series, shares, fine, ALPHA / at_once)
    return series.known[key]


def _bounds(series: Series, shares: int, fine: float, alpha: float) -> Bounds:
    figures = series.by_chunk()
    value = figures.mean(axis=0)
    half = mean_half_width(figures, alpha)
    low, high = value - half, value + half
    # each is valid at half the error probability, so both hold at once
    ends = share_interval(np.stack([value[:shares]] * 2), series.total, np.array([[COARSE], [fine]]), alpha / 2)
    low[:shares], high[:shares] = ends[0].max(axis=0), ends[1].min(axis=0)
    return Bounds(value, low, high)


def change(series: Series, base: Series, shares: int) -> Bounds:
    """Return the change of every figure from the first box, whose mean over all of its deals counts too."""
    first = base.by_chunk()
    own = series.by_chunk()[: len(first)]
    same = first[: len(own)]
    known = first.mean(axis=0)
    groups = np.maximum(np.arange(own.shape[1]), shares - 1)  # all shares are of one group
    joint = control_coefficient(own, same, groups)
    parts = own - joint * same
    value = parts.mean(axis=0) - (1 - joint) * known
    half = mean_half_width(parts, (1 - _OF_BASE) * ALPHA)
    of_base = mean_half_width(first, _OF_BASE * ALPHA)
    low_base, high_base = share_interval(known[:shares], base.total, BASE_FINE, _OF_BASE * ALPHA)
    of_base[:shares] = np.minimum(of_base[:shares], np.maximum(known[:shares] - low_base, high_base - known[:shares]))
    half = half + (1 - joint) * np.where(joint < 1, of_base, 0.0)  # `of_base` may be infinite
    low, high = value - half, value + half
    low[:shares], high[:shares] = _narrowed(low, high, series, base, shares)
    is_equal = (own == same).all(axis=0)
    # the share of deals that may differ although none of those compared does
    rare = share_interval(np.zeros(1), len(own) * series.deals, FINE)[1][0]
    low[:shares] = np.where(is_equal[:shares], -rare, low[:shares])
    high[:shares] = np.where(is_equal[:shares], rare, high[:shares])
    return Bounds(np.where(is_equal, 0.0, value), low, high)


def _narrowed(low: Array, high: Array, series: Series, base: Series, shares: int) -> tuple[Array, Array]:
    """Return the ends of the changes of shares, from the intervals of both shares while the paired one is wider."""
    own, first = bounds(series, shares), bounds(base, shares, BASE_FINE)
    apart_low, apart_high = own.low - first.high, own.high - first.low
    is_wider = ~(high - low < apart_high - apart_low)
    return np.where(is_wider, apart_low, low)[:shares], np.where(is_wider, apart_high, high)[:shares]


def gap(series: Series, shares: int) -> list[float]:
    """Return value, low and high of the largest share less the smallest, from intervals of all shares at once."""
    found = bounds(series, shares, at_once=shares)
    value, low, high = (ends[:shares] for ends in (found.value, found.low, found.high))
    least = max(0.0, float((low[:, None] - high[None, :]).max()))
    return [float(value.max() - value.min()), least, float(high.max() - low.min())]


def precision_of(found: Bounds, shares: int) -> float:
    """Return the widest half of the intervals of shares."""
    return float(reach(found.value, found.low, found.high)[:shares].max())


def chunk_deals(seconds_per_deal: float) -> int:
    """Return the deals of a chunk: a tenth of a batch, from 10 to 100."""
    return int(np.clip(BATCH_SECONDS / 10 / max(seconds_per_deal, 1e-9), 10, 100))


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
