"""Pictures of dots.

`draw_points`: kinds intervals, lines and dots. `draw_scatter`: one figure over another, with names.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import Words, named, pick
from strozzi_sim.declare.pictures import Picture
from strozzi_sim.declare.printing import THIN, format_value
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game.sentences import ordinal_word, with_capital
from strozzi_sim.pictures.ink import INKS, NARROW, SHAPES, Look, legend_of, looks_of, width_of, wrapped
from strozzi_sim.pictures.marks import Chart, Mark, label_of, meaning_of, n_of, on_scale, scale_of, sentence
from strozzi_sim.pictures.panel import ALIKE, GAP, LINE_HEIGHT, TALL, TOP, Face, Panel, Scale, Sheet, fit
from strozzi_sim.pictures.series import figures_of, in_order, players_title, series_of

_LONG = 9  # letters; `intervals` with a longer line in a name have a row for each level
_LEAST = 110  # least width in pixels of a panel beside names
_EDGE = 14  # pixels for half a number at the right end of an axis
_HEIGHT = 300  # pixels of a panel with labelled dots
_TALLEST = 480  # pixels of a panel of intervals with names at its side, if they have room; taller, a print is too small
_TITLE_SIZE = 13.5  # pixels of a panel's title, when it is broken into lines
# where a name may be: pixels from its dot to the right and down, and whether it ends there instead of beginning
_NEAR = ((8, 0, False), (-8, 0, True), (8, -9, False), (8, 9, False), (-8, -9, True), (-8, 9, True))
_FAR = ((t * (8 + 4 * k), s * (9 + 7 * k), t < 0) for k in range(1, 5) for s in (-1, 1) for t in (1, -1))
_SPOTS = (*_NEAR, *_FAR)
Spot = tuple[int, int, bool]


@dataclass(frozen=True)
class _Shape:
    kind: str
    looks: Sequence[Look]  # one per series
    labelled: str  # the marks whose value is written out: "every", "surest" or "" (see `_labelled`)
    label: str  # title of the axis of levels, if upright
    upright: bool  # whether values grow upwards, not to the right


class _PanelData(NamedTuple):
    """The data of a panel."""

    title: str
    rows: pd.DataFrame
    scale_rows: pd.DataFrame  # rows that set its scale
    figure: Figure  # the first of its figures
    players: int | None  # None: several player counts


def draw_points(picture: Picture, rows: pd.DataFrame, words: Words, all_rows: pd.DataFrame, width: int) -> Chart:
    """Draw a picture of kind intervals, lines or dots: a panel per player count, per figure or for all.

    `words` is raw value -> display name. `all_rows`, which contain `rows`, set the scale, the order of series, and the
    levels of lines.
    """
    keys, names = series_of(picture, rows, words, all_rows)
    looks = looks_of(picture.series, keys, picture.series_levels)
    figures = figures_of(picture, rows)
    series = {key: (k, name) for k, (key, name) in enumerate(zip(keys, names, strict=True))}
    panels = list(_panels(picture, rows, all_rows, figures))
    levels_of_rows = in_order(rows[picture.x], picture.levels)
    name_lines = "\n".join(named(level, words, picture.x) for level in levels_of_rows).split("\n")
    is_long = picture.x != "seat" and max(map(len, name_lines)) > _LONG
    sideways = picture.kind == "dots" or (picture.kind == "intervals" and is_long)
    if sideways:  # only the first panel of a row has the names
        levels = [levels_of_rows] * len(panels)
    elif picture.kind == "lines":
        levels = [in_order(all_rows[picture.x], picture.levels)] * len(panels)
    else:
        levels = [in_order(panel.rows[picture.x], picture.levels) for panel in panels]
    counts = [panel.players for panel in panels]
    level_names = [
        {level: _level_name(level, words, picture, players) for level in of_panel}
        for of_panel, players in zip(levels, counts, strict=True)
    ]
    has_room_for_labels = max(map(len, level_names)) <= 6 if picture.kind == "intervals" else len(panels) == 1
    is_labelled = len(names) == 1 and picture.kind != "lines" and has_room_for_labels
    labelled = "every" if is_labelled else "surest" if picture.kind == "intervals" else ""
    label_of_levels = "player, in the order of round 1" if picture.x == "seat" else picture.x_label
    shape = _Shape(picture.kind, looks, labelled, label_of_levels, upright=not sideways)
    points = ", points from an equal share" if picture.equal else ", points" if picture.zero else ""
    has_several = len(picture.figures) > 1 and picture.kind != "dots"  # figures, named by panels or the legend
    scales = _on_one_scale([(scale_of(panel.scale_rows, panel.figure, picture), panel.figure) for panel in panels])
    faces: list[Face] = []
    all_marks: list[Mark] = []
    has_labels = False
    for panel, scale, of_panel in zip(panels, scales, level_names, strict=True):
        marks = _marks(picture, panel.rows, panel.figure, panel.title, of_panel, series)
        fill = partial(_fill, marks=marks, scale=scale, figure=panel.figure, levels=len(of_panel), shape=shape)
        label = meaning_of(picture, panel.figure) if has_several else panel.figure.label + points
        panel_names = list(of_panel.values())
        if sideways:
            faces.append(Face(panel.title, scale, panel_names, fill, panel.players, (label, picture.x_label)))
        else:
            faces.append(Face(panel.title, panel_names, scale, fill, panel.players, (picture.x_label, label)))
        has_labels |= bool(_labelled(marks, scale, labelled))
        all_marks += marks
    sideways_draw = partial(_sideways, faces=faces, shape=shape, has_labels=has_labels)
    draw = sideways_draw if sideways else partial(_upright, faces=faces, shape=shape)
    return Chart(draw, faces, meaning_of(picture, figures[0]), legend_of(names, looks), all_marks, n_of(rows), width)


def _level_name(level: Any, words: Words, picture: Picture, players: int | None) -> str:
    """Return the name of a level on the axis; seats are "first" to "last"."""
    if picture.x == "seat" and players and str(level).isdigit():
        is_last = int(level) == players - 1 > 1
        return "last" if is_last else ordinal_word(int(level) + 1)
    return named(level, words, picture.x)


def _panels(
    picture: Picture, rows: pd.DataFrame, all_rows: pd.DataFrame, figures: Sequence[Figure]
) -> Iterator[_PanelData]:
    """Yield the title, rows, scale, figure and player count of each panel."""
    by_players = picture.x == "players" and picture.kind != "lines"
    if picture.kind == "dots" or (by_players and picture.series != "figure"):
        for figure in figures:
            points = ", points" if figure.unit == "points" else ""
            title = figure.label + points if picture.kind != "dots" or len(figures) > 1 else ""
            yield _PanelData(title, pick(rows, figure=figure.name), pick(all_rows, figure=figure.name), figure, None)
    elif by_players:
        yield _PanelData("", rows, all_rows, figures[0], None)
    else:
        for count in sorted(rows["players"].unique()):
            yield _PanelData(players_title(count), pick(rows, players=count), all_rows, figures[0], int(count))


def _marks(
    picture: Picture, rows: pd.DataFrame, figure: Figure, title: str, levels: Words, series: dict[Any, tuple[int, str]]
) -> list[Mark]:
    """Return the marks of a panel, with values and intervals as drawn; `series` is key -> (number, name)."""
    if rows.empty:
        return []
    marks = []
    place = {level: k for k, level in enumerate(levels)}
    drawn = on_scale(rows, figure, picture).to_numpy()
    for row, (value, low, high) in zip(rows.itertuples(index=False), drawn, strict=True):
        key = getattr(row, picture.series) if picture.series else None
        level = getattr(row, picture.x)
        if key not in series or level not in place:
            continue
        number, name = series[key]
        called = players_title(level) if picture.x == "players" else levels[level]
        called = f"{called} player" if picture.x == "seat" and "player" not in called else called
        parts = [title if picture.kind != "dots" else "", called, name if len(series) > 1 else ""]
        shown = {"panel": title, "level": levels[level].replace("\n", " "), "series": name}
        shown |= {"value": value, "low": low, "high": high, "n": row.n}
        shown["tip"] = sentence(parts, row, figure)
        marks.append({**shown, "_level": place[level], "_series": number})
    return sorted(marks, key=lambda mark: (mark["_series"], mark["_level"]))


def _on_one_scale(scales: list[tuple[Scale, Figure]]) -> list[Scale]:
    """Return the axes of panels: one for all if they have one unit and line, and none gets over ALIKE times as long."""
    ends = np.array([scale.ends for scale, _ in scales])
    joint_ends = float(ends[:, 0].min()), float(ends[:, 1].max())
    kinds = {(figure.unit, scale.line) for scale, figure in scales}
    if len(kinds) > 1 or joint_ends[1] - joint_ends[0] > ALIKE * float(np.diff(ends).min()):
        return [scale for scale, _ in scales]
    return [replace(scale, ends=joint_ends) for scale, _ in scales]


def _upright(sheet: Sheet, faces: Sequence[Face], shape: _Shape) -> None:
    is_joined = shape.kind == "lines"
    is_shared = len({face.scale for face in faces}) == 1
    widest = max(width_of(name) for face in faces for name in face.names)
    level_width = max(widest + 12, 11 * len(shape.looks) + 8)
    levels = [len(face.names) for face in faces]
    least_width = max(96.0, max(levels) * level_width)
    if is_joined:
        least_width = 300 if sheet.width > NARROW else 250
    left = max(face.scale.room() for face in faces)
    gap = GAP if is_shared else left
    columns, equal_width = fit(sheet.width, left, least_width, len(faces), gap)
    widths = [equal_width] * len(faces)
    room_of_row = sheet.width - left - gap * (len(faces) - 1)
    if columns < len(faces) and not is_joined and room_of_row >= level_width * sum(levels):
        columns = len(faces)  # as wide as their levels, all are in one row
        widths = [room_of_row * count / sum(levels) for count in levels]
    panel_height = 170 if is_joined else 230 if sheet.width > 700 else 200
    lines_below_first = max(name.count("\n") for face in faces for name in face.names)
    foot = 24 + LINE_HEIGHT * lines_below_first + (20 if shape.label else 0)
    rooms = [width + (0 if k % columns else left) + (gap if (k + 1) % columns else 0) for k, width in enumerate(widths)]
    titles = [wrapped(face.title, room - 8, _TITLE_SIZE) for face, room in zip(faces, rooms, strict=True)]
    title_height = 16 + LINE_HEIGHT * max(title.count("\n") + 1 for title in titles) if any(titles) else 10
    step = title_height + panel_height + foot + 12
    for k, (face, title, width) in enumerate(zip(faces, titles, widths, strict=True)):
        row, column = divmod(k, columns)
        is_first = column == 0
        across = left + gap * column + sum(widths[row * columns : k])
        panel = sheet.panel(across, title_height + row * step, width, panel_height, *face.ends, foot)
        panel.title(title, left if is_first else 0)
        panel.numbers("y", face.scale, labels=is_first or not is_shared)
        panel.names("x", face.names, shape.label)
        face.fill(panel)


def _sideways(sheet: Sheet, faces: Sequence[Face], shape: _Shape, *, has_labels: bool) -> None:
    names = faces[0].names
    is_rows = shape.kind == "dots"
    margin = min(max(width_of(name.replace("\n", " ")) for name in names) + 14, sheet.width - _LEAST - _EDGE)
    half_widths = [max(map(width_of, face.scale.texts(face.scale.ticks(4)))) / 2 for face in faces]
    gap = max([GAP, *(first + second + 6 for first, second in pairwise(half_widths))])  # numbers do not touch
    columns, panel_width = fit(sheet.width - _EDGE, margin, 130 if is_rows else 180, len(faces), gap)
    level_height = max(19.0, 7.0 * len(shape.looks) + 6)
    if not is_rows:
        level_height = max(26.0, min(13.0 * len(shape.looks) + 10, _TALLEST / len(names)))
    panel_height = level_height * len(names)
    title_margin = 0 if columns > 1 and faces[0].players is None else margin  # pixels of a title left of its panel
    rooms = [panel_width + (0 if k % columns else title_margin) for k in range(len(faces))]
    titles = [wrapped(face.title, room - 4, _TITLE_SIZE) for face, room in zip(faces, rooms, strict=True)]
    above = LINE_HEIGHT if panel_height > TALL else 0  # for numbers at both ends
    title_lines = max(title.count("\n") + 1 for title in titles)
    title_height = above + (10 + LINE_HEIGHT * title_lines if any(titles) else 6)
    step = panel_width + gap, title_height + panel_height + 40
    grid = sheet.grid(len(faces), columns, (margin, title_height), step)
    for face, title, (is_first, place) in zip(faces, titles, grid, strict=True):
        scale = face.scale.with_room(panel_width) if has_labels else face.scale
        panel = sheet.panel(*place, panel_width, panel_height, scale.ends, (float(len(names)), 0.0), 24)
        panel.title(title, title_margin if is_first else 0, 8 + above)
        panel.numbers("x", scale, most_steps=8 if panel_width > 400 else 5 if panel_width > 180 else 4)
        if is_first:
            panel.names("y", names, room=margin - 10)
        face.fill(panel)


def _fill(panel: Panel, marks: list[Mark], scale: Scale, figure: Figure, levels: int, shape: _Shape) -> None:
    # Marks of several series are side by side, except on lines; if every level has one mark, it is in the middle.
    side_by_side = len(shape.looks) if len({mark["_level"] for mark in marks}) < len(marks) else 1
    panel.line("y" if shape.upright else "x", scale.line)
    room = (panel.width if shape.upright else panel.height) / max(levels, 1)  # pixels of a level
    # distance of marks side by side, as a part of a level
    gap = 0.0 if shape.kind == "lines" else min(0.62 / side_by_side, (13 if shape.kind == "intervals" else 7) / room)

    ends = panel.y if shape.upright else panel.x

    def position(mark: Mark, value: float) -> tuple[float, float]:
        level = mark["_level"] + 0.5 + (gap * (mark["_series"] - (side_by_side - 1) / 2) if side_by_side > 1 else 0.0)
        if np.isinf(value):
            value = max(ends) if value > 0 else min(ends)
        return (level, value) if shape.upright else (value, level)

    radius = 4.2 if side_by_side < 4 and not (shape.kind == "dots" and side_by_side > 1) else 3.6
    for series, (ink, shape_name) in enumerate(shape.looks):
        of_series = [mark for mark in marks if mark["_series"] == series]
        if shape.kind == "lines" and of_series:
            panel.lines([[position(mark, mark["value"]) for mark in of_series]], ink, 1.6, alpha=0.7)
        with_interval = [mark for mark in of_series if not np.isnan(mark["low"])]
        panel.lines([[position(mark, mark["low"]), position(mark, mark["high"])] for mark in with_interval], ink, 2.0)
        points = [position(mark, mark["value"]) for mark in of_series]
        tips = [mark["tip"] for mark in of_series]
        panel.dots([x for x, _ in points], [y for _, y in points], ink, shape_name, radius, tips)
    whiskers = [[panel.at(*position(mark, end)) for end in _reach(mark)] for mark in marks]
    for mark in _labelled(marks, scale, shape.labelled):
        below = scale.line is not None and mark["value"] < scale.line
        text = label_of(mark["value"], (mark["high"] - mark["low"]) / 2, figure, scale)
        if scale.signed and not text.strip("0."):  # a difference that rounds to 0 is not written
            continue
        place = position(mark, _reach(mark)[0 if below else 1])
        x, y = panel.at(*place)
        if shape.upright:  # beyond the whiskers of neighbours too
            neighbours = [side[1] for pair in whiskers for side in pair if abs(side[0] - x) < width_of(text) / 2 + 3]
            shift = (0.0, max(neighbours) - y + 18) if below else (0.0, min(neighbours) - y - 9)
        else:
            shift = (-9.0 if below else 9.0, 4.0)
        side = "center" if shape.upright else "right" if below else "left"
        panel.text(*place, text, shape.looks[mark["_series"]][0], shift, side, bold=True)


def _reach(mark: Mark) -> tuple[float, float]:
    return (mark["value"],) * 2 if np.isnan(mark["low"]) else (mark["low"], mark["high"])


def _labelled(marks: list[Mark], scale: Scale, which: str) -> list[Mark]:
    """Return the marks whose value is written: all, none (""), or on each side of the line the most significant one."""
    if which != "surest":
        return marks if which else []
    if scale.line is None:
        return []
    with_interval = [mark for mark in marks if mark["high"] > mark["low"]]
    above = [mark for mark in with_interval if mark["low"] > scale.line]
    below = [mark for mark in with_interval if mark["high"] < scale.line]

    def certainty(mark: Mark) -> float:
        return float(abs(mark["value"]) / (mark["high"] - mark["low"]))

    return [max(side, key=certainty) for side in (above, below) if side]


def draw_scatter(picture: Picture, rows: pd.DataFrame, words: Words, all_rows: pd.DataFrame, width: int) -> Chart:
    """Draw the picture's second figure over its first one, a dot per level, one panel per player count, with one scale.

    The last of several series is grey, and its names are placed last.
    """
    x_figure, y_figure = picture.figures
    name_of = {"": ""}  # key of a series -> its name
    if picture.series:
        keys = picture.series_levels or in_order(all_rows[picture.series], ())
        name_of = {key: named(key, words, picture.series) for key in keys}
    names = list(name_of.values())
    inks = [*INKS[: len(names) - 1], "s3"] if len(names) > 1 else INKS[:1]
    looks = list(zip(inks, SHAPES, strict=False))
    x_end = 1.06 * x_figure.measure.factor * float(pick(all_rows, figure=x_figure.name)["value"].max()) or 1.0
    x_scale = Scale((-0.02 * x_end, x_end))
    scale = scale_of(pick(all_rows, figure=y_figure.name), y_figure, picture)
    title = f"{x_figure.label}, %" if x_figure.is_share else x_figure.label
    last = len(names) - 1 if len(names) > 1 else -1
    faces: list[Face] = []
    all_dots: list[Mark] = []
    for count in sorted(int(count) for count in rows["players"].unique()):
        dots = _dots(picture, pick(rows, players=count), words, players_title(count), name_of)
        fill = partial(_fill_with_names, dots=dots, looks=looks, last=last, line=scale.line)
        faces.append(Face(players_title(count), x_scale, scale, fill, count, (title, y_figure.label)))
        all_dots += dots
    meaning = f"{with_capital(y_figure.label)}, over {x_figure.label}"
    draw = partial(_grid, faces=faces, x_scale=x_scale, scale=scale)
    return Chart(draw, faces, meaning, legend_of(names, looks), all_dots, n_of(rows), width)


def _dots(
    picture: Picture, rows: pd.DataFrame, words: Words, title: str, series_names: Mapping[str, str]
) -> list[Mark]:
    """Return the dots of a panel; `series_names` is the name of each series by its key, "" for a single one."""
    x_figure, y_figure = picture.figures
    dots: list[Mark] = []
    numbers = {key: number for number, key in enumerate(series_names)}
    x_values = pick(rows, figure=x_figure.name).set_index(picture.x)["value"]
    y_rows = pick(rows, figure=y_figure.name)
    drawn = on_scale(y_rows, y_figure, picture).to_numpy()
    for row, (value, low, high) in zip(y_rows.itertuples(index=False), drawn, strict=True):
        level = getattr(row, picture.x)
        series = getattr(row, picture.series) if picture.series else ""
        if level not in x_values.index or series not in numbers:
            continue
        name = named(level, words, picture.x)
        x_text = format_value(x_values[level], x_figure).replace(THIN, " ")
        tip = f"{sentence([title, name], row, y_figure)}; {x_figure.label}: {x_text}"
        x = x_figure.measure.factor * float(x_values[level])
        shown: Mark = {"panel": title, "name": name, "series": series_names[series], "at": x, "value": value}
        dots.append({**shown, "low": low, "high": high, "n": row.n, "tip": tip, "_series": numbers[series]})
    return dots


def _fill_with_names(panel: Panel, dots: Sequence[Mark], looks: Sequence[Look], last: int, line: float | None) -> None:
    panel.line("y", line)
    for series, (ink, shape) in enumerate(looks):
        shown = [dot for dot in dots if dot["_series"] == series]
        ends = [[(dot["at"], dot["low"]), (dot["at"], dot["high"])] for dot in shown if not np.isnan(dot["low"])]
        panel.lines(ends, ink, 1.5, alpha=0.8)
        x, y, tips = ([dot[key] for dot in shown] for key in ("at", "value", "tip"))
        panel.dots(x, y, ink, shape, 4.0, tips)
    for dot, (dx, dy, is_left) in placed(dots, panel, last):
        if abs(dy) > 9:  # a name that is not beside its dot
            x = dot["at"] + dx / panel.width * (panel.x[1] - panel.x[0])
            y = dot["value"] - dy / panel.height * (panel.y[1] - panel.y[0])
            panel.lines([[(dot["at"], dot["value"]), (x, y)]], "muted", 0.7)
        panel.text(dot["at"], dot["value"], dot["name"], shift=(dx, dy + 4), side="right" if is_left else "left")


def _grid(sheet: Sheet, faces: Sequence[Face], x_scale: Scale, scale: Scale) -> None:
    columns = min(1 if sheet.width <= NARROW else 2, len(faces))
    panel_width = (sheet.width - 56 * columns) / columns
    grid = sheet.grid(len(faces), columns, (48, TOP + 4), (panel_width + 56, _HEIGHT + TOP + 58))
    for face, (is_first, place) in zip(faces, grid, strict=True):
        panel = sheet.panel(*place, panel_width, _HEIGHT, *face.ends, 46)
        panel.title(face.title, 48 if is_first else 40)
        panel.numbers("x", x_scale, face.labels[0])
        panel.numbers("y", scale)
        face.fill(panel)


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
            dx, dy, is_left = spot
            left = x + dx - (name_width if is_left else 0)
            box = left, y + dy - 6.5, left + name_width, y + dy + 6.5
            is_inside = box[0] >= 0 and box[2] <= panel.width and box[1] >= 0 and box[3] <= panel.height
            hides = (box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken)
            if is_inside and not any(hides):
                taken.append(box)
                yield dot, spot
                break
