"""The cells of a study, the figures of them that a precision is about, and rules that stop play."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from strozzi_sim.simulation.match import Match
from strozzi_sim.study.counts import CellCounts, Counts


@dataclass(frozen=True)
class Cell:
    """Players x line-up x variant, played on the first `deals` deals.

    Attributes:
        number: place of the cell in its study, from 0.
        match: what is played.
        deals: number of deals.
        without: the restriction of position 0 in a cell that measures worth, else "".
    """

    number: int
    match: Match
    deals: int
    without: str = ""

    @property
    def selfplay(self) -> bool:
        """Whether one agent plays itself, so that positions mean nothing."""
        return len(self.match.lineup) == 1

    @property
    def lineup(self) -> str:
        """The line-up as tables print it."""
        return ",".join(spec.text for spec in self.match.lineup)


class Headline(NamedTuple):
    """A figure that a precision is about: the wins of a seat or position of a cell, less those in the cell `than` if there is one."""

    cell: Cell
    by: str
    level: int
    than: Cell | None = None


class Rule(Protocol):
    """A rule that stops play before all deals are played."""

    def is_met(self, chunks: int) -> bool:
        """Return whether so many chunks are enough; asked once for each number of chunks, in order."""

    def table(self, chunks: int) -> Any:
        """Return the table `precision` after so many chunks, or None."""


CountsOf = Callable[[Cell], CellCounts]
CountsOfChunks = Callable[[Cell, range], Counts]  # of some chunks, once they are played
