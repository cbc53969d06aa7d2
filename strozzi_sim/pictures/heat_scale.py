"""Colours of a heat map: one scale for all its panels, diverging around zero if figures are negative."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Colormap, Normalize, to_rgba

from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.pictures.heat_panels import Array, cell_digits, shade
from strozzi_sim.pictures.style import DIVERGING, GREY, SEQUENTIAL

_MIN = 0.5  # minimum span of a scale of amounts or numbers, so that values that print the same have similar colours
_STEPS = 11  # odd, so that a diverging scale has a step at zero
_LEAST_SHADE = 1e-9
_NO_SHADE = "#f4f4f4"  # the middle of the diverging scale
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Scale:
    """Mapping of values to colours.

    Attributes:
        figure: figure shown.
        equal: whether colours show multiples of 1 / players.
        norm, colours: normalization and colour map.
        digits: number of decimals in the cells.
        shade_label: what the colours show; default: the figure.
    """

    figure: Figure
    equal: bool
    norm: Normalize
    colours: Colormap
    digits: int
    shade_label: str = ""

    @property
    def diverging(self) -> bool:
        """Whether negative and positive values have different hues."""
        return self.colours is DIVERGING

    def inks(self, shades: Array) -> Array:
        """Return the colours, float64[K, 4], of shades, float64[K]; grey for NaN."""
        inks = np.asarray(self.colours(self.norm(np.nan_to_num(shades))))
        inks[np.isnan(shades)] = to_rgba(_NO_SHADE)
        return inks

    def text(self, value: float) -> str:
        """Format a value for a cell."""
        number = 100 * value if self.figure.unit == "share" else value
        return f"{number:z.{self.digits}f}".replace("-", _MINUS)

    def draw(self, axes: Axes, left: float, middle: float) -> None:
        """Draw a thin colour scale with its ends and label; positions in inches."""
        share = self.figure.unit == "share"
        low, high = float(self.norm.vmin or 0.0), float(self.norm.vmax or 1.0)
        steps = np.linspace(low, high, _STEPS)
        start, step, half = left + 0.4, 0.11, 0.045
        boxes = [
            [(start + k * step, middle + dy) for k, dy in ((k, -half), (k + 1, -half), (k + 1, half), (k, half))]
            for k in range(len(steps))
        ]
        axes.add_collection(
            PolyCollection(boxes, facecolors=self.inks(steps), linewidths=0, antialiaseds=False), autolim=False
        )
        decimals = 1 if self.figure.unit == "share" and high < 0.02 else 0
        points = "" if self.shade_label else " %"
        ends = [
            f"{end:z.1f}" if self.equal else f"{100 * end:z.{decimals}f}{points}" if share else f"{end:z,.1f}"
            for end in (low, high)
        ]
        ends = [end.replace("-", _MINUS) for end in ends]
        axes.text(start - 0.05, middle, ends[0], ha="right", va="center", fontsize=7, color=GREY)
        multiple = "times a fair share; in the cells: " if self.equal else ""
        if self.shade_label:
            multiple = f"{'points ' if share else ''}{self.shade_label}; in the cells: "
        label = f"{ends[1]} · {multiple}{self.figure.label}{', %' if share else ''}"
        axes.text(start + step * len(steps) + 0.05, middle, label, ha="left", va="center", fontsize=7, color=GREY)


def scale_of(heat_map: HeatMap, known: pd.DataFrame) -> Scale:
    """Return the scale of all panels of a heat map, given the rows with a value."""
    largest = float(known["value"].abs().max())
    digits = max(cell_digits(float(((known["high"] - known["low"]) / 2).median()), largest, heat_map.figure.unit), 0)
    if heat_map.shade_label:
        end = max(float(np.abs(np.nan_to_num(known["shade"])).max()), _LEAST_SHADE)
        scale = scale_between(heat_map.figure, (-end, end), digits, equal=False)
        return replace(scale, shade_label=heat_map.shade_label)
    shades = shade(heat_map, known["value"].to_numpy(), known["players"].to_numpy())
    return scale_between(heat_map.figure, (float(shades.min()), float(shades.max())), digits, equal=heat_map.equal)


def scale_between(figure: Figure, shades: tuple[float, float], digits: int, *, equal: bool) -> Scale:
    """Return a scale from 0, unless the figures are far from it; near-equal shares get a middle tone, not a false contrast.

    If figures are negative, the colours diverge around zero, with symmetric limits.

    Args:
        figure: figure shown.
        shades: minimum and maximum of the coloured quantity.
        digits: number of decimals in the cells.
        equal: whether colours show multiples of 1 / players.
    """
    low, high = shades
    unit = figure.unit
    colours: Colormap = SEQUENTIAL
    if low < 0:
        end = max(-low, high, 0.01 if unit == "share" else _MIN)
        norm, colours = Normalize(-end, end), DIVERGING
    elif unit == "share":
        top = high if low < 0.6 * high else 1.8 * high
        norm = Normalize(0.0, max(top if equal else min(top, 1.0), 1e-9))
    else:
        start = 0.0 if low < 0.35 * high else low
        norm = Normalize(start, max(high, start + _MIN))
    return Scale(figure, equal, norm, colours, digits)
