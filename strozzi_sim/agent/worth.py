"""Further outputs of an agent: the worth of a position to every seat, and probabilities of the actions.

It writes them into fields of its memory, `worth` and `probabilities`.
"""

from typing import Any

import numpy as np

from strozzi_sim.errors import AgentFault

WORTHS = ("score", "lead", "win")  # the final score, the lead over the mean of the others, the share of the win
SCORE, LEAD, WIN = range(len(WORTHS))


def worth_field(seats: int) -> tuple[str, str, tuple[int, int]]:
    """Return the field `worth` for the memory of an agent that evaluates, float64[P, 3]: expected values, by WORTHS."""
    return ("worth", "f8", (seats, len(WORTHS)))


def probabilities_field(actions: int) -> tuple[str, str, tuple[int]]:
    """Return the field `probabilities` of an agent's memory, float64[A]: by action, if it is legal."""
    return ("probabilities", "f8", (actions,))


def probabilities_place(name: str, memory: np.dtype[Any], actions: int) -> int:
    """Return the offset of `probabilities` in an agent's memory."""
    expected = np.dtype((np.float64, (actions,)))
    if "probabilities" not in (memory.names or ()) or memory["probabilities"] != expected:
        raise AgentFault(
            f"agent {name!r}: memory: an agent with probabilities has a field probabilities, float64[{actions}]"
        )
    assert memory.fields is not None
    return memory.fields["probabilities"][1]


def worth_place(name: str, memory: np.dtype[Any]) -> tuple[int, int]:
    """Return the offset of `worth` in an agent's memory, and its number of seats."""
    if "worth" not in (memory.names or ()):
        raise AgentFault(
            f"agent {name!r}: memory: an agent that evaluates has a field worth, float64[P, {len(WORTHS)}]"
        )
    assert memory.fields is not None
    kind, place = memory.fields["worth"][:2]
    if kind.base != np.float64 or len(kind.shape) != 2 or kind.shape[1] != len(WORTHS):
        raise AgentFault(f"agent {name!r}: memory: worth must be float64[P, {len(WORTHS)}], got {kind}")
    return place, kind.shape[0]
