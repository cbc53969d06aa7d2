"""Draws the pictures that a game's pages describe: one Picture, the rows of its table -> one matplotlib figure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from strozzi_sim.games.pages import Figure, Picture, Unit, in_words, pick
from strozzi_sim.reports.style import (
    COLOURS,
    GREY,
    INK,
    MARKS,
    PALE,
    PAPER,
    SERIES,
    STYLE,
    compact_range,
    legend,
    legend_lines,
    margins,
    new_figure,
    panel_title,
    scale_words,
)

Words = Mapping[str, str]
_ZOOM = 0.12  # shares that stay this near to an equal chance are drawn with a cut axis


def draw(picture: Picture, table: pd.DataFrame, words: Words) -> Drawing | None:
    """The picture, or None if there is nothing to show.

    Args:
        picture: what to show; any kind but "table".
        table: its table, of one variant and line-up (of all of them if its series is "scenario").
        words: raw value -> how it is called.
    """
    rows = pick(table, **picture.where)
    wanted = [figure.name for bar in _bars_of(picture) for figure in bar]
    rows = rows[rows["figure"].isin(wanted)].dropna(subset="value")
    for column, levels in ((picture.x, picture.levels), (picture.series, picture.series_levels)):
        if levels:
            rows = rows[rows[column].isin(levels)]
    if rows.empty:
        return None
    with rc_context(STYLE):
        return _KINDS[picture.kind](picture, rows, words)


def _bars_of(picture: Picture) -> list[tuple[Figure, ...]]:
    return list(picture.groups.values()) or [picture.figures]


def in_order(values: pd.Series, asked: Sequence[str]) -> list[Any]:
    """The values that occur: those asked for in their order, else numbers by size, then the others as they come."""
    there = list(dict.fromkeys(values))
    if asked:
        return [value for value in asked if value in there]
    numbers = [value for value in there if str(value).rstrip("+").isdigit()]
    return [*sorted(numbers, key=lambda value: int(str(value).rstrip("+"))), *(value for value in there if value not in numbers)]


def _named(value: Any, words: Words) -> str:
    return words.get(str(value), str(value))


def _players_title(players: int) -> str:
    return f"{players} players"


def _bars_to_ends(rows: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Whiskers as matplotlib wants them, [2, rows]; none where there is no interval."""
    low = (rows["value"] - rows["low"]).fillna(0).clip(lower=0)
    high = (rows["high"] - rows["value"]).fillna(0).clip(lower=0)
    return np.array([low, high])


def _series_of(picture: Picture, rows: pd.DataFrame) -> list[Any]:
    if not picture.series:
        return [None]
    if picture.series == "figure":
        return [figure.name for figure in picture.figures]
    return in_order(rows[picture.series], picture.series_levels)[:SERIES]


def _inks(picture: Picture, series: Sequence[Any]) -> list[int]:
    """Which colour and mark each series has: the same in every picture that names the same levels."""
    return [picture.series_levels.index(one) if one in picture.series_levels else k for k, one in enumerate(series)]


def _series_words(picture: Picture, series: Any, words: Words) -> str:
    if picture.series == "figure":
        return next(figure.label for figure in picture.figures if figure.name == series)
    if picture.series == "players":
        return f"{series} players"
    return _named(series, words)


def _points(picture: Picture, rows: pd.DataFrame, series: Any) -> pd.DataFrame:
    return rows if series is None else rows[rows[picture.series] == series]


