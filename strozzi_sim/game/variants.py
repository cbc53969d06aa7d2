"""Variants: named changes of component data, merged into a game's components.toml key by key.

A change names a section and a key (`tracks.top_index`). Tables in MERGED are merged entry by entry; every other value
is replaced. A list of blocks with ids is replaced by a list, or changed in part by a table `id -> changed attributes`,
in which `add` is a list of new blocks, each with its id, and `remove` a list of ids.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from strozzi_sim.errors import InputError, nearest, short_repr, short_text, suggest_names
from strozzi_sim.game.components import (
    check_ids,
    check_totals,
    has_id,
    reconstructed_sections,
    to_plain,
    with_provenance,
)
from strozzi_sim.game.contract import Game
from strozzi_sim.game.converting import converted
from strozzi_sim.runtime.parsing import toml_value

BASE = "base"
ADD, REMOVE = "add", "remove"  # keys of a table of changes of blocks with ids
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_LONGEST = 64  # characters of a name
_DIGEST = 8  # characters of a digest at its end
_WORD = re.compile(r"(?!(true|false|null)$)[a-z][a-z0-9]*")  # text that a name shows unambiguously
_DESCRIPTION = ("about", "provenance", "provenance_note")


@dataclass(frozen=True)
class Variant:
    """A variant ready to play.

    Attributes:
        name: name; "base" is the published game.
        components: data of the sections that a variant can change, as plain values; stored in records and plans.
        rules: record that kernels read, array of shape (1,).
        reconstructed: descriptions of reconstructed data, which no source gives.
        hidden: whether seats have secrets.
        file: file of the study that defines it, or "".
        warnings: warnings for its designer, such as an unreachable goal.
        settings, origin: changed values as text, KEY=VALUE, and the name of the variant that they change; else empty.
    """

    name: str
    components: dict[str, Any] = field(repr=False)
    rules: np.ndarray[Any, Any] = field(repr=False)
    reconstructed: tuple[str, ...]
    hidden: bool
    file: str = ""
    warnings: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    origin: str = ""

    @staticmethod
    def of(game: str | Game, variant: "AnyVariant" = "base", values: Mapping[str, Any] | None = None) -> "Variant":
        """Return a variant of a game, with other values of some keys.

        Args:
            game: a name or a Game.
            variant: the name of a shipped variant, changes under a custom name, or a Variant.
            values: values by key; a key is a section, then keys, ids or places in a list (from 0), separated by points.

        >>> late = Variant.of("strozzi", values={"tracks.bonus.9": 30})
        >>> late.name, late.components["tracks"]["bonus"]["9"]
        ('tracks-bonus-9-30', 30)
        """
        from strozzi_sim.game import find_game

        return with_values(find_game(game), variant, values or {})


AnyVariant = str | Variant | Mapping[str, Mapping[str, Any]]


@cache
def _toml(package: str, file: str) -> dict[str, Any]:
    path = files(package).joinpath(file)
    return tomllib.loads(path.read_text("utf-8-sig")) if path.is_file() or file != "variants.toml" else {}


def component_data(game: Game) -> dict[str, Any]:
    """Return a copy of the data of a game's `components.toml`, with its notes on sources."""
    return deepcopy(_toml(game.package, "components.toml"))


def shipped_variants(game: Game) -> dict[str, dict[str, Any]]:
    """Return a copy of a game's shipped variants except `base` by name, each with its `about` text and its changes."""
    return deepcopy(_toml(game.package, "variants.toml"))


@cache
def _shipped(game: Game, name: str) -> Variant:
    shipped = shipped_variants(game)
    if name != BASE and name not in shipped:
        hint = suggest_names(name, [BASE, *shipped])
        raise InputError(f"unknown variant {short_repr(name)} of {game.name}; {hint}")
    return from_changes(game, name, shipped.get(name, {}), f"{game.name} variant {name}")


def resolve_variant(game: Game, variant: AnyVariant) -> Variant:
    """Return a variant from a shipped name (one object per name), from {name: changes}, or unchanged from a Variant."""
    if isinstance(variant, str):
        return _shipped(game, variant)
    if isinstance(variant, Mapping):
        if len(variant) != 1:
            raise InputError(f"expected one name with its changes, got {len(variant)}: {short_repr(list(variant))}")
        return custom_variants(game, variant)[0]
    if not isinstance(variant, Variant):
        raise InputError(
            f"expected the name of a variant, a name with its changes, or a Variant, got {short_repr(variant)}"
        )
    if variant.rules.dtype != game.rules:
        raise InputError(f"{variant.name!r} is a variant of another game than {game.name}")
    return variant


