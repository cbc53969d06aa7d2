"""From the lines of a recorded game back to the decisions: the same deal again, and who chose what.

A record says what happened, in the words of the rules; an action is what an agent returns. The compiled core
matches them: of the legal actions, the one that produces the lines of the record was played. Where two fit so far, the
following lines decide.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from strozzi_sim.errors import InputError
from strozzi_sim.games import load_game
from strozzi_sim.games.variants import from_components
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import RecordedGame
from strozzi_sim.selfplay.match import check_players

MAX_TRIED = 200_000  # positions looked at before a record is given up


def table_of(recorded: RecordedGame, place: str) -> Position:
    """The game of a record, dealt again.

    Raises:
        InputError: the record lacks what is needed for that; names `place` and the line.
    """
    header, where = recorded.header, f"{place}: line {recorded.line}"
    game = load_game(header["game"])
    for key in ("seed", "deal"):
        number = header.get(key)
        if type(number) is not int or not 0 <= number < 2**53:
            raise InputError(f"{where}: {key}: a game is dealt again from its seed and deal, got {number!r}")
    variant = from_components(game, str(header.get("variant")), header["components"], f"{where}: components")
    check_players(game, header["players"], variant)
    return Position(game, variant, header["players"], seed=header["seed"], deal=header["deal"])


def retrace(recorded: RecordedGame, table: Position, place: str) -> list[int]:
    """The actions of a recorded game in the order they were played, from its table as dealt.

    Raises:
        InputError: the lines do not follow from the deal; names `place` and the first line that no game has.
    """
    lines = [event for _, event in recorded.events]
    furthest, fits = _agreement(table, lines)
    waiting: list[tuple[Position, _Path]] = [(table, None)] if fits else []  # the most promising position last
    tried = 0
    while waiting and tried < MAX_TRIED:
        here, path = waiting.pop()
        if here.over:
            if len(here.lines()) == len(lines):
                return _unwound(path)
            continue
        branches = []
        for action in here.legal:
            after = here.fork()
            after.play(action)
            told, fits = _agreement(after, lines)
            furthest = max(furthest, told)
            if fits:
                branches.append((told, -action, after))
        tried += len(here.legal)
        branches.sort(key=lambda branch: branch[:2])
        waiting += [(after, (-negative, path)) for _, negative, after in branches]
    header = recorded.header
    dealt = f"the game of seed {header['seed']}, deal {header['deal']}, behaviour {table.game.behaviour}"
    if furthest < len(lines):
        line = recorded.events[furthest][0]
    else:
        line = recorded.events[-1][0] if recorded.events else recorded.line
    other = header.get("behaviour")
    note = "" if other == table.game.behaviour else f" (it was recorded with behaviour {other})"
    raise InputError(f"{place}: line {line}: does not follow from {dealt}{note}")


_Path = tuple[int, Any] | None  # the last action, and those before it


def _unwound(path: _Path) -> list[int]:
    actions: list[int] = []
    while path is not None:
        action, path = path
        actions.append(action)
    return actions[::-1]


def _agreement(table: Position, lines: Sequence[Mapping[str, Any]]) -> tuple[int, bool]:
    """How many lines of the table stand in the record, from the first on, and whether these are all it has told."""
    told = table.lines()
    for k, line in enumerate(told):
        if k == len(lines) or any(lines[k].get(key) != value for key, value in line.items()):
            return k, False
    return len(told), True
