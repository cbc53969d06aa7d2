"""Pictures with stacked lines: rows of dots, stacked bars, quantiles."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Patch

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import Picture, format_value, pick
from strozzi_sim.reports import style
from strozzi_sim.reports.series import Series, Words, around_zero, figures_of, in_order, named, players_title, whiskers

_TINTS = ("#0072B2", "#5b6770", "#E69F00", "#a9cfe6", "#cc79a7", "#d9d9d9")  # neighbours also differ in grey


def dot_rows(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame) -> Drawing:
    """Draw many levels, one line each; one panel per figure, with common lines."""
    levels, series = in_order(rows[picture.x], picture.levels), Series(picture, rows, words, every)
    figures = figures_of(picture, rows)
    drawing = style.new_figure(0.175 * len(levels) + (1.01 if series.keys else 0.67))
    grid = drawing.subplots(1, len(figures), squeeze=False, sharey=True)
    labels = [named(level, words, picture.x) for level in levels]
    left = 0.1 + 0.054 * max(len(label) for label in labels)
    style.margins(drawing, left=left, right=0.1, top=0.68 if series.keys else 0.34, bottom=0.33, between=0.4)
    for axes, figure in zip(grid.flat, figures, strict=True):
        here, same_scale = rows[rows["figure"] == figure.name], every[every["figure"] == figure.name]
        for k, points in enumerate(series.points(here)):
            at = [levels.index(level) for level in points[picture.x]]
            axes.errorbar(
                points["value"], at, xerr=whiskers(points), fmt=style.MARKS[k], color=style.COLOURS[k], markersize=4,
                elinewidth=0.9, markeredgewidth=0, alpha=0.9,
            )  # fmt: skip
        axes.set_ylim(len(levels) - 0.4, -0.6)
        axes.set_yticks(range(len(levels)), labels)
        axes.tick_params(axis="y", labelcolor=style.INK, labelsize=7)
        axes.grid(axis="x")
        if picture.equal:
            axes.axvline(1 / int(here["players"].iloc[0]), **style.EQUAL)
        if picture.zero:
            axes.axvline(0, **style.EQUAL)
        if picture.zero or (same_scale[["low", "value"]] < 0).any(axis=None):
            axes.set_xlim(*around_zero(same_scale))
        else:
            axes.set_xlim(0, 1.06 * float(same_scale["high"].fillna(same_scale["value"]).max()) or 1.0)
        style.format_ticks(axes, figure.unit, "x")
        style.panel_title(axes, figure.label, style.compact_range(list(here["n"])) if len(figures) == 1 else "")
        axes.title.set_fontsize(7.5)
    series.write_keys(drawing)
    return drawing


def stacked_bars(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame) -> Drawing:
    """Draw stacked bars of sums, negative parts to the left of zero; one panel per player count."""
    panels = sorted(rows["players"].unique())
    bars: list[tuple[str, tuple[Figure, ...], dict[str, str]]]
    if picture.groups:
        bars = [(name, parts, {}) for name, parts in picture.groups.items()]
    else:
        levels = in_order(rows[picture.x], picture.levels)
        bars = [(named(level, words, picture.x), picture.figures, {picture.x: level}) for level in levels]
    parts = bars[0][1]
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    drawing = style.new_figure(lines * (0.3 * len(bars) + 0.42) + 0.56)
    grid = drawing.subplots(lines, columns, squeeze=False, sharex=True)
    style.margins(drawing, left=0.75, right=0.35, top=0.61, bottom=0.3, between=0.85, rows=0.42)
    for axes in list(grid.flat)[len(panels) :]:
        axes.remove()
    ends = _ends_of_bars(every, bars)
    longest, room = max(ends[1], -ends[0]), 0.05 * (ends[1] - ends[0]) or 1.0
    for axes, players in zip(list(grid.flat), panels, strict=False):
        here = rows[rows["players"] == players]
        there = [
            line for line, (_, _, where) in enumerate(bars) if len(pick(here, **where))
        ]  # a seat without a player has no rows
        for line in there:
            _, figures, where = bars[line]
            reached = {True: 0.0, False: 0.0}  # ends of the negative and of the positive part
            for k, figure in enumerate(figures):
                value = float(pick(here, figure=figure.name, **where)["value"].sum())
                start = reached[value < 0]
                axes.barh(line, value, left=start, height=0.66, color=_TINTS[k], edgecolor=style.PAPER, linewidth=0.8)
                if abs(value) > 0.09 * longest:
                    ink = style.PAPER if k < 2 else style.INK
                    text = format_value(value, "count")
                    axes.text(start + value / 2, line, text, ha="center", va="center", fontsize=7, color=ink)
                reached[value < 0] += value
            total = format_value(sum(reached.values()), "count")
            axes.text(reached[False], line, f" {total}", ha="left", va="center", fontsize=7.5, fontweight="bold")
            if reached[True] < 0:
                axes.plot([0, 0], [line - 0.42, line + 0.42], color=style.INK, linewidth=0.9)
        axes.set_xlim(ends[0] - room * (ends[0] < 0), ends[1] + room)
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.set_yticks(there, [bars[line][0] for line in there])
        axes.tick_params(axis="y", labelcolor=style.INK)
        axes.tick_params(axis="x", labelbottom=False, length=0)
        axes.spines["bottom"].set_visible(False)
        axes.grid(visible=False)
        style.panel_title(axes, players_title(players), style.compact_range(list(here["n"])))
    handles = [Patch(color=_TINTS[k]) for k in range(len(parts))]
    style.legend(drawing, handles, [part.label for part in parts], 0.75)
    return drawing


def _ends_of_bars(
    every: pd.DataFrame, bars: list[tuple[str, tuple[Figure, ...], dict[str, str]]]
) -> tuple[float, float]:
    """Return the lowest and the highest end of the stacked bars of all variants and line-ups."""
    ends = [0.0, 0.0]
    for _, figures, where in bars:
        parts = pick(every, **where)
        parts = parts[parts["figure"].isin([figure.name for figure in figures])]
        for _, bar in parts.groupby(["players", "variant", "lineup"])["value"]:
            ends = [min(ends[0], float(bar[bar < 0].sum())), max(ends[1], float(bar[bar > 0].sum()))]
    return ends[0], ends[1]


def quantile_lines(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame) -> Drawing:
    """Draw the quantiles 5, 25, 50, 75 and 95 % and one mark beyond; one line per player count."""
    names = [figure.name for figure in picture.figures]
    panels = sorted(rows["players"].unique())
    drawing = style.new_figure(0.42 * len(panels) + 0.6)
    axes = drawing.subplots()
    style.margins(drawing, left=0.75, right=0.3, top=0.12, bottom=0.46)
    for line, players in enumerate(panels):
        here = rows[rows["players"] == players].set_index("figure")["value"]
        q05, q25, q50, q75, q95, mark = (float(here.get(name, np.nan)) for name in names)
        axes.plot([q05, q95], [line, line], color=style.COLOURS[0], linewidth=1.2, solid_capstyle="butt")
        axes.plot([q25, q75], [line, line], color=style.COLOURS[0], linewidth=7, solid_capstyle="butt", alpha=0.85)
        axes.plot(q50, line, "o", color=style.PAPER, markersize=4.5)
        axes.plot(mark, line, "D", color=style.COLOURS[1], markersize=5, markeredgewidth=0)
        for value, shift, across, up, colour in (
            (q05, (-4, 0), "right", "center", style.GREY), (q95, (4, 0), "left", "center", style.GREY),
            (q50, (0, 7), "center", "bottom", style.INK), (mark, (0, 7), "center", "bottom", style.COLOURS[1]),
        ):  # fmt: skip
            if np.isnan(value):
                continue
            text = format_value(value, "count")
            spot: Any = {"textcoords": "offset points", "ha": across, "va": up, "fontsize": 7, "color": colour}
            axes.annotate(text, (value, line), shift, **spot)
    low, high = float(every["value"].min()), float(every["value"].max())
    room = 0.08 * (high - low) or 1.0  # for the numbers at the ends
    axes.set_xlim(low - room, high + room)
    axes.set_ylim(len(panels) - 0.5, -0.7)
    axes.set_yticks(range(len(panels)), [players_title(players) for players in panels])
    axes.tick_params(axis="y", labelcolor=style.INK)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x")
    axes.set_xlabel(picture.x_label)
    return drawing
