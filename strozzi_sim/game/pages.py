"""The pages of a game's report: tables, pictures and sentences of each, and parts that several games use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from strozzi_sim.errors import InputError
from strozzi_sim.facts.blocks import ALL, Block, Quantiles
from strozzi_sim.facts.columns import Table
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.pictures import Figure, HeatMap, Unit
from strozzi_sim.game.reporting import (
    CELL,
    FIGURE,
    NO_VALUE,
    FigureTable,
    Named,
    Narrator,
    Picture,
    Tables,
    check_names,
    first_scenario,
    headline_players,
    narrators,
)

__all__ = ["ALL", "QUANTILES", "Page", "Report", "figures", "leaders", "score_pictures"]

QUANTILES = {"score_q05": 0.05, "score_q25": 0.25, "score_q50": 0.5, "score_q75": 0.75, "score_q95": 0.95}


@dataclass(frozen=True)
class Page:
    """A page of a game's report."""

    title: str  # title of the page
    question: str  # the question that it answers
    keys: tuple[str, ...]  # key columns of its table, beside those of the cell
    blocks: tuple[Block | Quantiles, ...] = ()  # figures of facts
    # function(table, cell, stats) that adds figures of other origin
    add: Callable[[FigureTable, Any, Any], None] | None = None

    def __post_init__(self) -> None:
        """Refuse keys that are columns of every table. Raises InputError."""
        for key in self.keys:
            if key in (*CELL, *FIGURE):
                raise InputError(
                    f"page {self.title!r}: key {key!r}: every table has a column of this name; choose another"
                )


def _add_scores(table: FigureTable, cell: Any, stats: Any) -> None:
    scores, played = (cell.outcome[name].sum(axis=(1, 2)) for name in ("scores", "played"))
    table.add(cell, "score_mean", stats.ratio(scores, played))


BALANCE = Page("Balance", "Is the game fair to its seats?", (), add=_add_scores)


