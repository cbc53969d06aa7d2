"""run, report, balance: studies from a file, their reports, and a study without a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.cli.commands import command
from strozzi_sim.errors import ArgumentError, InputError, pluralize, short_repr
from strozzi_sim.questions.merge import merge
from strozzi_sim.questions.simulate import simulate

if TYPE_CHECKING:
    from strozzi_sim.studies.results import Results

Out = Annotated[Path | None, options.out_option("results folder; default: results/<name>")]


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a study file (TOML)")],
    out: Out = None,
    deals: Annotated[
        int | None, typer.Option(help="deals of every cell instead of the file's; more extend a study")
    ] = None,
    part: Annotated[
        str, typer.Option(metavar="I/N", help="play a share of the chunks, such as 2/5, for `merge`; needs --out")
    ] = "",
    workers: options.Workers = None,
    backend: Annotated[
        str, typer.Option(help="dask: play on the workers of a Dask cluster; default: on this machine")
    ] = "",
    scheduler: Annotated[
        str, typer.Option(metavar="ADDRESS", help="of the Dask cluster, such as tcp://10.0.0.1:8786")
    ] = "",
    trust_agents: Annotated[
        bool,
        typer.Option("--trust-agents", help="resume although changes of the agents' code could not be detected"),
    ] = False,
    json: options.Json = False,
) -> None:
    """Play a study and write its tables and report; run it again to resume.

    Example: strozzi run experiments/balance_by_player_count.toml
    """
    from strozzi_sim.studies.planning import read_plan
    from strozzi_sim.studies.study import Study
    from strozzi_sim.studies.study import run as play

    study = Study.of(read_plan(file))
    if part and out is None:
        raise ArgumentError(
            "part", f"a part needs a folder of its own: add --out results/{study.plan.name}-{part.replace('/', '-of-')}"
        )
    folder = out or Path("results") / study.plan.name
    with options.watching(json) as progress:
        results = play(
            study, folder, workers, progress, deals=deals, part=part, backend=backend, scheduler=scheduler,
            trust_agents=trust_agents,
        )  # fmt: skip
        page = None if part else options.write_page(results, progress)
    _finish(results, page, json)


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            parser=options.named_path, metavar="DIR...", help="a results folder, or several to lay side by side"
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            parser=options.named_path, metavar="PAGE", help="page of several studies; default: side-by-side.html"
        ),
    ] = None,
    spreadsheet: Annotated[
        str,
        typer.Option(
            metavar="csv|xlsx",
            help="write the tables for a spreadsheet too, rounded, with plain names: CSV files, or one .xlsx file (needs openpyxl)",
        ),
    ] = "",
    json: options.Json = False,
) -> None:
    """Write the report of a results folder again from its tables, or one page of several studies side by side.

    Example: strozzi report results/balance-by-player-count
    """
    from strozzi_sim.studies.results import load_results
    from strozzi_sim.studies.side_by_side import side_by_side

    if spreadsheet not in ("", "csv", "xlsx"):
        raise ArgumentError("spreadsheet", f"must be csv or xlsx, got {short_repr(spreadsheet)}")
    results = [load_results(folder) for folder in folders]
    if len(results) == 1:
        if out is not None:
            raise InputError("--out: is for several folders; the page of one is written into it")
        sheets = results[0].spreadsheet(xlsx=spreadsheet == "xlsx") if spreadsheet else None
        _finish(results[0], options.write_page(results[0], newer=False), json, sheets)
        return
    if spreadsheet:
        raise ArgumentError("spreadsheet", "is for one folder; write that of each")
    together = side_by_side(results)
    page = together.report(out or "side-by-side.html")
    if json:
        options.print_json(
            {"results": [str(folder) for folder in folders], "games": together.n_games, "report": str(page)}
        )
        return
    for sentence in together.findings:
        print(f"\n{sentence}")
    print(f"\nreport: {page}")


def _finish(results: "Results", page: Path | None, json: bool, sheets: Path | None = None) -> None:
    """Print where the tables, the report and the spreadsheet are, or the part of a study."""
    if page is None:
        _finish_part(results, json)
        return
    if not json:
        print(f"{pluralize(results.new_games, 'game')} played in {results.seconds:.1f} s")
        for sentence in (*results.findings, *_answers(results)):
            print(f"\n{sentence}")
        print(f"\ntables: {page.parent / 'tables'}\nreport: {page}")
        if sheets:
            print(f"spreadsheet: {sheets}")
        return
    document: dict[str, Any] = {"results": str(page.parent)}
    document |= {"games": results.n_games, "played_now": results.new_games, "seconds": results.seconds}
    document |= {"tables": {name: str(path) for name, path in results.files.items()}, "report": str(page)}
    options.print_json(document | ({"spreadsheet": str(sheets)} if sheets else {}))


def _answers(results: "Results") -> list[str]:
    from strozzi_sim.studies.illegal_answers import answer_sentences

    return answer_sentences(results.tables)


def _finish_part(results: "Results", json: bool) -> None:
    """Print where the part of a study is, and what to do with it."""
    part = results.manifest["part"]
    if json:
        document = {"results": str(results.folder), "part": part, "games": results.n_games}
        options.print_json(document | {"played_now": results.new_games, "seconds": results.seconds})
        return
    print(f"{pluralize(results.new_games, 'game')} played in {results.seconds:.1f} s")
    print(f"part {part}: {results.folder}; join all parts: strozzi merge DIR... --out DIR")


def _show_balance(results: "Results", given: dict[str, Any]) -> None:
    if given["json"]:
        options.print_tables(results)
        return
    for name in ("balance", "seats", "lineup"):
        if len(results.tables[name]):
            print(f"\n{name}\n{options.text_of(results.tables[name])}")
    for sentence in options.precision_words(results):
        print(f"\n{sentence}")
    if results.folder is not None:
        _finish(results, given["page"], False)
    else:
        for sentence in (*results.findings, *_answers(results)):
            print(f"\n{sentence}")
        options.print_status("add --out DIR to keep the tables and a report with pictures")


balance = command(
    simulate, _show_balance, "Example: strozzi balance strozzi --players 4 --agents heuristic,random,random,random --deals 5000",
    without=("facts", "heatmaps"), usual={"players": "all", "agents": "tiers"}, name="balance",
    words={
        "": "Measure seat balance and agent strength without a study file.",
        "players": "player counts: 4, 3-6 or 3,5; default: all the game allows",
        "agents": "one line-up, separated by commas; one agent = self-play; default: `tiers`, the game's agents of each strength by "
        "themselves; one that searches only with --search-deals, or deals enough for a share of wins to 4 points",
        "variant": "a variant; may be given several times",
    },
)  # fmt: skip
merged = command(
    merge, lambda results, given: _finish(results, given["page"], given["json"]),
    "Example: strozzi merge part-1 part-2 part-3 --out results/whole",
)  # fmt: skip
COMMANDS = {"run": run, "merge": merged, "report": report, "balance": balance}
