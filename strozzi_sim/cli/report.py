"""report: the page of a results folder, a page of several side by side, and tables for a spreadsheet."""

from collections.abc import Sequence
from pathlib import Path

from strozzi_sim.cli.show import Answer, linked, places_of
from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.runtime.files import check_inside
from strozzi_sim.study.beside import side_by_side
from strozzi_sim.study.files import REPORT
from strozzi_sim.study.folders import load_results


def report(
    folders: Sequence[str | Path],
    *,
    out: str | Path = "",
    figures: bool = False,
    spreadsheet: str = "",
    code: Sequence[str | Path] = (),
    overwrite: bool = False,
) -> Answer:
    """Write the report of a results folder again from its tables, or one page of several studies side by side.

    A study that is being played, or was stopped, is shown as far as its chunks are finished. No code in the folders is
    run, and agents of a finished study need not exist any more.

    Example: strozzi report results/balance-by-player-count

    Args:
        folders: a results folder, or several to lay side by side
        out: the page; default: report.html in the folder, side-by-side.html of several studies
        figures: write every picture and heat map as PNG and SVG into figures/ beside the page
        spreadsheet: csv or xlsx: write the tables for a spreadsheet too, with plain names; xlsx needs openpyxl
        code: files of agents that an unfinished study may run
        overwrite: also replace files that are not pages, pictures or tables of a report
    """
    if spreadsheet not in ("", "csv", "xlsx"):
        raise ArgumentError("spreadsheet", f"must be csv or xlsx, got {short_repr(spreadsheet)}")
    results = [load_results(folder, code) for folder in folders]
    places = [Path(folder).resolve() for folder in folders]
    if given_twice := [str(folder) for folder, place in zip(folders, places, strict=True) if places.count(place) > 1]:
        raise ArgumentError("folders", f"{given_twice[0]} is given more than once")
    if len(results) > 1:
        if spreadsheet:
            raise ArgumentError("spreadsheet", "is for one folder; write it for each folder alone")
        together = side_by_side(results)
        page = together.report(out or "side-by-side.html", figures=figures, overwrite=overwrite)
        document = {"results": [str(folder) for folder in folders], "games": together.n_games, "report": str(page)}
        return Answer(document, [*together.verdict, f"\nreport: {linked(page)}"], page=page)
    (single,) = results
    if spreadsheet and single.folder is None:
        raise ArgumentError("spreadsheet", f"{folders[0]}: is for a study that is finished")
    place = out or None
    if single.folder is None and not out:
        place = Path(folders[0]) / REPORT
        check_inside(Path(folders[0]), place)
    made = {"report": str(single.report(place, figures=figures, overwrite=overwrite))}
    if spreadsheet:
        first, *_ = single.spreadsheet(spreadsheet, overwrite=overwrite)
        made["spreadsheet"] = str(first.parent if spreadsheet == "csv" else first)
    lines = (f"{name}: {linked(Path(file))}" for name, file in made.items())
    document = places_of(single, made["report"]) | made
    tables = [] if single.folder is None else [f"tables: {linked(single.folder / 'tables')}"]
    return Answer(document, [*single.verdict, "", *tables, *lines], page=Path(made["report"]))
