"""A study as a TOML file that `strozzi run` plays again."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from strozzi_sim.game import Game
from strozzi_sim.game.variants import ADD, BASE, REMOVE, Variant, differing_keys, resolve_variant
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study

_RESOLVED = ("behaviour", "agents", "variants")  # keys that are derived, or written in another form


def study_toml(study: Study, look: Look) -> str:
    """Return the text of the study file: the keys that differ from their defaults, and variants changed by settings."""
    fields = [each for each in msgspec.structs.fields(type(study)) if each.name not in _RESOLVED]
    changed = [each for each in study.listed_variants.values() if each.settings]
    keys = {
        "name": look.name,
        "kind": study.kind,
        **{each.name: value for each in fields if (value := getattr(study, each.name)) != each.default},
        "variants": list(study.variants),
        "variant": {each.name: _changes(study.the_game, each) for each in changed},
        "report": {key: value for key, value in msgspec.to_builtins(look).items() if key != "name"},
    }
    return "".join(_lines(msgspec.to_builtins(keys)))


def _changes(game: Game, variant: Variant) -> dict[str, Any]:
    """Return the changes of a variant from the published game, in the form of a study file."""
    found: dict[str, Any] = {}
    for key, _, value in differing_keys(resolve_variant(game, BASE).components, variant.components):
        section, name, *rest = key.split(".")
        data, place = variant.components[section], found.setdefault(section, {})
        if isinstance(data, Mapping):
            place[name] = data[name]  # whole, since a file replaces a table below a section
        elif rest:
            place.setdefault(name, {})[".".join(rest)] = value
        elif value is None:
            place.setdefault(REMOVE, []).append(name)
        else:
            place.setdefault(ADD, []).append({"id": name, **value})
    return found


def _lines(table: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield a line `KEY = VALUE` for each value of a table; `above` is its own key, such as `variant.`, or ""."""
    for name, value in table.items():
        is_plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
        key = above + (name if is_plain else json.dumps(name))
        if isinstance(value, Mapping):
            yield from _lines(value, f"{key}.")
        else:
            yield f"{key} = {json.dumps(value, ensure_ascii=False, separators=(', ', ' = '))}\n"
