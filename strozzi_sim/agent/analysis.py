"""Outputs of an agent beside its action: an analysis of the legal actions, the worth of a position, and probabilities.

**Analysis**, as shown by `strozzi replay --explain`: a compiled agent may declare a function `analyse(memory, legal,
node)` that reads the agent's memory right after a decision. It returns one `ActionAnalysis` for each action considered,
in any order; actions left out were not considered. The first line of its docstring defines the value.

- memory : the agent's memory record after the decision
- legal : the legal actions of the decision, in ascending order
- node : None for the decision itself, or the `node` of an `ActionAnalysis` for the analysis after that action

**Worth and probabilities**: the functions `evaluation` and `probabilities` that an agent may declare write into the
fields `worth` and `probabilities` of its memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float64

from strozzi_sim.errors import AgentFault
from strozzi_sim.game.contract import merit, placing, score
from strozzi_sim.kernel.jit import force_inline, jit

WORTHS = ("score", "lead", "win")  # the final score, the lead over the mean of the others, the share of the win
SCORE, LEAD, WIN = range(len(WORTHS))


@dataclass(frozen=True)
class ActionAnalysis:
    """An agent's analysis of one action."""

    action: int
    visits: int  # number of times the agent tried it; more visits make the value more certain
    value: float | None = None  # expected value for the seat that takes it, on the agent's own scale; None if unknown
    seat: int | None = None  # seat that takes the action; default: the seat that decides
    node: Any = None  # any object that identifies the position after the action; None if it was not analysed


@force_inline
def lead_of(state: Any, seat: Any) -> Any:
    """Return the lead of `seat` over the mean score of the others, float64; positive is better."""
    total = 0
    for other in range(state.players):
        total += score(state, other)
    mine = score(state, seat)
    return merit(state, mine - float64(total - mine) / (state.players - 1))


@force_inline
def share_of_win(state: Any, seat: Any) -> Any:
    """Return the share of the win of `seat`: 1 / k for a win shared by k, float64."""
    better, shared = placing(state, seat)
    return 1.0 / shared if better == 0 else 0.0


@jit
def write_result(state: Any, worth: Any) -> None:
    """Write the final score, lead and share of the win of every seat of a finished game into `worth`, float64[P, 3]."""
    for seat in range(state.players):
        worth[seat, SCORE] = score(state, seat)
        worth[seat, LEAD] = lead_of(state, seat)
        worth[seat, WIN] = share_of_win(state, seat)


Analyse = Callable[[Any, Sequence[int], Any], Sequence[ActionAnalysis]]


def worth_field(seats: int) -> tuple[str, str, tuple[int, int]]:
    """Return the field `worth` of an agent's memory, float64[seats, 3]: the expected values of WORTHS."""
    return ("worth", "f8", (seats, len(WORTHS)))


def probabilities_field(actions: int) -> tuple[str, str, tuple[int]]:
    """Return the field `probabilities` of an agent's memory, float64[actions]: set for legal actions, by number."""
    return ("probabilities", "f8", (actions,))


def check_probabilities(name: str, memory: np.dtype[Any], actions: int) -> None:
    """Check that an agent's memory has the field that its function `probabilities` writes. Raises AgentFault."""
    if "probabilities" not in (memory.names or ()) or memory["probabilities"] != np.dtype((np.float64, (actions,))):
        words = f"an agent with probabilities has a field probabilities, float64[{actions}]"
        raise AgentFault(f"agent {name!r}: memory: {words}")


def check_worth(name: str, memory: np.dtype[Any]) -> None:
    """Check that an agent's memory has the field that its function `evaluation` writes. Raises AgentFault."""
    kind = memory["worth"] if "worth" in (memory.names or ()) else memory
    if kind.base != np.float64 or kind.shape[1:] != (len(WORTHS),):
        words = f"an agent that evaluates has a field worth, float64[P, {len(WORTHS)}]"
        raise AgentFault(f"agent {name!r}: memory: {words}")
