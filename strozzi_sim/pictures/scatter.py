"""Labelled dots: one figure of each level over another, with the names placed in free space."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from strozzi_sim.declare.pictures import Picture
from strozzi_sim.declare.printing import THIN, format_value
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.pictures.ink import INKS, NARROW, SHAPES, legend_of, width_of
from strozzi_sim.pictures.marks import Drawn, Mark, n_of, on_scale, scale_of, sentence
from strozzi_sim.pictures.panel import TOP, Face, Panel, Scale, Sheet
from strozzi_sim.pictures.series import Words, in_order, named, players_title

_HEIGHT = 300  # pixels of a panel
# where a name may be: pixels from its dot to the right and down, and whether it ends there instead of beginning
_NEAR = ((8, 0, False), (-8, 0, True), (8, -9, False), (8, 9, False), (-8, -9, True), (-8, 9, True))
_FAR = ((t * (8 + 4 * k), s * (9 + 7 * k), t < 0) for k in range(1, 5) for s in (-1, 1) for t in (1, -1))
_SPOTS = (*_NEAR, *_FAR)
Spot = tuple[int, int, bool]


def draw_scatter(picture: Picture, rows: pd.DataFrame, words: Words, all_rows: pd.DataFrame, width: int) -> Drawn:
    """Draw the picture's second figure over its first one, a dot per level, one panel per player count, with one scale.

    The last of several series is grey, and its names are placed last.
    """
    x_figure, y_figure = picture.figures
    keys = list(picture.series_levels) or (in_order(all_rows[picture.series], ()) if picture.series else [""])
    names = [named(key, words, picture.series) for key in keys] if picture.series else [""]
    looks = list(zip([*INKS[: len(keys) - 1], "s3"] if len(keys) > 1 else INKS[:1], SHAPES, strict=False))
    factor = x_figure.measure.factor
    x_end = 1.06 * factor * float(all_rows[all_rows["figure"] == x_figure.name]["value"].max()) or 1.0
    x_scale = Scale((-0.02 * x_end, x_end))
    scale = scale_of(all_rows[all_rows["figure"] == y_figure.name], y_figure, picture)
    title = f"{x_figure.label}, %" if x_figure.is_share else x_figure.label

    def dots_of(count: int) -> list[Mark]:
        rows_of_count, marks = rows[rows["players"] == count], []
        x_values = rows_of_count[rows_of_count["figure"] == x_figure.name].set_index(picture.x)["value"]
        y_rows = rows_of_count[rows_of_count["figure"] == y_figure.name]
        drawn = on_scale(y_rows, y_figure, picture).to_numpy()
        for row, (value, low, high) in zip(y_rows.itertuples(index=False), drawn, strict=True):
            level, series = getattr(row, picture.x), getattr(row, picture.series) if picture.series else ""
            if level not in x_values.index or series not in keys:
                continue
            x_text = format_value(x_values[level], x_figure).replace(THIN, " ")
            name, number = named(level, words, picture.x), keys.index(series)
            tip = sentence([players_title(count), name], row, y_figure)
            shown: Mark = {"panel": players_title(count), "name": name, "series": names[number]}
            shown |= {"at": factor * float(x_values[level]), "value": value, "low": low, "high": high, "n": row.n}
            marks.append({**shown, "tip": f"{tip}; {x_figure.label}: {x_text}", "_series": number})
        return marks

    counts = sorted(int(count) for count in rows["players"].unique())
    dots = {count: dots_of(count) for count in counts}

    def fill(panel: Panel, count: int) -> None:
        panel.line("y", scale.line)
        for series, (ink, shape) in enumerate(looks):
            shown = [dot for dot in dots[count] if dot["_series"] == series]
            ends = [[(dot["at"], dot["low"]), (dot["at"], dot["high"])] for dot in shown if not np.isnan(dot["low"])]
            panel.lines(ends, ink, 1.5, alpha=0.8)
            x, y, tips = ([dot[key] for dot in shown] for key in ("at", "value", "tip"))
            panel.dots(x, y, ink, shape, 4.0, tips)
        for dot, (dx, dy, is_left) in placed(dots[count], panel, len(names) - 1 if len(names) > 1 else -1):
            if abs(dy) > 9:  # a name that is not beside its dot
                x = dot["at"] + dx / panel.width * (panel.x[1] - panel.x[0])
                y = dot["value"] - dy / panel.height * (panel.y[1] - panel.y[0])
                panel.lines([[(dot["at"], dot["value"]), (x, y)]], "muted", 0.7)
            panel.text(dot["at"], dot["value"], dot["name"], at=(dx, dy + 4), side="right" if is_left else "left")

    def draw(sheet: Sheet) -> None:
        columns = min(1 if sheet.width <= NARROW else 2, len(counts))
        panel_width = (sheet.width - 56 * columns) / columns
        grid = sheet.grid(len(counts), columns, (48, TOP + 4), (panel_width + 56, _HEIGHT + TOP + 58))
        for face, (is_first, place) in zip(faces, grid, strict=True):
            panel = sheet.panel(*place, panel_width, _HEIGHT, *face.ends, 46)
            panel.title(face.title, 48 if is_first else 40)
            panel.numbers("x", x_scale, title)
            panel.numbers("y", scale)
            face.fill(panel)

    labels = title, y_figure.label
    faces = [Face(players_title(count), x_scale, scale, partial(fill, count=count), count, labels) for count in counts]
    title_of_values = f"{with_capital(y_figure.label)}, over {x_figure.label}"
    marks = [dot for count in counts for dot in dots[count]]
    return Drawn(draw, faces, title_of_values, legend_of(names, looks), marks, n_of(rows), width)


def placed(dots: Sequence[Mark], panel: Panel, last: int) -> Iterator[tuple[Mark, Spot]]:
    """Yield (dot, spot) of each name that has room; large absolute values come first, the series `last` last."""
    taken: list[tuple[float, float, float, float]] = []
    for dot in dots:
        x, y = panel.at(dot["at"], dot["value"])
        taken.append((x - 4, y - 4, x + 4, y + 4))
        if not np.isnan(dot["low"]):
            taken.append((x - 1, panel.at(0, dot["high"])[1], x + 1, panel.at(0, dot["low"])[1]))
    for dot in sorted(dots, key=lambda dot: (dot["_series"] == last, -abs(dot["value"]))):
        x, y = panel.at(dot["at"], dot["value"])
        name_width = width_of(dot["name"])
        for spot in _SPOTS:
            left = x + spot[0] - (name_width if spot[2] else 0)
            box = left, y + spot[1] - 6.5, left + name_width, y + spot[1] + 6.5
            is_inside = box[0] >= 0 and box[2] <= panel.width and box[1] >= 0 and box[3] <= panel.height
            hides = (box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken)
            if is_inside and not any(hides):
                taken.append(box)
                yield dot, spot
                break
