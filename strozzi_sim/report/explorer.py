"""The data of a page's explorer: every counted pair of columns, in every cell and round of a study, packed small.

Per map, cell and round there is a list: for each row, column and measure n, and where n is 30 or more, value, low and high as whole
numbers; a share's n is the whole of which it is a part. Low and high are differences, which are small and pack well: value - low, and by how much high - value is more.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.blocks import Ratio
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.pages import table_of_map
from strozzi_sim.game.reporting import Picture, Tables, headline_players
from strozzi_sim.pictures.series import in_order
from strozzi_sim.report.naming import Naming, labels_of
from strozzi_sim.report.page import packed

MAX_ROWS = 400_000  # of tables; the explorer of more would be too large for a page
FEW = 30  # fewer events have no value
Array = np.ndarray[Any, Any]
_SCALES = {"share": 10_000, "amount": 100, "number": 100, "count": 1}


def packed_explorer(
    title: str, tables: Tables, game: Game, maps: Mapping[str, HeatMap], variants: Mapping[str, Any], pictures: Iterable[Picture]
) -> str:  # fmt: skip
    """Return the explorer's data as text for a page; "" if nothing was counted for it.

    The tables of a study are `explorer`, and heat_<name> of maps of its own; `maps` are those that were asked for, `pictures` those of
    the page, which have the labels of figures.
    """
    labels = labels_of(pictures)
    every = {**game.report.HEATMAPS, **maps}
    frames: dict[str, pd.DataFrame] = {}
    if "explorer" in tables:
        frames = {str(name): rows for name, rows in tables["explorer"].groupby("map", sort=False)}
    known = [every[name].block for name in frames if name in every]
    for name, heat_map in maps.items():
        table = tables.get(table_of_map(name))
        if table is not None and heat_map.block is not None and heat_map.block not in known:
            frames[name] = table.assign(round="all")
            known.append(heat_map.block)
    frames = {name: rows for name, rows in frames.items() if rows["value"].notna().any() and name in every}
    if not frames or sum(map(len, frames.values())) > MAX_ROWS:
        return ""
    cells = list(dict.fromkeys(pd.concat(frames.values())[["players", "lineup", "variant"]].itertuples(index=False, name=None)))  # fmt: skip
    words = Naming(game, tables, variants).of_all()
    found = [_map(name, every, rows, cells, labels, words) for name, rows in frames.items()]
    place = {each["id"]: each for each in found}
    blocks = {name: heat_map.block for name, heat_map in every.items()}
    presets = [
        [heat_map.title, name, heat_map.figure.name]
        for name, heat_map in maps.items()
        if name not in game.report.HEATMAPS and name in place
    ]
    for question, name in game.report.QUESTIONS.items():
        of = next((each for each in place if each in blocks and blocks[each] == blocks.get(name)), "")
        if of and every[name].figure.name in {measure["id"] for measure in place[of]["measures"]}:
            presets.append([question, of, every[name].figure.name])
    if not presets:
        presets = [[every[name].title, name, every[name].figure.name] for name in list(frames)[:12]]
    first = headline_players(pd.DataFrame({"players": [players for players, *_ in cells]}))
    return packed(
        {
            "study": title, "few": FEW, "cells": [[int(p), lineup.replace(",", ", "), variant] for p, lineup, variant in cells],
            "maps": found, "presets": presets, "first": first,
        }
    )  # fmt: skip


def _map(
    name: str, every: Mapping[str, HeatMap], rows: pd.DataFrame, cells: list[Any], labels: Mapping[str, Figure], words: Mapping[str, str]
) -> dict[str, Any]:  # fmt: skip
    """Return a map of the explorer; `every` has all heat maps, of which some show other figures of the same block."""
    heat_map, block = every[name], every[name].block
    assert block is not None
    shown_by = {each.figure.name: each for each in reversed(list(every.values())) if each.block == block} | {
        heat_map.figure.name: heat_map
    }
    there = set(rows["figure"])
    measures = [
        _measure(ratio, heat_map, labels, shown_by.get(ratio.name)) for ratio in block.figures if ratio.name in there
    ]
    sides = {side: in_order(rows.loc[rows["n"] > 0, side], ()) for side in ("row", "column", "round")}
    rounds = [*(["all"] if "all" in set(rows["round"]) else []), *(each for each in sides["round"] if each != "all")]
    scales = {each["id"]: each["scale"] for each in measures}
    place = {cell: k for k, cell in enumerate(cells)}
    of_cell = [place[cell] for cell in rows[["players", "lineup", "variant"]].itertuples(index=False, name=None)]
    keys = ["cell", "round", "row", "column", "figure"]
    every_place = pd.MultiIndex.from_product(
        [range(len(cells)), rounds, sides["row"], sides["column"], list(scales)], names=keys
    )
    found = rows.assign(cell=of_cell).set_index(keys).reindex(every_place)
    scale = found.index.get_level_values("figure").map(scales).to_numpy(float)[:, None]
    figures = _deltas(found[["value", "low", "high"]].to_numpy(float) * scale).tolist()
    data: list[Any] = []
    for events, three in zip(found["n"].fillna(0).astype(int).tolist(), figures, strict=True):
        data += [events, *three] if events >= FEW else [events]
    return {
        "id": name, "fact": block.fact, "row": heat_map.row_label,
        "column": heat_map.column_label, "rows": [words.get(level, level) for level in sides["row"]],
        "columns": [words.get(level, level) for level in sides["column"]], "rounds": rounds, "measures": measures,
        "where": block.where, "data": data,
    }  # fmt: skip


def _deltas(values: Array) -> Array:
    """Return value, value - low, and what high - value is more than that, object[..., 3]; whole numbers, None without a value."""
    value, low, high = np.round(values).T
    shown = np.stack([value, value - low, high - 2 * value + low], -1)
    whole: Array = np.nan_to_num(shown).astype(np.int64).astype(object)
    whole[np.isnan(shown)] = None
    return whole


def _measure(ratio: Ratio, heat_map: HeatMap, labels: Mapping[str, Figure], own: HeatMap | None) -> dict[str, Any]:
    """Return a measure of a map: its label, unit and scale, whether it is beside an equal share, and what a cell is.

    A map has the measures of its block, one of which is that of its title and caption; `own` is the heat map of this measure.
    """
    name, block = ratio.name, heat_map.block
    assert block is not None
    known = heat_map.figure if heat_map.figure.name == name else labels.get(name)
    share = ratio.share or (known is not None and known.unit == "share")  # a mean of 0 and 1 is one too
    if known is None:
        known = Figure(name, re.sub("_mean$|_share$", "", name).replace("_", " "), "share" if share else "amount")
    label = known.label if known is heat_map.figure else _ALONG.get(name, known.label)
    formula = f"{label[:1].upper()}{label[1:]}: {ratio.formula(block.fact, block.where)}."
    return {
        "id": name, "label": label, "means": f"{own.title}: {own.caption}" if own else formula, "unit": "%" if share else "",
        "scale": _SCALES["share" if share else known.unit], "equal": name == "win_share",
    }  # fmt: skip


_ALONG = {"share": "share of the row", "share_of_level": "share of the column", "win_share": "games won"}
