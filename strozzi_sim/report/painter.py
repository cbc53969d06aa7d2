"""Pictures, tables and heat maps as parts of a page; with `files`, pictures are also drawn as files."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import Picture
from strozzi_sim.pictures.draw import draw_picture
from strozzi_sim.pictures.heat_tables import heat_tables
from strozzi_sim.pictures.ink import WIDE
from strozzi_sim.pictures.marks import Drawn
from strozzi_sim.report.content import Part, Shown
from strozzi_sim.report.html_tables import page_table


class Painter:
    """Renderer of the pictures of a page.

    Args:
        files: whether pictures are also drawn as files.

    Attributes:
        drawn: file name -> content of the file.
        marks: name of a picture -> columns and rows of its marks, the last of which are their sentences.
    """

    def __init__(self, *, files: bool = False) -> None:
        self.drawn: dict[str, bytes] = {}
        self.marks: dict[str, dict[str, list[Any]]] = {}
        self._files = files

    def paint(self, drawn: Drawn, name: str, title: str) -> Shown:
        """Return a picture for the page, which draws it where it shows it."""
        self.marks[name] = drawn.data()
        if self._files:
            self.drawn |= {f"{name}.{kind}": content for kind, content in drawn.files(title).items()}
        label = f"{title}. {len(drawn.marks)} values; the tables have them."
        return Shown(name, label, drawn)

    def parts(
        self, shown: Picture | HeatMap, name: str, rows: pd.DataFrame, words: Mapping[str, str], scenario: str = "",
        components: Mapping[str, Any] | None = None, compared: pd.DataFrame | None = None, width: int = WIDE,
    ) -> list[Part]:  # fmt: skip
        """Return the picture, table or heat map of these rows as a part of an item; empty if no row has a value.

        `components` is the component data of the rows' variant, required by boards; `compared` holds the rows of all
        parts of the item, which share one scale.
        """
        if isinstance(shown, HeatMap):
            heat = heat_tables(shown, rows, words, compared=compared)
            return [] if heat is None else [Part(scenario, heat=heat)]
        if shown.kind == "table":
            lines = page_table(shown, rows, words)
            return [] if lines is None else [Part(scenario, table=lines)]
        drawn = draw_picture(shown, rows, words, components, compared, width)
        title = f"{shown.title}: {scenario}" if scenario else shown.title
        return [] if drawn is None else [Part(scenario, self.paint(drawn, name, title))]
