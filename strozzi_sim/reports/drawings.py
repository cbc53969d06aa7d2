"""Pictures as objects that display in a notebook and can be saved."""

import io
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
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
from strozzi_sim.game.significance import MAX_CHUNKS
from strozzi_sim.reports.content import Part, Shown
from strozzi_sim.reports.declare import rows_of
from strozzi_sim.reports.heat import draw_heat_map, draw_panels
from strozzi_sim.reports.marks import WIDE, Declared
from strozzi_sim.reports.naming import Naming
from strozzi_sim.reports.on_axes import draw_on
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.series import players_title
from strozzi_sim.reports.study_page import maps_of, variants_of
from strozzi_sim.reports.style import STYLE
from strozzi_sim.reports.sweep_findings import name_of_picture
from strozzi_sim.reports.sweep_pictures import sweep_of
from strozzi_sim.reports.vega import Legend, declaration, file_svg, with_legend
from strozzi_sim.reports.writing import paint_pictures
from strozzi_sim.runtime.files import storage_errors

FORMATS = (".png", ".svg", ".pdf")
_HEAT = "heat_"  # prefix of the table names of heat maps
_LETTERS = 88  # maximum letters of a title line
_COLOURS = 128  # colours of a picture in a notebook


class PictureCollector(Painter):
    """Painter that keeps declarations in memory and declares only the wanted picture.

    Attributes:
        wanted: name of the wanted picture; "" declares nothing and only collects names.
        names: names of all available pictures, once per variant and line-up; without the heat maps of a study.
        found: name -> (title, declaration, or heat map with its rows and names).
        legends: name -> legend of the declaration.
        pictures: what `parts` was called with, of the wanted picture.
    """

    def __init__(self, wanted: str = "") -> None:
        super().__init__()
        self.wanted = {wanted, wanted.replace("_", "-")}
        self.names: list[str] = []
        self.found: dict[str, tuple[str, Any]] = {}
        self.legends: dict[str, Legend] = {}
        self.pictures: list[tuple[Picture, pd.DataFrame, Mapping[str, str]]] = []

    def paint(self, declared: Declared, name: str, title: str) -> Shown:
        """Keep the declaration under its name."""
        self.found[name] = title, declared.wide
        self.legends[name] = declared.legend
        return Shown(name, title, "", "", "")

    def parts(
        self, shown: Picture | HeatMap, name: str, rows: pd.DataFrame, words: Mapping[str, str], scenario: str = "",
        components: Mapping[str, Any] | None = None, compared: pd.DataFrame | None = None, width: int = WIDE,
    ) -> list[Part]:  # fmt: skip
        """Note the name, and return the parts if the picture is wanted; skip tables and pictures without values."""
        if isinstance(shown, HeatMap):
            self.names.append(name)
            if self.wants(name):
                self.found[name] = shown.title, partial(draw_heat_map, shown, rows, words, compared)
            return []
        if shown.kind == "table" or rows_of(shown, rows)["value"].isna().all():
            return []
        self.names.append(name)
        if self.wants(name):
            self.pictures.append((shown, rows, words))
        return (
            super().parts(shown, name, rows, words, scenario, components, compared, width) if self.wants(name) else []
        )

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


def drawn(name: str, manifest: Mapping[str, Any], tables: dict[str, Any], game: Game) -> Drawing:
    """Draw the picture of this name, in all its variants and line-ups.

    Raises:
        ArgumentError: the name is unknown; the message lists the names.
        InputError: results of this kind have no pictures.
    """
    book, count = PictureCollector(name), ""
    heat = next((each for each in book.wanted if each.startswith("heat-")), "") if "seats" in tables else ""
    if heat and _HEAT + heat.removeprefix("heat-").replace("-", "_") in tables:
        count = _collect_heat_map(heat, manifest, tables, game, book)
    else:
        paint_pictures(manifest, {key: each for key, each in tables.items() if not _is_heat(key)}, game, book)
    found = {key: each for key, each in book.found.items() if book.wants(key)}
    if not found:
        known = suggest_names(name, names_of(manifest, tables, game))
        raise ArgumentError("name", f"no picture {short_repr(name)} of these games (some need more games); {known}")
    titles = {key: title for key, (title, _) in found.items()}
    figures = {key: figure() if callable(figure) else figure for key, (_, figure) in found.items()}
    table = tables.get(name.replace("-", "_"), tables.get(name))
    whole = _common(list(titles.values()))
    return Drawing(whole, figures, table, {key: title + count for key, title in titles.items()}, book.legends)


def drawn_on(
    axes: Any, players: int | None, name: str, manifest: Mapping[str, Any], tables: dict[str, Any], game: Game
) -> Any:
    """Draw the picture of this name on matplotlib axes and return them; of several variants and line-ups the first.

    Raises:
        ArgumentError: the name is unknown, or a picture of this kind cannot be drawn on axes.
        InputError: results of this kind have no pictures.
    """
    book = PictureCollector(name)
    paint_pictures(manifest, {key: each for key, each in tables.items() if not _is_heat(key)}, game, book)
    if not book.pictures:
        known = suggest_names(name, names_of(manifest, tables, game))
        raise ArgumentError("name", f"no picture {short_repr(name)} that can be drawn on axes; {known}")
    picture, rows, words = book.pictures[0]
    return draw_on(axes, picture, rows, words, players)


def _collect_heat_map(
    name: str, manifest: Mapping[str, Any], tables: dict[str, Any], game: Game, book: PictureCollector
) -> str:
    """Add a heat map of a study to the collector, in all its parts; return what its titles say of the player count."""
    heat_map = maps_of(manifest, game).get(name.removeprefix("heat-"))
    if heat_map is None:
        return ""
    table = tables[_HEAT + name.removeprefix("heat-").replace("-", "_")]
    words = Naming(game, tables, variants_of(manifest)).of_all()
    found = draw_panels(heat_map, table, words, chunks=manifest.get("plan", {}).get("chunks") or MAX_CHUNKS)
    one = table["players"].nunique() == 1 and len(table[["variant", "lineup"]].drop_duplicates()) > 1
    count = f", {players_title(table['players'].iloc[0])}" if one else ""
    for suffix, variant, drawing in found.drawings if found else ():
        book.found[name + suffix] = ": ".join(filter(None, [heat_map.title, variant])), drawing
    return count


def names_of(manifest: Mapping[str, Any], tables: dict[str, Any], game: Game) -> list[str]:
    """Return the picture names, each once, without drawing.

    Raises:
        InputError: results of this kind have no pictures.
    """
    book = PictureCollector()
    paint_pictures(manifest, {key: each for key, each in tables.items() if not _is_heat(key)}, game, book)
    names = list(dict.fromkeys(map(base_name, book.names)))
    if "sweep" in tables:
        names = [*map(name_of_picture, sweep_of(manifest, tables, game).figures), *names]
    for name in manifest.get("report", {}).get("heatmaps", []) if "seats" in tables else []:
        table = tables.get(_HEAT + name.replace("-", "_"))
        if table is not None and table["value"].notna().any():
            names.append(f"heat-{name}")
    return names


def _is_heat(table: str) -> bool:
    return table.startswith(_HEAT)


def _common(titles: list[str]) -> str:
    """Return the common beginning of several titles, in whole parts between colons."""
    parts = zip(*(title.split(": ") for title in titles), strict=False)
    return ": ".join(part[0] for part in takewhile(lambda part: len(set(part)) == 1, parts)) or titles[0]
