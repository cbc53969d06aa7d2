"""How pictures look: colours that the colour-blind tell apart, marks that grey print tells apart, quiet axes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from strozzi_sim.facts.pictures import Unit

WIDTH = 7.6  # inches, the column of the page
INK, GREY, PAPER, GROUND = "#222222", "#6b6b6b", "#ffffff", "#e3e3e3"
# Okabe and Ito (2008), yellow left out: too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
SERIES = len(COLOURS)
EQUAL: Any = {"color": GREY, "linewidth": 0.9, "linestyle": (0, (3, 2)), "zorder": 1}  # where nobody is better
# One hue whose lightness falls evenly: dark is more, in grey print too, whatever colours the eye can tell apart.
SEQUENTIAL = LinearSegmentedColormap.from_list("strozzi", ["#f1f5f9", "#a9c8e4", "#5793c4", "#1f5f9c", "#0b2f5b"])
# Orange below zero, the same blue above: hues that the colour-blind tell apart. Grey print shows how far from zero.
DIVERGING = LinearSegmentedColormap.from_list(
    "strozzi-diverging",
    ["#5f2a02", "#a8550c", "#dd9748", "#f4d3a8", "#f4f4f4", "#a9c8e4", "#5793c4", "#1f5f9c", "#0b2f5b"],
)

STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica", "sans-serif"],
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 6.0,
    "axes.labelsize": 8.0,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": GREY,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.size": 2.5,
    "ytick.major.size": 0.0,
    "xtick.major.width": 0.6,
    "text.color": INK,
    "text.parse_math": False,  # a dollar in somebody's name begins no formula
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.0,
    "figure.facecolor": PAPER,
    "savefig.dpi": 160,
    "svg.fonttype": "none",  # text stays text: it can be searched, and prints in the page's own type
    "svg.hashsalt": "strozzi-sim",  # the same picture has the same bytes
    "path.simplify": True,
}


def new_figure(height: float) -> Figure:
    """An empty figure of the page's width; no global state."""
    figure = Figure(figsize=(WIDTH, height))
    FigureCanvasAgg(figure)
    return figure


def ends(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the lowest and the highest number that the rows' points and whiskers need; (0, 1) without any."""
    low, high = rows["low"].fillna(rows["value"]).min(), rows["high"].fillna(rows["value"]).max()
    if np.isnan(low) or np.isnan(high):
        return 0.0, 1.0
    return float(low), float(high) if high > 0 or low < 0 else 1e-9


def around_zero(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the limits of an axis that shows zero and every point and whisker, with some room."""
    low, high = ends(rows)
    low, high = min(low, 0.0), max(high, 0.0)
    room = 0.06 * (high - low) or 1e-9
    return low - room, high + room


def margins(
    figure: Figure, *, left: float, right: float, top: float, bottom: float, between: float = 0.3, rows: float = 0.6
) -> None:
    """Set the margins, and the room between panels and between rows of panels, in inches."""
    width, height = figure.get_size_inches()
    axes = figure.axes
    shape = axes[0].get_subplotspec()
    assert shape is not None
    grid = shape.get_gridspec()
    panel = (width - left - right - between * (grid.ncols - 1)) / grid.ncols
    tall = (height - top - bottom - rows * (grid.nrows - 1)) / grid.nrows
    figure.subplots_adjust(
        left=left / width, right=1 - right / width, top=1 - top / height, bottom=bottom / height,
        wspace=between / panel, hspace=rows / tall,
    )  # fmt: skip


def panel_title(axes: Axes, title: str, note: str = "") -> None:
    """A panel's title at its left, and a grey note, mostly n, at its right."""
    axes.set_title(title)
    if note:
        axes.set_title(note, loc="right", fontsize=7, fontweight="normal", color=GREY)


def scale_words(axes: Axes, unit: Unit, axis: str = "y") -> None:
    """Ticks of shares as per cent, everything else as it is."""
    which = axes.yaxis if axis == "y" else axes.xaxis
    if unit == "share":
        which.set_major_formatter(lambda value, _: f"{100 * value:.4g} %")
    else:
        which.set_major_formatter(lambda value, _: f"{value:,.4g}".replace("-", "\N{MINUS SIGN}"))


def legend_lines(names: Sequence[str]) -> int:
    """How many lines a legend with these names needs."""
    across = _legend_columns(names)
    return -(-len(names) // across)


def _legend_columns(names: Sequence[str]) -> int:
    """Columns are as wide as their names; all names in one line, or lines as even as can be."""
    widths = [0.07 * len(name) + 0.55 for name in names]
    if sum(widths) <= WIDTH - 0.5:
        return len(names)
    most = max(1, int((WIDTH - 0.5) // max(widths)))
    return -(-len(names) // -(-len(names) // most))


def legend(figure: Figure, handles: Sequence[Any], names: Sequence[str], left: float) -> None:
    """Keys at the top left, above the panels."""
    width, height = figure.get_size_inches()
    figure.legend(
        handles, names, loc="upper left", bbox_to_anchor=(left / width, 1 - 0.08 / height),
        ncols=_legend_columns(names), handlelength=1.4, columnspacing=1.6, handletextpad=0.5, borderaxespad=0,
        borderpad=0, labelspacing=0.45,
    )  # fmt: skip


def compact(number: float) -> str:
    """86, 4.1k, 474k, 1.4M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            scaled = number / size
            return f"{scaled:.1f}{letter}" if scaled < 9.95 else f"{scaled:.0f}{letter}"
    return f"{number:.0f}"


def compact_range(numbers: Sequence[int]) -> str:
    """The numbers of events in words: n = 40k, or n = 12k to 40k."""
    low, high = compact(min(numbers)), compact(max(numbers))
    return f"n = {low}" if low == high else f"n = {low} to {high}"
