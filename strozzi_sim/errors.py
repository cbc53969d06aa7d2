"""What can go wrong, each with the exit code that the `strozzi` command ends with, and helpers for its text."""

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

Found = TypeVar("Found")

MAX_SHOWN = 80  # characters of a value that an error repeats


class StrozziError(Exception):
    """Base of every error that is not an internal error; its text is one line."""

    exit_code = 70


class BrokenRule(StrozziError):
    """A record does something the rules do not allow.

    Attributes:
        line: number of the offending line in its file, from 1.
    """

    exit_code = 1

    def __init__(self, line: int, message: str, file: object = None) -> None:
        super().__init__(f"line {line}: {message}" if file is None else f"{file}: line {line}: {message}")
        self.line = line
        self.message = message


class BrokenPromise(StrozziError):
    """A game or an agent does not keep what every one must; names the promise, and the deal and actions that show it.

    Attributes:
        promise: which one.
    """

    exit_code = 1

    def __init__(self, promise: str, message: str) -> None:
        super().__init__(message)
        self.promise = promise


class InputError(StrozziError):
    """The user gave something that cannot be used; names the value, the place and what is allowed."""

    exit_code = 2


class ArgumentError(InputError):
    """An argument cannot be used, by itself or beside the others; its text is `argument: message`.

    Attributes:
        argument: its name in Python; the command line puts its own option in its place.
        message: what is wrong with it, and what is allowed.
    """

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(argument, message)
        self.argument = argument
        self.message = message

    def __str__(self) -> str:
        """The argument and what is wrong with it."""
        return f"{self.argument}: {self.message}"


def about(argument: str, find: Callable[..., Found], *given: Any) -> Found:
    """What `find` gives of these arguments; its InputError becomes one about `argument`."""
    try:
        return find(*given)
    except ArgumentError:
        raise
    except InputError as error:
        raise ArgumentError(argument, str(error)) from None


class AgentFault(StrozziError):
    """An agent did something it must not do; names the agent, the game and the command that replays it."""

    exit_code = 3


class StorageError(StrozziError):
    """A file or folder cannot be read, written or locked."""

    exit_code = 4


class Interrupted(StrozziError):
    """The run was asked to stop (SIGINT, SIGTERM); says how to go on."""

    def __init__(self, signal_number: int, message: str) -> None:
        super().__init__(message)
        self.signal_number = signal_number
        self.exit_code = 128 + signal_number


def shown(value: Any) -> str:
    """A value as an error repeats it: its `repr`, cut in the middle if it is long."""
    text = repr(value)
    half = MAX_SHOWN // 2
    return text if len(text) <= MAX_SHOWN else f"{text[:half]}...{text[-half:]}"


def known_names(name: Any, known: Iterable[str]) -> str:
    """The names there are, for an error about an unknown one, and which of them was meant, if one is near.

    >>> known_names("rotat", ["one", "rotate"])
    "known: one, rotate; did you mean 'rotate'?"
    """
    names = list(known)
    near = nearest(name, names)
    listed = f"known: {', '.join(in_ranges(names)) or 'none'}"
    return f"{listed}; did you mean {near!r}?" if near else listed


def nearest(name: Any, names: Sequence[str]) -> str | None:
    """Return the name that was probably meant: one spelt much like it, else the first that begins with it; None if there is none.

    >>> nearest("Oen", ["one", "two_by_two"]), nearest("two", ["one", "two_by_two"]), nearest("x", ["one"])
    ('one', 'two_by_two', None)
    """
    if not isinstance(name, str) or not name:
        return None
    given = name[:MAX_SHOWN].lower()
    by_word = {each.lower(): each for each in reversed(names)}
    for found in get_close_matches(given, list(by_word), n=1):
        return by_word[found]
    return next((each for each in names if each.lower().startswith(given) and len(given) > 2), None)


def in_ranges(names: Sequence[str]) -> list[str]:
    """Names as they are listed: many whole numbers in a row are said as a range.

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
    """What a number outside low to high must be.

    >>> range_words(1, 1e6)
    'must be between 1 and 1,000,000'
    """
    return f"must be between {low:,.16g} and {high:,.16g}"


def check_range(argument: str, value: float, low: float, high: float) -> None:
    """Refuse an argument outside low to high.

    Raises:
        ArgumentError: names the argument and the limits.
    """
    if not low <= value <= high:
        raise ArgumentError(argument, f"{range_words(low, high)}, got {shown(value)}")


def check_whole(argument: str, value: Any, low: int, high: int) -> None:
    """Refuse what is no whole number in low to high. Raises ArgumentError."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ArgumentError(argument, f"must be a whole number, got {shown(value)}")
    check_range(argument, value, low, high)


class Stopped(BaseException):
    """SIGINT or SIGTERM came; no `except Exception` on the way out takes it for something else."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


SIGNALS = (KeyboardInterrupt, Interrupted, Stopped)  # what a signal to the whole process raises


def counted(number: int, one: str, several: str = "") -> str:
    """A number of things in words: 1 seating, 4,000 games; `several` is the plural, if it takes more than an s."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"
