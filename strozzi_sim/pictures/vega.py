"""Draw Vega-Lite declarations: SVG for a page, whose colours follow its theme, and files in light colours.

Colours in a declaration are names ("ink", "s1"). While Vega draws, each name is a marked colour; in a page's SVG that becomes a
variable of the page's style sheet, in a file the light colour. A mark's `description` is the sentence that it says when pointed at.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

from strozzi_sim.errors import StorageError

Spec = dict[str, Any]
Legend = Sequence[tuple[str, str, str]]

# Light colours; the style sheet of a page has those of both themes under the same names.
LIGHT = {
    "ink": "#1c1a17", "muted": "#625c50", "faint": "#e2dccf", "paper": "#fdfcf9", "s1": "#0b5fa5", "s2": "#b0500a",
    "s3": "#6f6a60", "s4": "#12755a", "s5": "#8a3f86", "s6": "#8c6a00",
}  # fmt: skip
INKS = ("s1", "s2", "s3", "s4", "s5", "s6")  # of series
MOST_SCENARIOS = 2 * len(INKS)  # variants and line-ups in one picture; each has an ink and a shape of its own
_MARK = {name: f"#0101{k:02x}" for k, name in enumerate(LIGHT, 16)}
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"  # of one width, so that text measured here fits on the page
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_VERSION = "6.1"  # of Vega-Lite, for which the clean-up of SVG is tested
_CONFIG: Spec = {
    "font": FONT, "background": None, "padding": 3, "view": {"stroke": None},
    "axis": {
        "domain": False, "ticks": False, "grid": False, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
        "labelColor": "muted", "titleColor": "muted", "gridColor": "faint", "labelPadding": 6, "labelLimit": 300, "labelAngle": 0,
        "titlePadding": 8,
    },
    "title": {"fontSize": 13, "color": "ink", "anchor": "start", "fontWeight": 600, "offset": 8},
    "text": {"fontSize": 12, "fill": "ink"}, "rule": {"stroke": "ink"},
}  # fmt: skip


def declaration(spec: Spec, colours: Mapping[str, str] = LIGHT) -> Spec:
    """Return a whole Vega-Lite declaration with these colours, which any Vega-Lite viewer draws."""
    whole = {"$schema": _SCHEMA, "config": _CONFIG, **_quiet(spec)}
    return dict(_coloured(json.loads(json.dumps(whole, default=float)), colours))  # numbers of NumPy become plain ones


@cache
def _check_room() -> None:
    """Refuse to draw where the process may not have the address space that V8, which runs Vega, reserves.

    V8 ends the process without a word, so that a child tries it first, where there is a limit at all.

    Raises:
        StorageError: the limit is too low.
    """
    if os.name == "nt":
        return
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return
    smallest = {"data": {"values": [{"x": 1}]}, "mark": "point"}
    words = f"import vl_convert; vl_convert.vegalite_to_svg({smallest!r}, vl_version={_VERSION!r})"
    if subprocess.run([sys.executable, "-c", words], capture_output=True, check=False).returncode:
        raise StorageError(
            f"pictures cannot be drawn in {limit >> 20:,} MiB of address space, the limit of this process; lift it, as with "
            "`ulimit -v unlimited`, and run again"
        )


def drawn(spec: Spec) -> str:
    """Return the picture as Vega draws it, in marked colours, for `svg_of_page` and `files_of`."""
    _check_room()
    import vl_convert

    return str(vl_convert.vegalite_to_svg(declaration(spec, _MARK), vl_version=_VERSION))


def files_of(svg: str, legend: Legend = ()) -> dict[str, bytes]:
    """Return a drawn picture as files by ending: PNG and SVG, in light colours on paper, with its legend."""
    import vl_convert

    for name, mark in _MARK.items():
        svg = svg.replace(mark, LIGHT[name])
    paper = f'<rect width="100%" height="100%" fill="{LIGHT["paper"]}"/>'
    svg = with_legend(re.sub(r"^(<svg[^>]*>)", rf"\1{paper}", svg, count=1), legend)
    return {"png": bytes(vl_convert.svg_to_png(svg, scale=2)), "svg": svg.encode()}


def file_svg(spec: Spec) -> str:
    """Return the picture as an SVG file in light colours on paper."""
    _check_room()
    import vl_convert

    on_paper = {**spec, "background": "paper", "padding": 12}
    return str(vl_convert.vegalite_to_svg(declaration(on_paper), vl_version=_VERSION))


_SHAPE = {
    "circle": '<circle r="5"/>', "diamond": '<path d="M0-6.5 6 0 0 6.5-6 0z"/>', "triangle": '<path d="M0-6 6 5-6 5z"/>',
    "cross": '<path d="M-6-2h4v-4h4v4h4v4h-4v4h-4v-4h-4z"/>', "bar": '<path d="M-6-3h12v6h-12z"/>', "square": '<path d="M-5-5h10v10h-10z"/>',
    "frame": '<path d="M-5-5h10v10h-10z" fill="none" stroke="#1c1a17"/>',
}  # fmt: skip
_LINE = 20  # pixels of a line of a legend


def with_legend(svg: str, legend: Legend) -> str:
    """Return an SVG file with a legend below, whose entries are (name, ink, shape)."""
    head = re.match(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"[^>]*>', svg)
    if not legend or head is None:
        return svg
    wide, tall = float(head[1]), float(head[2])
    entries, x, line = [], 14.0, 0
    for name, ink, shape in legend:
        long = 7 * len(name) + 34
        if x > 14 and x + long > wide:
            x, line = 14.0, line + 1
        place = f"translate({x:g},{tall + 12 + _LINE * line:g})"
        text = f'<text x="13" y="4" font-family="{FONT}" font-size="12" fill="{LIGHT["ink"]}">{escape(name)}</text>'
        entries.append(f'<g transform="{place}" fill="{LIGHT[ink]}">{_SHAPE[shape]}{text}</g>')
        x += long
    whole = tall + 8 + _LINE * (line + 1)
    size = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{wide:g}" height="{whole:g}">'
    return f'{size}<rect width="100%" height="100%" fill="{LIGHT["paper"]}"/>{svg}{"".join(entries)}</svg>'


def _quiet(spec: Any) -> Any:
    """Return a declaration in which marks without a sentence of their own have none."""
    if isinstance(spec, list):
        return [_quiet(part) for part in spec]
    if not isinstance(spec, dict):
        return spec
    if "mark" in spec and "description" not in spec.get("encoding", {}):
        return {**spec, "mark": {**spec["mark"], "aria": False}}
    return {key: _quiet(part) if key in ("layer", "hconcat", "vconcat") else part for key, part in spec.items()}


_DATA = ("values", "domain", "sort", "field")  # hold words of the data, not colours
_WORDS = ("title", "text", "description")  # as text they are no colours either


def _coloured(value: Any, colours: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: item if _is_words(key, item) else _coloured(item, colours) for key, item in value.items()}
    if isinstance(value, list):
        return [_coloured(item, colours) for item in value]
    return colours.get(value, value) if isinstance(value, str) else value


def _is_words(key: str, item: Any) -> bool:
    return key in _DATA or (key in _WORDS and isinstance(item, str))


_SENTENCE = re.compile(r' aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="[^"]*"')
_BACKGROUND = re.compile(
    r'<path d=""(?: display="none")?/>|'
    r'<path d="M0(?:\.5)?,0(?:\.5)?h[\d.]*v[\d.]*h-?[\d.]*(?:v-?[\d.]*)?Z"(?: fill="none")?(?: display="none")?/>'
)
_CIRCLE = re.compile(r'<path( data-t="[^"]*")? transform="translate\(([-\d.]+),([-\d.]+)\)" d="M([\d.]+),0A[^"]*"')
_HIDDEN = re.compile(
    r'<text[^>]* opacity="0"[^>]*(?:/>|(?<!/)>.*?</text>)'
)  # labels of an axis that would touch others
_EMPTY = re.compile(r"<g[^>]*/>|<g(?:[^>]*[^/>])?></g>")

_TAG = re.compile(r'<[a-z](?:[^<>"]|"[^"]*")*>')
_ATTRIBUTE = re.compile(r' ([a-z][\w:-]*)="([^"]*)"')
_NOISE = re.compile(r"role|aria-[a-z]+|class|font-family|pointer-events|stroke-miterlimit")
_GEOMETRY = re.compile(
    r"d|transform|points|[xyr]|[xy][12]|c[xy]|width|height|stroke-dasharray|((?:fill-|stroke-)?opacity)"
)
_USUAL = {("opacity", "1"), ("font-size", "12px")}


def svg_of_page(svg: str, label: str) -> str:
    """Return a drawn picture for a page: small, in the page's colours, with a sentence at each mark that has one."""
    svg = _TAG.sub(_small_tag, svg)  # text between tags stays as it is, to the last digit
    svg = _HIDDEN.sub("", _BACKGROUND.sub("", svg))
    svg = _CIRCLE.sub(r'<circle\1 cx="\2" cy="\3" r="\4"', svg)
    svg = svg.replace(' stroke-width="2" stroke-linecap="round"', ' class="i"')
    before = ""
    while before != svg:
        before, svg = svg, _EMPTY.sub("", svg)
    for name, mark in _MARK.items():
        svg = svg.replace(mark, f"var(--{name})")
    head = re.match(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"[^>]*>', svg)
    if head is None:
        raise ValueError(f"Vega wrote no SVG with a size: {svg[:80]}")
    size = f'viewBox="0 0 {head[1]} {head[2]}" width="{head[1]}" height="{head[2]}"'
    return f'<svg {size} role="img" aria-label="{escape(label)}">' + svg[head.end() :]


def _small_tag(tag: re.Match[str]) -> str:
    """Return a tag with its sentence as `data-t`, with rounded coordinates and without attributes that the page does not need."""
    text = _SENTENCE.sub(r' data-t="\1"', tag[0]).replace(' data-t=""', "")  # a place without a value says nothing
    return _ATTRIBUTE.sub(_small_attribute, text)


def _small_attribute(attribute: re.Match[str]) -> str:
    name, value = attribute[1], attribute[2]
    if _NOISE.fullmatch(name) or (name, value) in _USUAL:
        return ""
    geometry = _GEOMETRY.fullmatch(name)
    if geometry is None:
        return attribute[0]
    digits = 2 if geometry[1] else 1
    return f' {name}="{_LONG_NUMBER.sub(lambda number: _shorter(number[0], digits), value)}"'


_LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}")


def _shorter(number: str, digits: int) -> str:
    text = f"{float(number):.{digits}f}"
    return text if digits > 1 else text.removesuffix(".0")
