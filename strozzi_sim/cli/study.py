"""run, report, balance: studies from a file, their reports, and a study without a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.errors import counted

if TYPE_CHECKING:
    from strozzi_sim.studies.played import Played

Out = Annotated[Path | None, options.out_option("results folder; default: results/<name>")]


def run(file: Annotated[Path, typer.Argument(metavar="FILE", help="a study file (TOML)")], out: Out = None,
        workers: options.Workers = None, json: options.Json = False) -> None:  # fmt: skip
    """Play a study and write its tables and report; run it again to resume.

    Example: strozzi run experiments/balance_by_player_count.toml
    """
    from strozzi_sim.studies.study import run_file

    with options.how_to_run(workers, out, json, _say_calibrating) as how:
        results = run_file(file, how)
        page = options.write_page(results, how)
    _finish(results, page, json)


def report(
    folder: Annotated[Path, typer.Argument(parser=options.named_path, metavar="DIR", help="a results folder")],
    json: options.Json = False,
) -> None:
    """Write the report of a results folder again from its tables.

    Example: strozzi report results/balance-by-player-count
    """
    from strozzi_sim.studies.played import load_results

    results = load_results(folder)
    _finish(results, options.write_page(results), json)


def _finish(results: "Played", page: Path | None, json: bool) -> None:
    """Say where the tables and the report are."""
    assert page is not None
    if not json:
        print(f"{counted(results.played_now, 'game')} played in {results.seconds:.1f} s")
        print(f"tables: {page.parent / 'tables'}\nreport: {page}")
        return
    document: dict[str, Any] = {"results": str(page.parent)}
    document |= {key: getattr(results, key) for key in ("games", "played_now", "seconds")}
    document |= {"tables": {name: str(path) for name, path in results.files.items()}, "report": str(page)}
    calibrated = results.manifest.get("calibrated")
    options.print_json(document | ({"calibrated": calibrated} if calibrated else {}))


def balance(
    game: options.GameName,
    players: options.EveryPlayers = "",
    agents: Annotated[
        str, typer.Option(help="one line-up, separated by commas; one agent = self-play; seat i gets agent i mod k")
    ] = "",
    deals: Annotated[int, typer.Option(help="deals for every cell")] = 5000,
    seatings: options.Seatings = "rotate",
    variant: options.Variants = None,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    out: Annotated[
        Path | None, options.out_option("keep everything in this folder, with a report; default: only print")
    ] = None,
    json: options.Json = False,
) -> None:
    """Is a game fair to its seats, and how do the agents of a line-up fare? A study without a file.

    Example: strozzi balance strozzi --players 4 --agents heuristic,random,random,random --deals 5000
    """
    from strozzi_sim.agent import split_specs
    from strozzi_sim.games import load_game
    from strozzi_sim.studies.study import balance

    the_game = load_game(game)
    counts, lineup = options.parse_players(players, the_game), split_specs(agents) if agents else []
    with options.how_to_run(workers, out, json, _say_calibrating) as how:
        results = balance(
            the_game, agents=lineup, players=counts, deals=deals, seatings=seatings, variants=variant or "base",
            seed=seed, how=how,
        )  # fmt: skip
        page = options.write_page(results, how)
    if json:
        options.print_tables(results)
        return
    for name in ("balance", "seats", "lineup"):
        if len(results.tables[name]):
            print(f"\n{name}\n{_text(results.tables[name])}")
    if out is not None:
        _finish(results, page, False)
    else:
        options.say("add --out DIR to keep the tables and a report with pictures")


def _say_calibrating(noted: bool) -> None:
    options.say("calibrating agents with seconds=, unless the results folder says what they play as")


def _text(frame: Any) -> str:
    """A table for the terminal: the varying columns, rounded."""
    names = [name for name in frame.columns if name not in ("n", "deals")]
    kept = [name for name in names if name in ("figure", "value") or frame[name].nunique() > 1]
    rows = [[*kept, "n"]]
    for row in frame.to_dict("records"):
        cells = [_number(row[name]) if name in ("value", "low", "high") else str(row[name]) for name in kept]
        rows.append([*cells, f"{row['n']:,}"])
    return options.columns_of(rows)


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


COMMANDS = {"run": run, "report": report, "balance": balance}
