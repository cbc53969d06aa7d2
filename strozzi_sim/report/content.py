"""The content of a page: its answer, sections, pictures and tables, before they become HTML."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from markupsafe import Markup

from strozzi_sim.game.reporting import THIN
from strozzi_sim.pictures.heat_tables import HeatTables
from strozzi_sim.pictures.ink import NARROW
from strozzi_sim.pictures.marks import Drawn
from strozzi_sim.report.html_tables import PageTable


@dataclass(frozen=True)
class Shown:
    """A picture on a page.

    Attributes:
        name: name of its files without ending.
        label: what it shows, for those who do not see it.
        drawn: the picture, which is drawn where the page shows it.
    """

    name: str
    label: str
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
    """Picture, table or heat map of one variant and line-up.

    Attributes:
        scenario: name of the variant and line-up; "" for a single one.
        picture, table, heat: its content; one of them, or a note alone.
        frame: HTML of a page of its own, shown within this one instead.
        note: sentence about this part.
    """

    scenario: str
    picture: Shown | None = None
    table: PageTable | None = None
    heat: HeatTables | None = None
    note: str = ""
    frame: str = ""


@dataclass(frozen=True)
class Item:
    """Picture, table or heat map on the page, with a part for each variant and line-up drawn.

    Attributes:
        title: finding or name. caption: what is shown, and how it is counted.
        parts: its parts.
        anchor: target of links.
        left_out: sentence on omitted variants and line-ups, or "".
    """

    title: str
    caption: str
    parts: tuple[Part, ...]
    anchor: str = ""
    left_out: str = ""

    def starting_with(self, scenario: str) -> "Item":
        """Return the item with the part of this name first."""
        return replace(self, parts=tuple(sorted(self.parts, key=lambda part: part.scenario != scenario)))

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
    """Section of the page: a question, its finding, a picture, and the figures behind it.

    Attributes:
        anchor, name, question: its address, its name and its question.
        title: its finding, or its name.
        paragraphs: findings, those of one group of games in a paragraph.
        items: pictures and tables; the first picture or heat map is shown, the others can be opened.
        side_by_side: whether the parts of the first picture are shown beside each other.
    """

    anchor: str
    name: str
    question: str
    title: Markup
    paragraphs: tuple[Markup, ...]
    items: tuple[Item, ...]
    side_by_side: bool = False

    @property
    def shown(self) -> tuple[Markup, ...]:
        """The beginning of the first two paragraphs, as far as it is short."""
        told = [paragraph for paragraph in self.paragraphs if not paragraph.startswith("Footnote")]
        return tuple(_beginning(paragraph) for paragraph in told[:2])

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
    """A number of the answer: value and half-width as text, and what it is."""

    value: str
    half_width: str
    what: str


@dataclass(frozen=True)
class Answer:
    """The answer of a study: what a page begins with and what the terminal ends with.

    Attributes:
        verdict: one sentence that can be repeated.
        detail: the numbers behind it, in a sentence or two.
        numbers: three numbers.
    """

    verdict: str
    detail: str = ""
    numbers: tuple[Number, ...] = ()


@dataclass(frozen=True)
class Content:
    """Content of a page, in addition to that of its manifest.

    Attributes:
        answer: the answer to the study's question. hero: the item of its picture and its tables.
        sections: sections of the page.
        plan: the plan in a sentence. facts: the plan as a short table.
        certainty: sentences on the statistical method.
        tables: names of the tables in the folder.
        glossary: word -> meaning.
        pages: (address, name) of pages beside this one.
        explorer: data of the explorer, packed, or "".
        definitions: figure -> how it is counted.
        notes: sentences about the agents that a reader has to know.
        caveat: who played, beside the answer.
        caveats: sentences on the data, below the answer.
    """

    answer: Answer
    hero: tuple[Item, ...]
    sections: list[Section]
    plan: str
    facts: list[tuple[str, str]]
    certainty: list[str]
    tables: list[str]
    glossary: dict[str, str]
    explorer: str = ""
    pages: tuple[tuple[str, str], ...] = ()
    definitions: dict[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    caveat: str = ""
    caveats: Sequence[str] = ()


_CELL = re.compile(r"^(\d players[^:]*?(?:\([^)]*\))?): (.)", re.DOTALL)  # a sentence with the name of its games
_TITLE_LENGTH = 130  # letters; a longer sentence is no title


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
        found = _CELL.match(sentence)
        name, text = (found[1], found[2].upper() + sentence[found.end() :]) if found else ("", sentence)
        if not groups or groups[-1][0] != name or not name:
            groups.append((name, []))
        groups[-1][1].append(text)
    return tuple(marked((f"*{name}.* " if name else "") + " ".join(texts)) for name, texts in groups)


_SHORT = 260  # letters of a paragraph beside a picture


def _beginning(paragraph: Markup) -> Markup:
    """Return the first sentences of a paragraph that fit."""
    text = str(paragraph)
    if len(text) <= _SHORT:
        return paragraph
    ends = [
        match.start() + 1
        for match in re.finditer(r"\. (?=[A-Z<])", text.replace("</strong>", "         "))
        if match.start() > 30
    ]
    fitting = [end for end in ends if end <= _SHORT] or ends[:1]
    return Markup(text[: fitting[-1]]) if fitting else paragraph


def marked(sentence: str) -> Markup:
    """Convert a sentence to HTML: back-ticks mark code, stars the name of games, and a number keeps its per cent sign."""
    sentence = re.sub(r"(\d) %", rf"\1{THIN}%", sentence)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(sentence, quote=False))
    return Markup(re.sub(r"^\*([^*]+)\*", r"<strong>\1</strong>", text))
