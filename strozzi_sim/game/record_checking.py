"""Play the games of a record again in a game's plain-Python reference: what the checks of all games share."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from strozzi_sim.errors import RuleViolation

Lines = Sequence[tuple[int, Mapping[str, Any]]]


class Position(Protocol):
    """What every reference game has.

    Attributes:
        events: the lines of a record so far, without the header.
        over: whether the game has ended.
        question: what somebody must decide, or None.
    """

    events: list[dict[str, Any]]
    over: bool
    question: Any


class Draws:
    """What the lines tell of the order of chance, up to the first line that draws the impossible.

    Attributes:
        broken_line: number of the line that draws something impossible, or None.
        message: what is wrong with it.
    """

    def __init__(self) -> None:
        self.broken_line: int | None = None
        self.message = ""

    def draw(self, what: str, item: Any, everything: Sequence[Any], drawn: list[Any]) -> None:
        """Add `item`, a `what`, to those `drawn`; it must be one of `everything` (ids or numbers) and not drawn yet."""
        if not any(same(known, item) for known in everything):
            self.message = f"expected the id of a {what}, found {text(item)}"
        elif item in drawn:
            self.message = f"expected a {what} not drawn yet, found {text(item)} again"
        else:
            drawn.append(item)


G = TypeVar("G", bound=Position)


@dataclass(frozen=True)
class Replay(Generic[G]):
    """How a game's records are checked.

    Attributes:
        set_up: the game of a record's header, dealt as its lines tell, and these draws.
        answer: lets a line, with its number, answer the question that the game asks; called as long as the game has
            not written that line itself.
        wanted: the line that would answer the question, in words.
    """

    set_up: Callable[[Mapping[str, Any], Lines], tuple[G, Draws]]
    answer: Callable[[G, int, Mapping[str, Any]], None]
    wanted: Callable[[G], str]

    def check_game(self, header: Mapping[str, Any], header_line: int, lines: Lines) -> None:
        """Play a recorded game again.

        Args:
            header: the record's `game` line, of which `players` and `components` are used; as reading a record has
                checked it.
            header_line: its number in the file.
            lines: the lines after it, each with its number in the file.

        Raises:
            RuleViolation: the first line that cannot be.
        """
        for _ in self.replay_game(header, header_line, lines):
            pass

    def replay_game(
        self, header: Mapping[str, Any], header_line: int, lines: Lines
    ) -> Iterator[tuple[G, list[Mapping[str, Any]]]]:
        """The same, stopping wherever somebody decides, and at the end: the position, and the lines since the last stop."""
        game, draws = self.set_up(header, lines)
        told = 0
        for position, (number, event) in enumerate(lines):
            if number == draws.broken_line:
                raise RuleViolation(number, draws.message)
            while position == len(game.events):
                yield game, [line for _, line in lines[told:position]]
                told = position
                if game.question is None:
                    raise RuleViolation(number, f"expected nothing after the end of the game, found {text(event)}")
                self.answer(game, number, event)
            compare(game.events[position], number, event)
        if len(lines) < len(game.events) or not game.over:
            last = lines[-1][0] if lines else header_line
            wanted = text(game.events[len(lines)]) if len(lines) < len(game.events) else self.wanted(game)
            raise RuleViolation(last, f"the game stops early: expected {wanted} after this")
        yield game, [line for _, line in lines[told:]]


def compare(expected: Mapping[str, Any], number: int, event: Mapping[str, Any]) -> None:
    """Raise RuleViolation unless the line has all that is expected; what it has besides does not matter."""
    for key, value in expected.items():
        if key not in event:
            raise RuleViolation(number, f"expected {text(expected)}, found no {key}")
        if not same(value, event[key]):
            difference = f"{key} {text(event[key])} instead of {text(value)}"
            raise RuleViolation(number, f"expected {text(expected)}, found {difference}")


def same(expected: Any, actual: Any) -> bool:
    """Whether both are equal and of the same kind: 5.0 and true are not 5 and 1."""
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(same(value, actual[key]) for key, value in expected.items())
    return type(expected) is type(actual) and bool(expected == actual)


def text(thing: Any) -> str:
    """A thing as it stands in a record."""
    return json.dumps(thing, default=repr)
