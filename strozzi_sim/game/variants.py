"""Variants: named changes of component data, merged into a game's components.toml key by key.

A change names a section and a key (`tracks.top_index`). Tables in MERGED are merged entry by entry; every other value is
replaced. A list of blocks with ids is replaced by a list, or changed in part by a table `id -> changed attributes`, in which
`add` is a list of new blocks, each with its id, and `remove` a list of ids.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.game.components import check_ids, check_totals, with_provenance
from strozzi_sim.game.contract import Game
from strozzi_sim.game.converting import converted
from strozzi_sim.game.variant_names import name_of_values, setting_text
from strozzi_sim.runtime.parsing import toml_value

BASE = "base"
ADD, REMOVE = "add", "remove"  # keys of a table of changes of blocks with ids
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_DESCRIPTION = ("about", "provenance", "provenance_note")


@dataclass(frozen=True)
class Variant:
    """A variant ready to play.

    Attributes:
        name: name; "base" is the published game.
        components: component data as plain values, stored in records and plans.
        rules: record that kernels read, array of shape (1,).
        reconstructed: descriptions of reconstructed data, which no source gives.
        hidden: whether seats have secrets; agents then receive a concealed state.
        file: file of the study that defines it; "" for a shipped variant.
        settings: changed keys as text, KEY=VALUE, of a variant made by `with_settings` from the variant `origin`.
        warnings: warnings for its designer, such as an unreachable goal.
    """

    name: str
    components: dict[str, Any]
    rules: np.ndarray[Any, Any]
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
            variant: the name of a shipped variant, changes under a name of their own, or a Variant.
            values: values by key, sections, ids and places in a list separated by points.

        Raises:
            InputError: an unknown game, variant or key, or an invalid value.

        >>> late = Variant.of("strozzi", values={"tracks.bonus.9": 30})
        >>> late.name, late.components["tracks"]["bonus"]["9"]
        ('tracks-bonus-9-30', 30)
        """
        from strozzi_sim.game import find_game

        found = find_variant(find_game(game), variant)
        return with_values(find_game(game), found, values) if values else found


AnyVariant = str | Variant | Mapping[str, Mapping[str, Any]]


@cache
def _toml(package: str, file: str) -> dict[str, Any]:
    place = files(package).joinpath(file)
    return tomllib.loads(place.read_text("utf-8")) if place.is_file() or file != "variants.toml" else {}


def component_data(game: Game) -> dict[str, Any]:
    """Return a game's `components.toml`, with what it says of its sources."""
    return deepcopy(_toml(game.package, "components.toml"))


def shipped_variants(game: Game) -> dict[str, dict[str, Any]]:
    """Return a game's shipped variants by name, each with its `about` text and its changes."""
    return deepcopy(_toml(game.package, "variants.toml"))


def resolve_variant(
    game: Game, name: str, own: Mapping[str, Mapping[str, Any]] | None = None, place: str = ""
) -> Variant:
    """Return the variant `name`: "base", a shipped variant, or one of the tables `own` (a study's `[variant.*]`)."""
    own = own or {}
    shipped = shipped_variants(game)
    prefix = f"{place}: " if place else ""
    for mine in own:
        if mine == BASE or mine in shipped:
            raise InputError(
                f"{prefix}variant.{mine}: {mine!r} is a shipped variant of {game.name}; choose another name"
            )
        if not NAME.fullmatch(mine):
            raise InputError(f"{prefix}variant.{mine}: a variant's name is lower-case letters, digits, - and _")
    if name == BASE:
        changes: Mapping[str, Any] = {}
    elif name in own:
        changes = own[name]
    elif name in shipped:
        changes = shipped[name]
    else:
        known = suggest_names(name, [BASE, *shipped, *own])
        raise InputError(f"{prefix}unknown variant {short_repr(name)} of {game.name}; {known}")
    if name in own:
        return replace(from_changes(game, name, changes, f"{prefix}variant.{name}"), file=place)
    return from_changes(game, name, changes, f"{game.name} variant {name}")