class Report:
    """The report of a game, `REPORT` of its `report.py` or `report/`. Without arguments it has the page `balance` alone.

    Narrators quote the first variant and line-up of a page's table.

    Args:
        pages: the pages by name; `balance`, which every study has, comes first (default: mean scores).
        pictures: page -> function of all tables that returns its pictures.
        sentences: page -> function(narrator, component data of its variant) that returns findings. A sentence that is not
            `Named` is about the narrator's cell, whose name is put before it; one with a figure without value is omitted.
        heatmaps: heat maps by name.
        words: function(tables, data) that returns labels of raw values in a variant with this component data, which may be empty.
        compared: function of all tables that returns pictures of variants and line-ups side by side, shown last.
        titles: page -> function(narrator) that returns its finding in a short sentence without intervals, or "".
        questions: a question in plain words -> the heat map that answers it, for the page's explorer.
    """

    def __init__(
        self,
        pages: Mapping[str, Page] = MappingProxyType({}),
        pictures: Mapping[str, Callable[[Tables], list[Picture]]] = MappingProxyType({}),
        sentences: Mapping[str, Callable[[Narrator, Mapping[str, Any]], list[str]]] = MappingProxyType({}),
        *,
        heatmaps: Mapping[str, HeatMap] = MappingProxyType({}),
        words: Callable[[Tables, Mapping[str, Any]], Mapping[str, str]] = lambda tables, data: {},
        compared: Callable[[Tables], list[Picture]] = lambda tables: [],
        titles: Mapping[str, Callable[[Narrator], str]] = MappingProxyType({}),
        questions: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.pages = {"balance": BALANCE, **pages}
        self._pictures, self._sentences, self._compared, self._titles = pictures, sentences, compared, titles
        self.PAGES = tuple(self.pages)
        self.PAGE_TITLES = {name: (page.title, page.question) for name, page in self.pages.items()}
        self.HEATMAPS, self.QUESTIONS = heatmaps, questions
        self.words = words

    @property
    def is_default(self) -> bool:
        """Whether the game declares no pages, pictures or heat maps."""
        return self.pages == {"balance": BALANCE} and not self._pictures and not self.HEATMAPS

    def tables(
        self, cells: Sequence[Any], pages: Sequence[str], heatmaps: Mapping[str, HeatMap], stats: Any,
        *, sums: bool = False,
    ) -> dict[str, FigureTable]:  # fmt: skip
        """Return the tables of these cells: `balance`, those of the pages, and heat_<name> of the heat maps."""
        tables = {name: FigureTable(*self.pages[name].keys, sums=sums) for name in self._shown(pages)}
        blocks = {name: self.pages[name].blocks for name in tables}
        for name, heat_map in heatmaps.items():
            tables[f"heat_{name.replace('-', '_')}"] = FigureTable("row", "column")
            blocks[f"heat_{name.replace('-', '_')}"] = (heat_map.block,) if heat_map.block else ()
        for name, table in tables.items():
            add = self.pages[name].add if name in self.pages else None
            for cell in cells:
                if add is not None:
                    add(table, cell, stats)
                for block in blocks[name]:
                    block.write(table, cell, stats)
        return tables

    def explored(self, tables: Sequence[Table]) -> dict[str, Block]:
        """Return the distinct blocks of the heat maps by the name of the first map, each also by round where its facts have one."""
        with_round = {table.name for table in tables if any(column.name == "round" for column in table.columns)}
        found: dict[str, Block] = {}
        for name, heat_map in self.HEATMAPS.items():
            if heat_map.block is not None and heat_map.block not in found.values():
                found[name] = heat_map.block
        return {
            name: replace(block, axes={**block.axes, "round": "round"}, margins=(*block.margins, "round"))
            if block.fact in with_round and "round" not in block.axes.values() and not block.differences
            else block
            for name, block in found.items()
        }

    def titles(self, tables: Tables, components: Mapping[str, Any]) -> dict[str, str]:
        """Return page -> its finding in a short sentence, of the pages whose tables show one; arguments: see `sentences`."""
        said = {}
        for page, find in self._titles.items():
            if _exists(tables, page) and not tables[page].empty:
                say = narrators(tables, page, headline_players(first_scenario(tables["balance"])), components)
                text = find(say)
                if text and NO_VALUE not in text:
                    said[page] = text
        return said

    def crosstabs(self, pages: Sequence[str]) -> list[Crosstab]:
        """Return the crosstabs that these pages need."""
        return [block.crosstab for name in self._shown(pages) for block in self.pages[name].blocks]

    def definitions(self) -> dict[str, str]:
        """Return figure -> how it is counted, of all pages and heat maps; {} in a name stands for a level."""
        blocks = [block for page in self.pages.values() for block in page.blocks]
        blocks += [heat_map.block for heat_map in self.HEATMAPS.values() if heat_map.block]
        found: dict[str, str] = {}
        for block in blocks:
            if isinstance(block, Quantiles):
                found |= {
                    name: f"{level:.0%} of the values of {block.column} are lower; rows of {block.fact}"
                    for name, level in block.figures.items()
                }
                continue
            for ratio in block.figures:
                found.setdefault(ratio.name, ratio.formula(block.fact, block.where))
            for less in block.differences:
                found[less.name] = (
                    f"{less.of.formula(block.fact, block.where)}; where {less.key} is {less.level}, less where it is not, paired by deal"
                )
        return found

    def _shown(self, pages: Sequence[str]) -> list[str]:
        check_names("page", pages, self.pages)
        return [name for name in self.pages if name == "balance" or name in pages]

    def pictures(self, tables: Tables) -> list[Picture]:
        """Return the pictures of the pages whose tables exist, in order."""
        shown = [picture for page, make in self._pictures.items() if _exists(tables, page) for picture in make(tables)]
        return [*shown, *self._compared(tables)]

    def sentences(self, tables: Tables, components: Mapping[str, Any]) -> dict[str, list[str]]:
        """Return page -> findings, of the pages whose tables have rows."""
        said: dict[str, list[str]] = {}
        for page, find in self._sentences.items():
            if _exists(tables, page) and not tables[page].empty:
                say = narrators(tables, page, headline_players(first_scenario(tables["balance"])), components)
                found = [text for text in find(say, say.data) if NO_VALUE not in text]
                said[page] = [text if isinstance(text, Named) else say.named(text) for text in found]
        return said


def _exists(tables: Tables, page: str) -> bool:
    """Return whether the page's table exists and the study has figures."""
    return page in tables and not tables["balance"].empty


def figures(labels: Mapping[str, str], amounts: Sequence[str]) -> tuple[Figure, ...]:
    """Return figures by name -> label; the unit follows from the name, with `amounts` the words in names of amounts."""

    def unit(name: str) -> Unit:
        return "share" if "share" in name else "amount" if any(word in name for word in amounts) else "number"

    return tuple(Figure(name, label, unit(name)) for name, label in labels.items())


def score_pictures(unit: str, spread: str, bars: Mapping[str, tuple[Figure, ...]], of_bars: str) -> list[Picture]:
    """Return pictures of the spread of scores and of their sources (name of a bar -> its parts), with captions."""
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
    """Return figures of how often the leader after each round wins, with the round in the label."""
    names = sorted(name for name in tables["balance"]["figure"].unique() if name.startswith("leader_"))
    return tuple(Figure(name, label.format(name.split("_")[1]), "share") for name in names)
