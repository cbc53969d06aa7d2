"""What a cell of a study came to: its identity, and its counts by chunk."""

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class CellCounts:
    """The counts of one cell: players x line-up x variant.

    Attributes:
        players: number of seats.
        variant: name of the variant.
        lineup: the line-up in words, as tables print it, agents by commas.
        positions: the agent of every position, spec strings.
        selfplay: whether the line-up is one agent, so that positions mean nothing.
        deals: deals played, all chunks together.
        components: the variant's component data, plain.
        outcome: OUTCOME records, array [C] (see selfplay.loop).
        tallies: the game's tallies, array [C] (see the game's tallies.py).
    """

    players: int
    variant: str
    lineup: str
    positions: tuple[str, ...]
    selfplay: bool
    deals: int
    components: dict[str, Any]
    outcome: Array
    tallies: Array

    @property
    def games(self) -> int:
        """Games played, all chunks together."""
        return int(self.outcome["games"].sum())
