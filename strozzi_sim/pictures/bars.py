"""Bars: sums stacked by level or group, and the quantiles of a figure."""

from collections.abc import Sequence
from functools import partial
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import Words, named, pick
from strozzi_sim.declare.pictures import Picture
from strozzi_sim.declare.printing import format_value
from strozzi_sim.facts.figures import Figure
from strozzi_sim.pictures.ink import width_of
from strozzi_sim.pictures.marks import Chart, Mark, n_of, sentence
from strozzi_sim.pictures.panel import ALIKE, GAP, TOP, Face, Panel, Scale, Sheet, fit
from strozzi_sim.pictures.series import in_order, players_title

_INKS = ("s1", "s2", "s4", "s5", "s6", "s3")  # of the parts of a bar
_STEP, _HALF = 28, 0.37  # pixels from one bar to the next; half the height of a bar, in these steps
_TOTAL = 40  # pixels for the sum beside a bar
_SUM = Figure("sum", unit="amount")
_LEAST_PANEL = 220  # pixels that a panel of bars is wide


class Bar(NamedTuple):
    """A bar: its name, the figures stacked in it, and column -> value of its rows."""

    name: str
    figures: tuple[Figure, ...]
    where: dict[str, Any]


def draw_bars(picture: Picture, rows: pd.DataFrame, words: Words, all_rows: pd.DataFrame, width: int) -> Chart:
    """Draw stacked bars of sums, negative parts to the left of zero, one panel per player count.

    The axis is that of `all_rows`: the rows of all variants and line-ups, `rows` among them.
    """
    if picture.groups:
        bars = [Bar(name, figures, {}) for name, figures in picture.groups.items()]
    else:
        levels = in_order(rows[picture.x], picture.levels)
        bars = [Bar(named(level, words, picture.x), picture.figures, {picture.x: level}) for level in levels]
    names = [bar.name for bar in bars]
    counts = sorted(int(count) for count in rows["players"].unique())
    stacks = {count: _stacks(rows[rows["players"] == count], bars, count) for count in counts}
    ends = _ends(picture, all_rows)
    legend = tuple((figure.label, ink, "square") for figure, ink in zip(bars[0].figures, cycle(_INKS), strict=False))

    def draw(sheet: Sheet) -> None:
        margin = min(width_of(max(names, key=width_of)) + 14, 0.45 * sheet.width)
        columns, panel_width = fit(sheet.width, margin, _LEAST_PANEL, len(counts), GAP + _TOTAL)
        top = 0.0
        for first in range(0, len(counts), columns):
            counts_of_row = counts[first : first + columns]
            bars_of_row = sorted({part["_bar"] for count in counts_of_row for part in stacks[count]})
            size = panel_width - _TOTAL, _STEP * len(bars_of_row)
            down = float(len(bars_of_row)), 0.0
            for k, count in enumerate(counts_of_row):
                panel = sheet.panel(margin + k * (panel_width + GAP + _TOTAL), top + TOP, *size, ends, down, foot=8)
                panel.title(players_title(count), 0 if k else margin)
                if k == 0:
                    panel.names("y", [names[bar] for bar in bars_of_row], room=margin - 10)
                _fill(panel, stacks[count], bars_of_row)
            top += TOP + _STEP * len(bars_of_row) + 14

    def face(count: int) -> Face:  # a panel alone, with its own bars only
        shown = sorted({part["_bar"] for part in stacks[count]})
        fill = partial(_fill, parts=stacks[count], shown=shown)
        return Face(players_title(count), Scale(ends), [names[bar] for bar in shown], fill, count)

    marks = [mark for count in counts for mark in stacks[count]]
    return Chart(draw, [face(count) for count in counts], "", legend, marks, n_of(rows), width)


def _stacks(rows: pd.DataFrame, bars: Sequence[Bar], count: int) -> list[Mark]:
    parts = []
    for k, (bar, figures, where) in enumerate(bars):
        rows_of_bar = pick(rows, **where)
        ends = [0.0, 0.0]
        for figure, ink in zip(figures, cycle(_INKS), strict=False):
            for row in pick(rows_of_bar, figure=figure.name).itertuples(index=False):
                side = int(row.value > 0)
                start = ends[side]
                ends[side] += row.value
                names = {"panel": players_title(count), "bar": bar, "part": figure.label}
                numbers = {"value": row.value, "n": row.n, "tip": sentence([*names.values()], row, figure)}
                parts.append({**names, **numbers, "_bar": k, "_ink": ink, "_from": start, "_to": ends[side]})
    return parts


