"""Labelled dots: one figure of each level over another, with the names placed where there is room for them."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.game.reporting import THIN, Picture, factor_of, format_value
from strozzi_sim.pictures.ink import INKS, NARROW, SHAPES, legend_of, width_of
from strozzi_sim.pictures.marks import Drawn, Mark, n_of, on_scale, scale_of, sentence
from strozzi_sim.pictures.panel import TOP, AxesPanel, Panel, Scale, Sheet
from strozzi_sim.pictures.series import Words, chosen_players, in_order, named, players_title

_HEIGHT = 300  # pixels of a panel
_SPOTS = (  # pixels of a name from its dot, and whether it ends there
    (8, 0, False), (-8, 0, True), (8, -9, False), (8, 9, False), (-8, -9, True), (-8, 9, True),
    *((t * (8 + 4 * k), s * (9 + 7 * k), t < 0) for k in range(1, 5) for s in (-1, 1) for t in (1, -1)),
)  # fmt: skip
Spot = tuple[int, int, bool]


def draw_scatter(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Drawn:
    """Draw the picture's second figure over its first one, a dot per level, one panel per player count, with one scale.

    The last of several series is grey, and its names come last. With `zero`, shares along y are differences in points.
    """
    across, up = picture.figures
    keys = list(picture.series_levels) or (in_order(every[picture.series], ()) if picture.series else [""])
    names = [named(key, words, picture.series) for key in keys] if picture.series else [""]
    looks = list(zip([*INKS[: len(keys) - 1], "s3"] if len(keys) > 1 else INKS[:1], SHAPES, strict=False))
    factor = factor_of(across.unit)
    furthest = 1.06 * factor * float(every[every["figure"] == across.name]["value"].max()) or 1.0
    below, scale = Scale((-0.02 * furthest, furthest)), scale_of(every[every["figure"] == up.name], up, picture)
    title = f"{across.label}, %" if across.unit == "share" else across.label

    def dots_of(count: int) -> list[Mark]:
        here, found = rows[rows["players"] == count], []
        used, own = here[here["figure"] == across.name].set_index(picture.x)["value"], here[here["figure"] == up.name]
        for row, (value, low, high) in zip(own.itertuples(index=False), on_scale(own, up, picture).to_numpy(), strict=True):  # fmt: skip
            level, series = getattr(row, picture.x), getattr(row, picture.series) if picture.series else ""
            if level not in used.index or series not in keys:
                continue
            often = format_value(used[level], across.unit).replace(THIN, " ")
            name, number = named(level, words, picture.x), keys.index(series)
            said = sentence([players_title(count), name], row, up.unit, points=picture.zero)
            found.append({
                "panel": players_title(count), "name": name, "series": names[number], "at": factor * float(used[level]), "value": value, "low": low,
                "high": high, "n": row.n, "tip": f"{said}; {across.label}: {often}", "_series": number,
            })  # fmt: skip
        return found

    counts = sorted(int(count) for count in rows["players"].unique())
    dots = {count: dots_of(count) for count in counts}

    def fill(panel: Panel, count: int) -> None:
        panel.line("y", scale.line)
        for series, (ink, shape) in enumerate(looks):
            own = [dot for dot in dots[count] if dot["_series"] == series]
            panel.lines([[(dot["at"], dot["low"]), (dot["at"], dot["high"])] for dot in own if not np.isnan(dot["low"])], ink, 1.5, alpha=0.8)  # fmt: skip
            panel.dots([dot["at"] for dot in own], [dot["value"] for dot in own], ink, shape, 4.0, [dot["tip"] for dot in own])  # fmt: skip
        for dot, (dx, dy, ends) in placed(dots[count], panel, len(names) - 1 if len(names) > 1 else -1):
            if abs(dy) > 9:  # a name that is not beside its dot
                far = (
                    dot["at"] + dx / panel.width * (panel.x[1] - panel.x[0]),
                    dot["value"] - dy / panel.height * (panel.y[1] - panel.y[0]),
                )
                panel.lines([[(dot["at"], dot["value"]), far]], "muted", 0.7)
            panel.text(dot["at"], dot["value"], dot["name"], at=(dx, dy + 4), side="right" if ends else "left")

    def draw(sheet: Sheet) -> None:
        columns = min(1 if sheet.width <= NARROW else 2, len(counts))
        each = (sheet.width - 56 * columns) / columns
        for k, count in enumerate(counts):
            place = 48 + (k % columns) * (each + 56), (k // columns) * (_HEIGHT + TOP + 58) + TOP + 4
            panel = sheet.panel(*place, each, _HEIGHT, below.ends, scale.ends, 46)
            panel.title(players_title(count), 48 if k % columns == 0 else 40)
            panel.numbers("x", below, title)
            panel.numbers("y", scale)
            fill(panel, count)

    def on(axes: Any, players: int | None) -> None:
        count = chosen_players(counts, players)
        panel = AxesPanel(axes, below.ends, scale.ends)
        panel.title(players_title(count))
        panel.numbers("x", below, title)
        panel.numbers("y", scale, up.label)
        fill(panel, count)
        panel.legend(legend)

    legend = legend_of(names, looks)
    said = f"{up.label[:1].upper()}{up.label[1:]}, over {across.label}"
    return Drawn(draw, on, said, legend, [dot for count in counts for dot in dots[count]], n_of(rows), width)


def placed(dots: Sequence[Mark], panel: Panel, last: int) -> Iterator[tuple[Mark, Spot]]:
    """Yield (dot, place) of each name that has a place where it hides nothing, the largest values first, series `last` at the end."""
    taken: list[tuple[float, float, float, float]] = []
    for dot in dots:
        x, y = panel.at(dot["at"], dot["value"])
        taken.append((x - 4, y - 4, x + 4, y + 4))
        if not np.isnan(dot["low"]):
            taken.append((x - 1, panel.at(0, dot["high"])[1], x + 1, panel.at(0, dot["low"])[1]))
    for dot in sorted(dots, key=lambda dot: (dot["_series"] == last, -abs(dot["value"]))):
        x, y = panel.at(dot["at"], dot["value"])
        long = width_of(dot["name"])
        for spot in _SPOTS:
            left = x + spot[0] - (long if spot[2] else 0)
            box = left, y + spot[1] - 6.5, left + long, y + spot[1] + 6.5
            inside = box[0] >= 0 and box[2] <= panel.width and box[1] >= 0 and box[3] <= panel.height
            if inside and not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
                taken.append(box)
                yield dot, spot
                break
