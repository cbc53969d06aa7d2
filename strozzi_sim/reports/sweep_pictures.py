"""Pictures of a sweep: a curve over the values of one key, a heat map over the values of two."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Tables
from strozzi_sim.reports.changes import labels_of_game
from strozzi_sim.reports.content import Item, Part
from strozzi_sim.reports.marks import NARROW, WIDE, Declared, Scale, beside, broken_line, sentence
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.series import players_title
from strozzi_sim.reports.sweep_findings import Sweep, name_of_picture, shown_figures
from strozzi_sim.reports.vega import Spec

_CURVE = (
    "Thin lines are 95 % intervals, and all panels have one scale. The broken line is the figure at {reference} (diamond); "
    "filled dots differ significantly from it, on the same deals and corrected for the number of values, open dots cannot be told apart from it."
)
_CHANCE = " The grey band is what fair seats show in 95 % of studies."
_MAP = (
    "The framed cell is {reference}. Colours show the difference from it where that is significant, on the same deals and corrected for the "
    "number of values; uncoloured cells cannot be told apart from it."
)
_DIAMOND = "M0,-1.25L1.25,0L0,1.25L-1.25,0Z"


def sweep_of(manifest: Mapping[str, Any], tables: Tables, game: Game) -> Sweep:
    """Return the sweep of a study's tables."""
    return Sweep(manifest, tables, labels_of_game(tables, game), game)


def paint_sweep(sweep: Sweep, painter: Painter, *, every: bool = False, width: int = WIDE) -> list[Item]:
    """Paint the figures of a sweep; return an item of each, with its finding as title.

    Args:
        sweep: the sweep.
        painter: receives the pictures, and decides which it wants.
        every: paint every figure of the table instead of those that a page shows.
        width: pixels of a wide picture.
    """
    painted = []
    for figure in sweep.figures if every else shown_figures(sweep.figures):
        name, rows = name_of_picture(figure), sweep.rows(figure)
        if not painter.wants(name) or rows["value"].isna().all():
            continue
        title = sweep.headline(figure).replace("`", "").removesuffix(".")
        if len(sweep.keys) == 1:
            declared = declare_curves(sweep, sweep.figure(figure), rows.dropna(subset="value"), width)
            caption = _CURVE.format(reference=sweep.reference_words()) + (
                _CHANCE if rows["by_chance"].notna().any() else ""
            )
            parts = [Part("", painter.paint(declared, name, title))]
        else:
            heat_map, table = heat_map_of(sweep, sweep.figure(figure), rows)
            caption, parts = _MAP.format(reference=sweep.reference_words()), painter.parts(heat_map, name, table, {})
        painted.append(Item(title, caption, tuple(parts), f"item-{name}"))
    return painted


def heat_map_of(sweep: Sweep, figure: Figure, rows: pd.DataFrame) -> tuple[HeatMap, pd.DataFrame]:
    """Return the heat map of a figure by the values of two keys, and its table."""
    down, across = ([f"{value:g}" for value in rows[key]] for key in sweep.keys)
    table = rows.assign(
        row=down, column=across, variant="", shade=np.where(rows["changed"] != 0, rows["change"], np.nan), marked=rows["reference"],
    )  # fmt: skip
    key, other = sweep.keys
    return HeatMap(figure.label, "", key, other, figure, shade_label="from the framed cell, if significant"), table


