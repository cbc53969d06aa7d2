"""Pictures as objects: they show themselves in a notebook, and can be saved."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strozzi_sim.errors import ArgumentError, known_names, shown
from strozzi_sim.kernel.files import storage_errors
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.style import STYLE

FORMATS = (".png", ".svg", ".pdf")
_COLOURS = 128  # of a picture in a notebook


class Sketchbook(Painter):
    """A painter that keeps drawings instead of making files of them.

    Attributes:
        drawings: name of the picture -> (title, matplotlib figure).
    """

    def __init__(self) -> None:
        super().__init__()
        self.drawings: dict[str, tuple[str, Any]] = {}

    def paint(self, drawing: Any, name: str, title: str, *, pixels: bool = False) -> str:
        """Keep it."""
        self.drawings[name] = title, drawing
        return name


@dataclass(frozen=True)
class Drawing:
    """One picture, or several of a kind.

    Attributes:
        title: in words.
        figures: matplotlib figures, by name.
        table: the rows that are drawn, a data frame.
    """

    title: str
    figures: dict[str, Any]
    table: Any = None

    @property
    def figure(self) -> Any:
        """The matplotlib figure; of several, the first."""
        return next(iter(self.figures.values()))

    def save(self, path: str | Path) -> list[Path]:
        """Write the picture to a file; of several, each to a file of its own, numbered.

        Args:
            path: ends in .png, .svg or .pdf; a file of that name is replaced.

        Raises:
            ArgumentError: another ending.
            StorageError: it cannot be written.
        """
        path = Path(path)
        if path.suffix not in FORMATS:
            raise ArgumentError("path", f"must end in {', '.join(FORMATS)}, got {shown(str(path))}")
        written = []
        for number, figure in enumerate(self.figures.values(), 1):
            file = path if len(self.figures) == 1 else path.with_stem(f"{path.stem}-{number}")
            with storage_errors(f"cannot write {file}"):
                file.write_bytes(_bytes(figure, path.suffix[1:]))
            written.append(file)
        return written

    def __repr__(self) -> str:
        """Its title."""
        many = f", {len(self.figures)} figures" if len(self.figures) > 1 else ""
        return f"<Drawing: {self.title}{many}>"

    def _repr_png_(self) -> bytes:
        """All figures below each other, for a notebook."""
        from PIL import Image

        pictures = [Image.open(io.BytesIO(_bytes(figure, "png"))).convert("RGB") for figure in self.figures.values()]
        size = max(picture.width for picture in pictures), sum(picture.height for picture in pictures)
        sheet, top = Image.new("RGB", size, "white"), 0
        for picture in pictures:
            sheet.paste(picture, (0, top))
            top += picture.height
        content = io.BytesIO()
        sheet.quantize(_COLOURS, dither=Image.Dither.NONE).save(content, "PNG", optimize=True)
        return content.getvalue()


def _bytes(figure: Any, kind: str) -> bytes:
    from matplotlib import rc_context

    content = io.BytesIO()
    with rc_context(STYLE):
        figure.savefig(content, format=kind)
    return content.getvalue()


def chosen(name: str, book: Sketchbook, tables: dict[str, Any]) -> Drawing:
    """The picture of that name, in all its variants and line-ups.

    Raises:
        ArgumentError: there is none; lists the names.
    """
    wanted = {name, name.replace("_", "-")}
    found = {key: each for key, each in book.drawings.items() if key.split("--")[0] in wanted or key in wanted}
    if not found:
        known = known_names(name, names_in(book))
        raise ArgumentError("name", f"no picture {shown(name)} of these games (it takes enough of them); {known}")
    title = next(iter(found.values()))[0]
    table = tables.get(name.replace("-", "_"), tables.get(name))
    return Drawing(title, {key: figure for key, (_, figure) in found.items()}, table)


def names_in(book: Sketchbook) -> Sequence[str]:
    """The names of the pictures, each once."""
    return list(dict.fromkeys(key.split("--")[0] for key in book.drawings))
