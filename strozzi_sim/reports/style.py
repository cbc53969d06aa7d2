"""Style of pictures: colours for the colour-blind, marks for grey print, quiet axes."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from strozzi_sim.facts.pictures import Unit

WIDTH = 7.6  # inches: width of the page's column
INK, GREY, PAPER, GROUND = "#222222", "#6b6b6b", "#ffffff", "#e3e3e3"
# Okabe and Ito (2008), without yellow, which is too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
SERIES = len(COLOURS)
EQUAL: Any = {"color": GREY, "linewidth": 0.9, "linestyle": (0, (3, 2)), "zorder": 1}  # line of a fair share
# One hue with uniformly falling lightness: darker is more, also in grey print and for the colour-blind.
SEQUENTIAL = LinearSegmentedColormap.from_list("strozzi", ["#f1f5f9", "#a9c8e4", "#5793c4", "#1f5f9c", "#0b2f5b"])
# Orange below zero, blue above: distinct for the colour-blind. Grey print shows the distance from zero.
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
    "text.parse_math": False,  # a dollar sign in a name must not start a formula
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.0,
    "figure.facecolor": PAPER,
    "savefig.dpi": 160,
    "svg.fonttype": "none",  # text stays text: searchable, and in the page's font
    "svg.hashsalt": "strozzi-sim",  # a picture is reproducible to the byte
    "path.simplify": True,
}


def new_figure(height: float) -> Figure:
    """Return an empty figure of the page's width, without global state."""
    figure = Figure(figsize=(WIDTH, height))
    FigureCanvasAgg(figure)
    return figure


def margins(
    figure: Figure, *, left: float, right: float, top: float, bottom: float, between: float = 0.3, rows: float = 0.6
) -> None:
    """Set the margins and the space between panels and between rows of panels, in inches."""
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


def panels(
    count: int, *, most: int, height: float, keys: Sequence[str], share: bool, foot: float = 0.0, left: float = 0.5
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its `count` panels, at most `most` per row."""
    columns = min(count, most)
    lines = -(-count // columns)
    top, bottom = 0.3 + (0.14 + 0.17 * legend_lines(keys) if keys else 0), 0.48 + foot
    drawing = new_figure(lines * height + top + bottom - 0.3 + (lines - 1) * 0.2)
    grid = drawing.subplots(lines, columns, squeeze=False, sharey=share)
    all_axes = list(grid.flat)
    for axes in all_axes[count:]:
        axes.remove()
    between = 0.22 if share else 0.5
    margins(drawing, left=left, right=0.1, top=top, bottom=bottom, between=between, rows=0.65 + foot)
    return drawing, all_axes[:count]


def panel_title(axes: Axes, title: str, note: str = "") -> None:
    """Write a panel's title at the left and a grey note, usually n, at the right."""
    axes.set_title(title)
    if note:
        axes.set_title(note, loc="right", fontsize=7, fontweight="normal", color=GREY)


def format_ticks(axes: Axes, unit: Unit, axis: str = "y") -> None:
    """Format the ticks of an axis: shares as per cent, other units as numbers."""
    which = axes.yaxis if axis == "y" else axes.xaxis
    if unit == "share":
        which.set_major_formatter(lambda value, _: f"{100 * value:.4g} %")
    else:
        which.set_major_formatter(lambda value, _: f"{value:,.4g}".replace("-", "\N{MINUS SIGN}"))


def legend_lines(names: Sequence[str]) -> int:
    """Return the number of lines of a legend with these names."""
    across = _legend_columns(names)
    return -(-len(names) // across)


def _legend_columns(names: Sequence[str]) -> int:
    """Return the number of columns of a legend: all names in one line, or lines of about equal length."""
    widths = [0.07 * len(name) + 0.55 for name in names]
    if sum(widths) <= WIDTH - 0.5:
        return len(names)
    most = max(1, int((WIDTH - 0.5) // max(widths)))
    return -(-len(names) // -(-len(names) // most))


def legend(figure: Figure, handles: Sequence[Any], names: Sequence[str], left: float) -> None:
    """Draw a legend at the top left, above the panels."""
    width, height = figure.get_size_inches()
    figure.legend(
        handles, names, loc="upper left", bbox_to_anchor=(left / width, 1 - 0.08 / height),
        ncols=_legend_columns(names), handlelength=1.4, columnspacing=1.6, handletextpad=0.5, borderaxespad=0,
        borderpad=0, labelspacing=0.45,
    )  # fmt: skip


def compact(number: float) -> str:
    """Format a number briefly: 86, 4.1k, 474k, 1.4M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            scaled = number / size
            return f"{scaled:.1f}{letter}" if scaled < 9.95 else f"{scaled:.0f}{letter}"
    return f"{number:.0f}"


def compact_range(numbers: Sequence[int]) -> str:
    """Format the range of event counts: n = 40k, or n = 12k to 40k."""
    low, high = compact(min(numbers)), compact(max(numbers))
    return f"n = {low}" if low == high else f"n = {low} to {high}"
