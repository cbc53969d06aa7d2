"""Marks of declared pictures: values with intervals, their scales, sentences and looks.

Series differ in shape and colour. Every mark has a sentence with its value, interval and n.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure, Unit
from strozzi_sim.game.reporting import THIN, Picture, digits_for, format_row, format_value
from strozzi_sim.pictures.series import Words, named
from strozzi_sim.pictures.vega import INKS, Spec

WIDE, NARROW, HERO = 690, 340, 1064  # pixels
GAP = 18
LETTER = 6.4  # pixels of a letter at 12 px
NARROWEST = 110  # pixels of a panel
SHAPES = ("circle", "diamond", "square", "triangle", "cross", "bar")
DIAMOND = "M0,-1.25L1.25,0L0,1.25L-1.25,0Z"
_CROSS = "M-1,-0.4H-0.4V-1H0.4V-0.4H1V0.4H0.4V1H-0.4V0.4H-1Z"
_MARKS = ("circle", DIAMOND, "square", "triangle-up", _CROSS, "M-1,-0.5H1V0.5H-1Z")


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
class Marks:
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
        "color": {"field": "series", "scale": {"domain": list(names), "range": [INKS[k % len(INKS)] for k in count]}, "legend": None},
        "shape": {"field": "series", "scale": {"domain": list(names), "range": [_MARKS[_shape(k)] for k in count]}, "legend": None},
    }  # fmt: skip


def broken_line(axis: str, at: float) -> Spec:
    """Return a layer with a broken line across a panel, at this value of x or y."""
    rule = {"type": "rule", "stroke": "ink", "strokeWidth": 1, "strokeDash": [4, 3]}
    return {
        "data": {"values": [{}]},
        "mark": rule,
        "encoding": {axis: {"datum": at}},
    }  # one line, not one for each mark


def chart(
    marks: Marks, names: Sequence[str], *, upright: bool, size: tuple[float, float], labels: tuple[bool, bool],
    joined: bool = False, where: str = "", ticks: int = 5, margin: float = 300, labelled: bool = False,
) -> Spec:  # fmt: skip
    """Return a panel of dots with intervals; levels along x if upright, else along y; `labels` of levels and of values.

    Names beside their row are cut off at the `margin`; where values are `labelled`, the axis has room for them beside their dots.
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
    scale = _with_room(marks.scale, size[0]) if labelled else marks.scale
    numbers = scale.encoding(labels=labels[1], ticks=ticks)
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


def _with_room(scale: Scale, pixels: float) -> Scale:
    """Return an axis of so many pixels with room for a number beside its outermost dots."""
    low, high = scale.ends
    more = 30 / max(pixels - 60, 40) * (high - low)
    return replace(scale, ends=(low - more if scale.line is not None and low < scale.line else low, high + more))


def beside(panels: Sequence[Spec], across: int, gap: int = GAP) -> Spec:
    """Return panels in rows of so many."""
    alone = {
        "resolve": {"scale": {"xOffset": "independent", "yOffset": "independent"}}
    }  # else all have the first one's width
    rows: list[Spec] = [
        {"hconcat": list(panels[k : k + across]), "spacing": gap, **alone} for k in range(0, len(panels), across)
    ]
    return rows[0] if len(rows) == 1 else {"vconcat": rows, "spacing": 16, **alone}


def legend_of(names: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    """Return (name, ink, shape) of each of several series."""
    return (
        tuple((name, INKS[k % len(INKS)], SHAPES[_shape(k)]) for k, name in enumerate(names)) if len(names) > 1 else ()
    )


def _shape(k: int) -> int:
    """Return the number of the shape of a series: where inks come again, they have other shapes."""
    return (k + k // len(INKS)) % len(SHAPES)


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


def mark_of(picture: Picture, row: Any, words: Words, figure: Figure, series: str, placed: Any, panel: str) -> Spec:
    """Return the mark of a row: level, series, value, interval and sentence."""
    value, low, high = placed(row)
    level = named(getattr(row, picture.x), words, picture.x)
    parts = [panel, f"{picture.x_label} {level}" if picture.x == "seat" else level, series]
    tip = sentence(parts, row, figure.unit, points=picture.zero and figure.unit == "share")
    interval = {"low": low, "high": high} if not np.isnan(low) else {"low": None, "high": None}
    return {"level": level, "series": series or "value", "value": value, **interval, "tip": tip.replace("\n", "")}


def label_ends(values: list[Spec], scale: Scale, unit: Unit, *, every: bool) -> None:
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


def margin_of(longest: int, total: float) -> float:
    """Return the pixels for names beside their rows, which leave room for a panel."""
    return min(LETTER * longest + 16, total - NARROWEST - 10)


def fit(total: float, margin: float, need: float, count: int) -> int:
    """Return how many panels fit beside each other."""
    return int(max(1, min(count, (total - margin + GAP) // (need + GAP))))


def replace_title(marks: Marks, untitled: bool) -> Marks:
    """Return marks whose axis has no title if another panel has it."""
    return replace(marks, scale=replace(marks.scale, title="")) if untitled else marks
