"""replay --explain: an agent's analysis of the decisions of a recorded game."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import ArgumentError, as_argument_error, check_range
from strozzi_sim.runtime.files import storage_errors, write_atomically
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.agent import AgentSpec
    from strozzi_sim.play.position import Position
    from strozzi_sim.play.records import RecordedGame

_MAX_ROWS = 12  # actions of a decision that are shown when many decisions are


def explained(
    recorded: "RecordedGame", place: str, agent: str, *, decision: int | None, seat: int | None, lines: int, depth: int, visits: int,
    tree: str | Path, step: bool,
) -> Answer:  # fmt: skip
    """Return the agent's analysis of a game, or of some of its decisions; its trees are written as it is shown.

    Raises:
        InputError: an option out of range, an agent that does not play this game, or a record that does not follow
            from its deal.
        StorageError: the trees cannot be written.
    """
    from strozzi_sim.agent import check_lineup, load_agent
    from strozzi_sim.play.explain import TREE_FORMAT, acting_seats, explain
    from strozzi_sim.play.position import Position
    from strozzi_sim.play.reconstruct import reconstruct_actions, recorded_deal

    header = recorded.header
    spec = as_argument_error("explain", load_agent, agent, header["game"])
    check_range("lines", lines, 0, 1e6)
    check_range("depth", depth, 1, 1e6)
    check_range("visits", visits, 1, 1e12)
    check_range("seat", seat or 0, 0, header["players"] - 1)
    if tree:
        _check_writable(Path(tree))
        if spec.agent.analyse is None:
            raise ArgumentError("tree", f"{spec.text} provides no analysis; only its choice can be shown")
    table = Position(**recorded_deal(recorded, place))
    as_argument_error("explain", check_lineup, [spec], table.game, table.players)
    actions = reconstruct_actions(recorded, table, place)
    wanted = _wanted(decision, seat, acting_seats(table, actions))
    value = (spec.agent.analyse.__doc__ or "").strip().split("\n")[0] if spec.agent.analyse else None
    about: dict[str, Any] = {"header": _without(header, "components"), "agent": spec.text, "value": value}
    about |= {"depth": depth, "least_visits": visits}
    documents: list[dict[str, Any]] = []

    def decisions() -> Iterator[tuple["Position", dict[str, Any]]]:
        for before, document in explain(
            table, actions, spec, wanted=wanted, lines=lines, depth=depth, visits=visits, tree=bool(tree)
        ):
            documents.append(document)
            yield before, document
        if tree:
            kept = [_without(document, "actions") for document in documents]
            whole = {"format": TREE_FORMAT, **about, "decisions": kept}
            write_atomically(Path(tree), json.dumps(whole, indent=1, allow_nan=False).encode() + b"\n")

    def plain() -> dict[str, Any]:
        for _ in decisions():
            pass
        found = [_without(document, "next", "left_out") for document in documents]
        return {**about, "decisions": found, "seats": _agreement(found, recorded.names)}

    def shown() -> Iterator[str]:
        yield header_words(recorded, table.game.title)
        if value is None:
            yield f"{spec.text} provides no analysis; only its choice is shown\n"
        else:
            yield f"analysis by {spec.text}; value: {value[:1].lower()}{value[1:].rstrip('.')}"
            yield "best lines: action [seat] visits value, each followed by what was tried most after it\n"
        told = 0
        for before, document in decisions():
            happened = before.lines()
            yield from _words(table, recorded.names, happened[told:] if decision is None else [])
            told = len(happened)
            if step or decision is not None:
                yield f"\n{before.text(names=recorded.names)}"
            yield from _decision_lines(document, recorded.names, spec, _MAX_ROWS if decision is None else None)
            if step and decision is None and wait_for_enter():
                return
        if decision is None:
            yield from _words(table, recorded.names, [line for _, line in recorded.events[told:]])
            yield ""
            for row in _agreement(documents, recorded.names):
                same = f"{row['same']} of {row['decisions']} decisions as played"
                yield f"seat {row['seat']} ({row['agent']}): {same}"
        if tree:
            yield f"trees: {tree}"

    return Answer(plain, shown())


def _wanted(decision: int | None, seat: int | None, seats: Sequence[int]) -> list[int]:
    """Return the numbers of the decisions to explain, from 1."""
    if decision is None:
        return [number for number, acting in enumerate(seats, 1) if seat in (None, acting)]
    if not 1 <= decision <= len(seats):
        raise ArgumentError("decision", f"the game has decisions 1 to {len(seats)}, got {decision}")
    acting = seats[decision - 1]
    if seat not in (None, acting):
        raise ArgumentError("seat", f"decision {decision} is seat {acting}'s, got {seat}")
    return [decision]


def _check_writable(path: Path) -> None:
    """Check that the file can be written before time is spent."""
    with storage_errors(f"{path} cannot be written"):
        fine = not path.is_dir() and path.parent.is_dir()
    if not fine:
        reason = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ArgumentError("tree", f"{path} cannot be written: {reason}")


def _without(document: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in keys}


def _agreement(documents: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return, by seat, the number of explained decisions and of those in which the agent agrees with the move played."""
    rows = []
    for seat, name in enumerate(names):
        same = [bool(document["same"]) for document in documents if document["seat"] == seat]
        if same:
            rows.append({"seat": seat, "agent": name, "decisions": len(same), "same": sum(same)})
    return rows


def header_words(recorded: "RecordedGame", title: str) -> str:
    """Return which game this is, in two lines."""
    header = recorded.header
    where = ", ".join(f"{key} {header[key]}" for key in ("seed", "deal", "seating", "variant"))
    return f"{title}, {header['players']} players: {', '.join(recorded.names)}\n{where}"


def wait_for_enter() -> bool:
    """Wait for Enter; return True where input has ended."""
    print("-- Enter for more --", end="", flush=True)
    return not sys.stdin.readline()


def _words(table: "Position", names: Sequence[str], lines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the events as text."""
    for line in lines:
        yield table.game.events.describe(line, names, table.variant.components)


def _decision_lines(
    document: Mapping[str, Any], names: Sequence[str], spec: "AgentSpec", most: int | None
) -> Iterator[str]:
    """Yield the decision, with the `most` first actions and those chosen and played."""
    seat, played, chosen = document["seat"], document["played"], document["chosen"]
    yield f"\nDecision {document['decision']}, {names[seat]} (seat {seat}). {document['question']}"
    if document["visits"] is None:
        agrees = "as was played" if document["same"] else f"played was {played['name']}"
        yield f"  {spec.text} chooses {chosen['name']}, {agrees}\n"
        return
    rows, left = [["  action", "visits", "share", "value", ""]], []
    for number, row in enumerate(document["actions"]):
        marks = [word for word, what in (("chosen", chosen), ("played", played)) if row["action"] == what["action"]]
        if most is not None and number >= most and not marks:
            left.append(row["visits"])
            continue
        share = "-" if row["share"] is None else f"{row['share']:.3f}"
        rows.append([f"  {row['name']}", f"{row['visits']:,}", share, _value(row["value"]), ", ".join(marks)])
    yield columns_of(rows)
    if left:
        yield f"  and {len(left)} more, each tried at most {max(left):,} times"
    for line in document["lines"]:
        if len(line) > 1:  # else nothing was looked at after it
            steps = [f"{step['name']} [{step['seat']}] {step['visits']:,} {_value(step['value'])}" for step in line]
            yield f"  best line: {' > '.join(steps)}"
    yield ""


def _value(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
