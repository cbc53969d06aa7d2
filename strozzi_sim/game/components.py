"""Component data: its msgspec types, its checks, its plain values, and the rules record filled from it by name."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import inspect
from msgspec.structs import asdict

from strozzi_sim.errors import InputError, short_repr, suggest_names


def section_type(module: str, name: str, base: type[msgspec.Struct], **kinds: Any) -> Any:
    """Return the msgspec type of the section `name` of the components.toml beside a module, such as its switches.

    Fields of `base` keep their types. Other keys have the type in `kinds`, by default that of their value in the file,
    so that a new switch needs no second declaration.
    """
    keys = tomllib.loads(files(module.rpartition(".")[0]).joinpath("components.toml").read_text("utf-8-sig"))[name]
    fields = [(key, kinds.get(key, type(value))) for key, value in keys.items() if key not in base.__struct_fields__]
    return msgspec.defstruct(name.capitalize(), fields, bases=(base,), forbid_unknown_fields=True, kw_only=True)


def components_type(package: str, limits: Mapping[str, tuple[int, int]]) -> Any:
    """Return the msgspec type of a package's components.toml, of whole numbers, switches, text, and lists of numbers.

    A value keeps its type in the file, and a list also its length. `limits` maps SECTION.KEY to (lowest, highest) of a
    number or of a list's entries. Raises InputError for other types, and for unknown keys of `limits`.
    """
    data = tomllib.loads(files(package).joinpath("components.toml").read_text("utf-8-sig"))
    keys = [f"{name}.{key}" for name, section in data.items() if isinstance(section, dict) for key in section]
    for key in limits:
        if key not in keys:
            raise InputError(f"{package}: LIMITS: unknown key {short_repr(key)}; {suggest_names(key, keys)}")

    def kind_of(key: str, value: Any) -> Any:
        low, high = limits.get(key, (None, None))
        number = Annotated[int, msgspec.Meta(ge=low, le=high)]
        if type(value) is int:
            return number
        if isinstance(value, list) and all(type(entry) is int for entry in value):
            return Annotated[list[number], msgspec.Meta(min_length=len(value), max_length=len(value))]
        if not isinstance(value, bool | str):
            raise InputError(f"{package}: components.toml: {key}: needs a type; declare Components in components.py")
        return type(value)

    def struct(name: str, fields: list[tuple[str, Any]]) -> Any:
        return msgspec.defstruct(name.capitalize(), fields, forbid_unknown_fields=True, kw_only=True)

    sections = []
    for name, section in data.items():
        if isinstance(section, dict):
            kind = struct(name, [(key, kind_of(f"{name}.{key}", value)) for key, value in section.items()])
        else:
            kind = kind_of(name, section)
        sections.append((name, kind))
    return struct("components", sections)


def rules_dtype(data_type: Any) -> np.dtype[Any]:
    """Return the dtype of the rules record that `rules_from` fills from component data of type `data_type`.

    The fields are the whole numbers and switches, and the lists of them. A list of blocks NAME gives NAME_count and,
    for each KEY of a block, NAME_KEY. Lists whose type has no `max_length` above 0 are left out.
    """
    fields: dict[str, Any] = {}

    def add(name: str, kind: Any, *shape: int) -> None:
        kind = kind.type if isinstance(kind, inspect.Metadata) else kind
        if isinstance(kind, inspect.ListType) and kind.max_length and isinstance(kind.item_type, inspect.StructType):
            add(f"{name}_count", inspect.IntType())
            for field in kind.item_type.fields:
                add(f"{name}_{field.encode_name}", field.type, *shape, kind.max_length)
        elif isinstance(kind, inspect.ListType) and kind.max_length:
            add(name, kind.item_type, *shape, kind.max_length)
        elif isinstance(kind, inspect.IntType | inspect.BoolType):
            if name in fields:
                raise InputError(f"two sections have the key {name!r}; declare RULES in state.py, and to_rules")
            fields[name] = ("i8" if isinstance(kind, inspect.IntType) else "u1", shape)

    sections: Any = inspect.type_info(data_type)
    for section in sections.fields:
        if isinstance(section.type, inspect.StructType):
            for field in section.type.fields:
                add(field.encode_name, field.type)
        else:
            add(section.encode_name, section.type)
    return np.dtype([(name, kind, shape) for name, (kind, shape) in fields.items()], align=True)


def to_plain(
    components: Any, sections: Sequence[str], omitted: Sequence[str], totals: Mapping[str, Any]
) -> dict[str, Any]:
    """Return `sections` as plain values with text keys.

    `totals` (SECTION.KEY -> value) replace the values that are given; keys in `omitted` and values of None are left out
    at every depth.
    """
    raw = msgspec.to_builtins(components, str_keys=True)

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: kept(entry) for key, entry in value.items() if key not in omitted and entry is not None}
        return [kept(entry) for entry in value] if isinstance(value, list | tuple) else value

    plain = {section: kept(raw[section]) for section in sections}
    for key, total in totals.items():
        section, name = key.split(".")
        if name in plain.get(section, {}):
            plain[section][name] = total
    return plain


def read_only(part: Any) -> Any:
    """Return a read-only version of plain data: nested mapping proxies and tuples."""
    if isinstance(part, dict):
        return MappingProxyType({key: read_only(value) for key, value in part.items()})
    return tuple(map(read_only, part)) if isinstance(part, list | tuple) else part


def has_id(entry: Any) -> bool:
    """Return whether plain data are a block with an id; in a user's file an id may be anything."""
    return isinstance(entry, Mapping) and isinstance(entry.get("id"), str)


