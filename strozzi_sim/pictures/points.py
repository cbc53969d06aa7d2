"""Dots with intervals: by a few levels, by a number joined by lines, or many levels with a row each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import Picture
from strozzi_sim.pictures.ink import NARROW, Look, legend_of, looks_of, width_of, wrapped
from strozzi_sim.pictures.marks import Drawn, Mark, label_of, n_of, on_scale, scale_of, sentence, title_of
from strozzi_sim.pictures.panel import GAP, TALL, AxesPanel, Panel, Scale, Sheet, fit
from strozzi_sim.pictures.series import Words, chosen_players, figures_of, in_order, named, players_title, series_of

_LONG = 9  # letters of a level's name; longer ones stand beside their row
_LEAST = 110  # pixels of a panel beside names
_EDGE = 14  # pixels for half a number at the right end of an axis
_ALIKE = 3.0  # scales of panels of one unit that differ less become one, so that the panels can be compared


@dataclass(frozen=True)
class _Part:
    """The content of a panel; `players` is its player count, None if it shows several."""

    title: str
    figure: Figure
    scale: Scale
    names: list[str]
    marks: list[Mark]
    players: int | None


@dataclass(frozen=True)
class _Shape:
    """The appearance of a picture's panels: `labelled` is "every", "surest" or "" (see `_labelled`), `label` names the levels."""

    kind: str
    looks: Sequence[Look]
    labelled: str
    label: str

    @property
    def many(self) -> int:
        """The number of series."""
        return len(self.looks)


def draw_points(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Drawn:
    """Draw a picture of kind intervals, lines or dots: a panel per player count or figure, a shape and colour per series."""
    keys, names = series_of(picture, rows, words, every)
    looks, figures = looks_of(picture.series, keys, picture.series_levels), figures_of(picture, rows)
    series = {key: (k, name) for k, (key, name) in enumerate(zip(keys, names, strict=True))}
    panels = list(_panels(picture, rows, every, figures))
    shown = {"lines": every, "dots": rows}
    levels = [in_order(shown.get(picture.kind, here)[picture.x], picture.levels) for _, here, *_ in panels]
    longest = max(len(line) for own in levels for each in own for line in named(each, words, picture.x).split("\n"))
    sideways = picture.kind == "dots" or (picture.kind == "intervals" and longest > _LONG)
    if sideways:  # the names stand at the first panel of a row
        levels = [in_order(rows[picture.x], picture.levels)] * len(panels)
    parts = []
    for (title, panel_rows, same_scale, figure, players), levels_here in zip(panels, levels, strict=True):
        level_names = {level: named(level, words, picture.x) for level in levels_here}
        marks = _marks(picture, panel_rows, figure, title, level_names, series)
        parts.append(
            _Part(title, figure, scale_of(same_scale, figure, picture), list(level_names.values()), marks, players)
        )
    parts = _on_one_scale(parts)
    few = max(len(part.names) for part in parts) <= 6 if picture.kind == "intervals" else len(parts) == 1
    alone = len(names) == 1 and picture.kind != "lines" and few
    labelled = "every" if alone else "surest" if picture.kind == "intervals" else ""
    label = "seat; 0 begins" if picture.x == "seat" else picture.x_label
    shape = _Shape(picture.kind, looks, labelled, label)
    legend = legend_of(names, looks)

    def draw(sheet: Sheet) -> None:
        (_sideways if sideways else _upright)(sheet, parts, shape)

    def on(axes: Any, players: int | None) -> None:
        part = parts[0]
        if part.players is not None:
            wanted = chosen_players([each.players for each in parts], players)
            part = next(each for each in parts if each.players == wanted)
        levels = (0.0, float(len(part.names)))
        panel = AxesPanel(axes, *((part.scale.ends, levels[::-1]) if sideways else (levels, part.scale.ends)))
        points = ", points from an equal share" if picture.equal else ", points" if picture.zero else ""
        panel.title(part.title)
        panel.numbers("x" if sideways else "y", part.scale, part.figure.label + points)
        panel.names("y" if sideways else "x", part.names, picture.x_label)
        _fill(panel, part, shape, upright=not sideways)
        panel.legend(legend)

    marks = [mark for part in parts for mark in part.marks]
    return Drawn(draw, on, title_of(picture, figures[0]), legend, marks, n_of(rows), width)


def _panels(
    picture: Picture, rows: pd.DataFrame, every: pd.DataFrame, figures: Sequence[Figure]
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame, Figure, int | None]]:
    """Yield (title, rows, rows of the same scale, figure, player count) of each panel."""
    across = picture.x == "players" and picture.kind != "lines"
    if picture.kind == "dots" or (across and picture.series != "figure"):
        for figure in figures:
            points = ", points" if picture.zero and figure.unit == "share" else ""
            title = figure.label + points if picture.kind != "dots" or len(figures) > 1 else ""
            yield title, rows[rows["figure"] == figure.name], every[every["figure"] == figure.name], figure, None
    elif across:
        yield "", rows, every, figures[0], None
    else:
        for count in sorted(rows["players"].unique()):
            yield players_title(count), rows[rows["players"] == count], every, figures[0], int(count)


