"""An agent's analysis of its actions, as shown by `strozzi replay --explain`.

A compiled agent may declare a function `analyse(memory, legal, node)` that reads the agent's memory right after a
decision. It returns one `ActionAnalysis` for each action considered, in any order; actions left out were not
considered. The first line of its docstring defines the value.

- memory : the agent's memory record after the decision
- legal : the legal actions of the decision, in ascending order
- node : None for the decision itself, or the `node` of an `ActionAnalysis` for the analysis after that action
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ActionAnalysis:
    """An agent's analysis of one action."""

    action: int
    visits: int  # number of times the agent tried it; more visits make the value more certain
    value: float | None = None  # expected value for the acting seat, on the agent's own scale; None if unknown
    seat: int | None = None  # seat that takes the action; default: the seat that decides
    node: Any = None  # any object that identifies the position after the action; None if it was not analysed


Analyse = Callable[[Any, Sequence[int], Any], Sequence[ActionAnalysis]]
