"""Pictures as objects that display in a notebook and can be saved."""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.pictures.marks import PAPER, Drawn
from strozzi_sim.runtime.files import storage_errors

FORMATS = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Drawing:
    """One picture, possibly as several figures."""

    title: str
    drawn: dict[str, Drawn]  # the figures by name
    table: Any = None  # drawn rows, a data frame
    titles: dict[str, str] = field(
        default_factory=dict
    )  # title of each figure by name; several also name their variant and line-up

    @property
    def figures(self) -> dict[str, Any]:
        """The pictures as matplotlib figures by name."""
        return {name: each.figure(each.width, self.titles.get(name, self.title), PAPER) for name, each in self.drawn.items()}  # fmt: skip

    @property
    def figure(self) -> Any:
        """The (first) matplotlib figure."""
        return next(iter(self.figures.values()))

    def save(self, path: str | Path) -> list[Path]:
        """Write the picture to a .png, .svg or .pdf file, which is replaced, and return the written paths; several figures get numbered files."""
        path = Path(path)
        if path.suffix not in FORMATS:
            raise ArgumentError("path", f"must end in {', '.join(FORMATS)}, got {short_repr(str(path))}")
        written = []
        for number, content in enumerate(self._files(path.suffix[1:]), 1):
            file = path if len(self.drawn) == 1 else path.with_stem(f"{path.stem}-{number}")
            with storage_errors(f"cannot write {file}"):
                file.write_bytes(content)
            written.append(file)
        return written

    def __repr__(self) -> str:
        """Return the title and the number of figures."""
        many = f", {len(self.drawn)} figures" if len(self.drawn) > 1 else ""
        return f"<Drawing: {self.title}{many}>"

    def _repr_png_(self) -> bytes:
        """Return all figures stacked vertically, as PNG for a notebook."""
        files = self._files("png")
        if len(files) == 1:
            return files[0]
        pictures = [Image.open(io.BytesIO(content)).convert("RGB") for content in files]
        size = max(picture.width for picture in pictures), sum(picture.height for picture in pictures)
        sheet, top = Image.new("RGB", size, pictures[0].getpixel((0, 0))), 0
        for picture in pictures:
            sheet.paste(picture, (0, top))
            top += picture.height
        content = io.BytesIO()
        sheet.quantize(dither=Image.Dither.NONE).save(content, "PNG")
        return content.getvalue()

    def _files(self, kind: str) -> list[bytes]:
        return [each.files(self.titles.get(name, self.title), [kind])[kind] for name, each in self.drawn.items()]
