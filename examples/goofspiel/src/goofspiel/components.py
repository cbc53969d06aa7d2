"""Goofspiel's component data: the types and limits of components.toml."""

from typing import Annotated

import msgspec

from goofspiel.state import MAX_CARDS, MIN_CARDS


class Deck(msgspec.Struct, forbid_unknown_fields=True):
    """The section `[deck]`."""

    cards: Annotated[int, msgspec.Meta(ge=MIN_CARDS, le=MAX_CARDS)]


class Components(msgspec.Struct, forbid_unknown_fields=True):
    """All of components.toml."""

    deck: Deck


def rounds(components):
    """Return the number of rounds: one for each prize."""
    return components["deck"]["cards"]


def hidden(components):
    """Return whether seats have secrets: bids are face down until the last one is laid."""
    return True
