"""study: explain a study's file, play it, and read the tables of a results folder, as a tool."""

import shlex
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from strozzi_sim.cli.assistants.limits import Limits
from strozzi_sim.cli.assistants.rows import MOST_ROWS, about_results, reconstructed_words, rows_of
from strozzi_sim.cli.assistants.schema import COMMAND, Answer
from strozzi_sim.errors import ArgumentError, InputError, short_repr, suggest_names


def study(
    *,
    limits: Limits,
    file: str = "",
    run: bool = False,
    deals: Annotated[int, Meta(ge=1)] | None = None,
    folder: str = "",
    table: str = "",
    where: dict[str, str | int | float] = {},  # noqa: B006 - a default of the schema
    limit: Annotated[int, Meta(ge=1, le=MOST_ROWS)] = 50,
    offset: Annotated[int, Meta(ge=0)] = 0,
) -> Answer:
    """Explain a study's file, play it, or read the tables of a finished study.

    With file alone: what would be played. With file and run: play it into a results folder, where it resumes; nothing else in the
    folder is touched. With folder alone: the verdict and the tables; add table to read rows with intervals.

    Args:
        file: path of a study's file (TOML)
        run: play the study of file
        deals: with file, deals of every cell instead of the file's; more extend a study that was played
        folder: results folder; with file default: results/NAME
        table: with folder or run, the table to read; default: list the tables
        where: with table, wanted values by column, such as {"figure": "win_share", "seat": 0}
        limit: with table, most rows
        offset: with table, rows to skip
        limits: limits of the call
    """
    if not file:
        if run or deals is not None:
            raise ArgumentError("file", "name the study's file")
        if not folder:
            raise InputError("name a study's file, or the results folder of a study that was played")
        return _read(Path(folder), table, where, limit, offset)
    return _file(Path(file), run, deals, folder, limits) | (
        _read(Path(folder or _usual(file)), table, where, limit, offset) if run else {}
    )


def _usual(file: str) -> Path:
    from strozzi_sim.studies.planning import read_plan

    return Path("results") / read_plan(Path(file)).name


def _file(file: Path, run: bool, deals: int | None, folder: str, limits: Limits) -> Answer:
    """Return what a study's file would play, or play it."""
    from strozzi_sim.cli.options import write_page
    from strozzi_sim.studies.planning import read_plan
    from strozzi_sim.studies.study import Study
    from strozzi_sim.studies.study import run as play

    asked = Study.of(read_plan(file))
    if deals is not None:
        asked = asked.with_plan(asked.plan.extended(deals))
    plan = asked.plan
    out = Path(folder) if folder else Path("results") / plan.name
    words = ["strozzi", "run", str(file), "--out", str(out)]
    command = shlex.join([*words, *(["--deals", str(deals)] if deals is not None else [])])
    if run:
        write_page(play(asked, out, progress=limits.progress(command, resumes=True)))
        return {}
    return {
        "name": plan.name,
        "plan": asked.summary(),
        "seed": plan.seed,
        "pages": list(plan.pages),
        "heat_maps": [*plan.heatmaps, *(own.name for own in plan.own_maps)],
        "games": plan.games,
        "fits_in_one_call": plan.games <= limits.games,
        "warnings": plan.warnings(),
        "results_folder": str(out),
        "folder_exists": out.exists(),
        "reconstructed_data": reconstructed_words({variant.name: variant.reconstructed for variant in plan.variants}),
        COMMAND: command,
    }


def _read(folder: Path, table: str, where: dict[str, Any], limit: int, offset: int) -> Answer:
    """Return the verdict and the tables of a results folder, or rows of one."""
    from strozzi_sim.studies.results import load_results

    results = load_results(folder)
    found = {"folder": str(folder), **about_results(results), COMMAND: results.manifest["command"]}
    if table and table not in results.tables:
        raise ArgumentError("table", f"no table {short_repr(table)}; {suggest_names(table, results.tables)}")
    if table:
        return found | {"table": table, **rows_of(results.tables[table], where, limit, offset)}
    if where:
        raise ArgumentError("where", "only valid with table")
    tables = {
        name: {"rows": len(frame), "columns": list(frame.columns), "figures": list(dict.fromkeys(frame["figure"])) if "figure" in frame else []}
        for name, frame in results.tables.items()
    }  # fmt: skip
    return found | {"tables": tables}
