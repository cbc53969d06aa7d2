"""An action as somebody gives it, by number or by name; and what to say where it cannot be played."""

import re
from collections.abc import Sequence
from typing import Any, Protocol

from strozzi_sim.errors import ArgumentError, in_ranges, short_repr, suggest_names
from strozzi_sim.play.start import whole


class Decision(Protocol):
    """What is to be decided: a Position has all of it."""

    actor: int

    @property
    def over(self) -> bool: ...  # noqa: D102 - as of Position

    @property
    def legal(self) -> tuple[int, ...]: ...  # noqa: D102

    @property
    def names(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def compound_choices(self) -> tuple[str, ...]: ...  # noqa: D102


def words_of(text: str) -> list[str]:
    """The things that a text names, with blanks, commas or plus between them."""
    return re.split(r"[\s,+]+", text.strip())


def joined(words: Sequence[str], together: Sequence[str]) -> str:
    """The name of the action that chooses these things out of `together`, in whatever order they are given.

    >>> joined(["red", "blue"], ["blue", "green", "red"])
    'blue red'
    """
    return " ".join(sorted(words, key=together.index))


def number_of(position: Decision, action: Any) -> int:
    """The number of an action, which need not be legal; a name must be one of the position's, or its words in another order.

    Raises:
        ArgumentError: it is neither a whole number nor such a name; lists them, and the one that was meant, if one is near.
    """
    if not isinstance(action, str):
        return whole("action", action)
    names, together = position.names, position.compound_choices
    words = words_of(action)
    if set(words) <= set(together):
        action = joined(words, together)
    if action in names:
        return position.legal[names.index(action)]
    if position.over:
        raise cannot_be_played(position, action)
    known = suggest_names(action, together or names) + ("; give one or several" if together else "")
    raise ArgumentError("action", f"unknown to seat {position.actor}: {short_repr(action)}; {known}")


def cannot_be_played(position: Decision, action: int | str) -> ArgumentError:
    """The error for an action that is not legal in a position, or that comes after the end."""
    if position.over:
        return ArgumentError("action", f"{short_repr(action)} cannot be played: the game is over")
    legal = ", ".join(in_ranges([str(number) for number in position.legal]))
    return ArgumentError("action", f"{short_repr(action)} is not legal for seat {position.actor}; legal: {legal}")
