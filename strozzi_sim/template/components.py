"""The limits of components.toml: the smallest and the largest number of each key, or of each entry of a list."""

from typing import Any

from strozzi_sim.errors import InputError
from strozzi_sim.template.state import MAX_COPIES, MAX_FACE_UP, MAX_TURNS

LIMITS = {"tokens.copies": (0, MAX_COPIES), "table.face_up": (2, MAX_FACE_UP), "table.turns": (1, MAX_TURNS)}


def check(components: Any, where: str) -> None:
    """Check that there are enough tokens to begin. Raises InputError."""
    if sum(components.tokens.copies) < components.table.face_up:
        raise InputError(f"{where}: tokens.copies: must be {components.table.face_up} tokens or more (table.face_up)")
