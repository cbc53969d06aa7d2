"""Tables for a spreadsheet: one a question, a row a thing, plain names, rounded; and one that says what each column is.

Each figure has three columns, the value and the ends of its 95 % interval; shares are in per cent. Long tables stay long where
a figure is what a row is about: the figures of the whole game, and what changed.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from strozzi_sim.errors import InputError
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import CELL, Tables
from strozzi_sim.reports.changes import Labels, labels_of
from strozzi_sim.reports.findings import seat_pictures
from strozzi_sim.reports.naming import Naming
from strozzi_sim.runtime.digits import most_digits
from strozzi_sim.studies.outputs import csv_bytes

COLUMNS = "columns"  # the sheet that explains the others
_NUMBERS = ("value", "low", "high", "n", "deals")
_LONG = ("changes", "precision", "best", "difference")
_DIGITS = 3  # most decimals
_KEYS = {
    "players": "number of players", "variant": "variant of the components", "lineup": "line-up: one agent plays itself",
    "seat": "seat; 0 starts", "position": "place in the line-up", "agent": "agent", "by": "what the rows are divided by",
    "level": "part of that division", "figure": "figure", "than": "what it is compared with",
}  # fmt: skip
_SAFE_SHEET = re.compile(r"[\[\]:*?/\\']")
_LONGEST_SHEET = 31  # characters, in every spreadsheet program


def sheets(manifest: Mapping[str, Any], tables: Tables, game: Game) -> dict[str, pd.DataFrame]:
    """Return the tables for a spreadsheet by name, the last one about the columns.

    Args:
        manifest: content of manifest.json.
        tables: tables of the results.
        game: game of the results.
    """
    pictures = [*seat_pictures(tables), *game.report.pictures(tables)] if "seats" in tables else []
    words = Naming(game, tables, manifest.get("plan", {}).get("variants", {})).of_all() if "seats" in tables else {}
    found: dict[str, pd.DataFrame] = {}
    about: list[tuple[str, str, str]] = []
    for name, table in tables.items():
        if table.empty:
            continue
        for title, part in _parts(name, table):
            of_table = labels_of(picture for picture in pictures if picture.table == name or name in _LONG)
            sheet, meanings = _sheet(name, part, of_table, words)
            found[title] = sheet
            about += [(title, column, meanings[column]) for column in sheet.columns]
    return {**found, COLUMNS: pd.DataFrame(about, columns=["sheet", "column", "what it is"])}


def csv_files(found: Mapping[str, pd.DataFrame]) -> dict[str, bytes]:
    """Return the sheets as CSV, by file name; no text is run as a formula."""
    return {f"{title.replace(' ', '-')}.csv": csv_bytes(sheet) for title, sheet in found.items()}


def workbook(found: Mapping[str, pd.DataFrame]) -> bytes:
    """Return the sheets as one .xlsx file. Every text is stored as text, so none is run as a formula.

    Raises:
        InputError: openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook
        from openpyxl.styles import Font
        from openpyxl.utils import get_column_letter
    except ImportError:
        raise InputError("xlsx: needs openpyxl; install it with: pip install 'strozzi-sim[xlsx]'") from None
    book, names = Workbook(), _sheet_names(found)
    book.remove(book.active)
    for title, sheet in found.items():
        page = book.create_sheet(names[title])
        if title == COLUMNS:
            sheet = sheet.assign(sheet=sheet["sheet"].map(names))
        for row, line in enumerate([list(sheet.columns), *sheet.itertuples(index=False, name=None)], 1):
            for column, value in enumerate(line, 1):
                if not isinstance(value, str) and pd.isna(value):
                    continue
                cell = page.cell(row, column)
                if isinstance(value, str):
                    cell.value = _printable(value)
                    cell.data_type, cell.quotePrefix = "s", True  # text, also after it has been edited
                else:
                    cell.value = value.item() if hasattr(value, "item") else value
                if row == 1:
                    cell.font = Font(bold=True)
        for column, name in enumerate(sheet.columns, 1):
            page.column_dimensions[get_column_letter(column)].width = min(max(len(str(name)) + 2, 10), 40)
        page.freeze_panes = "A2"
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _sheet_names(titles: Iterable[str]) -> dict[str, str]:
    """Return a name for each title, short enough, and unlike the others also without regard to capitals."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for title in titles:
        whole, number, end = _SAFE_SHEET.sub(" ", title), 1, ""
        while (name := whole[: _LONGEST_SHEET - len(end)].rstrip() + end).lower() in taken:
            number += 1
            end = f" {number}"
        names[title] = name
        taken.add(name.lower())
    return names


def _printable(text: str) -> str:
    """Return a text without the control characters that the format cannot hold."""
    return "".join(letter if letter >= " " or letter in "\t\n" else "?" for letter in text)


def _parts(name: str, table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield a table, or its parts by what it is divided by, with their titles."""
    title = name.replace("_", " ")
    if "by" not in table or name in _LONG:
        yield title, table
        return
    for by, part in table.groupby("by", sort=False):
        keys = [key for key in part.columns if key != "by"]
        found = part[keys].rename(columns={"level": str(by)} if by and "level" in keys and by not in keys else {})
        yield f"{title} by {str(by).replace('_', ' ')}" if by else title, found


