"""Panels: rectangles of a figure, or the caller's axes, on which marks are drawn in the units of their values.

Figures of this package have no matplotlib axes, whose ticks and spines take ten times as long to draw as the marks: a
panel maps values to pixels, and draws its frame itself. A pixel is 1/72 inch, whatever the resolution. A sheet keeps
the sentence of every mark, which a page shows when pointed at.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Affine2D, IdentityTransform, ScaledTranslation, Transform

from strozzi_sim.pictures.ink import FILE_FONT, LIGHT, PATHS, SHAPES, SIZE, Legend, shortened, width_of, wrapped

MINUS = "\N{MINUS SIGN}"
GAP = 18  # pixels between panels
TOP = 30  # pixels of a panel's title
LINE_HEIGHT = 14  # pixels from one line of a text to the next
TALL = 430  # pixels; a taller panel has the numbers of x at both ends
ALIKE = 3.0  # panels of one unit share a scale that is at most this many times as long as the scale of each
_APART = 10  # least pixels between the numbers of x
_SIGNS = dict(zip(SHAPES, "oDs^Ps", strict=True))  # shapes as matplotlib calls them
_ROOM = 44  # pixels for words to the right of a panel in a file
Point = tuple[float, float]


class Words(Text):
    """Text that `PageRenderer` writes without measuring it, as the browser does that."""

    def draw(self, renderer: Any) -> None:
        """Draw the text."""
        if hasattr(renderer, "write"):
            renderer.write(self)
        else:
            super().draw(renderer)


@dataclass(frozen=True)
class Scale:
    """An axis of values: its ends, whether labels have signs or per cent signs, where a broken line is drawn."""

    ends: Point
    signed: bool = False
    percent: bool = False
    line: float | None = None

    def ticks(self, most_steps: int = 6) -> list[float]:
        """Return round values within the ends, in at most `most_steps` equal steps."""
        low, high = self.ends
        tolerance = 1e-9 * (high - low)
        values = MaxNLocator(most_steps, steps=[1, 2, 5, 10]).tick_values(low, high)
        return [float(value) for value in values if low - tolerance <= value <= high + tolerance]

    def texts(self, ticks: Sequence[float]) -> list[str]:
        """Return the labels of ticks."""
        step = min(np.diff(ticks), default=1.0)
        digits = max(0, int(np.ceil(-np.log10(step) - 1e-9)))
        texts = [f"{tick:z,.{digits}f}".replace("-", MINUS) + (" %" if self.percent else "") for tick in ticks]
        return [f"+{text}" if self.signed and tick > 0 else text for tick, text in zip(ticks, texts, strict=True)]

    def room(self) -> float:
        """Return the pixels that the labels beside a vertical axis need."""
        return max(map(width_of, self.texts(self.ticks())), default=0.0) + 10

    def with_room(self, pixels: float) -> "Scale":
        """Return the axis with wider ends: room for a number right of marks, and left of marks below its line.

        `pixels` is the length of the axis.
        """
        low, high = self.ends
        margin = 34 / max(pixels - 68, 40) * (high - low)
        left = low - margin if self.line is not None and low < self.line else low
        return replace(self, ends=(left, high + margin))


class Panel:
    """A rectangle of a size in pixels, or axes, with an axis of x and one of y.

    `add` adds an artist, whose marks may have a sentence each, to the figure or axes, `place` maps values to the
    screen, and `order` numbers the artists: otherwise matplotlib would draw lines above marks.
    """

    def __init__(
        self,
        add: Callable[[Any, Sequence[str]], object],
        figure: Any,
        place: Transform,
        ends: tuple[Point, Point],
        size: Point,
        order: Iterator[int],
    ) -> None:
        self._add_artist = add
        self._figure = figure
        self._place = place
        self._order = order
        self.x, self.y = ends
        self.width, self.height = size

    def _add(self, artist: Any, tips: Sequence[str] = ()) -> None:
        artist.set_zorder(2 + next(self._order) * 1e-6)
        self._add_artist(artist, tips)

    def at(self, x: float, y: float) -> Point:
        """Return the position of a point, in pixels from the upper left corner."""
        x_part = (x - self.x[0]) / (self.x[1] - self.x[0])
        y_part = (y - self.y[0]) / (self.y[1] - self.y[0])
        return self.width * x_part, self.height * (1 - y_part)

    def dots(
        self,
        x: Sequence[float],
        y: Sequence[float],
        ink: str,
        shape: str = "circle",
        radius: float = 4.2,
        tips: Sequence[str] = (),
        fills: Sequence[tuple[str, float]] = (),
        line: float = 0.0,
    ) -> None:
        """Draw marks of a shape, filled with `ink` or `fills`, (ink, opacity) of each, outlined by `line` pixels.

        `tips` has the sentence of each mark.
        """
        if not len(x):
            return
        points = np.column_stack([x, y]).astype(float)
        inks = [to_rgba(LIGHT[name], part) for name, part in fills or [(ink, 1.0)] * len(points)]
        look: Any = {"facecolors": inks, "edgecolors": LIGHT[ink] if line else "none", "linewidths": line}
        marks = PathCollection([PATHS[shape]], sizes=[radius**2], offsets=points, offset_transform=self._place, **look)
        marks.set_transform(IdentityTransform())
        self._add(marks, tips)

    def lines(self, lines: Any, ink: str = "ink", width: float = 1.0, dash: Any = "-", alpha: float = 1.0) -> None:
        """Draw lines, each a list of points."""
        look: Any = {"colors": [to_rgba(LIGHT[ink], alpha)], "linewidths": [width], "linestyles": [dash]}
        if len(lines):
            look |= {"capstyle": "round"} if width > 1.5 else {}
            self._add(LineCollection([np.asarray(line, float) for line in lines], transform=self._place, **look))

    def boxes(
        self, boxes: Any, fills: Sequence[Any], edge: str = "paper", width: float = 1.0, tips: Sequence[str] = ()
    ) -> None:
        """Draw boxes (x0, y0, x1, y1) filled with colours, given as (ink, opacity) or as matplotlib's."""
        if not len(boxes):
            return
        corners = [[(a, b), (c, b), (c, d), (a, d)] for a, b, c, d in boxes]
        inks = [to_rgba(LIGHT[fill[0]], fill[1]) if isinstance(fill[0], str) else fill for fill in fills]
        line = LIGHT.get(edge, "none")
        drawn = PolyCollection(corners, transform=self._place, facecolors=inks, edgecolors=line, linewidths=width)
        self._add(drawn, tips)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        ink: str = "ink",
        shift: Point = (0.0, 4.0),
        side: str = "center",
        bold: bool = False,
        size: float = SIZE,
    ) -> None:
        """Write a text; the `side` of its first base line is `shift` pixels to the right of and below a point."""
        look: Any = {"color": LIGHT[ink], "ha": side, "va": "baseline", "weight": "bold" if bold else "normal"}
        for k, line in enumerate(words.split("\n")):
            down = shift[1] + LINE_HEIGHT * k
            offset = ScaledTranslation(shift[0] / 72, -down / 72, self._figure.dpi_scale_trans)
            self._add(Words(x, y, line, **look, fontsize=size * FILE_FONT, transform=self._place + offset))

    # The frame

    def title(self, words: str, left: float = 0.0, up: float = 14.0) -> None:
        """Write the panel's title, its last line `up` pixels above the panel and `left` pixels left of its edge."""
        up += LINE_HEIGHT * words.count("\n")
        self.text(self.x[0], self.y[1], words, shift=(-left, -up), side="left", bold=True, size=13)

    def line(self, axis: str, value: float | None) -> None:
        """Draw a broken line across the panel at a value of x or y; None draws none."""
        if value is not None:
            ends = [(value, end) for end in self.y] if axis == "x" else [(end, value) for end in self.x]
            self.lines([ends], "ink", 1.0, (0, (4, 3)))

    def numbers(
        self, axis: str, scale: Scale, title: str = "", most_steps: int = 6, *, labels: bool = True, grid: bool = True
    ) -> None:
        """Draw an axis of numbers and lines across; `title` and `grid` are for x, whose numbers are kept apart."""
        ticks = scale.ticks(most_steps)
        if axis == "y":
            self.lines([[(self.x[0], tick), (self.x[1], tick)] for tick in ticks], "faint")
            for tick, text in zip(ticks, scale.texts(ticks), strict=True) if labels else ():
                self.text(self.x[0], tick, text, "muted", (-7, 4), "right")
            return
        while most_steps > 1 and self._touch(ticks, scale.texts(ticks)):
            most_steps -= 1
            ticks = scale.ticks(most_steps)
        self.lines([[(tick, self.y[0]), (tick, self.y[1])] for tick in ticks if grid], "faint")
        for tick, text in zip(ticks, scale.texts(ticks), strict=True) if labels else ():
            self.text(tick, self.y[0], text, "muted", (0, 16))
            if self.height > TALL:
                self.text(tick, self.y[1], text, "muted", (0, -5))
        if title:
            self.text(sum(self.x) / 2, self.y[0], title, "muted", (0, 34))

    def _touch(self, ticks: Sequence[float], texts: Sequence[str]) -> bool:
        spots = [self.at(tick, self.y[0])[0] for tick in ticks]
        distances = [(width_of(first) + width_of(second)) / 2 + _APART for first, second in pairwise(texts)]
        return bool((np.diff(spots) < distances).any())

    def names(self, axis: str, names: Sequence[str], title: str = "", room: float = 300.0) -> None:
        """Write the names of levels, the k-th at k + 0.5: of x those that fit, and `title`; of y all, cut to `room`."""
        if axis == "y":
            for k, name in enumerate(names):
                self.text(self.x[0], k + 0.5, shortened(name.replace("\n", " "), room), shift=(-8, 4), side="right")
            return
        step = max(1, int(np.ceil((max(map(width_of, names), default=0.0) + 6) / (self.width / max(len(names), 1)))))
        for k, name in enumerate(names):
            is_last = k == len(names) - 1  # which may be "75 and more", and always has its name
            if is_last or (k % step == 0 and k + step < len(names)):
                self.text(k + 0.5, self.y[0], name, shift=(0, 18))
        if title:
            lines = max((name.count("\n") for name in names), default=0)
            self.text(sum(self.x) / 2, self.y[0], title, "muted", (0, 38 + LINE_HEIGHT * lines))


