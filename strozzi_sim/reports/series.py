"""What pictures of series share: the order of levels, the names and marks of series, whiskers, keys."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D

from strozzi_sim.games.reporting import Picture
from strozzi_sim.reports.style import COLOURS, MARKS, SERIES, legend

Words = Mapping[str, str]

_NUMBER = re.compile(r"(<?)(-?\d+)\+?")


def in_order(values: pd.Series, asked: Sequence[str]) -> list[Any]:
    """The values that occur: those asked for in their order, else numbers by size, then the others as they come.

    "15+" and "<-20" are numbers too.
    """
    there = list(dict.fromkeys(values))
    if asked:
        return [value for value in asked if value in there]
    numbers = {value: match for value in there if (match := _NUMBER.fullmatch(str(value)))}
    return [
        *sorted(numbers, key=lambda value: (int(numbers[value][2]), not numbers[value][1])),
        *(value for value in there if value not in numbers),
    ]


def named(value: Any, words: Words, column: str = "") -> str:
    """How a raw value is called: in this column (by "column=value"), or anywhere."""
    return words.get(f"{column}={value}", words.get(str(value), str(value)))


def players_title(players: int) -> str:
    """The title of the panel of a player count."""
    return f"{players} players"


def whiskers(rows: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Whiskers as matplotlib wants them, [2, rows]; none where there is no interval."""
    low = (rows["value"] - rows["low"]).fillna(0).clip(lower=0)
    high = (rows["high"] - rows["value"]).fillna(0).clip(lower=0)
    return np.array([low, high])


def series_of(picture: Picture, rows: pd.DataFrame) -> list[Any]:
    """The series of a picture in their order; [None] if it has but one kind of point."""
    if not picture.series:
        return [None]
    if picture.series == "figure":
        return [figure.name for figure in picture.figures]
    return in_order(rows[picture.series], picture.series_levels)[:SERIES]


def inks_of(picture: Picture, series: Sequence[Any]) -> list[int]:
    """Which colour and mark each series has: the same in every picture that names the same levels."""
    return [picture.series_levels.index(one) if one in picture.series_levels else k for k, one in enumerate(series)]


def series_words(picture: Picture, series: Any, words: Words) -> str:
    """How a series is called."""
    if picture.series == "figure":
        return next(figure.label for figure in picture.figures if figure.name == series)
    if picture.series == "players":
        return f"{series} players"
    return named(series, words, picture.series)


def points_of(picture: Picture, rows: pd.DataFrame, series: Any) -> pd.DataFrame:
    """The rows of one series."""
    return rows if series is None else rows[rows[picture.series] == series]


def write_keys(drawing: Drawing, picture: Picture, series: Sequence[Any], words: Words, *, line: bool) -> None:
    """The keys of the series above the panels, if there are several."""
    names = key_names(picture, series, words)
    if not names:
        return
    handles = [
        Line2D(
            [], [], color=COLOURS[k], marker=MARKS[k], markeredgewidth=0, markersize=4.5, linewidth=1.1 if line else 0
        )
        for k in inks_of(picture, series)
    ]
    legend(drawing, handles, names, 0.5)


def key_names(picture: Picture, series: Sequence[Any], words: Words) -> list[str]:
    """What the keys say; empty for a single series, which needs none."""
    return [series_words(picture, one, words) for one in series] if len(series) > 1 else []
