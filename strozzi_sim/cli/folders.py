"""run, report: play a study file, write the page of folders; the engine is imported late, so that help is quick."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from strozzi_sim.cli.show import Answer, linked, places_of
from strozzi_sim.errors import ArgumentError, pluralize, short_repr
from strozzi_sim.runtime.files import check_inside
from strozzi_sim.study.arguments import RunOptions, documented

SIDE_BY_SIDE = "side-by-side.html"  # the page of several studies


@documented()
def run(
    file: str | Path,
    *,
    deals: int | None = None,
    part: str = "",
    backend: str = "",
    scheduler: str = "",
    trust_agents: bool = False,
    **options: Unpack[RunOptions],
) -> Any:
    """Play a study file and write its tables and, by the command, its report; run it again to resume.

    Example: strozzi run experiments/balance_by_player_count.toml

    Args:
        file: a study file (TOML or JSON)
        deals: deals of every cell, instead of the number in the file; a larger number extends a study
        part: play a share of the chunks, such as 2/5, for `merge`
        backend: dask plays on the workers of a Dask cluster; default: on this machine
        scheduler: address of the Dask scheduler, such as tcp://10.0.0.1:8786
        trust_agents: resume a folder although some changes of agents' code cannot be detected; every run says which
        folder: results folder; default: results/<name>, for part 2/5 results/<name>-2-of-5
    """
    from strozzi_sim.study.folders import read_study
    from strozzi_sim.study.running import run as run_study

    study, look = read_study(file)
    default_folder = Path("results") / (look.name if not part else f"{look.name}-{part.replace('/', '-of-')}")
    options["folder"] = options.get("folder") or default_folder
    cluster_options: dict[str, Any] = {"backend": backend, "scheduler": scheduler}
    return run_study(study, look=look, deals=deals, part=part, trust_agents=trust_agents, **cluster_options, **options)


def report(
    folders: Sequence[str | Path],
    *,
    out: str | Path = "",
    figures: bool = False,
    spreadsheet: str = "",
    code: Sequence[str | Path] = (),
    overwrite: bool = False,
) -> Answer:
    """Write the report of a results folder from its tables, or one page of several studies side by side.

    A study that is being played, or was stopped, is shown as far as its chunks are finished. No code in the folders is
    run, and agents of a finished study need not exist any more.

    Example: strozzi report results/balance-by-player-count

    Args:
        folders: a results folder, or several to lay side by side
        out: the page; default: report.html in the folder; of several studies side-by-side.html beside the first folder
        figures: write every picture and heat map as PNG and SVG into figures/ beside the page
        spreadsheet: csv or xlsx: write the tables for a spreadsheet too, with plain names; xlsx needs openpyxl
        code: files of agents that an unfinished study may run
        overwrite: also replace files that are not pages, pictures or tables of a report
    """
    from strozzi_sim.study.beside import side_by_side
    from strozzi_sim.study.files import REPORT
    from strozzi_sim.study.folders import load_results
    from strozzi_sim.study.results import marked_alarms

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
        page = together.report(out or Path(folders[0]).parent / SIDE_BY_SIDE, figures=figures, overwrite=overwrite)
        document = {"results": [str(folder) for folder in folders], "games": together.n_games, "report": str(page)}
        return Answer(
            document, [*together.verdict.lines, *marked_alarms(together), f"\nreport: {linked(page)}"], page=page
        )
    (single,) = results
    if spreadsheet and single.folder is None:
        raise ArgumentError("spreadsheet", f"{folders[0]}: is for a study that is finished")
    place = out or None
    if single.folder is None and not out:
        place = Path(folders[0]) / REPORT
        check_inside(Path(folders[0]), place)
    made = {"report": str(single.report(place, figures=figures, overwrite=overwrite))}
    if spreadsheet:
        first, *others = single.spreadsheet(spreadsheet, overwrite=overwrite)
        is_book = spreadsheet == "xlsx"
        made["spreadsheet"] = str(first if is_book else first.parent)
        explained = "its sheet `about`" if is_book else f"{pluralize(len(others), 'table')}; {first.name}"
    lines = [f"{name}: {linked(Path(file))}" for name, file in made.items()]
    if spreadsheet:
        lines[-1] += f"; {explained} says what each column means"
    document = places_of(single, made["report"]) | made
    tables = [] if single.folder is None else [f"tables: {linked(single.folder / 'tables')}"]
    return Answer(
        document, [*single.verdict.lines, *marked_alarms(single), "", *tables, *lines], page=Path(made["report"])
    )
