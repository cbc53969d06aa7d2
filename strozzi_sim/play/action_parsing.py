"""Parse an action given by number or name, and build the errors for invalid ones."""

import re
from collections.abc import Sequence
from typing import Any

from strozzi_sim.errors import ArgumentError, in_ranges, short_repr, suggest_names
from strozzi_sim.play.start import check_integer


def split_names(text: str) -> list[str]:
    """Split a text at blanks, commas and plus signs."""
    return re.split(r"[\s,+]+", text.strip())


def joined(words: Sequence[str], together: Sequence[str]) -> str:
    """Return the name of the action that chooses these items of `together`, given in any order.

    >>> joined(["red", "blue"], ["blue", "green", "red"])
    'blue red'
    """
    return " ".join(sorted(words, key=together.index))


def parse_action(position: Any, action: Any) -> int:
    """Return the number of an action: a number unchecked, a name of the position with its items in any order."""
    if not isinstance(action, str):
        return check_integer("action", action)
    names, together = position.names, position.compound_choices
    words = split_names(action)
    if set(words) <= set(together):
        action = joined(words, together)
    if action in names:
        return int(position.legal[names.index(action)])
    if position.over:
        raise illegal_action_error(position, action)
    known = suggest_names(action, together or names) + ("; give one or several" if together else "")
    raise ArgumentError("action", f"unknown to seat {position.actor}: {short_repr(action)}; {known}")


def illegal_action_error(position: Any, action: int | str) -> ArgumentError:
    """Return the error for an illegal action, or for one after the end of the game."""
    if position.over:
        return ArgumentError("action", f"{short_repr(action)} cannot be played: the game is over")
    legal = ", ".join(in_ranges([str(number) for number in position.legal]))
    return ArgumentError("action", f"{short_repr(action)} is not legal for seat {position.actor}; legal: {legal}")
