"""Pictures of a sweep: a curve over the values of one key, a heat map over the values of two."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Tables
from strozzi_sim.reports import style
from strozzi_sim.reports.changes import labels_of_game
from strozzi_sim.reports.heat import draw_heat_map
from strozzi_sim.reports.painter import Painter, Part
from strozzi_sim.reports.series import players_title, whiskers
from strozzi_sim.reports.style import COLOURS, EQUAL, GROUND, PAPER
from strozzi_sim.reports.sweep_findings import Sweep, name_of_picture, shown_figures

_CURVE = (
    "Whiskers are 95 % intervals, and all panels have one scale. The broken line is the figure at the first value (diamond); "
    "filled dots differ significantly from it, on the same deals and corrected for the number of values, open dots cannot be told apart from it."
)
_CHANCE = " The grey band is what fair seats show in 95 % of studies."
_MAP = (
    "The framed cell is the first value. Colours show the difference from it where that is significant, on the same deals and corrected for the "
    "number of values; grey cells cannot be told apart from it."
)
_LETTER = 0.075  # inches of a letter below the axis


def sweep_of(manifest: Mapping[str, Any], tables: Tables, game: Game) -> Sweep:
    """Return the sweep of a study's tables."""
    return Sweep(manifest, tables, labels_of_game(tables, game))


def paint_sweep(sweep: Sweep, painter: Painter, *, every: bool = False) -> list[tuple[str, str, Part]]:
    """Paint the figures of a sweep; return (title, caption, part) of each.

    Args:
        sweep: the sweep.
        painter: receives the pictures, and decides which it wants.
        every: paint every figure of the table instead of those that a page shows.
    """
    painted = []
    for figure in sweep.figures if every else shown_figures(sweep.figures):
        name = name_of_picture(figure)
        if not painter.wants(name):
            continue
        drawing = draw_sweep(sweep, figure)
        if drawing is not None:
            title = sweep.headline(figure).replace("`", "").removesuffix(".")
            painted.append(
                (title, caption_of(sweep, figure), Part("", painter.paint(drawing, name, title), name, None))
            )
    return painted


def caption_of(sweep: Sweep, figure: str) -> str:
    """Return the caption of a picture."""
    if len(sweep.keys) > 1:
        return _MAP
    return _CURVE + (_CHANCE if sweep.rows(figure)["by_chance"].notna().any() else "")


def draw_sweep(sweep: Sweep, figure: str) -> Drawing | None:
    """Draw a figure over the swept values; return None if no value is known.

    Args:
        sweep: the sweep.
        figure: name of the figure.
    """
    rows = sweep.rows(figure)
    if rows["value"].isna().all():
        return None
    if len(sweep.keys) == 1:
        return _curves(sweep, sweep.figure(figure), rows.dropna(subset="value"))
    return _heat_map(sweep, sweep.figure(figure), rows)


def _heat_map(sweep: Sweep, figure: Figure, rows: pd.DataFrame) -> Drawing | None:
    """Draw the figure by the values of two keys."""
    down, across = ([f"{value:g}" for value in rows[key]] for key in sweep.keys)
    half = rows["by_chance"] / 2
    table = rows.assign(
        row=down,
        column=across,
        variant="",
        shade=np.where(rows["changed"] != 0, rows["change"], np.nan),
        marked=rows["first"],
        low=rows["low"].fillna(rows["value"] - half),
        high=rows["high"].fillna(rows["value"] + half),
    )
    key, other = sweep.keys
    shown = HeatMap(figure.label, "", key, other, figure, shade_label="from the framed cell, if significant")
    return draw_heat_map(shown, table, {})


