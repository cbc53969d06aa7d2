"""The tables and heat maps of a page for a spreadsheet, with value, low, high and n, and a sheet of definitions."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from strozzi_sim.declare.figure_tables import FIGURES, Tables
from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.report.html_tables import PageTable
from strozzi_sim.report.outline import Outline
from strozzi_sim.runtime.files import MAKER, TABLE, WORKBOOK, write_replacing
from strozzi_sim.study.files import csv_of, refuse_links
from strozzi_sim.study.results import Results

KINDS = ("csv", "xlsx")
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
    sheets = _sheets_of(results)
    if is_book:
        files = {place: _workbook(sheets)}
    else:
        files = {place / f"{name}.csv": csv_of(sheet) for name, sheet in sheets.items()}
    write_replacing(files, WORKBOOK if is_book else TABLE, within=within, overwrite=overwrite)
    return list(files)


def _sheets_of(results: Results) -> dict[str, pd.DataFrame]:
    """Return the tables and heat maps by name, then definitions of the tables' figures."""
    outline = Outline(results)
    sheets: dict[str, pd.DataFrame] = {}
    labels: dict[str, str] = {}
    for section in outline.sections:
        for shown in section.shown:
            if isinstance(shown, HeatMap):
                sheets[shown.name] = outline.table(section, shown)
            elif shown.kind == "table":
                labels |= {figure.name: figure.label for figure in shown.figures}
                lines: list[dict[str, object]] = []
                for name, part in outline.parts(section, shown):
                    if isinstance(part, PageTable):
                        lines += _lines(name, _with_seats(part))
                if lines:
                    sheets[shown.name] = pd.DataFrame(lines)
    definitions = definitions_of(outline.tables)
    rows = [(name, label, definitions.get(name, "")) for name, label in labels.items()]
    return {**sheets, "figures": pd.DataFrame(rows, columns=["figure", "label", "how it is counted"])}


def _with_seats(table: PageTable) -> PageTable:
    """Return a table of seats with their numbers instead of words; another one unchanged."""
    if not table.seats:
        return table
    numbered = zip(table.seats, table.rows, strict=True)
    rows = tuple(((seat, *keys[1:]), cells) for seat, (keys, cells) in numbered)
    return replace(table, keys=("seat", *table.keys[1:]), rows=rows)


def _lines(name: str, table: PageTable) -> Iterator[dict[str, object]]:
    """Yield the lines of a table: its keys, and value, low, high and n of each cell, in the unit of its label.

    `name` is that of its variant and line-up, if there are several.
    """
    for keys, cells in table.rows:
        line: dict[str, object] = {"games": name} if name else {}
        line |= dict(zip(table.keys, keys, strict=True))
        for (label, sign, _), cell in zip(table.columns, cells, strict=True):
            head = f"{label}, {sign}" if sign else label
            for end, text in zip(("", " (low)", " (high)", " (n)"), cell.numbers if cell else [""] * 4, strict=True):
                line[head + end] = float(text) if text else None
        yield line


def _workbook(sheets: dict[str, pd.DataFrame]) -> bytes:
    """Return the sheets as one .xlsx file, in which every text is a text and never a formula."""
    content = io.BytesIO()
    try:
        book = pd.ExcelWriter(content, engine="openpyxl")
    except ImportError:
        raise InputError("spreadsheet: xlsx needs openpyxl; install it with: pip install 'strozzi-sim[xlsx]'") from None
    with book:
        book.book.properties.lastModifiedBy = MAKER
        for number, (name, sheet) in enumerate(sheets.items(), 1):
            safe = re.sub(r"[\[\]:*?/\\']", " ", name)
            title = safe if len(safe) <= _LONGEST else f"{safe[: _LONGEST - 4]} {number}"
            without_controls = sheet.replace(r"[\x00-\x1f]", " ", regex=True)
            without_controls.to_excel(book, sheet_name=title, index=False, freeze_panes=(1, 0))
            for cell in (cell for row in book.sheets[title].iter_rows() for cell in row if isinstance(cell.value, str)):
                cell.data_type = "s"
                cell.quotePrefix = True  # a text, also after it has been edited
    return content.getvalue()


def definitions_of(tables: Tables) -> dict[str, str]:
    """Return figure -> how it is counted, in the first table that has the figure, of figures with a definition."""
    rows = tables[FIGURES] if FIGURES in tables else pd.DataFrame(columns=["name", "definition"])
    defined = rows[rows["definition"] != ""].drop_duplicates("name")
    return dict(zip(defined["name"], defined["definition"], strict=True))
