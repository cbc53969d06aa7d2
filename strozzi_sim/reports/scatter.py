"""Labelled dots: one figure of each level against another, with the names placed where there is room for them."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from strozzi_sim.game.reporting import Picture
from strozzi_sim.reports import style
from strozzi_sim.reports.series import Words, around_zero, in_order, named, players_title, whiskers

_ACROSS = 2  # panels side by side
_HEIGHT = 3.0  # inches of a panel
_LEFT = 0.66  # inches, with the label of the axis
_LAST_TICK = 0.96  # of the axis: a label further right would leave the picture
_LETTERS = 7  # size of a name, in points
_DOT = 3.0  # points: half the size of a dot
_NEAR = [(5, 0), (-5, 0), (5, 6), (-5, 6), (5, -6), (-5, -6), (0, 9), (0, -9)]  # points from a dot to its name
_FAR = [(r * np.cos(angle), r * np.sin(angle)) for r in (14, 20, 28, 38, 50) for angle in np.arange(24) * np.pi / 12]
_PLACES = [*((*spot, False) for spot in _NEAR), *((*spot, True) for spot in _FAR)]  # True: a line connects the name

Array = np.ndarray[Any, Any]


def labelled_dots(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame) -> Drawing:
    """Draw the picture's second figure over its first one, a dot per level; one panel per player count, with common axes.

    The last of several series is the ground: grey, hollow and drawn first. With `zero`, shares along y are differences in points.
    """
    across, up = picture.figures
    known = list(picture.series_levels) or (in_order(every[picture.series], ()) if picture.series else [""])
    keys = [named(level, words, picture.series) for level in known] if picture.series else []
    counts = sorted(rows["players"].unique())
    drawing, all_axes = style.panels(
        len(counts), most=_ACROSS, height=_HEIGHT, keys=keys, share=True, foot=0.02, left=_LEFT
    )
    ground = known[-1] if len(known) > 1 else None
    looks = [_look(k, ground=level == ground) for k, level in enumerate(known)]
    least, most = around_zero(every[every["figure"] == up.name])
    furthest = 1.08 * float(every[every["figure"] == across.name]["value"].max()) or 1.0
    ticks = MaxNLocator(5).tick_values(0, furthest)
    for number, (axes, players) in enumerate(zip(all_axes, counts, strict=True)):
        dots = _dots_of(picture, rows[rows["players"] == players])
        for level, look in reversed(list(zip(known, looks, strict=True))):
            own = dots[dots["series"] == level]
            axes.errorbar(own["at"], own["value"], yerr=whiskers(own), elinewidth=0.9, **look)
        axes.set_xlim(-0.02 * furthest, furthest)
        axes.set_ylim(least, most + 0.04 * (most - least))  # room for the names of the highest dots
        axes.grid(axis="x")
        if picture.zero:
            axes.axhline(0, **style.EQUAL)
        axes.set_xticks([tick for tick in ticks if tick <= _LAST_TICK * furthest])
        style.format_ticks(axes, across.unit, "x")
        if picture.zero and up.unit == "share":
            axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:z.4g}".replace("-", "\N{MINUS SIGN}"))
        else:
            style.format_ticks(axes, up.unit)
        axes.set_xlabel(across.label)
        axes.set_ylabel(up.label if number % _ACROSS == 0 else "")
        style.panel_title(axes, players_title(players), style.compact_range(list(dots["n"])))
        _write_names(axes, dots, [named(level, words, picture.x) for level in dots["level"]], ground)
    if keys:
        style.legend(drawing, [Line2D([], [], **look) for look in looks], keys, 0.5)
    return drawing


def _dots_of(picture: Picture, rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per level with both figures: level, series, at, and value, low, high and n of the second figure."""
    across, up = (rows[rows["figure"] == figure.name] for figure in picture.figures)
    at = across.set_index(picture.x)["value"]
    up = up[up[picture.x].isin(at.index)]
    series = up[picture.series] if picture.series else ""
    return up.assign(level=up[picture.x], series=series, at=up[picture.x].map(at))