def _curves(sweep: Sweep, figure: Figure, rows: pd.DataFrame) -> Drawing:
    """Draw the figure over the values of one key, one panel per player count and line-up, with common axes."""
    (key,) = sweep.keys
    cells = list(rows.groupby(["players", "lineup"], sort=False))
    lineups = rows["lineup"].nunique() > 1
    titles = [
        f"{players_title(players)}{', ' + lineup.replace(',', ', ') if lineups else ''}"
        for (players, lineup), _ in cells
    ]
    most = 4 if len(cells) > 2 and max(map(len, titles)) <= 12 else 2
    with rc_context(style.STYLE):
        drawing, panels = style.panels(len(cells), most=most, height=2.3, keys=(), share=True)
        for axes, title, (_, here) in zip(panels, titles, cells, strict=True):
            axes.set_ylim(*_ends(rows))
            axes.set_xlim(*_room(rows[key].min(), rows[key].max(), 0.07))
            _curve(axes, sweep, figure, here)
            style.panel_title(axes, title, style.compact_range(list(here["n"])))
            style.format_ticks(axes, figure.unit)
        width, height = drawing.get_size_inches()
        for axes in panels:
            _ticks(axes, rows[key], axes.get_position().width * width)
        drawing.text(0.5 / width, 0.06 / height, key, ha="left", va="bottom", fontsize=8, color=style.GREY)
    return drawing


def _curve(axes: Axes, sweep: Sweep, figure: Figure, rows: pd.DataFrame) -> None:
    """Draw the values of one panel: the line, whiskers, and dots that show which values differ from the first."""
    (key,), ink = sweep.keys, COLOURS[0]
    rows = rows.sort_values(key)
    if rows["by_chance"].notna().any():
        axes.fill_between(rows[key], 0, rows["by_chance"], color=GROUND, linewidth=0, zorder=0)
    first = rows[rows["first"]]
    if len(first):
        axes.axhline(float(first["value"].iloc[0]), **EQUAL)
    axes.plot(rows[key], rows["value"], color=ink, linewidth=1.1, alpha=0.55)
    for chosen, mark, face in (
        (rows["first"], "D", ink), (~rows["first"] & (rows["changed"] != 0), "o", ink), (~rows["first"] & (rows["changed"] == 0), "o", PAPER),
    ):  # fmt: skip
        here = rows[chosen]
        if len(here):
            axes.errorbar(
                here[key], here["value"], yerr=whiskers(here), fmt=mark, color=ink, markersize=4.6, markerfacecolor=face,
                markeredgecolor=ink, markeredgewidth=1.0, elinewidth=1.1, capsize=2.0, capthick=1.1,
            )  # fmt: skip
    named = [first] if len(first) else []
    for sign in (-1, 1):
        side = rows[rows["changed"] == sign]
        if len(side):
            named.append(side.loc[[(sign * side["value"]).idxmax()]])
    bottom, top = axes.get_ylim()
    for each in named:
        row = each.iloc[0]
        up = row["value"] >= rows["value"].mean() or row["value"] - bottom < 0.15 * (top - bottom)
        end = row["value"] if np.isnan(row["low"]) else row["high"] if up else row["low"]
        axes.annotate(
            sweep.value_text(figure.name, row), (row[key], end), (0, 5 if up else -5), textcoords="offset points", ha="center",
            va="bottom" if up else "top", fontsize=7,
        )  # fmt: skip


def _ends(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of an axis that shows every whisker: from 0, unless all values are far from it."""
    low = float(rows[["low", "value"]].min(axis=None))
    high = float(rows[["high", "value", "by_chance"]].max(axis=None))
    if 0 <= low < 0.35 * high or rows["by_chance"].notna().any():
        return 0.0, 1.12 * high or 1.0
    return _room(low, high, 0.14)


def _room(low: float, high: float, part: float) -> tuple[float, float]:
    """Return the ends of a range with room on both sides."""
    room = part * (high - low) or 1.0
    return low - room, high + room


def _ticks(axes: Axes, values: pd.Series, width: float) -> None:
    """Set a tick at every value whose text fits below an axis of `width` inches, the first value's first."""
    every = sorted(set(values))
    inches = width / (every[-1] - every[0]) / 1.12
    shown: list[float] = []
    for value in every:
        room = _LETTER * (len(f"{value:g}") + len(f"{shown[-1]:g}")) / 2 + 0.06 if shown else 0.0
        if not shown or (value - shown[-1]) * inches >= room:
            shown.append(value)
    axes.set_xticks(every, [f"{value:g}" if value in shown else "" for value in every])
