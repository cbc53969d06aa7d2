"""Panels of a heat map: one per player count, variant and line-up, grouped in bands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import HeatMap, Unit
from strozzi_sim.game.reporting import digits_for, listed
from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, degrees_of_freedom, p_value_of_share
from strozzi_sim.pictures.chance import no_significant_difference
from strozzi_sim.pictures.series import in_order, players_title, scenario_words, scenarios
from strozzi_sim.stats.multiple_testing import benjamini_hochberg

Array = np.ndarray[Any, Any]

_LARGE = 100  # amounts with one decimal at most
_MAX_NAMED = 6  # maximum panels without differences named one by one


@dataclass(frozen=True)
class Panel:
    """Cells of one player count, variant and line-up.

    Attributes:
        title: name within the band.
        players: player count.
        scenario: variant and line-up, as far as there are several.
        value, low, high: figures with their intervals, float64[R, C]; NaN where none exists.
        n: events, int64[R, C].
        alarm: whether a share differs significantly from 1 / players, bool[R, C].
        noise: whether no two cells differ significantly.
        shade: coloured quantity, float64[R, C]; NaN where a cell has no colour.
        marked: whether a cell is framed, bool[R, C]; default: none.
    """

    title: str
    players: int
    scenario: str
    value: Array
    low: Array
    high: Array
    n: Array
    alarm: Array
    noise: bool
    shade: Array
    marked: Array | None = None


@dataclass(frozen=True)
class Band:
    """Panels side by side: one variant and line-up, or one of the two.

    Attributes:
        heading: name among all bands; "" for a single band.
        short: name among the bands of its variant.
        variant: its variant; "" unless there are several variants and several line-ups.
        panels: its panels.
        can_start: whether a drawing may start with any line of its panels.
    """

    heading: str
    short: str
    variant: str
    panels: tuple[Panel, ...]
    can_start: bool


@dataclass(frozen=True)
class Panels:
    """All panels of a heat map: raw levels of rows and columns, and the bands."""

    levels: tuple[list[str], list[str]]
    bands: tuple[Band, ...]

    @property
    def every(self) -> list[Panel]:
        """Panels of all bands."""
        return [panel for band in self.bands for panel in band.panels]

    @property
    def titles(self) -> list[str]:
        """Distinct titles of panels, fewest players first: the columns of small multiples."""
        players = {panel.title: panel.players for panel in self.every}
        return sorted(players, key=lambda title: players[title])

    def aligned(self, band: Band) -> tuple[Panel, ...]:
        """Return one panel of the band per title; empty if the line-up was not played at that count."""
        shape = len(self.levels[0]), len(self.levels[1])
        empty = np.full(shape, np.nan)
        nothing = empty, empty, empty, np.zeros(shape, np.int64), np.zeros(shape, bool)
        own = {panel.title: panel for panel in band.panels}
        return tuple(own.get(title) or Panel(title, 1, "", *nothing, noise=False, shade=empty) for title in self.titles)


def shade(heat_map: HeatMap, value: Array, players: Any) -> Array:
    """Return the coloured quantity: the value, or a share as a multiple of 1 / players."""
    return value * players if heat_map.equal else value


def cell_digits(half: float, value: float, unit: Unit) -> int:
    """Return the decimals of a cell: what its interval is worth, in per cent for shares; one without an interval.

    Args:
        half: half-width of the interval, or NaN.
        value: the value, or the largest of several cells.
        unit: unit of the figure.
    """
    most = 1 if unit == "share" or abs(value) >= _LARGE else 2 if abs(value) >= 1 else 3
    return 1 if np.isnan(half) else digits_for(half, unit, most)


def known_rows(heat_map: HeatMap, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table heat_<name> that have a value to draw."""
    return table[(table["figure"] == heat_map.figure.name) & table["value"].notna() & (table["n"] > 0)]