def with_provenance(plain: Any, published: Any) -> Any:
    """Return plain component data with the `provenance` notes of the published data, also at changed values."""
    if isinstance(plain, Mapping) and isinstance(published, Mapping):
        source = {"provenance": published["provenance"]} if "provenance" in published else {}
        return {**source, **{key: with_provenance(entry, published.get(key)) for key, entry in plain.items()}}
    if isinstance(plain, list) and isinstance(published, list):
        by_id = {entry["id"]: entry for entry in published if has_id(entry)}
        return [with_provenance(entry, by_id.get(entry["id"]) if has_id(entry) else None) for entry in plain]
    return deepcopy(plain)


def check_totals(components: Any, totals: Mapping[str, Any], where: str) -> None:
    """Raise InputError if a value differs from the total of its parts, by SECTION.KEY; a value of None is skipped."""
    data = msgspec.to_builtins(components)
    for key, total in totals.items():
        section, name = key.split(".")
        value = data[section][name]
        if value is not None and value != total:
            raise InputError(f"{where}: {key}: {value} does not agree with the parts, which make {total}")


def check_ids(components: Any, where: str) -> None:
    """Raise InputError if two blocks of a section have the same id."""
    for name, section in asdict(components).items():
        if isinstance(section, list) and section and hasattr(section[0], "id"):
            check_distinct([block.id for block in section], f"{where}: {name}")


def check_distinct(ids: Sequence[Any], key: str) -> None:
    """Raise InputError if an id occurs several times."""
    for name in ids:
        if ids.count(name) > 1:
            raise InputError(f"{key}: the id {name!r} is used {ids.count(name)} times; ids are unique")


def check_known(kind: str, name: str, names: Sequence[str], key: str) -> None:
    """Raise InputError for a name that is not one of `names`."""
    if name not in names:
        raise InputError(f"{key}: unknown {kind} {name!r}; {suggest_names(name, names)}")