def _look(k: int, *, ground: bool) -> dict[str, Any]:
    """Return the mark and colour of a series."""
    look: dict[str, Any] = {"linestyle": "none", "markersize": 4.6}
    if ground:
        return look | {"marker": "o", "color": style.GREY, "markerfacecolor": style.PAPER, "markeredgewidth": 0.9}
    return look | {"marker": style.MARKS[k], "color": style.COLOURS[k], "markeredgewidth": 0}


def _write_names(axes: Axes, dots: pd.DataFrame, names: Sequence[str], ground: str | None) -> None:
    """Write the name of each dot where it hides nothing; omit a name without room.

    The rarest series comes first, the ground last, and in each the dots furthest from zero come first.
    """
    drawing: Any = axes.get_figure()
    renderer, inch = drawing.canvas.get_renderer(), drawing.dpi / 72
    frame = axes.get_window_extent(renderer)
    spots = axes.transData.transform(dots[["at", "value"]].to_numpy())
    taken, lines = _marks(axes, dots, inch), np.empty((0, 2))
    rarity = dots["series"].map(dots["series"].value_counts()).where(dots["series"] != ground, np.inf)
    for k in np.lexsort((-dots["value"].abs().to_numpy(), rarity.to_numpy(np.float64))):
        probe = axes.text(0, 0, names[k], fontsize=_LETTERS)
        size = probe.get_window_extent(renderer)
        probe.remove()
        for across, up, far in _PLACES:
            box, line = _box(spots[k], (across * inch, up * inch), (size.width, size.height))
            if not (frame.contains(*box[:2]) and frame.contains(*box[2:])) or _cover(box[None], taken).any():
                continue
            if _hold(box[None], lines).any() or (far and _hold(taken, line).any()):
                continue
            arrow = {"arrowstyle": "-", "color": style.GREY, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2}
            axes.annotate(
                names[k], dots[["at", "value"]].iloc[k].to_list(), (across, up), textcoords="offset points",
                fontsize=_LETTERS, ha=_side(across), va="center", arrowprops=arrow if far else None,
            )  # fmt: skip
            taken, lines = np.vstack([taken, box]), np.vstack([lines, line]) if far else lines
            break


def _marks(axes: Axes, dots: pd.DataFrame, inch: float) -> Array:
    """Return what dots, whiskers and the line at zero cover, in pixels: left, bottom, right, top of each, float64[N, 4]."""
    middle, low, high = (
        axes.transData.transform(np.column_stack([dots["at"], dots[end].fillna(dots["value"])]))
        for end in ("value", "low", "high")
    )
    size = _DOT * inch
    zero = axes.transData.transform((0, 0))[1]
    return np.vstack(
        [
            np.hstack([middle - size, middle + size]),
            np.column_stack([low[:, 0] - inch, low[:, 1], high[:, 0] + inch, high[:, 1]]),
            [[0, zero - 1, float(axes.get_window_extent().x1), zero + 1]],
        ]
    )


def _side(across: float) -> Literal["left", "center", "right"]:
    """Return the end of a name that faces its dot."""
    return "center" if abs(across) < 1 else "left" if across > 0 else "right"


def _box(spot: Array, offset: tuple[float, float], size: tuple[float, float]) -> tuple[Array, Array]:
    """Return what a name covers at this offset from its dot, and points of the line between them, in pixels."""
    x, y = spot[0] + offset[0], spot[1] + offset[1]
    left = {"left": x, "center": x - size[0] / 2, "right": x - size[0]}[_side(offset[0])]
    box = np.array([left, y - size[1] / 2, left + size[0], y + size[1] / 2])
    return box, np.linspace((box[:2] + box[2:]) / 2, spot, 80)[:-16]


def _cover(box: Array, others: Array) -> Array:
    """Return which of the boxes a box overlaps."""
    return (
        (box[:, 0] < others[:, 2])
        & (others[:, 0] < box[:, 2])
        & (box[:, 1] < others[:, 3])
        & (others[:, 1] < box[:, 3])
    )


def _hold(boxes: Array, points: Array) -> Array:
    """Return which points lie in which boxes, bool[boxes, points]."""
    x, y = points[:, 0], points[:, 1]
    across = (boxes[:, :1] < x) & (x < boxes[:, 2:3])
    return across & (boxes[:, 1:2] < y) & (y < boxes[:, 3:])
