"""A picture to be drawn, its marks with their sentences, and the axes and texts of their values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure as Canvas

from strozzi_sim.declare.figure_tables import pick
from strozzi_sim.declare.pictures import Picture
from strozzi_sim.declare.printing import THIN, digits_for, format_estimate
from strozzi_sim.errors import ArgumentError
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.pictures.ink import NARROW, WIDE, Legend, style
from strozzi_sim.pictures.panel import MINUS, AxesPanel, Face, Scale, Sheet
from strozzi_sim.pictures.series import chosen_players
from strozzi_sim.pictures.svg import file_of, svg_of

_PAPER = 14  # pixels around a picture in a file
Mark = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A picture that can be drawn at any width."""

    draw: Callable[[Sheet], None]  # draws its panels on a sheet
    faces: Sequence[Face]  # its panels, of which `on` draws one
    meaning: str  # of its values
    legend: Legend = ()
    # what a reader can point at: values by name, and a sentence under `tip`; keys that begin with _ are for drawing
    marks: Sequence[Mark] = ()
    n: tuple[int, int] = (0, 0)  # smallest and largest number of events behind a row
    width: float = WIDE  # pixels on a wide page, and in a file before it is cropped
    name: str = ""  # name of its files, without ending
    title: str = ""

    @property
    def label(self) -> str:
        """The description for readers of a page who cannot see the picture."""
        return f"{self.title}. {len(self.marks)} values; its data as CSV has them."

    @property
    def widths(self) -> dict[str, float]:
        """The widths in pixels by CSS class: wide, narrow, and paper if the wide picture is too wide for paper."""
        paper = {"paper": WIDE} if self.width > WIDE else {}
        return {"wide": self.width, "narrow": NARROW, **paper}

    @property
    def figure(self) -> Canvas:
        """The picture with its title and legend, as a figure of matplotlib; every access draws it again."""
        return self._sheet(self.width, alone=True).figure

    def _sheet(self, width: float, *, alone: bool) -> Sheet:
        """Return the picture on a sheet, `alone` with its titles, legend and margin, which a page sets itself."""
        titles = dict.fromkeys([self.title, self.meaning]) if self.title else ()
        with rc_context(style()):
            sheet = Sheet(width, [*titles], self.legend, _PAPER) if alone else Sheet(width)
            self.draw(sheet)
            sheet.end()
        return sheet

    def on(self, axes: Any, players: int | None) -> None:
        """Draw the panel of `players` on axes (default: 4, or the smallest); the first one if each shows several."""
        face = self.faces[0]
        if face.players is None and players is not None:
            raise ArgumentError("players", "the panels of this picture are not of one player count each")
        if face.players is not None:
            count = chosen_players([each.players for each in self.faces], players)
            face = next(each for each in self.faces if each.players == count)
        AxesPanel(axes, face, self.legend)

    def svg(self, width: float, label: str) -> str:
        """Return the picture for a page; `data-m` of a mark is the index of its sentence in `marks`."""
        return svg_of(self._sheet(width, alone=False), label, {mark["tip"]: k for k, mark in enumerate(self.marks)})

    def files(self, kinds: Sequence[str] = ("svg", "png")) -> dict[str, bytes]:
        """Return the picture with its title and legend as ending -> content of a file."""
        sheet = self._sheet(self.width, alone=True)
        order = sorted(kinds, reverse=True)  # PNG after SVG, since it changes the resolution
        return {kind: file_of(sheet, kind, self.title) for kind in order}

    def data(self) -> dict[str, list[Any]]:
        """Return the marks as columns and rows; numbers that are not whole have six digits."""
        columns = list(dict.fromkeys(key for mark in self.marks for key in mark if key[0] != "_" and key != "tip"))
        columns += ["tip"]
        return {"columns": columns, "rows": [[_plain(mark.get(key)) for key in columns] for mark in self.marks]}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    return None if not np.isfinite(value) else int(value) if float(value).is_integer() else float(f"{value:.6g}")


def sentence(parts: Sequence[str], row: Any, figure: Figure) -> str:
    """Return a mark's sentence: "4 players, seat 0: 30.5 % (29.9 to 31.1), n = 20,000"."""
    numbers = format_estimate(row, figure, as_ends=True)
    return f"{', '.join(filter(None, parts))}: {numbers}, n = {row.n:,}".replace(THIN, " ").replace("\n", "")


def numbers_of(row: Any, factor: int = 1) -> tuple[str, ...]:
    """Return value, low and high, times `factor` (six digits, "" without a limit or value), and n of a row as text."""
    sides = (row.value, row.low, row.high)
    return (*("" if not np.isfinite(side) else f"{factor * side:.6g}" for side in sides), f"{row.n:.0f}")


def rows_of(picture: Picture, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table with a picture's figures, levels and `where`, including rows without a value."""
    rows = pick(table, **picture.where)
    bars = list(picture.groups.values()) or [picture.figures]
    rows = rows[rows["figure"].isin([figure.name for bar in bars for figure in bar])]
    for column, levels in ((picture.x, picture.levels), (picture.series, picture.series_levels)):
        if levels:
            rows = rows[rows[column].isin(levels)]
    return rows


def on_scale(rows: pd.DataFrame, figure: Figure, picture: Picture) -> pd.DataFrame:
    """Return value, low and high as they are drawn: shares in per cent, and with `equal` less an equal share."""
    sides = rows[["value", "low", "high"]]
    return figure.measure.factor * (sides.sub(1 / rows["players"], axis=0) if picture.equal else sides)


def scale_of(rows: pd.DataFrame, figure: Figure, picture: Picture) -> Scale:
    """Return the axis of a figure, with room for labels; without a line it begins at zero if nothing is below zero."""
    values = on_scale(rows, figure, picture).replace([np.inf, -np.inf], np.nan)  # without a limit: to the axis' end
    low, high = float(values[["value", "low"]].min(axis=None)), float(values[["value", "high"]].max(axis=None))
    has_line = picture.equal or picture.zero
    begins_at_zero = not has_line and low >= 0
    if has_line or begins_at_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.1 * (high - low) or 1.0
    ends = 0.0 if begins_at_zero else low - room, high + room
    percent = not has_line and figure.is_share
    return Scale(ends, signed=has_line, percent=percent, line=0.0 if has_line else None)


def meaning_of(picture: Picture, figure: Figure) -> str:
    """Return the meaning of a picture's values; "" if several figures are not compared with an equal share."""
    label = with_capital(figure.label)
    several = len(picture.figures) > 1
    if picture.equal:
        return f"{'P' if several else f'{label}: p'}oints above or below an equal share"
    return "" if several else label + (", in points" if figure.unit == "points" else "")


def n_of(rows: pd.DataFrame) -> tuple[int, int]:
    """Return the smallest and the largest number of events behind a row."""
    return int(rows["n"].min()), int(rows["n"].max())


def label_of(value: float, half: float, figure: Figure, scale: Scale) -> str:
    """Return a value, in the units drawn, as text for its mark, with the digits that the half-width `half` allows."""
    factor = figure.measure.factor
    digits = digits_for(value / factor, half / factor, figure, 1)
    value = round(value, digits)
    sign = "+" if scale.signed and value > 0 else ""
    return sign + f"{value:z,.{max(digits, 0)}f}".replace("-", MINUS)