@cache
def _shipped(game: Game, name: str) -> Variant:
    return resolve_variant(game, name)


def find_variant(game: Game, variant: AnyVariant, place: str = "") -> Variant:
    """Return a variant: a shipped one by name (one object per name), a Variant unchanged, or {name: changes} as in a study's file."""
    prefix = f"{place}: " if place else ""
    if isinstance(variant, Mapping):
        found = own_variants(game, variant, place)
        if len(found) != 1:
            raise InputError(
                f"{prefix}expected one name with its changes, got {len(found)}: {short_repr(list(variant))}"
            )
        return found[0]
    if isinstance(variant, str):
        try:
            return _shipped(game, variant)
        except InputError as error:
            raise InputError(f"{prefix}{error}") from None
    if not isinstance(variant, Variant):
        raise InputError(
            f"{prefix}expected the name of a variant, a name with its changes, or a Variant, got {short_repr(variant)}"
        )
    if variant.rules.dtype != game.rules:
        raise InputError(f"{prefix}{variant.name!r} is a variant of another game than {game.name}")
    return variant


def with_settings(game: Game, variant: AnyVariant, settings: Sequence[str], place: str = "") -> Variant:
    """Return a variant with changed keys, named after them.

    >>> from strozzi_sim.game import load_game
    >>> found = with_settings(load_game("strozzi"), "base", ["tracks.bonus.7=10", "setup.rounds=2"])
    >>> found.name, found.components["tracks"]["bonus"]
    ('tracks-bonus-7-10-setup-rounds-2', {'7': 10, '8': 10, '9': 15})

    A setting is KEY=VALUE: sections, ids and places in a list (from 0) separated by points, and a value as in TOML.
    """
    prefix = f"{place}: " if place else ""
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = (part.strip() for part in setting.partition("="))
        if not (equals and "." in key and all(key.split("."))):
            raise InputError(f"{prefix}expected KEY=VALUE such as tracks.bonus.7=10, got {short_repr(setting)}")
        if key in values:
            raise InputError(f"{prefix}{key}: is given twice")
        try:
            values[key] = toml_value(text)
        except ValueError as error:
            raise InputError(f"{prefix}{key}: {error}") from None
    return with_values(game, variant, values, place)


def with_values(game: Game, variant: AnyVariant, values: Mapping[str, Any], place: str = "") -> Variant:
    """Return a variant with other values of some keys, `{"tracks.bonus.7": 10}`, named after them; see `with_settings`."""
    base = find_variant(game, variant, place)
    boxed = component_data(game)
    raw = boxed | {name: with_provenance(section, boxed.get(name)) for name, section in base.components.items()}
    prefix = f"{place}: " if place else ""
    for key, value in values.items():
        section, *path = key.split(".")
        if section not in game.components_part.VARIABLE:
            known = suggest_names(section, game.components_part.VARIABLE)
            raise InputError(f"{prefix}{key}: unknown section {short_repr(section)}; {known}")
        raw[section] = _with_value(raw[section], path, value, f"{prefix}{key}")
    settings = tuple(setting_text(key, value) for key, value in values.items())
    name = name_of_values("" if base.name == BASE else base.name, values)
    return replace(
        _variant(game, name, _converted(game, raw, f"{prefix}{', '.join(settings)}")),
        file=base.file, settings=(*base.settings, *settings), origin=base.origin or base.name,
    )  # fmt: skip


def _with_value(data: Any, path: Sequence[str], value: Any, where: str) -> Any:
    """Return component data with one value changed; blocks with ids are found by these, other lists by places from 0."""
    if not path:
        return value
    name, *rest = path
    if isinstance(data, list):
        ids = [each.get("id") if isinstance(each, Mapping) else None for each in data]
        known = [str(place) if each is None else each for place, each in enumerate(ids)]
        if name in (ADD, REMOVE) and not rest and None not in ids:
            return _changed_list(data, {name: value}, where.removesuffix(f".{name}"))
        if name not in known:
            part = where.rpartition(": ")[2].removesuffix(f".{'.'.join(path)}")
            how = "" if None in ids else f"; a new one is added by {part}.{ADD}=[{{id={json.dumps(name)},...}}]"
            raise InputError(f"{where}: unknown id or place {short_repr(name)}; {suggest_names(name, known)}{how}")
        return [
            _with_value(each, rest, value, where) if name == at else each for at, each in zip(known, data, strict=True)
        ]
    if not isinstance(data, Mapping):
        raise InputError(f"{where}: {short_repr(data)} has no keys")
    return {**data, name: _with_value(data.get(name, {}), rest, value, where)}


