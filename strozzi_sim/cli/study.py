"""run, report, balance: studies from a file, their reports, and a study without a file."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli.options import (
    GameName,
    Json,
    Players,
    Seed,
    Workers,
    columns_of,
    json_rows,
    named_path,
    noted_in,
    out_option,
    parse_players,
    parse_workers,
    print_json,
    progress_bar,
    say,
    tell,
)
from strozzi_sim.errors import InputError

if TYPE_CHECKING:
    from strozzi_sim.studies.plan import Plan
    from strozzi_sim.studies.run import Results

Out = Annotated[Path | None, out_option("results folder; default: results/<name>")]


def run(file: Annotated[Path, typer.Argument(metavar="FILE", help="a study file (TOML)")], out: Out = None,
        workers: Workers = None, json: Json = False) -> None:  # fmt: skip
    """Play a study and write its tables and report; run it again to resume.

    Example: strozzi run experiments/balance_by_player_count.toml
    """
    from strozzi_sim.studies.plan import read_study
    from strozzi_sim.studies.run import run_study

    plan = read_study(file)
    folder = Path("results") / plan.name if out is None else out
    plan = _calibrated(plan, folder)
    team = parse_workers(workers)
    with progress_bar(json) as progress:
        if not json:
            progress.ready = lambda: _tell(plan)
        results = run_study(plan, folder, workers=team, command=_command(), progress=progress)
    _finish(results, plan.game.name, json)


def report(
    folder: Annotated[Path, typer.Argument(parser=named_path, metavar="DIR", help="a results folder")],
    json: Json = False,
) -> None:
    """Write the report of a results folder again from its tables.

    Example: strozzi report results/balance-by-player-count
    """
    from strozzi_sim.studies.run import load_results

    results = load_results(folder)
    _finish(results, results.manifest["game"], json)


def _finish(results: "Results", game: str, json: bool) -> None:
    from strozzi_sim.games import load_game
    from strozzi_sim.reports.page import write_report
    from strozzi_sim.reports.tournament import write_tournament

    write = write_tournament if "ratings" in results.frames else write_report
    page = write(results.folder, results.manifest, results.frames, load_game(game))
    if json:
        document = {
            "results": str(results.folder),
            "games": results.games,
            "played_now": results.played_now,
            "seconds": results.seconds,
            "tables": {name: str(path) for name, path in results.tables.items()},
            "report": str(page),
        }
        calibrated = results.manifest.get("calibrated")
        print_json({**document, "calibrated": calibrated} if calibrated else document)
        return
    print(f"{results.played_now:,} games played in {results.seconds:.1f} s")
    print(f"tables: {results.folder / 'tables'}\nreport: {page}")


def balance(
    game: GameName,
    players: Players = "",
    agents: Annotated[
        str, typer.Option(help="one line-up, separated by commas; one agent = self-play; seat i gets agent i mod k")
    ] = "",
    deals: Annotated[int, typer.Option(help="deals for every cell")] = 5000,
    seatings: Annotated[str, typer.Option(help="one, rotate, all or latin")] = "rotate",
    variant: Annotated[list[str] | None, typer.Option(help="a variant; may be given several times")] = None,
    seed: Seed = 0,
    workers: Workers = None,
    out: Annotated[
        Path | None, out_option("keep everything in this folder, with a report; default: only print")
    ] = None,
    json: Json = False,
) -> None:
    """Is a game fair to its seats, and how do the agents of a line-up fare? A study without a file.

    Example: strozzi balance strozzi --players 4 --agents heuristic,random,random,random --deals 5000
    """
    from strozzi_sim.agent import split_specs
    from strozzi_sim.games import load_game
    from strozzi_sim.studies.plan import make_plan
    from strozzi_sim.studies.run import run_in_memory, run_study, study_tables

    the_game = load_game(game)
    counts = parse_players(players, the_game)
    specs = split_specs(agents) if agents else [the_game.standard_agent]
    if len(specs) > min(counts):
        raise InputError(
            f"--agents: {len(specs)} agents ({agents}) for {min(counts)} seats; give at most {min(counts)}"
        )
    lineups = [specs] if len(specs) == 1 else [[specs[i % len(specs)] for i in range(count)] for count in counts]
    raw: dict[str, Any] = {
        "name": f"balance-{game.replace('_', '-')}",
        "game": game,
        "seed": seed,
        "players": counts,
        "deals": deals,
        "seatings": seatings,
        "lineups": lineups,
        "variants": variant or ["base"],
    }
    plan = _calibrated(make_plan(raw, "balance"), out)
    team = parse_workers(workers)
    with progress_bar(json) as progress:
        if not json:
            progress.ready = lambda: _tell(plan)
        if out is None:
            _, frames = run_in_memory(plan, study_tables, workers=team, progress=progress)
        else:
            results = run_study(plan, out, workers=team, command=_command(), progress=progress)
            frames = results.frames
    if json:
        tables = {name: json_rows(frame) for name, frame in frames.items()}
        print_json({"plan": noted_in({**plan.resolved, "games": plan.games}, plan.calibrated), "tables": tables})
        return
    for name in ("balance", "seats", "lineup"):
        if len(frames[name]):
            print(f"\n{name}\n{_text(frames[name])}")
    if out is not None:
        _finish(results, game, False)
    else:
        say("add --out DIR to keep the tables and a report with pictures")


def _calibrated(plan: "Plan", folder: Path | None) -> "Plan":
    """The plan with counts in place of seconds."""
    if not any(spec.in_seconds for lineup in plan.lineups for spec in lineup):
        return plan
    from strozzi_sim.studies.calibrated import calibrated

    say("calibrating agents with seconds=, unless the results folder says what they play as")
    return calibrated(plan, folder)


def _tell(plan: "Plan") -> None:
    print(plan.summary(), flush=True)
    tell(plan.calibrated)


def _text(frame: Any) -> str:
    """A table for the terminal: the varying columns, rounded."""
    kept = [
        name
        for name in frame.columns
        if name not in ("n", "deals") and (name in ("figure", "value") or frame[name].nunique() > 1)
    ]
    rows = [[*kept, "n"]]
    for row in frame.to_dict("records"):
        cells = [_number(row[name]) if name in ("value", "low", "high") else str(row[name]) for name in kept]
        rows.append([*cells, f"{row['n']:,}"])
    return columns_of(rows)


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def _command() -> str:
    return shlex.join(["strozzi", *sys.argv[1:]])


COMMANDS = {"run": run, "report": report, "balance": balance}
