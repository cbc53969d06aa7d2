"""The tables of a page for a spreadsheet: a sheet for each, value, low, high and n beside each other, and what the figures are."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.report.html_tables import PageTable, page_table
from strozzi_sim.report.layout import Layout
from strozzi_sim.report.naming import definitions_of
from strozzi_sim.runtime.files import storage_errors, write_atomically
from strozzi_sim.study.files import csv_of, refuse_links
from strozzi_sim.study.results import Results

KINDS = ("csv", "xlsx")
_LONGEST = 31  # letters of a sheet's name, in every spreadsheet program


def write_spreadsheet(results: Results, kind: str, path: str | Path | None = None) -> list[Path]:
    """Write the tables of the page and return the files; default: spreadsheet.xlsx or spreadsheet/ in the results folder.

    Args:
        results: the results.
        kind: csv, a file for each table; or xlsx, one workbook.
        path: the workbook, or the folder of the files.
    """
    if kind not in KINDS:
        raise ArgumentError("spreadsheet", f"must be {' or '.join(KINDS)}, got {kind!r}")
    if path is None and results.folder is None:
        raise InputError("path: nothing is kept in a folder; say where the spreadsheet goes")
    if results.folder is not None:
        refuse_links(results.folder)
    place = (
        Path(path) if path is not None else Path(results.folder or "") / ("spreadsheet" + ".xlsx" * (kind == "xlsx"))
    )
    sheets = sheets_of(results)
    files = (
        {place: workbook(sheets)}
        if kind == "xlsx"
        else {place / f"{name}.csv": csv_of(each) for name, each in sheets.items()}
    )
    with storage_errors(f"cannot write {place}"):
        (place if kind == "csv" else place.parent).mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        write_atomically(file, content)
    return list(files)


def sheets_of(results: Results) -> dict[str, pd.DataFrame]:
    """Return the tables of the page by name, with raw shares, and as the last one what each figure is."""
    layout, found = Layout(results), {}
    figures: dict[str, str] = {}
    for within in layout.sections:
        for shown in within.shown:
            if isinstance(shown, tuple):
                found[shown[0].replace("_", "-")] = layout.table(within, shown)
            elif shown.kind == "table":
                figures |= {figure.name: figure.label for figure in shown.figures}
                parts = []
                for scene in layout.scenes(within, shown)[0]:
                    table = page_table(shown, scene.rows, scene.words)
                    if table is not None:
                        parts.append(pd.DataFrame(_lines(table, scene.name)))
                if parts:
                    found[shown.name] = pd.concat(parts, ignore_index=True)
    meanings = definitions_of(figures, results.study.the_game)
    about = [
        {"figure": name, "label": label, "how it is counted": meanings.get(name, "")} for name, label in figures.items()
    ]
    return {**found, "figures": pd.DataFrame(about, columns=["figure", "label", "how it is counted"])}


def _lines(table: PageTable, scene: str) -> Iterator[dict[str, object]]:
    """Yield the lines of a table: its keys, and value, low, high and n of every figure; a share is a part of 1."""
    for keys, cells in table.rows:
        line: dict[str, object] = {"games": scene} if scene else {}
        line |= dict(zip(table.keys, keys, strict=True))
        for (label, _), cell in zip(table.columns, cells, strict=True):
            numbers = cell.numbers if cell else ("", "", "", "")
            label = label.removesuffix(", %")
            for end, text in zip(("", " (low)", " (high)", " (n)"), numbers, strict=True):
                line[label + end] = float(text) if text else None
        yield line


def workbook(sheets: dict[str, pd.DataFrame]) -> bytes:
    """Return the sheets as one .xlsx file; every text stays text, so that none is run as a formula."""
    try:
        import openpyxl
    except ImportError:
        raise InputError("spreadsheet: xlsx needs openpyxl; install it with: pip install 'strozzi-sim[xlsx]'") from None
    book, written = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for number, (name, sheet) in enumerate(sheets.items(), 1):
        safe = re.sub(r"[\[\]:*?/\\']", " ", name)
        page = book.create_sheet(safe if len(safe) <= _LONGEST else f"{safe[: _LONGEST - 4]} {number}")
        for row, line in enumerate([list(sheet.columns), *sheet.itertuples(index=False, name=None)], 1):
            for column, value in enumerate(line, 1):
                if isinstance(value, str):
                    cell = page.cell(row, column, "".join(letter if letter >= " " else " " for letter in value))
                    cell.data_type, cell.quotePrefix = "s", True  # text, also after it has been edited
                elif not pd.isna(value):
                    page.cell(row, column, value.item() if hasattr(value, "item") else value)
        page.freeze_panes = "A2"
    book.save(written)
    return written.getvalue()
