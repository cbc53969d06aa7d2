"""The report of a game: pages of tables, pictures, heat maps and findings, from `report.toml` and `report.py`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from types import MappingProxyType
from typing import Any

from msgspec import structs

from strozzi_sim import stats
from strozzi_sim.declare.alarms import NO_CHOICE, VARIANT, Alarm, FoundAlarm, Lineups, found_alarms
from strozzi_sim.declare.custom_heatmaps import HeatMapSpec, custom_heat_map, words_of
from strozzi_sim.declare.figure_tables import (
    CELL,
    FIGURE,
    OF_CHANGE,
    FigureTable,
    Tables,
    TableSpec,
    agent_names,
    figures_in,
    first_scenario,
    headline_players,
    named,
    pick,
)
from strozzi_sim.declare.finding import Comparison, Finding, compared_rows, comparison_of, finding_of, with_key
from strozzi_sim.declare.pictures import Board, HeatMap, Picture
from strozzi_sim.declare.report_file import (
    DeclaredPicture,
    Known,
    ReportFile,
    alarms_of_page,
    caption_of,
    common_pictures,
    counted_figures,
    figures_compared,
    finding_in,
    heat_map_of,
    picture_of,
    read_report_file,
)
from strozzi_sim.declare.significance import MAX_CHUNKS
from strozzi_sim.errors import ArgumentError, InputError, check_names, short_repr, suggest_names
from strozzi_sim.facts.blocks import Block, CountedCell, Quantiles, shares
from strozzi_sim.facts.columns import Table
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.figures import SCORE, Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.parts import Part
from strozzi_sim.game.sentences import with_capital

QUANTILES = {"score_q05": 0.05, "score_q25": 0.25, "score_q50": 0.5, "score_q75": 0.75, "score_q95": 0.95}
# share of games won by the leader after each round but the last, where facts `round` have a column `leader`
LEADERS = Block(
    "round",
    {"round": "round"},
    shares(**{"leader_{}_wins_share": "win"}),
    where="leader == yes",
    exclude={"round": lambda cell: [str(cell.match.game.components_part.rounds(cell.components))]},
    named="round",
)
_SEPARATOR = " \N{MIDDLE DOT} "  # separates the parts of a label, of which findings use the first


class ReportPart(Part):
    """`report.py`: the report's tables, and its parts that depend on component data; `report.toml` has the rest."""

    FILE = "report"
    BLOCKS: Mapping[str, Sequence[Block | Quantiles]] = MappingProxyType({})  # page -> more blocks of its table
    MAPS: Mapping[str, Block] = MappingProxyType({})  # name in report.toml -> block, with the keys `row` and `column`
    # page -> function that adds figures of a cell to its table that no block makes
    ADD: Mapping[str, Callable[[FigureTable, CountedCell], None]] = MappingProxyType({})
    FIGURES: Sequence[Figure] = ()  # the figures that functions of ADD make

    def words(self, tables: Mapping[str, Any], data: Mapping[str, Any]) -> Mapping[str, str]:
        """Return labels of values that depend on the tables or on a variant's component data; `data` may be empty."""
        return {}

    def board(self, components: Mapping[str, Any]) -> Board:
        """Return the board on which pictures of kind `board` are drawn."""
        raise InputError(f"game {self.game.name!r}: report.py has no board")


@dataclass(frozen=True)
class Page:
    """A page of a game's report."""

    title: str  # title of the page
    question: str  # the question that it answers
    keys: tuple[str, ...]  # key columns of its table, beside those of the cell
    blocks: tuple[Block | Quantiles, ...] = ()  # figures of facts
    add: Callable[[FigureTable, CountedCell], None] | None = None  # function that adds figures of other origin
    added: tuple[Figure, ...] = ()  # figures that it may add

    def __post_init__(self) -> None:
        for key in self.keys:
            if key in (*CELL, *FIGURE, *OF_CHANGE):
                raise InputError(f"page {self.title!r}: key {key!r}: tables have a column of this name; choose another")

    @property
    def figures(self) -> list[Figure]:
        """The figures that its table may have; {} in a name stands for a level."""
        return [*self.added, *(figure for block in self.blocks for figure in block.defined())]


HEAT_MAP = TableSpec(("row", "column"), compared=False)


def _add_scores(table: FigureTable, cell: CountedCell) -> None:
    scores, played = (cell.outcome[name].sum(axis=(1, 2)) for name in ("scores", "played"))
    table.add(cell, SCORE, stats.ratio(scores, played))


