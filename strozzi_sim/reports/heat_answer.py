"""What heat maps show, in a sentence each: where a figure is small and where large, as far as cells are known to differ."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import (
    THIN,
    Tables,
    cell_name,
    digits_for,
    first_scenario,
    format_estimate,
    format_half_width,
    format_value,
    headline_players,
    pick,
)
from strozzi_sim.game.significance import MAX_CHUNKS
from strozzi_sim.reports.chance import no_significant_difference
from strozzi_sim.reports.content import Answer, Number
from strozzi_sim.reports.heat_panels import known_rows

Words = Mapping[str, str]


def table_of_map(tables: Tables, name: str) -> pd.DataFrame | None:
    """Return the table of a heat map, or None."""
    return tables.get(f"heat_{name.replace('-', '_')}")


def heat_answer(
    maps: Mapping[str, HeatMap], tables: Tables, game: Game, words: Words, chunks: int = MAX_CHUNKS
) -> Answer:
    """Return what the first requested heat map shows, and in how many of the others cells differ.

    Args:
        maps: the requested heat maps by name.
        tables: the study's tables.
        game: its game.
        words: raw row or column -> display name.
        chunks: chunks of the study, from which the intervals were estimated.
    """
    shown = [(each, table) for name, each in maps.items() if (table := table_of_map(tables, name)) is not None]
    if not shown:
        return Answer(f"There is no heat map of {game.title} in these tables.")
    found = [_ends(each, table, chunks) for each, table in shown]
    detail = shown[0][0].caption
    if len(shown) > 1:
        differ = sum(ends is not None for ends in found)
        detail = f"In {differ} of the {len(shown)} heat maps cells are known to differ in these games. {detail}"
    first, ends = shown[0][0], found[0]
    numbers = () if ends is None else tuple(_number(first, row, words) for row in ends[::-1])
    return Answer(map_sentence(*shown[0], words, chunks), detail, numbers)


def map_sentence(heat_map: HeatMap, table: pd.DataFrame, words: Words, chunks: int = MAX_CHUNKS) -> str:
    """Return where the figure of a heat map is small and large in the games of the headline, or that it is not known to differ."""
    rows, label = _rows(heat_map, table), heat_map.figure.label
    if rows.empty:
        return f"There are too few games for a cell of the heat map {_quoted(heat_map.title)}."
    where = cell_name(*rows[["players", "variant", "lineup"]].iloc[0])
    ends = _ends(heat_map, table, chunks)
    if ends is None:
        return f"{where}: no cells of the heat map {_quoted(heat_map.title)} are known to differ."
    low, high = (f"{format_estimate(row, heat_map.figure.unit)} ({_place(heat_map, row, words)})" for row in ends)
    return f"{where}: {label[:1].upper()}{label[1:]} varies from {low} to {high}."


def not_shown(maps: Mapping[str, HeatMap], tables: Tables) -> Iterator[str]:
    """Yield a sentence on each requested heat map of which no cell can be drawn."""
    for name, heat_map in maps.items():
        table = table_of_map(tables, name)
        if table is None:
            yield f"Not shown: {heat_map.title} (`{name}`), which these tables do not have."
        elif known_rows(heat_map, table).empty:
            n = int(table["n"].max()) if len(table) else 0
            why = f"every cell has too few events (at most {n}) for a value" if n else "nothing that it counts happened"
            yield f"Not shown: {heat_map.title} (`{name}`), since {why}."


def _rows(heat_map: HeatMap, table: pd.DataFrame) -> pd.DataFrame:
    """Return the cells with a value, of the first variant and line-up at the player count of the headline."""
    rows = first_scenario(known_rows(heat_map, table))
    return rows if rows.empty else pick(rows, players=headline_players(rows))


def _ends(heat_map: HeatMap, table: pd.DataFrame, chunks: int) -> tuple[Any, Any] | None:
    """Return the cells that are surest to have a small and a large figure; None if cells are not known to differ."""
    rows = _rows(heat_map, table).dropna(subset=["low", "high"])
    if len(rows) < 2:
        return None
    value, low, high, n, deals = (rows[name].to_numpy() for name in ("value", "low", "high", "n", "deals"))
    if no_significant_difference(value, low, high, n, deals, share=heat_map.figure.unit == "share", chunks=chunks):
        return None
    least, most = (
        rows.iloc[[int(place)]] for place in (np.argmin(high), np.argmax(low))
    )  # the surest, not the most extreme
    if not least["high"].iloc[0] < most["low"].iloc[0]:
        return None
    return next(least.itertuples(index=False)), next(most.itertuples(index=False))


def _number(heat_map: HeatMap, row: Any, words: Words) -> Number:
    unit = heat_map.figure.unit
    digits = digits_for((row.high - row.low) / 2, unit, 1)
    value = format_value(row.value, unit, digits)
    return Number(
        value, format_half_width(row, unit, digits), f"{heat_map.figure.label}: {_place(heat_map, row, words)}"
    )


def _place(heat_map: HeatMap, row: Any, words: Words) -> str:
    cells = ((heat_map.row_label, row.row), (heat_map.column_label, row.column))
    return ", ".join(f"{label} {words.get(level, level)}" for label, level in cells).replace(THIN, " ")


def _quoted(title: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{title}\N{RIGHT DOUBLE QUOTATION MARK}"
