"""Options that several commands share, and their output: one JSON document, or text for a person."""

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli.wording import in_options
from strozzi_sim.errors import InputError, about, known_names, range_words, shown

if TYPE_CHECKING:
    from pandas import DataFrame

    from strozzi_sim.agent import AgentSpec
    from strozzi_sim.games.contract import Game
    from strozzi_sim.games.variants import Variant
    from strozzi_sim.play.calibrate import Calibration
    from strozzi_sim.studies.played import Played
    from strozzi_sim.studies.study import Run

MAX_WORKERS = 1_024

GameName = Annotated[str, typer.Argument(metavar="GAME", help="a game; `strozzi games` lists them")]
Players = Annotated[str, typer.Option(help="player counts: 4, 3-6 or 3,5; default: 4, or the game's minimum")]
EveryPlayers = Annotated[
    str, typer.Option("--players", help="player counts: 4, 3-6 or 3,5; default: all the game allows")
]
OnePlayers = Annotated[str, typer.Option("--players", help="player count; default: 4, or the game's minimum")]
Agents = Annotated[str, typer.Option(help="one line-up, separated by commas; seat i gets agent i mod k")]
Seed = Annotated[int, typer.Option(help="random seed, below 2^53")]
Workers = Annotated[int | None, typer.Option(help="number of workers; default: all cores")]
VariantName = Annotated[str, typer.Option("--variant", help="a variant of the game's components")]
Variants = Annotated[list[str] | None, typer.Option("--variant", help="a variant; may be given several times")]
Seatings = Annotated[str, typer.Option(help="one, rotate, all or latin")]
StudyFile = Annotated[Path | None, typer.Option("--study", help="a study's TOML file that defines the variant")]
Json = Annotated[bool, typer.Option("--json", help="print one JSON document and nothing else")]


def out_option(help_text: str) -> Any:
    """The option --out, a file or folder to write to."""
    return typer.Option("--out", parser=named_path, metavar="PATH", help=help_text)


def named_path(text: str) -> Path:
    """The path as given; an empty one would mean the current folder, and is refused."""
    if not text:
        raise InputError("a file or folder name must not be empty; use . for the current folder")
    return Path(text)


def parse_players(text: str, game: "Game") -> list[int]:
    """The player counts in `4`, `3-6` or `3,5`; empty text is all of the game's.

    Raises:
        InputError: no counts of the game.
    """
    if not text:
        return list(game.player_counts)
    by_text = {str(count): count for count in game.player_counts}
    allowed = f"{game.name} takes {game.player_count_text}"
    counts: dict[int, None] = {}
    for piece in text.split(","):
        low, dash, high = piece.strip().partition("-")
        for end in (low, high) if dash else (low,):
            if not end.isdecimal():
                raise InputError(f"--players: expected 4, 3-6 or 3,5, got {shown(text)}")
            if end not in by_text:
                raise InputError(f"--players: {allowed}, got {shown(end)[1:-1]}")
        named = range(by_text[low], by_text[high] + 1) if dash else [by_text[low]]
        if not named:
            raise InputError(f"--players: {allowed}, got none in {shown(text)}")
        counts |= dict.fromkeys(named)
    for count in counts:
        if count not in game.player_counts:
            raise InputError(f"--players: {allowed}, got {count}")
    return list(counts)


def one_player_count(text: str, game: "Game") -> int:
    """The player count of a command that plays one; by default 4, or the fewest of the game."""
    if not text:
        from strozzi_sim.studies.names import find_players

        return find_players(game, None)[0]
    counts = parse_players(text, game)
    if len(counts) > 1:
        raise InputError(f"--players: this command plays one player count, got {shown(text)}")
    return counts[0]


def parse_lineup(text: str, game: "Game", players: int) -> "tuple[AgentSpec, ...]":
    """The agents of one line-up, at most one a seat."""
    from strozzi_sim.agent import load_agent, split_specs

    specs = split_specs(text)
    if len(specs) > players:
        raise InputError(
            f"--agents: {len(specs)} agents ({shown(text)[1:-1]}) for {players} seats; give at most {players}"
        )
    return tuple(about("agents", load_agent, spec, game) for spec in specs)


def in_counts(
    specs: "Sequence[AgentSpec]", game: "Game", players: Sequence[int], variant: "Variant"
) -> "tuple[tuple[AgentSpec, ...], tuple[Calibration, ...]]":
    """The agents with counts in place of seconds, and how that came; whoever waits is told before it is measured."""
    from strozzi_sim.studies.calibrated import with_counts

    return with_counts(specs, game, players, [variant], calibrating=say_calibrating)


