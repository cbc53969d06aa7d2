"""report: the page of results again, of several folders side by side, and tables for a spreadsheet."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from strozzi_sim.cli.show import Answer, places_of
from strozzi_sim.errors import ArgumentError, short_repr

if TYPE_CHECKING:
    from strozzi_sim.study.results import Results


def report(folders: Sequence[str | Path], *, out: str | Path = "", spreadsheet: str = "") -> Answer:
    """Write the report of a results folder again from its tables, or one page of several studies side by side.

    Nothing in the folders is run: their agents need not exist any more.

    Example: strozzi report results/balance-by-player-count

    Args:
        folders: a results folder, or several to lay side by side
        out: page of several studies; default: side-by-side.html
        spreadsheet: csv or xlsx: write the tables for a spreadsheet too, rounded, with plain names; xlsx needs openpyxl
    """
    from strozzi_sim.study.beside import side_by_side
    from strozzi_sim.study.folders import load_results

    if spreadsheet not in ("", "csv", "xlsx"):
        raise ArgumentError("spreadsheet", f"must be csv or xlsx, got {short_repr(spreadsheet)}")
    results = [load_results(folder) for folder in folders]
    if len(results) > 1:
        if spreadsheet:
            raise ArgumentError("spreadsheet", "is for one folder; write that of each")
        together = side_by_side(results)
        page = together.report(out or "side-by-side.html")
        document = {"results": [str(folder) for folder in folders], "games": together.n_games, "report": str(page)}
        return Answer(document, [*together.verdict, f"\nreport: {page}"])
    if out:
        raise ArgumentError("out", "is for several folders; the page of one is written into it")
    (found,) = results
    places = {"report": str(found.report())}
    if spreadsheet:
        places["spreadsheet"] = str(_write_sheets(found, spreadsheet))
    lines = [f"{name}: {place}" for name, place in places.items()]
    tables = f"\ntables: {found.folder}/tables"
    return Answer(places_of(found, places["report"]) | places, [*found.verdict, tables, *lines])


def _write_sheets(results: "Results", kind: str) -> Path:
    """Write the tables for a spreadsheet into the results folder: one .xlsx file, or a folder of CSV files."""
    from strozzi_sim.report.spreadsheet import csv_files, sheets, workbook
    from strozzi_sim.runtime.files import storage_errors, write_atomically

    variants = {name: variant.components for name, variant in results.study.variant_of.items()}
    found = sheets({"plan": {"variants": variants}}, results.tables, results.study.the_game)
    place = Path(results.folder or "", "spreadsheet.xlsx" if kind == "xlsx" else "spreadsheet")
    if kind == "xlsx":
        write_atomically(place, workbook(found))
        return place
    with storage_errors(f"cannot write {place}"):
        place.mkdir(exist_ok=True)
    for name, content in csv_files(found).items():
        write_atomically(place / name, content)
    return place
