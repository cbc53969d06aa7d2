"""Figures and heat maps as a report shows them, as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from strozzi_sim.facts.blocks import Block

Unit = Literal["share", "amount", "number", "count"]  # an amount is of what scores are counted in
Shape = Literal["square", "frame", "disc"]


@dataclass(frozen=True)
class Figure:
    """A figure of a table as a report shows it: its name there, what it is called, its unit."""

    name: str
    label: str
    unit: Unit


@dataclass(frozen=True)
class HeatMap:
    """A heat map: rows x columns, one table heat_<name>, one of its figures drawn.

    Attributes:
        title, caption: in words; the caption says what a cell is.
        row_label, column_label: what rows and columns are.
        figure: the figure drawn.
        block: the table, its keys are `row` and `column`; None of a table that is not of facts.
    """

    title: str
    caption: str
    row_label: str
    column_label: str
    figure: Figure
    block: Block | None = None

    @property
    def equal(self) -> bool:
        """Whether a cell is a share to be compared with an equal chance."""
        return self.figure.name == "win_share"


@dataclass(frozen=True)
class Place:
    """Where a level of a table's key lies on a board.

    Attributes:
        x, y: of its middle, in cells from the upper left corner of the board, y downwards.
        shape: a square that fills a cell, a framed one, or a disc that lies on squares.
        region: of a square; lines part those of different regions.
        note: what is printed on it.
    """

    x: float
    y: float
    shape: Shape = "square"
    region: str = ""
    note: str = ""


@dataclass(frozen=True)
class Board:
    """Where figures are drawn: places on a grid, as component data have them.

    Attributes:
        columns, rows: its size in cells.
        places: level -> where it lies.
        key: shape -> what places of that shape are.
        column_names, row_names: what stands along its edges, so that a place can be found by its name.
    """

    columns: int
    rows: int
    places: Mapping[str, Place] = field(default_factory=dict)
    key: Mapping[Shape, str] = field(default_factory=dict)
    column_names: Sequence[str] = ()
    row_names: Sequence[str] = ()
