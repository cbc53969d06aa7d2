"""Appearance of all pictures: colours by name, shapes of series, the width of text.

A page has the colours of both its themes under the same names; files and notebooks have the light ones.
"""

from collections.abc import Sequence
from typing import Any

from matplotlib.path import Path

LIGHT = {"ink": "#1c1a17", "muted": "#625c50", "faint": "#e2dccf", "paper": "#fdfcf9"}
LIGHT |= {"s1": "#0b5fa5", "s2": "#b0500a", "s3": "#6f6a60", "s4": "#12755a", "s5": "#8a3f86", "s6": "#8c6a00"}
LIGHT |= {"h0": "#f4f1e8", "h1": "#74aede", "hneg": "#eaa765"}  # of heat maps: small, large, negative
INKS = ("s1", "s2", "s3", "s4", "s5", "s6")  # of series
_SEATS = ("s1", "s2", "s4", "s5", "s3", "s6")  # of seats, as on the table of a game
SHAPES = ("circle", "diamond", "square", "triangle", "cross", "bar")  # of series
MOST_SCENARIOS = 2 * len(INKS)  # variants and line-ups in one picture; each has its own pair of ink and shape
WIDE, NARROW, HERO = 690, 340, 1064  # pixels of a picture
SIZE = 12.0  # pixels of text
STYLE: Any = {  # the font that comes with matplotlib, so that files are the same to the byte on every machine
    "font.family": "DejaVu Sans",
    "text.parse_math": False,
    "text.usetex": False,
    "path.simplify": False,
    "svg.hashsalt": "strozzi-sim",
}
FILE_FONT = 0.9  # size of text in the font of files that is as wide as the same text of a page in Arial

Look = tuple[str, str]  # ink and shape of a series
Legend = Sequence[tuple[str, str, str]]  # name, ink and shape of each series


def looks_of(column: str, keys: Sequence[Any], levels: Sequence[Any] = ()) -> list[Look]:
    """Return ink and shape of each of several series; a seat or one of `levels` has the same in every picture."""
    seats = column == "seat" and all(str(key).isdigit() for key in keys)
    inks, places = _SEATS if seats else INKS, {level: k for k, level in enumerate(levels)}
    numbers = [int(key) if seats else places.get(key, k) for k, key in enumerate(keys)]
    return [(inks[k % len(inks)], SHAPES[(k + k // len(inks)) % len(SHAPES)]) for k in numbers]


def legend_of(names: Sequence[str], looks: Sequence[Look]) -> Legend:
    """Return the legend of several series; one alone has none."""
    return tuple((name, *look) for name, look in zip(names, looks, strict=True)) if len(names) > 1 else ()


def _polygon(*corners: tuple[float, float]) -> Path:
    return Path([*corners, corners[0]], closed=True)


CIRCLE = Path.circle((0, 0), 1.0)
_CORNER = ((0.4, 1.2), (0.4, 0.4), (1.2, 0.4))
_QUARTERS = ((1, 1, 1), (1, -1, -1), (-1, -1, 1), (-1, 1, -1))
_CROSS = [(s * x, t * y) for s, t, turn in _QUARTERS for x, y in _CORNER[::turn]]
PATHS = {  # of equal weight to the eye
    "circle": CIRCLE,
    "diamond": _polygon((0, -1.28), (1.15, 0), (0, 1.28), (-1.15, 0)),
    "square": _polygon((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "triangle": _polygon((0, 1.2), (1.2, -0.95), (-1.2, -0.95)),
    "cross": _polygon(*_CROSS),
    "bar": _polygon((-1.2, -0.6), (1.2, -0.6), (1.2, 0.6), (-1.2, 0.6)),
}
_LETTERS = {2.7: "ijl'|", 3.4: "ft.,:;/ I!\N{MIDDLE DOT}", 4.0: "()[]r-", 6.0: "cksvxyz", 8.7: "w", 10.3: "mMW%"}
# of Arial's letters at 12 pixels; others take 6.7, capitals 8.2
_WIDTHS = {letter: width for width, letters in _LETTERS.items() for letter in letters}


def width_of(words: str, size: float = SIZE) -> float:
    """Return the approximate width in pixels of a text in Arial; of several lines that of the longest."""
    lines = (sum(_WIDTHS.get(c, 8.2 if c.isupper() else 6.7) for c in line) for line in words.split("\n"))
    return max(lines) * size / SIZE


def wrapped(words: str, width: float, size: float = SIZE) -> str:
    """Return a text in lines of less than `width` pixels; a longer word has its own."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or width_of(longer, size) < width:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)


def shortened(name: str, width: float) -> str:
    """Return a name cut to about `width` pixels; it keeps its end, by which seats and variants differ."""
    end = name[-8:].partition(" ")[2] or name[-6:]  # the last word if it is short, else six letters
    shortened_name, beginning = name, name.removesuffix(end)
    while width_of(shortened_name) > width and len(beginning) > 2:
        beginning = beginning[:-1]
        shortened_name = beginning.rstrip() + "\N{HORIZONTAL ELLIPSIS}" + end
    return shortened_name
