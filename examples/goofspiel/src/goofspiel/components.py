"""Goofspiel's component data: the limits of components.toml."""

from goofspiel.state import MAX_CARDS, MIN_CARDS

LIMITS = {"deck.cards": (MIN_CARDS, MAX_CARDS)}


def rounds(components):
    """Return the number of rounds: one for each prize."""
    return components["deck"]["cards"]


def hidden(components):
    """Return whether seats have secrets: bids are face down until the last one is laid."""
    return True
