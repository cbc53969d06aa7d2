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
    given = {key: value for key, value in msgspec.structs.asdict(study).items() if key not in _RESOLVED}
    own = {each.name: _changes(study, each) for each in study.listed_variants.values() if each.settings}
    keys = {
        **{"name": look.name, "kind": type(study).__struct_config__.tag},
        **{key: msgspec.to_builtins(value) for key, value in given.items() if value != defaults[key]},
        **{"variants": list(study.variants), "variant": own},
        "report": {key: value for key, value in msgspec.to_builtins(look).items() if key != "name"},
    }
    return "\n".join(_lines(keys)) + "\n"


def _changes(study: Study, variant: Variant) -> dict[str, Any]:
    """Return the changes of a variant made by settings, with those of the shipped one that it began with."""
    shipped = {} if variant.origin == BASE else shipped_variants(study.the_game)[variant.origin]
    found = {section: each for section, each in shipped.items() if isinstance(each, dict)}
    for setting in variant.settings:
        key, _, text = setting.partition("=")
        section, name, *rest = key.split(".")
        block, place = variant.components[section], found.setdefault(section, {})
        if isinstance(block, Mapping):
            place[name] = block[name]  # whole, since a file replaces a table below a section
            continue
        try:
            value = json.loads(text)
        except ValueError:
            value = toml_value(text)
        if rest:
            place, name = place.setdefault(name, {}), ".".join(rest)
        place[name] = value
    return found


def _lines(table: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield the lines of a table of TOML, plain values first."""
    plain = {name: value for name, value in table.items() if not isinstance(value, Mapping)}
    if above and plain:
        yield from ("", f"[{above}]")
    yield from (f"{_key(name)} = {_inline(value)}" for name, value in plain.items())
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _lines(value, f"{above}.{_key(name)}" if above else _key(name))


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else json.dumps(name)


def _inline(value: Any) -> str:
    """Return a value as TOML writes it in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_inline(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value, ensure_ascii=False)
