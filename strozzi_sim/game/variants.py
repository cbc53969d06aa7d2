"""Variants: named changes of component data, merged into a game's components.toml key by key.

A change names a section and a key (`tracks.top_index`). Tables in MERGED are merged entry by entry; every other value is
replaced. A list of blocks with ids is replaced by a list, or changed in part by a table `id -> changed attributes`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.game.contract import Game
from strozzi_sim.game.converting import converted

BASE = "base"
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
        warnings: warnings for its designer, such as an unreachable goal.
    """

    name: str
    components: dict[str, Any]
    rules: np.ndarray[Any, Any]
    reconstructed: tuple[str, ...]
    hidden: bool
    file: str = ""
    warnings: tuple[str, ...] = ()


AnyVariant = str | Variant | Mapping[str, Mapping[str, Any]]


@cache
def _toml(package: str, file: str) -> dict[str, Any]:
    place = files(package).joinpath(file)
    return tomllib.loads(place.read_text("utf-8")) if place.is_file() or file != "variants.toml" else {}


def shipped_variants(game: Game) -> dict[str, dict[str, Any]]:
    """Return a game's shipped variants by name, each with its `about` text and its changes."""
    return deepcopy(_toml(game.package, "variants.toml"))


def resolve_variant(
    game: Game, name: str, own: Mapping[str, Mapping[str, Any]] | None = None, place: str = ""
) -> Variant:
    """Return the variant `name`: "base", a shipped variant, or one of the tables `own` (a study's `[variant.*]`).

    Raises:
        InputError: an unknown name, a redefined shipped variant, or invalid data; names file and key.
    """
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
    """Return a variant: a shipped one by name (one object per name), a Variant unchanged, or {name: changes} as in a study's file.

    Args:
        game: the game.
        variant: the variant.
        place: prefix of errors.

    Raises:
        InputError: an unknown name, a variant of another game, or invalid changes.
    """
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


def own_variants(game: Game, changes: Mapping[Any, Any], place: str = "") -> tuple[Variant, ...]:
    """Return custom variants: name -> changes, as in a study's file.

    Raises:
        InputError: an invalid name, or invalid changes.
    """
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
    raw = deepcopy(_toml(game.package, "components.toml"))
    _merge_changes(raw, changes, where, part.VARIABLE, part.MERGED)
    components = _converted(game, raw, where)
    if not changes:  # the totals of a changed variant are derived
        part.check_totals(components, where)
    return _variant(game, name, components)


def from_components(game: Game, name: str, components: Mapping[str, Any], where: str) -> Variant:
    """Return a variant from the plain components of a record or a plan, as `Variant.components` has them.

    Missing keys are those of `base`; see `completed`.

    Raises:
        InputError: a missing section, an unknown key, invalid data, or inconsistent totals; names `where` and the key.
    """
    components = completed(game, components)
    sections = game.components_part.VARIABLE
    for section in components:
        if section not in sections:
            raise InputError(f"{where}: {short_repr(section)}: unknown key; {suggest_names(section, sections)}")
    for section in sections:
        if section not in components:
            raise InputError(f"{where}: {section}: missing")
    raw = _toml(game.package, "components.toml") | dict(components)
    variant = _variant(game, name, _converted(game, raw, where))
    if components == variant.components:
        return variant
    for key, given, wanted in _differences(components, variant.components):
        if wanted is _NOTHING:
            raise InputError(f"{where}: {key}: unknown key")
        if given is _NOTHING:
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
    part.check(components, where)
    return components


def _variant(game: Game, name: str, components: Any) -> Variant:
    part = game.components_part
    plain = part.plain(components)
    return Variant(
        name, plain, part.to_rules(components), tuple(part.reconstructed(components)), bool(part.hidden(plain)),
        warnings=tuple(part.warnings(components)),
    )  # fmt: skip


_NOTHING = object()


def _differences(given: Any, wanted: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield (key, given, wanted) for each difference of two plain documents."""
    if isinstance(given, Mapping) and isinstance(wanted, Mapping):
        for name in (*wanted, *(name for name in given if name not in wanted)):
            here = f"{key}.{name}" if key else str(name)
            yield from _differences(given.get(name, _NOTHING), wanted.get(name, _NOTHING), here)
    elif isinstance(given, list) and isinstance(wanted, list) and len(given) == len(wanted):
        for number, pair in enumerate(zip(given, wanted, strict=True)):
            yield from _differences(*pair, f"{key}[{number}]")
    elif given != wanted:
        yield key, given, wanted


def _merge_changes(
    raw: dict[str, Any],
    changes: Mapping[str, Any],
    where: str,
    variable: tuple[str, ...],
    merged: tuple[str, ...],
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
        if name not in by_id:
            raise InputError(f"{where}.{short_repr(name)[1:-1]}: unknown id; {suggest_names(name, by_id)}")
        if not isinstance(attributes, Mapping):
            raise InputError(f"{where}.{name}: expected a table of attributes, got {short_repr(attributes)}")
        by_id[name].update(attributes)
    return old
