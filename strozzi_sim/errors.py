"""Exceptions with the exit codes of the `strozzi` command, checks that raise them, and helpers for messages."""

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from math import inf
from operator import index
from signal import Signals
from typing import Any, TypeVar

Found = TypeVar("Found")

MAX_SHOWN = 80  # characters of a value repeated in an error message
MAX_NAMES = 20  # most known names listed individually; of more, those with a prefix are listed by prefix


class StrozziError(Exception):
    """Base class of errors that end the `strozzi` command with one line and their exit code."""

    exit_code = 70


class RuleViolation(StrozziError):
    """A record that breaks a rule of the game; `line` is the number of the line in its file, from 1."""

    exit_code = 1

    def __init__(self, line: int, message: str, file: object = None) -> None:
        super().__init__(f"line {line}: {message}" if file is None else f"{file}: line {line}: {message}")
        self.line = line
        self.message = message


class ContractViolation(StrozziError):
    """A game or an agent that breaks its contract; the message names the promise and the deal."""

    exit_code = 1

    def __init__(self, promise: str, message: str) -> None:
        super().__init__(message)
        self.promise = promise


class InputError(StrozziError):
    """Invalid input, such as an argument, a file, or a game that does not compile."""

    exit_code = 2


class ArgumentError(InputError):
    """An argument that is invalid, alone or in combination with others; its text is `argument: message`.

    The command line replaces the argument's name by its option.
    """

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(argument, message)
        self.argument = argument
        self.message = message

    def __str__(self) -> str:
        return f"{self.argument}: {self.message}"


def as_argument_error(argument: str, find: Callable[..., Found], *arguments: Any) -> Found:
    """Return `find(*arguments)`; an InputError that is no ArgumentError becomes an ArgumentError of `argument`."""
    try:
        return find(*arguments)
    except ArgumentError:
        raise
    except InputError as error:
        raise ArgumentError(argument, str(error)) from None


class AgentFault(StrozziError):
    """A fault of an agent, such as an illegal action or a failed import; the message names the agent."""

    exit_code = 3


class ClusterError(StrozziError):
    """A cluster that cannot play: its scheduler does not answer, or its workers cannot be used."""

    exit_code = 4


class StorageError(StrozziError):
    """A file or folder that cannot be read, written or locked, or must not be used."""

    exit_code = 4


def short_repr(value: Any) -> str:
    """Return the `repr` of a value for an error message, shortened in the middle if it is long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - an agent's object may raise anything
        return "an object whose repr fails"
    half = MAX_SHOWN // 2
    return text if len(text) <= MAX_SHOWN else f"{text[:half]}...{text[-half:]}"


def short_text(text: str) -> str:
    """Return a text as `short_repr` shortens and escapes it, without the quotes."""
    return short_repr(text)[1:-1]


def suggest_names(name: Any, known: Iterable[str]) -> str:
    """Return the known names for an error about an unknown one, and the nearest; many names are shown by prefix.

    >>> suggest_names("rotat", ["one", "rotate"])
    "known: one, rotate; did you mean 'rotate'?"
    >>> suggest_names("", ["any", *(f"row:{number}" for number in range(30))])
    'known: any, row:*'
    """
    names = list(known)
    suggestion, listed_names = nearest(name, names), in_ranges(names)
    if len(listed_names) > MAX_NAMES:
        listed_names = list(dict.fromkeys(re.sub(r"([:.]).+", r"\1*", listed_name) for listed_name in listed_names))
    listed = f"known: {', '.join(listed_names) or 'none'}"
    return f"{listed}; did you mean {suggestion!r}?" if suggestion else listed


def check_names(kind: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Check that all names are known. Raises InputError, in which `kind` is the noun for a name."""
    known = list(known)
    for name in names:
        if name not in known:
            raise InputError(f"unknown {kind} {short_repr(name)}; {suggest_names(name, known)}")


def nearest(name: Any, names: Sequence[str]) -> str | None:
    """Return the most similar name, else the first with this prefix of 3 or more letters, else None; any case matches.

    >>> nearest("Oen", ["one", "two_by_two"]), nearest("two", ["one", "two_by_two"]), nearest("x", ["one"])
    ('one', 'two_by_two', None)
    """
    if not isinstance(name, str) or not name:
        return None
    prefix = name[:MAX_SHOWN].lower()
    by_word = {known_name.lower(): known_name for known_name in reversed(names)}
    for match in get_close_matches(prefix, list(by_word), n=1):
        return by_word[match]
    return next((known_name for known_name in names if known_name.lower().startswith(prefix) and len(prefix) > 2), None)


def in_ranges(names: Sequence[str]) -> list[str]:
    """Return the names with runs of more than 3 consecutive whole numbers written as ranges.

    >>> in_ranges(["pass", "1", "2", "3", "4"])
    ['pass', '1 to 4']
    """
    listed: list[str] = []
    while names:
        run = 1
        while run < len(names) and names[0].isdecimal() and names[run] == str(int(names[0]) + run):
            run += 1
        listed += [f"{names[0]} to {names[run - 1]}"] if run > 3 else names[:run]
        names = names[run:]
    return listed


def range_words(low: float, high: float) -> str:
    """Return the error text for a number outside low to high.

    >>> range_words(1, 1e6)
    'must be between 1 and 1,000,000'
    """
    return f"must be between {low:,.16g} and {high:,.16g}"


def check_range(argument: str, value: float, low: float, high: float) -> None:
    """Check that an argument is between low and high, limits included. Raises ArgumentError."""
    if not low <= value <= high:
        raise ArgumentError(argument, f"{range_words(low, high)}, got {short_repr(value)}")


def check_whole(argument: str, value: Any, low: float = -inf, high: float = inf) -> int:
    """Return `value` as an int. Raises ArgumentError unless it has an integer type other than bool and is in range."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = index(value)
    except TypeError:
        raise ArgumentError(argument, f"must be a whole number, got {short_repr(value)}") from None
    check_range(argument, number, low, high)
    return number


class Stopped(BaseException):
    """A signal that ends the process; a BaseException, so that no `except Exception` catches it."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number
        self.kept = ""  # what is kept of a study that it stopped

    def __str__(self) -> str:
        return f"interrupted by {Signals(self.signal_number).name}{self.kept and '; '}{self.kept}"


SIGNALS = (KeyboardInterrupt, Stopped)  # raised by a signal to the whole process


def pluralize(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun: 1 seating, 4,000 games; `several`: the plural, default: `one` plus s."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"