def reconstructed_sections(components: Any, phrases: Mapping[str, str] | None = None) -> list[str]:
    """Return descriptions of the sections and list entries whose `provenance` is "reconstructed".

    `phrases`: section -> description, default: general ones of all sections. In the description of a list, {count} is
    the number of such entries, {total} that of all.

    >>> Tracks = msgspec.defstruct("Tracks", ["top", "provenance"])
    >>> Game = msgspec.defstruct("Game", ["tracks"])
    >>> reconstructed_sections(Game(Tracks(9, "reconstructed")), {"tracks": "the length of the tracks"})
    ['the length of the tracks']
    """

    def is_marked(block: Any) -> bool:
        return getattr(block, "provenance", None) == "reconstructed"

    descriptions = []
    for name in components.__struct_fields__ if phrases is None else phrases:
        section = getattr(components, name)
        if isinstance(section, list):
            phrase = f"{{count}} of the {{total}} entries of {name}" if phrases is None else phrases[name]
            if count := sum(map(is_marked, section)):
                descriptions.append(phrase.format(count=count, total=len(section)))
        elif is_marked(section):
            descriptions.append(f"the section {name}" if phrases is None else phrases[name])
    return descriptions


def rules_from(dtype: np.dtype[Any], components: Any, *, zero: Sequence[str] = (), **more: Any) -> np.ndarray[Any, Any]:
    """Return a rules record, array of shape (1,), filled from component data by field names.

    A field takes the value of the key with its name, in any section. A field NAME_KEY takes the values of KEY in the
    list of blocks NAME, and NAME_count the number of its blocks. Lists may be shorter than the field; the rest is zero.
    Values in `more` replace those found by name. Fields in `zero`, such as those of restrictions, stay zero.
    Raises InputError for a field with no value, with several, or with one that does not fit, and for unknown fields.
    """
    values_by_name: dict[str, list[Any]] = {}
    for name, value in _values(components):
        values_by_name.setdefault(name, []).append(value)
    rules = np.zeros(1, dtype)
    for field in [name for name in dtype.names or () if name not in zero]:
        values = [more[field]] if field in more else values_by_name.get(field, [])
        if len(values) != 1:
            reason = "several sections have" if values else "no section has"
            raise InputError(f"rules field {field!r}: {reason} a key of this name; give its value to rules_from")
        _fill(rules[0], field, values[0])
    for name in (*more, *zero):
        if name not in (dtype.names or ()):
            raise InputError(f"rules field {name!r}: not in the rules record")
    return rules


def _fill(row: Any, field: str, value: Any) -> None:
    shape = row.dtype[field].shape
    try:
        numbers = np.asarray(value)
        if shape and numbers.size == 0:
            return
        if numbers.dtype.kind not in "biuf" or numbers.ndim != len(shape):
            raise ValueError
        if shape:
            row[field][tuple(map(slice, numbers.shape))] = numbers
        else:
            row[field] = numbers
        written = row[field][tuple(map(slice, numbers.shape))] if shape else row[field]
        if not np.array_equal(written, numbers):
            raise ValueError
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"rules field {field!r}: cannot hold {short_repr(value)}") from None


def _values(components: Any) -> Iterator[tuple[str, Any]]:
    for section in _fields(components):
        value = getattr(components, section.name)
        if isinstance(value, msgspec.Struct):
            for field in _fields(value):
                yield from _values_of(field, getattr(value, field.name))
        else:
            yield from _values_of(section, value)


def _fields(section: msgspec.Struct) -> Sequence[inspect.Field]:
    described: Any = inspect.type_info(type(section))
    fields: Sequence[inspect.Field] = described.fields
    return fields


def _values_of(field: inspect.Field, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of a value, or of the length and the keys of a list of blocks, which may be empty."""
    kind = field.type.type if isinstance(field.type, inspect.Metadata) else field.type
    if isinstance(kind, inspect.ListType) and isinstance(kind.item_type, inspect.StructType):
        yield f"{field.encode_name}_count", len(value)
        for key in kind.item_type.fields:
            yield f"{field.encode_name}_{key.encode_name}", [getattr(block, key.name) for block in value]
    else:
        yield field.encode_name, value
