"""Targets: figures with the ranges that they must reach or keep, as text and as numbers.

    the first player wins = 25 +- 1  share of wins of a seat, in games of 100; also: seat 0 wins
    AGENT wins <= 40                 ... of an agent of the line-up, at any seat
    AGENT among AGENT wins = 15 +- 2 ... of one agent among copies of another
    gap <= 1.5 at 3 players          largest share of wins of a seat minus the smallest
    score_mean = 170 +- 5            any figure of the table `balance` that has an interval

A figure to keep has a tolerance, "score_mean +- 5 %" or "decisions_mean +- 2", measured from the box.

Axes: C chunks, F columns (figures of one player count and line-up), any axes of boxes before them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from strozzi_sim.declare.printing import format_value
from strozzi_sim.errors import ArgumentError, InputError, short_repr, suggest_names
from strozzi_sim.facts.figures import DECISIONS, SCORE, WIN_SHARE, Figure, filled
from strozzi_sim.stats.intervals import Array, Estimate, residuals, t_quantile
from strozzi_sim.study.cells import SEAT_GAP, CellCounts

MET, MISSED, OPEN = "met", "missed", "open"
_RANGE = {2: 1.128, 3: 1.693, 4: 2.059, 5: 2.326, 6: 2.534}  # mean range of so many standard normal numbers
_INNER = 0.7  # most of half a range that an interval may be expected to take
_OF_OUTCOME = (SCORE.name, DECISIONS.name)  # figures of `balance` that need no counts of facts
_NUMBER = r"(-?\d+(?:\.\d+)?)\s*(%|points?)?"
_TOLERANCE = r"(?:\+-|\+/-|±)"
_TARGET = re.compile(rf"(.+?)\s*(<=|>=|=)\s*{_NUMBER}(?:\s*{_TOLERANCE}\s*{_NUMBER})?")
_KEEP = re.compile(rf"(.+?)\s*{_TOLERANCE}\s*{_NUMBER}")
_SEAT = re.compile(r"seat (\d+) wins|(?:the )?(first|second|third|last) player wins|player (\d+) wins")
_PLACES = ("first", "second", "third")
_OF_WINS = "'the first player wins = 25 +- 1', 'gap <= 3' or 'AGENT among AGENT wins <= 20'"
FORMS = f"{_OF_WINS.replace(' or', ',')}, 'score_mean = 170 +- 5'"


class Measured(NamedTuple):
    """A figure of a player count and line-up."""

    players: int
    lineup: tuple[str, ...]
    by: str  # seat, position, or balance
    figure: str
    level: int = 0

    @property
    def is_counted(self) -> bool:
        """Whether the figure needs counts of facts."""
        return self.by == "balance" and self.figure not in _OF_OUTCOME


@dataclass(frozen=True)
class Wanted:
    """A target as written, before the player counts are known."""

    text: str
    figure: str
    low: float
    high: float
    players: int | None
    is_kept: bool = False
    is_percent: bool = False

    @property
    def argument(self) -> str:
        """The argument that has the text."""
        return "keep" if self.is_kept else "targets"


@dataclass(frozen=True)
class Target:
    """A range that a figure must reach, or a change that it may not exceed.

    Attributes:
        label: the figure as text.
        columns: places of its columns among all; of a gap those of the seats.
        low, high: the range; of a kept figure, of its change from the box.
        scale: the distance that counts as one in a search.
        kind: value, gap, change, or ratio (a change in parts of the box's figure).
        figure: what is measured, for its unit.
        who: the player whose share of wins the figure is, as text; "" for other figures.
    """

    label: str
    columns: tuple[int, ...]
    low: float
    high: float
    scale: float
    kind: str
    figure: Figure
    who: str = ""

    @property
    def is_paired(self) -> bool:
        """Whether the figure is a change from the box."""
        return self.kind in ("change", "ratio")

    def value(self, figures: Array, box: Array, error: Array | None = None) -> Array:
        """Return the target's figure, from the figures float64[..., F] of boxes and those of the box, float64[F].

        A gap is larger by chance; with standard errors float64[F] what equal seats would show is taken off.
        """
        own = figures[..., self.columns]
        if self.kind == "gap":
            gap = own.max(axis=-1) - own.min(axis=-1)
            if error is None:
                return np.asarray(gap)
            by_chance = _RANGE[len(self.columns)] * error[list(self.columns)].max()
            return np.asarray(np.sqrt(np.maximum(gap**2 - by_chance**2, 0.0)))
        own, before = own[..., 0], box[self.columns[0]]
        change = own - before if self.is_paired else own
        return np.asarray(change / before if self.kind == "ratio" else change)

    def most_moved(self, change: Array, box: Array) -> float:
        """Return how far the figure moves at most if each column moves by so much, up or down, float64[F] each."""
        size = float(change[list(self.columns)].max())
        return size * 2 if self.kind == "gap" else size / (abs(box[self.columns[0]]) if self.kind == "ratio" else 1.0)

    def loss(self, value: Array) -> Array:
        """Return the distance of the figure outside of the range, in scales; inside it is negative."""
        return np.maximum(self.low - value, value - self.high) / self.scale

    def chance(self, figures: Array, error: Array, box: Array, box_error: Array, half: Array) -> float:
        """Return about how likely the figure is to be shown in the range, by intervals of these half widths.

        `figures` and `box`, with their errors, are the columns of a box and of the one before any change, float64[F].
        """
        from scipy.special import ndtr

        own = list(self.columns)
        value = float(self.value(figures, box, error))
        of_box = 0.0 if self.is_paired else box_error[own] ** 2
        spread = float(np.sqrt(error[own] ** 2 + of_box).max())
        spread = max(spread / (abs(box[own[0]]) if self.kind == "ratio" else 1.0), 1e-9)
        inner = 0.0 if self.is_paired else min(float(half[own].max()), _INNER * (self.high - self.low) / 2)
        return float(ndtr((self.high - inner - value) / spread) - ndtr((self.low + inner - value) / spread))

    def interval(self, parts: Array, box: Array, figures: int) -> tuple[float, float, float]:
        """Return low, value and high, valid for `figures` intervals at once (Bonferroni).

        `parts` and `box` are the columns of a box and of the one before any change, by chunk, float64[C, F].
        """
        own = parts[:, self.columns]
        if self.kind == "gap":
            pairs = np.array(list(combinations(range(own.shape[1]), 2)))
            series = own[:, pairs[:, 0]] - own[:, pairs[:, 1]]
            distance = np.abs(series.mean(axis=0))
            half = _half_width(series, figures * len(pairs))
            return max(float((distance - half).max()), 0.0), float(distance.max()), float((distance + half).max())
        series = own[:, 0]
        if self.is_paired:
            before = box[:, self.columns[0]]
            scale = before.mean() if self.kind == "ratio" else 1.0
            change = (series.mean() - before.mean()) / scale
            # of a ratio the error of the mean before counts too (the delta method)
            series = (series - before * (1 + (change if self.kind == "ratio" else 0.0))) / scale
            half_width = float(_half_width(series, figures))
            return float(change - half_width), float(change), float(change + half_width)
        value, half_width = float(series.mean()), float(_half_width(series, figures))
        return value - half_width, value, value + half_width

    def status(self, low: float, high: float) -> str:
        """Return met if an interval lies in the range, missed if it lies outside, else open."""
        if self.low <= low and high <= self.high:
            return MET
        return MISSED if low > self.high or high < self.low else OPEN

    def text(self, value: float) -> str:
        """Return a value of the figure as text."""
        return format_value(value, self.figure, 1)

    @property
    def range_text(self) -> str:
        """The range as text."""
        if not np.isfinite(self.low):
            return f"at most {self.text(self.high)}"
        if not np.isfinite(self.high):
            return f"at least {self.text(self.low)}"
        return f"{self.text(self.low)} to {self.text(self.high)}"


def _half_width(series: Array, figures: int) -> Array:
    """Return the half width of the means of chunks, float64[C, ...]."""
    return np.asarray(t_quantile(len(series) - 1, figures) * series.std(axis=0, ddof=1) / np.sqrt(len(series)))


def wanted(targets: str | Sequence[str], keep: str | Sequence[str] = "") -> list[Wanted]:
    """Return targets from texts, several in one text separated by semicolons. Raises ArgumentError."""
    parsed = [_target_of(text) for text in pieces(targets)]
    if not parsed:
        raise ArgumentError("targets", f"expected one such as {FORMS}")
    return [*parsed, *(_kept_of(text) for text in pieces(keep))]


def pieces(texts: str | Sequence[str]) -> list[str]:
    """Return the texts, each of which may be several separated by semicolons."""
    listed = [texts] if isinstance(texts, str) else texts
    return [piece.strip() for text in listed for piece in text.split(";") if piece.strip()]


def _where(text: str) -> tuple[str, int | None]:
    """Return a target without "at N players", and N."""
    where = re.search(r"\s+at (\d+) players?\b", text)
    if where is None:
        return text, None
    return text.replace(where[0], ""), int(where[1])


def _target_of(text: str) -> Wanted:
    target, players = _where(
        text.replace("\N{LESS-THAN OR EQUAL TO}", "<=").replace("\N{GREATER-THAN OR EQUAL TO}", ">=")
    )
    found = _TARGET.fullmatch(target)
    if found is None:
        raise ArgumentError("targets", f"got {short_repr(text)}; expected FIGURE and a range, such as {FORMS}")
    figure, relation, number, unit, tolerance, unit_of_tolerance = found.groups()
    if (relation == "=") != (tolerance is not None):
        why = "needs a tolerance, such as = 25 +- 1" if relation == "=" else "takes no tolerance"
        raise ArgumentError("targets", f"{text}: {relation} {why}")
    value, size = float(number), abs(float(tolerance or 0))
    if relation == "=" and not size:
        raise ArgumentError("targets", f"{text}: a tolerance of 0 can never be shown")
    low = -np.inf if relation == "<=" else value - size
    high = np.inf if relation == ">=" else value + size
    is_percent = "%" in (unit, unit_of_tolerance)
    return Wanted(text, " ".join(figure.split()), low, high, players, is_percent=is_percent)


def _kept_of(text: str) -> Wanted:
    target, players = _where(text)
    found = _KEEP.fullmatch(target)
    if found is None:
        forms = "'score_mean +- 5 %' or 'decisions_mean +- 2'"
        raise ArgumentError("keep", f"got {short_repr(text)}; expected FIGURE and a tolerance, such as {forms}")
    figure, tolerance, unit = found.groups()
    size = abs(float(tolerance)) / (100 if unit == "%" else 1)
    if not size:
        raise ArgumentError("keep", f"{text}: a tolerance of 0 can never be shown")
    return Wanted(text, " ".join(figure.split()), -size, size, players, is_kept=True, is_percent=unit == "%")


def columns_of(each: Wanted, players: int, lineup: tuple[str, ...]) -> list[Measured]:
    """Return the columns that a target needs at a player count; `lineup` is that of the study."""
    if each.figure in (SEAT_GAP.name, "gap"):
        return [Measured(players, lineup, "seat", WIN_SHARE.name, seat) for seat in range(players)]
    if seat := _SEAT.fullmatch(each.figure):
        number, place, turn = seat.groups()
        last = players - 1
        level = int(number) if number else int(turn) - 1 if turn else last if place == "last" else _PLACES.index(place)
        if not 0 <= level < players:
            raise ArgumentError(each.argument, f"{each.text}: the seats at {players} players are 0 to {last}")
        return [Measured(players, lineup, "seat", WIN_SHARE.name, level)]
    if among := re.fullmatch(r"(\S+) among (\S+) wins", each.figure):
        return [Measured(players, (among[1], *[among[2]] * (players - 1)), "position", WIN_SHARE.name)]
    if agent := re.fullmatch(r"(\S+) wins", each.figure):
        name = agent[1]
        if len(lineup) == 1 or name not in lineup:
            hint = "the agents are " + ", ".join(lineup) if len(lineup) > 1 else f"write {name} among AGENT wins"
            raise ArgumentError(each.argument, f"{each.text}: {name} is not in a line-up of several agents; {hint}")
        return [Measured(players, lineup, "position", WIN_SHARE.name, lineup.index(name))]
    return [Measured(players, lineup, "balance", each.figure)]


def known_figure(each: Wanted, name: str, declared: Iterable[Figure]) -> Figure:
    """Return the figure of the table `balance` with this name, among those that the game declares."""
    own = (*declared, SCORE, DECISIONS)
    found = [figure for each_own in own for figure in filled(each_own, [name]) if figure.name == name]
    if not found:
        known = suggest_names(name, [SEAT_GAP.name, *(figure.name for figure in own)])
        of_wins = "" if each.is_kept else f" of wins, write {_OF_WINS};"
        raise ArgumentError(each.argument, f"{each.text}: unknown figure {short_repr(name)};{of_wins} {known}")
    return found[0]


def target_of(each: Wanted, places: Sequence[int], figure: Figure, label: str, who: str = "") -> Target:
    """Return a target of a figure, as text `label`, whose columns are at these places."""
    is_share = figure.unit in ("share", "points")
    is_ratio = each.is_kept and each.is_percent
    if each.is_percent and not each.is_kept and not is_share:
        why = f"{figure.words} is no share; write the range in its own unit, such as = 170 +- 5"
        raise ArgumentError("targets", f"{each.text}: {why}")
    factor = 1.0 if is_ratio else float(figure.measure.factor)
    low = each.low / factor
    high = each.high / factor
    kind = "gap" if len(places) > 1 else "value"
    if each.is_kept:
        if kind == "gap":
            raise ArgumentError("keep", f"{each.text}: a gap cannot be kept; give a target such as gap <= 5")
        kind = "ratio" if is_ratio else "change"
        label = f"change of {label}"
        figure = _change_of(figure, is_ratio=is_ratio)
    elif is_share:
        low = low if low > 0 else -np.inf
        high = high if high < 1 else np.inf
        if low > 1 or high < 0 or not np.isfinite([low, high]).any():
            raise ArgumentError("targets", f"{each.text}: a share lies between 0 and 100")
    bound = abs(high if np.isfinite(high) else low)
    one_sided = min(0.01, bound / 2 or 0.01) if is_share else bound / 20 or 1.0
    scale = (high - low) / 2 if np.isfinite(high - low) else one_sided
    return Target(label, tuple(places), low, high, max(scale, 1e-9), kind, figure, "" if each.is_kept else who)


def _change_of(figure: Figure, *, is_ratio: bool) -> Figure:
    """Return the figure of a change from the box, with `is_ratio` in parts of the box's figure."""
    change = figure.difference(f"{figure.name}_change", "less that of the box")
    change = replace(change, label=f"change of {figure.words}")
    if not is_ratio:
        return change
    return replace(change, unit="ratio", definition=f"{change.definition}, in parts of it")


def figures_by_chunk(
    cells: Iterable[CellCounts], balances: Mapping[int, Mapping[str, Estimate]], columns: Sequence[Measured]
) -> Array:
    """Return the columns of a box by chunk, float64[C, F]; their mean over chunks is the figure."""
    by_place = {(cell.players, tuple(spec.text for spec in cell.match.lineup)): cell for cell in cells}
    series = []
    for column in columns:
        cell = by_place[column.players, column.lineup]
        if column.is_counted:
            series.append(_of_balance(balances[cell.number], column.figure))
        elif column.figure == DECISIONS.name:
            series.append(cell.outcome["decisions"] / cell.outcome["games"])
        elif column.figure == SCORE.name:
            played = cell.totals("seat", "played").sum(axis=1)
            series.append(cell.totals("seat", "scores").sum(axis=1) / played)
        else:
            estimates = cell.figures("seat" if column.by == "seat" else "position")
            series.append(_by_chunk(estimates[WIN_SHARE].at(column.level)))
    return np.stack(series, axis=1)


def _of_balance(estimates: Mapping[str, Estimate], name: str) -> Array:
    able = [figure for figure, each in estimates.items() if each.sums is not None and np.ndim(each.value) == 0]
    if name not in able:
        raise InputError(
            f"figure {name} has no interval, so no target of it can be decided; {suggest_names(name, able)}"
        )
    return _by_chunk(estimates[name])


def _by_chunk(estimate: Estimate) -> Array:
    sums = estimate.sums
    assert sums is not None
    value = sums.numerator.sum(axis=0) / np.maximum(sums.denominator.sum(axis=0), 1) / sums.unit
    return np.asarray(value + residuals(sums.numerator, sums.denominator, sums.unit)[0])
