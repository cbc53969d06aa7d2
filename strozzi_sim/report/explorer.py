"""The packed data of a page's explorer: pairs of columns of facts, by cell and round of a study.

The data of a map is one list of numbers, by cell, round, row, column and measure: n and, if n is 30 or more, value, low
and high as whole numbers, or null. A share's n is that of its denominator. Low and high are stored as differences,
which are small and compress well: value - low, and (high - value) - (value - low).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import Tables, Words, headline_players, named
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import HeatMap, Picture
from strozzi_sim.facts.blocks import Ratio
from strozzi_sim.facts.conditions import Condition
from strozzi_sim.facts.figures import WIN_SHARE, Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.pictures.series import in_order
from strozzi_sim.report.page import packed
from strozzi_sim.stats.intervals import MIN_EVENTS

MAX_ROWS = 400_000  # most rows of the maps' tables; more would be too large for a page
Array = np.ndarray[Any, Any]
# key over which a share is taken -> label of the share on maps of other figures
_LABELS = {"column": "share of the row", "row": "share of the column"}


def packed_explorer(
    title: str,
    tables: Tables,
    game: Game,
    maps: Mapping[str, HeatMap],
    words: Words,
    pictures: Iterable[Picture],
) -> str:
    """Return the explorer's data as text for a page; "" if no map has a value, or for more than MAX_ROWS rows.

    Maps come from the table `explorer`, and for blocks that it lacks from the tables heat_<name> of `maps`, the
    requested ones. `words` has the names of raw values, `pictures` are those of the page, with the labels of figures.
    """
    labels = _labels_of(pictures)
    all_maps = {**report_of(game).heat_maps, **maps}
    counted = tables["explorer"].groupby("map", sort=False) if "explorer" in tables else ()
    frames: dict[str, pd.DataFrame] = {str(name): rows for name, rows in counted}
    blocks_of_frames = [all_maps[name].block for name in frames if name in all_maps]
    for name, heat_map in maps.items():
        table = tables.get(heat_map.table)
        if table is not None and heat_map.block is not None and heat_map.block not in blocks_of_frames:
            frames[name] = table.assign(round="all")
            blocks_of_frames.append(heat_map.block)
    frames = {name: rows for name, rows in frames.items() if rows["value"].notna().any() and name in all_maps}
    if not frames or sum(map(len, frames.values())) > MAX_ROWS:
        return ""
    of_frames = pd.concat(frames.values())[["players", "lineup", "variant"]]
    cells = list(dict.fromkeys(of_frames.itertuples(index=False, name=None)))
    map_by_name = {name: _map(name, all_maps, rows, cells, labels, words) for name, rows in frames.items()}
    custom = [name for name in maps if name not in report_of(game).heat_maps and name in frames]
    presets = [[all_maps[name].title, name, all_maps[name].figure.name] for name in custom]
    for question, name in report_of(game).questions.items():
        figure, block = all_maps[name].figure.name, all_maps[name].block
        same_block = next((other for other in frames if all_maps[other].block == block), "")
        if same_block and figure in {measure["id"] for measure in map_by_name[same_block]["measures"]}:
            presets.append([question, same_block, figure])
    if not presets:
        presets = [[all_maps[name].title, name, all_maps[name].figure.name] for name in list(frames)[:12]]
    return packed(
        {
            "study": title,
            "few": MIN_EVENTS,
            "cells": [
                [int(players), words.get(f"lineup={lineup}", lineup.replace(",", ", ")), variant]
                for players, lineup, variant in cells
            ],
            "maps": [*map_by_name.values()],
            "presets": presets,
            "first": headline_players(of_frames),
        }
    )


def _map(
    name: str,
    all_maps: Mapping[str, HeatMap],
    rows: pd.DataFrame,
    cells: list[Any],
    labels: Mapping[str, Figure],
    words: Words,
) -> dict[str, Any]:
    heat_map, block = all_maps[name], all_maps[name].block
    assert block is not None
    shown_by = {other.figure.name: other for other in reversed(list(all_maps.values())) if other.block == block}
    shown_by[heat_map.figure.name] = heat_map
    present = set(rows["figure"])
    ratios = [ratio for ratio in block.figures if ratio.name in present]
    measures = [_measure(ratio, heat_map, labels, shown_by.get(ratio.name)) for ratio in ratios]
    sides = {side: in_order(rows.loc[rows["n"] > 0, side], ()) for side in ("row", "column", "round")}
    rounds = sorted(sides["round"], key=lambda level: level != "all")
    scales = {measure["id"]: measure["scale"] for measure in measures}
    rows = rows[(rows["n"] > 0) & rows["figure"].isin(list(scales))]
    axes = {"round": rounds, "row": sides["row"], "column": sides["column"], "figure": list(scales)}
    cell_number = {cell: k for k, cell in enumerate(cells)}
    of_cell = rows[["players", "lineup", "variant"]].itertuples(index=False, name=None)
    codes = (pd.Categorical(rows[key], axis).codes for key, axis in axes.items())
    at = [cell_number[cell] for cell in of_cell], *codes
    events = np.zeros([len(cells), *map(len, axes.values())], np.int64)
    figures = np.full((*events.shape, 3), np.nan)
    events[at], figures[at] = rows["n"], rows[["value", "low", "high"]]
    figures *= np.array(list(scales.values()), np.float64)[:, None]
    known = iter(_deltas(figures[events >= MIN_EVENTS]).tolist())
    data: list[Any] = []
    for count in events.ravel().tolist():
        data += [count, *next(known)] if count >= MIN_EVENTS else [count]
    return {
        "id": name,
        "fact": block.fact,
        "row": heat_map.row_label,
        "column": heat_map.column_label,
        "rows": [named(level, words, heat_map.column_of("row")) for level in sides["row"]],
        "columns": [named(level, words, heat_map.column_of("column")) for level in sides["column"]],
        "rounds": rounds,
        "measures": measures,
        "where": Condition(block.where).words if block.where else "",
        "data": data,
    }


def _deltas(values: Array) -> Array:
    """Return value, low, high [K, 3] as value, value - low, (high - value) - (value - low): integers or None."""
    value, low, high = np.round(values).T
    deltas = np.stack([value, value - low, high - 2 * value + low], -1)
    integers: Array = np.nan_to_num(deltas).astype(np.int64).astype(object)
    integers[np.isnan(deltas)] = None
    return integers


def _measure(ratio: Ratio, heat_map: HeatMap, labels: Mapping[str, Figure], own_map: HeatMap | None) -> dict[str, Any]:
    """Return a measure of a map as plain data: label, meaning, unit, scale, and whether it has an equal share.

    The explorer shows all measures of a map's block; title and caption of `own_map`, if given, describe this one.
    """
    name, block, figure = ratio.name, heat_map.block, ratio.figure
    assert block is not None
    if heat_map.figure.name == name:
        label = heat_map.figure.label
    elif ratio.numerator == (ratio.denominator,) and ratio.along in _LABELS:
        label = _LABELS[ratio.along]
    else:
        label = WIN_SHARE.label if figure.equal else labels.get(name, figure).words
    formula = f"{with_capital(label)}: {ratio.formula(block.fact, block.where)}."
    return {
        "id": name,
        "label": label,
        "means": f"{own_map.title}: {own_map.caption}" if own_map else formula,
        "unit": "%" if figure.is_share else "",
        "scale": 1 if figure.unit == "count" else 100 * figure.measure.factor,
        "equal": figure.equal,
    }


def _labels_of(pictures: Iterable[Picture]) -> dict[str, Figure]:
    """Return the figures of pictures by name, with their labels."""
    figure_by_name: dict[str, Figure] = {}
    for picture in pictures:
        bars = [(figure, f"{figure.label} ({name})") for name, bar in picture.groups.items() for figure in bar]
        for figure in (*picture.figures, *(replace(figure, label=label) for figure, label in bars)):
            figure_by_name.setdefault(figure.name, figure)
    return figure_by_name
