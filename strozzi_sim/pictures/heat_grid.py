"""Layout of heat maps in inches, and the distribution of panels over drawings.

A few panels are drawn large, with as many side by side as leave their numbers readable. Many are drawn as small multiples:
the panels of a band side by side, bands stacked, labels only at head and foot, numbers where they fit.

matplotlib's constrained layout moves panels after the sizes of cells and fonts are chosen, so that numbers no longer fit their
cells; and 24 panels with numbers take 2.9 s instead of 1.8 s.
"""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from strozzi_sim.pictures.heat_panels import Panel, Panels
from strozzi_sim.pictures.style import WIDTH

TALLEST = 11.0  # maximum height of a drawing in inches: at the page's width, one printed page
MANY = 12  # above this number of rows, rows are lower
NOTE = 0.165  # inches for a line of text at the foot
TITLE = 0.75  # inches for the title of a panel
_LARGE = 2  # maximum bands with large panels
_MOST = 6  # maximum small panels side by side
_FOOT = 0.2  # inches for the scale
_GAP = 0.2  # inches between lines of large panels
_LETTER = 0.0084  # width of a letter in inches per point of its size


@dataclass(frozen=True)
class Grid:
    """Layout of a heat map in inches.

    Attributes:
        small: whether panels are small multiples.
        left: width of the row labels.
        cell: width and height of a cell.
        columns: number of panels of a band side by side.
        across: number of bands side by side.
        beside: space right of a panel; large panels show n there.
        over, under: space above and below the cells of a panel.
        head, foot: space above and below all panels.
        size: font size in cells; 0: no text.
        names: font size of the row labels. tops: font size of the column labels.
        turned: whether column labels are vertical.
    """

    small: bool
    left: float
    cell: tuple[float, float]
    columns: int
    across: int
    beside: float
    over: float
    under: float
    head: float
    foot: float
    size: float
    names: float
    tops: float
    turned: bool = False


@dataclass(frozen=True)
class Line:
    """Panels side by side, by band.

    Attributes:
        bands: (heading, panels) of each band.
        can_start: whether a drawing may start with this line.
        variant, name: common variant and heading of the bands, for file names.
    """

    bands: tuple[tuple[str, tuple[Panel, ...]], ...]
    can_start: bool
    variant: str
    name: str


@dataclass(frozen=True)
class Sheet:
    """One drawing: the suffix of its file name, its variant if it shows only one of several, its lines."""

    suffix: str
    variant: str
    lines: tuple[Line, ...]


def grid_of(panels: Panels, names: Sequence[str], tops: Sequence[str], widest: int) -> Grid:
    """Return the layout of these panels.

    Args:
        panels: panels to draw.
        names: row labels.
        tops: column labels.
        widest: length of the longest number in a cell, in letters.
    """
    foot = _FOOT + (NOTE if any(panel.noise for panel in panels.every) else 0.0)
    if len(panels.bands) > _LARGE:
        grid = _small(panels, names, tops, widest)
        if grid is not None:
            return replace(grid, foot=grid.foot + foot)
    return replace(_large(panels, names, tops), foot=foot)