@dataclass(frozen=True)
class Face:
    """A panel without a place: its title, its axes (of values, or of names, along y from the top) and what fills it."""

    title: str
    x: Scale | Sequence[str]
    y: Scale | Sequence[str]
    fill: Callable[[Panel], None]
    players: int | None = None  # its player count; None: it shows several
    labels: tuple[str, str] = ("", "")  # titles of the axes
    bare: bool = False  # a map, whose axes are not drawn

    @property
    def scale(self) -> Scale:
        """The axis of values; with two of them that of x."""
        return next(axis for axis in (self.x, self.y) if isinstance(axis, Scale))

    @property
    def names(self) -> Sequence[str]:
        """The names along the other axis."""
        return next(axis for axis in (self.x, self.y) if not isinstance(axis, Scale))

    @property
    def ends(self) -> tuple[Point, Point]:
        """The ends of both axes."""
        x = self.x.ends if isinstance(self.x, Scale) else (0.0, float(len(self.x)))
        return x, self.y.ends if isinstance(self.y, Scale) else (float(len(self.y)), 0.0)


class AxesPanel(Panel):
    """A face on the caller's axes with title, ticks and legend, or if bare its title; its marks have no sentences."""

    def __init__(self, axes: Axes, face: Face, legend: Legend) -> None:
        if face.bare:
            axes.set_aspect("equal")
            axes.set_axis_off()
        box = axes.get_window_extent()
        dpi = axes.figure.dpi
        size = box.width * 72 / dpi, box.height * 72 / dpi
        place = axes.figure, axes.transData, face.ends, size, count()
        super().__init__(lambda artist, _: axes.add_artist(artist), *place)
        axes.set_xlim(*self.x)
        axes.set_ylim(*self.y)
        axes.set_title(face.title, loc="left", pad=16 if face.bare else None)
        for axis, shown, label in ((axes.xaxis, face.x, face.labels[0]), (axes.yaxis, face.y, face.labels[1])):
            ticks = shown.ticks() if isinstance(shown, Scale) else [k + 0.5 for k in range(len(shown))]
            axis.set_ticks(ticks, shown.texts(ticks) if isinstance(shown, Scale) else list(shown))
            axis.set_label_text(label)
        face.fill(self)
        for name, ink, shape in () if face.bare else legend:
            axes.plot([], [], _SIGNS.get(shape, "s"), color=LIGHT[ink], label=name)
        if legend and not face.bare:
            axes.legend()


