"""Reconstruct the decisions of a recorded game from its lines: the same deal, and every choice.

A record has events of the rules, and an agent returns action numbers. The compiled core matches them: of the legal actions,
the one that writes the lines of the record was played. If several match so far, the following lines decide.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from strozzi_sim.errors import ArgumentError, InputError, short_repr
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import from_components
from strozzi_sim.play.records import RecordedGame, games_in

MAX_TRIED = 200_000  # maximal number of positions examined for a record


def recorded_deal(recorded: RecordedGame, place: str) -> dict[str, Any]:
    """Return the arguments of `Position` that deal the game of a record again."""
    header, where = recorded.header, f"{place}: line {recorded.line}"
    game = load_game(header["game"])
    for key in ("seed", "deal"):
        number = header.get(key)
        if type(number) is not int or not 0 <= number < 2**53:
            raise InputError(f"{where}: {key}: a game is dealt again from its seed and deal, got {number!r}")
    variant = from_components(game, str(header.get("variant")), header["components"], f"{where}: components")
    return {"game": game, "variant": variant} | {key: header[key] for key in ("players", "seed", "deal")}


def only_game(lines: Iterable[Mapping[str, Any]], place: str) -> RecordedGame:
    """Return the only game of a record, complete or not."""
    if isinstance(lines, str | bytes | Mapping) or not isinstance(lines, Iterable):
        raise ArgumentError("lines", f"expected the lines of a record, got {short_repr(lines)}")
    recorded, *more = games_in(enumerate(lines, 1), place)
    if more:
        raise InputError(f"{place}: line {more[0].line}: expected one game, and another begins here")
    return recorded


def reconstruct_actions(recorded: RecordedGame, table: Any, place: str, *, complete: bool = True) -> list[int]:
    """Return the actions of a recorded game in order, from its table as dealt.

    A record that need not be `complete` may stop at any decision: the actions end with the last one that wrote a line.
    """
    lines = [event for _, event in recorded.events]
    furthest, fits = _agreement(table, lines)
    waiting: list[tuple[Any, int]] = (
        [(table, furthest)] if fits else []
    )  # with lines explained, the most promising last
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
    if furthest < len(lines):
        line = recorded.events[furthest][0]
    else:
        line = recorded.events[-1][0] if recorded.events else recorded.line
    other = header.get("behaviour")
    note = "" if other == table.game.behaviour else f" (it was recorded with behaviour {other})"
    raise InputError(f"{place}: line {line}: does not follow from {dealt}{note}")


def _agreement(table: Any, lines: Sequence[Mapping[str, Any]]) -> tuple[int, bool]:
    """Return how many of the table's lines match the record from its start, and whether all of them do."""
    events, rows = table.game.events, table.journal
    matched = list(events.to_lines(rows, table.variant.components, table.players))
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
