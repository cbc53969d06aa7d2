"""Reconstruct the decisions of a recorded game from its lines: the same deal, and every choice.

A record has events of the rules, and an agent returns action numbers. The compiled core matches them: of the legal actions,
the one that writes the lines of the record was played. If several match so far, the following lines decide.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from strozzi_sim.errors import InputError
from strozzi_sim.play.records import RecordedGame

MAX_TRIED = 200_000  # maximal number of positions examined for a record


def reconstruct_actions(recorded: RecordedGame, table: Any, *, complete: bool = True) -> list[int]:
    """Return the actions of a recorded game in order, from its table as dealt.

    A record that need not be `complete` may stop at any decision: the actions end with the last one that wrote a line.
    """
    lines = [event for _, event in recorded.events]
    furthest, fits = _agreement(table, lines)
    waiting = [(table, furthest)] if fits else []  # with lines explained, the most promising last
    tried = 0
    while waiting and tried < MAX_TRIED:
        here, matched = waiting.pop()
        if matched == len(lines) and (here.over or not complete):
            return list(here.actions)
        branches = []
        for action in reversed(here.legal):  # of equal ones the lowest is tried first
            after = here.copy()
            after.play(action)
            matched, fits = _agreement(after, lines)
            furthest = max(furthest, matched)
            if fits:
                branches.append((after, matched))
        tried += len(here.legal)
        waiting += sorted(branches, key=lambda branch: branch[1])
    header = recorded.header
    dealt = f"the game of seed {header['seed']}, deal {header['deal']}, behaviour {table.game.behaviour}"
    line = [recorded.line, *(number for number, _ in recorded.events)][min(furthest + 1, len(lines))]
    other = header.get("behaviour")
    note = "" if other == table.game.behaviour else f" (it was recorded with behaviour {other})"
    raise InputError(f"{recorded.place}: line {line}: does not follow from {dealt}{note}")


def _agreement(table: Any, lines: Sequence[Mapping[str, Any]]) -> tuple[int, bool]:
    """Return how many of the table's lines match the record from its start, and whether all of them do."""
    events, rows = table.game.events, table.journal
    matched = list(events.EVENTS.to_lines(rows, table.variant.components, table.players))
    for k, line in enumerate(matched):
        if k == len(lines) or any(lines[k].get(key) != value for key, value in line.items()):
            return k, False
    if len(matched) == len(lines):
        return len(matched), True
    return len(matched), all(_is_begun(line, lines[len(matched) :]) for line in events.begun(rows, table.state[0]))


def _is_begun(begun: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the next line of this type and player continues this partial line."""
    for line in lines:
        if all(line.get(key) == begun[key] for key in ("type", "player")):
            return all(key in line and _begins(line[key], value) for key, value in begun.items())
    return False


def _begins(whole: Any, beginning: Any) -> bool:
    """Return whether a value of a line matches; a list matches its beginning, a tuple all of it."""
    if not isinstance(beginning, list | tuple):
        return bool(whole == beginning)
    if not isinstance(whole, list) or len(whole) < len(beginning):
        return False
    if type(beginning) is tuple and len(whole) != len(beginning):
        return False
    return all(_begins(*pair) for pair in zip(whole, beginning, strict=False))
