"""Output of figures: as small SVG in the colours of a page, and as files."""

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Any

import matplotlib
from matplotlib import rc_context
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.path import Path
from matplotlib.text import Text
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from strozzi_sim.pictures.ink import CIRCLE, FILE_FONT, LIGHT, SIZE, UNSTYLED, letters_without_font, style
from strozzi_sim.pictures.panel import Sheet
from strozzi_sim.runtime.files import MAKER

_NAMES = {colour: name for name, colour in LIGHT.items()}
_LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}
_ANCHORS = {"center": "middle", "right": "end"}
_FONT = "Arial,Liberation Sans,Helvetica,sans-serif"
_COLOURS = 128  # of a PNG: a third of the bytes, without visible difference


class PageRenderer(RendererBase):
    """A renderer of matplotlib that writes SVG: circles as circles, text as text, and with marks their sentences.

    `tips` is `gid` of an artist -> sentences of its marks. For a page, `numbers` is sentence -> number of its mark,
    which is written instead; None: a file, with sentences.
    """

    def __init__(self, height: float, tips: Mapping[str, Sequence[str]], numbers: Mapping[str, int] | None) -> None:
        super().__init__()
        self._height = height
        self._tips = tips
        self._numbers = numbers
        self._tips_of_artist: Iterator[str] = iter(())
        # attributes of its look, element, and the `d` of a plain path, which the next one can extend
        self._parts: list[tuple[str, str, str]] = []

    @property
    def body(self) -> str:
        """The elements drawn so far; consecutive ones of one look are a group."""
        parts = []
        for look, elements in groupby(self._parts, key=itemgetter(0)):
            parts.append(f"<g{look}>")
            parts += [part + (f'{course}"/>' if course else "") for _, part, course in elements]
            parts.append("</g>")
        return "".join(parts)

    def open_group(self, s: str, gid: str | None = None) -> None:
        """Begin an artist, whose marks are then drawn in the order of their sentences."""
        self._tips_of_artist = iter(self._tips.get(gid or "", ()))

    def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:
        """Write a path; consecutive opaque ones of one look, without a sentence and not circles, become one."""
        mark_sentence = next(self._tips_of_artist, "")
        look = self._look(gc, rgbFace)
        opacity = rgbFace[3] if rgbFace is not None and len(rgbFace) == 4 else 1
        attributes = f' fill-opacity="{_short(opacity, 2)}"' if opacity < 1 else ""
        if path is CIRCLE:
            (r, _, x), (_, _, y), _ = transform.get_matrix()
            name, place = "circle", f'cx="{_short(x)}" cy="{_short(self._height - y)}" r="{_short(r)}"'
        else:
            course = self._course(transform.transform_path(path))
            if not attributes and not mark_sentence:
                if self._parts and self._parts[-1][0] == look and self._parts[-1][2]:
                    course = self._parts.pop()[2] + course
                self._parts.append((look, '<path d="', course))
                return
            name, place = "path", f'd="{course}"'
        if mark_sentence and self._numbers is not None:
            attributes += f' data-m="{self._numbers[mark_sentence]}"'
        title = f"><title>{escape(mark_sentence)}</title></{name}>" if mark_sentence and self._numbers is None else "/>"
        self._parts.append((look, f"<{name} {place}{attributes}{title}", ""))

    def write(self, text: Any) -> None:
        """Write text at its anchor, unmeasured: the page may use another font."""
        x, y = text.get_transform().transform(text.get_unitless_position())
        size = text.get_fontsize() / FILE_FONT
        anchor = _ANCHORS.get(text.get_ha())
        look = f' fill="{self._ink(text.get_color())}"' + (f' text-anchor="{anchor}"' if anchor else "")
        look += ' font-weight="600"' if text.get_weight() == "bold" else ""
        look += "" if abs(size - SIZE) < 0.01 else f' font-size="{_short(size)}"'
        place = f'x="{_short(x)}" y="{_short(self._height - y)}"'
        self._parts.append((look, f"<text {place}>{escape(text.get_text(), quote=False)}</text>", ""))

    def _ink(self, colour: Any) -> str:
        code = to_hex(colour)
        return page_ink(_NAMES[code]) if self._numbers is not None and code in _NAMES else code

    def _look(self, gc: Any, face: Any) -> str:
        look = ' fill="none"' if face is None else f' fill="{self._ink(face[:3])}"'
        width, colour = gc.get_linewidth(), gc.get_rgb()
        if width:
            look += f' stroke="{self._ink(colour[:3])}"' + ("" if width == 1 else f' stroke-width="{_short(width)}"')
            look += f' stroke-opacity="{_short(colour[3], 2)}"' if len(colour) == 4 and colour[3] < 1 else ""
            look += ' stroke-linecap="round"' if gc.get_capstyle() == "round" else ""
            dashes = gc.get_dashes()[1]
            look += f' stroke-dasharray="{" ".join(map(_short, dashes))}"' if dashes else ""
        return look

    def _course(self, path: Any) -> str:
        parts = []
        old_x, old_y = "", ""  # end of the segment before
        for vertices, code in path.iter_segments(simplify=False):
            points = [(_short(x), _short(self._height - y)) for x, y in vertices.reshape(-1, 2).tolist()]
            x, y = points[0]
            if code == Path.CLOSEPOLY:
                parts.append("Z")
            elif code == Path.LINETO and (x == old_x or y == old_y):
                parts.append(f"V{y}" if x == old_x else f"H{x}")
            else:
                parts.append(_LETTERS[code] + " ".join(f"{x} {y}" for x, y in points))
            old_x, old_y = points[-1]
        return "".join(parts)


