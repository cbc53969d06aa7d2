"""Reference games in plain Python, and the replay of records in them."""

import json
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from strozzi_sim.errors import InputError, RuleViolation, pluralize

Lines = Sequence[tuple[int, Mapping[str, Any]]]


class Question(NamedTuple):
    """A decision in a reference game."""

    kind: str  # with `answering`: type of the record line that contains the answer
    seat: int  # the acting seat
    options: Sequence[Any]  # the choices


Course = Generator[Question, Any, None]  # a whole game


class ReferenceGame:
    """A reference game in plain Python.

    A subclass has `course`, a generator of the whole game, setup included, that yields a Question for each decision and
    receives the chosen option. An `__init__` of a subclass must call `begin` at its end. A subclass may have `score`,
    the points by seat so far.

    >>> class Guess(ReferenceGame):
    ...     def course(self):
    ...         value = yield from self.ask("bid", 0, [1, 2])
    ...         self.write("bid", player=0, value=value)
    >>> game = Guess({}, players=2)
    >>> game.question.options
    [1, 2]
    >>> game.play(2)
    >>> game.events, game.over
    ([{'type': 'bid', 'player': 0, 'value': 2}], True)
    """

    events: list[dict[str, Any]]  # lines of a record so far, without the header
    over: bool
    question: Any  # the pending decision, or None
    on_line: Callable[[Any], None] | None = None  # called with the game after each line; set by its observer

    def __init__(
        self, components: Mapping[str, Any], players: int, start_player: int = 0, **draws: Sequence[Any]
    ) -> None:
        """Play up to the first decision; each of `draws`, a list in the order of chance, becomes an attribute."""
        self.components, self.players, self.start_player = components, players, start_player
        for name, order in draws.items():
            setattr(self, name, list(order))
        self.begin()

    def begin(self) -> None:
        """Play up to the first decision."""
        self.events, self.over = [], False
        self._course = self.course()
        self._continue(None)

    @property
    def actor(self) -> int | None:
        """The acting seat, or None when the game is over."""
        return self.question.seat if self.question else None

    @property
    def legal(self) -> Sequence[Any]:
        """The options of the acting seat."""
        return self.question.options if self.question else ()

    def course(self) -> Generator[Any, Any, None]:
        """Play the whole game."""
        raise NotImplementedError

    def play(self, option: Any) -> None:
        """Choose an option for the acting seat, and play up to the next decision. Raises ValueError if illegal."""
        legal = self.legal
        if isinstance(legal, range):
            is_legal = type(option) is int and option in legal
            options_text = f"whole numbers from {legal[0]} to {legal[-1]}"
        else:
            is_legal, options_text = any(same(each, option) for each in legal), str(list(legal))
        if not is_legal:
            raise ValueError(f"{option!r} is not legal for seat {self.actor}, only {options_text}")
        self._continue(option)

    def ask(self, kind: str, seat: int, options: Sequence[Any]) -> Generator[Question, Any, Any]:
        """Return the chosen option, for `yield from`; a single option is chosen without a decision."""
        if len(options) == 1:
            return options[0]
        return (yield Question(kind, seat, options))

    def write(self, kind: str, **values: Any) -> None:
        """Write a line of the record, after the event that it reports."""
        self.events.append({"type": kind, **values})
        if self.on_line is not None:
            self.on_line(self)

    def write_scores(self, total: Sequence[int], *tie_breaks: Sequence[int]) -> None:
        """Write the line `events.SCORE_END`: the points by seat and the winning seats.

        The lowest points win if `GAME` of the package has `lowest_wins`, else the highest. Of equal ones the highest
        number in the first of `tie_breaks`, numbers by seat, wins; of equal numbers that in the next.
        """
        game = getattr(sys.modules.get(type(self).__module__.rpartition(".")[0]), "GAME", None)
        sign = -1 if getattr(game, "lowest_wins", False) else 1
        results = [(sign * points, *numbers) for points, *numbers in zip(total, *tie_breaks, strict=True)]
        winners = [seat for seat, result in enumerate(results) if result == max(results)]
        self.write("score_end", total=list(total), winners=winners)

    def _continue(self, option: Any) -> None:
        self.question = None
        try:
            self.question = self._course.send(option)
        except StopIteration:
            self.over = True


