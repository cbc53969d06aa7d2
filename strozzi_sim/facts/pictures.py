"""Figures, heat maps and boards of a report, as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from strozzi_sim.facts.blocks import Block

Unit = Literal["share", "amount", "number", "count"]  # an amount is in units of the score
Shape = Literal["square", "frame", "disc"]


@dataclass(frozen=True)
class Figure:
    """A figure of a table in a report: its name in the table, its label and its unit."""

    name: str
    label: str
    unit: Unit


@dataclass(frozen=True)
class HeatMap:
    """A heat map: rows x columns of one table, one of its figures drawn."""

    kind: ClassVar = "heat"  # beside those of `game.reporting.Picture`

    title: str
    caption: str
    row_label: str
    column_label: str
    figure: Figure  # figure to draw
    # block of the table, with the keys `row` and `column`; None for a table that is not made of facts
    block: Block | None = None
    # what the colours show if the table has a column `shade`, the coloured quantity of each cell (NaN: no colour);
    # default: colours show the figure. A column `marked` then frames cells.
    shade_label: str = ""
    table: str = ""  # name of its table; of a heat map of facts heat_<name>

    @property
    def name(self) -> str:
        """The name of its picture."""
        return self.table.replace("_", "-")

    @property
    def equal(self) -> bool:
        """Whether a cell is a share to compare with the equal share."""
        return self.figure.name == "win_share"


@dataclass(frozen=True)
class Place:
    """The place of a level of a table's key on a board."""

    # x, y: centre, in cells from the upper left corner of the board, y downwards
    x: float
    y: float
    shape: Shape = "square"  # a square that fills a cell, a framed square, or a disc on top of squares
    note: str = ""  # text printed on it


@dataclass(frozen=True)
class Board:
    """The board on which figures are drawn: places on a grid, from the component data."""

    # columns, rows: size in cells
    columns: int
    rows: int
    places: Mapping[str, Place] = field(default_factory=dict)  # level -> its place
    key: Mapping[Shape, str] = field(default_factory=dict)  # shape -> meaning of places of that shape
    # column_names, row_names: labels along the edges, by which a place can be found by its name
    column_names: Sequence[str] = ()
    row_names: Sequence[str] = ()
