"""Pictures and tables as parts of a page; with `files`, pictures are also drawn as files."""

from typing import Any

import pandas as pd

from strozzi_sim.game.reporting import Picture
from strozzi_sim.pictures.draw import draw_picture
from strozzi_sim.pictures.ink import WIDE
from strozzi_sim.pictures.marks import Drawn
from strozzi_sim.report.content import Part, Shown
from strozzi_sim.report.html_tables import page_table
from strozzi_sim.report.layout import Scene


class Painter:
    """Renderer of the pictures of a page."""

    def __init__(self, *, files: bool = False) -> None:
        self.drawn: dict[str, bytes] = {}  # files by name
        # picture -> columns and rows of its marks, the last of which are their sentences
        self.marks: dict[str, dict[str, list[Any]]] = {}
        self._files = files

    def paint(self, drawn: Drawn, name: str, title: str) -> Shown:
        """Return a picture for the page, which draws it in place."""
        self.marks[name] = drawn.data()
        if self._files:
            self.drawn |= {f"{name}.{kind}": content for kind, content in drawn.files(title).items()}
        return Shown(name, f"{title}. {len(drawn.marks)} values; the tables have them.", drawn)

    def part(self, shown: Picture, scene: Scene, compared: pd.DataFrame, width: int = WIDE) -> Part | None:
        """Return a picture or table of a scene as a part of an item; None if no row has a value.

        `compared` holds the rows of all parts of the item, which share one scale.
        """
        if shown.kind == "table":
            lines = page_table(shown, scene.rows, scene.words)
            return Part(scene.name, table=lines) if lines else None
        drawn = draw_picture(shown, scene.rows, scene.words, scene.components, compared, width)
        title = f"{shown.title}: {scene.name}" if scene.name else shown.title
        return Part(scene.name, self.paint(drawn, shown.name + scene.slug, title)) if drawn else None