def own_variants(game: Game, changes: Mapping[Any, Any], place: str = "") -> tuple[Variant, ...]:
    """Return custom variants: name -> changes, as in a study's file."""
    own = {str(name): with_text_keys(change) for name, change in changes.items()}
    for name, change in own.items():
        if not isinstance(change, Mapping) or name in game.components_part.VARIABLE:
            example = '{"mine": {SECTION: {KEY: VALUE}}}'
            prefix = f"{place}: " if place else ""
            raise InputError(
                f"{prefix}changes stand under a name of their own, as in {example}, got {short_repr(dict(changes))}"
            )
    return tuple(resolve_variant(game, name, own, place) for name in own)


def with_text_keys(changes: Any) -> Any:
    """Return changes with text keys, as in TOML."""
    if isinstance(changes, Mapping):
        return {str(key): with_text_keys(value) for key, value in changes.items()}
    return [with_text_keys(each) for each in changes] if isinstance(changes, list | tuple) else changes


def from_changes(game: Game, name: str, changes: Mapping[str, Any], where: str) -> Variant:
    """Return the variant made by merging `changes` into the game's components."""
    part = game.components_part
    raw = component_data(game)
    _merge_changes(raw, changes, where, part.VARIABLE, part.MERGED)
    components = _converted(game, raw, where)
    if not changes:  # the totals of a changed variant are derived
        check_totals(components, part.totals(components), where)
    return _variant(game, name, components)


def from_components(game: Game, name: str, components: Mapping[str, Any], where: str) -> Variant:
    """Return a variant from the plain components of a record or a plan, as `Variant.components` has them.

    Missing keys are those of `base`; see `completed`.
    """
    components = completed(game, components)
    sections = game.components_part.VARIABLE
    for section in components:
        if section not in sections:
            raise InputError(f"{where}: {short_repr(section)}: unknown key; {suggest_names(section, sections)}")
    for section in sections:
        if section not in components:
            raise InputError(f"{where}: {section}: missing")
    boxed = _toml(game.package, "components.toml")
    raw = boxed | {section: with_provenance(given, boxed.get(section)) for section, given in components.items()}
    variant = _variant(game, name, _converted(game, raw, where))
    for key, given, wanted in differing_keys(components, variant.components):
        if wanted is None:
            raise InputError(f"{where}: {key}: unknown key")
        if given is None:
            raise InputError(f"{where}: {key}: missing")
        raise InputError(
            f"{where}: {key}: expected {short_repr(wanted)} beside the other parts, got {short_repr(given)}"
        )
    return variant


def completed(game: Game, components: Mapping[str, Any]) -> dict[str, Any]:
    """Return components with the missing keys of their sections, as in `base`.

    A record or folder from before a switch was added is therefore read as it was played: a new switch does not change `base`, or it
    raises the game's `behaviour`. Blocks with ids are never added.
    """
    base = _shipped(game, BASE).components
    return {
        name: {**base[name], **section}
        if isinstance(section, Mapping) and isinstance(base.get(name), Mapping)
        else section
        for name, section in components.items()
    }


def _converted(game: Game, raw: dict[str, Any], where: str) -> Any:
    """Return all component data of a game, checked."""
    part = game.components_part
    components = converted(raw, part.Components, where, str_keys=True)
    check_ids(components, where)
    part.check(components, where)
    return components


