"""A game's `report.toml`: pages, pictures, heat maps, labels, findings and alarms of its report as data.

Two placeholders are filled in from the tables of a study: `{}` in the name of a figure stands for every text that makes
it the name of a figure in the table, and "*" among levels for every level in the table except `all`.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

import msgspec
import pandas as pd

from strozzi_sim.declare.alarms import Alarm
from strozzi_sim.declare.custom_heatmaps import counted, map_table_name, table_of, words_of
from strozzi_sim.declare.figure_tables import Tables
from strozzi_sim.declare.finding import Figures, Finding
from strozzi_sim.declare.pictures import HeatMap, Kind, Picture
from strozzi_sim.errors import ArgumentError, InputError, short_repr, suggest_names
from strozzi_sim.facts.blocks import ALL, Block, Ratio
from strozzi_sim.facts.columns import Table
from strozzi_sim.facts.figures import Figure, filled
from strozzi_sim.game.contract import Game
from strozzi_sim.game.converting import converted
from strozzi_sim.game.sentences import with_capital

FILE = "report.toml"
OCCURRING = "*"
MIN_USE = 0.01  # games in which a level occurs, or else it counts as unused
Known = Mapping[str, Figure]


class DeclaredPage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A page of the report."""

    title: str = ""  # title of the page; default: its name
    question: str = ""  # the question that it answers; default: its title
    keys: tuple[str, ...] = ()  # key columns of its table, beside those of the cell
    fact: str = ""  # fact table of `figures`, in which keys are columns; default: the only one with all columns
    # figure -> `count` (rows per game), `mean COLUMN` or `share COLUMN`; `report.py` makes other figures
    figures: dict[str, str] = {}


class DeclaredPicture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A picture or table of a page; see `declare.pictures.Picture`."""

    page: str
    kind: Kind
    title: str
    caption: str = ""
    table: str = ""  # default: the page's table
    figures: Figures = ()
    groups: dict[str, Figures] = {}
    where: dict[str, str] = {}
    x: str = ""
    x_label: str = ""
    levels: tuple[str, ...] = ()
    series: str = ""
    series_levels: tuple[str, ...] = ()
    equal: bool = False
    zero: bool = False
    sort: str = ""
    most: int = 0
    compared: bool = False  # shown last, and only if there are several variants or line-ups
    finding: str | Finding = ""  # the page's finding, or its text; see `pages.Report.comparisons`


class DeclaredHeatMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A heat map: with a `value` a custom one (`HeatMapSpec`), else a figure of a block of `MAPS` in `report.py`."""

    rows: str  # label of the rows; with `value`, a column of the fact table
    columns: str  # label of the columns, or another column of the fact table
    title: str = ""  # default with `value`: made from the other fields
    value: str = ""  # like `fact` and `where`, a field of `HeatMapSpec`
    fact: str = ""
    where: str = ""
    figure: str = ""  # without `value`: name of the figure in the block
    label: str = ""  # without `value`; default: the label in `figures`
    caption: str = ""  # default with `value`: made from the other fields
    block: str = ""  # without `value`: name of the block in `MAPS`; default: the heat map's name


