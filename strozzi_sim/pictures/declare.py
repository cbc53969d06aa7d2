"""Declare the pictures of reports: one Picture and the rows of its table -> Vega-Lite declarations, wide and narrow.

Pictures of one item have one scale. A share beside its equal chance is drawn in points above or below it. Series differ in shape and
colour. Every mark has a sentence with its value, interval and n.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import Picture, format_value, pick
from strozzi_sim.pictures.marks import (
    DIAMOND,
    GAP,
    LETTER,
    NARROW,
    NARROWEST,
    WIDE,
    Declared,
    Marks,
    beside,
    chart,
    fit,
    label_ends,
    legend_of,
    margin_of,
    mark_of,
    replace_title,
    sentence,
    shown_scale,
)
from strozzi_sim.pictures.series import Words, figures_of, in_order, levels_of, named, players_title, series_of
from strozzi_sim.pictures.vega import Spec

_LONG = 9  # letters of a level's name; longer ones stand beside their row
_PART_INKS = ("s1", "s2", "s4", "s5", "s6", "s3")


def declare(
    picture: Picture, table: pd.DataFrame, words: Words, components: Mapping[str, Any] | None = None,
    compared: pd.DataFrame | None = None, width: int = WIDE,
) -> Declared | None:  # fmt: skip
    """Declare the picture; return None if no row has a value.

    Args:
        picture: picture of any kind except "table".
        table: its table for one variant and line-up (for all of them if its series is "scenario").
        words: raw value -> display name.
        components: component data of the variant, required by boards; default: no board.
        compared: rows of all variants and line-ups beside these, which share one scale; default: table.
        width: pixels of the wide picture.
    """
    rows = rows_of(picture, table)
    if rows["value"].isna().all():
        return None
    every = rows if compared is None else rows_of(picture, compared)
    if picture.kind == "board":
        from strozzi_sim.pictures.boards import declare_board

        return declare_board(picture, rows, components, every, width) if components else None
    if picture.x in rows:  # the table's order, even if the first player count has no value
        picture = replace(picture, levels=tuple(levels_of(picture, every)))
    return _KINDS[picture.kind](picture, rows.dropna(subset="value"), words, every.dropna(subset="value"), width)


def rows_of(picture: Picture, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of its table that a picture shows, including rows without a value."""
    rows = pick(table, **picture.where)
    bars = list(picture.groups.values()) or [picture.figures]
    rows = rows[rows["figure"].isin([figure.name for bar in bars for figure in bar])]
    for column, levels in ((picture.x, picture.levels), (picture.series, picture.series_levels)):
        if levels:
            rows = rows[rows[column].isin(levels)]
    return rows


