"""The types and limits of components.toml."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from strozzi_sim.errors import InputError
from strozzi_sim.template.state import MAX_COPIES, MAX_FACE_UP, MAX_TURNS, VALUES


class Tokens(Struct, forbid_unknown_fields=True):
    """The section `[tokens]`."""

    copies: Annotated[list[Annotated[int, Meta(ge=0, le=MAX_COPIES)]], Meta(min_length=VALUES, max_length=VALUES)]


class Table(Struct, forbid_unknown_fields=True):
    """The section `[table]`."""

    face_up: Annotated[int, Meta(ge=2, le=MAX_FACE_UP)]
    turns: Annotated[int, Meta(ge=1, le=MAX_TURNS)]


class Components(Struct, forbid_unknown_fields=True):
    """All of components.toml."""

    tokens: Tokens
    table: Table


def check(components: Components, where: str) -> None:
    """Check that there are enough tokens to begin. Raises InputError."""
    if sum(components.tokens.copies) < components.table.face_up:
        raise InputError(f"{where}: tokens.copies: must be {components.table.face_up} tokens or more (table.face_up)")


def rounds(components: dict[str, Any]) -> int:
    """Return the number of rounds: one turn of each seat."""
    return int(components["table"]["turns"])
