"""Pictures as objects that display in a notebook and can be saved."""

import io
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.transforms import Bbox
from PIL import Image

from strozzi_sim.errors import ArgumentError, short_repr, suggest_names
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Picture
from strozzi_sim.reports.figures import rows_of
from strozzi_sim.reports.painter import Painter, Part
from strozzi_sim.reports.series import players_title
from strozzi_sim.reports.style import STYLE
from strozzi_sim.reports.sweep_findings import name_of_picture
from strozzi_sim.reports.sweep_pictures import sweep_of
from strozzi_sim.reports.writing import paint_pictures
from strozzi_sim.runtime.files import storage_errors

FORMATS = (".png", ".svg", ".pdf")
_HEAT = "heat_"  # prefix of the table names of heat maps
_LETTERS = 88  # maximum letters of a title line
_COLOURS = 128  # colours of a picture in a notebook


class FigureCollector(Painter):
    """Painter that keeps drawings in memory and draws only the wanted picture.

    Attributes:
        wanted: name of the wanted picture; "" draws nothing and only collects names.
        names: names of all available pictures, once per variant and line-up; without the heat maps of a study.
        drawings: picture name -> (title, matplotlib figure).
    """

    by_players = False

    def __init__(self, wanted: str = "") -> None:
        super().__init__()
        self.wanted = {wanted, wanted.replace("_", "-")}
        self.names: list[str] = []
        self.drawings: dict[str, tuple[str, Any]] = {}

    def paint(self, drawing: Any, name: str, title: str, *, pixels: bool = False) -> str:
        """Store the drawing under its name and return the name."""
        self.drawings[name] = title, drawing
        return name

    def parts(
        self, shown: Picture | HeatMap, name: str, rows: pd.DataFrame, words: Mapping[str, str], scenario: str = "",
        components: Mapping[str, Any] | None = None, compared: pd.DataFrame | None = None,
    ) -> list[Part]:  # fmt: skip
        """Note the name, and return the parts if the picture is wanted; skip tables and pictures without values."""
        if isinstance(shown, Picture) and (shown.kind == "table" or rows_of(shown, rows)["value"].isna().all()):
            return []
        self.names.append(name)
        return super().parts(shown, name, rows, words, scenario, components, compared) if self.wants(name) else []

    def wants(self, name: str) -> bool:
        """Return whether `name` is the wanted picture, in any variant and line-up."""
        return name in self.wanted or base_name(name) in self.wanted


def base_name(name: str) -> str:
    """Return a picture's name without the suffix of its variant and line-up."""
    return name.split("--")[0]


@dataclass(frozen=True)
class Drawing:
    """One picture, possibly as several figures.

    Attributes:
        title: title of the picture.
        figures: matplotlib figures by name.
        table: drawn rows, a data frame.
        titles: title of each figure by name; several figures also name their variant and line-up.
    """

    title: str
    figures: dict[str, Any]
    table: Any = None
    titles: dict[str, str] = field(default_factory=dict)

    @property
    def figure(self) -> Any:
        """The (first) matplotlib figure."""
        return next(iter(self.figures.values()))

    def save(self, path: str | Path) -> list[Path]:
        """Write the picture to a file and return the written paths; several figures get numbered files.

        Args:
            path: file name ending in .png, .svg or .pdf; an existing file is replaced.

        Raises:
            ArgumentError: the ending is not supported.
            StorageError: a file cannot be written.
        """
        path = Path(path)
        if path.suffix not in FORMATS:
            raise ArgumentError("path", f"must end in {', '.join(FORMATS)}, got {short_repr(str(path))}")
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
        figure, content = self.figures[name], io.BytesIO()
        width, height = figure.get_size_inches()
        title = textwrap.fill(self.titles.get(name, self.title), _LETTERS)
        above = 0.2 + 0.16 * title.count("\n") + 0.1
        with rc_context(STYLE):
            words = figure.text(
                0.08 / width, 1 + 0.05 / height, title, fontsize=9.5, fontweight="bold", ha="left", va="bottom"
            )
            try:
                figure.savefig(content, format=kind, bbox_inches=Bbox.from_extents(0, 0, width, height + above))
            finally:
                words.remove()
        return content.getvalue()


def drawn(name: str, manifest: Mapping[str, Any], tables: dict[str, Any], game: Game) -> Drawing:
    """Draw the picture of this name, in all its variants and line-ups.

    Raises:
        ArgumentError: the name is unknown; the message lists the names.
        InputError: results of this kind have no pictures.
    """
    book = FigureCollector(name)
    own = {_HEAT + each.removeprefix("heat-").replace("-", "_") for each in map(base_name, book.wanted)}
    paint_pictures(manifest, {key: each for key, each in tables.items() if not _is_heat(key) or key in own}, game, book)
    found = {key: each for key, each in book.drawings.items() if book.wants(key)}
    if not found:
        known = suggest_names(name, names_of(manifest, tables, game))
        raise ArgumentError("name", f"no picture {short_repr(name)} of these games (some need more games); {known}")
    titles = {key: title for key, (title, _) in found.items()}
    table = tables.get(name.replace("-", "_"), tables.get(name))
    whole, count = _common(list(titles.values())), _count_of(own, tables)
    return Drawing(
        whole,
        {key: figure for key, (_, figure) in found.items()},
        table,
        {key: title + count for key, title in titles.items()},
    )


def names_of(manifest: Mapping[str, Any], tables: dict[str, Any], game: Game) -> list[str]:
    """Return the picture names, each once, without drawing.

    Raises:
        InputError: results of this kind have no pictures.
    """
    book = FigureCollector()
    paint_pictures(manifest, {key: each for key, each in tables.items() if not _is_heat(key)}, game, book)
    names = list(dict.fromkeys(map(base_name, book.names)))
    if "sweep" in tables:
        names = [*map(name_of_picture, sweep_of(manifest, tables, game).figures), *names]
    for name in manifest.get("report", {}).get("heatmaps", []) if "seats" in tables else []:
        table = tables.get(_HEAT + name.replace("-", "_"))
        if table is not None and table["value"].notna().any():
            names.append(f"heat-{name}")
    return names


def _count_of(own: set[str], tables: dict[str, Any]) -> str:
    """Return the title suffix with the player count of a heat map whose panels are variants or line-ups; else ""."""
    (table,) = [tables[key] for key in own if key in tables] or [None]
    if table is None or table["players"].nunique() > 1 or len(table[["variant", "lineup"]].drop_duplicates()) == 1:
        return ""
    return f", {players_title(table['players'].iloc[0])}"


def _is_heat(table: str) -> bool:
    return table.startswith(_HEAT)


def _common(titles: list[str]) -> str:
    """Return the common beginning of several titles, in whole parts between colons."""
    parts = zip(*(title.split(": ") for title in titles), strict=False)
    return ": ".join(part[0] for part in takewhile(lambda part: len(set(part)) == 1, parts)) or titles[0]
