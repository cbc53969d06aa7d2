"""The look of a study: facts to count, rows to keep, and its page as data. It is no part of the study's hash."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from string import Template
from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta

from strozzi_sim.declare.custom_heatmaps import HeatMapSpec, custom_heat_map
from strozzi_sim.declare.figure_tables import Tables, figures_in
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import HeatMap, Picture
from strozzi_sim.declare.report_file import ReportFile, picture_of, read_report_file
from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, check_names, short_repr, suggest_names
from strozzi_sim.facts.figures import Figure
from strozzi_sim.facts.row_storage import RowSelection, keep_of
from strozzi_sim.game import Game
from strozzi_sim.game.converting import converted
from strozzi_sim.game.variants import with_text_keys
from strozzi_sim.runtime.files import check_portable
from strozzi_sim.study.cells import OF_SIDES

# questions of a balance study, as is every page of its game but `balance`
SEATS, AGENTS, VARIANTS, HEATMAPS = "seats", "agents", "variants", "heatmaps"


class Look(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The facts to count beside wins and scores, the rows to keep, and what the report shows. A look changes no game.

    Attributes:
        name: name of the study.
        question: what a balance study answers: seats, agents, variants, heatmaps or a page; "": what varies, or seats.
        pages: pages of the game's report; None: all of them.
        heatmaps: names of further heat maps of the game; without `pages` its usual ones are shown too.
        heatmap: custom heat maps.
        effect: smallest difference of variants, or worth, that matters: 0.01 is a point of a share, 1 % of a mean.
        explorer: whether the page has an explorer of all heat maps, if the study has at most 24 cells.
        rows: whether a row is kept for every game and seat.
        facts: fact tables whose rows are kept.
        facts_share: rows of facts are kept of one in round(1 / facts_share) deals; None: of all.
    """

    name: Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,64}$(?!\n)")] = "study"
    question: str = ""
    pages: tuple[str, ...] | None = None
    heatmaps: tuple[str, ...] = ()
    heatmap: tuple[HeatMapSpec, ...] = ()
    effect: Annotated[float, Meta(ge=0, le=1)] = 0.01
    explorer: bool = False
    rows: bool = False
    facts: tuple[str, ...] = ()
    facts_share: float | None = None

    @classmethod
    def of(cls, **keys: Any) -> Self:
        """Return the look with these keys; some of them may be in a table `report`."""
        report = keys.pop("report", {})
        if not isinstance(report, Mapping):
            raise ArgumentError("report", f"expected a table of keys, got {short_repr(report)}")
        for key in report:
            if key not in cls.__struct_fields__:
                raise ArgumentError(f"report.{key}", f"unknown key; {suggest_names(key, cls.__struct_fields__)}")
            if key in keys:
                raise ArgumentError(f"report.{key}", f"{key} is given outside the table too; give one of them")
        try:
            look: Self = converted(with_text_keys({**keys, **report}), cls, "look")
        except InputError as error:
            key, _, words = str(error).removeprefix("look: ").partition(": ")
            raise ArgumentError(key, words or key) from None
        as_argument_error("name", check_portable, look.name)  # that of the default results folder
        return look

    def kept_in(self, game: Game) -> RowSelection:
        """Return the selection of fact rows to keep."""
        return keep_of(game.fact_tables, self.facts, self.facts_share)

    def pages_in(self, game: Game) -> tuple[str, ...]:
        """Return the pages that are shown."""
        if self.pages is None:
            return tuple(report_of(game).pages)
        as_argument_error("pages", check_names, "page", self.pages, report_of(game).pages)
        return self.pages

    def maps_in(self, game: Game) -> dict[str, HeatMap]:
        """Return the heat maps that are shown, by name."""
        known = report_of(game).heat_maps
        as_argument_error("heatmaps", check_names, "heat map", self.heatmaps, known)
        drawn = report_of(game).drawn_maps if self.pages is None else ()
        maps = {name: known[name] for name in dict.fromkeys((*drawn, *self.heatmaps))}
        for spec in self.heatmap:
            if spec.name in maps or spec.name in known:
                raise ArgumentError("heatmap", f"{spec.name}: the name is already used; choose another")
            try:
                maps[spec.name] = custom_heat_map(game, spec)
            except ArgumentError as error:
                raise InputError(f"heatmap {spec.name}: {error}") from None
        return maps


PLAIN = Look()


@dataclass(frozen=True)
class KeyNumber:
    """One of the numbers of a page's first screen."""

    row: Any  # row of a table with value, low and high
    figure: Figure
    what: str
    is_change: bool = False  # whether it is shown with a sign


Numbers = tuple[KeyNumber, ...]


@dataclass(frozen=True)
class Section:
    """A section of a report. The first one has the picture and the numbers of the first screen."""

    name: str
    question: str
    shown: tuple[Picture | HeatMap, ...] = ()  # pictures, tables and heat maps
    sentences: tuple[str, ...] = ()
    finding: str = ""  # its title; default: its name
    numbers: Numbers = ()  # shown on the first screen if the section is the first one
    tables: Mapping[str, Any] = field(default_factory=dict)  # tables of its pictures, beside those of the study
    caveats: tuple[str, ...] = ()  # shown with the verdict if the section is the first one
    keys: tuple[tuple[str, ...], ...] = ()  # rows of a small table of text beside the sentences, the head first
    beside: bool = False  # whether the pictures of variants and line-ups stand beside each other


@cache
def _declared() -> ReportFile:
    declared = read_report_file("strozzi_sim.study")
    assert declared is not None
    return declared


def picture(name: str, tables: Tables, figures: Iterable[Figure] = OF_SIDES, **words: str) -> Picture:
    """Return a picture of `report.toml`; `words` are the values of $name in its texts.

    `figures` are those that its table may have, unless the table `figures` lists them.
    """
    given = _declared().pictures[name]
    known = {figure.name: figure for figure in figures} | figures_in(tables, given.table or given.page, figures)
    declared = picture_of(_declared(), name, tables, known)
    parts: Any = {key: _filled(text, words) for key, text in vars(declared).items() if isinstance(text, str)}
    filled = tuple(replace(figure, label=_filled(figure.label, words)) for figure in declared.figures)
    where = {column: _filled(value, words) for column, value in declared.where.items()}
    return replace(declared, **parts, figures=filled, where=where)


def pictures_of(page: str, tables: Tables, figures: Iterable[Figure] = OF_SIDES, **words: str) -> tuple[Picture, ...]:
    """Return the pictures of a page of `report.toml` whose tables have rows; see `picture`."""
    names = [name for name, each in _declared().pictures.items() if each.page == page]
    pictures = (picture(name, tables, figures, **words) for name in names)
    return tuple(each for each in pictures if len(tables.get(each.table, ())))


def section(
    page: str, tables: Tables, figures: Iterable[Figure] = OF_SIDES, *, numbers: Numbers = (), **words: str
) -> Section:
    """Return a section of `report.toml` with pictures of these tables; see `picture`."""
    declared, shown = _declared().pages[page], pictures_of(page, tables, figures, **words)
    return Section(declared.title, _filled(declared.question, words), shown, numbers=numbers, tables=tables)


def key_numbers(rows: Any, figure: Figure, what: str, *, is_change: bool = False) -> tuple[KeyNumber, ...]:
    """Return a number for each row of a table; `what` has names of columns in braces."""
    return tuple(KeyNumber(row, figure, what.format(**row), is_change) for _, row in rows.iterrows())


def _filled(text: str, words: Mapping[str, str]) -> str:
    return Template(text).substitute(words)
