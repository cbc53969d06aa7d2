"""Names of variants made of changed values: one name for one set of values, and an error where two variants share a name."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from strozzi_sim.errors import InputError, short_repr

_LONGEST = 64  # characters of a name
_DIGEST = 8  # characters of a digest at its end
_WORD = re.compile(r"(?!(true|false|null)$)[a-z][a-z0-9]*")  # text that a name shows, and that is no other value's text


def setting_text(key: str, value: Any) -> str:
    """Return a changed value as KEY=VALUE: text as it is, other values as JSON."""
    return f"{key}={value if isinstance(value, str) else json.dumps(value, default=str)}"


def name_of_values(base: str, values: Mapping[str, Any]) -> str:
    """Return the name of the variant of `base` with these values by key; "" names the base itself.

    Equal values have one name, different values have different names: a sign is written out, and values of which a name cannot
    show everything (fractions, lists, tables, most text) add a digest.

    >>> name_of_values("", {"setup.rounds": 10}), name_of_values("", {"setup.rounds": -10})
    ('setup-rounds-10', 'setup-rounds-minus-10')
    >>> name_of_values("", {"setup.rounds": 2.0}) == name_of_values("", {"setup.rounds": 2})
    True
    """
    plain = {key: _plain(value) for key, value in values.items()}
    words = [f"{key}-{_value_words(value)}" for key, value in plain.items()]
    name = "-".join(filter(None, re.split(r"[^a-z0-9]+", "-".join(words).lower())))
    name = f"{base}-{name}" if base else name
    if len(name) <= _LONGEST and all(_is_shown(value) for value in plain.values()):
        return name
    digest = hashlib.sha256(json.dumps([base, plain], sort_keys=True, default=str).encode()).hexdigest()
    return f"{name[: _LONGEST - _DIGEST - 1].rstrip('-')}-{digest[:_DIGEST]}"


def _plain(value: Any) -> Any:
    """Return a value with whole numbers as integers, so that 1.0 is named as 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(value[key]) for key in sorted(value, key=str)}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _value_words(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"minus-{-value}" if value < 0 else str(value)
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _is_shown(value: Any) -> bool:
    """Return whether a name shows all of a value."""
    return isinstance(value, int) or (isinstance(value, str) and _WORD.fullmatch(value) is not None)


def check_names_differ(variants: Sequence[Any]) -> None:
    """Refuse different variants of one name."""
    known: dict[str, Any] = {}
    for variant in variants:
        other = known.setdefault(variant.name, variant)
        if other.components != variant.components:
            one, two = (
                ", ".join(each.settings) or f"components {short_repr(each.components)}" for each in (other, variant)
            )
            raise InputError(f"two variants are called {variant.name!r}: {one}; and {two}; give them different names")
