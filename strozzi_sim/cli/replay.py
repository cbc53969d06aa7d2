"""replay: a recorded game move by move, as a page with its table, or with an agent's analysis of each decision."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from strozzi_sim.agent import check_lineup, load_agent
from strozzi_sim.cli.show import Answer, columns_of
from strozzi_sim.errors import ArgumentError, as_argument_error, check_range, pluralize
from strozzi_sim.game import load_game
from strozzi_sim.play.analyse import analyse_game, find_judge
from strozzi_sim.play.explain import TREE_FORMAT, acting_seats, explain
from strozzi_sim.play.judging import outcomes_of_game
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import RecordedGame, numbered_game, read_record, reconstruct_actions
from strozzi_sim.runtime.files import storage_errors, write_atomically
from strozzi_sim.table.plain import table_of

Document = dict[str, Any]
MAX_PAGES = 1_000
_MAX_ROWS = 12  # actions of a decision that are shown when many decisions are


def replay(
    file: str | Path, *, game: int | None = None, html: str | Path = "", judge: str = "", redraws: int = 32, step: bool = False,
    explain: str = "", decision: int | None = None, seat: int | None = None, lines: int = 3, depth: int = 6, visits: int = 10,
    tree: str | Path = "",
) -> Answer:  # fmt: skip
    """Show a recorded game move by move, as a page with its table, or with an agent's analysis of each decision.

    Example: strozzi replay games.jsonl --html game.html

    Args:
        file: a record (JSON Lines)
        game: number of the game in the file, from 1; default: 1, for a folder of pages all
        html: write the table as a page, such as game.html; a folder such as games gets a page for every game
        judge: with --html: show each seat's expected share of the win, by this agent
        redraws: with --judge: draws of chance behind each figure
        step: show the board at every decision and wait for Enter
        explain: show this agent's analysis of each decision
        decision: explain only this decision, counted from 1
        seat: explain only the decisions of this seat
        lines: number of best lines of a search to show
        depth: maximum actions in a line and levels in a tree
        visits: minimum visits of an action shown in lines and trees
        tree: write the search trees to this file
    """
    check_range("game", 1 if game is None else game, 1, 1e12)
    check_range("redraws", redraws, 1, 10_000)
    if html:
        if explain or step:
            raise ArgumentError("html", f"leave out --{'explain' if explain else 'step'}; --judge AGENT judges a page")
        return _pages(Path(file), Path(html), game, judge, redraws)
    if judge:
        raise ArgumentError("judge", "only valid with --html PAGE")
    recorded = numbered_game(Path(file), game or 1)
    if not explain:
        for name, value in (("decision", decision), ("seat", seat), ("tree", tree or None)):
            if value is not None:
                raise ArgumentError(name, "only valid with --explain AGENT")
        recorded.check()  # of a game that breaks a rule nothing is shown
        return _moves(recorded, step=step)
    for name, value, low, high in (("lines", lines, 0, 1e6), ("depth", depth, 1, 1e6), ("visits", visits, 1, 1e12)):
        check_range(name, value, low, high)
    check_range("seat", seat or 0, 0, recorded.header["players"] - 1)
    limits = {"lines": lines, "depth": depth, "visits": visits}
    return _explained(recorded, explain, decision, seat, limits, Path(tree) if tree else None, step=step)


def _wait_for_enter() -> bool:
    """Wait for Enter; return True where input has ended."""
    print("-- Enter for more --", end="", flush=True)
    return not sys.stdin.readline()


def _moves(recorded: RecordedGame, *, step: bool) -> Answer:
    """Return every event of a game in words, with the board after each round."""
    game, components, names = load_game(recorded.header["game"]), recorded.header["components"], recorded.names

    def steps() -> Iterator[tuple[Any, list[Any], list[str]]]:
        for position, new in game.verify.REPLAY.replay_game(recorded.header, recorded.line, recorded.events):
            yield position, new, [game.events.EVENTS.describe(line, names, components) for line in new]

    def shown() -> Iterator[str]:
        yield f"{recorded.heading}\n"
        for position, new, words in steps():
            yield from words
            if step or position.over or any(line["type"] == "round" for line in new):
                yield f"\n{game.view.render(position, components, names)}\n"
            if step and not position.over and _wait_for_enter():
                return

    def document() -> Document:
        said = [word for *_, words in steps() for word in words]
        return {"header": recorded.header, "events": [event for _, event in recorded.events], "words": said}

    return Answer(document, shown())


def _explained(
    recorded: RecordedGame, agent: str, decision: int | None, seat: int | None, limits: dict[str, int], tree: Path | None, *, step: bool,
) -> Answer:  # fmt: skip
    """Return the agent's analysis of a game, or of some of its decisions; its trees are written as it is shown."""
    spec = as_argument_error("explain", load_agent, agent, recorded.header["game"])
    if tree:  # checked before time is spent
        with storage_errors(f"{tree} cannot be written"):
            if tree.is_dir() or not tree.parent.is_dir():
                reason = "it is a folder" if tree.is_dir() else f"there is no folder {tree.parent}"
                raise ArgumentError("tree", f"{tree} cannot be written: {reason}")
        if spec.agent.analyse is None:
            raise ArgumentError("tree", f"{spec.text} provides no analysis; only its choice can be shown")
    table, names = Position(**recorded.deal_again()), recorded.names
    as_argument_error("explain", check_lineup, [spec], table.game, table.players)
    actions = reconstruct_actions(recorded, table)
    wanted = _wanted(decision, seat, acting_seats(table, actions))
    value = (spec.agent.analyse.__doc__ or "").strip().split("\n")[0] if spec.agent.analyse else None
    about: Document = {"header": _without(recorded.header, "components"), "agent": spec.text, "value": value}
    about |= {"depth": limits["depth"], "least_visits": limits["visits"]}
    documents: list[Document] = []

    def decisions() -> Iterator[tuple[Position, Document]]:
        for before, document in explain(table, actions, spec, wanted=wanted, **limits, tree=bool(tree)):
            documents.append(document)
            yield before, document
        if tree:
            kept = [_without(document, "actions") for document in documents]
            whole = {"format": TREE_FORMAT, **about, "decisions": kept}
            write_atomically(tree, json.dumps(whole, indent=1, allow_nan=False).encode() + b"\n")

    def plain() -> Document:
        found = [_without(document, "next", "left_out") for _, document in decisions()]
        return {**about, "decisions": found, "seats": _agreement(found, names)}

    def shown() -> Iterator[str]:
        yield recorded.heading
        if value is None:
            yield f"{spec.text} provides no analysis; only its choice is shown\n"
        else:
            yield f"analysis by {spec.text}; value: {value[:1].lower()}{value[1:].rstrip('.')}"
            yield "best lines: action [seat] visits value, each followed by what was tried most after it\n"
        told = 0
        for before, document in decisions():
            happened = before.lines()
            yield from before.sentences(happened[told:] if decision is None else [], names)
            told = len(happened)
            if step or decision is not None:
                yield f"\n{before.text(names=names)}"
            yield f"\nDecision {document['decision']}, {names[before.actor]} (seat {before.actor}). {document['question']}"
            yield from _decision_lines(document, spec.text, _MAX_ROWS if decision is None else None)
            if step and decision is None and _wait_for_enter():
                return
        if decision is None:
            yield from table.sentences([line for _, line in recorded.events[told:]], names)
            yield ""
            for row in _agreement(documents, names):
                yield f"seat {row['seat']} ({row['agent']}): {row['same']} of {row['decisions']} decisions as played"
        if tree:
            yield f"trees: {tree}"

    return Answer(plain, shown())