def page_ink(name: str) -> str:
    """Return an ink as a colour of a page: a variable of its style sheet, and another colour where that is refused."""
    return f"var(--{name},{UNSTYLED[name]})"


def _short(number: float, digits: int = 1) -> str:
    return f"{number:z.{digits}f}".rstrip("0").rstrip(".")


def svg_of(sheet: Sheet, label: str, numbers: Mapping[str, int] | None = None) -> str:
    """Return a sheet as SVG: for a page, in its colours, if `numbers` are given; else for a file, in light colours."""
    width, height = (72 * side for side in sheet.figure.get_size_inches())
    with rc_context(style()):
        renderer = PageRenderer(height, sheet.tips, numbers)
        sheet.figure.draw(renderer)
    sides = _short(width), _short(height)
    size = f'viewBox="0 0 {sides[0]} {sides[1]}" width="{sides[0]}" height="{sides[1]}" role="img"'
    if numbers is not None:
        return f'<svg {size} font-size="{SIZE:g}" aria-label="{escape(label)}">{renderer.body}</svg>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{_FONT}" font-size="{SIZE:g}">'
    return f"{head}<title>{escape(label)}</title><style>text{{pointer-events:none}}</style>{renderer.body}</svg>"


@cache
def _warn_of(letters: str) -> None:
    """Warn, once for the same letters, that no font has them."""
    if letters:
        shown = letters if len(letters) <= 12 else f"{letters[:12]}..."
        advice = f"install one, such as fonts-noto-cjk, and remove {matplotlib.get_cachedir()}, its list of fonts"
        message = f"no font that matplotlib knows has {shown}: PNG and PDF show boxes instead; {advice}"
        warnings.warn(message, stacklevel=2)


def file_of(sheet: Sheet, kind: str, title: str) -> bytes:
    """Return a sheet as the content of an svg, pdf or png file; a png sets the figure's resolution to 144 dpi."""
    if kind == "svg":
        return svg_of(sheet, title).encode()
    content = io.BytesIO()
    figure = sheet.figure
    _warn_of(letters_without_font("".join(text.get_text() for text in figure.findobj(Text))))
    with rc_context(style()), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # said above, once
        if kind == "pdf":
            figure.savefig(content, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": MAKER})
            return content.getvalue()
        figure.set_dpi(144)
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
    image = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba(), "raw", "RGBA", 0, 1)
    info = PngInfo()
    info.add_text("Software", MAKER)
    method, dither = Image.Quantize.FASTOCTREE, Image.Dither.NONE
    image.convert("RGB").quantize(_COLOURS, method=method, dither=dither).save(content, "PNG", pnginfo=info)
    return content.getvalue()
