"""Render drawings as picture files and as inline HTML for the page."""

import base64
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure as Drawing
from PIL import Image

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import Picture
from strozzi_sim.reports.figures import draw
from strozzi_sim.reports.heat import draw_heat_map
from strozzi_sim.reports.html_tables import PageTable, page_table
from strozzi_sim.reports.style import STYLE

_INKS = 128  # colours of an inline PNG


@dataclass(frozen=True)
class Part:
    """Picture or table of one variant and line-up.

    Attributes:
        scenario: name of the variant and line-up; "" for a single one.
        html: picture as HTML. file: name of its file without suffix.
        table: table.
        players: player count at which the part is shown; 0: all.
        note: sentence about this part.
    """

    scenario: str
    html: str
    file: str
    table: PageTable | None
    players: int = 0
    note: str = ""


class Painter:
    """Renderer of drawings; returns their HTML for the page and collects their files.

    Attributes:
        drawn: path within the results folder -> content of the file.
        by_players: whether heat maps have one drawing per player count, since a page shows one count at a time.
    """

    by_players = True

    def __init__(self, phase: Callable[[str, int, int], None] | None = None) -> None:
        self.drawn: dict[str, bytes] = {}
        self._phase = phase

    def wants(self, name: str) -> bool:
        """Return whether the picture of this name is to be drawn."""
        return True

    def paint(self, drawing: Drawing, name: str, title: str, *, pixels: bool = False) -> str:
        """Render a drawing as PNG and SVG files; return its HTML, an inline SVG or, with `pixels`, an inline PNG."""
        if self._phase is not None:
            self._phase("pictures", len(self.drawn) // 2, 0)
        with rc_context(STYLE):
            for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
                picture = io.BytesIO()
                drawing.savefig(picture, format=kind, metadata=metadata)
                self.drawn[f"figures/{name}.{kind}"] = picture.getvalue()
        if pixels:
            return inline_png(self.drawn[f"figures/{name}.png"], title)
        return inline_svg(self.drawn[f"figures/{name}.svg"].decode("utf-8"), name, title)

    def parts(
        self, shown: Picture | HeatMap, name: str, rows: pd.DataFrame, words: Mapping[str, str], scenario: str = "",
        components: Mapping[str, Any] | None = None, compared: pd.DataFrame | None = None,
    ) -> list[Part]:  # fmt: skip
        """Return the picture, table or heat map of these rows as a part of an item; empty if no row has a value.

        `components` is the component data of the rows' variant, required by boards; `compared` holds the rows of all
        parts of the item, which share one scale.
        """
        if isinstance(shown, Picture) and shown.kind == "table":
            lines = page_table(shown, rows, words)
            return [] if lines is None else [Part(scenario, "", "", lines)]
        if isinstance(shown, Picture):
            drawing = draw(shown, rows, words, components, compared)
        else:
            drawing = draw_heat_map(shown, rows, words, compared)
        title = f"{shown.title}: {scenario}" if scenario else shown.title
        return [] if drawing is None else [Part(scenario, self.paint(drawing, name, title), name, None)]


def inline_svg(text: str, name: str, title: str) -> str:
    """Return an SVG file for inclusion in HTML: no prologue, unique ids, size and font set by the page."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r'<g id="text_\d+">', "<g>", text)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", text)
    text = re.sub(
        r'<svg [^>]*?viewBox="([^"]*)"[^>]*>',
        r'<svg viewBox="\1" role="img" aria-label="@label@" style="font-family: var(--sans)">',
        text,
        count=1,
    )
    text = re.sub(r"(font: [^;\"]*?)'DejaVu Sans'[^;\"]*", r"\1var(--sans)", text)
    text = re.sub(r" font-family: 'DejaVu Sans'[^;\"]*;", "", text)
    text = re.sub(r' transform="rotate\(-0 [^)]*\)"', "", text)
    text = re.sub(r' (?:x|y|d)="[^"]*"', _rounded, text)
    text = re.sub(r">\s+<", "><", text)
    return text.replace("@label@", escape(title), 1)


def _rounded(attribute: re.Match[str]) -> str:
    """Return the attribute on one line, with coordinates cut to a hundredth of a point."""
    return " " + re.sub(r"(\.\d\d)\d+", r"\1", " ".join(attribute[0].split()))


def inline_png(picture: bytes, title: str) -> str:
    """Return a PNG file as an inline HTML image with a reduced palette."""
    few = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as image:
        image.convert("RGB").quantize(_INKS, dither=Image.Dither.NONE).save(few, "PNG", optimize=True)
    return f'<img alt="{escape(title)}" src="data:image/png;base64,{base64.b64encode(few.getvalue()).decode()}">'