def _wanted(decision: int | None, seat: int | None, seats: Sequence[int]) -> list[int]:
    """Return the numbers of the decisions to explain, from 1."""
    if decision is None:
        return [number for number, acting in enumerate(seats, 1) if seat in (None, acting)]
    if not 1 <= decision <= len(seats):
        raise ArgumentError("decision", f"the game has decisions 1 to {len(seats)}, got {decision}")
    if seat not in (None, seats[decision - 1]):
        raise ArgumentError("seat", f"decision {decision} is seat {seats[decision - 1]}'s, got {seat}")
    return [decision]


def _without(document: Mapping[str, Any], *keys: str) -> Document:
    return {key: value for key, value in document.items() if key not in keys}


def _agreement(documents: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Document]:
    """Return, by seat, the number of explained decisions and of those in which the agent agrees with the move played."""
    same = {seat: [each["same"] for each in documents if each["seat"] == seat] for seat in range(len(names))}
    return [
        {"seat": seat, "agent": names[seat], "decisions": len(own), "same": sum(own)}
        for seat, own in same.items()
        if own
    ]


def _decision_lines(document: Mapping[str, Any], agent: str, most: int | None) -> Iterator[str]:
    """Yield the `most` first actions of a decision and those chosen and played, and the best lines."""
    played, chosen = document["played"], document["chosen"]
    if document["visits"] is None:
        agrees = "as was played" if document["same"] else f"played was {played['name']}"
        yield f"  {agent} chooses {chosen['name']}, {agrees}\n"
        return
    rows, left = [["  action", "visits", "share", "value", ""]], []
    for number, row in enumerate(document["actions"]):
        marks = [word for word, what in (("chosen", chosen), ("played", played)) if row["action"] == what["action"]]
        if most is not None and number >= most and not marks:
            left.append(row["visits"])
            continue
        figures = [f"{row['visits']:,}", _figure(row["share"]), _figure(row["value"])]
        rows.append([f"  {row['name']}", *figures, ", ".join(marks)])
    yield columns_of(rows)
    if left:
        yield f"  and {len(left)} more, each tried at most {max(left):,} times"
    for line in document["lines"]:
        if len(line) > 1:  # else nothing was looked at after it
            steps = [f"{step['name']} [{step['seat']}] {step['visits']:,} {_figure(step['value'])}" for step in line]
            yield f"  best line: {' > '.join(steps)}"
    yield ""


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _pages(file: Path, html: Path, game: int | None, judge: str, redraws: int) -> Answer:
    """Write the page of a game, or a folder with a page for each game and a list."""
    from strozzi_sim.report.page import write_page
    from strozzi_sim.report.replay import list_page, replay_page

    one = html.suffix.lower() in (".html", ".htm")
    if not one and html.is_file():
        raise ArgumentError("html", f"{html} is a file; name a page that ends in .html, or a folder")
    every = islice(read_record(file), MAX_PAGES) if not (one or game) else [numbered_game(file, game or 1)]
    listed = list[tuple[str, str, str]]()
    for number, recorded in enumerate(every, game or 1):
        recorded.check()
        page, heading = replay_page(recorded, *_judged(recorded, judge, redraws) if judge else ())
        path = html if one else html / f"game-{number}.html"
        with storage_errors(f"cannot write {html}"):
            if not one:
                html.mkdir(parents=True, exist_ok=True)
        write_page(path, page)
        about = f"seed {recorded.header['seed']}, deal {recorded.header['deal']}; {', '.join(recorded.names)}"
        listed.append((path.name, f"Game {number}: {heading}", about))
    place = html if one else html / "index.html"
    if not one:
        write_page(place, list_page(f"{pluralize(len(listed), 'game')} of {file.name}", listed))
    pages = [str(place.with_name(name)) for name, *_ in listed]
    return Answer({"pages": pages, "page": str(place)}, [f"{pluralize(len(pages), 'page')} written: open {place}"])


def _judged(recorded: RecordedGame, judge: str, redraws: int) -> tuple[Any, Any]:
    """Return the analysis of a game, and what could have come."""
    dealt = Position(**recorded.deal_again())
    spec = as_argument_error("judge", find_judge, judge, dealt.game, dealt.players, dealt.variant)
    actions = reconstruct_actions(recorded, dealt)
    namer = table_of(dealt.game, recorded.header)
    return analyse_game(dealt.copy(), actions, spec, redraws), outcomes_of_game(dealt.copy(), actions, spec, namer)
