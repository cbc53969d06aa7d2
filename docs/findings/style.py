"""Style of the pictures of the findings: colours for the colour-blind, marks for grey print, quiet axes."""

from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

WIDTH = 7.6  # inches: width of the page's column
INK, GREY, PAPER, GROUND = "#222222", "#6b6b6b", "#ffffff", "#e3e3e3"
# Okabe and Ito (2008), without yellow, which is too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
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