def _variant(game: Game, name: str, components: Any) -> Variant:
    part = game.components_part
    plain = part.plain(components)
    return Variant(
        name, plain, part.to_rules(components), tuple(part.reconstructed(components)), bool(part.hidden(plain)),
        warnings=tuple(part.warnings(components)),
    )  # fmt: skip


def differing_keys(first: Any, second: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield (key, value in the first, in the second) of the component data in which two variants differ; None where it is missing.

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
    """Return a list of blocks with ids as a mapping by id; other data unchanged."""
    if not (isinstance(data, list) and data and all(isinstance(each, Mapping) and "id" in each for each in data)):
        return data
    return {each["id"]: {name: value for name, value in each.items() if name != "id"} for each in data}


def _merge_changes(
    raw: dict[str, Any], changes: Mapping[str, Any], where: str, variable: tuple[str, ...], merged: tuple[str, ...]
) -> None:
    for section, change in changes.items():
        if section in _DESCRIPTION:
            continue
        if section not in variable:
            near = suggest_names(section, variable).removeprefix("known: ")
            raise InputError(f"{where}: {short_repr(section)[1:-1]}: unknown section; a variant can change {near}")
        old = raw[section]
        if isinstance(old, list):
            raw[section] = _changed_list(old, change, f"{where}: {section}")
        elif isinstance(change, Mapping):
            for key, value in change.items():
                if f"{section}.{key}" in merged and isinstance(value, Mapping):
                    old[key] = {**old.get(key, {}), **{str(entry): number for entry, number in value.items()}}
                else:
                    old[key] = value
        else:
            raise InputError(f"{where}: {section}: expected a table of changes, got {short_repr(change)}")


def _changed_list(old: list[dict[str, Any]], change: Any, where: str) -> Any:
    if not isinstance(change, Mapping):
        return change
    if any("id" not in thing for thing in old):
        raise InputError(
            f"{where}: expected a list, got {short_repr(change)}; it has no ids, so it can only be replaced as a whole"
        )
    by_id = {thing["id"]: thing for thing in old}
    for name, attributes in change.items():
        if name in (ADD, REMOVE):
            continue
        if name not in by_id:
            how = f"a new one is added by {ADD} = [{{id = {short_repr(name)}, ...}}]"
            raise InputError(f"{where}.{short_repr(name)[1:-1]}: unknown id; {suggest_names(name, by_id)}; {how}")
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
            raise InputError(f"{where}.{ADD}: {block['id']!r} is there already; change it under its id")
        by_id[block["id"]] = dict(block)
    return list(by_id.values())


def _listed(change: Mapping[str, Any], key: str, where: str) -> list[Any]:
    found = change.get(key, [])
    if not isinstance(found, list | tuple):
        raise InputError(f"{where}.{key}: expected a list, got {short_repr(found)}")
    return list(found)


def published_value(game: Game, key: str) -> Any:
    """Return the value of a key in the published game; None where it has none.

    >>> from strozzi_sim.game import load_game
    >>> published_value(load_game("strozzi"), "tracks.bonus.9"), published_value(load_game("strozzi"), "ships.S01.sail")
    (15, 5)
    """
    *_, found = _along(find_variant(game, BASE).components, key)
    return found


def is_reconstructed(game: Game, key: str) -> bool:
    """Return whether the block that holds a key is reconstructed; a section NAME_meta is of all blocks of the list NAME."""
    data = component_data(game)
    blocks = [data.get(f"{key.split('.')[0]}_meta"), *_along(data, key)]
    return any(isinstance(block, Mapping) and block.get("provenance") == "reconstructed" for block in blocks)


def _along(data: Any, key: str) -> Iterator[Any]:
    """Yield what each part of a key leads to; None from where there is nothing."""
    for name in key.split("."):
        if isinstance(data, list):
            ids = [
                each.get("id", str(place)) if isinstance(each, Mapping) else str(place)
                for place, each in enumerate(data)
            ]
            data = data[ids.index(name)] if name in ids else None
        else:
            data = data.get(name) if isinstance(data, Mapping) else None
        yield data