def with_settings(game: Game, variant: AnyVariant, settings: Sequence[str]) -> Variant:
    """Return a variant with changed keys, named after them.

    >>> from strozzi_sim.game import load_game
    >>> variant = with_settings(load_game("strozzi"), "base", ["tracks.bonus.7=10", "setup.rounds=2"])
    >>> variant.name, variant.components["tracks"]["bonus"]
    ('tracks-bonus-7-10-setup-rounds-2', {'7': 10, '8': 10, '9': 15})

    A setting is KEY=VALUE, with a key as for `Variant.of` and a value as in TOML.
    """
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = (part.strip() for part in setting.partition("="))
        if not (equals and "." in key and all(key.split("."))):
            known = _nearest_key(game, key)
            hint = f"; did you mean {known}={text}?" if known and text else ""
            raise InputError(f"expected KEY=VALUE such as tracks.bonus.7=10, got {short_repr(setting)}{hint}")
        if key in values:
            raise InputError(f"{key}: is given twice")
        try:
            values[key] = toml_value(text)
        except ValueError as error:
            raise InputError(f"{key}: {error}") from None
    return with_values(game, variant, values)


def with_values(game: Game, variant: AnyVariant, values: Mapping[str, Any]) -> Variant:
    """Return a variant with other values by key, `{"tracks.bonus.7": 10}`, named after them; see `Variant.of`."""
    base = resolve_variant(game, variant)
    if not values:
        return base
    raw = _with_sources(game, base.components)
    for key, value in values.items():
        section, *path = key.split(".")
        if section not in game.components_part.VARIABLE:
            known = _nearest_key(game, path[-1]) if path else ""
            hint = f"did you mean {known}?" if known else suggest_names(section, game.components_part.VARIABLE)
            raise InputError(f"{key}: unknown section {short_repr(section)}; {hint}")
        raw[section] = _with_value(raw[section], path, value, key)
    settings = tuple(f"{key}={_text(value)}" for key, value in values.items())
    name = name_of_values("" if base.name == BASE else base.name, values)
    changed = _variant(game, name, _converted(game, raw, ", ".join(settings)))
    return replace(changed, file=base.file, settings=(*base.settings, *settings), origin=base.origin or base.name)


def _nearest_key(game: Game, name: str) -> str:
    """Return the key SECTION.NAME whose name is most like a name; "" if none is like it."""
    sections = _shipped(game, BASE).components.items()
    keys = {key: f"{section}.{key}" for section, data in sections if isinstance(data, Mapping) for key in data}
    found = nearest(name, list(keys))
    return keys[found] if found else ""


