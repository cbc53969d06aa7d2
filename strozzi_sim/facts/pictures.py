"""Figures, heat maps and boards of a report, as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from strozzi_sim.facts.blocks import Block

Unit = Literal["share", "amount", "number", "count"]  # see `game.reporting.format_value`
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

    kind: ClassVar = "heat"  # in addition to the kinds of `game.reporting.Picture`

    title: str
    caption: str
    row_label: str
    column_label: str
    figure: Figure  # figure to draw
    # block of the table, with the keys `row` and `column`; None for a table that is not made of facts
    block: Block | None = None
    # meaning of the table's column `shade`, which colours the cells (NaN: no colour); its column `marked` then frames
    # cells. Default: the figure colours the cells
    shade_label: str = ""
    table: str = ""  # name of its table; heat_<name> for a heat map of facts

    @property
    def name(self) -> str:
        """The name of the heat map's picture."""
        return self.table.replace("_", "-")

    @property
    def equal(self) -> bool:
        """Whether cells are compared with an equal share of the wins."""
        return self.figure.name == "win_share"


@dataclass(frozen=True)
class Place:
    """A place on a board, which shows a level of a table's key."""

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
    # column_names, row_names: labels along the edges, by which a place can be found
    column_names: Sequence[str] = ()
    row_names: Sequence[str] = ()
