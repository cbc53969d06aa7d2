"""The tables and heat maps of a page for a spreadsheet, with value, low, high and n, and a sheet that explains them."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from strozzi_sim.declare.figure_tables import named
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import HeatMap, Picture
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.facts.blocks import Block, Quantiles, Ratio
from strozzi_sim.facts.figures import Figure, filled
from strozzi_sim.game.contract import Game
from strozzi_sim.pictures.heat import known_rows
from strozzi_sim.pictures.marks import numbers_of
from strozzi_sim.pictures.series import scenario_words, scenarios
from strozzi_sim.report.html_tables import PageTable, heading
from strozzi_sim.report.outline import Outline
from strozzi_sim.report.page import TEXTS
from strozzi_sim.runtime.files import MAKER, TABLE, WORKBOOK, write_replacing
from strozzi_sim.study.files import csv_of, refuse_links
from strozzi_sim.study.look import Section
from strozzi_sim.study.results import Results

KINDS = ("csv", "xlsx")
ABOUT = "about"  # the sheet that explains the others
_WHO, _VARIANT = "who plays", "variant"  # headings of what differs between the parts of a sheet
_ENDS = ("", " (low)", " (high)", " (n)")  # of the headings of a figure
_WIDTHS = {"A": 24, "B": 46, "C": 120}  # of the columns of ABOUT in a workbook, in letters
_LONGEST = 31  # most characters of a sheet's name that every spreadsheet program accepts


def spreadsheet(results: Results, kind: str, path: str | Path | None = None, *, overwrite: bool = False) -> list[Path]:
    """Write the page's tables into the folder `path` (.csv) or the workbook `path` (.xlsx); return the files.

    Default: spreadsheet/ or spreadsheet.xlsx in the results folder. Only tables and workbooks of ours are replaced,
    unless `overwrite`.
    """
    if kind not in KINDS:
        raise ArgumentError("kind", f"must be {' or '.join(KINDS)}, got {kind!r}")
    if path is None and results.folder is None:
        raise InputError("path: nothing is kept in a folder; say where the spreadsheet goes")
    if results.folder is not None:
        refuse_links(results.folder)
    is_book = kind == "xlsx"
    place = Path(path or Path(results.folder or "", "spreadsheet.xlsx" if is_book else "spreadsheet"))
    within = place.parent if is_book else place
    if path is None:
        within = Path(results.folder or "")
    sheets = _sheets_of(results, is_book=is_book)
    if is_book:
        files = {place: _workbook(sheets)}
    else:
        files = {place / f"{name}.csv": csv_of(sheet) for name, sheet in sheets.items()}
    write_replacing(files, WORKBOOK if is_book else TABLE, within=within, overwrite=overwrite)
    return list(files)


def _sheets_of(results: Results, *, is_book: bool) -> dict[str, pd.DataFrame]:
    """Return the sheet that explains the others, then the tables and heat maps, by name."""
    outline = Outline(results)
    about: list[tuple[str, str, str]] = [("", *line) for line in TEXTS["spreadsheet"].items()]
    about += [("", f"{_WHO}: {name}", sentence) for name, _, sentence in outline.players]
    sheets: dict[str, pd.DataFrame] = {}
    for section in outline.sections:
        for shown in section.shown:
            if shown.kind not in ("heat", "table"):
                continue
            lines = [*_lines(outline, section, shown)]
            if not lines:
                continue
            name = _title(shown.name, len(sheets)) if is_book else shown.name
            sheets[name] = pd.DataFrame(lines, dtype=object)  # whole numbers stay whole beside empty cells
            about.append((name, "", f"{section.question} {shown.title}. {shown.caption}".strip()))
            about += [(name, *line) for line in _explained(results.study.the_game, shown, list(sheets[name]))]
    return {ABOUT: pd.DataFrame(about, columns=["sheet", "heading", "meaning"]), **sheets}


def _title(name: str, number: int) -> str:
    """Return the name of a sheet that every spreadsheet program accepts; `number` tells shortened names apart."""
    safe = re.sub(r"[\[\]:*?/\\']", " ", name)
    return safe if len(safe) <= _LONGEST else f"{safe[: _LONGEST - 4]} {number}"


def _lines(outline: Outline, section: Section, shown: Picture | HeatMap) -> Iterator[dict[str, object]]:
    """Yield a sheet's lines: who plays, if that differs, the keys, and the figures in the units of their headings."""
    table = outline.table(section, shown)
    differs = {_VARIANT: table["variant"].nunique() > 1, _WHO: table["lineup"].nunique() > 1}
    scenario = " and ".join(name for name, is_so in differs.items() if is_so)
    line: dict[str, object]
    if isinstance(shown, HeatMap):
        words, all_scenarios = outline.words(), scenarios(table)
        for row in known_rows(shown, table).itertuples(index=False):
            line = {scenario: scenario_words((row.variant, row.lineup), all_scenarios, words)} if scenario else {}
            places = {shown.row_label: ("row", row.row), shown.column_label: ("column", row.column)}
            names = {
                label: named(raw, words, shown.column_of(key), row.players) for label, (key, raw) in places.items()
            }
            keys = {**names, "players": str(row.players)}
            yield line | _keys(keys) | _cells(heading(shown.figure), numbers_of(row, shown.figure.measure.factor))
        return
    plain = replace(shown, figures=_plain_figures(shown))
    for name, part in outline.parts(section, plain, most=None):
        if isinstance(part, PageTable):
            heads = [f"{label}, {sign}" if sign else label for label, sign, _ in part.columns]
            for names_of_keys, cells in part.rows:
                line = {scenario: name} if name else {}
                line |= _keys(dict(zip(part.keys, names_of_keys, strict=True)))
                for head, cell in zip(heads, cells, strict=True):
                    line |= _cells(head, cell.numbers if cell else ("",) * len(_ENDS))
                yield line


