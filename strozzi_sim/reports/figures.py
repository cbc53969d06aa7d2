"""Draw the pictures of a game's report: one Picture and the rows of its table -> one matplotlib figure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from strozzi_sim.facts.pictures import Unit
from strozzi_sim.game.reporting import THIN, Picture, format_row, pick
from strozzi_sim.reports import style
from strozzi_sim.reports.board import draw_board
from strozzi_sim.reports.rows import dot_rows, quantile_lines, stacked_bars
from strozzi_sim.reports.scatter import labelled_dots
from strozzi_sim.reports.series import (
    Series,
    Words,
    around_zero,
    figures_of,
    in_order,
    levels_of,
    named,
    players_title,
    whiskers,
)
from strozzi_sim.reports.style import COLOURS, EQUAL, GREY, MARKS, STYLE

_ZOOM = 0.12  # a cut axis if all shares are this close to 1 / players


def draw(
    picture: Picture,
    table: pd.DataFrame,
    words: Words,
    components: Mapping[str, Any] | None = None,
    compared: pd.DataFrame | None = None,
) -> Drawing | None:
    """Draw the picture; return None if no row has a value.

    Args:
        picture: picture of any kind except "table".
        table: the picture's table for one variant and line-up (for all of them if its series is "scenario").
        words: raw value -> display name.
        components: component data of the variant, required by boards; default: no board is drawn.
        compared: rows of all variants and line-ups shown alongside, which share one scale; default: table.
    """
    rows = rows_of(picture, table)
    if rows["value"].isna().all():
        return None
    every = rows if compared is None else rows_of(picture, compared)
    with rc_context(STYLE):
        if picture.kind == "board":
            return draw_board(picture, rows, components, every) if components else None
        if picture.x in rows:  # the table's order, even if the first player count has no value
            picture = replace(picture, levels=tuple(levels_of(picture, every)))
        return _KINDS[picture.kind](picture, rows.dropna(subset="value"), words, every.dropna(subset="value"))


def rows_of(picture: Picture, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of its table that a picture shows, including rows without a value."""
    rows = pick(table, **picture.where)
    bars = list(picture.groups.values()) or [picture.figures]
    wanted = [figure.name for bar in bars for figure in bar]
    rows = rows[rows["figure"].isin(wanted)]
    for column, levels in ((picture.x, picture.levels), (picture.series, picture.series_levels)):
        if levels:
            rows = rows[rows[column].isin(levels)]
    return rows


def _intervals(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame) -> Drawing:
    """Draw dots with whiskers: one panel per figure if x = "players", else one panel per player count."""
    across = picture.x == "players"
    panels: list[Any]
    if across:
        panels = [None] if picture.series == "figure" else figures_of(picture, rows)
    else:
        panels = sorted(rows["players"].unique())
    series, levels = Series(picture, rows, words, every), in_order(rows[picture.x], picture.levels)
    many = len(series.levels)
    names = [named(level, words, picture.x) for level in levels]
    near = picture.equal and not across and _span(every) < _ZOOM
    foot = 0.13 * max(name.count("\n") for name in names)
    drawing, all_axes = style.panels(
        len(panels), most=2 if across else 4, height=2.15, keys=series.keys, share=not near and not across, foot=foot
    )
    for axes, panel in zip(all_axes, panels, strict=True):
        here, same_scale = rows, every
        if panel is not None:
            same_scale = every[every["figure"] == panel.name] if across else every
            here = rows[rows["figure"] == panel.name] if across else rows[rows["players"] == panel]
        own = [level for level in levels if level in set(here[picture.x])]
        width = 0.62 if many > 1 else 0.0
        for k, points in enumerate(series.points(here)):
            at = np.array([own.index(level) for level in points[picture.x]]) + width * (k - (many - 1) / 2) / many
            _dots(axes, at, points, series.inks[k])
            if many == 1 and len(own) <= 6:
                middle = None if across or not picture.equal else 1 / panel
                _write_values(
                    axes, at, points, picture.figures[0].unit, middle, 0.0 if near else 0.1 * _top(same_scale)
                )
        if picture.equal and not across:
            axes.axhline(1 / panel, **EQUAL)
        elif picture.equal:
            for k, level in enumerate(own):
                axes.plot([k - 0.42, k + 0.42], [1 / int(level)] * 2, **EQUAL)
        axes.set_xlim(-0.55, len(own) - 0.45)
        axes.set_xticks(range(len(own)), [named(level, words, picture.x) for level in own])
        figure = picture.figures[0] if panel is None or not across else panel
        style.format_ticks(axes, figure.unit)
        note = style.compact_range(list(here["n"]))
        style.panel_title(axes, "" if panel is None else panel.label if across else players_title(panel), note)
        axes.set_xlabel(picture.x_label)
        if near:
            span = _span(every)
            axes.set_ylim(1 / panel - span, 1 / panel + span)
        else:
            axes.set_ylim(0, _top(same_scale))
    series.write_keys(drawing)
    return drawing