def _intervals(picture: Picture, rows: pd.DataFrame, words: Words) -> Drawing:
    """Dots with whiskers; with x = "players" one panel a figure, else one panel a player count."""
    across = picture.x == "players"
    panels: list[Any]
    if across:
        panels = [None] if picture.series == "figure" else list(picture.figures)
    else:
        panels = sorted(rows["players"].unique())
    series, levels = _series_of(picture, rows), in_order(rows[picture.x], picture.levels)
    inks = _inks(picture, series)
    near = picture.equal and not across and _zoomed(rows)
    drawing, all_axes = _panels(len(panels), most=2 if across else 4, height=2.15, keys=_key_names(picture, series, words), share=not near and not across)
    for axes, panel in zip(all_axes, panels, strict=True):
        here = rows if panel is None else rows[rows["figure"] == panel.name] if across else rows[rows["players"] == panel]
        own = [level for level in levels if level in set(here[picture.x])]
        width = 0.62 if len(series) > 1 else 0.0
        for k, one in enumerate(series):
            points = _points(picture, here, one)
            at = np.array([own.index(level) for level in points[picture.x]]) + width * (k - (len(series) - 1) / 2) / len(series)
            _dots(axes, at, points, inks[k])
            if len(series) == 1 and len(own) <= 6:
                _write_values(axes, at, points, picture.figures[0].unit, None if across or not picture.equal else 1 / panel)
        if picture.equal and not across:
            axes.axhline(1 / panel, color=GREY, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
        elif picture.equal:
            for k, level in enumerate(own):
                axes.plot([k - 0.42, k + 0.42], [1 / int(level)] * 2, color=GREY, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
        axes.set_xlim(-0.55, len(own) - 0.45)
        axes.set_xticks(range(len(own)), [_named(level, words) for level in own])
        figure = picture.figures[0] if panel is None or not across else panel
        scale_words(axes, figure.unit)
        note = compact_range(list(here["n"]))
        panel_title(axes, "" if panel is None else panel.label if across else _players_title(panel), note)
        axes.set_xlabel(picture.x_label)
        if near:
            span = _span(rows)
            axes.set_ylim(1 / panel - span, 1 / panel + span)
        else:
            axes.set_ylim(0, _top(here if across else rows))
    _keys(drawing, picture, series, words, line=False)
    return drawing


def _write_values(axes: Axes, at: Any, points: pd.DataFrame, unit: Unit, middle: float | None) -> None:
    """The values beyond their whiskers, away from the middle line."""
    for spot, row in zip(at, points.itertuples(index=False), strict=True):
        below = middle is not None and row.value < middle
        end = row.value if np.isnan(row.low) else row.low if below else row.high
        text = f"{100 * row.value:.1f}" if unit == "share" else in_words(row.value, unit)
        axes.annotate(text, (spot, end), (0, -3 if below else 3), textcoords="offset points", ha="center", va="top" if below else "bottom", fontsize=7)


def _zoomed(rows: pd.DataFrame) -> bool:
    return bool(_span(rows) < _ZOOM)


def _top(rows: pd.DataFrame) -> float:
    """The top of an axis that starts at 0 and shows every whisker."""
    return 1.08 * float(rows["high"].fillna(rows["value"]).max())


def _span(rows: pd.DataFrame) -> float:
    """Room around an equal chance that all points and whiskers of all panels need."""
    equal = 1 / rows["players"]
    ends = pd.concat([rows["value"] - equal, rows["low"] - equal, rows["high"] - equal]).abs()
    return max(1.18 * float(ends.max()), 0.01)


def _dots(axes: Axes, at: Any, points: pd.DataFrame, k: int) -> None:
    axes.errorbar(
        at, points["value"], yerr=_bars_to_ends(points), fmt=MARKS[k], color=COLOURS[k], markersize=4.2, elinewidth=1.1,
        capsize=2.0, capthick=1.1, markeredgewidth=0,
    )  # fmt: skip


def _lines(picture: Picture, rows: pd.DataFrame, words: Words) -> Drawing:
    """A line per series over levels that are numbers, with whiskers; one panel a player count."""
    figure = picture.figures[0]
    panels = sorted(rows["players"].unique())
    series = _series_of(picture, rows)
    inks = _inks(picture, series)
    drawing, all_axes = _panels(len(panels), most=4, height=2.0, keys=_key_names(picture, series, words), share=True)
    for axes, players in zip(all_axes, panels, strict=True):
        here = rows[rows["players"] == players]
        levels = in_order(here[picture.x], picture.levels)
        for k, one in enumerate(series):
            points = _points(picture, here, one)
            points = points.iloc[np.argsort([levels.index(level) for level in points[picture.x]])]
            at = [levels.index(level) for level in points[picture.x]]
            axes.plot(at, points["value"], color=COLOURS[inks[k]], linewidth=1.1, alpha=0.55)
            _dots(axes, at, points, inks[k])
        if picture.equal:
            axes.axhline(1 / players, color=GREY, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
        axes.set_xticks(range(len(levels)), [_named(level, words) for level in levels])
        axes.set_xlim(-0.4, len(levels) - 0.6)
        axes.set_ylim(0, _top(rows))
        scale_words(axes, figure.unit)
        panel_title(axes, _players_title(players), compact_range(list(here["n"])))
    _shared_label(drawing, picture.x_label)
    _keys(drawing, picture, series, words, line=True)
    return drawing


def _panels(count: int, *, most: int, height: float, keys: Sequence[str], share: bool) -> tuple[Drawing, list[Axes]]:
    """A figure with panels in rows of `most` at most."""
    columns = min(count, most)
    lines = -(-count // columns)
    top, bottom = 0.3 + (0.08 + 0.17 * legend_lines(keys) if keys else 0), 0.48
    drawing = new_figure(lines * height + top + bottom - 0.3 + (lines - 1) * 0.2)
    grid = drawing.subplots(lines, columns, squeeze=False, sharey=share)
    all_axes = list(grid.flat)
    for axes in all_axes[count:]:
        axes.remove()
    right = 0.1 if columns > 1 else 2.6  # a lone panel need not be that wide
    margins(drawing, left=0.5, right=right, top=top, bottom=bottom, between=0.22 if share else 0.5, rows=0.65)
    return drawing, all_axes[:count]


def _shared_label(drawing: Drawing, label: str) -> None:
    height = drawing.get_size_inches()[1]
    drawing.text(0.5 / drawing.get_size_inches()[0], 0.06 / height, label, ha="left", va="bottom", fontsize=8, color=GREY)


def _keys(drawing: Drawing, picture: Picture, series: Sequence[Any], words: Words, *, line: bool) -> None:
    names = _key_names(picture, series, words)
    if not names:
        return
    handles = [
        Line2D([], [], color=COLOURS[k], marker=MARKS[k], markeredgewidth=0, markersize=4.5, linewidth=1.1 if line else 0)
        for k in _inks(picture, series)
    ]
    legend(drawing, handles, names, 0.5)


def _key_names(picture: Picture, series: Sequence[Any], words: Words) -> list[str]:
    return [_series_words(picture, one, words) for one in series] if len(series) > 1 else []


def _dot_rows(picture: Picture, rows: pd.DataFrame, words: Words) -> Drawing:
    """Many levels, one line each; one panel a figure, all with the same lines."""
    levels, series = in_order(rows[picture.x], picture.levels), _series_of(picture, rows)
    drawing = new_figure(0.175 * len(levels) + 0.95)
    grid = drawing.subplots(1, len(picture.figures), squeeze=False, sharey=True)
    labels = [_named(level, words) for level in levels]
    left = 0.1 + 0.054 * max(len(label) for label in labels)
    margins(drawing, left=left, right=0.1, top=0.62, bottom=0.33, between=0.3)
    for axes, figure in zip(grid.flat, picture.figures, strict=True):
        here = rows[rows["figure"] == figure.name]
        for k, one in enumerate(series):
            points = _points(picture, here, one)
            at = [levels.index(level) for level in points[picture.x]]
            axes.errorbar(
                points["value"], at, xerr=_bars_to_ends(points), fmt=MARKS[k], color=COLOURS[k], markersize=4, elinewidth=0.9,
                markeredgewidth=0, alpha=0.9,
            )  # fmt: skip
        axes.set_ylim(len(levels) - 0.4, -0.6)
        axes.set_yticks(range(len(levels)), labels)
        axes.tick_params(axis="y", labelcolor=INK, labelsize=7)
        axes.grid(axis="x")
        axes.set_xlim(left=min(0, float(here["low"].min()) if len(here) else 0))
        scale_words(axes, figure.unit, "x")
        panel_title(axes, figure.label, compact_range(list(here["n"])) if len(picture.figures) == 1 else "")
        axes.title.set_fontsize(7.5)
    _keys(drawing, picture, series, words, line=False)
    return drawing


def _bars(picture: Picture, rows: pd.DataFrame, words: Words) -> Drawing:
    """Stacked bars of sums; one panel a player count."""
    panels = sorted(rows["players"].unique())
    bars: list[tuple[str, tuple[Figure, ...], dict[str, str]]]
    if picture.groups:
        bars = [(name, parts, {}) for name, parts in picture.groups.items()]
    else:
        levels = in_order(rows[picture.x], picture.levels)
        bars = [(_named(level, words), picture.figures, {picture.x: level}) for level in levels]
    parts = bars[0][1]
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    drawing = new_figure(lines * (0.3 * len(bars) + 0.42) + 0.5)
    grid = drawing.subplots(lines, columns, squeeze=False, sharex=True)
    margins(drawing, left=0.75, right=0.35, top=0.55, bottom=0.3, between=0.85, rows=0.42)
    for axes in list(grid.flat)[len(panels) :]:
        axes.remove()
    longest = rows.groupby(["players", *([picture.x] if picture.x else [])])["value"].sum().max()
    for axes, players in zip(list(grid.flat), panels, strict=False):
        here = rows[rows["players"] == players]
        for line, (_, figures, where) in enumerate(bars):
            start = 0.0
            for k, figure in enumerate(figures):
                value = float(pick(here, figure=figure.name, **where)["value"].sum())
                axes.barh(line, value, left=start, height=0.66, color=_TINTS[k], edgecolor=PAPER, linewidth=0.8)
                if value > 0.09 * longest / (2 if picture.groups else 1):
                    ink = PAPER if k < 2 else INK
                    axes.text(start + value / 2, line, f"{value:.0f}", ha="center", va="center", fontsize=7, color=ink)
                start += value
            axes.text(start, line, f" {start:.0f}", ha="left", va="center", fontsize=7.5, fontweight="bold")
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.set_yticks(range(len(bars)), [name for name, _, _ in bars])
        axes.tick_params(axis="y", labelcolor=INK)
        axes.tick_params(axis="x", labelbottom=False, length=0)
        axes.spines["bottom"].set_visible(False)
        axes.grid(visible=False)
        panel_title(axes, _players_title(players), compact_range(list(here["n"])))
    handles = [Patch(color=_TINTS[k]) for k in range(len(parts))]
    legend(drawing, handles, [part.label for part in parts], 0.75)
    return drawing


_TINTS = ("#0072B2", "#5b6770", "#E69F00", "#a9cfe6", "#cc79a7", "#d9d9d9")  # neighbours differ in grey too


def _spread(picture: Picture, rows: pd.DataFrame, words: Words) -> Drawing:
    """Quantiles 5, 25, 50, 75, 95 % and one mark beyond; a line a player count."""
    names = [figure.name for figure in picture.figures]
    panels = sorted(rows["players"].unique())
    drawing = new_figure(0.42 * len(panels) + 0.6)
    axes = drawing.subplots()
    margins(drawing, left=0.75, right=0.3, top=0.12, bottom=0.46)
    for line, players in enumerate(panels):
        here = rows[rows["players"] == players].set_index("figure")["value"]
        q05, q25, q50, q75, q95, mark = (float(here.get(name, np.nan)) for name in names)
        axes.plot([q05, q95], [line, line], color=COLOURS[0], linewidth=1.2, solid_capstyle="butt")
        axes.plot([q25, q75], [line, line], color=COLOURS[0], linewidth=7, solid_capstyle="butt", alpha=0.85)
        axes.plot(q50, line, "o", color=PAPER, markersize=4.5)
        axes.plot(mark, line, "D", color=COLOURS[1], markersize=5, markeredgewidth=0)
        for value, side in ((q05, "right"), (q95, "left")):
            axes.annotate(f"{value:.0f}", (value, line), (4 if side == "left" else -4, 0), textcoords="offset points", ha=side, va="center", fontsize=7, color=GREY)
        for value, colour in ((q50, INK), (mark, COLOURS[1])):
            axes.annotate(f"{value:.0f}", (value, line), (0, 7), textcoords="offset points", ha="center", va="bottom", fontsize=7, color=colour)
    axes.set_ylim(len(panels) - 0.5, -0.7)
    axes.set_yticks(range(len(panels)), [_players_title(players) for players in panels])
    axes.tick_params(axis="y", labelcolor=INK)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x")
    axes.set_xlabel("coins" if picture.figures[0].unit == "coins" else "")
    return drawing


_KINDS: dict[str, Callable[[Picture, pd.DataFrame, Words], Drawing]] = {
    "intervals": _intervals,
    "lines": _lines,
    "dots": _dot_rows,
    "bars": _bars,
    "spread": _spread,
}