class Draws:
    """The draws in the lines of a record, up to the first impossible one; a subclass has `read`."""

    def __init__(self, lines: Lines) -> None:
        self.broken_line: int | None = None  # number of the line with an impossible draw, or None
        self.message = ""  # description of the violation
        for number, line in lines:
            self.read(line)
            if self.message:
                self.broken_line = number
                break

    def read(self, line: Mapping[str, Any]) -> None:
        """Add the draws that a line shows."""
        raise NotImplementedError

    def draw(self, what: str, item: Any, items: Sequence[Any], drawn: list[Any]) -> None:
        """Add `item`, the id of a `what`, to `drawn`, or set `message` if `items` has it no more often than `drawn`."""
        if not any(same(each, item) for each in items):
            self.message = f"expected the id of a {what}, found {text(item)}"
        elif drawn.count(item) >= sum(same(each, item) for each in items):
            self.message = f"expected a {what} not drawn yet, found {text(item)} again"
        else:
            drawn.append(item)

    def draw_all(self, what: str, items: Any, number: int, all_items: Sequence[Any], drawn: list[Any]) -> None:
        """Add a list of this number of items to `drawn`, up to the first impossible one."""
        if not isinstance(items, list) or len(items) != number:
            self.message = f"expected the ids of {pluralize(number, what)}, found {text(items)}"
            return
        for item in items:
            if not self.message:
                self.draw(what, item, all_items, drawn)


def complete(order: list[Any], items: Iterable[Any]) -> None:
    """Append to an order the items that it lacks."""
    order += [item for item in items if item not in order]


@dataclass(frozen=True)
class Drawn:
    """A kind of draw, for `replayer`."""

    argument: str  # parameter of the reference game that takes the order of the draws
    line: str  # type of the line with a draw
    key: str  # its key with the drawn item, or null if none was drawn
    # function of the component data that returns all items; an item can occur several times
    everything: Callable[[Mapping[str, Any]], Sequence[Any]]


@dataclass(frozen=True)
class Replay:
    """The check of a game's records; `replayer` makes one for most games."""

    # function(header, lines) that returns the reference game, whose draws are those of the lines, and their `Draws`
    set_up: Callable[[Mapping[str, Any], Lines], tuple[Any, Draws]]
    # function(game, line number, line) that plays the choice in a line; called until the game has written that line
    answer: Callable[[Any, int, Mapping[str, Any]], None]
    wanted: Callable[[Any], str]  # function(game) that describes the line that would answer its question

    def check_game(self, header: Mapping[str, Any], header_line: int, lines: Lines) -> None:
        """Replay a recorded game with a valid header. Raises RuleViolation at the first line that breaks a rule."""
        for _ in self.replay_game(header, header_line, lines):
            pass

    def replay_game(self, header: Mapping[str, Any], header_line: int, lines: Lines) -> Iterator[tuple[Any, list[Any]]]:
        """Replay a recorded game; yield it with its new lines at each decision and at the end. Raises RuleViolation."""
        game, draws = self.set_up(header, lines)
        reported = 0
        for position, (number, event) in enumerate(lines):
            if number == draws.broken_line:
                raise RuleViolation(number, draws.message)
            while position == len(game.events):
                yield game, [line for _, line in lines[reported:position]]
                reported = position
                if game.question is None:
                    raise RuleViolation(number, f"expected nothing after the end of the game, found {text(event)}")
                self.answer(game, number, event)
            compare(game.events[position], number, event)
        if len(lines) < len(game.events) or not game.over:
            last = lines[-1][0] if lines else header_line
            expected = text(game.events[len(lines)]) if len(lines) < len(game.events) else self.wanted(game)
            raise RuleViolation(last, f"the game stops early: expected {expected} after this")
        yield game, [line for _, line in lines[reported:]]


