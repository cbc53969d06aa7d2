"""The content of a page: its answer, sections, pictures and tables, before they become HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from markupsafe import Markup

from strozzi_sim.declare.printing import THIN
from strozzi_sim.pictures.heat import HeatTables
from strozzi_sim.pictures.marks import Chart
from strozzi_sim.report.html_tables import PageTable

# what is shown of one variant and line-up; text is the HTML of an embedded page
ItemPart = Chart | PageTable | HeatTables | str
_KINDS = {Chart: "picture", PageTable: "table", HeatTables: "heat", str: "frame"}


@dataclass(frozen=True)
class Item:
    """A picture, table, heat map or embedded page, with notes.

    A picture or table can have a part for each variant with a line-up.
    """

    title: str  # finding or name
    caption: str  # what is shown, and how it is counted
    parts: Sequence[
        tuple[str, ItemPart]
    ]  # name of the variant and line-up ("" for a single one or several), and its part
    anchor: str = ""  # target of links
    notes: Sequence[str] = ()  # sentences on what is not shown
    left_out: str = ""  # sentence on omitted variants and line-ups

    @property
    def kind(self) -> str:
        """The kind of all parts: "frame", "heat", "picture" or "table"; "" if there are only notes."""
        return _KINDS[type(self.parts[0][1])] if self.parts else ""


@dataclass(frozen=True)
class PageSection:
    """A section of the page: a question, its finding, a picture if it has one, and the figures behind it."""

    anchor: str
    name: str
    question: str
    title: str  # its finding, or its name
    sentences: Sequence[str]  # the first two are shown, the others can be opened
    items: Sequence[Item]  # `lead` is shown, the others can be opened
    side_by_side: bool = False  # whether the first three parts of `lead` are shown beside each other
    keys: Sequence[Sequence[str]] = ()  # rows of a small table below the sentences, its head first

    @property
    def lead(self) -> Item | None:
        """The first item with a picture, else the first with a heat map, else None."""
        shown = (item for item in self.items if item.kind in ("picture", "heat"))
        return min(shown, key=lambda item: item.kind == "heat", default=None)

    @property
    def others(self) -> list[Item]:
        """All items except the lead."""
        return [item for item in self.items if item is not self.lead]


@dataclass(frozen=True)
class Number:
    """A number of the first screen."""

    value: str
    interval: str  # "± 2" or "(20 to 29)"; "" without an interval
    what: str  # meaning of the number


@dataclass(frozen=True)
class Content:
    """Content of a page, in addition to that of its manifest."""

    verdict: str  # the answer of the study, a sentence that can be quoted
    detail: str  # the numbers behind it as text
    numbers: Sequence[Number]  # at most three
    hero: Sequence[Item]  # the answer's picture or heat map, and its tables; may be empty
    sections: list[PageSection]
    plan: str  # the plan in a sentence
    facts: list[tuple[str, str]]  # the plan as a short table
    certainty: list[str]  # sentences on the statistical method
    tables: Sequence[str] = ()  # names of the tables in the results folder; () without one
    glossary: dict[str, str] = field(default_factory=dict)  # word -> meaning
    explorer: str = ""  # packed data of the explorer; "" for a page without one
    definitions: dict[str, str] = field(default_factory=dict)  # figure -> how it is counted
    caveat: str = ""  # who played or judged, below the answer
    caveats: Sequence[str] = ()  # further sentences on the data, below the answer

    @property
    def pictures(self) -> dict[str, Chart]:
        """All pictures of the page by name."""
        items = [*self.hero, *(item for section in self.sections for item in section.items)]
        return {part.name: part for item in items for _, part in item.parts if isinstance(part, Chart)}


def marked(sentence: str) -> Markup:
    """Convert a sentence to HTML: back-ticks mark code, and no line break separates a number from its per cent sign."""
    sentence = re.sub(r"(\d) %", rf"\1{THIN}%", sentence)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(sentence, quote=False)))
