"""Pictures as objects that display in a notebook and can be saved."""

import io
import json
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.transforms import Bbox
from PIL import Image

from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.pictures.style import STYLE
from strozzi_sim.pictures.vega import Legend, declaration, file_svg, with_legend
from strozzi_sim.runtime.files import storage_errors

FORMATS = (".png", ".svg", ".pdf")
_LETTERS = 88  # maximum letters of a title line
_COLOURS = 128  # colours of a picture in a notebook


@dataclass(frozen=True)
class Drawing:
    """One picture, possibly as several figures.

    Attributes:
        title: title of the picture.
        figures: Vega-Lite declarations by name; of heat maps, matplotlib figures.
        table: drawn rows, a data frame.
        titles: title of each figure by name; several figures also name their variant and line-up.
        legends: (name, colour, shape) of the series of each declaration, which files have below.
    """

    title: str
    figures: dict[str, Any]
    table: Any = None
    titles: dict[str, str] = field(default_factory=dict)
    legends: dict[str, Legend] = field(default_factory=dict)

    @property
    def figure(self) -> Any:
        """The (first) figure: a Vega-Lite declaration with its data, or of a heat map a matplotlib figure."""
        return next(iter(self.figures.values()))

    def save(self, path: str | Path) -> list[Path]:
        """Write the picture to a file and return the written paths; several figures get numbered files.

        Args:
            path: file name ending in .png, .svg, .pdf or, for a declaration, .json; an existing file is replaced.

        Raises:
            ArgumentError: the ending is not supported.
            StorageError: a file cannot be written.
        """
        path = Path(path)
        formats = (
            FORMATS if not all(isinstance(figure, dict) for figure in self.figures.values()) else (*FORMATS, ".json")
        )
        if path.suffix not in formats:
            raise ArgumentError("path", f"must end in {', '.join(formats)}, got {short_repr(str(path))}")
        written = []
        for number, name in enumerate(self.figures, 1):
            file = path if len(self.figures) == 1 else path.with_stem(f"{path.stem}-{number}")
            with storage_errors(f"cannot write {file}"):
                file.write_bytes(self._bytes(name, path.suffix[1:]))
            written.append(file)
        return written

    def __repr__(self) -> str:
        """Return the title and the number of figures."""
        many = f", {len(self.figures)} figures" if len(self.figures) > 1 else ""
        return f"<Drawing: {self.title}{many}>"

    def _repr_png_(self) -> bytes:
        """Return all figures stacked vertically, as PNG for a notebook."""
        pictures = [Image.open(io.BytesIO(self._bytes(name, "png"))).convert("RGB") for name in self.figures]
        size = max(picture.width for picture in pictures), sum(picture.height for picture in pictures)
        sheet, top = Image.new("RGB", size, "white"), 0
        for picture in pictures:
            sheet.paste(picture, (0, top))
            top += picture.height
        content = io.BytesIO()
        sheet.quantize(_COLOURS, dither=Image.Dither.NONE).save(content, "PNG", optimize=True)
        return content.getvalue()

    def _bytes(self, name: str, kind: str) -> bytes:
        """Return a figure, with its title above, as a file of this format."""
        figure, title = self.figures[name], textwrap.wrap(self.titles.get(name, self.title), _LETTERS)
        if not isinstance(figure, dict):
            return _heat_map_bytes(figure, title, kind)
        import vl_convert

        titled = {**figure, "title": {"text": title, "anchor": "start", "fontSize": 14, "offset": 14}}
        if kind == "json":
            return json.dumps(declaration(titled), indent=1).encode()
        svg = with_legend(file_svg(titled), self.legends.get(name, ()))
        if kind == "svg":
            return svg.encode()
        return bytes(vl_convert.svg_to_png(svg, scale=2) if kind == "png" else vl_convert.svg_to_pdf(svg))


def _heat_map_bytes(figure: Any, title: list[str], kind: str) -> bytes:
    """Return a matplotlib figure, with its title above, as a file of this format."""
    content = io.BytesIO()
    width, height = figure.get_size_inches()
    above = 0.14 + 0.16 * len(title)
    with rc_context(STYLE):
        look: Any = {"fontsize": 9.5, "fontweight": "bold", "ha": "left", "va": "bottom"}
        words = figure.text(0.08 / width, 1 + 0.05 / height, "\n".join(title), **look)
        try:
            figure.savefig(content, format=kind, bbox_inches=Bbox.from_extents(0, 0, width, height + above))
        finally:
            words.remove()
    return content.getvalue()
