"""The content of a page (answer, sections, pictures and tables), and its HTML, a file that needs no other file."""

import base64
import html
import json
import re
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from strozzi_sim.declare.printing import THIN
from strozzi_sim.errors import pluralize
from strozzi_sim.game.contract import Game
from strozzi_sim.pictures.heat import HeatTables
from strozzi_sim.pictures.marks import Chart
from strozzi_sim.pictures.svg import page_ink
from strozzi_sim.report.html_tables import PageTable
from strozzi_sim.runtime.files import REPORT_PAGE, write_replacing

# what pages say of the method, words and figures
TEXTS: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "texts.toml").read_text("utf-8"))
_TEMPLATES = Path(__file__).parent / "templates"
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
    # name of the variant and line-up ("" for a single one or several), and its part
    parts: Sequence[tuple[str, ItemPart]]
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
    small_table: Sequence[Sequence[str]] = ()  # rows, the head first; shown below the sentences

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
class PageAlarm:
    """An alarm of the first screen."""

    text: str
    evidence: str  # the figures behind it, shown as a tip
    anchor: str  # of the picture or table that has its figure; "" without one
    is_mended: bool = False  # the changed box no longer has it


@dataclass(frozen=True)
class Content:
    """Content of a page, in addition to its manifest (see `render`)."""

    verdict: str  # the answer of the study, a sentence that can be quoted
    detail: str  # who played, and what could be missed, as text
    numbers: Sequence[Number]  # at most three
    hero: Sequence[Item]  # the answer's picture or heat map, and its tables; may be empty
    sections: list[PageSection]
    plan: str  # what was played, as a sentence
    facts: list[tuple[str, str]]  # details of it, such as players and line-ups: name, value
    certainty: list[str]  # sentences on the statistical method
    tables: Sequence[str] = ()  # names of the tables in the results folder; () without one
    glossary: dict[str, str] = field(default_factory=dict)  # word -> meaning
    players: Sequence[tuple[str, str, str]] = ()  # name, spec and a sentence on each agent that plays
    explorer: str = ""  # tables for the reader's own heat maps, as `packed` returns them; "" without this part
    definitions: dict[str, str] = field(default_factory=dict)  # figure -> how it is counted
    alarms: Sequence[PageAlarm] = ()  # below the answer
    subject: str = ""  # what was changed or taken away, below the answer
    printed: Sequence[str] = ()  # paragraphs of a printed sheet: all notes of the answer, then what links lead to
    caveat: str = ""  # who judged, below the picture
    caveats: Sequence[str] = ()  # further sentences on the data, below the answer

    @property
    def pictures(self) -> dict[str, Chart]:
        """All pictures of the page by name."""
        items = [*self.hero, *(item for section in self.sections for item in section.items)]
        return {part.name: part for item in items for _, part in item.parts if isinstance(part, Chart)}


def marked(sentence: str) -> Markup:
    """Convert a sentence to HTML: back-ticks mark code, and no line break separates a number from its per cent sign."""
    sentence = re.sub(r"(\d) %", rf"\1{THIN}%", sentence)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(sentence, quote=False)))


def render(manifest: Mapping[str, Any], game: Game, content: Content) -> str:
    """Return a page as HTML.

    `manifest` has `name`, `seed`, `versions` by program, `command`, and `reconstructed`, descriptions of component data
    by variant; of a study also `games`, `plan_hash`, `warnings` and `finished`.
    """
    look: Any = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True, "undefined": jinja2.StrictUndefined}
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(_TEMPLATES), **look)
    words = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in sorted(content.glossary, key=len, reverse=True)))

    def with_terms(text: str) -> Markup:
        """Return a text with its glossary words of 3 or more letters explained at their first use, except in code."""
        explained: set[str] = set()

        def term(match: re.Match[str]) -> str:
            if match[0] in explained or len(match[0]) < 3:
                return match[0]
            explained.add(match[0])
            meaning = escape(content.glossary[match[0]])
            return f'<button type="button" class="term" data-t="{meaning}">{match[0]}</button>'

        parts = re.split(r"(<code>.*?</code>|<[^>]*>)", str(text))
        return Markup("".join(part if part.startswith("<") else words.sub(term, part) for part in parts))

    environment.filters |= {"marked": marked, "terms": with_terms, "page_ink": page_ink}
    versions = ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())
    identity = {"Seed": str(manifest["seed"]), "Plan's hash": manifest.get("plan_hash"), "Versions": versions}
    css, js = (Markup((_TEMPLATES / f"page.{kind}").read_text("utf-8")) for kind in ("css", "js"))
    return environment.get_template("page.html").render(
        css=css,
        js=js,
        name=_heading(manifest["name"], game.title),
        game=game.title,
        version=manifest["versions"].get("strozzi-sim", ""),
        games=manifest.get("games", 0),
        warnings=manifest.get("warnings", []),
        command=manifest["command"],
        reconstructed=[(name, lines) for name, lines in manifest["reconstructed"].items() if lines],
        identity=[(name, value) for name, value in identity.items() if value],
        date=manifest.get("finished", "")[:10],
        cite=_citation(manifest, game),
        marks=packed({name: chart.data() for name, chart in content.pictures.items()}),
        **vars(content),
    )


def write_page(path: Path, page: str, kind: str = REPORT_PAGE, **options: Any) -> None:
    """Write a page as `write_replacing` does with these options: only a page of the same kind is replaced."""
    write_replacing({path: page.encode("utf-8", "backslashreplace")}, kind, **options)


def packed(document: Any) -> str:
    """Return a document as deflated JSON in base64, which a browser unpacks with DecompressionStream."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(squeezer.compress(text.encode()) + squeezer.flush()).decode()


def _heading(name: str, title: str) -> str:
    words = re.sub(r"[-_]", " ", name)
    return re.sub(rf"\b{re.escape(title)}\b", "", words, flags=re.IGNORECASE).strip().capitalize()


def _citation(manifest: Mapping[str, Any], game: Game) -> str:
    parts = [
        f"strozzi-sim {manifest['versions'].get('strozzi-sim', '')}".strip(),
        f"study \N{LEFT DOUBLE QUOTATION MARK}{manifest['name']}\N{RIGHT DOUBLE QUOTATION MARK} of {game.title}",
        pluralize(manifest["games"], "game") if manifest.get("games") else "",
        f"seed {manifest['seed']}",
        f"plan {manifest['plan_hash'][:12]}" if manifest.get("plan_hash") else "",
        str(manifest.get("finished", ""))[:4],
    ]
    return ", ".join(filter(None, parts)) + "."
