"""Common parts of pictures with series: order of levels, names and marks of series, whiskers, keys."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D

from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import Picture, pick
from strozzi_sim.reports.style import COLOURS, MARKS, SERIES, legend

Words = Mapping[str, str]

_NUMBER = re.compile(r"(<?)(-?\d+(?:\.\d+)?)\+?")


def in_order(values: pd.Series, wanted: Sequence[str]) -> list[Any]:
    """Return the distinct values: those of `wanted` in its order; if empty, numbers by size, then others in table order.

    "15+" and "<-20" are numbers too.
    """
    there = list(dict.fromkeys(values))
    if wanted:
        return [value for value in wanted if value in there]
    numbers = {value: match for value in there if (match := _NUMBER.fullmatch(str(value)))}
    return [
        *sorted(numbers, key=lambda value: (float(numbers[value][2]), not numbers[value][1])),
        *(value for value in there if value not in numbers),
    ]


def levels_of(picture: Picture, rows: pd.DataFrame) -> list[Any]:
    """Return the levels of a picture in these rows: in its order, or sorted by a figure with the total (`ALL`) last."""
    levels = in_order(rows[picture.x], picture.levels)
    if not picture.sort:
        return levels
    size = pick(rows, figure=picture.sort).groupby(picture.x)["value"].mean().fillna(-np.inf)
    levels.sort(key=lambda level: (level == ALL, -float(size.get(level, -np.inf))))
    return levels[: picture.most or None]


def named(value: Any, words: Words, column: str = "") -> str:
    """Return the display name of a raw value: that of "column=value", else that of the value, else the value."""
    return words.get(f"{column}={value}", words.get(str(value), str(value)))


def players_title(players: int) -> str:
    """Return the panel title of a player count."""
    return f"{players} players"


def whiskers(rows: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Return whisker lengths for matplotlib, [2, rows]; 0 without an interval."""
    low = (rows["value"] - rows["low"]).fillna(0).clip(lower=0)
    high = (rows["high"] - rows["value"]).fillna(0).clip(lower=0)
    return np.array([low, high])


def figures_of(picture: Picture, rows: pd.DataFrame) -> list[Figure]:
    """Return the figures of a picture that occur in these rows; with few games some are absent."""
    there = set(rows["figure"])
    return [figure for figure in picture.figures if figure.name in there]


def around_zero(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of an axis that shows zero and every whisker of these rows."""
    low = min(float(rows[["low", "value"]].min(axis=None)), 0.0)
    high = max(float(rows[["high", "value"]].max(axis=None)), 0.0)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


class Series:
    """Series of a picture, in order; a picture without a series column has one series, None.

    Attributes:
        levels: level of each series.
        inks: index of each series' colour and mark, equal in all pictures with the same levels.
        keys: texts of the legend; empty for a single series.
    """

    def __init__(self, picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame) -> None:
        self._column = picture.series
        if self._column == "figure":
            known: list[Any] = [figure.name for figure in picture.figures]
            self.levels: list[Any] = [figure.name for figure in figures_of(picture, rows)]
            words = {f"figure={figure.name}": figure.label for figure in picture.figures}
        else:
            known = in_order(every[self._column], picture.series_levels)[:SERIES] if self._column else [None]
            self.levels = [level for level in known if level is None or level in set(rows[self._column])]
        ranks = {level: k for k, level in enumerate(picture.series_levels or known)}
        self.inks = [ranks.get(level, k) for k, level in enumerate(self.levels)]
        named_levels = [
            players_title(level) if self._column == "players" else named(level, words, self._column)
            for level in self.levels
        ]
        self.keys = named_levels if len(named_levels) > 1 else []

    def points(self, rows: pd.DataFrame) -> list[pd.DataFrame]:
        """Return the rows of each series."""
        return [rows if level is None else rows[rows[self._column] == level] for level in self.levels]

    def write_keys(self, drawing: Drawing, linewidth: float = 0.0) -> None:
        """Draw the legend above the panels if there are several series."""
        if self.keys:
            look: Any = {"markeredgewidth": 0, "markersize": 4.5, "linewidth": linewidth}
            handles = [Line2D([], [], color=COLOURS[k], marker=MARKS[k], **look) for k in self.inks]
            legend(drawing, handles, self.keys, 0.5)