def compare(expected: Mapping[str, Any], number: int, event: Mapping[str, Any]) -> None:
    """Raise RuleViolation unless the line has all expected values; other keys are ignored."""
    for key, value in expected.items():
        if key not in event:
            raise RuleViolation(number, f"expected {text(expected)}, found no {key}")
        if not same(value, event[key]):
            difference = f"{key} {text(event[key])} instead of {text(value)}"
            raise RuleViolation(number, f"expected {text(expected)}, found {difference}")


def same(expected: Any, actual: Any) -> bool:
    """Return whether two values of JSON are equal and of the same types: 5.0 is not 5, and true is not 1."""
    if isinstance(expected, list | tuple) and type(expected) is type(actual):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(same(value, actual[key]) for key, value in expected.items())
    return type(expected) is type(actual) and bool(expected == actual)


def text(thing: Any) -> str:
    """Return a value as JSON."""
    return json.dumps(thing, default=repr)


class _Orders(Draws):
    """The orders of draws, by argument of the reference game; items that no line shows are last."""

    def __init__(self, drawn: Sequence[Drawn], components: Mapping[str, Any], lines: Lines) -> None:
        self._drawn = drawn
        self._remaining = {kind.argument: list(kind.everything(components)) for kind in drawn}
        self.orders: dict[str, list[Any]] = {kind.argument: [] for kind in drawn}
        super().__init__(lines)
        for argument, order in self.orders.items():
            for item in order:
                self._remaining[argument].remove(item)
            order += self._remaining[argument]

    def read(self, line: Mapping[str, Any]) -> None:
        for kind in self._drawn:
            if line.get("type") == kind.line and kind.key not in line:
                self.message = f"expected {kind.key} in a line of type {kind.line}, found {text(line)}"
            elif line.get("type") == kind.line and line[kind.key] is not None:
                self.draw(kind.key, line[kind.key], self._remaining[kind.argument], self.orders[kind.argument])


def replayer(
    game: Callable[..., Any],
    drawn: Sequence[Drawn],
    answers: Mapping[str, str],
    *,
    none: Mapping[str, Any] = MappingProxyType({}),
) -> Replay:
    """Return the check of records for a reference game, if each draw and each answer is one value of a line.

    Args:
        game: the reference game, called as game(components, players, ARGUMENT=order, ...); undrawn items are last.
        drawn: the kinds of draws.
        answers: kind of question -> key of its line with the chosen option.
        none: kind of question -> option that the line writes as null.
    """

    def set_up(header: Mapping[str, Any], lines: Lines) -> tuple[Any, Draws]:
        draws = _Orders(drawn, header["components"], lines)
        return game(header["components"], header["players"], **draws.orders), draws

    return Replay(set_up, *answering(answers, none))


def answering(
    answers: Mapping[str, str], none: Mapping[str, Any] = MappingProxyType({})
) -> tuple[Callable[[Any, int, Mapping[str, Any]], None], Callable[[Any], str]]:
    """Return `answer` and `wanted` of a Replay, if each answer is one value of a line; see `replayer`."""

    def answer(game: Any, number: int, line: Mapping[str, Any]) -> None:
        question = game.question
        compare({"type": question.kind, "player": question.seat}, number, line)
        if question.kind not in answers:
            raise InputError(f"replayer: answers: no key for {question.kind!r}, only for {', '.join(answers)}")
        key = answers[question.kind]
        if key not in line:
            raise RuleViolation(number, f"expected {wanted(game)}, found no {key}")
        option = line[key] if line[key] is not None else none.get(question.kind)
        if not any(same(allowed, option) for allowed in question.options):
            raise RuleViolation(number, f"expected {wanted(game)}, found {key} {text(line[key])}")
        game.play(option)

    def wanted(game: Any) -> str:
        kind, seat, options = game.question
        options_shown = (None if kind in none and option == none[kind] else option for option in options)
        return f"a {kind} of player {seat}: {' or '.join(map(text, options_shown))}"

    return answer, wanted