def _plain_figures(shown: Picture) -> tuple[Figure, ...]:
    """Return the figures of a table without the results of statistical tests."""
    return tuple(figure for figure in shown.figures if figure.unit != "p")


def _keys(texts: Mapping[str, str]) -> dict[str, object]:
    return {name: int(text) if text.isdecimal() else text for name, text in texts.items()}


def _cells(head: str, texts: Sequence[str]) -> dict[str, object]:
    numbers = [float(text) if text else None for text in texts]
    whole = [int(number) if number is not None and number.is_integer() else number for number in numbers]
    return {head + end: number for end, number in zip(_ENDS, whole, strict=True)}


def _explained(game: Game, shown: Picture | HeatMap, columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the headings of a sheet with these columns, and the names of its lines if these are figures, explained."""
    figures = (shown.figure,) if isinstance(shown, HeatMap) else _plain_figures(shown)
    meanings = {heading(figure): _meaning(game, shown, figure) for figure in figures}
    of_lines = isinstance(shown, Picture) and shown.x == "figure"
    known = {**TEXTS["spreadsheet_keys"], **meanings}
    other = TEXTS["spreadsheet_others"]["count" if of_lines else "key"]
    for column in columns:
        if not column.endswith(_ENDS[1:]):
            yield column, known.get(column, other)
    for name, meaning in meanings.items() if of_lines else ():
        yield f"figure: {name}", meaning


def _meaning(game: Game, shown: Picture | HeatMap, figure: Figure) -> str:
    """Return how a figure is counted in plain words."""
    pages, facts = report_of(game).pages, {table.name: table for table in game.fact_tables}
    own: Sequence[Block | Quantiles | None] = pages[shown.table].blocks if shown.table in pages else ()
    where: Mapping[str, str] = {}
    if isinstance(shown, HeatMap):
        own = (shown.block,)
    else:
        where = shown.where
    for block, ratio in _counted(own):
        is_shown = all(block.levels.get(key, level) == level for key, level in where.items())
        if is_shown and figure.name in [each.name for each in filled(ratio.figure, [figure.name])]:
            return ratio.meaning(facts[block.fact], block.where)
    for block, ratio in _counted(block for page in pages.values() for block in page.blocks):
        if figure.definition == ratio.formula(block.fact, block.where):  # of a table made from those of pages
            return ratio.meaning(facts[block.fact], block.where)
    return figure.definition


def _counted(blocks: Iterable[Block | Quantiles | None]) -> Iterator[tuple[Block, Ratio]]:
    """Yield the figures of blocks that have no other definition than their formula."""
    for block in blocks:
        if isinstance(block, Block):
            yield from ((block, ratio) for ratio in block.figures if not ratio.figure.definition)


def _workbook(sheets: dict[str, pd.DataFrame]) -> bytes:
    """Return the sheets as one .xlsx file, in which every text is a text and never a formula."""
    content = io.BytesIO()
    try:
        book = pd.ExcelWriter(content, engine="openpyxl")
    except ImportError:
        raise InputError("spreadsheet: xlsx needs openpyxl; install it with: pip install 'strozzi-sim[xlsx]'") from None
    with book:
        book.book.properties.lastModifiedBy = MAKER
        for title, sheet in sheets.items():
            without_controls = sheet.replace(r"[\x00-\x1f]", " ", regex=True)
            without_controls.to_excel(book, sheet_name=title, index=False, freeze_panes=(1, 0))
            for cell in (cell for row in book.sheets[title].iter_rows() for cell in row if isinstance(cell.value, str)):
                cell.data_type = "s"
                cell.quotePrefix = True  # a text, also after it has been edited
        for letter, width in _WIDTHS.items():
            book.sheets[ABOUT].column_dimensions[letter].width = width
    return content.getvalue()
