"""The content of a page: its answer, sections, pictures and tables, before they become HTML."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from markupsafe import Markup

from strozzi_sim.game.reporting import THIN
from strozzi_sim.pictures.heat_tables import HeatTables
from strozzi_sim.pictures.ink import NARROW
from strozzi_sim.pictures.marks import Drawn
from strozzi_sim.report.html_tables import PageTable

_CELL = re.compile(r"^(\d players[^:]*?(?:\([^)]*\))?): (.)", re.DOTALL)  # a sentence with the name of its games
_SHORT = 260  # letters of a paragraph beside a picture


@dataclass(frozen=True)
class Shown:
    """A picture on a page, which is drawn where the page shows it."""

    name: str  # of its files, without ending
    label: str  # description, for readers who do not see it
    drawn: Drawn

    @property
    def wide(self) -> Markup:
        """The picture as SVG for a wide page."""
        return Markup(self.drawn.svg(self.drawn.width, self.label))

    @property
    def narrow(self) -> Markup:
        """The picture as SVG for a narrow page."""
        return Markup(self.drawn.svg(NARROW, self.label))


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
    def is_frame(self) -> bool:
        """Whether it shows a page of its own."""
        return any(part.frame for part in self.parts)

    @property
    def is_heat_map(self) -> bool:
        """Whether it shows a heat map."""
        return any(part.heat for part in self.parts)

    @property
    def is_picture(self) -> bool:
        """Whether it has a picture."""
        return any(part.picture for part in self.parts)


@dataclass(frozen=True)
class Section:
    """Section of the page: a question, its finding, a picture, and the figures behind it."""

    anchor: str
    name: str
    question: str
    title: Markup  # its finding, or its name
    paragraphs: tuple[Markup, ...]  # those of one group of games in a paragraph
    items: tuple[Item, ...]  # the first picture or heat map is shown, the others can be opened
    side_by_side: bool = False  # whether the parts of the first picture are shown beside each other

    @property
    def shown(self) -> tuple[Markup, ...]:
        """The beginning of the first two paragraphs, as far as it is short."""
        regular = [paragraph for paragraph in self.paragraphs if not paragraph.startswith("Footnote")]
        return tuple(_beginning(paragraph) for paragraph in regular[:2])

    @property
    def hidden(self) -> tuple[Markup, ...]:
        """All paragraphs, if not all is shown."""
        return () if self.shown == self.paragraphs else self.paragraphs

    @property
    def lead(self) -> Item | None:
        """The item of the first picture, or of the first heat map."""
        pictures = [item for item in self.items if item.is_picture] or [item for item in self.items if item.is_heat_map]
        return next(iter(pictures), None)

    @property
    def others(self) -> tuple[Item, ...]:
        """The items beside it."""
        return tuple(item for item in self.items if item is not self.lead)


@dataclass(frozen=True)
class Number:
    """A number of the answer: value and half-width as text, and its meaning."""

    value: str
    half_width: str
    what: str


@dataclass(frozen=True)
class Answer:
    """The answer of a study: one sentence that can be repeated, a text with the numbers behind it, and three numbers."""

    verdict: str
    detail: str = ""
    numbers: tuple[Number, ...] = ()


@dataclass(frozen=True)
class Content:
    """Content of a page, in addition to that of its manifest."""

    answer: Answer
    hero: tuple[Item, ...]  # the answer's picture and tables
    sections: list[Section]
    plan: str  # the plan in a sentence
    facts: list[tuple[str, str]]  # the plan as a short table
    certainty: list[str]  # sentences on the statistical method
    tables: list[str]  # names of the tables in the folder
    glossary: dict[str, str]  # word -> meaning
    explorer: str = ""  # data of the explorer, packed
    definitions: dict[str, str] = field(default_factory=dict)  # figure -> how it is counted
    caveat: str = ""  # who played, beside the answer
    caveats: Sequence[str] = ()  # sentences on the data, below the answer


def section(
    anchor: str, name: str, question: str, sentences: Sequence[str], items: Iterable[Item], finding: str = "",
    *, side_by_side: bool = False,
) -> Section:  # fmt: skip
    """Return a section, without empty items; its title is the finding, or its name."""
    shown = tuple(item for item in items if item.parts)
    return Section(anchor, name, question, marked(finding or name), paragraphs(sentences), shown, side_by_side)


def paragraphs(sentences: Sequence[str]) -> tuple[Markup, ...]:
    """Return sentences as paragraphs: those about the same games are one, which begins with their name."""
    groups: list[tuple[str, list[str]]] = []
    for sentence in sentences:
        match = _CELL.match(sentence)
        name, text = (match[1], match[2].upper() + sentence[match.end() :]) if match else ("", sentence)
        if not groups or groups[-1][0] != name or not name:
            groups.append((name, []))
        groups[-1][1].append(text)
    return tuple(marked((f"*{name}.* " if name else "") + " ".join(texts)) for name, texts in groups)


def _beginning(paragraph: Markup) -> Markup:
    """Return the first sentences of a paragraph that fit."""
    text = str(paragraph)
    if len(text) <= _SHORT:
        return paragraph
    plain = text.replace("</strong>", " " * len("</strong>"))
    ends = [match.start() + 1 for match in re.finditer(r"\. (?=[A-Z<])", plain) if match.start() > 30]
    fitting = [end for end in ends if end <= _SHORT] or ends[:1]
    return Markup(text[: fitting[-1]]) if fitting else paragraph


def marked(sentence: str) -> Markup:
    """Convert a sentence to HTML: back-ticks mark code, stars the name of games, and a number keeps its per cent sign."""
    sentence = re.sub(r"(\d) %", rf"\1{THIN}%", sentence)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(sentence, quote=False))
    return Markup(re.sub(r"^\*([^*]+)\*", r"<strong>\1</strong>", text))
