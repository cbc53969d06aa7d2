"""One thing to do without: the right die."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.game.restricting import Restriction, never


def restrictions(components: Mapping[str, Any]) -> dict[str, Restriction]:
    """Return the restriction by its name."""
    return {"die:right": Restriction("the right die may not be rolled", never("no_right", 1))}