def _sheet(
    name: str, table: pd.DataFrame, labels: Labels, words: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a table for a spreadsheet, and the meaning of each column."""
    if not {"figure", "value", "low", "high"} <= set(table.columns):
        plain = table.rename(columns=lambda column: column.replace("_", " "))
        return plain, {column: _KEYS.get(column, column) for column in plain.columns}
    keys = list(table.columns[: list(table.columns).index("figure")])
    rest = [column for column in table.columns if column not in (*keys, "figure", *_NUMBERS)]
    if name in _LONG or rest or set(keys) <= set(CELL) or table.duplicated([*keys, "figure"]).any():
        return _long(table, keys, rest, labels, words)
    return _wide(name, table, keys, labels, words)


def _long(
    table: pd.DataFrame, keys: list[str], rest: list[str], labels: Labels, words: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a row a figure."""
    rows = [_rounded(row, labels) for row in table.itertuples(index=False)]
    made: dict[str, Any] = {key: _said(table[key], key, words) for key in keys}
    made["figure"] = [_label(name, labels) for name in table["figure"]]
    for place, end in enumerate(("value", "low", "high")):
        made[end] = [row[place] for row in rows]
    made |= {column: table[column] for column in ("n", "deals", *rest) if column in table}
    meanings = {key: _KEYS.get(key, key) for key in made}
    meanings |= {
        "value": "the figure; shares in per cent",
        "low": "lower end of its 95 % interval",
        "high": "upper end of it",
    }
    meanings |= {"n": "number of events behind it", "deals": "number of deals behind it"}
    return pd.DataFrame(made), meanings


def _wide(
    name: str, table: pd.DataFrame, keys: list[str], labels: Labels, words: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a row a thing, with three columns for each figure."""
    lines: dict[tuple[Any, ...], dict[str, Any]] = {}
    meanings = {key: _KEYS.get(key, key) for key in keys}
    said = {key: _said(table[key], key, words) for key in keys}
    levels = table[keys].itertuples(index=False, name=None)  # a key may be no identifier: tracks.bonus.7
    for number, (row, level) in enumerate(zip(table.itertuples(index=False), levels, strict=True)):
        line = lines.setdefault(level, {key: said[key][number] for key in keys})
        label = _label(row.figure, labels)
        value, low, high = _rounded(row, labels)
        line |= {label: value, f"{label} (low)": low, f"{label} (high)": high}
        meanings[label] = f"{row.figure} of the table {name}"
        meanings |= {
            f"{label} ({end})": f"{side} end of its 95 % interval"
            for end, side in (("low", "lower"), ("high", "upper"))
        }
        line["n"] = min(int(row.n), line.get("n", int(row.n)))
    meanings["n"] = "number of events behind the figure that has fewest"
    frame = pd.DataFrame(lines.values())
    return frame[[*(column for column in frame.columns if column != "n"), "n"]], meanings


def _said(column: pd.Series, key: str, words: Mapping[str, str]) -> list[Any]:
    """Return raw values as the report names them."""
    if key in CELL:
        return list(column)
    return [words.get(f"{key}={value}", words.get(str(value), value)) for value in column]


def _figure(name: str, labels: Labels) -> Figure:
    plain = name.removesuffix("_minus_position_0")
    unit = (
        "share"
        if (plain.endswith(("_share", "_lost")) and not plain.startswith("score")) or plain == "popularity"
        else "number"
    )
    return labels.get(plain) or Figure(plain, plain.replace("_", " "), unit)  # type: ignore[arg-type]


def _label(name: str, labels: Labels) -> str:
    figure = _figure(name, labels)
    less = " minus that of position 0" if name.endswith("_minus_position_0") else ""
    return f"{figure.label}{', %' if figure.unit == 'share' else ''}{less}"


def _rounded(row: Any, labels: Labels) -> tuple[float, float, float]:
    """Return value, low and high with the digits that mean something; shares in per cent."""
    scale = 100 if _figure(row.figure, labels).unit == "share" else 1
    digits = min(most_digits((row.high - row.low) / 2 * scale), _DIGITS)
    value, low, high = (round(float(end) * scale, digits) + 0.0 for end in (row.value, row.low, row.high))
    return value, low, high
