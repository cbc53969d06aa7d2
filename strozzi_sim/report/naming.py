"""Display names of table values, which depend on component data and agents; labels and definitions of figures."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import pandas as pd

from strozzi_sim.declare.figure_tables import FIGURES, Tables, agent_names, pick
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import Picture
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.pictures.series import Words

# what pages say of the method, words and figures
TEXTS: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "texts.toml").read_text("utf-8"))
_PART = " \N{MIDDLE DOT} "  # separates the parts of a component's name


class Naming:
    """Display names of the raw values of a study's tables; `variants` is variant -> component data."""

    def __init__(self, game: Game, tables: Tables, variants: Mapping[str, Any]) -> None:
        self._tables = tables
        self._words = cache(lambda variant: report_of(game).words(tables, variants.get(variant, {})))

    def of(self, variant: str, lineup: str) -> Words:
        """Return raw value -> name for pictures and tables of one variant and line-up."""
        rows = pick(self._tables["lineup"], variant=variant, lineup=lineup)
        players = pick(self._tables["balance"], variant=variant, lineup=lineup)["players"].max()
        agents = agent_names(pick(rows, players=players), int(players))
        return {**self._words(variant), **{f"position={k}": name for k, name in enumerate(agents)}}

    def of_all(self) -> Words:
        """Return raw value -> name for pictures of several variants, "varies" from the first part on that differs."""
        words_by_variant = [self._words(variant) for variant in self._tables["balance"]["variant"].unique()]
        raws = dict.fromkeys(raw for words in words_by_variant for raw in words)
        return {raw: _common(raw, {words[raw] for words in words_by_variant if raw in words}) for raw in raws}


def _common(raw: str, names: set[str]) -> str:
    """Return the only name, or the parts that all begin with, else the raw value: "S12 \N{MIDDLE DOT} varies"."""
    if len(names) == 1:
        return next(iter(names))
    parts_of_names = zip(*(name.split(_PART) for name in names), strict=False)
    common_parts = [parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, parts_of_names)]
    return _PART.join([*(common_parts or [raw]), "varies"])


def labels_of(pictures: Iterable[Picture]) -> dict[str, Figure]:
    """Return the figures of pictures by name, with their labels."""
    figure_by_name: dict[str, Figure] = {}
    for picture in pictures:
        bars = [(figure, f"{figure.label} ({name})") for name, bar in picture.groups.items() for figure in bar]
        for figure in (*picture.figures, *(replace(figure, label=label) for figure, label in bars)):
            figure_by_name.setdefault(figure.name, figure)
    return figure_by_name


def definitions_of(tables: Tables) -> dict[str, str]:
    """Return figure -> how it is counted, in the first table that has the figure, of figures with a definition."""
    rows = tables[FIGURES] if FIGURES in tables else pd.DataFrame(columns=["name", "definition"])
    defined = rows[rows["definition"] != ""].drop_duplicates("name")
    return dict(zip(defined["name"], defined["definition"], strict=True))
