"""Levels and series of a picture: their order and display names."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import Words, named, pick
from strozzi_sim.declare.pictures import SCENARIO, Picture
from strozzi_sim.errors import ArgumentError
from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.figures import Figure
from strozzi_sim.pictures.ink import INKS, MOST_SCENARIOS

_NUMBER = re.compile(r"(<?)(-?\d+(?:\.\d+)?)(?:\+| to -?\d+)?")


def in_order(values: pd.Series, order: Sequence[str]) -> list[Any]:
    """Return the distinct values: those of `order` in its order; if empty, numbers by size, then others in table order.

    "15+", "10 to 14" and "<-20" are numbers too.
    """
    distinct = values.unique().tolist()
    if order:
        return [value for value in order if value in distinct]
    numbers = {value: match for value in distinct if (match := _NUMBER.fullmatch(str(value)))}
    by_size = sorted(numbers, key=lambda value: (float(numbers[value][2]), not numbers[value][1]))
    return [*by_size, *(value for value in distinct if value not in numbers)]


def levels_of(picture: Picture, rows: pd.DataFrame) -> list[Any]:
    """Return a picture's levels in these rows, in its order, or up to `most` by a figure, the total `ALL` last."""
    levels = in_order(rows[picture.x], picture.levels)
    if not picture.sort:
        return levels
    size = pick(rows, figure=picture.sort).groupby(picture.x)["value"].mean().fillna(-np.inf)
    levels.sort(key=lambda level: (level == ALL, -float(size.get(level, -np.inf))))
    return levels[: picture.most or None]


def scenarios(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the distinct (variant, line-up) pairs of a table, in its order."""
    return list(dict.fromkeys(zip(table["variant"], table["lineup"], strict=True)))


def scenario_words(scenario: tuple[str, str], all_scenarios: Sequence[tuple[str, str]], words: Words) -> str:
    """Return a scenario's name, "variant: line-up", without a part that all scenarios have in common.

    `words` has the names of line-ups, that of A,B at "lineup=A,B", and of variants; others are called by their specs.
    """
    variant, lineup = scenario
    parts = [words.get(f"variant={variant}", variant)] if len({other[0] for other in all_scenarios}) > 1 else []
    if len({other[1] for other in all_scenarios}) > 1:
        parts.append(words.get(f"lineup={lineup}", lineup.replace(",", ", ")))
    return ": ".join(parts)


def players_title(players: int) -> str:
    """Return the panel title of a player count."""
    return f"{players} players"


def figures_of(picture: Picture, rows: pd.DataFrame) -> list[Figure]:
    """Return the figures of a picture that occur in these rows; with few games some are absent."""
    names = set(rows["figure"])
    return [figure for figure in picture.figures if figure.name in names]


def series_of(
    picture: Picture, rows: pd.DataFrame, words: Words, all_rows: pd.DataFrame
) -> tuple[list[Any], list[str]]:
    """Return the levels of a picture's series and their names: one level, None, without a column of series.

    They are the first 6 levels of `all_rows`, or MOST_SCENARIOS, so that all variants and line-ups have the same looks;
    figures are those of `rows`.
    """
    column = picture.series
    if not column:
        return [None], [""]
    if column == "figure":
        figures = figures_of(picture, rows)[: len(INKS)]
        return [figure.name for figure in figures], [figure.label for figure in figures]
    most = MOST_SCENARIOS if column == SCENARIO else len(INKS)
    keys = in_order(all_rows[column], picture.series_levels)[:most]
    names = [players_title(key) if column == "players" else named(key, words, column) for key in keys]
    return keys, names


def chosen_players(counts: Sequence[Any], players: int | None) -> int:
    """Return the player count of a single panel: `players`, or by default 4 or the smallest. Raises ArgumentError."""
    available = sorted({int(count) for count in counts})
    if players is None:
        return 4 if 4 in available else available[0]
    if players not in available:
        raise ArgumentError("players", f"{players}: this picture has {available}")
    return players
