"""record, verify, analyse: games as JSON Lines, and the cost of each decision of a game."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from strozzi_sim.agent.names import one_variant
from strozzi_sim.cli.show import Answer, columns_of, linked
from strozzi_sim.errors import ArgumentError, RuleViolation, check_range, pluralize
from strozzi_sim.game import find_game
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.play.analyse import GameAnalysis, analyse_record
from strozzi_sim.play.records import match_of, numbered_game, record_games, verify_record, write_record
from strozzi_sim.runtime.files import REPORT_PAGE, check_replaceable, is_standard_output
from strozzi_sim.simulation.interrupts import stop_flag


def record(
    game: str,
    *,
    players: str | None = None,
    agents: str = "random",
    games: int = 1,
    deal: int | None = None,
    seating: int | None = None,
    seatings: str = "rotate",
    seed: int = 0,
    variant: AnyVariant = "base",
    study: str | Path = "",
    out: str | Path = "",
    overwrite: bool = False,
    json: bool = False,
) -> Answer:
    """Play games and write their records, one event per line.

    Example: strozzi record strozzi --players 4 --agents heuristic,random --games 10 --seed 7 --out games.jsonl

    Args:
        players: player count; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; in seating 0 of rotate, seat i gets agent i mod k
        games: record deals 0 to games - 1, each at one seating
        deal: record only this deal
        seating: number of the seating in the design; default: 0, with spread the deal's own
        seatings: the seating design: one, rotate, spread, all or latin
        out: file to write, - for standard output; default: <game>.jsonl
        overwrite: replace the file even if it is not a record
        json: print one JSON document and nothing else
    """
    the_game = find_game(game)
    the_variant = one_variant(the_game, "variant", variant, study)
    match, deals = match_of(the_game, players, agents, games, deal, seating, seatings, seed, the_variant)
    path = Path(out or f"{game}.jsonl")
    to_output = is_standard_output(path)
    if json and to_output:
        raise ArgumentError("out", f"{path}: it and --json both go to standard output; name a file")
    try:
        with stop_flag():
            games_written = write_record(path, record_games(match, deals, seating), overwrite=overwrite)
    except BrokenPipeError:  # by `| head`, which has read enough
        return Answer(None)
    lines = [] if to_output else [f"{pluralize(games_written, 'game')} written to {path}"]
    return Answer({"out": str(path), "games": games_written, "seed": seed}, lines)


def verify(file: str | Path, *, json: bool = False) -> Answer:
    """Replay a record through the plain-Python rules; name the first line that breaks one.

    Example: strozzi verify games.jsonl

    Args:
        file: a record (JSON Lines)
        json: print one JSON document and nothing else
    """
    try:
        games = verify_record(Path(file))
    except RuleViolation as violation:
        if not json:
            raise
        return Answer({"ok": False, "games": None, "line": violation.line, "message": violation.message}, code=1)
    words = f"{file}: {pluralize(games, 'game')}, every line follows the rules"
    return Answer({"ok": True, "games": games, "line": None, "message": None}, [words])


def analyse(
    file: str | Path,
    *,
    game: int = 1,
    agent: str = "learned",
    redraws: int = 32,
    top: int = 5,
    page: str | Path = "",
    overwrite: bool = False,
) -> Answer:
    """Say what each seat's errors in a recorded game cost, how lucky it was, and what turned the game.

    --json also has the cost of each decision.

    Example: strozzi analyse games.jsonl --game 3

    Args:
        file: a record (JSON Lines)
        game: number of the game in the file, from 1
        agent: an agent that evaluates positions
        redraws: draws of chance behind each figure
        top: number of turning points to show
        page: also write a page with pictures, such as analysis.html
        overwrite: replace the page even if it is not such a page
    """
    check_range("game", game, 1, 1e12)
    check_range("redraws", redraws, 1, 10_000)
    check_range("top", top, 0, 1e6)
    if page:
        check_replaceable(Path(page), REPORT_PAGE, "page", overwrite=overwrite)
    recorded = numbered_game(Path(file), game)
    table, analysis = analyse_record(recorded, agent, redraws)
    if page:
        from strozzi_sim.report.analysis import analysis_page
        from strozzi_sim.report.page import write_page
        from strozzi_sim.report.replay import replay_page
        from strozzi_sim.study.store import versions

        name = f"game {game}, {', '.join(dict.fromkeys(recorded.names))}"
        manifest = {"name": name, "seed": table.seed, "versions": versions()}
        manifest["command"] = shlex.join(["strozzi", *sys.argv[1:]])
        manifest["reconstructed"] = {table.variant.name: list(table.variant.reconstructed)}
        html = analysis_page(analysis, manifest, table.game, replay_page(recorded, analysis)[0])
        write_page(Path(page), html, argument="page", overwrite=overwrite)
    lines = [recorded.heading, *analysis_lines(analysis, top), *([f"\nreport: {linked(Path(page))}"] if page else [])]
    return Answer(analysis.document(), lines, page=Path(page) if page else None)


def analysis_lines(analysis: GameAnalysis, top: int = 5) -> Iterator[str]:
    """Yield an analysis as text: the parts of every seat's result, error rates and levels, and the turning points."""
    yield f"judged by {analysis.agent}, the mean of {pluralize(analysis.redraws, 'draw')} for each figure\n"
    for title, rows in analysis.tables().items():
        yield f"{title}\n{columns_of([[f'  {first}', *rest] for first, *rest in rows])}"
    yield (
        "error rate: mean points lost in a decision in which actions differ; level: that of the judge with this error "
        "rate; unexplained: the judge's own changes of mind, and noise of the draws; parts are sums over the game that "
        "add up to the result and can exceed it"
    )
    yield "\nturning points, by change of the expected share of the win"
    yield from (f"  {turn}" for turn in analysis.turns_in_words(top))
