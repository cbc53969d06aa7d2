"""Values of options, stricter than the parser takes them: numbers as plain digits, and no NUL character in any text."""

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from functools import wraps
from typing import Annotated, Any, get_args, get_origin

from strozzi_sim.errors import InputError, short_repr
from strozzi_sim.runtime.parsing import real_number, whole_number

_PARSERS: dict[type, Callable[[str], float]] = {int: whole_number, float: real_number}


def with_plain_numbers(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with options of numbers that take digits alone; the parser's own would read `1_0` as 10."""
    signature = inspect.signature(command)

    @wraps(command)
    def call(**given: Any) -> Any:
        return command(**given)

    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[part.replace(annotation=_plain(part.annotation)) for part in signature.parameters.values()]
    )
    call.__annotations__ = {}  # the parser would prefer them to the signature
    return call


def _plain(annotation: Any) -> Any:
    if get_origin(annotation) is not Annotated:
        return annotation
    kind, info = get_args(annotation)[:2]
    numeric = next((each for each in _PARSERS if each in (kind, *get_args(kind))), None)
    if numeric is None or info.parser is not None:
        return annotation
    info, parse = copy(info), _PARSERS[numeric]
    info.parser = lambda value: parse(value) if isinstance(value, str) else value  # a default is a number
    info.metavar = info.metavar or f"<{numeric.__name__}>"
    return Annotated[kind, info]


def refuse_nul(arguments: Sequence[str]) -> None:
    """Refuse a NUL character in the words of a command, which no name of a file has.

    Raises:
        InputError: names the option.
    """
    for place, word in enumerate(arguments):
        if "\0" in word:
            option, equals, value = word.partition("=")
            before = arguments[place - 1] if place else ""
            if not (equals and option.startswith("--")):
                option, value = before if before.startswith("--") else "argument", word
            raise InputError(f"{option}: must not hold a NUL character, got {short_repr(value)}")
