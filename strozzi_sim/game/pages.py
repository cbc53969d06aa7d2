"""The pages of a game's report, each by its table, its pictures and its sentences; and what all our games' pages share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from strozzi_sim.facts.blocks import ALL, Block, Quantiles
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.pictures import Figure, HeatMap, Unit
from strozzi_sim.game.reporting import (
    NO_VALUE,
    FigureTable,
    Named,
    Narrator,
    Picture,
    Tables,
    check_names,
    first_scenario,
    narrators,
    spoken_of,
)

__all__ = ["ALL", "QUANTILES", "Page", "Report", "figures", "leaders", "score_pictures"]

QUANTILES = {"score_q05": 0.05, "score_q25": 0.25, "score_q50": 0.5, "score_q75": 0.75, "score_q95": 0.95}


@dataclass(frozen=True)
class Page:
    """A page of a game's report.

    Attributes:
        title, question: what stands above it.
        keys: of its table, beside those of the cell.
        blocks: its figures.
        add: adds figures that are of no facts: (table, cell, stats).
    """

    title: str
    question: str
    keys: tuple[str, ...]
    blocks: tuple[Block | Quantiles, ...] = ()
    add: Callable[[FigureTable, Any, Any], None] | None = None


class Report:
    """What a game's `report` has; see `games.reporting`. Narrators quote the first variant and line-up of a page's table.

    Args:
        pages: page -> what it is; `balance`, which every study has, comes first.
        pictures: page -> all tables -> what to show.
        sentences: page -> (narrator, component data of its variant) -> what was found. A sentence that is not `Named` is
            about the narrator's cell, whose name is put before it; one that quotes a figure without a value is left out.
    """

    def __init__(
        self,
        pages: Mapping[str, Page],
        pictures: Mapping[str, Callable[[Tables], list[Picture]]],
        sentences: Mapping[str, Callable[[Narrator, Mapping[str, Any]], list[str]]],
    ) -> None:
        self._pages, self._pictures, self._sentences = pages, pictures, sentences
        self.names = tuple(pages)
        self.titles = {name: (page.title, page.question) for name, page in pages.items()}

    def tables(
        self, cells: Sequence[Any], pages: Sequence[str], heatmaps: Mapping[str, HeatMap], stats: Any
    ) -> dict[str, pd.DataFrame]:
        """The tables of these cells: `balance`, those of the pages, and heat_<name> of the heat maps.

        Args:
            cells: CellCounts of the study.
            pages: names of pages.
            heatmaps: heat maps by name, a user's own among them.
            stats: the package strozzi_sim.stats.

        Raises:
            InputError: an unknown page; lists the known ones.
        """
        tables = {name: FigureTable(*self._pages[name].keys) for name in self._shown(pages)}
        blocks = {name: self._pages[name].blocks for name in tables}
        for name, heat_map in heatmaps.items():
            tables[f"heat_{name.replace('-', '_')}"] = FigureTable("row", "column")
            blocks[f"heat_{name.replace('-', '_')}"] = (heat_map.block,) if heat_map.block else ()
        for name, table in tables.items():
            add = self._pages[name].add if name in self._pages else None
            for cell in cells:
                if add is not None:
                    add(table, cell, stats)
                for block in blocks[name]:
                    block.write(table, cell, stats)
        return {name: table.frame() for name, table in tables.items()}

    def crosstabs(self, pages: Sequence[str]) -> list[Crosstab]:
        """What has to be counted for these pages.

        Raises:
            InputError: an unknown page; lists the known ones.
        """
        return [block.crosstab for name in self._shown(pages) for block in self._pages[name].blocks]

    def _shown(self, pages: Sequence[str]) -> list[str]:
        check_names("page", pages, self._pages)
        return [name for name in self._pages if name == "balance" or name in pages]

    def pictures(self, tables: Tables) -> list[Picture]:
        """What to show, in order; only of pages whose tables are there."""
        return [picture for page, make in self._pictures.items() if _is_there(tables, page) for picture in make(tables)]

    def sentences(self, tables: Tables, components: Mapping[str, Any]) -> dict[str, list[str]]:
        """Page -> what was found on it, of the pages whose tables are there and have rows.

        Args:
            tables: the study's tables.
            components: variant -> component data.
        """
        said: dict[str, list[str]] = {}
        for page, tell in self._sentences.items():
            if _is_there(tables, page) and not tables[page].empty:
                say = narrators(tables, page, spoken_of(first_scenario(tables["balance"])), components)
                found = [text for text in tell(say, say.data) if NO_VALUE not in text]
                said[page] = [text if isinstance(text, Named) else say.says(text) for text in found]
        return said


def _is_there(tables: Tables, page: str) -> bool:
    """Return whether the page's table is there and the study has figures."""
    return page in tables and not tables["balance"].empty


def figures(labels: Mapping[str, str], amounts: Sequence[str]) -> tuple[Figure, ...]:
    """Figures by name with their labels; the unit follows from the name.

    Args:
        labels: name -> what it is called.
        amounts: words that names of amounts have in them.
    """

    def unit(name: str) -> Unit:
        return "share" if "share" in name else "amount" if any(word in name for word in amounts) else "number"

    return tuple(Figure(name, label, unit(name)) for name, label in labels.items())


def score_pictures(unit: str, spread: str, bars: Mapping[str, tuple[Figure, ...]], of_bars: str) -> list[Picture]:
    """The spread of scores, and by source where they come from.

    Args:
        unit: what scores are counted in.
        spread: caption of the first picture.
        bars: name of a bar -> its parts, of the second one.
        of_bars: its caption.
    """
    quantiles = [
        Figure(name, f"{round(100 * level)} % of players score less", "amount") for name, level in QUANTILES.items()
    ]
    winner = Figure("winner_score_mean", "mean of the winners", "amount")
    return [
        Picture(
            "scores", "balance", "spread", "balance", (*quantiles, winner), f"How many {unit} a player has at the end",
            spread, x_label=unit,
        ),
        Picture(
            "sources", "balance", "bars", "balance", (), f"Where the {unit} come from", of_bars, groups=bars
        ),
    ]  # fmt: skip


def leaders(tables: Tables, label: str) -> tuple[Figure, ...]:
    """How often the leader after each round wins, with the round in the label."""
    names = sorted(name for name in tables["balance"]["figure"].unique() if name.startswith("leader_"))
    return tuple(Figure(name, label.format(name.split("_")[1]), "share") for name in names)
