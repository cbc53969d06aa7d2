"""Actions that can be forbidden to a seat: a flag, a port, a category of promotion tiles."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.errors import InputError
from strozzi_sim.games.strozzi.state import ALL_FLAGS, CATEGORIES, FLAG_NAMES, PORT_NAMES

_KINDS = {
    "flag": ("no_flag", FLAG_NAMES, "the {} flag may not be used"),
    "port": ("no_port", PORT_NAMES, "no ship may be placed at {}, while another port is free"),
    "category": ("no_category", CATEGORIES, "no tile of {} may be taken, while there is another"),
}


def names(components: Mapping[str, Any]) -> dict[str, str]:
    """Return every restriction with its description."""
    return {f"{kind}:{name}": words.format(name) for kind, (_, all_of, words) in _KINDS.items() for name in all_of}


def restrict(rules: Any, seat: int, name: str, components: Mapping[str, Any]) -> None:
    """Write a restriction of a seat into a row of the rules.

    Raises:
        InputError: it would forbid the last flag; who may only pass has no decision to make.
    """
    kind, _, what = name.partition(":")
    field, all_of, _ = _KINDS[kind]
    rules["restricted"] = 1
    rules[field][seat] |= 1 << all_of.index(what)
    if rules["no_flag"][seat] == ALL_FLAGS:
        raise InputError(
            f"restriction {name} of seat {seat}: all three flags are forbidden; leave the seat one of them"
        )
