"""The content of a page: its answer, sections, pictures and tables, before they become HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from markupsafe import Markup

from strozzi_sim.game.reporting import THIN
from strozzi_sim.pictures.heat_tables import HeatTables
from strozzi_sim.pictures.ink import NARROW, WIDE
from strozzi_sim.pictures.marks import Drawn
from strozzi_sim.report.html_tables import PageTable


@dataclass(frozen=True)
class Shown:
    """A picture on a page, which is drawn where the page shows it."""

    name: str  # of its files, without ending
    title: str
    drawn: Drawn

    @property
    def label(self) -> str:
        """The description, for readers who do not see it."""
        return f"{self.title}. {len(self.drawn.marks)} values; the tables have them."

    def svg(self, width: float) -> Markup:
        """Return the picture for a page of a width in pixels."""
        return Markup(self.drawn.svg(width, self.label))

    @property
    def widths(self) -> dict[str, float]:
        """The pictures of the page by the class that shows them: one for paper, if the wide one is wider than that."""
        paper = {"paper": WIDE} if self.drawn.width > WIDE else {}
        return {"wide": self.drawn.width, "narrow": NARROW, **paper}


@dataclass(frozen=True)
class Part:
    """Picture, table, heat map or a page of its own, of one variant and line-up; or a note why there is none."""

    scenario: str  # name of the variant and line-up; "" for a single one
    picture: Shown | None = None
    table: PageTable | None = None
    heat: HeatTables | None = None
    note: str = ""  # sentence about this part
    frame: str = ""  # HTML of the page of its own


@dataclass(frozen=True)
class Item:
    """Picture, table or heat map on the page, with a part for each variant and line-up drawn."""

    title: str  # finding or name
    caption: str  # what is shown, and how it is counted
    parts: tuple[Part, ...]
    anchor: str = ""  # target of links
    left_out: str = ""  # sentence on omitted variants and line-ups

    @property
    def kind(self) -> str:
        """The kind of content: "frame", "heat", "picture" or "table"; "" of notes alone."""
        kinds = ("frame", "heat", "picture", "table")
        return next((kind for kind in kinds if any(getattr(part, kind) for part in self.parts)), "")


@dataclass(frozen=True)
class Section:
    """Section of the page: a question, its finding, a picture, and the figures behind it."""

    anchor: str
    name: str
    question: str
    title: str  # its finding, or its name
    sentences: Sequence[str]  # the first two are shown, the others can be opened
    items: Sequence[Item]  # the first picture or heat map is shown, the others can be opened
    side_by_side: bool = False  # whether the parts of the first picture are shown beside each other
    keys: Sequence[Sequence[str]] = ()  # a small table beside the sentences, its head first

    @property
    def lead(self) -> Item | None:
        """The item of the first picture, or of the first heat map."""
        shown = sorted(
            (item for item in self.items if item.kind in ("picture", "heat")), key=lambda item: item.kind == "heat"
        )
        return next(iter(shown), None)

    @property
    def others(self) -> list[Item]:
        """The items beside it."""
        return [item for item in self.items if item is not self.lead]


@dataclass(frozen=True)
class Number:
    """A number of the first screen: value and half-width as text, and its meaning."""

    value: str
    half_width: str
    what: str


@dataclass(frozen=True)
class Content:
    """Content of a page, in addition to that of its manifest."""

    verdict: str  # the answer of the study, a sentence that can be repeated
    detail: str  # the numbers behind it as text
    numbers: Sequence[Number]  # three of them
    hero: Sequence[Item]  # the answer's picture and tables
    sections: list[Section]
    plan: str  # the plan in a sentence
    facts: list[tuple[str, str]]  # the plan as a short table
    certainty: list[str]  # sentences on the statistical method
    tables: Sequence[str] = ()  # names of the tables in the folder
    glossary: dict[str, str] = field(default_factory=dict)  # word -> meaning
    explorer: str = ""  # data of the explorer, packed
    definitions: dict[str, str] = field(default_factory=dict)  # figure -> how it is counted
    caveat: str = ""  # who played, beside the answer
    caveats: Sequence[str] = ()  # sentences on the data, below the answer

    @property
    def pictures(self) -> dict[str, Shown]:
        """All pictures by name."""
        items = [*self.hero, *(item for section in self.sections for item in section.items)]
        return {part.picture.name: part.picture for item in items for part in item.parts if part.picture}


def marked(sentence: str) -> Markup:
    """Convert a sentence to HTML: back-ticks mark code, and a number keeps its per cent sign."""
    sentence = re.sub(r"(\d) %", rf"\1{THIN}%", sentence)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(sentence, quote=False)))
