"""Draw the pictures that games and studies declare, and save them or show them in a notebook."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image

from strozzi_sim.declare.figure_tables import Words
from strozzi_sim.declare.pictures import Picture
from strozzi_sim.errors import ArgumentError, short_repr
from strozzi_sim.pictures.bars import draw_bars, draw_spread
from strozzi_sim.pictures.boards import draw_board
from strozzi_sim.pictures.ink import WIDE
from strozzi_sim.pictures.marks import Chart, rows_of
from strozzi_sim.pictures.points import draw_points, draw_scatter
from strozzi_sim.pictures.series import levels_of
from strozzi_sim.runtime.files import PICTURE, write_replacing

FORMATS = (".png", ".svg", ".pdf")
_KINDS: Mapping[str, Any] = {"bars": draw_bars, "spread": draw_spread, "scatter": draw_scatter}


def draw_picture(
    picture: Picture,
    table: pd.DataFrame,
    words: Words,
    components: Mapping[str, Any] | None = None,
    compared: pd.DataFrame | None = None,
    width: int = WIDE,
) -> Chart | None:
    """Return a picture of any kind except "table" as a chart; None if it has no value to show.

    `table` has the rows of one variant and line-up (of several if the series is "scenario"), `words` is raw value ->
    display name, `components` the component data of the variant, without which there is no board, and `compared` has
    the rows that set the scale and the order of levels; default: the table. `width` is that of the chart, in pixels.
    """
    rows = rows_of(picture, table)
    if rows["value"].isna().all():
        return None
    all_rows = rows if compared is None else rows_of(picture, compared)
    chart: Chart | None = None
    if picture.kind != "board":
        if picture.x in rows:  # the order of levels is that of all rows
            picture = replace(picture, levels=tuple(levels_of(picture, all_rows)))
        draw = _KINDS.get(picture.kind, draw_points)
        chart = draw(picture, rows.dropna(subset="value"), words, all_rows.dropna(subset="value"), width)
    elif components:
        chart = draw_board(picture, rows, components, all_rows, width)
    return replace(chart, name=picture.name, title=picture.title) if chart else None


@dataclass(frozen=True)
class Drawing:
    """A picture as one chart, or one per variant and line-up."""

    title: str
    charts: Sequence[Chart]
    table: Any = None  # the data frame that contains their rows

    @property
    def figures(self) -> dict[str, Any]:
        """The figures by name, drawn by matplotlib; every access draws them again."""
        return {chart.name: chart.figure for chart in self.charts}

    @property
    def figure(self) -> Any:
        """The first of `figures`."""
        return next(iter(self.figures.values()))

    def save(self, path: str | Path, *, overwrite: bool = False) -> list[Path]:
        """Write the picture to a .png, .svg or .pdf file, or several figures to numbered files; return the paths.

        Only a picture of ours is replaced, unless `overwrite`.
        """
        path = Path(path)
        if path.suffix not in FORMATS:
            raise ArgumentError("path", f"must end in {', '.join(FORMATS)}, got {short_repr(str(path))}")
        contents = self._files(path.suffix[1:])
        paths = [path] if len(contents) == 1 else [path.with_stem(f"{path.stem}-{k + 1}") for k in range(len(contents))]
        write_replacing(dict(zip(paths, contents, strict=True)), PICTURE, overwrite=overwrite)
        return paths

    def __repr__(self) -> str:
        number = f", {len(self.charts)} figures" if len(self.charts) > 1 else ""
        return f"<Drawing: {self.title}{number}>"

    def _repr_png_(self) -> bytes:
        files = self._files("png")
        if len(files) == 1:
            return files[0]
        images = [Image.open(io.BytesIO(content)).convert("RGB") for content in files]
        *tops, height = accumulate((image.height for image in images), initial=0)
        sheet = Image.new("RGB", (max(image.width for image in images), height), images[0].getpixel((0, 0)))
        for image, top in zip(images, tops, strict=True):
            sheet.paste(image, (0, top))
        content = io.BytesIO()
        sheet.quantize(dither=Image.Dither.NONE).save(content, "PNG")
        return content.getvalue()

    def _files(self, kind: str) -> list[bytes]:
        return [chart.files([kind])[kind] for chart in self.charts]