def panels_of(
    heat_map: HeatMap, table: pd.DataFrame, chunks: int = MAX_CHUNKS, compared: pd.DataFrame | None = None
) -> Panels | None:
    """Return the panels of a table heat_<name>, or None if no cell has a value.

    Player counts are side by side, and line-ups are stacked. With a single player count, variants are side by side, or
    line-ups if there is only one variant. Rows and columns are those with a value anywhere in `compared`; default: the
    table.
    """
    if known_rows(heat_map, table).empty:
        return None
    compared = table if compared is None else compared
    known = known_rows(heat_map, compared)
    sides = compared[compared["row"].isin(known["row"]) & compared["column"].isin(known["column"])]
    sides = sides[sides["figure"] == heat_map.figure.name]
    levels = in_order(sides["row"], ()), in_order(sides["column"], ())  # the table's order
    rows = table[(table["figure"] == heat_map.figure.name) & (table["n"] > 0)]
    rows = rows[rows["row"].isin(levels[0]) & rows["column"].isin(levels[1])]
    every = scenarios(rows)
    groups: dict[Any, pd.DataFrame] = dict(list(rows.groupby(["variant", "lineup", "players"], sort=False)))
    counts = sorted({players for _, _, players in groups})
    variants, lineups = (list(dict.fromkeys(names)) for names in zip(*every, strict=True))
    side = "players" if len(counts) > 1 or len(every) == 1 else "variant" if len(variants) > 1 else "lineup"
    bands: dict[tuple[str, str], list[Panel]] = {}
    for key in [(*scenario, players) for scenario in every for players in counts]:
        if key not in groups:
            continue
        variant, lineup, players = key
        title = {"players": players_title(players), "variant": variant, "lineup": _spaced(lineup)}[side]
        who = title, players, scenario_words((variant, lineup), every)
        place = {"players": (variant, lineup), "variant": ("", lineup), "lineup": (variant, "")}[side]
        bands.setdefault(place, []).append(_panel(heat_map, groups[key], levels, who, chunks))
    both = len(variants) > 1 and len(lineups) > 1
    found = []
    for (variant, lineup), group in bands.items():
        short = _spaced(lineup) if len(lineups) > 1 else variant
        heading = f"{variant}: {short}" if both and variant else short
        one = len(bands) == 1
        found.append(
            Band("" if one else heading, "" if one else short, variant if both else "", tuple(group), side != "players")
        )
    return Panels(levels, tuple(found))


def _spaced(lineup: str) -> str:
    return lineup.replace(",", ", ")


def _panel(
    heat_map: HeatMap, rows: pd.DataFrame, levels: tuple[list[str], list[str]], who: tuple[str, int, str], chunks: int
) -> Panel:
    places = [rows[side].map({level: k for k, level in enumerate(names)}) for side, names in zip(("row", "column"), levels, strict=True)]  # fmt: skip
    at = tuple(place.to_numpy(np.int64) for place in places)
    value, low, high, n, deals = (rows[name].to_numpy() for name in ("value", "low", "high", "n", "deals"))
    shape = len(levels[0]), len(levels[1])
    values, lows, highs = (np.full(shape, np.nan) for _ in range(3))
    events, alarm = np.zeros(shape, np.int64), np.zeros(shape, bool)
    values[at], lows[at], highs[at], events[at] = value, low, high, n
    title, players, scenario = who
    if heat_map.equal:
        p = p_value_of_share(value, low, high, 1 / players, degrees_of_freedom(n, deals, chunks))
        alarm[at] = benjamini_hochberg(p) < ALPHA
    if heat_map.shade_label:  # the table knows which cells differ
        shades, marked = np.full(shape, np.nan), np.zeros(shape, bool)
        shades[at], marked[at] = rows["shade"], rows["marked"]
        return Panel(title, players, scenario, values, lows, highs, events, alarm, False, shades, marked)
    noise = no_significant_difference(value, low, high, n, deals, share=heat_map.figure.unit == "share", chunks=chunks)
    return Panel(title, players, scenario, values, lows, highs, events, alarm, noise, shade(heat_map, values, players))


def format_noise(panels: Panels) -> str:
    """Return a sentence that names the panels without significant differences; "" if all panels have some."""
    every = panels.every
    noisy = [panel for panel in every if panel.noise]
    if not noisy:
        return ""
    if len(noisy) == len(every):
        return "No significant differences." if len(every) == 1 else "No significant differences in any panel."
    none = "no cells differ significantly"
    scenes = list(dict.fromkeys(panel.scenario for panel in noisy))
    if len(noisy) > _MAX_NAMED:
        return f"In {len(noisy)} of {len(every)} panels (\N{ALMOST EQUAL TO}) {none}."
    if scenes == [""]:
        return f"At {_at(noisy)} {none}."
    one = len({panel.players for panel in every}) == 1
    where = [
        scene if one else f"{scene} at {_at([panel for panel in noisy if panel.scenario == scene])}" for scene in scenes
    ]
    return f"{none.capitalize()} (\N{ALMOST EQUAL TO}): {'; '.join(where)}."


def _at(panels: Sequence[Panel]) -> str:
    return f"{listed([str(panel.players) for panel in panels])} players"
