"""The knowledge of a seat: everything."""

from collections.abc import Mapping, Sequence
from typing import Any

from planted_game.state import SEATS
from strozzi_sim.game.slices import Group, Layout, Slice, number

SCORE = Slice("score", (), "points / 100", source=number("score", 100))
SLICES = Layout(Group("seats", (SEATS,), "for each seat, 0 = the observer", (SCORE,)))


def question(view: Any, phase: int) -> str:
    """Return the pending decision as text."""
    return "Which die?"


def render(position: Any, components: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the position as text."""
    return "\n".join(f"Seat {seat} {name}: {position.score[seat]} points" for seat, name in enumerate(names))
