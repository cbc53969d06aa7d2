"""What an agent thinks of its actions, in the one form in which `strozzi replay --explain` shows it.

A compiled agent may declare a function `analyse(memory, legal, node)` that reads the agent's own memory right after a
decision. It returns one `ActionAnalysis` for each action considered, in any order; actions left out were not
considered. The first line of its docstring says what a value means.

- memory : the agent's memory record, as the decision left it
- legal : the legal actions of the decision, in ascending order
- node : None for the decision itself, or the `node` of an `ActionAnalysis`, to ask what followed that action
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ActionAnalysis:
    """What an agent thinks of one action.

    Attributes:
        action: the action.
        visits: how often the agent tried it; more visits make the value more certain.
        value: what it expects for the seat that takes it, on the agent's own scale; None if it cannot say.
        seat: who takes it; None = the seat that decides.
        node: where to ask what followed, any object but None; None = nothing more is known.
    """

    action: int
    visits: int
    value: float | None = None
    seat: int | None = None
    node: Any = None


Analyse = Callable[[Any, Sequence[int], Any], Sequence[ActionAnalysis]]
