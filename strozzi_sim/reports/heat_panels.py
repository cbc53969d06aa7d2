"""What the panels of a heat map show: one for each player count, variant and line-up, in bands of those that belong together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import listed
from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, degrees_of_freedom, p_value_of_share
from strozzi_sim.reports.chance import no_significant_difference
from strozzi_sim.reports.findings import scenario_words, scenarios
from strozzi_sim.reports.series import in_order, players_title
from strozzi_sim.stats.multiple_testing import benjamini_hochberg

Array = np.ndarray[Any, Any]

_MAX_NAMED = 6  # panels without differences that are named one by one


@dataclass(frozen=True)
class Panel:
    """The cells at one player count of one variant and line-up.

    Attributes:
        title: what tells it from the others of its band.
        players: the player count.
        scenario: variant and line-up, as far as there are several.
        value: float64[R, C], NaN where there is none.
        n: int64[R, C], events.
        alarm: bool[R, C], whether a share is surely not an equal chance.
        noise: whether no cell differs from another by more than chance.
    """

    title: str
    players: int
    scenario: str
    value: Array
    n: Array
    alarm: Array
    noise: bool


@dataclass(frozen=True)
class Band:
    """Panels that stand side by side: those of a variant and line-up, or of what else there is but one.

    Attributes:
        heading: what tells it from all other bands; "" if there is only one.
        short: what tells it from other bands of its variant.
        variant: its variant, "" if variants or line-ups are not several.
        panels: its panels.
        apart: whether every line of its panels may begin a drawing.
    """

    heading: str
    short: str
    variant: str
    panels: tuple[Panel, ...]
    apart: bool


@dataclass(frozen=True)
class Panels:
    """All panels of a heat map: raw levels of their rows and columns, and their bands."""

    levels: tuple[list[str], list[str]]
    bands: tuple[Band, ...]

    @property
    def every(self) -> list[Panel]:
        """The panels of all bands."""
        return [panel for band in self.bands for panel in band.panels]

    @property
    def titles(self) -> list[str]:
        """The titles of panels, each once, fewer players first: the columns of small multiples."""
        players = {panel.title: panel.players for panel in self.every}
        return sorted(players, key=lambda title: players[title])

    def aligned(self, band: Band) -> tuple[Panel, ...]:
        """The panels of a band, one for each of the titles, empty where it has none: not every line-up plays at every count."""
        shape = len(self.levels[0]), len(self.levels[1])
        nothing = np.full(shape, np.nan), np.zeros(shape, np.int64), np.zeros(shape, bool)
        own = {panel.title: panel for panel in band.panels}
        return tuple(own.get(title) or Panel(title, 1, "", *nothing, noise=False) for title in self.titles)


def shade(heat_map: HeatMap, value: Array, players: Any) -> Array:
    """What is shown by colour: the value, or a share as a multiple of an equal chance."""
    return value * players if heat_map.equal else value


def known_rows(heat_map: HeatMap, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table heat_<name> that have a value to draw."""
    return table[(table["figure"] == heat_map.figure.name) & table["value"].notna() & (table["n"] > 0)]


def panels_of(
    heat_map: HeatMap, table: pd.DataFrame, chunks: int = MAX_CHUNKS, compared: pd.DataFrame | None = None
) -> Panels | None:
    """Return the panels of a table heat_<name>, or None if no cell has a value.

    Player counts stand side by side and line-ups below one another; with a single player count it is variants that
    stand side by side, and line-ups if there is but one variant. Rows and columns are those that have a value anywhere
    in `compared`; default: in the table.
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
        title = {"players": players_title(players), "variant": variant, "lineup": _who(lineup)}[side]
        who = title, players, scenario_words((variant, lineup), every)
        place = {"players": (variant, lineup), "variant": ("", lineup), "lineup": (variant, "")}[side]
        bands.setdefault(place, []).append(_panel(heat_map, groups[key], levels, who, chunks))
    both = len(variants) > 1 and len(lineups) > 1
    found = []
    for (variant, lineup), group in bands.items():
        short = _who(lineup) if len(lineups) > 1 else variant
        heading = f"{variant}: {short}" if both and variant else short
        one = len(bands) == 1
        found.append(
            Band("" if one else heading, "" if one else short, variant if both else "", tuple(group), side != "players")
        )
    return Panels(levels, tuple(found))


def _who(lineup: str) -> str:
    return lineup.replace(",", ", ")


def _panel(
    heat_map: HeatMap, rows: pd.DataFrame, levels: tuple[list[str], list[str]], who: tuple[str, int, str], chunks: int
) -> Panel:
    places = [rows[side].map({level: k for k, level in enumerate(names)}) for side, names in zip(("row", "column"), levels, strict=True)]  # fmt: skip
    at = tuple(place.to_numpy(np.int64) for place in places)
    value, low, high, n, deals = (rows[name].to_numpy() for name in ("value", "low", "high", "n", "deals"))
    shape = len(levels[0]), len(levels[1])
    values, events, alarm = np.full(shape, np.nan), np.zeros(shape, np.int64), np.zeros(shape, bool)
    values[at], events[at] = value, n
    title, players, scenario = who
    if heat_map.equal:
        p = p_value_of_share(value, low, high, 1 / players, degrees_of_freedom(n, deals, chunks))
        alarm[at] = benjamini_hochberg(p) < ALPHA
    noise = no_significant_difference(value, low, high, n, deals, share=heat_map.figure.unit == "share", chunks=chunks)
    return Panel(title, players, scenario, values, events, alarm, noise)


def noise_in_words(panels: Panels) -> str:
    """Which panels show no differences beyond chance, in a sentence; "" if all do show some."""
    every = panels.every
    noisy = [panel for panel in every if panel.noise]
    if not noisy:
        return ""
    if len(noisy) == len(every):
        return "No differences beyond chance." if len(every) == 1 else "No differences beyond chance in any panel."
    none = "no cell differs from another by more than chance"
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