def _large(panels: Panels, names: Sequence[str], tops: Sequence[str]) -> Grid:
    many = len(names) > MANY
    left = 0.12 + 0.063 * max(len(name) for name in names)
    least = max(0.29 if len(tops) > 8 else 0.34, 0.072 * max(len(top) for top in tops))
    beside = 0.45
    room = WIDTH - left
    count = max(len(band.panels) for band in panels.bands)
    title = 0.08 * max(len(panel.title) for panel in panels.every) + 0.1
    step = max((max(least, 0.38) if len(tops) < 5 else least) * len(tops) + beside, title)
    fits = int(max(1, min(count, 4, room // step)))
    columns = fits if fits >= count or fits < 2 or count > _MOST else 2
    cell = min((room - beside * columns) / columns / len(tops), max(0.55, least))
    beside = max(beside, title - cell * len(tops))
    size = 6.5 if many or cell < 0.33 else 7.0
    heading = 0.24 if len(panels.bands) > 1 else 0.0
    return Grid(
        False, left, (cell, 0.185 if many else 0.235), columns, 1, beside, 0.28 + heading, 0.22 + _GAP, 0.0, 0.0, size,
        7.0 if many else 7.5, 7.5,
    )  # fmt: skip


def _small(panels: Panels, names: Sequence[str], tops: Sequence[str], widest: int) -> Grid | None:
    """Return the grid of small multiples, or None if they would be unreadable."""
    columns = len(panels.titles)
    tall = len(names) > MANY
    label = 5.4 if tall else 6.8
    left = 0.14 + _LETTER * label * max(len(name) for name in names)
    room, beside, between = WIDTH - left, 0.1, 0.3

    def width(across: int) -> float:
        gaps = beside * (columns - 1) * across + between * across
        return min((room - gaps) / across / columns / len(tops), 0.42)

    across = next((k for k in (3, 2) if tall and k <= len(panels.bands) and width(k) >= 0.13), 1)
    cell = width(across)
    if columns > _MOST or cell < 0.055:
        return None
    size = next((pt for pt in (6.2, 5.6) if not tall and cell >= widest * 0.0091 * pt + 0.03), 0.0)
    high = 0.16 if size else 0.095 if tall else 0.14
    top = 6.2
    longest = max(len(name) for name in tops)
    turned = longest > 3 and longest * _LETTER * top > cell - 0.02
    labels = longest * _LETTER * top + 0.05 if turned else 0.14
    return Grid(
        True,
        left,
        (cell, high),
        columns,
        across,
        beside,
        0.19,
        0.1,
        0.24 + labels,
        labels + 0.2,
        size,
        label,
        top,
        turned,
    )


def panel_width(grid: Grid, tops: int) -> float:
    """Return the distance between the left edges of neighbouring panels."""
    return grid.cell[0] * tops + grid.beside


def heading_lines(grid: Grid, heading: str, tops: int) -> list[str]:
    """Return a band's heading in lines of text; a short one fits beside the event counts of small panels."""
    if not heading or not grid.small:
        return [heading] if heading else []
    band = panel_width(grid, tops) * grid.columns + (grid.left if grid.across == 1 else 0.0)
    return textwrap.wrap(heading, max(int(band / (_LETTER * 8.5)), 8)) or [heading]


def over(grid: Grid, line: Line, tops: int) -> float:
    """Return the space above the cells of a line."""
    if not grid.small:
        return grid.over if line.bands[0][0] else min(grid.over, 0.28)
    beside = grid.cell[0] * tops - 0.8 + (grid.left if grid.across == 1 else 0.0)
    more = 0
    for heading, _ in line.bands:
        lines = heading_lines(grid, heading, tops)
        more = max(more, len(lines) - (len(lines) == 1 and len(heading) * _LETTER * 8 < beside))
    return grid.over + 0.15 * more


def height(grid: Grid, lines: Sequence[Line], rows: int, tops: int) -> float:
    """Return the height of a drawing with these lines."""
    body = grid.cell[1] * rows + grid.under
    return grid.head + grid.foot + sum(over(grid, line, tops) + body for line in lines)


def lines_of(grid: Grid, panels: Panels) -> list[Line]:
    """Return the bands, divided into lines of panels."""
    found = []
    for band in panels.bands:
        whole = panels.aligned(band) if grid.small else band.panels
        for start in range(0, len(whole), grid.columns):
            heading = band.heading if start == 0 else ""
            part = ((heading, whole[start : start + grid.columns]),)
            found.append(Line(part, band.can_start or start == 0, band.variant, band.heading))
    if grid.across == 1:
        return found
    joined = []
    for variant in dict.fromkeys(line.variant for line in found):
        own = [line for line in found if line.variant == variant]
        for start in range(0, len(own), grid.across):
            group = own[start : start + grid.across]
            joined.append(Line(tuple(line.bands[0] for line in group), True, variant, ""))
    return joined


def sheets_of(grid: Grid, panels: Panels, rows: int, tops: int, tallest: float = TALLEST) -> list[Sheet]:
    """Return the drawings: a single one if it is not too tall, else one or more per variant."""
    lines = lines_of(grid, panels)
    if height(grid, lines, rows, tops) <= tallest:
        return [Sheet("", "", tuple(lines))]
    variants = list(dict.fromkeys(line.variant for line in lines))
    groups = [[line for line in lines if line.variant == variant] for variant in variants]
    if min(height(grid, group, rows, tops) for group in groups) < tallest / 3:
        groups, variants = [lines], [""]
    short = {band.heading: band.short for band in panels.bands}
    sheets: list[Sheet] = []
    for variant, group in zip(variants, groups, strict=True):
        if variant:
            group = [
                replace(line, bands=tuple((short.get(heading, ""), few) for heading, few in line.bands))
                for line in group
            ]
        parts = _split(grid, group, rows, tops, tallest)
        for number, part in enumerate(parts, 1):
            names = {line.name for line in part}
            name = variant or (names.pop() if len(names) == 1 and len(parts) == len(panels.bands) else "")
            ends = [slug(name), str(number) if len(parts) > 1 and name in ("", variant) else ""]
            sheets.append(Sheet("".join(f"-{end}" for end in ends if end), variant, tuple(part)))
    if len({sheet.suffix for sheet in sheets}) < len(sheets):
        sheets = [replace(sheet, suffix=f"-{number}{sheet.suffix}") for number, sheet in enumerate(sheets, 1)]
    return sheets


def _split(grid: Grid, lines: Sequence[Line], rows: int, tops: int, tallest: float) -> list[list[Line]]:
    """Split the lines into the fewest parts of about equal length that are not too tall, only where a part can start."""
    blocks: list[list[Line]] = []
    for line in lines:
        if line.can_start or not blocks:
            blocks.append([])
        blocks[-1].append(line)
    for count in range(1, len(blocks) + 1):
        cuts = [round(k * len(blocks) / count) for k in range(count + 1)]
        parts = [list(chain.from_iterable(blocks[a:b])) for a, b in pairwise(cuts)]
        if max(height(grid, part, rows, tops) for part in parts) <= tallest:
            return parts
    return blocks


def slug(name: str) -> str:
    """Return the name as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
