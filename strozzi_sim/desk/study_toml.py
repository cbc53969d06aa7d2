"""A study as a TOML file that `strozzi run` plays again."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from strozzi_sim.game.variants import BASE, Variant, shipped_variants
from strozzi_sim.runtime.parsing import toml_value
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study

_RESOLVED = ("behaviour", "agents", "variants", "kind")  # of a complete study, or written otherwise


def study_toml(study: Study, look: Look) -> str:
    """Return the study file: all keys that differ from their defaults, and changed variants as tables.

    >>> study = Study.of(game="strozzi", players=[3], deals=100, lineups=[["random"]])
    >>> study_toml(study, Look(name="fair")).splitlines()[:3]
    ['name = "fair"', 'kind = "balance"', 'game = "strozzi"']
    """
    defaults = {field.name: field.default for field in msgspec.structs.fields(type(study))}
    kept = {
        name: msgspec.to_builtins(value)
        for name, value in msgspec.structs.asdict(study).items()
        if name not in _RESOLVED and value != defaults[name]
    }
    tag = type(study).__struct_config__.tag
    shown = {name: value for name, value in msgspec.to_builtins(look).items() if name != "name"}
    keys = {"name": look.name, "kind": tag, **kept, "variants": list(study.variants)}
    lines = [f"{name} = {_inline(value)}" for name, value in keys.items() if not isinstance(value, Mapping)]
    tables = {name: value for name, value in keys.items() if isinstance(value, Mapping)}
    own = {each.name: _changes(study, each) for each in study.listed_variants.values() if each.settings}
    tables |= ({"report": shown} if shown else {}) | ({"variant": own} if own else {})
    return "\n".join([*lines, *_tables(tables)]) + "\n"


def _changes(study: Study, variant: Variant) -> dict[str, Any]:
    """Return the changes of a variant made by settings, with those of the shipped one that it began with."""
    shipped = shipped_variants(study.the_game)
    found = (
        {}
        if variant.origin == BASE
        else {key: each for key, each in shipped[variant.origin].items() if isinstance(each, dict)}
    )
    for setting in variant.settings:
        key, _, text = setting.partition("=")
        section, name, *rest = key.split(".")
        block = variant.components[section]
        place = found.setdefault(section, {})
        if isinstance(block, Mapping):
            place[name] = block[name]  # whole, since a file replaces a table below a section
        elif rest:
            place.setdefault(name, {})[".".join(rest)] = _value(text)
        else:
            place[name] = _value(text)
    return found


def _value(text: str) -> Any:
    """Return the value of a setting, which is JSON or plain text."""
    try:
        return json.loads(text)
    except ValueError:
        return toml_value(text)


def _tables(tables: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield the lines of nested tables."""
    for name, table in tables.items():
        key = f"{above}.{_key(name)}" if above else _key(name)
        plain = {each: value for each, value in table.items() if not isinstance(value, Mapping)}
        if plain:
            yield from ("", f"[{key}]", *(f"{_key(each)} = {_inline(value)}" for each, value in plain.items()))
        yield from _tables({each: value for each, value in table.items() if isinstance(value, Mapping)}, key)


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else json.dumps(name)


def _inline(value: Any) -> str:
    """Return a value as TOML writes it in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(str(name))} = {_inline(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value, ensure_ascii=False)
