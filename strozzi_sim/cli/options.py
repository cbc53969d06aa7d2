"""Options that several commands share, and their output: one JSON document, or text."""

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli.error_text import arguments_to_options
from strozzi_sim.errors import InputError, as_argument_error, range_words, short_repr
from strozzi_sim.runtime.digits import rounded
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from pandas import DataFrame

    from strozzi_sim.agent import AgentSpec
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import Variant
    from strozzi_sim.studies.progress import Progress
    from strozzi_sim.studies.results import Results

GameName = Annotated[str, typer.Argument(metavar="GAME", help="a game; `strozzi games` lists them")]
OnePlayers = Annotated[str, typer.Option("--players", help="player count; default: 4, or the game's minimum")]
Agents = Annotated[str, typer.Option(help="one line-up, separated by commas; seat i gets agent i mod k")]
Seed = Annotated[int, typer.Option(help="random seed, below 2^53")]
Workers = Annotated[int | None, typer.Option(help="number of workers; default: all cores")]
VariantName = Annotated[str, typer.Option("--variant", help="a variant of the game's components")]
StudyFile = Annotated[Path | None, typer.Option("--study", help="a study's TOML file that defines the variant")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help='change a key of the components, as tracks.bonus.7=10; a list as SECTION.KEY=[20,10,5]; SECTION.add=[{id="X",...}] adds a block '
        'that has an id, SECTION.remove=["X"] removes one; may be given several times',
    ),
]
Json = Annotated[bool, typer.Option("--json", help="print one JSON document and nothing else")]


def out_option(help_text: str) -> Any:
    """Return the option --out, a file or folder to write to."""
    return typer.Option("--out", parser=named_path, metavar="PATH", help=help_text)


def named_path(text: str) -> Path:
    """Return the path unchanged; refuse an empty one, which would mean the current folder."""
    if not text:
        raise InputError("a file or folder name must not be empty; use . for the current folder")
    return Path(text)


def one_player_count(text: str, game: "Game") -> int:
    """Return a single player count; default: 4, or the game's minimum."""
    from strozzi_sim.studies.lookup import one_count

    return one_count(game, text or None)


def parse_lineup(text: str, game: "Game", players: int) -> "tuple[AgentSpec, ...]":
    """Return the agents of one line-up, at most one per seat."""
    from strozzi_sim.agent import load_agent, split_specs

    specs = split_specs(text)
    if len(specs) > players:
        raise InputError(
            f"--agents: {len(specs)} agents ({short_repr(text)[1:-1]}) for {players} seats; give at most {players}"
        )
    return tuple(as_argument_error("agents", load_agent, spec, game) for spec in specs)


def check_range(option: str, value: float | None, low: float, high: float) -> None:
    """Refuse an option's value outside low to high; None: not set."""
    if value is not None and not low <= value <= high:
        raise InputError(f"{option}: {range_words(low, high)}, got {short_repr(value)}")


def check_seed(seed: int) -> None:
    """Refuse a seed that is not between 0 and 2^53 - 1."""
    if not 0 <= seed < 2**53:
        raise InputError(f"--seed: must be between 0 and 2^53 - 1, got {short_repr(seed)}")


def find_variant(
    game: "Game", name: str, study: Path | None = None, settings: Sequence[str] | None = None
) -> "Variant":
    """Return a shipped variant, or one that a study defines, with the changed keys of --set."""
    from strozzi_sim.game.variants import with_settings
    from strozzi_sim.studies.planning import find_study_variant

    found = find_study_variant(game, name, study)
    return with_settings(game, found, settings, "--set") if settings else found


def changed_variants(
    game: str, names: Sequence[str] | str | None, study: Path | None, settings: Sequence[str]
) -> "list[Variant] | Variant":
    """Return the variants of --variant, each with the changed keys of --set: one, or as many as the command takes."""
    from strozzi_sim.game import find_game

    found = as_argument_error("game", find_game, game)
    each = [names] if isinstance(names, str) else names or ["base"]
    variants = [find_variant(found, name, study, settings) for name in each]
    return variants[0] if isinstance(names, str) else variants


