"""Conversion of plain data to msgspec's types; errors name the place and what is wrong there.

The place names an entry of a list by its id if that is unique, else by its index, and an entry of a table by its key.

>>> from typing import Literal
>>> class Card(msgspec.Struct):
...     id: str
...     suit: Literal["red", "blue"]
>>> converted([{"id": "C01", "suit": "reed"}], list[Card], "study.toml")
Traceback (most recent call last):
strozzi_sim.errors.InputError: study.toml: C01.suit: invalid value 'reed'; known: blue, red; did you mean 'red'?
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import cleandoc
from threading import RLock
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from strozzi_sim.errors import MAX_SHOWN, InputError, short_repr, suggest_names

_ENTRY = "..."  # how msgspec writes an entry of a table
_ERROR = re.compile(r"(.*) - at (`key` in )?`\$(.*)`", re.DOTALL)
_STEPS = re.compile(r"\.([^.\[]+)|\[([^\]]*)\]")
_PATTERN = re.compile(r" matching regex '\^\[([^\[\]]*)\]\{(\d+),(\d+)\}\$\(\?!\\+n\)'")  # of a name
_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")

Step = str | int  # the key of a table, or the number of an entry of a list

_building = RLock()
Kind = TypeVar("Kind")


def built(kind: Kind) -> Kind:
    """Return a type that msgspec is to decode or convert to, built for that.

    msgspec builds a class at its first use, and stores it before its fields are known: a second thread that uses it
    meanwhile crashes the process. So every type passes through here, and one thread at a time builds.
    """
    with _building:
        msgspec.msgpack.Decoder(kind)
    return kind


def json_schema(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a type, equal in every Python: 3.13 removes the indentation of docstrings."""
    schema = msgspec.json.schema(kind)
    for part in (schema, *schema.get("$defs", {}).values()):
        if "description" in part:
            part["description"] = cleandoc(part["description"])
    return schema


def converted(raw: Any, kind: Any, where: str, *, str_keys: bool = False) -> Any:
    """Return `raw` as the type `kind`; with `str_keys` a table's keys can be numbers as text. Raises InputError."""
    try:
        return msgspec.convert(raw, built(kind), str_keys=str_keys)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {_error_text(error, raw, kind, str_keys)}") from None


def _error_text(error: msgspec.ValidationError, raw: Any, kind: Any, str_keys: bool) -> str:
    """Return a validation error's text, with place and value: `tracks.top: expected a whole number <= 31, got 32`."""
    match = _ERROR.fullmatch(str(error))
    message, of_key, path = match.groups() if match else (str(error), None, "")
    path_steps = [name or (_ENTRY if number == _ENTRY else int(number)) for name, number in _STEPS.findall(path)]
    steps: list[Step] = []
    for step in [*path_steps, _ENTRY] if of_key else path_steps:
        steps.append(_entry(str(error), raw, kind, steps, str_keys) if step == _ENTRY else step)
    value = steps.pop() if of_key else _value_at(raw, steps)
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", message, re.DOTALL):
        structs = (each for each in types_at(inspect.type_info(kind), steps) if isinstance(each, inspect.StructType))
        keys = [field.encode_name for each in structs for field in each.fields]
        message = f"unknown key {short_repr(unknown[1])}" + (f"; {suggest_names(unknown[1], keys)}" if keys else "")
    elif message.startswith("Object missing"):
        message = message.replace("Object missing", "missing")
    elif message.startswith("Invalid enum value"):
        literals = (each for each in types_at(inspect.type_info(kind), steps) if isinstance(each, inspect.LiteralType))
        allowed = ["''" if name == "" else str(name) for each in literals for name in each.values]
        message = f"invalid value {short_repr(value)}; {suggest_names(value, allowed)}"
    else:
        message = _plain_message(message, value, " as a key" if of_key else "")
    place = "".join(_places(raw, steps)).removeprefix(".")
    return f"{place}: {message}" if place else message


_TYPES = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "null": "nothing"}
_TYPES |= {"array": "a list", "object": "a table"}