def _write_values(axes: Axes, at: Any, points: pd.DataFrame, unit: Unit, middle: float | None, floor: float) -> None:
    """Write the values at the ends of their whiskers, away from the middle line and never below `floor`, the axis."""
    for spot, row in zip(at, points.itertuples(index=False), strict=True):
        below = middle is not None and row.value < middle and np.nanmin([row.value, row.low]) > floor
        end = row.value if np.isnan(row.low) else row.low if below else row.high
        text = format_row(row, unit).removesuffix(f"{THIN}%")
        shift, up = ((0, -3), "top") if below else ((0, 3), "bottom")
        axes.annotate(text, (spot, end), shift, textcoords="offset points", ha="center", va=up, fontsize=7)


def _top(rows: pd.DataFrame) -> float:
    """Return the top of an axis that starts at 0 and shows every whisker."""
    return 1.08 * float(rows["high"].fillna(rows["value"]).max()) or 1.0


def _span(rows: pd.DataFrame) -> float:
    """Return the half-range around 1 / players that holds all points and whiskers of all panels."""
    equal = 1 / rows["players"]
    ends = pd.concat([rows["value"] - equal, rows["low"] - equal, rows["high"] - equal]).abs()
    return max(1.18 * float(ends.max()), 0.01)


def _dots(axes: Axes, at: Any, points: pd.DataFrame, k: int) -> None:
    axes.errorbar(
        at, points["value"], yerr=whiskers(points), fmt=MARKS[k], color=COLOURS[k], markersize=4.2, elinewidth=1.1,
        capsize=2.0, capthick=1.1, markeredgewidth=0,
    )  # fmt: skip


def _lines(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame) -> Drawing:
    """Draw one line per series over numeric levels, with whiskers; one panel per player count, with common axes."""
    figure = picture.figures[0]
    panels = sorted(rows["players"].unique())
    series, levels = Series(picture, rows, words, every), in_order(every[picture.x], picture.levels)
    names = [named(level, words, picture.x) for level in levels]
    drawing, all_axes = style.panels(len(panels), most=4, height=2.0, keys=series.keys, share=True)
    for axes, players in zip(all_axes, panels, strict=True):
        here = rows[rows["players"] == players]
        for ink, points in zip(series.inks, series.points(here), strict=True):
            points = points.iloc[np.argsort([levels.index(level) for level in points[picture.x]])]
            at = [levels.index(level) for level in points[picture.x]]
            axes.plot(at, points["value"], color=COLOURS[ink], linewidth=1.1, alpha=0.55)
            _dots(axes, at, points, ink)
        if picture.equal:
            axes.axhline(1 / players, **EQUAL)
        axes.set_xticks(range(len(levels)), _sparse(names, axes.get_position().width * style.WIDTH))
        axes.set_xlim(-0.4, len(levels) - 0.6)
        if picture.zero:
            axes.axhline(0, **EQUAL)
            axes.set_ylim(*around_zero(every))
        else:
            axes.set_ylim(0, _top(every))
        style.format_ticks(axes, figure.unit)
        style.panel_title(axes, players_title(players), style.compact_range(list(here["n"])))
    width, height = drawing.get_size_inches()
    drawing.text(0.5 / width, 0.06 / height, picture.x_label, ha="left", va="bottom", fontsize=8, color=GREY)
    series.write_keys(drawing, linewidth=1.1)
    return drawing


def _sparse(names: Sequence[str], width: float) -> list[str]:
    """Return the names with those blanked that do not fit below an axis of `width` inches; the last one stays."""
    every = -(-len(names) * (0.065 * max(map(len, names)) + 0.07) // width)
    return [name if (len(names) - 1 - k) % every == 0 else "" for k, name in enumerate(names)]


_KINDS: dict[str, Callable[[Picture, pd.DataFrame, Words, pd.DataFrame], Drawing]] = {
    "intervals": _intervals,
    "lines": _lines,
    "dots": dot_rows,
    "bars": stacked_bars,
    "spread": quantile_lines,
    "scatter": labelled_dots,
}
