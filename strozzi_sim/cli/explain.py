"""replay --explain: an agent's analysis of the decisions of a recorded game."""

import json as json_text
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli.options import check_range, print_json
from strozzi_sim.errors import InputError
from strozzi_sim.runtime.files import storage_errors, write_atomically
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.agent import AgentSpec
    from strozzi_sim.play.position import Position
    from strozzi_sim.play.records import RecordedGame

_MAX_ROWS = 12  # actions of a decision that are shown when many decisions are


@dataclass(frozen=True)
class ExplainOptions:
    """Options of `replay --explain`."""

    agent: str
    decision: int | None
    seat: int | None
    lines: int
    depth: int
    visits: int
    tree: Path | None


def explain_game(recorded: "RecordedGame", place: str, asked: ExplainOptions, *, step: bool, json: bool) -> None:
    """Print the agent's analysis, and write its trees if requested.

    Raises:
        InputError: an option out of range, an agent that does not play this game, or a record that does not follow
            from its deal.
        StorageError: the trees cannot be written.
    """
    from strozzi_sim.agent import check_lineup, load_agent
    from strozzi_sim.play.explain import TREE_FORMAT, acting_seats, explain
    from strozzi_sim.play.position import Position
    from strozzi_sim.play.reconstruct import reconstruct_actions, recorded_deal

    spec, header = load_agent(asked.agent, recorded.header["game"]), recorded.header
    check_range("--lines", asked.lines, 0, 1e6)
    check_range("--depth", asked.depth, 1, 1e6)
    check_range("--visits", asked.visits, 1, 1e12)
    check_range("--seat", asked.seat, 0, header["players"] - 1)
    if asked.tree is not None:
        _check_writable(asked.tree)
        if spec.agent.analyse is None:
            raise InputError(f"--tree: {spec.text} provides no analysis; only its choice can be shown")
    table = Position(**recorded_deal(recorded, place))
    check_lineup([spec], table.game, table.players)
    actions = reconstruct_actions(recorded, table, place)
    wanted = _wanted(asked, acting_seats(table, actions))
    analyse = spec.agent.analyse
    value = (analyse.__doc__ or "").strip().split("\n")[0] if analyse else None
    about: dict[str, Any] = {"header": _without(header, "components"), "agent": spec.text, "value": value}
    about |= {"depth": asked.depth, "least_visits": asked.visits}
    if not json:
        print(header_words(recorded, table.game.title))
        if value is None:
            print(f"{spec.text} provides no analysis; only its choice is shown\n")
        else:
            print(f"analysis by {spec.text}; value: {value[:1].lower()}{value[1:].rstrip('.')}")
            print("best lines: action [seat] visits value, each followed by what was tried most after it\n")
    documents, shown = [], 0
    for before, document in explain(
        table, actions, spec, wanted=wanted, lines=asked.lines, depth=asked.depth, visits=asked.visits,
        tree=asked.tree is not None,
    ):  # fmt: skip
        documents.append(document)
        if json:
            continue
        lines = before.lines()
        _describe(table, recorded.names, lines[shown:] if asked.decision is None else [])
        shown = len(lines)
        if step or asked.decision is not None:
            print(f"\n{before.text(names=recorded.names)}")
        _print_decision(document, recorded.names, spec, _MAX_ROWS if asked.decision is None else None)
        if step and asked.decision is None and wait_for_enter():
            break
    else:
        if not json and asked.decision is None:
            _describe(table, recorded.names, [line for _, line in recorded.events[shown:]])
            print()
    if asked.tree is not None:
        whole = {"format": TREE_FORMAT, **about, "decisions": [_without(document, "actions") for document in documents]}
        write_atomically(asked.tree, json_text.dumps(whole, indent=1, allow_nan=False).encode() + b"\n")
    plain = [_without(document, "next", "left_out") for document in documents]
    if json:
        print_json({**about, "decisions": plain, "seats": _agreement(plain, recorded.names)})
        return
    for row in _agreement(plain, recorded.names) if asked.decision is None else []:
        same = f"{row['same']} of {row['decisions']} decisions as played"
        print(f"seat {row['seat']} ({row['agent']}): {same}")
    if asked.tree is not None:
        print(f"trees: {asked.tree}")


def _wanted(asked: ExplainOptions, seats: Sequence[int]) -> list[int]:
    """Return the numbers of the decisions to explain, from 1."""
    if asked.decision is None:
        return [number for number, seat in enumerate(seats, 1) if asked.seat in (None, seat)]
    if not 1 <= asked.decision <= len(seats):
        raise InputError(f"--decision: the game has decisions 1 to {len(seats)}, got {asked.decision}")
    seat = seats[asked.decision - 1]
    if asked.seat not in (None, seat):
        raise InputError(f"--decision and --seat: decision {asked.decision} is seat {seat}'s, not seat {asked.seat}'s")
    return [asked.decision]


def _check_writable(path: Path) -> None:
    """Check that the file can be written before time is spent."""
    with storage_errors(f"--tree: {path} cannot be written"):
        fine = not path.is_dir() and path.parent.is_dir()
    if not fine:
        reason = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise InputError(f"--tree: {path} cannot be written: {reason}")


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
    """Print which game this is, in two lines."""
    header = recorded.header
    where = ", ".join(f"{key} {header[key]}" for key in ("seed", "deal", "seating", "variant"))
    return f"{title}, {header['players']} players: {', '.join(recorded.names)}\n{where}"


def wait_for_enter() -> bool:
    """Wait for Enter; return True where input has ended."""
    print("-- Enter for more --", end="", flush=True)
    return not sys.stdin.readline()


def _describe(table: "Position", names: Sequence[str], lines: Sequence[Mapping[str, Any]]) -> None:
    """Print the events as text."""
    describe = table.game.events.describe
    for line in lines:
        print(describe(line, names, table.variant.components))


def _print_decision(
    document: Mapping[str, Any], names: Sequence[str], spec: "AgentSpec", most: int | None = None
) -> None:
    """Print the decision, with the `most` first actions and those chosen and played."""
    seat = document["seat"]
    print(f"\nDecision {document['decision']}, {names[seat]} (seat {seat}). {document['question']}")
    played, chosen = document["played"], document["chosen"]
    if document["visits"] is None:
        agrees = "as was played" if document["same"] else f"played was {played['name']}"
        print(f"  {spec.text} chooses {chosen['name']}, {agrees}\n")
        return
    rows = [["  action", "visits", "share", "value", ""]]
    left = []
    for number, row in enumerate(document["actions"]):
        marks = [word for word, what in (("chosen", chosen), ("played", played)) if row["action"] == what["action"]]
        if most is not None and number >= most and not marks:
            left.append(row["visits"])
            continue
        share = "-" if row["share"] is None else f"{row['share']:.3f}"
        rows.append([f"  {row['name']}", f"{row['visits']:,}", share, _value(row["value"]), ", ".join(marks)])
    print(columns_of(rows))
    if left:
        print(f"  and {len(left)} more, each tried at most {max(left):,} times")
    for line in document["lines"]:
        if len(line) == 1:  # nothing was looked at after it
            continue
        steps = [f"{step['name']} [{step['seat']}] {step['visits']:,} {_value(step['value'])}" for step in line]
        print(f"  best line: {' > '.join(steps)}")
    print()


def _value(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
