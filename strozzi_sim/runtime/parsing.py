"""Bounded reading of the user's TOML and JSON files as plain data.

TOML and JSON can nest without limit, contain numbers of any length, and be as large as a device. Every file read here
results in plain data within these bounds, or in an error of one line. Later code can therefore neither run out of stack
or memory nor exceed 64 bits.
"""

import json
import re
import tomllib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from strozzi_sim.errors import InputError, StorageError, short_repr

MAX_BYTES = 4 * 2**20  # of a document, and of a line of a record
MAX_DEPTH = 32  # nested tables and lists
MAX_INTEGER = 2**63 - 1

_BRACKETS = re.compile(r'"(?:[^"\\]+|\\.)*"?|[\[\]{}]', re.DOTALL)
# a.b.c...: as deep as it has dots, and the parser's time grows with their square
_DOTTED = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]++\s*+\.\s*+){{{MAX_DEPTH},}}")
# No possessive quantifiers: Python 3.11.2 matches them wrongly. Every loop ends at a quote or the end, so nothing backtracks.
_TOML_TOKENS = re.compile(
    r'''\#[^\n]*|(?P<string>"""(?:[^"\\]+|\\(?:.|\Z)|"(?!""))*(?:"""|\Z)|\'\'\'(?:[^']+|'(?!''))*(?:\'\'\'|\Z)'''
    r"""|"(?:[^"\\\n]+|\\.)*"?|'[^'\n]*'?)|(?P<open>[\[{])|(?P<close>[\]}])""",
    re.DOTALL,
)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TOML_STRING = re.compile(r""" "(?:[^"\\]|\\.)*"|'[^']*' """, re.VERBOSE)
_ODD_NUMBER = re.compile(r"\d+_[\d_]*|\b0[xob]\w*|\b(?:inf|nan)\b")
_TOO_DEEP = f"nested too deeply; at most {MAX_DEPTH} levels"
_TOO_LONG = "an integer has at most 64 bits"


def unpacked(content: bytes, most: int) -> bytes:
    """Return what zlib has packed; a forged content could hold a thousand times its own length.

    Raises:
        ValueError: it has more than `most` bytes.
        zlib.error: it is damaged.
    """
    whole = zlib.decompressobj().decompress(content, most + 1)
    if len(whole) > most:
        raise ValueError(f"more than {most:,} bytes")
    return whole


def toml_value(text: str) -> Any:
    """Return a value as TOML reads it, with numbers as plain digits; text that is none stays text.

    Raises:
        ValueError: a number in another form, such as `1_0`, `0x10` or `inf`, which may be a mistake.

    >>> toml_value("[1, 2.5]"), toml_value("red")
    ([1, 2.5], 'red')
    """
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    if odd := _ODD_NUMBER.search(_TOML_STRING.sub("", text)):
        raise ValueError(f"expected plain digits, got {short_repr(odd[0])}")
    return value


def whole_number(text: str) -> int:
    """Return the whole number that a text is: digits with an optional sign, unlike `int`, which reads `1_0` and `\N{ARABIC-INDIC DIGIT ONE}` too.

    Raises:
        ValueError: it is none, or has thousands of digits.

    >>> whole_number("-12")
    -12
    """
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"expected a whole number, got {short_repr(text)}")
    return int(text)


def real_number(text: str) -> float:
    """Return the number that a text is: digits with an optional sign, point and exponent, unlike `float`, which reads `1_0` and `nan` too.

    Raises:
        ValueError: it is none.

    >>> real_number("1.5e3")
    1500.0
    """
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"expected a number, got {short_repr(text)}")
    return float(text)


def check_name(file: Path) -> None:
    """Refuse a path with a NUL character, which no file system has.

    Raises:
        InputError: names it.
    """
    if "\0" in str(file):
        raise InputError(f"{short_repr(str(file))[1:-1]}: a file name must not hold a NUL character")


