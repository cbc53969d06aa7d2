"""record, verify, replay, analyse: games as JSON Lines, shown again, and the cost of each decision of a game."""

import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from strozzi_sim.agent import check_lineup, load_agent
from strozzi_sim.agent.names import one_variant
from strozzi_sim.cli.show import Answer, columns_of, linked
from strozzi_sim.errors import ArgumentError, RuleViolation, as_argument_error, check_range, pluralize
from strozzi_sim.game import find_game, load_game
from strozzi_sim.game.sentences import seat_name
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.play import records
from strozzi_sim.play.analyse import GameAnalysis, analyse_game, analyse_record, find_judge
from strozzi_sim.play.explain import explain as explained_decisions
from strozzi_sim.play.judging import outcomes_of_game
from strozzi_sim.play.position import Position
from strozzi_sim.runtime.files import GAME_PAGE, REPORT_PAGE, check_replaceable, is_standard_output
from strozzi_sim.simulation.interrupts import stop_flag
from strozzi_sim.study.arguments import refuse_given
from strozzi_sim.table.plain import table_of

Document = dict[str, Any]
MAX_PAGES = 1_000  # games that a folder shows
MAX_ROWS = 12  # actions of a decision that are shown when many decisions are
BEST_LINES = 3  # of a decision that are shown


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
    match, deals = records.match_of(the_game, players, agents, games, deal, seating, seatings, seed, the_variant)
    path = Path(out or f"{game}.jsonl")
    to_output = is_standard_output(path)
    if json and to_output:
        raise ArgumentError("out", f"{path}: it and --json both go to standard output; name a file")
    try:
        with stop_flag():
            games_written = records.write_record(path, records.record_games(match, deals, seating), overwrite=overwrite)
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
        games = records.verify_record(Path(file))
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
    recorded = records.numbered_game(Path(file), game)
    table, analysis = analyse_record(recorded, agent, redraws)
    if page:
        from strozzi_sim.report.analysis import analysis_page
        from strozzi_sim.report.page import write_page
        from strozzi_sim.study.store import versions

        name = f"game {game}, {', '.join(dict.fromkeys(recorded.names))}"
        manifest = {"name": name, "seed": table.seed, "versions": versions()}
        manifest["command"] = shlex.join(["strozzi", *sys.argv[1:]])
        manifest["reconstructed"] = {table.variant.name: list(table.variant.reconstructed)}
        html = analysis_page(analysis, manifest, table.game, recorded)
        write_page(Path(page), html, argument="page", overwrite=overwrite)
    lines = [recorded.heading, *analysis_lines(analysis, top), *([f"\nreport: {linked(Path(page))}"] if page else [])]
    return Answer(analysis.document(), lines, page=Path(page) if page else None)


def analysis_lines(analysis: GameAnalysis, top: int = 5) -> Iterator[str]:
    """Yield an analysis as text: the verdict, the costliest decisions, each seat's parts, and the turning points."""
    yield "\n".join([*filter(None, analysis.verdict()), "", *analysis.costliest_in_words(), ""])
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


def replay(
    file: str | Path,
    *,
    game: int | None = None,
    html: str | Path = "",
    overwrite: bool = False,
    judge: str = "",
    redraws: int | None = None,
    explain: str = "",
    decision: int | None = None,
) -> Answer:
    """Show a recorded game move by move, as a page with its table, or with an agent's analysis of decisions.

    Example: strozzi replay games.jsonl --html game.html

    Args:
        file: a record (JSON Lines)
        game: number of the game in the file, from 1; default: 1, for a folder of pages the first 1,000
        html: write the table as a page, such as game.html; a folder such as games gets a page for each game
        overwrite: with --html: replace a page even if it is not the page of a game
        judge: with --html: show each seat's expected share of the win, by this agent
        redraws: with --judge: draws of chance behind each expected share; default: 32
        explain: show this agent's analysis of each decision
        decision: explain only this decision, counted from 1
    """
    check_range("game", 1 if game is None else game, 1, 1e12)
    if redraws is not None:
        check_range("redraws", redraws, 1, 10_000)
        if not judge:
            raise ArgumentError("redraws", "only valid with --judge AGENT")
    if html:
        if explain:
            raise ArgumentError("html", "leave out --explain; --judge AGENT judges a page")
        if decision is not None:
            raise ArgumentError("decision", "a page shows all decisions; leave it out")
        return _pages(Path(file), Path(html), game, judge, redraws or 32, overwrite)
    refuse_given("only valid with --html PAGE", overwrite=overwrite or None, judge=judge)
    recorded = records.numbered_game(Path(file), game or 1)
    if explain:
        return _explained(recorded, explain, decision)
    if decision is not None:
        raise ArgumentError("decision", "only valid with --explain AGENT")
    recorded.check()  # a game that breaks a rule is not shown
    return _moves(recorded)