def _fill(panel: Panel, parts: Sequence[Mark], shown: Sequence[int]) -> None:
    row = {bar: k + 0.5 for k, bar in enumerate(shown)}
    boxes = [(part["_from"], row[part["_bar"]] - _HALF, part["_to"], row[part["_bar"]] + _HALF) for part in parts]
    panel.boxes(boxes, [(part["_ink"], 1.0) for part in parts], tips=[part["tip"] for part in parts])
    for part in parts:
        words = format_value(part["value"], _SUM, 0)
        if abs(part["value"]) * panel.width > (width_of(words) + 8) * (panel.x[1] - panel.x[0]):
            panel.text((part["_from"] + part["_to"]) / 2, row[part["_bar"]], words, "paper", bold=True)
    for bar in shown:
        if parts_of_bar := [part for part in parts if part["_bar"] == bar]:
            total = format_value(sum(part["value"] for part in parts_of_bar), _SUM, 0)
            right_end = max(0.0, *(part["_to"] for part in parts_of_bar))
            panel.text(right_end, row[bar], total, shift=(6, 4), side="left", bold=True)


def _ends(picture: Picture, all_rows: pd.DataFrame) -> tuple[float, float]:
    ends = [0.0, 0.0]
    keys = ["players", "variant", "lineup", *([] if picture.groups else [picture.x])]
    for _, rows_of_scenario in all_rows.groupby(keys):
        for figures in picture.groups.values() or [picture.figures]:
            values = rows_of_scenario[rows_of_scenario["figure"].isin([figure.name for figure in figures])]["value"]
            ends = [min(ends[0], float(values[values < 0].sum())), max(ends[1], float(values[values > 0].sum()))]
    return ends[0], ends[1] if ends[1] > ends[0] else ends[0] + 1.0


def draw_spread(picture: Picture, rows: pd.DataFrame, words: Words, all_rows: pd.DataFrame, width: int) -> Chart:
    """Draw the quantiles 5, 25, 50, 75 and 95 %, and a sixth figure as a diamond, one line per player count.

    The axis is that of `all_rows`, unless their values range over more than ALIKE times the range of `rows`.
    """
    shared = np.ptp(all_rows["value"]) <= ALIKE * np.ptp(rows["value"])
    values = (all_rows if shared else rows)["value"]
    low, high = float(values.min()), float(values.max())
    room = 0.05 * (high - low) or 1.0
    ends = (low - room, high + room)
    last = picture.figures[-1]
    counts = sorted(int(count) for count in rows["players"].unique())
    names = [players_title(count) for count in counts]
    marks = []
    for count, name in zip(counts, names, strict=True):
        values_of_count = rows[rows["players"] == count].set_index("figure")["value"]
        numbers = [float(values_of_count.get(figure.name, np.nan)) for figure in picture.figures]
        texts = [format_value(value, last, 0) for value in numbers]
        tip = f"{name}: half of all between {texts[1]} and {texts[3]}, nine in ten between {texts[0]} and {texts[4]}"
        tip += f", median {texts[2]}; {last.label} {texts[5]}"
        by_label = dict(zip([figure.label for figure in picture.figures], numbers, strict=True))
        marks.append({"level": name, **by_label, "tip": tip, "_numbers": numbers, "_texts": texts})

    def fill(panel: Panel) -> None:
        for k, mark in enumerate(marks):
            _quantiles(panel, k + 0.55, mark)

    face = Face("", Scale(ends), names, fill, labels=(picture.x_label, ""))

    def draw(sheet: Sheet) -> None:
        panel = sheet.panel(66, 0, sheet.width - 76, 44 * len(counts), *face.ends, foot=42)
        panel.numbers("x", Scale(ends), picture.x_label)
        panel.names("y", names)
        fill(panel)

    legend = (("half of the players; thin: nine in ten; gap: the median", "s1", "bar"), (last.label, "s2", "diamond"))
    return Chart(draw, [face], "", legend, marks, n_of(rows), width)


def _quantiles(panel: Panel, y: float, mark: Mark) -> None:
    """Draw the known quantiles and the diamond of a line; close numbers of median and diamond are moved apart."""
    q, texts = mark["_numbers"], mark["_texts"]
    is_known = np.isfinite(q)
    if is_known[0] and is_known[4]:
        panel.lines([[(q[0], y), (q[4], y)]], "s1", 2.0)
    if is_known[1] and is_known[3]:
        panel.boxes([(q[1], y - 0.16, q[3], y + 0.16)], [("s1", 1.0)], "none", tips=[mark["tip"]])
    near = bool(abs(q[5] - q[2]) * panel.width < 30 * (panel.x[1] - panel.x[0]))
    away = 0  # side to which the diamond's number moves, -1 or 1; that of the median moves to the other one
    if near:
        away = 1 if q[5] >= q[2] else -1
    sides = {-1: "right", 0: "center", 1: "left"}
    if is_known[2]:
        panel.lines([[(q[2], y - 0.15), (q[2], y + 0.15)]], "paper" if is_known[1] and is_known[3] else "s1", 3.0)
        panel.text(q[2], y - 0.16, texts[2], shift=(-2 * away, -4), side=sides[-away])
    if is_known[5]:
        panel.dots([q[5]], [y], "s2", "diamond", 4.6, [mark["tip"]])
        panel.text(q[5], y - 0.16, texts[5], "s2", (2 * away, -4), sides[away], bold=True)
