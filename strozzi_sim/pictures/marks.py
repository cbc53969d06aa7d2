"""Marks: the rows of a picture's table as values on an axis, each with a sentence of its value, interval and n."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure as Canvas

from strozzi_sim.facts.pictures import Figure, Unit
from strozzi_sim.game.reporting import THIN, Picture, digits_for, factor_of, format_range, pick
from strozzi_sim.game.sentences import with_capital
from strozzi_sim.pictures.ink import STYLE, WIDE, Legend
from strozzi_sim.pictures.panel import MINUS, AxesPanel, Face, Scale, Sheet
from strozzi_sim.pictures.series import chosen_players
from strozzi_sim.pictures.svg import file_of, svg_of

PAPER = 14  # pixels around a picture in a file
Mark = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A picture that can be drawn at any width."""

    draw: Callable[[Sheet], None]  # draws its panels on a sheet
    faces: Sequence[Face]  # its panels, of which `on` draws one
    title: str  # meaning of its values
    legend: Legend = ()
    # the marks at which a reader can point: values, and a sentence, `tip`; keys that begin with _ are for drawing
    marks: Sequence[Mark] = ()
    n: tuple[int, int] = (0, 0)  # range of the numbers of events behind them
    width: float = WIDE  # pixels of the wide picture

    def figure(self, width: float, title: str = "", paper: float = 0.0) -> Canvas:
        """Return the picture as a figure; with `paper` pixels around it, it has its title and legend."""
        with rc_context(STYLE):
            subtitle = self.title if paper and self.title != title else ""
            sheet = Sheet(width, [title, subtitle] if title else [], self.legend if paper else (), paper)
            self.draw(sheet)
            return sheet.ended()

    def on(self, axes: Any, players: int | None) -> None:
        """Draw one panel on axes: that of a player count; default: 4, or the smallest."""
        face = self.faces[0]
        if face.players is not None:
            count = chosen_players([each.players for each in self.faces], players)
            face = next(each for each in self.faces if each.players == count)
        AxesPanel(axes, face, self.legend)

    def svg(self, width: float, label: str) -> str:
        """Return the picture for a page; `data-m` of a mark is its number in `marks`, which have its sentence."""
        return svg_of(self.figure(width), label, {mark["tip"]: k for k, mark in enumerate(self.marks)})

    def files(self, title: str, kinds: Sequence[str] = ("svg", "png")) -> dict[str, bytes]:
        """Return the picture with its title and legend as files by ending."""
        figure = self.figure(self.width, title, PAPER)
        order = sorted(kinds, reverse=True)  # PNG after SVG, since it changes the resolution
        return {kind: file_of(figure, kind, title) for kind in order}

    def data(self) -> dict[str, list[Any]]:
        """Return the marks as columns and rows; numbers have six digits."""
        columns = list(dict.fromkeys(key for mark in self.marks for key in mark if key[0] != "_" and key != "tip"))
        columns += ["tip"]
        return {"columns": columns, "rows": [[_plain(mark.get(key)) for key in columns] for mark in self.marks]}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    return None if np.isnan(value) else int(value) if float(value).is_integer() else float(f"{value:.6g}")


def sentence(parts: Sequence[str], row: Any, unit: Unit, *, points: bool = False) -> str:
    """Return the sentence of a mark: "4 players, seat 0: 30.5 % (29.9 to 31.1), n = 20,000"."""
    figures = format_range(row, unit)
    if points:
        figures = figures.replace(f"{THIN}%", " points")
    return f"{', '.join(filter(None, parts))}: {figures}, n = {row.n:,}".replace(THIN, " ").replace("\n", "")


def numbers_of(row: Any) -> tuple[str, ...]:
    """Return value, low, high and n of a row as text with six digits; "" for NaN."""
    return (*("" if np.isnan(side) else f"{side:.6g}" for side in (row.value, row.low, row.high)), f"{row.n:.0f}")


def rows_of(picture: Picture, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of its table that a picture shows, including rows without a value."""
    rows = pick(table, **picture.where)
    bars = list(picture.groups.values()) or [picture.figures]
    rows = rows[rows["figure"].isin([figure.name for bar in bars for figure in bar])]
    for column, levels in ((picture.x, picture.levels), (picture.series, picture.series_levels)):
        if levels:
            rows = rows[rows[column].isin(levels)]
    return rows


def on_scale(rows: pd.DataFrame, figure: Figure, picture: Picture) -> pd.DataFrame:
    """Return value, low and high as they are drawn: shares in per cent, with `equal` minus the equal share."""
    sides = rows[["value", "low", "high"]]
    return factor_of(figure.unit) * (sides.sub(1 / rows["players"], axis=0) if picture.equal else sides)


def scale_of(rows: pd.DataFrame, figure: Figure, picture: Picture) -> Scale:
    """Return the axis of a figure over these rows, with room for labels; from zero, unless a line has two sides."""
    values = on_scale(rows, figure, picture)
    low, high = float(values[["value", "low"]].min(axis=None)), float(values[["value", "high"]].max(axis=None))
    line = picture.equal or picture.zero
    positive = not line and low >= 0
    if line or positive:
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.1 * (high - low) or 1.0
    ends = 0.0 if positive else low - room, high + room
    return Scale(ends, signed=line, percent=not line and figure.unit == "share", line=0.0 if line else None)


def title_of(picture: Picture, figure: Figure) -> str:
    """Return the meaning of a picture's values."""
    label = with_capital(figure.label)
    several = len(picture.figures) > 1
    if picture.equal:
        return f"{'P' if several else f'{label}: p'}oints above or below an equal share"
    return "" if several else label + (", in points" if picture.zero and figure.unit == "share" else "")


def n_of(rows: pd.DataFrame) -> tuple[int, int]:
    """Return the range of the numbers of events behind rows."""
    return int(rows["n"].min()), int(rows["n"].max())


def label_of(value: float, half: float, unit: Unit, scale: Scale) -> str:
    """Return a value as text for its mark, with the digits that its interval allows."""
    digits = digits_for(value / factor_of(unit), half / factor_of(unit), unit, 1)
    value = round(value, digits)
    sign = "+" if scale.signed and value > 0 else ""
    return sign + f"{value:z,.{max(digits, 0)}f}".replace("-", MINUS)
