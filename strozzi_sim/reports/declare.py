"""Declare the pictures of reports: one Picture and the rows of its table -> Vega-Lite declarations, wide and narrow.

Pictures of one item have one scale. A share beside its equal chance is drawn in points above or below it. Series differ in shape and
colour. Every mark has a sentence with its value, interval and n.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure, Unit
from strozzi_sim.game.reporting import THIN, Picture, digits_for, format_row, format_value, pick
from strozzi_sim.reports.series import Words, figures_of, in_order, levels_of, named, players_title, series_of
from strozzi_sim.reports.vega import INKS, Spec

WIDE, NARROW, HERO = 690, 340, 1064  # pixels
_GAP = 18
_LETTER = 6.4  # pixels of a letter at 12 px
_NARROWEST = 110  # pixels of a panel
_LONG = 9  # letters of a level's name; longer ones stand beside their row
SHAPES = ("circle", "diamond", "square", "triangle", "cross", "bar")
_DIAMOND = "M0,-1.25L1.25,0L0,1.25L-1.25,0Z"
_CROSS = "M-1,-0.4H-0.4V-1H0.4V-0.4H1V0.4H0.4V1H-0.4V0.4H-1Z"
_MARKS = ("circle", _DIAMOND, "square", "triangle-up", _CROSS, "M-1,-0.5H1V0.5H-1Z")
_PART_INKS = ("s1", "s2", "s4", "s5", "s6", "s3")


@dataclass(frozen=True)
class Declared:
    """A picture, declared.

    Attributes:
        wide, narrow: Vega-Lite declarations for a wide and a narrow page.
        title: what its values are.
        legend: (name, ink, shape) of each series.
        rows: number of marks; n: range of the numbers of events behind them.
    """

    wide: Spec
    narrow: Spec
    title: str
    legend: tuple[tuple[str, str, str], ...] = ()
    rows: int = 0
    n: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Scale:
    """The axis of values.

    Attributes:
        ends: its ends. title: its title. signed: whether positive labels have a sign. percent: whether labels have a per cent sign.
        line: value at which a broken line is drawn, or None.
    """

    ends: tuple[float, float]
    title: str = ""
    signed: bool = False
    percent: bool = False
    line: float | None = None

    def encoding(self, *, labels: bool = True, ticks: int = 5) -> Spec:
        """Return the encoding of an axis, without its field."""
        text = "replace(datum.label, '-', '\N{MINUS SIGN}')"
        if self.signed:
            text = f"(datum.value > 0 ? '+' : '') + {text}"
        if self.percent:
            text += " + ' %'"
        axis = {"grid": True, "tickCount": ticks, "labels": labels, "labelExpr": text}
        return {
            "type": "quantitative", "title": self.title or None, "axis": axis,
            "scale": {"domain": list(self.ends), "nice": False, "zero": False},
        }  # fmt: skip


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
        from strozzi_sim.reports.boards import declare_board

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


# -- marks ----------------------------------------------------------------------------------------------------------


def sentence(parts: Sequence[str], row: Any, unit: Unit, *, points: bool = False) -> str:
    """Return what a mark says: "4 players, seat 0: 30.5 % (29.9 to 31.1), n = 20,000"."""
    if np.isnan(row.low):
        said = format_row(row, unit)
    else:
        digits = digits_for((row.high - row.low) / 2, unit)
        low, high, value = (format_value(side, unit, digits) for side in (row.low, row.high, row.value))
        said = f"{value} ({low.removesuffix(f'{THIN}%')} to {high.removesuffix(f'{THIN}%')})"
    if points:
        said = said.replace(f"{THIN}%", " points")
    return f"{', '.join(filter(None, parts))}: {said}, n = {row.n:,}".replace(THIN, " ")


@dataclass
class _Marks:
    """Marks of a panel: value, interval, name and sentence of each.

    Attributes:
        title: title of the panel.
        scale: axis of values.
        values: rows for Vega.
        levels: names of levels in order.
    """

    title: str
    scale: Scale
    levels: list[str]
    values: list[Spec] = field(default_factory=list)


def _looks(names: Sequence[str]) -> Spec:
    """Return the encodings of series: colour and shape."""
    count = range(len(names))
    return {
        "color": {"field": "series", "scale": {"domain": list(names), "range": [INKS[k] for k in count]}, "legend": None},
        "shape": {"field": "series", "scale": {"domain": list(names), "range": [_MARKS[k] for k in count]}, "legend": None},
    }  # fmt: skip


def broken_line(axis: str, at: float) -> Spec:
    """Return a layer with a broken line across a panel, at this value of x or y."""
    rule = {"type": "rule", "stroke": "ink", "strokeWidth": 1, "strokeDash": [4, 3]}
    return {"data": {"values": [{}]}, "mark": rule, "encoding": {axis: {"datum": at}}}  # one line, not one for each mark


def _chart(
    marks: _Marks, names: Sequence[str], *, upright: bool, size: tuple[float, float], labels: tuple[bool, bool],
    joined: bool = False, where: str = "", ticks: int = 5, margin: float = 300,
) -> Spec:  # fmt: skip
    """Return a panel of dots with intervals; levels along x if upright, else along y; `labels` of levels and of values.

    Names beside their row are cut off at the `margin`.
    """
    level, value = ("x", "y") if upright else ("y", "x")
    axis: Spec | None = {"labelColor": "ink", "labelOverlap": "parity" if upright else False, "labelLimit": margin}
    if upright and any("\n" in name for name in marks.levels):
        axis = {**(axis or {}), "labelExpr": r"split(datum.label, '\n')"}
    place: Spec = {
        level: {
            "field": "level", "type": "ordinal", "title": where or None, "sort": marks.levels, "axis": axis if labels[0] else None,
            "scale": {"domain": marks.levels, **({"padding": 0.5} if joined else {"paddingInner": 0.35} if len(names) > 1 else {})},
        }
    }  # fmt: skip
    if len(names) > 1 and not joined:
        place[f"{level}Offset"] = {"field": "series", "scale": {"domain": list(names), "paddingOuter": 0.55}}
    numbers = marks.scale.encoding(labels=labels[1], ticks=ticks)
    look = _looks(names)
    layers: list[Spec] = []
    if marks.scale.line is not None:
        layers.append(broken_line(value, marks.scale.line))
    if joined:
        line = {"type": "line", "strokeWidth": 1.6, "opacity": 0.7}
        layers.append(
            {"mark": line, "encoding": {**place, value: {"field": "value", **numbers}, "color": look["color"]}}
        )
    ends = {value: {"field": "low", **numbers}, f"{value}2": {"field": "high"}}
    dot = {"type": "point", "filled": True, "size": 64 if len(names) < 4 else 48, "opacity": 1}
    layers += [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 2, "strokeCap": "round"},
            "encoding": {**place, **ends, "color": look["color"]},
        },
        {
            "mark": dot,
            "encoding": {**place, value: {"field": "value", **numbers}, **look, "description": {"field": "tip"}},
        },
    ]
    for sign in (1, -1):
        shift: Spec = {"dy": -13 * sign} if upright else {"dx": 8 * sign, "align": "left" if sign > 0 else "right"}
        layers.append(
            {
                "transform": [{"filter": f"datum.side == {sign}"}],
                "mark": {"type": "text", "fontWeight": 600, **shift},
                "encoding": {
                    **place, value: {"field": "end", **numbers}, "text": {"field": "label"}, "color": look["color"],
                },
            }
        )  # fmt: skip
    title = {"title": marks.title} if marks.title else {}
    return {"data": {"values": marks.values}, "width": size[0], "height": size[1], "layer": layers, **title}


def beside(panels: Sequence[Spec], across: int, gap: int = _GAP) -> Spec:
    """Return panels in rows of so many."""
    alone = {
        "resolve": {"scale": {"xOffset": "independent", "yOffset": "independent"}}
    }  # else all have the first one's width
    rows: list[Spec] = [
        {"hconcat": list(panels[k : k + across]), "spacing": gap, **alone} for k in range(0, len(panels), across)
    ]
    return rows[0] if len(rows) == 1 else {"vconcat": rows, "spacing": 16, **alone}


def _legend(names: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    return tuple((name, INKS[k], SHAPES[k]) for k, name in enumerate(names)) if len(names) > 1 else ()


def _ends(rows: pd.DataFrame, *, zero: bool) -> tuple[float, float]:
    """Return the ends of an axis that shows every interval, with room for labels."""
    low = float(rows[["low", "value"]].min(axis=None))
    high = float(rows[["high", "value"]].max(axis=None))
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.1 * (high - low) or 1.0
    return (0.0 if low >= 0 and zero else low - room), high + room


def shown_scale(rows: pd.DataFrame, figure: Figure, *, equal: bool, zero: bool) -> tuple[Scale, Callable[[Any], Any]]:
    """Return the axis of a figure over these rows, and the function that puts a row on it."""
    factor = 100.0 if figure.unit == "share" else 1.0

    def placed(row: Any) -> tuple[float, float, float]:
        base = 1 / row.players if equal else 0.0
        return tuple(factor * (side - base) for side in (row.value, row.low, row.high))

    moved = rows[["value", "low", "high"]].sub(1 / rows["players"], axis=0) if equal else rows[["value", "low", "high"]]
    ends = _ends(factor * moved, zero=not (equal or zero) and float(moved.min(axis=None)) >= 0)
    if equal or zero:
        ends = min(ends[0], 0.0), max(ends[1], 0.0)
        title = "points above or below an equal share" if equal else "points" if figure.unit == "share" else ""
        return Scale(ends, title, signed=True, line=0.0), placed
    return Scale(ends, percent=figure.unit == "share"), placed


def _mark(picture: Picture, row: Any, words: Words, figure: Figure, series: str, placed: Any, panel: str) -> Spec:
    value, low, high = placed(row)
    level = named(getattr(row, picture.x), words, picture.x)
    parts = [panel, f"{picture.x_label} {level}" if picture.x == "seat" else level, series]
    tip = sentence(parts, row, figure.unit, points=picture.zero and figure.unit == "share")
    interval = {"low": low, "high": high} if not np.isnan(low) else {"low": None, "high": None}
    return {"level": level, "series": series or "value", "value": value, **interval, "tip": tip.replace("\n", "")}


def _label_ends(values: list[Spec], scale: Scale, unit: Unit, *, every: bool) -> None:
    """Mark the values that are written out: all of them, or on each side of the line the one that is surest to differ from it."""
    chosen = values
    if not every:
        told = [v for v in values if scale.line is not None and v["low"] is not None and v["high"] > v["low"]]
        sides = [[v for v in told if v["low"] > scale.line], [v for v in told if v["high"] < scale.line]]
        chosen = [
            max(side, key=lambda v: abs(v["value"] - (scale.line or 0)) / (v["high"] - v["low"]))
            for side in sides
            if side
        ]
    for v in chosen:
        below = scale.line is not None and v["value"] < scale.line
        half = (v["high"] - v["low"]) / 2 if v["low"] is not None else float("nan")
        digits = 1 if np.isnan(half) else digits_for(half / (100 if unit == "share" else 1), unit, 1)
        sign = "+" if scale.signed and round(v["value"], digits) > 0 else ""
        v["label"] = sign + f"{v['value']:z,.{max(digits, 0)}f}".replace("-", "\N{MINUS SIGN}")
        v["side"] = -1 if below else 1
        v["end"] = v["value"] if v["low"] is None else v["low"] if below else v["high"]


def _margin(longest: int, total: float) -> float:
    """Return the pixels for names beside their rows, which leave room for a panel."""
    return min(_LETTER * longest + 16, total - _NARROWEST - 10)


def _fit(total: float, margin: float, need: float, count: int) -> int:
    """Return how many panels fit beside each other."""
    return int(max(1, min(count, (total - margin + _GAP) // (need + _GAP))))


# -- kinds ----------------------------------------------------------------------------------------------------------


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
        marks = _Marks(title, scale, levels)
        for key, name in zip(keys, names, strict=True):
            own = here if key is None else here[here[picture.series] == key]
            shown = name if len(names) > 1 else ""
            marks.values += [
                _mark(picture, row, words, figure, shown, placed, title) for row in own.itertuples(index=False)
            ]
        if len(names) == 1:
            marks.values = [{**value, "series": names[0]} for value in marks.values]
        _label_ends(marks.values, scale, figure.unit, every=len(names) == 1 and len(levels) <= 6)
        drawn.append(marks)
    most = max(len(marks.levels) for marks in drawn)
    longest = max((len(part) for marks in drawn for level in marks.levels for part in level.split("\n")), default=1)
    label = "seat; 0 begins" if picture.x == "seat" else "" if picture.x_label == "players" else picture.x_label
    shared = not across  # one scale for all panels, whose labels stand at the first

    def upright(total: float) -> Spec:
        need = max(96.0, most * max(_LETTER * longest + 10, 9 * len(names) + 10))
        count = _fit(total, 46, need, len(drawn))
        each = (total - 46 - (_GAP if shared else 46) * (count - 1)) / count
        charts = [
            _chart(
                replace_title(marks, shared and k % count > 0), names, upright=True, size=(each, 250 if total > 700 else 220), labels=(True, not shared or k % count == 0),
                where=label,
            )
            for k, marks in enumerate(drawn)
        ]  # fmt: skip
        return beside(charts, count)

    def sideways(total: float) -> Spec:
        margin = _margin(longest, total)
        count = _fit(total, margin, 180, len(drawn))
        each = max((total - margin - _GAP * (count - 1)) / count, _NARROWEST)
        step = max(26, 13 * len(names) + 10)
        charts = [
            _chart(
                marks, names, upright=False, size=(each, step * len(marks.levels)), labels=(k % count == 0 or not shared, True), ticks=4,
                margin=margin,
            )
            for k, marks in enumerate(drawn)
        ]  # fmt: skip
        return beside(charts, count if shared else 1)

    layout = sideways if longest > _LONG else upright
    figure = figures[0]
    return _declared(layout(width), layout(NARROW), _title(picture, figure), _legend(names), rows)


def replace_title(marks: _Marks, untitled: bool) -> _Marks:
    """Return marks whose axis has no title if another panel has it."""
    return replace(marks, scale=replace(marks.scale, title="")) if untitled else marks


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
        marks, here = _Marks(players_title(count), scale, levels), rows[rows["players"] == count]
        for key, name in zip(keys, names, strict=True):
            own = here if key is None else here[here[picture.series] == key]
            shown = name if len(names) > 1 else ""
            found = [
                _mark(picture, row, words, figure, shown, placed, marks.title) for row in own.itertuples(index=False)
            ]
            marks.values += [{**value, "series": name} for value in found]
        drawn.append(marks)

    def laid(total: float) -> Spec:
        count = _fit(total, 46, 300 if total > NARROW else 250, len(drawn))
        each = (total - 46 - _GAP * (count - 1)) / count
        charts = [
            _chart(
                replace_title(marks, k % count > 0), names, upright=True, size=(each, 170), labels=(True, k % count == 0), joined=True,
                where=picture.x_label,
            )
            for k, marks in enumerate(drawn)
        ]  # fmt: skip
        return beside(charts, count)

    return _declared(laid(width), laid(NARROW), _title(picture, figure), _legend(names), rows)


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
            _Marks(figure.label if len(figures) > 1 else "", scale, levels),
            rows[rows["figure"] == figure.name],
        )
        for key, name in zip(keys, names, strict=True):
            own = here if key is None else here[here[picture.series] == key]
            shown = name if len(names) > 1 else ""
            found = [_mark(picture, row, words, figure, shown, placed, "") for row in own.itertuples(index=False)]
            marks.values += [{**value, "series": name} for value in found]
        if len(names) == 1 and len(figures) == 1:
            _label_ends(marks.values, scale, figure.unit, every=True)
        drawn.append(marks)
    longest = max(len(level) for level in levels)
    step = 19 if len(names) == 1 else max(19, 7 * len(names) + 6)

    def laid(total: float) -> Spec:
        margin = _margin(longest, total)
        count = _fit(total, margin, 130, len(drawn))
        each = max((total - margin - _GAP * (count - 1)) / count, _NARROWEST)
        charts = [
            _chart(marks, names, upright=False, size=(each, step * len(levels)), labels=(k % count == 0, True), ticks=4, margin=margin)
            for k, marks in enumerate(drawn)
        ]
        return beside(charts, count)

    return _declared(laid(width), laid(NARROW), _title(picture, figures[0]), _legend(names), rows)


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
        margin = _LETTER * longest + 14
        count = _fit(total, margin + 40, 220, len(panels))
        each = (total - margin - 44 * count - _GAP * (count - 1)) / count
        return beside([chart(*panel, each, labels=k % count == 0) for k, panel in enumerate(panels)], count, _GAP + 40)

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
                {"mark": {"type": "point", "filled": True, "shape": _DIAMOND, "size": 64, "fill": "s2", "opacity": 1}, "encoding": {"y": y, "x": {"field": "q5", **x}, "description": {"field": "tip"}}},
                {"mark": {"type": "text", "dy": -15}, "encoding": {"y": y, "x": {"field": "q2", **x}, "text": {"field": "t2"}}},
                {"mark": {"type": "text", "dy": -15, "fill": "s2", "fontWeight": 600}, "encoding": {"y": y, "x": {"field": "q5", **x}, "text": {"field": "t5"}}},
            ],
        }  # fmt: skip

    legend = (("half of the players; thin: nine in ten; white: the median", "s1", "bar"), (picture.figures[-1].label, "s2", "diamond"))  # fmt: skip
    return _declared(chart(width), chart(NARROW), "", legend, rows)


def _scatter(picture: Picture, rows: pd.DataFrame, words: Words, every: pd.DataFrame, width: int) -> Declared:
    from strozzi_sim.reports.scatter import declare_scatter

    return declare_scatter(picture, rows, words, every, width)


_KINDS: dict[str, Callable[[Picture, pd.DataFrame, Words, pd.DataFrame, int], Declared]] = {
    "intervals": _intervals, "lines": _lines, "dots": _dots, "bars": _bars, "spread": _spread, "scatter": _scatter,
}  # fmt: skip