def declare_curves(sweep: Sweep, figure: Figure, rows: pd.DataFrame, width: int = WIDE) -> Declared:
    """Declare a figure over the values of one key, one panel per player count and line-up, with common axes."""
    (key,) = sweep.keys
    factor = 100.0 if figure.unit == "share" else 1.0
    lineups = rows["lineup"].nunique() > 1
    ends = _ends(factor * rows[["value", "low", "high", "by_chance"]])
    values = sorted(set(rows[key]))
    panels = []
    for (players, lineup), here in rows.groupby(["players", "lineup"], sort=False):
        title = f"{players_title(int(players))}{', ' + lineup.replace(',', ', ') if lineups else ''}"
        marks = []
        for _, row in here.sort_values(key).iterrows():
            kind = "reference" if row["reference"] else "told" if row["changed"] else "open"
            interval = {} if np.isnan(row["low"]) else {"low": factor * row["low"], "high": factor * row["high"]}
            chance = {} if np.isnan(row["by_chance"]) else {"chance": factor * row["by_chance"]}
            said = f"{title}, {key} = {row[key]:g}: {sweep.value_text(figure.name, row)}, n = {row['n']:,}"
            if interval:
                said = sentence([title, f"{key} = {row[key]:g}"], row, figure.unit)
            marks.append(
                {
                    "at": row[key],
                    "value": factor * row["value"],
                    **interval,
                    **chance,
                    "kind": kind,
                    "tip": said,
                    "label": "",
                }
            )
        _label(marks, sweep, figure, here, key)
        panels.append((title, marks))

    def laid(total: float) -> Spec:
        count = max(1, min(len(panels), int(total // (250 if len(panels) > 2 else 320))))
        each = (total - 52 - 18 * (count - 1)) / count
        scale = Scale(ends, percent=figure.unit == "share")
        charts = [
            _chart(title, marks, scale, values, key, each, labels=k % count == 0)
            for k, (title, marks) in enumerate(panels)
        ]
        return beside(charts, count)

    label = figure.label.strip("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}")
    n = int(rows["n"].min()), int(rows["n"].max())
    return Declared(laid(width), laid(NARROW), label[:1].upper() + label[1:], (), len(rows), n)


def _label(marks: list[Spec], sweep: Sweep, figure: Figure, rows: pd.DataFrame, key: str) -> None:
    """Write out the reference, and the lowest and the highest of those that differ from it."""
    every = [row for _, row in rows.iterrows()]
    named = [row for row in every if row["reference"]]
    for sign in (-1, 1):
        side = [row for row in every if row["changed"] == sign]
        named += [max(side, key=lambda row: sign * row["value"])] if side else []
    for row in named:
        mark = next(mark for mark in marks if mark["at"] == row[key])
        mark["label"] = sweep.value_text(figure.name, row).replace("\N{NARROW NO-BREAK SPACE}", " ")
        mark["end"] = mark.get("high", mark["value"])


def _chart(
    title: str, marks: list[Spec], scale: Scale, values: list[float], key: str, each: float, *, labels: bool
) -> Spec:
    room = 0.07 * (values[-1] - values[0]) or 1.0
    x = {
        "field": "at", "type": "quantitative", "title": key,
        "scale": {"domain": [values[0] - room, values[-1] + room], "nice": False},
        "axis": {"values": values, "labelOverlap": True, "format": "~g"},
    }  # fmt: skip
    y = {"field": "value", **scale.encoding(labels=labels)}
    reference = [mark for mark in marks if mark["kind"] == "reference"]
    layers: list[Spec] = []
    if any("chance" in mark for mark in marks):
        band = {"y": {**y, "field": "chance"}, "y2": {"datum": scale.ends[0]}}
        layers.append({"mark": {"type": "area", "fill": "faint", "opacity": 0.7}, "encoding": {"x": x, **band}})
    if reference:
        layers.append(broken_line("y", reference[0]["value"]))
    layers += [
        {"mark": {"type": "line", "stroke": "s1", "strokeWidth": 1.6, "opacity": 0.6}, "encoding": {"x": x, "y": y}},
        {"transform": [{"filter": "isValid(datum.low)"}], "mark": {"type": "rule", "stroke": "s1", "strokeWidth": 2},
         "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}},
    ]  # fmt: skip
    for kind, shape, fill in (("reference", _DIAMOND, "s1"), ("told", "circle", "s1"), ("open", "circle", "paper")):
        layers.append(
            {
                "transform": [{"filter": f"datum.kind == '{kind}'"}],
                "mark": {"type": "point", "filled": True, "shape": shape, "size": 64, "fill": fill, "stroke": "s1", "strokeWidth": 1.5, "opacity": 1},
                "encoding": {"x": x, "y": y, "description": {"field": "tip"}},
            }
        )  # fmt: skip
    text = {"type": "text", "dy": -12, "fontWeight": 600}
    layers.append({"transform": [{"filter": "datum.label"}], "mark": text, "encoding": {"x": x, "y": {**y, "field": "end"}, "text": {"field": "label"}}})  # fmt: skip
    return {"title": title, "width": each, "height": 230, "data": {"values": marks}, "layer": layers}


def _ends(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of an axis that shows every interval: from 0, unless all values are far from it."""
    low, high = float(rows[["low", "value"]].min(axis=None)), float(rows.max(axis=None))
    if 0 <= low < 0.35 * high or rows["by_chance"].notna().any():
        return 0.0, 1.14 * high or 1.0
    room = 0.14 * (high - low) or 1.0
    return low - room, high + room
