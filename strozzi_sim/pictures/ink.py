"""Appearance of all pictures: colours by name, shapes of series, the width of text.

A page defines the same names in each of its two themes; files and notebooks have the light colours.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any

from matplotlib import font_manager
from matplotlib.path import Path

LIGHT = {"ink": "#1c1a17", "muted": "#625c50", "faint": "#e2dccf", "paper": "#fdfcf9"}
LIGHT |= {"s1": "#0b5fa5", "s2": "#b0500a", "s3": "#6f6a60", "s4": "#12755a", "s5": "#8a3f86", "s6": "#8c6a00"}
LIGHT |= {"h0": "#f4f1e8", "h1": "#74aede", "hneg": "#eaa765"}  # of heat maps: small, large, negative
# inks whose colour, on a page without its style sheet, follows the reader's own text and background
UNSTYLED = LIGHT | {"ink": "currentColor", "muted": "currentColor", "faint": "#8886", "paper": "Canvas"}
INKS = ("s1", "s2", "s3", "s4", "s5", "s6")  # of series
_SEATS = ("s1", "s2", "s4", "s5", "s3", "s6")  # of seats, close to those of a game's table in the browser
SHAPES = ("circle", "diamond", "square", "triangle", "cross", "bar")  # of series
MOST_SCENARIOS = 2 * len(INKS)  # variants and line-ups in one picture; each has its own pair of ink and shape
WIDE, NARROW, HERO = 690, 340, 1064  # widths in pixels: in a page's column, on a phone, across a page
SIZE = 12.0  # pixels of text
_CJK = "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans CJK TC", "Noto Sans CJK KR", "Source Han Sans", "PingFang SC"
_FALLBACKS = (  # fonts with Chinese, Japanese or Korean letters
    *(*_CJK, "Hiragino Sans", "Apple SD Gothic Neo", "Microsoft YaHei", "SimHei", "Yu Gothic", "Meiryo", "MS Gothic"),
    *("Malgun Gothic", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback", "Arial Unicode MS"),
)
FILE_FONT = 0.9  # factor of text sizes that makes matplotlib's font about as wide as Arial, the font of pages

Look = tuple[str, str]  # ink and shape of a series
Legend = Sequence[tuple[str, str, str]]  # name, ink and shape of each entry


@cache
def style() -> Any:
    """Return the settings of matplotlib for files and notebooks.

    Its own font is first, so that Latin letters do not depend on the machine; others are those that are installed.
    """
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return {
        "font.family": ["DejaVu Sans", *(family for family in _FALLBACKS if family in installed)],
        "text.parse_math": False,
        "text.usetex": False,
        "path.simplify": False,
        "svg.hashsalt": "strozzi-sim",
    }


def letters_without_font(words: str) -> str:
    """Return the letters that no font of `style` has, each once."""
    fonts = [font_manager.get_font(font_manager.findfont(family)) for family in style()["font.family"]]
    letters = (letter for letter in dict.fromkeys(words) if not letter.isspace())
    return "".join(letter for letter in letters if not any(font.get_char_index(ord(letter)) for font in fonts))


def looks_of(column: str, keys: Sequence[Any], levels: Sequence[Any] = ()) -> list[Look]:
    """Return the look of each of several series: by seat number, by place in `levels`, or else by place in `keys`."""
    seats = column == "seat" and all(str(key).isdigit() for key in keys)
    inks = _SEATS if seats else INKS
    places = {level: k for k, level in enumerate(levels)}
    numbers = [int(key) if seats else places.get(key, k) for k, key in enumerate(keys)]
    return [(inks[k % len(inks)], SHAPES[(k + k // len(inks)) % len(SHAPES)]) for k in numbers]


def legend_of(names: Sequence[str], looks: Sequence[Look]) -> Legend:
    """Return the legend of several series; () for a single one."""
    return tuple((name, *look) for name, look in zip(names, looks, strict=True)) if len(names) > 1 else ()


def _polygon(*corners: tuple[float, float]) -> Path:
    return Path([*corners, corners[0]], closed=True)


CIRCLE = Path.circle((0, 0), 1.0)
_CORNER = ((0.4, 1.2), (0.4, 0.4), (1.2, 0.4))
_QUARTERS = ((1, 1, 1), (1, -1, -1), (-1, -1, 1), (-1, 1, -1))
_CROSS = [(s * x, t * y) for s, t, turn in _QUARTERS for x, y in _CORNER[::turn]]
PATHS = {  # sized to look equally large
    "circle": CIRCLE,
    "diamond": _polygon((0, -1.28), (1.15, 0), (0, 1.28), (-1.15, 0)),
    "square": _polygon((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "triangle": _polygon((0, 1.2), (1.2, -0.95), (-1.2, -0.95)),
    "cross": _polygon(*_CROSS),
    "bar": _polygon((-1.2, -0.6), (1.2, -0.6), (1.2, 0.6), (-1.2, 0.6)),
}
# width in pixels -> characters of Arial at 12 pixels; other capitals take 8.2, all others 6.7
_LETTERS = {2.7: "ijl'|", 3.4: "ft.,:;/ I!\N{MIDDLE DOT}", 4.0: "()[]r-", 6.0: "cksvxyz", 8.7: "w", 10.3: "mMW%"}
_WIDTHS = {letter: width for width, letters in _LETTERS.items() for letter in letters}
_PIECE = re.compile(r"\s*(?:[\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\uffef]+)")


def width_of(words: str, size: float = SIZE) -> float:
    """Return the approximate width in pixels of a text in Arial: that of its longest line."""
    return max(sum(map(_letter_width, line)) for line in words.split("\n")) * size / SIZE


@cache
def _letter_width(letter: str) -> float:
    """Return the width of a letter at SIZE; full-width letters, as in Chinese, are as wide as high in every font."""
    if unicodedata.east_asian_width(letter) in "WF":
        return SIZE
    return _WIDTHS.get(letter, 8.2 if letter.isupper() else 6.7)


def wrapped(words: str, width: float, size: float = SIZE) -> str:
    """Return a text broken into lines of less than `width` pixels, also between Chinese or Japanese letters.

    A longer word has its own line.
    """
    lines = [""]
    for piece in _PIECE.findall(" ".join(words.split())):
        longer = f"{lines[-1]}{piece}".strip()
        if not lines[-1] or width_of(longer, size) < width:
            lines[-1] = longer
        else:
            lines.append(piece.strip())
    return "\n".join(lines)


def shortened(name: str, width: float) -> str:
    """Return a name cut to about `width` pixels in the middle, since seats and variants differ in the end of a name."""
    end = name[-8:].partition(" ")[2] or name[-6:]  # what follows a blank in the last 8 letters, else the last 6
    shortened_name, beginning = name, name.removesuffix(end)
    while width_of(shortened_name) > width and len(beginning) > 2:
        beginning = beginning[:-1]
        shortened_name = beginning.rstrip() + "\N{HORIZONTAL ELLIPSIS}" + end
    return shortened_name