def map_tables(cells: Sequence[CountedCell], maps: Mapping[str, HeatMap]) -> dict[str, FigureTable]:
    """Return the tables of heat maps of these cells, by name."""
    tables = {heat_map.table: FigureTable(*HEAT_MAP.keys) for heat_map in maps.values()}
    for (table, heat_map), cell in product(zip(tables.values(), maps.values(), strict=True), cells):
        if heat_map.block is not None:
            heat_map.block.write(table, cell)
    return tables


BALANCE = Page("Balance", "Is the game fair to its seats?", (), add=_add_scores, added=(SCORE,))


class Report:
    """A game's report, from `report.toml` (`where` in errors) and `report.py`; without them, the page `balance`."""

    def __init__(self, game: Game, declared: ReportFile | None = None, code: Any = None, where: str = "") -> None:
        self._declared, self._code = declared or ReportFile(), code
        self._player_names = game.player_names
        blocks, add = (code.BLOCKS, code.ADD) if code else ({}, {})
        declared_pages = self._declared.pages
        for name in (*blocks, *add):
            if name not in declared_pages:
                known = suggest_names(name, [*declared_pages])
                raise InputError(f"{where}: pages: no {short_repr(name)}, which report.py has; {known}")
        self.pages: dict[str, Page] = {"balance": BALANCE}
        drawn_pages = {picture.page for picture in self._declared.pictures.values()}
        common: dict[str, DeclaredPicture] = {}
        self.alarms: dict[str, Alarm] = dict(self._declared.alarms)
        for name, page in declared_pages.items():
            table, counted = counted_figures(page, game, f"{where}: pages.{name}")
            if table is not None and page.keys and name not in drawn_pages:
                common |= common_pictures(name, page, table, [ratio.figure for ratio in counted])
            if table is not None:
                self.alarms |= alarms_of_page(name, page, table)
            own = [Block(table.name, {key: key for key in page.keys}, counted)] if table is not None else []
            of_page = (*own, *blocks.get(name, ()))
            title = page.title or words_of(name).capitalize()
            added = tuple(code.FIGURES) if name in add else ()
            self.pages[name] = Page(title, page.question or title, page.keys, of_page, add.get(name), added)
        self._declared = structs.replace(self._declared, pictures={**self._declared.pictures, **common})
        maps: Mapping[str, Block] = code.MAPS if code else {}
        self.heat_maps: dict[str, HeatMap] = {}
        # heat maps with a `value`, which every study of all pages draws
        self.drawn_maps = tuple(name for name, given in self._declared.heatmaps.items() if given.value)
        for name, given in self._declared.heatmaps.items():
            if given.value:
                asked = HeatMapSpec(name, given.rows, given.columns, given.value, given.where, given.fact, given.title)
                try:
                    drawn = custom_heat_map(game, asked)
                except ArgumentError as error:
                    raise InputError(f"{where}: heatmaps {name}: {error}") from None
                caption = caption_of(self._declared, given.caption)
                self.heat_maps[name] = replace(drawn, caption=caption or drawn.caption)
            else:
                self.heat_maps[name] = heat_map_of(self._declared, name, maps, where)
        of_tables = {name: page.figures for name, page in self.pages.items()}
        of_tables |= {
            each.table: [each.figure, *each.block.defined()] for each in self.heat_maps.values() if each.block
        }
        # table -> the figures that it may have, those of several levels last; see `Page.figures`
        self.figures = {name: self._labelled(name, figures) for name, figures in of_tables.items()}
        for name, alarm in self.alarms.items():
            alarm.check(f"{where}: alarms.{name}", self.figures, {each: page.keys for each, page in self.pages.items()})
        self.questions = self._declared.questions
        self.held = self._declared.held

    @property
    def is_default(self) -> bool:
        """Whether the game declares no pages, pictures or heat maps."""
        return self.pages == {"balance": BALANCE} and not self._declared.pictures and not self.heat_maps

    def described(self, page: str) -> dict[str, str]:
        """Return name -> label of the figures that have a line of their own in a table of a page."""
        drawn = [each for each in self._declared.pictures.values() if (each.page, each.x) == (page, "figure")]
        return {name: text for each in drawn if isinstance(each.figures, dict) for name, text in each.figures.items()}

    def words(self, tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
        """Return labels of raw values in a variant with this component data, which may be empty."""
        return {**self._player_names, **self._declared.words, **(self._code.words(tables, data) if self._code else {})}

    def tables(
        self, cells: Sequence[CountedCell], pages: Collection[str], maps: Mapping[str, HeatMap], *, sums: bool = False
    ) -> dict[str, FigureTable]:
        """Return the tables of these cells: `balance`, those of the pages, and heat_<name> of the heat maps."""
        tables = {name: FigureTable(*self.pages[name].keys, sums=sums) for name in self._shown(pages)}
        for (name, table), cell in product(tables.items(), cells):
            page = self.pages[name]
            if page.add is not None:
                page.add(table, cell)
            for block in page.blocks:
                block.write(table, cell)
        return {**tables, **map_tables(cells, maps)}

    def explored(self, tables: Sequence[Table]) -> dict[str, Block]:
        """Return the distinct blocks of the heat maps by the first map's name, also by round where that is possible."""
        with_round = {table.name for table in tables if any(column.name == "round" for column in table.columns)}
        blocks: dict[str, Block] = {}
        for name, heat_map in self.heat_maps.items():
            if heat_map.block is not None and heat_map.block not in blocks.values():
                blocks[name] = heat_map.block
        return {
            name: replace(block, axes={**block.axes, "round": "round"}, margins=(*block.margins, "round"))
            if block.fact in with_round and "round" not in block.axes.values() and not block.differences
            else block
            for name, block in blocks.items()
        }

    def crosstabs(self, pages: Collection[str]) -> list[Crosstab]:
        """Return the crosstabs that these pages need."""
        return [block.crosstab for name in self._shown(pages) for block in self.pages[name].blocks]

    def _labelled(self, table: str, figures: Sequence[Figure]) -> list[Figure]:
        labels = dict(self._declared.figures)
        for picture in reversed(self._declared.pictures.values()):
            for given in (picture.figures, *picture.groups.values()):
                if isinstance(given, dict) and (picture.table or picture.page) == table:
                    labels |= given
        with_labels = [replace(each, label=each.label or labels.get(each.name, "")) for each in figures]
        return sorted(with_labels, key=lambda figure: "{}" in figure.name)

    def _known(self, tables: Tables, name: str) -> Known:
        return figures_in(tables, name, reversed(self.figures.get(name, ())))

    def _shown(self, pages: Collection[str]) -> list[str]:
        check_names("page", pages, self.pages)
        return [name for name in self.pages if name == "balance" or name in pages]

    def pictures(self, tables: Tables) -> list[Picture]:
        """Return the pictures of pages with tables, in order; then those that compare several variants or line-ups."""
        if tables["balance"].empty:
            return []
        several = len(first_scenario(tables["balance"])) < len(tables["balance"])
        declared = self._declared.pictures
        names = [name for name, each in declared.items() if each.page in tables and (several or not each.compared)]
        board = self._code.board if self._code else None
        names.sort(key=lambda name: declared[name].compared)
        known = {name: self._known(tables, declared[name].table or declared[name].page) for name in names}
        return [picture_of(self._declared, name, tables, known[name], board) for name in names]

    def comparisons(self, tables: Tables) -> dict[str, tuple[Picture, Comparison, Finding]]:
        """Return page -> (picture, what is compared in it, its `Finding`).

        The picture is the first that declares a finding, else the first with levels to compare; tables come last. One
        that is `compared` has no finding.
        """
        found: dict[str, tuple[Picture, Comparison, Finding]] = {}
        findings = {name: finding_in(each) for name, each in self._declared.pictures.items() if not each.compared}
        own = [picture for picture in self.pictures(tables) if picture.name in findings]
        for picture in sorted(own, key=lambda each: (findings[each.name] == Finding(), each.kind == "table")):
            finding = findings[picture.name]
            if picture.table not in tables:
                continue
            figures = figures_compared(self._declared, picture, self._known(tables, picture.table))
            if (compared := comparison_of(picture, finding, figures)) is not None:
                found.setdefault(picture.page, (picture, compared, finding))
        return found

    def findings(
        self,
        tables: Tables,
        components: Mapping[str, Any],
        chunks: int = MAX_CHUNKS,
        *,
        named: bool | None = None,
        whom: Callable[[str], str] = str,
    ) -> dict[str, str]:
        """Return page -> its finding, about the first variant and line-up at the player count of the headline.

        `components` is variant -> component data, `whom` returns the agents of a line-up in words. Each finding names
        its games with `named`; default: if the study has several player counts, variants or line-ups.
        """
        if tables["balance"].empty:
            return {}
        players, scenario, name_of = self._headline(tables, components)
        where = f"{'' if scenario['variant'] == 'base' else ' in ' + scenario['variant']} at {players} players"
        several = len(tables["balance"][list(CELL)].drop_duplicates()) > 1
        is_named = several if named is None else named
        games = f"Played by {whom(scenario['lineup'])}{where}: " if is_named else ""
        text_by_page = {}
        for page, (picture, compared, finding) in self.comparisons(tables).items():
            text = finding_of(compared, finding, pick(tables[picture.table], **scenario), players, name_of, chunks)
            if text:
                text_by_page[page] = f"{games}{text}" if games else with_capital(text)
        return text_by_page

    def found_alarms(
        self,
        tables: Tables,
        components: Mapping[str, Any],
        lineups: Lineups,
        reference: str,
        usual: str,
        boxes: Mapping[str, str],
    ) -> list[FoundAlarm]:
        """Return the alarms that are certain; `components` is variant -> component data, `usual` the default agent.

        `boxes` is variant -> the variant in a sentence.
        """
        words_of_variant = cache(lambda variant: self.words(tables, components.get(variant, {})))

        def name_of(variant: str, key: str, level: str) -> str:
            if key == VARIANT:
                return boxes[level]
            if key == "agent":
                return "usual play" if level == usual else level
            return self._name_of(words_of_variant(variant), key, level)

        return found_alarms({**self.alarms, "choices": NO_CHOICE}, tables, lineups, reference, name_of)

    def ends(self, tables: Tables, components: Mapping[str, Any], page: str) -> list[tuple[Any, Figure, str]]:
        """Return the two largest values and the smallest of a finding's first figure, as (row, figure, name)."""
        if page not in (compared_in := self.comparisons(tables)):
            return []
        picture, compared, _ = compared_in[page]
        players, scenario, name_of = self._headline(tables, components)
        rows = compared_rows(compared, pick(tables[picture.table], **scenario, players=players, **compared.where))
        figure = compared.figures[0]
        rows = rows[rows["figure"] == figure.name].sort_values("value", ascending=False, kind="stable")
        keys = [key for key in (compared.key, compared.at) if key not in ("", "figure")]
        chosen = rows.iloc[[0, 1, -1]] if len(rows) > 2 else rows

        def name_in_place(key: str, level: str) -> str:
            name = name_of(key, level)
            label = picture.x_label if key == picture.x and picture.x_label else key
            return with_key(label, name) if name == level else name  # a name in words needs no key

        return [
            (row, figure, ", ".join(name_in_place(key, str(row[key])) for key in keys)) for _, row in chosen.iterrows()
        ]

    def _headline(
        self, tables: Tables, components: Mapping[str, Any]
    ) -> tuple[int, dict[str, str], Callable[[str, str], str]]:
        """Return the player count, the variant and line-up, and the names of levels, of the games of findings.

        Levels of keys are called by their names, else by the first part of their labels.
        """
        first = first_scenario(tables["balance"])
        players, scenario = headline_players(first), first.iloc[0][["variant", "lineup"]].to_dict()
        agents = agent_names(pick(tables["lineup"], players=players, **scenario), players, self._player_names)
        positions = {f"position={k}": each for k, each in enumerate(agents)}
        words = self.words(tables, components.get(scenario["variant"], {})) | positions
        return players, scenario, partial(self._name_of, words)

    def _name_of(self, words: Mapping[str, str], key: str, level: str) -> str:
        """Return what a sentence calls a level: its name, else the first part of its label in `words`."""
        return named(level, {**words, **self._declared.names}, key).split(_SEPARATOR)[0]


@cache
def report_of(game: Game) -> Report:
    """Return the report of a game: `report.toml` and `report.py`, or the default report. Raises InputError."""
    return read_report(game, ReportPart.if_any(game))


def read_report(game: Any, code: Any) -> Report:
    """Return the report of a game; `code` is its `report.py`, or None. Raises InputError."""
    declared = read_report_file(game.package)
    if declared is None and code is not None:
        raise InputError(f"{game.package}: report.py needs a report.toml beside it, with its pages")
    return Report(game, declared, code, f"{game.package}: report.toml")
