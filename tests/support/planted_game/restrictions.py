"""One thing to do without: the right die."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from strozzi_sim.game.restricting import Use


def names(components: Mapping[str, Any]) -> dict[str, str]:
    """Return the restriction with its description."""
    return {"die:right": "the right die may not be rolled"}


def uses(components: Mapping[str, Any]) -> dict[str, Use | None]:
    """Return what can be measured."""
    return {"die:right": None}


def restrict(rules: np.void, seat: int, name: str, components: Mapping[str, Any]) -> None:
    """Forbid the right die to a seat."""
    rules["no_right"][seat] = 1
