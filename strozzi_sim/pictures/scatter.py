"""Declare labelled dots: one figure of each level over another, with the names placed where there is room for them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.game.reporting import THIN, Picture, format_value
from strozzi_sim.pictures.marks import NARROW, SHAPES, Declared, Scale, beside, broken_line, sentence, shown_scale
from strozzi_sim.pictures.series import Words, in_order, named, players_title
from strozzi_sim.pictures.vega import INKS, Spec

_HEIGHT = 300  # pixels of a panel
_LETTER, _TALL = 6.2, 13.0  # pixels of a name at 12 px: a letter's width, the height
_PLACES = ((8, 0, "left"), (-8, 0, "right"), (8, -9, "left"), (8, 9, "left"), (-8, -9, "right"), (-8, 9, "right"))
_RINGS = tuple((8 + 4 * k, s * (9 + 7 * k), "left") for k in range(1, 5) for s in (-1, 1))


def declare_scatter(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Declared:
    """Declare the picture's second figure over its first one, a dot per level, one panel per player count, with one scale.

    The last of several series is drawn hollow. With `zero`, shares along y are differences in points.
    """
    across, up = picture.figures
    known = list(picture.series_levels) or (in_order(every[picture.series], ()) if picture.series else [""])
    names = [named(level, words, picture.series) for level in known] if picture.series else [""]
    of_up = every[every["figure"] == up.name]
    scale, placed = shown_scale(of_up, up, equal=False, zero=picture.zero)
    factor = 100.0 if across.unit == "share" else 1.0
    furthest = 1.06 * factor * float(every[every["figure"] == across.name]["value"].max()) or 1.0
    title = f"{across.label}, %" if across.unit == "share" else across.label
    below = Scale((-0.02 * furthest, furthest), title)
    scale = Scale(scale.ends, up.label, scale.signed, scale.percent, scale.line)
    counts = sorted(int(count) for count in rows["players"].unique())
    inks = [*INKS[: len(known) - 1], "s3"] if len(known) > 1 else list(INKS[:1])

    def panel(count: int, wide: float) -> Spec:
        here = rows[rows["players"] == count]
        used = here[here["figure"] == across.name].set_index(picture.x)["value"] * factor
        dots = []
        for row in here[here["figure"] == up.name].itertuples(index=False):
            level = getattr(row, picture.x)
            if level not in used.index:
                continue
            value, low, high = placed(row)
            name = named(level, words, picture.x)
            said = sentence([players_title(count), name], row, up.unit, points=picture.zero)
            often = format_value(used[level] / factor, across.unit).replace(THIN, " ")
            kept = {"low": None, "high": None} if np.isnan(low) else {"low": low, "high": high}
            series = named(getattr(row, picture.series), words, picture.series) if picture.series else ""
            dots.append(
                {"name": name, "at": float(used[level]), "value": value, **kept, "series": series, "tip": f"{said}; {across.label}: {often}"}
            )  # fmt: skip
        _place_names(dots, (wide, _HEIGHT), below.ends, scale.ends, last=names[-1] if len(names) > 1 else "")
        return _chart(players_title(count), dots, below, scale, names, inks, wide)

    def laid(total: float, most: int) -> Spec:
        columns = min(most, len(counts))
        each = (total - 56 * columns - 16 * (columns - 1)) / columns
        return beside([panel(count, each) for count in counts], columns)

    legend = tuple((name, inks[k], SHAPES[k]) for k, name in enumerate(names)) if len(names) > 1 else ()
    n = int(rows["n"].min()), int(rows["n"].max())
    return Declared(laid(width, 2), laid(NARROW, 1), picture.title, legend, len(rows), n)


def _chart(
    title: str, dots: list[Spec], below: Scale, scale: Scale, names: Sequence[str], inks: Sequence[str], wide: float
) -> Spec:
    x, y = {"field": "at", **below.encoding()}, {"field": "value", **scale.encoding()}
    colour = {"field": "series", "scale": {"domain": list(names), "range": list(inks)}, "legend": None}
    shapes = ["circle", "M0,-1.25L1.25,0L0,1.25L-1.25,0Z", "square"][: len(names)]
    shape = {"field": "series", "scale": {"domain": list(names), "range": shapes}, "legend": None}
    layers: list[Spec] = [] if scale.line is None else [broken_line("y", scale.line)]
    layers += [
        {"transform": [{"filter": "isValid(datum.low)"}], "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.8},
         "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}},
        {"mark": {"type": "point", "filled": True, "size": 56, "opacity": 1},
         "encoding": {"x": x, "y": y, "color": colour, "shape": shape, "description": {"field": "tip"}}},
    ]  # fmt: skip
    for across, down, side in {dot["spot"] for dot in dots if "spot" in dot}:
        layers.append(
            {
                "transform": [{"filter": f"datum.dx == {across} && datum.dy == {down}"}],
                "mark": {"type": "text", "align": side, "baseline": "middle", "dx": across, "dy": down, "fontSize": 12},
                "encoding": {"x": x, "y": y, "text": {"field": "name"}},
            }
        )
    plain = [{key: value for key, value in dot.items() if key != "spot"} for dot in dots]
    return {"title": title, "width": wide, "height": _HEIGHT, "data": {"values": plain}, "layer": layers}


def _place_names(
    dots: list[Spec], size: tuple[float, float], x_ends: tuple[float, float], y_ends: tuple[float, float], last: str
) -> None:
    """Give each dot the first place for its name that hides nothing, the largest values first, those of series `last` at the end."""
    wide, tall = size

    def at(x: float, y: float) -> tuple[float, float]:
        return wide * (x - x_ends[0]) / (x_ends[1] - x_ends[0]), tall * (1 - (y - y_ends[0]) / (y_ends[1] - y_ends[0]))

    taken: list[Any] = []
    for dot in dots:
        x, y = at(dot["at"], dot["value"])
        taken.append((x - 4, y - 4, x + 4, y + 4))
        if dot["low"] is not None:
            taken.append((x - 1, at(0, dot["high"])[1], x + 1, at(0, dot["low"])[1]))
    for dot in sorted(dots, key=lambda dot: (dot["series"] == last, -abs(dot["value"]))):
        x, y = at(dot["at"], dot["value"])
        long = _LETTER * len(dot["name"])
        for across, down, side in (*_PLACES, *_RINGS):
            left = x + across if side == "left" else x + across - long
            box = left, y + down - _TALL / 2, left + long, y + down + _TALL / 2
            inside = box[0] >= 0 and box[2] <= wide and box[1] >= 0 and box[3] <= tall
            if inside and not any(_overlap(box, other) for other in taken):
                dot |= {"dx": across, "dy": down, "spot": (across, down, side)}
                taken.append(box)
                break


def _overlap(one: Any, two: Any) -> bool:
    return bool(one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3])