def _moves(recorded: records.RecordedGame) -> Answer:
    game, components, names = load_game(recorded.header["game"]), recorded.header["components"], recorded.names

    def steps() -> Iterator[tuple[Any, list[Any], list[str]]]:
        for position, new in game.verify.REPLAY.replay_game(recorded.header, recorded.line, recorded.events):
            yield position, new, [game.events.EVENTS.describe(line, names, components) for line in new]

    def text_lines() -> Iterator[str]:
        yield f"{recorded.heading}\n"
        for position, new, words in steps():
            yield from words
            if position.over or any(line["type"] == "round" for line in new):
                yield f"\n{game.view.render(position, components, names)}\n"

    def document() -> Document:
        words = [word for *_, words in steps() for word in words]
        return {"header": recorded.header, "events": [event for _, event in recorded.events], "words": words}

    return Answer(document, text_lines())


def _explained(recorded: records.RecordedGame, agent: str, decision: int | None) -> Answer:
    spec = as_argument_error("explain", load_agent, agent, recorded.header["game"])
    table, names = Position(**recorded.deal_again()), recorded.names
    as_argument_error("explain", check_lineup, [spec], table.game, table.players)
    actions = records.reconstruct_actions(recorded, table)
    if decision is not None and not 1 <= decision <= len(actions):
        raise ArgumentError("decision", f"the game has decisions 1 to {len(actions)}, got {decision}")
    decisions = explained_decisions(table, actions, spec, [decision] if decision else range(1, len(actions) + 1))
    value = (spec.agent.analyse.__doc__ or "").strip().split("\n")[0] if spec.agent.analyse else None

    def document() -> Document:
        header = {key: content for key, content in recorded.header.items() if key != "components"}
        documents = [document for _, document in decisions]
        explained = {"header": header, "agent": spec.text, "value": value, "decisions": documents}
        return explained | {"seats": _agreement(documents, names)}

    def text_lines() -> Iterator[str]:
        yield recorded.heading
        if value is None:
            yield f"{spec.text} provides no analysis; only its choice is shown\n"
        else:
            yield f"analysis by {spec.text}; value: {value[:1].lower()}{value[1:].rstrip('.')}"
            yield "best lines: action [seat] visits value, each followed by what was tried most after it\n"
        documents, lines_told = list[Document](), 0
        for before, document in decisions:
            documents.append(document)
            happened = before.lines()
            yield from before.sentences(happened[lines_told:] if decision is None else [], names)
            lines_told = len(happened)
            if decision is not None:
                yield f"\n{before.text(names=names)}"
            who = seat_name(names, before.actor)
            yield f"\nDecision {document['decision']}, {who}. {document['question']}"
            yield from _decision_lines(document, spec.text, MAX_ROWS if decision is None else None)
        if decision is None:
            yield from table.sentences([line for _, line in recorded.events[lines_told:]], names)
            yield ""
            for row in _agreement(documents, names):
                yield f"seat {row['seat']} ({row['agent']}): {row['same']} of {row['decisions']} decisions as played"

    return Answer(document, text_lines())


