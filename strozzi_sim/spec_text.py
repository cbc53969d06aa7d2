"""The text of spec strings: lists of them, and the parameters that stand in them."""

from dataclasses import dataclass
from typing import Any

from strozzi_sim.errors import InputError, known_names, shown

MAX_SPEC = 1_000  # characters of a spec string
MAX_NESTED = 8  # agents inside agents


def split_specs(text: str) -> list[str]:
    """The spec strings of a comma-separated list.

    Commas in parentheses do not separate; a piece with `=` but no `:` before it belongs to the agent before it.
    """
    specs: list[str] = []
    for piece in cut(text, ","):
        head = piece.split("=", 1)[0]
        if specs and "=" in piece and ":" not in head.split("(", 1)[0]:
            specs[-1] += "," + piece
        else:
            specs.append(piece)
    if any(not spec.strip() for spec in specs):
        raise InputError(f"agents {shown(text)}: an empty name between commas")
    return [spec.strip() for spec in specs]


def cut(text: str, separator: str) -> list[str]:
    """`text` cut at every `separator` that is not in parentheses."""
    pieces, depth, first = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if depth > MAX_NESTED:
            raise InputError(f"agent {shown(text)}: at most {MAX_NESTED} parentheses in one another")
        if letter == separator and depth == 0:
            pieces.append(text[first:place])
            first = place + 1
    if depth != 0:
        raise InputError(f"agent {shown(text)}: parentheses do not match")
    return [*pieces, text[first:]]


@dataclass(frozen=True)
class Param:
    """A parameter of an agent: its default and the range of values it may take, ends included.

    An int default makes an integer parameter, a float default a real one.
    """

    default: float
    low: float = -1e9
    high: float = 1e9
    about: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """What it takes in the parameter record."""
        return [(key, "i8" if isinstance(self.default, int) else "f8")]

    def read(self, text: str, key: str, value: str) -> float:
        """The value in a spec string; `text` is the whole of it, for errors."""
        kind: type = int if isinstance(self.default, int) else float
        try:
            number = kind(value)
        except ValueError:
            kind_name = "a whole number" if kind is int else "a number"
            raise InputError(f"agent {shown(text)}: {key} must be {kind_name}, got {shown(value)}") from None
        if not self.low <= number <= self.high:
            limits = f"between {self.low:g} and {self.high:g}"
            raise InputError(f"agent {shown(text)}: {key} must lie {limits}, got {shown(value)[1:-1]}")
        return float(number) if kind is float else number

    def write(self, value: Any) -> str:
        """The value as the canonical spec string has it."""
        return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else repr(value)


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of a few words; its field holds the number of the word in `options`."""

    default: str
    options: tuple[str, ...]
    about: str = ""

    def fields(self, key: str) -> list[tuple[str, str]]:
        """What it takes in the parameter record."""
        return [(key, "i8")]

    def read(self, text: str, key: str, value: str) -> str:
        """The value in a spec string; `text` is the whole of it, for errors."""
        if value not in self.options:
            near = known_names(value, self.options).removeprefix("known: ")
            raise InputError(f"agent {shown(text)}: {key} must be one of {near}, got {shown(value)}")
        return value

    def write(self, value: Any) -> str:
        """The value as the canonical spec string has it."""
        return str(value)


@dataclass(frozen=True)
class Seconds:
    """A parameter that gives in seconds a decision what another one, `of`, gives as a count; 0 = not given.

    It is no part of the parameter record: `selfplay.calibrate` puts a count in its place before anything is played.
    Both at once are an error.
    """

    of: str
    about: str = ""
    default: float = 0.0
    low: float = 0.0
    high: float = 3600.0

    def fields(self, key: str) -> list[tuple[str, str]]:
        """What it takes in the parameter record."""
        return []

    def read(self, text: str, key: str, value: str) -> float:
        """The value in a spec string; `text` is the whole of it, for errors."""
        seconds = Param(self.default, self.low, self.high).read(text, key, value)
        if seconds == 0:
            raise InputError(
                f"agent {shown(text)}: {key} must be more than 0, got {value}; leave it out to play by {self.of}"
            )
        return seconds

    def write(self, value: Any) -> str:
        """The value as the canonical spec string has it."""
        return Param(self.default).write(value)