def _marks(
    picture: Picture, rows: pd.DataFrame, figure: Figure, title: str, levels: dict[Any, str], series: dict[Any, tuple[int, str]]
) -> list[Mark]:  # fmt: skip
    """Return the marks of a panel: value and interval as drawn, level and series by name and by number, the sentence."""
    if rows.empty:
        return []
    marks, place = [], {level: k for k, level in enumerate(levels)}
    for row, (value, low, high) in zip(rows.itertuples(index=False), on_scale(rows, figure, picture).to_numpy(), strict=True):  # fmt: skip
        key, level = getattr(row, picture.series) if picture.series else None, getattr(row, picture.x)
        if key not in series or level not in place:
            continue
        number, name = series[key]
        parts = [
            title if picture.kind != "dots" else "",
            f"{picture.x_label} {levels[level]}"
            if picture.x == "seat"
            else players_title(level)
            if picture.x == "players"
            else levels[level],
            name if len(series) > 1 else "",
        ]
        tip = sentence(parts, row, figure.unit, points=picture.zero and figure.unit == "share")
        marks.append({
            "panel": title, "level": levels[level].replace("\n", " "), "series": name, "value": value, "low": low, "high": high, "n": row.n,
            "tip": tip, "_at": place[level], "_series": number,
        })  # fmt: skip
    return sorted(marks, key=lambda mark: (mark["_series"], mark["_at"]))


def _on_one_scale(parts: list[_Part]) -> list[_Part]:
    """Return panels on one axis if they have one unit and their axes are of about one length."""
    ends = np.array([part.scale.ends for part in parts])
    whole = float(ends[:, 0].min()), float(ends[:, 1].max())
    kinds = {(part.figure.unit, part.scale.line) for part in parts}
    if len(kinds) > 1 or whole[1] - whole[0] > _ALIKE * float(np.diff(ends).min()):
        return parts
    return [replace(part, scale=replace(part.scale, ends=whole)) for part in parts]


