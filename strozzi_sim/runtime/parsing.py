"""Bounded reading of the user's files: TOML and JSON as plain data, others as lines.

TOML and JSON can nest without limit, contain numbers of any length, and be as large as a device. A document read here
results in plain data within bounds, so that later code cannot run out of stack, memory or 64 bits, or in an InputError.
"""

import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec

from strozzi_sim.errors import InputError, StorageError, short_repr, short_text

MAX_BYTES = 4 * 2**20  # of a document, and of a line of a record
MAX_DEPTH = 32  # nested tables and lists
MAX_INTEGER = 2**63 - 1

# A key a.b.c nests as deep as it has dots, and the parser's time grows with the square of their number.
_DOTTED = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]++\s*+\.\s*+){{{MAX_DEPTH},}}")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TOML_STRING = re.compile(r""" "(?:[^"\\]|\\.)*"|'[^']*' """, re.VERBOSE)
_ODD_NUMBER = re.compile(r"\d+_[\d_]*|\b0[xob]\w*|\b(?:inf|nan)\b")
_TOO_DEEP = f"nested too deeply; at most {MAX_DEPTH} levels"
_TOO_LONG = "an integer must be between -(2^63 - 1) and 2^63 - 1"


def toml_value(text: str) -> Any:
    """Return text as a TOML value, else unchanged. Raises ValueError for `1_0`, `inf` and the like, or deep nesting.

    >>> toml_value("[1, 2.5]"), toml_value("red")
    ([1, 2.5], 'red')
    """
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if odd := _ODD_NUMBER.search(_TOML_STRING.sub("", text)):
        raise ValueError(f"expected plain digits, got {short_repr(odd[0])}")
    return value


def whole_number(text: str) -> int:
    """Return the integer written as digits with an optional sign. Raises ValueError for other text, such as `1_0`."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"expected a whole number, got {short_repr(text)}")
    return int(text)


def real_number(text: str) -> float:
    """Return the number in digits with optional sign, point, exponent. Raises ValueError for any other text."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"expected a number, got {short_repr(text)}")
    return float(text)


def check_name(file: Path) -> None:
    """Raise InputError for a path with a NUL character, which no file system allows."""
    if "\0" in str(file):
        raise InputError(f"{short_text(str(file))}: a file name must not hold a NUL character")


@contextmanager
def _reading(file: Path) -> Iterator[IO[bytes]]:
    check_name(file)
    try:
        with file.open("rb") as opened:
            yield opened
    except FileNotFoundError:
        raise InputError(f"{file}: there is no such file") from None
    except OSError as error:
        raise StorageError(f"{file}: cannot be read: {error.strerror}") from None


def read_toml(file: Path) -> dict[str, Any]:
    """Return the content of a TOML file. Raises InputError if it is invalid or beyond the bounds."""
    with _reading(file) as opened:
        content = opened.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise InputError(f"{file}: is larger than {MAX_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 text: byte {error.start} is wrong") from None
    if _DOTTED.search(text):
        raise InputError(f"{file}: a dotted key is {_TOO_DEEP}")
    try:
        raw = tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{file}: {_TOO_DEEP}") from None
    except ValueError as error:  # an invalid date, or a number of thousands of digits, too
        raise InputError(f"{file}: not a TOML file: {str(error).partition('; use sys.')[0]}") from None
    try:
        _check_bounds(raw)
    except ValueError as error:
        raise InputError(f"{file}: {error}") from None
    return raw


def parse_json(content: bytes) -> Any:
    """Return the plain data of a JSON document. Raises ValueError if it is invalid or beyond the bounds."""
    if len(content) > MAX_BYTES:
        raise ValueError(f"longer than {MAX_BYTES:,} bytes")
    try:
        value = msgspec.json.decode(content)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _check_bounds(value)
    return value


def _check_bounds(raw: Any) -> None:
    """Raise ValueError if plain data nests too deeply, or has an integer beyond MAX_INTEGER, of either sign."""
    pending: list[tuple[str, Any, int]] = [("", raw, 0)]
    while pending:
        key, value, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise ValueError(f"{re.split(r'[.[]', key)[0]}: {_TOO_DEEP}".removeprefix(": "))
        if isinstance(value, dict):
            pending += [(f"{key}.{name}" if key else str(name), entry, depth + 1) for name, entry in value.items()]
        elif isinstance(value, list):
            pending += [(f"{key}[{number}]", entry, depth + 1) for number, entry in enumerate(value)]
        elif isinstance(value, int) and not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise ValueError(f"{key}: {_TOO_LONG}, got {short_repr(value)}".removeprefix(": "))


def read_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (number from 1, line) of a file, without a byte order mark at its start and blank lines at its end.

    After MAX_BYTES + 1 bytes a line is cut, and its rest counts as a line.
    """
    blank = list[tuple[int, bytes]]()  # lines that are yielded once another line follows
    with _reading(file) as opened:
        for number, line in enumerate(iter(partial(opened.readline, MAX_BYTES + 1), b""), 1):
            text = line.removeprefix(BOM_UTF8) if number == 1 else line
            if text.isspace() or not text:
                blank.append((number, text))
                continue
            yield from blank
            yield number, text
            blank.clear()
