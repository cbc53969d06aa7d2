"""The types and limits of components.toml."""

from typing import Annotated, Any
from zlib import crc32

import numpy as np
from msgspec import Meta, Struct

from planted_game.state import IDLE, MAX_FACES, MAX_ROLLS, RULES, SEATS
from strozzi_sim.game.components import rules_from

Points = Annotated[int, Meta(ge=-100_000, le=100_000)]


class Dice(Struct, forbid_unknown_fields=True):
    """The section `[dice]`."""

    rolls: Annotated[int, Meta(ge=1, le=MAX_ROLLS)]
    faces: Annotated[int, Meta(ge=1, le=MAX_FACES)]
    spin: Annotated[int, Meta(ge=0, le=MAX_FACES)]


class Start(Struct, forbid_unknown_fields=True):
    """The section `[start]`."""

    head: Annotated[list[Points], Meta(min_length=SEATS, max_length=SEATS)]


class Fate(Struct, forbid_unknown_fields=True):
    """The section `[fate]`."""

    prize: Annotated[int, Meta(ge=0, le=100_000)]


class King(Struct, forbid_unknown_fields=True):
    """The section `[king]`."""

    debt: Annotated[int, Meta(ge=0, le=100_000)]
    crown: Annotated[int, Meta(ge=0, le=100_000)]


class Idle(Struct, forbid_unknown_fields=True):
    """The section `[idle]`."""

    turns: Annotated[list[Annotated[int, Meta(ge=0, le=99)]], Meta(min_length=IDLE, max_length=IDLE)]


class Components(Struct, forbid_unknown_fields=True):
    """All of components.toml."""

    dice: Dice
    start: Start
    fate: Fate
    king: King
    idle: Idle


def rounds(components: dict[str, Any]) -> int:
    """Return the number of rounds: one roll of each seat."""
    return int(components["dice"]["rolls"])


def to_rules(components: Components) -> np.ndarray[Any, Any]:
    """Return the rules record; all idle numbers together make its salt."""
    return rules_from(RULES, components, salt=crc32(bytes(components.idle.turns)), no_right=[0] * SEATS)