def _with_sources(game: Game, components: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain components with the `provenance` keys and the other sections of the game's components.toml."""
    boxed = _toml(game.package, "components.toml")
    return boxed | {name: with_provenance(section, boxed.get(name)) for name, section in components.items()}


def _with_value(data: Any, path: Sequence[str], value: Any, where: str) -> Any:
    """Return component data with one value changed; `path` names entries of a list by id, or by place from 0."""
    if not path:
        return value
    name, *rest = path
    if isinstance(data, list):
        has_ids = all(map(has_id, data))
        keys = [place for place, _ in _entries(data)]
        if name in (ADD, REMOVE) and not rest and has_ids:
            return _changed_list(data, {name: value}, where.removesuffix(f".{name}"))
        if name not in keys:
            part = where.removesuffix(f".{'.'.join(path)}")
            hint = f"; a new one is added by {part}.{ADD}=[{{id={json.dumps(name)},...}}]" if has_ids else ""
            raise InputError(f"{where}: unknown id or place {short_repr(name)}; {suggest_names(name, keys)}{hint}")
        return [_with_value(entry, rest, value, where) if name == place else entry for place, entry in _entries(data)]
    if not isinstance(data, Mapping):
        raise InputError(f"{where}: {short_repr(data)} has no keys")
    return {**data, name: _with_value(data.get(name, {}), rest, value, where)}


def custom_variants(game: Game, changes: Mapping[Any, Any]) -> tuple[Variant, ...]:
    """Return the custom variants of `changes`, name -> changes, as in a study's file."""
    variants = []
    for key, change in changes.items():
        name, place = str(key), f"variant.{key}"
        if not isinstance(change, Mapping) or name in game.components_part.VARIABLE:
            example = '{"mine": {SECTION: {KEY: VALUE}}}'
            raise InputError(f"expected changes under a name, as in {example}, got {short_repr(dict(changes))}")
        if name == BASE or name in shipped_variants(game):
            raise InputError(f"{place}: {name!r} is a shipped variant of {game.name}; choose another name")
        if not NAME.fullmatch(name):
            allowed = f"1 to {_LONGEST} lower-case letters, digits, - and _, the first a letter or digit"
            raise InputError(f"{place}: a variant's name must be {allowed}")
        variants.append(from_changes(game, name, with_text_keys(change), place))
    return tuple(variants)


def with_text_keys(changes: Any) -> Any:
    """Return changes with all keys as text and tuples as lists, as in TOML."""
    if isinstance(changes, Mapping):
        return {str(key): with_text_keys(value) for key, value in changes.items()}
    return [with_text_keys(entry) for entry in changes] if isinstance(changes, list | tuple) else changes


def from_changes(game: Game, name: str, changes: Mapping[str, Any], where: str) -> Variant:
    """Return the variant made by merging `changes` into the game's components."""
    part, raw = game.components_part, component_data(game)
    for section, change in changes.items():
        if section in _DESCRIPTION:
            continue
        if section not in part.VARIABLE:
            allowed = suggest_names(section, part.VARIABLE).removeprefix("known: ")
            raise InputError(f"{where}: {short_text(section)}: unknown section; a variant can change {allowed}")
        old = raw[section]
        if isinstance(old, list):
            raw[section] = _changed_list(old, change, f"{where}: {section}")
        elif isinstance(change, Mapping):
            for key, value in change.items():
                merges = f"{section}.{key}" in part.MERGED and isinstance(value, Mapping)
                old[key] = {**old.get(key, {}), **with_text_keys(value)} if merges else value
        else:
            raise InputError(f"{where}: {section}: expected a table of changes, got {short_repr(change)}")
    components = _converted(game, raw, where)
    if not changes:  # otherwise the totals are derived
        check_totals(components, part.totals(components), where)
    return _variant(game, name, components)


def from_components(game: Game, name: str, components: Mapping[str, Any], where: str) -> Variant:
    """Return a variant from the plain components of a record or a plan, in the form of `Variant.components`.

    Missing keys of a section take the values of `base`. So a record or folder that is older than a switch is read as it
    was played: a new switch either leaves `base` unchanged or raises the game's `behaviour`. Blocks with ids are never
    added.
    """
    base, sections, sections_given = _shipped(game, BASE).components, game.components_part.VARIABLE, dict[str, Any]()
    for section, data in components.items():
        if section not in sections:
            raise InputError(f"{where}: {short_repr(section)}: unknown key; {suggest_names(section, sections)}")
        tables = isinstance(data, Mapping) and isinstance(base.get(section), Mapping)
        sections_given[section] = {**base[section], **data} if tables else data
    variant = _variant(game, name, _converted(game, _with_sources(game, sections_given), where))
    for key, value, expected in differing_keys(sections_given, variant.components):
        if expected is None:
            raise InputError(f"{where}: {key}: unknown key")
        if value is None:
            raise InputError(f"{where}: {key}: missing")
        message = f"{where}: {key}: expected {short_repr(expected)} beside the other parts, got {short_repr(value)}"
        raise InputError(message)
    return variant


def _converted(game: Game, raw: dict[str, Any], where: str) -> Any:
    part = game.components_part
    components = converted(raw, part.Components, where, str_keys=True)
    check_ids(components, where)
    part.check(components, where)
    return components


def _variant(game: Game, name: str, components: Any) -> Variant:
    part = game.components_part
    plain = to_plain(components, part.VARIABLE, part.PROVENANCE, part.totals(components))
    reconstructed = tuple(reconstructed_sections(components, part.RECONSTRUCTED))
    hidden, warnings = bool(part.hidden(plain)), tuple(part.warnings(components))
    return Variant(name, plain, part.to_rules(components), reconstructed, hidden, warnings=warnings)


def differing_keys(first: Any, second: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield (key, value in the first, in the second) where the data of two variants differ; a missing value is None.

    Blocks with ids are compared by id, in any order.

    >>> list(differing_keys({"tracks": {"bonus": {"7": 5}}}, {"tracks": {"bonus": {"7": 10}}}))
    [('tracks.bonus.7', 5, 10)]
    """
    first, second = _by_id(first), _by_id(second)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for name in (*first, *(name for name in second if name not in first)):
            yield from differing_keys(first.get(name), second.get(name), f"{key}.{name}" if key else str(name))
    elif first != second:
        yield key, first, second


def _by_id(data: Any) -> Any:
    if not (isinstance(data, list) and data and all(map(has_id, data))):
        return data
    return {block["id"]: {name: value for name, value in block.items() if name != "id"} for block in data}


def _changed_list(old: list[dict[str, Any]], change: Any, where: str) -> Any:
    if not isinstance(change, Mapping):
        return change
    if not all(map(has_id, old)):
        raise InputError(
            f"{where}: expected a list, got {short_repr(change)}; it has no ids, so it can only be replaced as a whole"
        )
    by_id = {block["id"]: block for block in old}
    for name, attributes in change.items():
        if name in (ADD, REMOVE):
            continue
        if name not in by_id:
            hint = f"a new one is added by {ADD} = [{{id = {short_repr(name)}, ...}}]"
            raise InputError(f"{where}.{short_text(name)}: unknown id; {suggest_names(name, by_id)}; {hint}")
        if not isinstance(attributes, Mapping):
            raise InputError(f"{where}.{name}: expected a table of attributes, got {short_repr(attributes)}")
        by_id[name].update(attributes)
    for name in _listed(change, REMOVE, where):
        if not isinstance(name, str) or name not in by_id:
            raise InputError(f"{where}.{REMOVE}: unknown id {short_repr(name)}; {suggest_names(str(name), by_id)}")
        if name in change:
            raise InputError(f"{where}.{REMOVE}: {name!r} is changed as well")
        del by_id[name]
    for block in _listed(change, ADD, where):
        if not isinstance(block, Mapping) or not isinstance(block.get("id"), str):
            raise InputError(f"{where}.{ADD}: expected blocks with an id, got {short_repr(block)}")
        if block["id"] in by_id:
            raise InputError(f"{where}.{ADD}: {block['id']!r} exists; change it under its id")
        by_id[block["id"]] = dict(block)
    return list(by_id.values())


def _listed(change: Mapping[str, Any], key: str, where: str) -> list[Any]:
    entries = change.get(key, [])
    if not isinstance(entries, list | tuple):
        raise InputError(f"{where}.{key}: expected a list, got {short_repr(entries)}")
    return list(entries)


def published_value(game: Game, key: str) -> Any:
    """Return the value of a key in the published game; None for a missing key."""
    *_, value = _along(_shipped(game, BASE).components, key)
    return value


def is_reconstructed(game: Game, key: str) -> bool:
    """Return whether a key's block is reconstructed; the section NAME_meta describes all blocks of the list NAME."""
    data = _toml(game.package, "components.toml")
    blocks = [data.get(f"{key.split('.')[0]}_meta"), *_along(data, key)]
    return any(isinstance(block, Mapping) and block.get("provenance") == "reconstructed" for block in blocks)


def _along(data: Any, key: str) -> Iterator[Any]:
    """Yield the data at each part of a key; None at and after a missing part."""
    for name in key.split("."):
        data = dict(_entries(data)).get(name)
        yield data


def _entries(data: Any) -> list[tuple[str, Any]]:
    """Return the entries of a table by key, of a list of blocks by id, and of another list by their places from 0."""
    if isinstance(data, list):
        pairs = enumerate(data)
        return [(str(entry.get("id", place) if isinstance(entry, Mapping) else place), entry) for place, entry in pairs]
    return list(data.items()) if isinstance(data, Mapping) else []


def name_of_values(base: str, values: Mapping[str, Any]) -> str:
    """Return the name of the variant of `base` ("" for the published game) with these values by key.

    Of the same keys in the same order, equal values have one name, different values have different names: a sign is
    written out, and a digest is added for values that a name cannot show in full (fractions, lists, tables, most text)
    and for a name that is too long.

    >>> name_of_values("", {"setup.rounds": 10}), name_of_values("", {"setup.rounds": -10})
    ('setup-rounds-10', 'setup-rounds-minus-10')
    >>> name_of_values("", {"setup.rounds": 2.0}) == name_of_values("", {"setup.rounds": 2})
    True
    """
    plain = {key: _plain(value) for key, value in values.items()}
    negative = {key: f"minus-{-value}" for key, value in plain.items() if isinstance(value, int) and value < 0}
    parts = [f"{key}-{negative.get(key) or _text(value)}" for key, value in plain.items()]
    name = "-".join(filter(None, re.split(r"[^a-z0-9]+", "-".join(parts).lower())))
    name = f"{base}-{name}" if base else name
    shown = (isinstance(value, int) or (isinstance(value, str) and _WORD.fullmatch(value)) for value in plain.values())
    if len(name) <= _LONGEST and all(shown):
        return name
    digest = hashlib.sha256(json.dumps([base, plain], sort_keys=True, default=str).encode()).hexdigest()
    return f"{name[: _LONGEST - _DIGEST - 1].rstrip('-')}-{digest[:_DIGEST]}"


def _plain(value: Any) -> Any:
    """Return a value with whole numbers as integers, so that 1.0 is named as 1, and sorted keys."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(value[key]) for key in sorted(value, key=str)}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