def _agreement(documents: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Document]:
    decisions = Counter(document["seat"] for document in documents)
    same = Counter(document["seat"] for document in documents if document["same"])
    return [
        {"seat": seat, "agent": names[seat], "decisions": decisions[seat], "same": same[seat]}
        for seat in sorted(decisions)
    ]


def _decision_lines(document: Mapping[str, Any], agent: str, most: int | None) -> Iterator[str]:
    played, chosen = document["played"], document["chosen"]
    if document["visits"] is None:
        agrees = "as was played" if document["same"] else f"played was {played['name']}"
        yield f"  {agent} chooses {chosen['name']}, {agrees}\n"
        return
    rows, omitted_visits = [["  action", "visits", "share", "value", ""]], []
    for number, row in enumerate(document["actions"]):
        marks = [word for word, what in (("chosen", chosen), ("played", played)) if row["action"] == what["action"]]
        if most is not None and number >= most and not marks:
            omitted_visits.append(row["visits"])
            continue
        figures = [f"{row['visits']:,}", _figure(row["share"]), _figure(row["value"])]
        rows.append([f"  {row['name']}", *figures, ", ".join(marks)])
    yield columns_of(rows)
    if omitted_visits:
        yield f"  and {len(omitted_visits)} more, each tried at most {max(omitted_visits):,} times"
    for best in document["actions"][:BEST_LINES]:
        path = [{"seat": document["seat"], **best}]
        while path[-1]["next"]:
            path.append(path[-1]["next"][0])
        steps = (f"{step['name']} [{step['seat']}] {step['visits']:,} {_figure(step['value'])}" for step in path)
        if len(path) > 1:  # else no continuation was searched
            yield f"  best line: {' > '.join(steps)}"
    yield ""


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _pages(file: Path, html: Path, game: int | None, judge: str, redraws: int, overwrite: bool) -> Answer:
    from strozzi_sim.report.page import write_page
    from strozzi_sim.report.replay import list_page, replay_page

    is_page = html.suffix.lower() in (".html", ".htm")
    if not is_page and html.is_file():
        raise ArgumentError("html", f"{html} is a file; name a page that ends in .html, or a folder")
    games = iter([records.numbered_game(file, game or 1)]) if is_page or game else records.read_record(file)
    place = html if is_page else html / "index.html"
    how: dict[str, Any] = {"argument": "html", "overwrite": overwrite}
    check_replaceable(place, GAME_PAGE, **how)  # before a judge takes its time
    how["within"] = None if is_page else html
    listed = list[tuple[str, str, str]]()
    for number, recorded in enumerate(islice(games, MAX_PAGES), game or 1):
        recorded.check()
        page, heading = replay_page(recorded, *_judged(recorded, judge, redraws) if judge else ())
        path = html if is_page else html / f"game-{number}.html"
        write_page(path, page, GAME_PAGE, **how)
        about = f"seed {recorded.header['seed']}, deal {recorded.header['deal']}; {', '.join(recorded.names)}"
        listed.append((path.name, f"Game {number}: {heading}", about))
    if not is_page:
        write_page(place, list_page(f"{pluralize(len(listed), 'game')} of {file.name}", listed), GAME_PAGE, **how)
    pages = [str(place.with_name(name)) for name, *_ in listed]
    more = "; the file has more games" if next(games, None) else ""
    written = f"{pluralize(len(pages), 'page')} written: open {linked(place)}{more}"
    return Answer({"pages": pages, "page": str(place)}, [written], page=place)


def _judged(recorded: records.RecordedGame, judge: str, redraws: int) -> tuple[Any, Any]:
    start = Position(**recorded.deal_again())
    spec = as_argument_error("judge", find_judge, judge, start.game, start.players, start.variant)
    actions = records.reconstruct_actions(recorded, start)
    namer = table_of(start.game, recorded.header)
    return analyse_game(start.copy(), actions, spec, redraws), outcomes_of_game(start.copy(), actions, spec, namer)