def say_calibrating(noted: bool) -> None:
    """Say that agents with seconds= are calibrated, or play as the results folder notes."""
    say("agents with seconds= play as when this folder was begun" if noted else "calibrating agents with seconds=")


def tell(calibrations: "Sequence[Calibration]") -> None:
    """Say of agents given in seconds what they play as; nothing if there are none."""
    for calibration in calibrations:
        print(calibration, flush=True)


def parse_workers(workers: int | None) -> int:
    """The number of workers: all cores, or what was asked for."""
    if workers is None:
        from joblib import cpu_count

        return int(cpu_count())
    if workers < 1:
        raise InputError(f"--workers: must be at least 1, got {shown(workers)}")
    if workers > MAX_WORKERS:
        raise InputError(f"--workers: must be at most {MAX_WORKERS:,}, got {shown(workers)}")
    return workers


def check_range(option: str, value: float | None, low: float, high: float) -> None:
    """Refuse an option's value outside low to high; None is an option that was not given."""
    if value is not None and not low <= value <= high:
        raise InputError(f"{option}: {range_words(low, high)}, got {shown(value)}")


def check_seed(seed: int) -> None:
    """Refuse a seed that is not between 0 and 2^53 - 1."""
    if not 0 <= seed < 2**53:
        raise InputError(f"--seed: must be between 0 and 2^53 - 1, got {shown(seed)}")


def find_variant(game: "Game", name: str, study: Path | None) -> "Variant":
    """A shipped variant, or one that a study defines."""
    from strozzi_sim.games.variants import resolve_variant

    if study is None:
        return about("variant", resolve_variant, game, name)
    from strozzi_sim.studies.planning import read_study

    variants = {variant.name: variant for variant in read_study(study).variants}
    if name not in variants:
        known = known_names(name, variants)
        raise InputError(f"--variant: the study {study} does not list the variant {shown(name)}; {known}")
    return variants[name]


def say(line: str) -> None:
    """A line for the person who waits, on standard error."""
    print(line, file=sys.stderr, flush=True)


def print_json(document: Any, calibrations: "Sequence[Calibration]" = ()) -> None:
    """The one JSON document on standard output, with what agents given in seconds play as."""
    if calibrations:
        from strozzi_sim.studies.calibrated import noted_in

        document = noted_in(document, calibrations)
    print(json.dumps(document, indent=1, allow_nan=False))


def print_tables(results: "Played") -> None:
    """The plan and every table of a study as the JSON document; a missing value is null."""

    def rows(frame: "DataFrame") -> list[dict[str, Any]]:
        return [{key: None if cell != cell else cell for key, cell in row.items()} for row in frame.to_dict("records")]

    print_json({"plan": results.plan, "tables": {name: rows(frame) for name, frame in results.tables.items()}})


def tell_plan(summary: str, calibrations: "Sequence[Calibration]") -> None:
    """Say what will be played, before it is."""
    print(in_options(summary), flush=True)
    tell(calibrations)


def command_line() -> str:
    """The command as it was typed."""
    return shlex.join(["strozzi", *sys.argv[1:]])


@contextmanager
def how_to_run(
    workers: int | None, out: Path | None, json_wanted: bool, calibrating: Callable[[bool], None] = say_calibrating
) -> "Iterator[Run]":
    """How a study is run: in the folder that --out names, if any, and on a terminal with a bar that counts games.

    With JSON, nothing but `calibrating` is said.
    """
    from strozzi_sim.studies.run import Progress
    from strozzi_sim.studies.study import Run

    how = partial(Run, out, parse_workers(workers), command=command_line())
    if json_wanted or not sys.stderr.isatty():
        heard: dict[str, Any] = {} if json_wanted else {"say": say, "planned": tell_plan}
        yield how(Progress(calibrating=calibrating, **heard))
        return
    from rich.console import Console

    from strozzi_sim.api.bars import GAMES, terminal_bar

    console = Console(stderr=True)
    with terminal_bar(console) as show:
        heard = {"say": console.print, "games": partial(show, GAMES), "phase": show, "planned": tell_plan}
        yield how(Progress(calibrating=calibrating, **heard))


def write_page(results: "Played", how: "Run | None" = None) -> Path | None:
    """Write the report of a results folder, with the progress of `how`; return its path, None for results without a folder."""
    from strozzi_sim.games import load_game
    from strozzi_sim.reports.writing import write_report

    if results.folder is None:
        return None
    game = load_game(results.manifest["game"])
    phase = None if how is None else how.progress.phase
    return write_report(results.folder, results.manifest, results.tables, game, phase)


def columns_of(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text in aligned columns."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