class Held(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat favoured in the base box, and the number of boxes with other unsourced values in which it is favoured."""

    seat: int
    players: int
    agent: str  # agent of all seats
    held: int  # boxes in which the seat is favoured
    boxes: int  # boxes played


class ReportFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `report.toml`."""

    figures: dict[str, str] = {}  # figure -> its label, where a picture gives none
    words: dict[str, str] = {}  # value, or key=value -> label
    names: dict[str, str] = {}  # value, or key=value -> what a finding calls it; default: its label
    phrases: dict[str, str] = {}  # name -> text of {name} in captions
    pages: dict[str, DeclaredPage] = {}
    pictures: dict[str, DeclaredPicture] = {}
    heatmaps: dict[str, DeclaredHeatMap] = {}
    alarms: dict[str, Alarm] = {}  # the most important first
    held: tuple[Held, ...] = ()  # seats favoured in other boxes
    questions: dict[str, str] = {}  # question -> the heat map that answers it, for the page's explorer


def read_report_file(package: str) -> ReportFile | None:
    """Return the content of a package's `report.toml`, checked; None without one. Raises InputError."""
    place = files(package).joinpath(FILE)
    if not place.is_file():
        return None
    try:
        raw = tomllib.loads(place.read_text("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{place}: not a TOML file: {error}") from None
    declared: ReportFile = converted(raw, ReportFile, str(place))
    _check(declared, str(place))
    return declared


def _check(declared: ReportFile, where: str) -> None:
    def check_known(place: str, kind: str, name: str, names: Mapping[str, Any] | Sequence[str]) -> None:
        if name not in names:
            raise InputError(f"{where}: {place}: unknown {kind} {short_repr(name)}; {suggest_names(name, list(names))}")

    for name, picture in declared.pictures.items():
        own = f"pictures.{name}"
        check_known(f"{own}.page", "page", picture.page, ("balance", *declared.pages))
        finding_in(picture).check(f"{where}: {own}.finding")
        labelled = {"figures": picture.figures} | {f"groups.{bar}": parts for bar, parts in picture.groups.items()}
        for key, given in labelled.items():
            for figure in given if isinstance(given, tuple) else ():
                check_known(f"{own}.{key}", "label of figures", figure, declared.figures)
    for name, heat_map in declared.heatmaps.items():
        if not heat_map.label and not heat_map.value:
            check_known(f"heatmaps.{name}.figure", "label of figures", heat_map.figure, declared.figures)
    for question, name in declared.questions.items():
        check_known(f"questions.{short_repr(question)}", "heat map", name, declared.heatmaps)
    captions = {f"pictures.{name}": picture.caption for name, picture in declared.pictures.items()}
    captions |= {f"heatmaps.{name}": heat_map.caption for name, heat_map in declared.heatmaps.items()}
    for place, caption in captions.items():
        for phrase in re.findall(r"\{(\w*)\}", caption):
            check_known(f"{place}.caption", "phrase", phrase, declared.phrases)


def finding_in(picture: DeclaredPicture) -> Finding:
    """Return the finding that a picture declares; a text alone is a finding with this text."""
    return picture.finding if isinstance(picture.finding, Finding) else Finding(picture.finding)


def figures_compared(declared: ReportFile, picture: Picture, known: Known) -> tuple[Figure, ...]:
    """Return the figures of a picture's finding; default labels are those of the picture, `figures`, or the names."""
    given = finding_in(declared.pictures[picture.name]).figures
    own = {**declared.figures, **{figure.name: figure.label for figure in picture.figures}}
    labels = given if isinstance(given, dict) else {name: own.get(name, words_of(name)) for name in given}
    return figures_of(declared, labels, known)


def figures_of(declared: ReportFile, figure_names: Figures, known: Known) -> tuple[Figure, ...]:
    """Return figures with these labels; a name with {} yields every known figure that it matches.

    `known` is name -> figure, of the picture's table.
    """
    labels = figure_names if isinstance(figure_names, dict) else {name: declared.figures[name] for name in figure_names}
    figures = [figure for name, label in labels.items() for figure in filled(Figure(name, label), known)]
    return tuple(replace(known.get(figure.name, figure), label=figure.label) for figure in figures)


def _levels(given: tuple[str, ...], column: str, table: pd.DataFrame | None) -> tuple[str, ...]:
    """Return levels, with "*" replaced by all levels in a column of the table except `all`."""
    occurring = tuple(table[column].unique()) if OCCURRING in given and table is not None and column in table else ()
    levels = {OCCURRING: [level for level in occurring if level != ALL]}
    return tuple(level for each in given for level in levels.get(each, [each]))


def caption_of(declared: ReportFile, text: str) -> str:
    """Return a caption with its phrases filled in."""
    for name, phrase in declared.phrases.items():
        text = text.replace(f"{{{name}}}", phrase)
    return text


_AS_DECLARED = ("page", "kind", "title", "where", "x", "series", "x_label", "equal", "zero", "sort", "most")


def picture_of(declared: ReportFile, name: str, tables: Tables, known: Known, board: Any = None) -> Picture:
    """Return a declared picture, with its figures, of those `known`, and the levels in the tables of a study."""
    given = declared.pictures[name]
    table_name = given.table or given.page
    table = tables.get(table_name)
    return Picture(
        name,
        table=table_name,
        figures=figures_of(declared, given.figures, known),
        caption=caption_of(declared, given.caption),
        levels=_levels(given.levels, given.x, table),
        series_levels=_levels(given.series_levels, given.series, table),
        groups={bar: figures_of(declared, parts, known) for bar, parts in given.groups.items()},
        board=board if given.kind == "board" else None,
        **{key: getattr(given, key) for key in _AS_DECLARED},
    )


def counted_figures(page: DeclaredPage, game: Game, where: str) -> tuple[Table | None, list[Ratio]]:
    """Return the fact table of a page and the figures that it declares; (None, []) without. Raises InputError."""
    if not page.figures:
        return None, []
    columns = dict.fromkeys(page.keys, "keys")
    for name, value in page.figures.items():
        for column in value.split(" ")[1:]:
            columns.setdefault(column, f"figures.{name}")
    try:
        table = table_of(game, columns, page.fact)
        return table, [counted(table, value, f"figures.{name}", name=name) for name, value in page.figures.items()]
    except ArgumentError as error:
        raise InputError(f"{where}.{error}") from None


def alarms_of_page(name: str, page: DeclaredPage, table: Table) -> dict[str, Alarm]:
    """Return the default alarm of a page that counts the rows of each level of one key: levels without a row."""
    figure = next((figure for figure, value in page.figures.items() if value == "count"), "")
    if not figure or len(page.keys) != 1:
        return {}
    (key,) = page.keys
    words = words_of(key)
    noun, plural = f"{words} {{{key}}}", f"{words} levels"
    if " " in words:  # an alarm is short
        noun, plural = f"level {{{key}}}", "levels"
    deed = "chosen" if table.column(key).of == "action" else "used"
    text, several = f"{noun} is never {deed}", f"{{count}} of {{of}} {plural} are never {deed}"
    return {f"unused-{name}": Alarm(text, figure, name, below=MIN_USE, several=several)}


def common_pictures(name: str, page: DeclaredPage, table: Table, figures: list[Figure]) -> dict[str, DeclaredPicture]:
    """Return the default pictures of a page without pictures: one for each declared figure, by the first two keys."""
    x, series = [*page.keys, ""][:2]
    keys = " and ".join(map(words_of, page.keys[:2]))
    axes = " ".join(f"{words_of(key).capitalize()}: {table.column(key).text}." for key in page.keys[:2])
    common: dict[str, Any] = {"page": name, "kind": "intervals", "x": x, "x_label": words_of(x), "series": series}
    pictures = {}
    for figure in figures:
        title = f"{with_capital(figure.label)} by {keys}"
        caption = f"Of each {table.text.removeprefix('a ')}: {figure.label}. {axes} Whiskers are 95 % intervals."
        picture = DeclaredPicture(**common, title=title, caption=caption, figures={figure.name: figure.label})
        pictures[f"{name}-{figure.name}".replace("_", "-")] = picture
    return pictures


def heat_map_of(declared: ReportFile, name: str, blocks: Mapping[str, Block], where: str) -> HeatMap:
    """Return a heat map of a block of `report.py`. Raises InputError for an unknown block."""
    given = declared.heatmaps[name]
    block = given.block or name
    if block not in blocks:
        known = suggest_names(block, list(blocks))
        message = f"{where}: heatmaps.{name}.block: unknown block {short_repr(block)} of MAPS in report.py; {known}"
        raise InputError(message)
    label = given.label or declared.figures[given.figure]
    declared_figures = {each.name: each for each in blocks[block].defined()}
    figure = replace(declared_figures.get(given.figure, Figure(given.figure)), label=label)
    caption = caption_of(declared, given.caption)
    return HeatMap(given.title, caption, given.rows, given.columns, figure, blocks[block], table=map_table_name(name))