def print_status(line: str) -> None:
    """Print a status line on standard error."""
    print(line, file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print the JSON document on standard output."""
    print(json.dumps(document, indent=1, allow_nan=False))


def print_tables(results: "Results") -> None:
    """Print the plan and every table of a study as the JSON document; a missing value is null."""

    def rows(frame: "DataFrame") -> list[dict[str, Any]]:
        return [{key: None if cell != cell else cell for key, cell in row.items()} for row in frame.to_dict("records")]

    print_json({"plan": results.plan, "tables": {name: rows(frame) for name, frame in results.tables.items()}})


def tell_plan(summary: str) -> None:
    """Print the plan before it is played."""
    print(arguments_to_options(summary), flush=True)


def command_line() -> str:
    """Return the command as it was typed."""
    return shlex.join(["strozzi", *sys.argv[1:]])


@contextmanager
def watching(json_wanted: bool) -> "Iterator[Progress]":
    """Yield progress callbacks for the terminal, with a bar that counts games; with JSON, nothing is said."""
    from strozzi_sim.studies.progress import Progress

    watcher = partial(Progress, command=command_line(), allow_partial=False)
    if json_wanted or not sys.stderr.isatty():
        yield watcher() if json_wanted else watcher(on_message=print_status, on_planned=tell_plan)
        return
    from rich.console import Console

    from strozzi_sim.studies.progress import GAMES, terminal_bar

    console = Console(stderr=True)
    with terminal_bar(console) as show:
        yield watcher(on_message=console.print, on_games=partial(show, GAMES), on_phase=show, on_planned=tell_plan)


def write_page(results: "Results", progress: "Progress | None" = None, *, newer: bool = True) -> Path | None:
    """Write the report of a results folder, unless `newer` and it is newer than the tables; return its path, None for results without a folder or a report."""
    from strozzi_sim.game import load_game
    from strozzi_sim.reports.writing import has_page, write_report

    if results.folder is None or not has_page(results.tables):
        return None
    game = load_game(results.manifest["game"])
    phase = None if progress is None else progress.on_phase
    return write_report(results.folder, results.manifest, results.tables, game, phase, newer=newer)


def precision_words(results: "Results") -> list[str]:
    """Return the headline figures of a study with a precision as text, and whether they are known to it."""
    if "precision" not in results.tables:
        return []
    table = results.tables["precision"]
    points, deals = 100 * float(results.plan["until"]), int(table["deals"].iloc[0])
    unknown = int((table["known"] == 0).sum())
    if (table["figure"] == "win_share_difference").all():  # of a comparison that plays until it is decided
        return [_decision_words(table, points, deals)]
    verdict = (
        f"every share of wins is known to +- {points:g} points, after {deals:,} deals"
        if not unknown
        else f"{unknown} of {len(table)} shares of wins are not known to +- {points:g} points after the last of {deals:,} deals"
    )
    return [f"precision\n{text_of(table.drop(columns='deals'))}", f"{verdict} (intervals valid whenever it stops)"]


def _decision_words(table: Any, points: float, deals: int) -> str:
    """Return whether differences of shares of wins of so many points are found or excluded."""
    from strozzi_sim.errors import pluralize
    from strozzi_sim.game.missed import size_text

    size, played = size_text(points / 100), pluralize(deals, "deal")
    unknown = table[table["known"] == 0]
    if unknown.empty:
        return f"every difference of {size} of games won is found or excluded, after {played} (intervals valid whenever it stops)"
    return (
        f"{len(unknown)} of {len(table)} differences of {size} of games won are neither found nor excluded after the last of {played}; "
        "--deals plays more"
    )


def text_of(frame: Any) -> str:
    """Return a table for the terminal: the varying columns, rounded."""
    names = [name for name in frame.columns if name not in ("n", "deals")]
    kept = [name for name in names if name in ("figure", "value") or frame[name].nunique() > 1]
    rows = [[*kept, "n"]]
    for row in frame.to_dict("records"):
        numbers = dict(zip(_NUMBERS, _plain(*(row[name] for name in _NUMBERS)), strict=True))
        cells = [numbers[name] if name in numbers else str(row[name]) for name in kept]
        rows.append([*cells, f"{row['n']:,}"])
    return columns_of(rows)


_NUMBERS = ("value", "low", "high")


def _plain(value: float, low: float, high: float) -> list[str]:
    """Return a figure and the ends of its interval as text."""
    return rounded((value, low, high), (high - low) / 2, 4 if abs(value) < 10 else 2)
