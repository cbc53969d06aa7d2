"""Draw declared pictures as files and for the page; a picture, table or heat map becomes a part of an item."""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import Picture
from strozzi_sim.pictures.declare import declare
from strozzi_sim.pictures.marks import WIDE, Declared
from strozzi_sim.pictures.vega import Spec, declaration, drawn, files_of, svg_of_page
from strozzi_sim.report.content import Part, Shown
from strozzi_sim.report.heat_tables import heat_tables
from strozzi_sim.report.html_tables import page_table

_MARK = re.compile(r"<!--picture (\d+)-->")


class Painter:
    """Renderer of pictures for a page and, with `files`, as files.

    Args:
        files: whether pictures are also drawn as files.

    Attributes:
        drawn: file name -> content of the file.
        declarations: name of a picture -> its declaration, which holds its data.
    """

    def __init__(self, *, files: bool = False) -> None:
        self.drawn: dict[str, bytes] = {}
        self.declarations: dict[str, Spec] = {}
        self._files = files
        self._jobs: list[tuple[Spec, str]] = []
        self._of_files: dict[str, Declared] = {}
        self._svg: dict[int, str] = {}

    def paint(self, declared: Declared, name: str, title: str) -> Shown:
        """Declare a picture and return it for the page, in which `finished` draws it."""
        titled = {**declared.wide, "title": title} if self._files else declared.wide
        if self._files:
            self._of_files[name] = declared
        self.declarations[name] = declaration({**titled, "description": title})
        label = f"{title}. {declared.rows} values; the tables have them."
        wide, narrow = (f"<!--picture {len(self._jobs) + k}-->" for k in range(2))
        self._jobs += [(declared.wide, label), (declared.narrow, label)]
        return Shown(name, declared.title or title, label, wide, narrow, declared.legend, declared.n)

    def finished(self, page: str) -> str:
        """Return a page with its pictures drawn, and draw the files; one by one: a worker process could outlive a killed run."""
        found: dict[int, str] = {}
        for number in [int(number) for number in _MARK.findall(page)]:
            spec, label = self._jobs[number]
            svg = self._drawn_once(spec)
            found[number] = svg_of_page(svg, label)
        for name, declared in self._of_files.items():
            files = files_of(self._drawn_once(declared.wide), declared.legend)
            self.drawn |= {f"{name}.{kind}": content for kind, content in files.items()}
        return _MARK.sub(lambda mark: found[int(mark[1])], page)

    def _drawn_once(self, spec: Spec) -> str:
        if id(spec) not in self._svg:
            self._svg[id(spec)] = drawn(spec)
        return self._svg[id(spec)]

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
        declared = declare(shown, rows, words, components, compared, width)
        title = f"{shown.title}: {scenario}" if scenario else shown.title
        return [] if declared is None else [Part(scenario, self.paint(declared, name, title))]
