"""Pictures, heat maps and boards of a report, as data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import pandas as pd

from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.facts.blocks import Block
from strozzi_sim.facts.figures import Figure

Kind = Literal["intervals", "lines", "dots", "bars", "spread", "scatter", "board", "table"]
SCENARIO = "scenario"  # a variant with a line-up
Shape = Literal["square", "frame", "disc"]


@dataclass(frozen=True)
class HeatMap:
    """A heat map: rows x columns of one table, one of its figures drawn."""

    kind: ClassVar = "heat"  # in addition to the kinds of `Picture`

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
        return self.figure.equal

    def column_of(self, key: str) -> str:
        """Return the column of the fact table behind `row` or `column`; "" for a table that is not made of facts."""
        return self.block.axes[key] if self.block else ""


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


@dataclass(frozen=True)
class Picture:
    """The content of a picture or table of a report; the report decides how it looks."""

    name: str  # file name without ending
    page: str  # name of its page
    # intervals (dots with whiskers by a few levels), lines (by a number), dots (many levels, one row each), bars
    # (stacked sums), spread (quantiles), scatter (a figure over another), board (a figure on a map), table
    kind: Kind
    table: str  # name of the table with its figures
    # dots: a panel each. intervals: a panel each if x is "players" and the series is not "figure", else one panel.
    # lines: one panel. table: a column each, or a row if x is "figure". scatter: along x, and along y. bars: the parts
    # of a bar. spread: five quantiles and a mark. board: one figure
    figures: tuple[Figure, ...]
    title: str
    caption: str = ""
    where: Mapping[str, str] = field(default_factory=dict)  # the rows shown, column -> value
    x: str = ""  # column of the axis, or of the rows ("players" compares player counts in one panel)
    series: str = ""  # column distinguished by colour; SCENARIO puts variants and line-ups into one picture
    levels: tuple[str, ...] = ()  # values of `x` in order; default: all in the table
    series_levels: tuple[str, ...] = ()  # values of `series` in order; default: all in the table
    # for `bars` only: name of a bar -> its parts, instead of `x` and `figures`
    groups: Mapping[str, tuple[Figure, ...]] = field(default_factory=dict)
    x_label: str = ""
    equal: bool = False  # show distances from an equal chance, 1 / players: a line there, on a board colours
    # for `board` only: function of a variant's component data that returns the positions of the levels of `x`
    board: Callable[[Mapping[str, Any]], Board] | None = None
    zero: bool = False  # for differences: draw a line at zero, and shares in points
    sort: str = ""  # figure by which the levels of `x` are sorted, largest first; default: the order of the table
    most: int = 0  # number of sorted levels shown; default: all

    def __post_init__(self) -> None:
        """Check that figures in one panel differ by colour, and that all or none are in per cent. Raises InputError."""
        by_panel = self.kind == "intervals" and self.x == "players" and self.series != "figure"
        if self.kind not in ("intervals", "lines") or len(self.figures) < 2 or by_panel:
            return
        if self.series != "figure" or len({figure.measure.factor for figure in self.figures}) > 1:
            needs = f"several figures in one panel of {self.kind} need one unit and series='figure'"
            raise InputError(f"picture {self.name!r}: {needs}; use dots for a panel per figure")


def unknown_figures(picture: Picture, table: pd.DataFrame) -> list[str]:
    """Return a message for each figure of a picture that its table lacks; [] for an empty table."""
    if table.empty:
        return []
    known = sorted(table["figure"].unique())
    bars = list(picture.groups.values()) or [picture.figures]
    names = dict.fromkeys([*(figure.name for bar in bars for figure in bar), *filter(None, [picture.sort])])
    return [f"unknown figure {short_repr(name)}; {suggest_names(name, known)}" for name in names if name not in known]
