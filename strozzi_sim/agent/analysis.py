"""What an agent provides in addition to its action: an analysis of its actions, the worth of a position, probabilities.

**Analysis**, as shown by `strozzi replay --explain`: a compiled agent may declare a function `analyse(memory, legal, node)` that
reads the agent's memory right after a decision. It returns one `ActionAnalysis` for each action considered, in any order;
actions left out were not considered. The first line of its docstring defines the value.

- memory : the agent's memory record after the decision
- legal : the legal actions of the decision, in ascending order
- node : None for the decision itself, or the `node` of an `ActionAnalysis` for the analysis after that action

**Worth and probabilities**: functions of an agent with `evaluation` and `probabilities` write them into the fields `worth` and
`probabilities` of its memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strozzi_sim.errors import AgentFault

WORTHS = ("score", "lead", "win")  # the final score, the lead over the mean of the others, the share of the win
SCORE, LEAD, WIN = range(len(WORTHS))


@dataclass(frozen=True)
class ActionAnalysis:
    """An agent's analysis of one action."""

    action: int
    visits: int  # number of times the agent tried it; more visits make the value more certain
    value: float | None = None  # expected value for the acting seat, on the agent's own scale; None if unknown
    seat: int | None = None  # seat that takes the action; default: the seat that decides
    node: Any = None  # any object that identifies the position after the action; None if it was not analysed


Analyse = Callable[[Any, Sequence[int], Any], Sequence[ActionAnalysis]]


def worth_field(seats: int) -> tuple[str, str, tuple[int, int]]:
    """Return the field `worth` for the memory of an agent that evaluates, float64[P, 3]: expected values, by WORTHS."""
    return ("worth", "f8", (seats, len(WORTHS)))


def probabilities_field(actions: int) -> tuple[str, str, tuple[int]]:
    """Return the field `probabilities` of an agent's memory, float64[A]: by action, if it is legal."""
    return ("probabilities", "f8", (actions,))


def probabilities_offset(name: str, memory: np.dtype[Any], actions: int) -> int:
    """Return the offset of `probabilities` in an agent's memory."""
    expected = np.dtype((np.float64, (actions,)))
    if "probabilities" not in (memory.names or ()) or memory["probabilities"] != expected:
        raise AgentFault(
            f"agent {name!r}: memory: an agent with probabilities has a field probabilities, float64[{actions}]"
        )
    assert memory.fields is not None
    return memory.fields["probabilities"][1]


def worth_offset(name: str, memory: np.dtype[Any]) -> tuple[int, int]:
    """Return the offset of `worth` in an agent's memory, and its number of seats."""
    if "worth" not in (memory.names or ()):
        raise AgentFault(
            f"agent {name!r}: memory: an agent that evaluates has a field worth, float64[P, {len(WORTHS)}]"
        )
    assert memory.fields is not None
    kind, offset = memory.fields["worth"][:2]
    if kind.base != np.float64 or len(kind.shape) != 2 or kind.shape[1] != len(WORTHS):
        raise AgentFault(f"agent {name!r}: memory: worth must be float64[P, {len(WORTHS)}], got {kind}")
    return offset, kind.shape[0]
