"""Check a record against the rules: play its games again in the plain-Python reference, line by line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from strozzi_sim.errors import BrokenRule
from strozzi_sim.games.strozzi.reference import Game

Lines = Sequence[tuple[int, Mapping[str, Any]]]


def check_game(header: Mapping[str, Any], header_line: int, lines: Lines) -> None:
    """Play a recorded game again.

    Args:
        header: the record's `game` line, of which `players` and `components` are used.
        header_line: its number in the file.
        lines: the lines after it, each with its number in the file.

    Raises:
        BrokenRule: the first line that cannot be.
    """
    for _ in replay_game(header, header_line, lines):
        pass


def replay_game(
    header: Mapping[str, Any], header_line: int, lines: Lines
) -> Iterator[tuple[Game, list[Mapping[str, Any]]]]:
    """The same, stopping wherever somebody decides, and at the end: the position, and the lines since the last stop."""
    try:
        chance = _Chance(header["components"], lines)
        game = Game(header["components"], header["players"], chance.ships, chance.tiles)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise BrokenRule(header_line, f"no game can be set up: {error!r}") from error
    told = 0
    for position, (number, event) in enumerate(lines):
        if number == chance.broken_line:
            raise BrokenRule(number, chance.message)
        if position == len(game.events):
            yield game, [line for _, line in lines[told:position]]
            told = position
            _answer(game, number, event)
        _compare(game.events[position], number, event)
    if len(lines) < len(game.events) or not game.over:
        last = lines[-1][0] if lines else header_line
        raise BrokenRule(last, f"the game stops early: expected {_next_line(game, len(lines))} after this")
    yield game, [line for _, line in lines[told:]]


class _Chance:
    """The order of ships and tiles that the lines tell, up to the first line that draws the impossible.

    Attributes:
        ships, tiles: the orders; what the lines do not tell is filled up with what is left.
        broken_line: number of the line that draws something impossible, or None.
        message: what is wrong with it.
    """

    def __init__(self, components: Mapping[str, Any], lines: Lines) -> None:
        all_ships = [card["id"] for card in components["ships"]]
        all_tiles = [tile["id"] for tile in components["promotion_tiles"]]
        face_up = min(components["setup"]["promotion_tiles_face_up"], len(all_tiles))
        self.ships: list[list[str]] = []
        self.tiles: list[str] = []
        self.broken_line: int | None = None
        self.message = ""
        for number, event in lines:
            kind = event.get("type")
            if kind == "tiles":
                self._draw_display(event.get("display"), face_up, all_tiles)
            elif kind == "round":
                self.ships.append([])
            elif kind == "reveal" and self.ships:
                self._draw("ship", event.get("ship"), all_ships, self.ships[-1])
            elif kind == "take_tile" and event.get("replacement") is not None:
                self._draw("tile", event["replacement"], all_tiles, self.tiles)
            if self.message:
                self.broken_line = number
                break
        self.ships += [[] for _ in range(components["setup"]["rounds"] - len(self.ships))]
        for deck in self.ships:
            deck += [ship for ship in all_ships if ship not in deck]
        self.tiles += [tile for tile in all_tiles if tile not in self.tiles]

    def _draw_display(self, shown: Any, face_up: int, all_tiles: Sequence[str]) -> None:
        if not isinstance(shown, list) or len(shown) != face_up:
            self.message = f"expected a display of {face_up} tiles, found {_text(shown)}"
            return
        for tile in shown:
            self._draw("tile", tile, all_tiles, self.tiles)

    def _draw(self, what: str, item: Any, everything: Sequence[str], drawn: list[str]) -> None:
        if item not in everything:
            self.message = f"expected the id of a {what}, found {_text(item)}"
        elif item in drawn:
            self.message = f"expected a {what} not drawn yet, found {_text(item)} again"
        else:
            drawn.append(item)


def _answer(game: Game, number: int, event: Mapping[str, Any]) -> None:
    """Let the line answer the question that the game asks."""
    question = game.question
    if question is None:
        raise BrokenRule(number, f"expected nothing after the end of the game, found {_text(event)}")
    key = {"claim": "flag", "place": "port", "take_tile": "tile"}[question.kind]
    _compare({"type": question.kind, "player": question.seat}, number, event)
    choice = event.get(key, "nothing")
    if question.kind == "claim" and choice is None:
        choice = "pass"
    if choice not in question.options:
        found = f"{key} {_text(event[key])}" if key in event else f"no {key}"
        raise BrokenRule(number, f"expected {_next_line(game, len(game.events))}, found {found}")
    game.play(choice)


def _next_line(game: Game, position: int) -> str:
    """The line that the game wants at `position`, for a message."""
    if position < len(game.events):
        return _text(game.events[position])
    assert game.question is not None
    kind, seat, options = game.question
    choices = " or ".join(_text(None if option == "pass" else option) for option in options)
    return f"a {kind} of player {seat}: {choices}"


def _compare(expected: Mapping[str, Any], number: int, event: Mapping[str, Any]) -> None:
    """Raise BrokenRule unless the line has all that is expected; what it has besides does not matter."""
    for key, value in expected.items():
        if key not in event:
            raise BrokenRule(number, f"expected {_text(expected)}, found no {key}")
        if not _same(value, event[key]):
            found = f"{key} {_text(event[key])} instead of {_text(value)}"
            raise BrokenRule(number, f"expected {_text(expected)}, found {found}")


def _same(expected: Any, found: Any) -> bool:
    """Whether both are equal and of the same kind: 5.0 and true are not 5 and 1."""
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(_same, expected, found))
    return type(expected) is type(found) and bool(expected == found)


def _text(thing: Any) -> str:
    return json.dumps(thing, default=repr)