class Sheet:
    """A figure of a width in pixels, whose panels are placed in pixels from the upper left corner below its titles.

    A file has titles above, a legend below and a margin of `paper` pixels, to which it is cropped; a page has its own.
    """

    def __init__(self, width: float, titles: Sequence[str] = (), legend: Legend = (), paper: float = 0.0) -> None:
        self.width = width
        self.height = 0.0
        self.tips: dict[str, Sequence[str]] = {}  # `gid` of an artist -> sentences of its marks
        self.figure = Figure(figsize=(1, 1), dpi=72, facecolor=LIGHT["paper"])
        FigureCanvasAgg(self.figure)
        self.figure.patch.set_visible(paper > 0)  # a page has its own
        self._down = Affine2D()  # pixels from the upper left corner to inches from the lower left one, set by `end`
        self._pixels = self._down + self.figure.dpi_scale_trans  # pixels to the screen
        self._order = count()
        self._paper = paper
        self._legend = legend
        self._above = 0.0  # pixels of the titles
        self._right = 0.0  # pixels to the right end of the panels
        for k, words in enumerate(filter(None, titles)):
            size = 12.0 if k else 13.5
            lines = wrapped(words, 0.9 * width, size)
            line_panel = self.panel(0, 0, width_of(lines, size), 1, (0, 1), (0, 1))
            line_panel.text(0, 1, lines, "muted" if k else "ink", (0, 12), "left", bold=k == 0, size=size)
            self._above += LINE_HEIGHT * lines.count("\n") + (16 if k else 22)
            self.height = 0.0
        self._above += 6 if titles else 0

    def panel(self, left: float, top: float, width: float, height: float, x: Point, y: Point, foot: float = 0) -> Panel:
        """Return a panel with `foot` pixels below; x grows to the right, y upwards, unless their ends are reversed."""
        self.height = max(self.height, top + height + foot)
        self._right = max(self._right, left + width)
        place = Affine2D().translate(-x[0], -y[0]).scale(width / (x[1] - x[0]), -height / (y[1] - y[0]))
        place.translate(self._paper + left, self._paper + self._above + top + height)
        return Panel(self._add, self.figure, place + self._pixels, (x, y), (width, height), self._order)

    def _add(self, artist: Any, tips: Sequence[str]) -> None:
        if tips:
            name = f"marks-{len(self.tips)}"
            artist.set_gid(name)
            self.tips[name] = tips
        self.figure.add_artist(artist)

    @staticmethod
    def grid(count: int, columns: int, corner: Point, step: Point) -> Iterator[tuple[bool, Point]]:
        """Yield, for panels in rows of `columns`, whether each is the first of its row, and its upper left corner."""
        for k in range(count):
            row, column = divmod(k, columns)
            yield column == 0, (corner[0] + column * step[0], corner[1] + row * step[1])

    def end(self) -> None:
        """Draw the legend, and let the figure end below it."""
        x, row, top = 0.0, 0, self.height + 18
        for name, ink, shape in self._legend:
            entry_width = width_of(name) + 38
            x, row = (0.0, row + 1) if x and x + entry_width > self.width else (x, row)
            entry = self.panel(x, top + 22 * row, entry_width, 1, (0, entry_width), (1, 0), 10)
            if shape == "frame":
                entry.dots([6], [0], "ink", "square", 5.0, fills=[("paper", 1.0)], line=1.3)
            else:
                entry.dots([6], [0], ink, shape, 5.0)
            entry.text(16, 0, name, side="left")
            x += entry_width
        width = min(self.width, self._right + _ROOM) if self._paper else self.width
        height = self.height + self._above + 2 * self._paper
        self.figure.set_size_inches(width / 72 + 2 * self._paper / 72, height / 72)
        self._down.clear().scale(1 / 72, -1 / 72).translate(0, height / 72)


def fit(total: float, margin: float, least_width: float, panels: int, gap: float = GAP) -> tuple[int, float]:
    """Return the number of panels in a row, with rows as equal as possible, and the width of each."""
    most = int(max(1, min(panels, (total - margin + gap) // (least_width + gap))))
    columns = ceil(panels / ceil(panels / most))
    return columns, (total - margin - gap * (columns - 1)) / columns