def _plain_message(message: str, value: Any, as_key: str) -> str:
    """Return msgspec's message about a type or a limit in plain English: expected a whole number <= 9, got 10."""
    expected, _, got = (message[:1].lower() + message[1:]).partition(", got `")
    types = re.search(r"`(.*?)`", expected)
    names = [name for name in types[1].split(" | ") if name != "null"] if types else []
    if types:
        kinds = ["float"] if set(names) == {"int", "float"} else names
        type_text = " or ".join(_TYPES.get(name, name) for name in kinds)
        expected = expected.replace(types[0], type_text)
    expected = _PATTERN.sub(r" of \2 to \3 characters of \1", expected)
    expected = re.sub(r"(?<= )\d{5,}$", lambda number: f"{int(number[0]):,}", expected) + as_key
    if not isinstance(value, bool | int | float | str):
        return f"{expected}, got {_TYPES.get(got[:-1], got[:-1])}" if got else expected
    hint = f"; write {_as_list(value)}" if names == ["array"] and len(repr(value)) <= MAX_SHOWN else ""
    return f"{expected}, got {short_repr(value)}{hint}"


def _as_list(value: Any) -> str:
    """Return the list that a single value or text such as "20,10,5" was meant to be."""
    if not isinstance(value, str) or "," not in value:
        return repr([value])
    parts = [part.strip() for part in value.split(",") if part.strip()]
    numbers = all(re.fullmatch(r"[+-]?\d+(\.\d+)?", part) for part in parts)
    return f"[{','.join(parts if numbers else map(repr, parts))}]"


def _entry(text: str, raw: Any, kind: Any, steps: Sequence[Step], str_keys: bool) -> str:
    """Return the key of the table at `steps` whose entry alone causes the same error; "..." if no entry does."""
    table = _value_at(raw, steps)
    for name in table if isinstance(table, Mapping) else ():
        try:
            msgspec.convert(_replaced(raw, steps, {name: table[name]}), built(kind), str_keys=str_keys)
        except msgspec.ValidationError as error:
            if str(error) == text:
                return str(name)
    return _ENTRY


def _replaced(raw: Any, steps: Sequence[Step], value: Any) -> Any:
    if not steps:
        return value
    first, rest = steps[0], steps[1:]
    if isinstance(first, int):
        return [_replaced(entry, rest, value) if k == first else entry for k, entry in enumerate(raw)]
    return {**raw, first: _replaced(raw[first], rest, value)}


def _value_at(raw: Any, steps: Sequence[Step]) -> Any:
    for step in steps:
        try:
            raw = raw[step]
        except (LookupError, TypeError):
            return None
    return raw


def _places(raw: Any, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the parts of a place as text: for an entry of a list its id, if unique, else its index."""
    for depth, step in enumerate(steps):
        if not isinstance(step, int):
            yield f".{step}"
            continue
        entries = _value_at(raw, steps[:depth])
        ids = [entry.get("id") if isinstance(entry, Mapping) else None for entry in entries]
        entry_id, is_id = ids[step], steps[depth + 1 :] == ["id"]
        is_unique = isinstance(entry_id, str) and _ID.fullmatch(entry_id) and ids.count(entry_id) == 1
        yield f".{entry_id}" if is_unique and not is_id else f"[{step}]"


def types_at(kind: inspect.Type, steps: Sequence[Step]) -> Iterator[inspect.Type]:
    """Yield the types that this type allows at a place."""
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    for option in kinds:
        option = option.type if isinstance(option, inspect.Metadata) else option
        if not steps:
            yield option
        elif isinstance(option, inspect.StructType):
            for field in option.fields:
                if field.encode_name == steps[0]:
                    yield from types_at(field.type, steps[1:])
        elif isinstance(option, inspect.DictType):
            yield from types_at(option.value_type, steps[1:])
        elif isinstance(option, inspect.CollectionType):
            yield from types_at(option.item_type, steps[1:])
        elif isinstance(option, inspect.TupleType):
            yield from types_at(option.item_types[int(steps[0])], steps[1:])


def differences(theirs: Any, ours: Any, key: str = "") -> Iterator[str]:
    """Yield the differences of two values in plain data, key by key, as text."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in dict.fromkeys([*theirs, *ours]):
            inner = f"{key}.{name}" if key else name
            yield from differences(theirs.get(name, "nothing"), ours.get(name, "nothing"), inner)
    elif theirs != ours:
        yield f"{key}: {short_repr(theirs)} there, {short_repr(ours)} here"