def _intervals(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Declared:
    """Declare dots with intervals, one panel per player count, or one per figure with the player counts as levels."""
    across = picture.x == "players"
    keys, names = series_of(picture, rows, words, every)
    figures: Sequence[Any] = figures_of(picture, rows)
    panels: list[tuple[str, pd.DataFrame, pd.DataFrame, Figure]]
    if across and picture.series != "figure":
        panels = [
            (figure.label, rows[rows["figure"] == figure.name], every[every["figure"] == figure.name], figure)
            for figure in figures
        ]
    elif across:
        panels = [("", rows, every, figures[0])]
    else:
        panels = [
            (players_title(count), rows[rows["players"] == count], every, figures[0])
            for count in sorted(rows["players"].unique())
        ]
    drawn = []
    for title, here, same_scale, figure in panels:
        scale, placed = shown_scale(same_scale, figure, equal=picture.equal, zero=picture.zero)
        present = set(here[picture.x])
        levels = [
            named(level, words, picture.x) for level in in_order(here[picture.x], picture.levels) if level in present
        ]
        marks = Marks(title, scale, levels)
        for key, name in zip(keys, names, strict=True):
            own = here if key is None else here[here[picture.series] == key]
            shown = name if len(names) > 1 else ""
            marks.values += [
                mark_of(picture, row, words, figure, shown, placed, title) for row in own.itertuples(index=False)
            ]
        if len(names) == 1:
            marks.values = [{**value, "series": names[0]} for value in marks.values]
        label_ends(marks.values, scale, figure.unit, every=len(names) == 1 and len(levels) <= 6)
        drawn.append(marks)
    most = max(len(marks.levels) for marks in drawn)
    longest = max((len(part) for marks in drawn for level in marks.levels for part in level.split("\n")), default=1)
    label = "seat; 0 begins" if picture.x == "seat" else "" if picture.x_label == "players" else picture.x_label
    shared = not across  # one scale for all panels, whose labels stand at the first

    def upright(total: float) -> Spec:
        need = max(96.0, most * max(LETTER * longest + 10, 9 * len(names) + 10))
        count = fit(total, 46, need, len(drawn))
        each = (total - 46 - (GAP if shared else 46) * (count - 1)) / count
        charts = [
            chart(
                replace_title(marks, shared and k % count > 0), names, upright=True, size=(each, 250 if total > 700 else 220), labels=(True, not shared or k % count == 0),
                where=label,
            )
            for k, marks in enumerate(drawn)
        ]  # fmt: skip
        return beside(charts, count)

    def sideways(total: float) -> Spec:
        margin = margin_of(longest, total)
        count = fit(total, margin, 180, len(drawn))
        each = max((total - margin - GAP * (count - 1)) / count, NARROWEST)
        step = max(26, 13 * len(names) + 10)
        charts = [
            chart(
                marks, names, upright=False, size=(each, step * len(marks.levels)), labels=(k % count == 0 or not shared, True), ticks=4,
                margin=margin, labelled=True,
            )
            for k, marks in enumerate(drawn)
        ]  # fmt: skip
        return beside(charts, count if shared else 1)

    layout = sideways if longest > _LONG else upright
    figure = figures[0]
    return _declared(layout(width), layout(NARROW), _title(picture, figure), legend_of(names), rows)


def _title(picture: Picture, figure: Figure) -> str:
    if picture.equal:
        return f"{figure.label[:1].upper()}{figure.label[1:]}: points above or below an equal share"
    if len(picture.figures) > 1:
        return ""
    unit = ", in points" if picture.zero and figure.unit == "share" else ""
    return f"{figure.label[:1].upper()}{figure.label[1:]}{unit}"


def _declared(wide: Spec, narrow: Spec, title: str, legend: Any, rows: pd.DataFrame) -> Declared:
    return Declared(wide, narrow, title, legend, len(rows), (int(rows["n"].min()), int(rows["n"].max())))


def _lines(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Declared:
    """Declare one line per series over the levels, with intervals, one panel per player count."""
    figure = picture.figures[0]
    keys, names = series_of(picture, rows, words, every)
    scale, placed = shown_scale(every, figure, equal=picture.equal, zero=picture.zero)
    levels = [named(level, words, picture.x) for level in in_order(every[picture.x], picture.levels)]
    drawn = []
    for count in sorted(rows["players"].unique()):
        marks, here = Marks(players_title(count), scale, levels), rows[rows["players"] == count]
        for key, name in zip(keys, names, strict=True):
            own = here if key is None else here[here[picture.series] == key]
            shown = name if len(names) > 1 else ""
            found = [
                mark_of(picture, row, words, figure, shown, placed, marks.title) for row in own.itertuples(index=False)
            ]
            marks.values += [{**value, "series": name} for value in found]
        drawn.append(marks)

    def laid(total: float) -> Spec:
        count = fit(total, 46, 300 if total > NARROW else 250, len(drawn))
        each = (total - 46 - GAP * (count - 1)) / count
        charts = [
            chart(
                replace_title(marks, k % count > 0), names, upright=True, size=(each, 170), labels=(True, k % count == 0), joined=True,
                where=picture.x_label,
            )
            for k, marks in enumerate(drawn)
        ]  # fmt: skip
        return beside(charts, count)

    return _declared(laid(width), laid(NARROW), _title(picture, figure), legend_of(names), rows)


def _dots(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Declared:
    """Declare many levels, one line each, one panel per figure."""
    keys, names = series_of(picture, rows, words, every)
    levels = [named(level, words, picture.x) for level in in_order(rows[picture.x], picture.levels)]
    drawn = []
    figures = figures_of(picture, rows)
    for figure in figures:
        same_scale = every[every["figure"] == figure.name]
        scale, placed = shown_scale(same_scale, figure, equal=picture.equal, zero=picture.zero)
        marks, here = (
            Marks(figure.label if len(figures) > 1 else "", scale, levels),
            rows[rows["figure"] == figure.name],
        )
        for key, name in zip(keys, names, strict=True):
            own = here if key is None else here[here[picture.series] == key]
            shown = name if len(names) > 1 else ""
            found = [mark_of(picture, row, words, figure, shown, placed, "") for row in own.itertuples(index=False)]
            marks.values += [{**value, "series": name} for value in found]
        if len(names) == 1 and len(figures) == 1:
            label_ends(marks.values, scale, figure.unit, every=True)
        drawn.append(marks)
    longest = max(len(level) for level in levels)
    step = 19 if len(names) == 1 else max(19, 7 * len(names) + 6)

    def laid(total: float) -> Spec:
        margin = margin_of(longest, total)
        count = fit(total, margin, 130, len(drawn))
        each = max((total - margin - GAP * (count - 1)) / count, NARROWEST)
        charts = [
            chart(
                marks,
                names,
                upright=False,
                size=(each, step * len(levels)),
                labels=(k % count == 0, True),
                ticks=4,
                margin=margin,
                labelled=len(names) == 1 and len(figures) == 1,
            )
            for k, marks in enumerate(drawn)
        ]
        return beside(charts, count)

    return _declared(laid(width), laid(NARROW), _title(picture, figures[0]), legend_of(names), rows)


def _bars(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Declared:
    """Declare stacked bars of sums, negative parts to the left of zero, one panel per player count."""
    bars: list[tuple[str, tuple[Figure, ...], dict[str, str]]]
    if picture.groups:
        bars = [(name, parts, {}) for name, parts in picture.groups.items()]
    else:
        levels = in_order(rows[picture.x], picture.levels)
        bars = [(named(level, words, picture.x), picture.figures, {picture.x: level}) for level in levels]
    names = [part.label for part in bars[0][1]]
    ends, panels = _ends_of_bars(picture, every), []
    for count in sorted(rows["players"].unique()):
        values: list[Spec] = []
        for bar, figures, where in bars:
            here = pick(rows, players=count, **where)
            total = 0.0
            for k, figure in enumerate(figures):
                for row in pick(here, figure=figure.name).itertuples(index=False):
                    tip = sentence([players_title(count), bar, names[k]], row, figure.unit)
                    text = format_value(row.value, "count")
                    values.append(
                        {"bar": bar, "part": names[k], "order": k, "value": row.value, "tip": tip, "text": text}
                    )
                    total += row.value
            if len(here):
                reach = sum(value["value"] for value in values if value["bar"] == bar and value["value"] > 0)
                values.append({"bar": bar, "total": format_value(total, "count"), "reach": reach})
        panels.append((players_title(count), values))
    inks = {"domain": names, "range": list(_PART_INKS[: len(names)])}
    longest = max(len(bar) for bar, *_ in bars)

    def chart(title: str, values: list[Spec], each: float, *, labels: bool) -> Spec:
        y = {
            "field": "bar",
            "type": "nominal",
            "sort": [bar for bar, *_ in bars],
            "title": None,
            "axis": {"labelColor": "ink"} if labels else None,
        }
        x = {"type": "quantitative", "title": None, "axis": None, "scale": {"domain": ends, "nice": False}}
        stack = {"field": "value", **x, "stack": "zero"}
        inside = [
            value for value in values if "part" in value and abs(value["value"]) > 34 * (ends[1] - ends[0]) / each
        ]
        places = {id(value): 0.0 for value in inside}
        for value in inside:
            same = [v for v in values if v.get("bar") == value["bar"] and "part" in v and v["order"] < value["order"]]
            before = sum(v["value"] for v in same if (v["value"] < 0) == (value["value"] < 0))
            places[id(value)] = before + value["value"] / 2
        texts = [{"bar": value["bar"], "at": places[id(value)], "text": value["text"]} for value in inside]
        return {
            "title": title, "width": each, "height": {"step": 28},
            "layer": [
                {"data": {"values": [v for v in values if "part" in v]}, "mark": {"type": "bar", "height": {"band": 0.74}, "stroke": "paper", "strokeWidth": 1},
                 "encoding": {"y": y, "x": stack, "color": {"field": "part", "scale": inks, "legend": None}, "order": {"field": "order"},
                              "description": {"field": "tip"}}},
                {"data": {"values": texts}, "mark": {"type": "text", "fill": "paper", "fontWeight": 600}, "encoding": {"y": y, "x": {"field": "at", **x}, "text": {"field": "text"}}},
                {"data": {"values": [v for v in values if "total" in v]}, "mark": {"type": "text", "align": "left", "dx": 6, "fontWeight": 600},
                 "encoding": {"y": y, "x": {"field": "reach", **x}, "text": {"field": "total"}}},
            ],
        }  # fmt: skip

    def laid(total: float) -> Spec:
        margin = LETTER * longest + 14
        count = fit(total, margin + 40, 220, len(panels))
        each = (total - margin - 44 * count - GAP * (count - 1)) / count
        return beside([chart(*panel, each, labels=k % count == 0) for k, panel in enumerate(panels)], count, GAP + 40)

    legend = tuple((name, _PART_INKS[k], "square") for k, name in enumerate(names))
    return _declared(laid(width), laid(NARROW), "", legend, rows)


def _ends_of_bars(picture: Picture, every: pd.DataFrame) -> list[float]:
    """Return how far the bars of all variants and line-ups reach to the left and to the right of zero."""
    ends = [0.0, 0.0]
    keys = ["players", "variant", "lineup", *([] if picture.groups else [picture.x])]
    for _, own in every.groupby(keys):
        for figures in picture.groups.values() or [picture.figures]:
            values = own[own["figure"].isin([figure.name for figure in figures])]["value"]
            ends = [min(ends[0], float(values[values < 0].sum())), max(ends[1], float(values[values > 0].sum()))]
    return ends


def _spread(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Declared:
    """Declare the quantiles 5, 25, 50, 75 and 95 % and one mark beyond, one line per player count."""
    names = [figure.name for figure in picture.figures]
    values = []
    for count in sorted(rows["players"].unique()):
        here = rows[rows["players"] == count].set_index("figure")
        found = {f"q{k}": float(here["value"].get(name, np.nan)) for k, name in enumerate(names)}
        said = [format_value(value, "count") for value in found.values()]
        tip = (
            f"{players_title(count)}: half of all between {said[1]} and {said[3]}, nine in ten between {said[0]} and "
            f"{said[4]}, median {said[2]}; {picture.figures[-1].label} {said[5]}"
        )
        kept = {key: None if np.isnan(value) else value for key, value in found.items()}
        values.append({"level": players_title(count), **kept, "t2": said[2], "t5": said[5], "tip": tip})
    low, high = float(every["value"].min()), float(every["value"].max())
    room = 0.05 * (high - low) or 1.0
    x = {
        "type": "quantitative",
        "title": picture.x_label,
        "scale": {"domain": [low - room, high + room], "nice": False},
        "axis": {"grid": True, "tickCount": 6},
    }
    y = {"field": "level", "type": "nominal", "sort": None, "title": None, "axis": {"labelColor": "ink"}}

    def chart(total: float) -> Spec:
        return {
            "data": {"values": values}, "width": total - 90, "height": 44 * len(values),
            "layer": [
                {"mark": {"type": "rule", "stroke": "s1", "strokeWidth": 2}, "encoding": {"y": y, "x": {"field": "q0", **x}, "x2": {"field": "q4"}}},
                {"mark": {"type": "bar", "height": 14, "fill": "s1"}, "encoding": {"y": y, "x": {"field": "q1", **x}, "x2": {"field": "q3"}, "description": {"field": "tip"}}},
                {"mark": {"type": "tick", "thickness": 3, "height": 14, "color": "paper"}, "encoding": {"y": y, "x": {"field": "q2", **x}}},
                {"mark": {"type": "point", "filled": True, "shape": DIAMOND, "size": 64, "fill": "s2", "opacity": 1}, "encoding": {"y": y, "x": {"field": "q5", **x}, "description": {"field": "tip"}}},
                {"mark": {"type": "text", "dy": -15}, "encoding": {"y": y, "x": {"field": "q2", **x}, "text": {"field": "t2"}}},
                {"mark": {"type": "text", "dy": -15, "fill": "s2", "fontWeight": 600}, "encoding": {"y": y, "x": {"field": "q5", **x}, "text": {"field": "t5"}}},
            ],
        }  # fmt: skip

    legend = (("half of the players; thin: nine in ten; white: the median", "s1", "bar"), (picture.figures[-1].label, "s2", "diamond"))  # fmt: skip
    return _declared(chart(width), chart(NARROW), "", legend, rows)


def _scatter(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Declared:
    from strozzi_sim.pictures.scatter import declare_scatter

    return declare_scatter(picture, rows, words, every, width)


_KINDS: dict[str, Callable[[Picture, pd.DataFrame, Words, pd.DataFrame, int], Declared]] = {
    "intervals": _intervals, "lines": _lines, "dots": _dots, "bars": _bars, "spread": _spread, "scatter": _scatter,
}  # fmt: skip