def _upright(sheet: Sheet, parts: Sequence[_Part], shape: _Shape) -> None:
    joined, shared = shape.kind == "lines", len({part.scale for part in parts}) == 1
    widest, most = max(width_of(name) for part in parts for name in part.names), max(len(part.names) for part in parts)
    need = (300 if sheet.width > NARROW else 250) if joined else max(96.0, most * max(widest + 12, 11 * shape.many + 8))
    left = max(part.scale.room() for part in parts)
    gap = GAP if shared else left
    across, each = fit(sheet.width, left, need, len(parts), gap)
    tall = 170 if joined else 230 if sheet.width > 700 else 200
    foot = 24 + 14 * max(name.count("\n") for part in parts for name in part.names) + (20 if shape.label else 0)
    rooms = [each + (0 if k % across else left) + (gap if (k + 1) % across else 0) for k in range(len(parts))]
    titles = [wrapped(part.title, room - 8, 13.5) for part, room in zip(parts, rooms, strict=True)]
    titled = 16 + 14 * max(title.count("\n") + 1 for title in titles) if any(titles) else 10
    for k, part in enumerate(parts):
        place = left + (k % across) * (each + gap), (k // across) * (titled + tall + foot + 12) + titled
        panel = sheet.panel(*place, each, tall, (0.0, len(part.names)), part.scale.ends, foot)
        panel.title(titles[k], 0 if k % across else left)
        panel.numbers("y", part.scale, labels=not shared or k % across == 0)
        panel.names("x", part.names, shape.label)
        _fill(panel, part, shape, upright=True)


def _sideways(sheet: Sheet, parts: Sequence[_Part], shape: _Shape) -> None:
    names, rows = parts[0].names, shape.kind == "dots"
    margin = min(max(width_of(name.replace("\n", " ")) for name in names) + 14, sheet.width - _LEAST - _EDGE)
    ends = [max(map(width_of, part.scale.texts(part.scale.ticks(4)))) / 2 for part in parts]
    gap = max([GAP, *(one + two + 6 for one, two in pairwise(ends))])  # the numbers of neighbours do not touch
    across, each = fit(sheet.width - _EDGE, margin, 130 if rows else 180, len(parts), gap)
    step = max(26, 13 * shape.many + 10) if not rows else 19 if shape.many == 1 else max(19, 7 * shape.many + 6)
    tall = step * len(names)
    before = 0 if across > 1 and parts[0].players is None else margin  # pixels of a title to the left of its panel
    titles = [wrapped(part.title, each + (0 if k % across else before) - 4, 13.5) for k, part in enumerate(parts)]
    has_labels = any(_labelled(part.marks, part.scale, shape.labelled) for part in parts)
    above = 14 if tall > TALL else 0  # numbers at both ends
    titled = 10 + above + 14 * max(title.count("\n") + 1 for title in titles) if any(titles) else 6 + above
    for k, part in enumerate(parts):
        place = margin + (k % across) * (each + gap), (k // across) * (titled + tall + 40) + titled
        scale = part.scale.with_room(each) if has_labels else part.scale
        panel = sheet.panel(*place, each, tall, scale.ends, (float(len(names)), 0.0), 24)
        panel.title(titles[k], 0 if k % across else before, 8 + above)
        panel.numbers("x", scale, most=8 if each > 400 else 5 if each > 180 else 4)
        if k % across == 0:
            panel.names("y", names, room=margin - 10)
        _fill(panel, part, shape, upright=False)


def _fill(panel: Panel, part: _Part, shape: _Shape, *, upright: bool) -> None:
    """Draw the marks of a panel, the line at zero or an equal share, and the values that are written out."""
    scale = part.scale
    many = (
        shape.many if len({mark["_at"] for mark in part.marks}) < len(part.marks) else 1
    )  # one mark at each level stands at it
    panel.line("y" if upright else "x", scale.line)
    room = (panel.width if upright else panel.height) / max(len(part.names), 1)  # pixels of a level
    gap = 0.0 if shape.kind == "lines" else min(0.62 / many, (13 if shape.kind == "intervals" else 7) / room)

    def spot(mark: Mark, value: float) -> tuple[float, float]:
        level = mark["_at"] + 0.5 + (gap * (mark["_series"] - (many - 1) / 2) if many > 1 else 0.0)
        return (level, value) if upright else (value, level)

    radius = 4.2 if many < 4 and not (shape.kind == "dots" and many > 1) else 3.6
    for series, (ink, form) in enumerate(shape.looks):
        of_series = [mark for mark in part.marks if mark["_series"] == series]
        if shape.kind == "lines" and of_series:
            panel.lines([[spot(mark, mark["value"]) for mark in of_series]], ink, 1.6, alpha=0.7)
        with_interval = [mark for mark in of_series if not np.isnan(mark["low"])]
        panel.lines([[spot(mark, mark["low"]), spot(mark, mark["high"])] for mark in with_interval], ink, 2.0)
        at = [spot(mark, mark["value"]) for mark in of_series]
        panel.dots([x for x, _ in at], [y for _, y in at], ink, form, radius, [mark["tip"] for mark in of_series])
    whiskers = [[panel.at(*spot(mark, end)) for end in _reach(mark)] for mark in part.marks]
    for mark in _labelled(part.marks, scale, shape.labelled):
        below, half = scale.line is not None and mark["value"] < scale.line, (mark["high"] - mark["low"]) / 2
        text, place = (
            label_of(mark["value"], half, part.figure.unit, scale),
            spot(mark, _reach(mark)[0 if below else 1]),
        )
        x, y = panel.at(*place)
        if upright:  # beyond the whiskers of neighbours too
            near = [side[1] for pair in whiskers for side in pair if abs(side[0] - x) < width_of(text) / 2 + 3]
            shift = (0.0, max(near) - y + 18) if below else (0.0, min(near) - y - 9)
        else:
            shift = (-9.0 if below else 9.0, 4.0)
        side = "center" if upright else "right" if below else "left"
        panel.text(*place, text, shape.looks[mark["_series"]][0], shift, side, bold=True)


def _reach(mark: Mark) -> tuple[float, float]:
    """Return the ends of a mark's interval, or its value twice."""
    return (mark["value"],) * 2 if np.isnan(mark["low"]) else (mark["low"], mark["high"])


def _labelled(marks: list[Mark], scale: Scale, which: str) -> list[Mark]:
    """Return the marks whose values are written out: all, or on each side of the line the mark with the most significant difference."""
    if which != "surest":
        return marks if which else []
    if scale.line is None:
        return []
    with_interval = [mark for mark in marks if mark["high"] > mark["low"]]
    above = [mark for mark in with_interval if mark["low"] > scale.line]
    below = [mark for mark in with_interval if mark["high"] < scale.line]
    return [
        max(side, key=lambda mark: abs(mark["value"]) / (mark["high"] - mark["low"])) for side in (above, below) if side
    ]
