"""record, replay, verify: games as JSON Lines."""

from pathlib import Path
from typing import Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.errors import InputError, RuleViolation, pluralize

RecordFile = Annotated[Path, typer.Argument(metavar="FILE", help="a record (JSON Lines)")]


def record(
    game: options.GameName,
    players: options.OnePlayers = "",
    agents: options.Agents = "random",
    games: Annotated[int, typer.Option(help="record deals 0 .. games-1 at one seating")] = 1,
    deal: Annotated[int | None, typer.Option(help="record only this deal")] = None,
    seating: Annotated[
        int | None, typer.Option(help="number of the seating in the design; default: 0, with spread that of the deal")
    ] = None,
    seatings: Annotated[str, typer.Option(help="the seating design: one, rotate, spread, all or latin")] = "rotate",
    seed: options.Seed = 0,
    variant: options.VariantName = "base",
    study: options.StudyFile = None,
    settings: options.Settings = None,
    out: Annotated[
        Path | None, options.out_option("file to write, - for standard output; default: <game>.jsonl")
    ] = None,
    json: options.Json = False,
) -> None:
    """Play games and write them down, one event a line.

    Example: strozzi record strozzi --players 4 --agents heuristic,random --games 10 --seed 7 --out games.jsonl
    """
    from strozzi_sim.game import load_game
    from strozzi_sim.play.records import record_games, write_record
    from strozzi_sim.runtime.files import STANDARD_OUTPUT, open_descriptor, storage_errors
    from strozzi_sim.simulation.interrupts import stop_flag
    from strozzi_sim.simulation.match import Match

    the_game = load_game(game)
    count = options.one_player_count(players, the_game)
    options.check_seed(seed)
    options.check_range("--games", games, 1, 1e9)
    options.check_range("--deal", deal, 0, 2**53 - 1)
    if deal is not None and games != 1:
        raise InputError(f"--deal and --games: --deal records one game, got --games {games}")
    chosen = options.find_variant(the_game, variant, study, settings)
    match = Match(the_game, count, options.parse_lineup(agents, the_game, count), chosen, seed, seatings)
    options.check_range("--seating", seating, 0, len(match.design) - 1)
    path = Path(f"{game}.jsonl") if out is None else out
    with storage_errors(f"cannot write {path}"):
        to_output = open_descriptor(path) == STANDARD_OUTPUT
    if json and to_output:
        raise InputError(f"--json and --out {path}: both go to standard output; name a file with --out")
    deals = range(games) if deal is None else range(deal, deal + 1)
    try:
        with stop_flag():
            written = write_record(path, record_games(match, deals, seating))
    except BrokenPipeError:  # as `| head` leaves it: enough was read
        return
    if json:
        options.print_json({"out": str(path), "games": written, "seed": seed})
        return
    report = options.print_status if to_output else print  # standard output is for the games alone
    report(f"{pluralize(written, 'game')} written to {'standard output' if to_output else path}")


def verify(file: RecordFile, json: options.Json = False) -> int:
    """Replay a record through the plain-Python rules; name the first line that breaks one.

    Example: strozzi verify games.jsonl
    """
    from strozzi_sim.play.records import verify_record

    document: dict[str, Any] = {"ok": True, "games": None, "line": None, "message": None}
    try:
        document["games"] = verify_record(file)
    except RuleViolation as broken:
        if not json:
            raise RuleViolation(broken.line, broken.message, file) from None
        document |= {"ok": False, "line": broken.line, "message": broken.message}
    if json:
        options.print_json(document)
    else:
        print(f"{file}: {pluralize(document['games'], 'game')}, every line follows the rules")
    return 0 if document["ok"] else 1


def replay(
    file: RecordFile,
    game: Annotated[
        int | None, typer.Option(help="number of the game in the file, from 1; default: 1, for a folder of pages all")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            parser=options.named_path,
            metavar="PAGE",
            help="write the table as a page, such as game.html; a folder such as games gets a page for every game",
        ),
    ] = None,
    judge: Annotated[
        str,
        typer.Option(metavar="AGENT", help="with --html: show each seat's expected share of the win, by this agent"),
    ] = "",
    redraws: Annotated[int, typer.Option(help="with --judge: draws of chance behind each figure")] = 32,
    step: Annotated[bool, typer.Option("--step", help="show the board at every decision and wait for Enter")] = False,
    explain: Annotated[str, typer.Option(metavar="AGENT", help="show this agent's analysis of each decision")] = "",
    decision: Annotated[int | None, typer.Option(help="explain only this decision, counted from 1")] = None,
    seat: Annotated[int | None, typer.Option(help="explain only the decisions of this seat")] = None,
    lines: Annotated[int, typer.Option(help="number of best lines of a search to show")] = 3,
    depth: Annotated[int, typer.Option(help="maximum actions in a line and levels in a tree")] = 6,
    visits: Annotated[int, typer.Option(help="minimum visits of an action shown in lines and trees")] = 10,
    tree: Annotated[Path | None, typer.Option(metavar="JSON", help="write the search trees to this file")] = None,
    json: options.Json = False,
) -> None:
    """Show a recorded game move by move, as a page with its table, or with an agent's analysis of each decision.

    Example: strozzi replay games.jsonl --html game.html
    """
    from strozzi_sim.cli.explain import ExplainOptions, explain_game, header_words, wait_for_enter
    from strozzi_sim.cli.table_pages import write_tables
    from strozzi_sim.game import load_game
    from strozzi_sim.play.records import numbered_game

    options.check_range("--game", game, 1, 1e12)
    options.check_range("--redraws", redraws, 1, 10_000)
    if html is not None:
        if explain or step:
            raise InputError(
                f"--html and {'--explain' if explain else '--step'}: choose one; --judge AGENT judges a page"
            )
        written = write_tables(file, html, game, judge, redraws)
        if json:
            options.print_json(written)
        else:
            print(f"{pluralize(len(written['pages']), 'page')} written: open {written['page']}")
        return
    if judge:
        raise InputError("--judge: only valid with --html PAGE")
    number = game or 1
    recorded = numbered_game(file, number)
    if explain:
        asked = ExplainOptions(explain, decision, seat, lines, depth, visits, tree)
        explain_game(recorded, str(file), asked, step=step, json=json)
        return
    for option, value in (("--decision", decision), ("--seat", seat), ("--tree", tree)):
        if value is not None:
            raise InputError(f"{option}: only valid with --explain AGENT")
    the_game = load_game(recorded.header["game"])
    events, view = the_game.events, the_game.view
    components, names = recorded.header["components"], recorded.names
    check = the_game.verify
    try:  # of a game that breaks a rule nothing is shown
        check.check_game(recorded.header, recorded.line, recorded.events)
    except RuleViolation as broken:
        raise RuleViolation(broken.line, broken.message, file) from None
    played = check.replay_game(recorded.header, recorded.line, recorded.events)
    if json:
        texts = [events.describe(line, names, components) for _, new in played for line in new]
        lines_of_game = [event for _, event in recorded.events]
        options.print_json({"header": recorded.header, "events": lines_of_game, "words": texts})
        return
    print(f"{header_words(recorded, the_game.title)}\n")
    for position, new in played:
        for line in new:
            print(events.describe(line, names, components))
        if step or position.over or any(line["type"] == "round" for line in new):
            print(f"\n{view.render(position, components, names)}\n")
        if step and not position.over and wait_for_enter():
            return


COMMANDS = {"record": record, "replay": replay, "verify": verify}