def read_text(file: Path) -> str:
    """Read a text file of at most MAX_BYTES.

    Raises:
        InputError: the file does not exist, is not UTF-8, or is too large; the message names the file.
        StorageError: it cannot be read.
    """
    check_name(file)
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"{file}: there is no such file") from None
    except OSError as error:
        raise StorageError(f"{file}: cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise InputError(f"{file}: is larger than {MAX_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig")  # some editors begin a file with a mark
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 text: byte {error.start} is wrong") from None


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        InputError, StorageError: see `read_text`; or it is not TOML or exceeds the bounds; names the file and the key.
    """
    text = read_text(file)
    if _DOTTED.search(text):
        raise InputError(f"{file}: a dotted key is {_TOO_DEEP}")
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: not a TOML file: {error}{_opened_in(text, str(error))}") from None
    except RecursionError:
        raise InputError(f"{file}: {_TOO_DEEP}") from None
    except ValueError as error:  # an invalid date, or a number of thousands of digits
        raise InputError(f"{file}: not a TOML file: {str(error).partition('; use sys.')[0]}") from None
    check_bounds(raw, str(file))
    return raw


def _opened_in(text: str, error: str) -> str:
    """Format the start of an unclosed bracket or string in a TOML document; "" if all are closed.

    Also "" if the error is elsewhere than at an unclosed bracket or at the end of the document.
    """
    place = re.search(r"\(at line (\d+), column (\d+)\)", error)
    if place is not None and not error.startswith("Unclosed"):
        return ""
    end = len(text)
    if place is not None:
        lines = text.splitlines(keepends=True)
        end = sum(map(len, lines[: int(place[1]) - 1])) + int(place[2]) - 1
    opened: list[int] = []
    for token in _TOML_TOKENS.finditer(text, 0, end):
        if token["open"]:
            opened.append(token.start())
        elif token["close"]:
            del opened[-1:]
        elif _is_unended(token["string"] or ""):
            opened.append(token.start())
    return f"; it begins in line {text.count(chr(10), 0, opened[-1]) + 1}" if opened else ""


def _is_unended(string: str) -> bool:
    """Return whether a multi-line string is unclosed."""
    quotes = string[:3]
    return quotes in ('"""', "'''") and (len(string) < 6 or not string.endswith(quotes))


def check_bounds(raw: Any, where: str) -> None:
    """Check that plain data does not nest too deeply, and that its integers have at most 64 bits.

    Raises:
        InputError: names `where` and the key.
    """
    waiting: list[tuple[str, Any, int]] = [("", raw, 0)]
    while waiting:
        key, value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise InputError(f"{where}: {re.split(r'[.[]', key)[0]}: {_TOO_DEEP}")
        if isinstance(value, dict):
            waiting += [(f"{key}.{name}" if key else str(name), entry, depth + 1) for name, entry in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{key}[{number}]", entry, depth + 1) for number, entry in enumerate(value)]
        elif isinstance(value, int) and not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise InputError(f"{where}: {key}: {_TOO_LONG}, got {short_repr(value)}")


def parse_json(content: bytes) -> Any:
    """Parse a JSON document as plain data, stricter than `json`: no NaN, duplicate keys or broken surrogates.

    Raises:
        ValueError: it is not JSON, or exceeds the bounds; the message states why.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(f"longer than {MAX_BYTES:,} bytes")
    text = content.decode("utf-8")
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(text)
    value = _DECODER.decode(text)
    if "\\u" in text:
        json.dumps(value, ensure_ascii=False).encode()  # UnicodeEncodeError, a ValueError
    return value


def _check_depth(text: str) -> None:
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth += (bracket[0] in "[{") - (bracket[0] in "]}")
        if depth > MAX_DEPTH:
            raise ValueError(_TOO_DEEP)


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -MAX_INTEGER <= (number := int(digits)) <= MAX_INTEGER:
        raise ValueError(f"{_TOO_LONG}, got {short_repr(digits)}")
    return number


def _real(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{short_repr(digits)} is out of range")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"the key {short_repr(name)} is given twice")
            seen.add(name)
    return result


_DECODER = json.JSONDecoder(
    parse_int=_integer, parse_float=_real, parse_constant=_no_constant, object_pairs_hook=_without_twins
)


def read_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers, from 1; a line longer than MAX_BYTES is cut one byte beyond it.

    Raises:
        InputError: the file does not exist.
        StorageError: it cannot be read.
    """
    check_name(file)
    try:
        with file.open("rb") as opened:
            number = 0
            while line := opened.readline(MAX_BYTES + 1):
                number += 1
                yield number, line
    except FileNotFoundError:
        raise InputError(f"{file}: there is no such file") from None
    except OSError as error:
        raise StorageError(f"{file}: cannot be read: {error.strerror}") from error
