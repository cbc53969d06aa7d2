"""Render the content of a page as one HTML file that needs no other."""

import base64
import json
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from strozzi_sim.errors import pluralize
from strozzi_sim.game.contract import Game
from strozzi_sim.pictures.svg import page_ink
from strozzi_sim.report.content import Content, marked
from strozzi_sim.runtime.files import REPORT_PAGE, write_replacing

_TEMPLATES = Path(__file__).parent / "templates"


def render(manifest: Mapping[str, Any], game: Game, content: Content) -> str:
    """Return a page as HTML."""
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
        again=[(name, value) for name, value in identity.items() if value],
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
    """Return a study's name as a heading beside the game's title, which it does not repeat."""
    words = re.sub(r"[-_]", " ", name)
    return re.sub(rf"\b{re.escape(title)}\b", "", words, flags=re.IGNORECASE).strip().capitalize()


def _citation(manifest: Mapping[str, Any], game: Game) -> str:
    """Return how to cite these results."""
    parts = [
        f"strozzi-sim {manifest['versions'].get('strozzi-sim', '')}".strip(),
        f"study \N{LEFT DOUBLE QUOTATION MARK}{manifest['name']}\N{RIGHT DOUBLE QUOTATION MARK} of {game.title}",
        pluralize(manifest["games"], "game") if manifest.get("games") else "",
        f"seed {manifest['seed']}",
        f"plan {manifest['plan_hash'][:12]}" if manifest.get("plan_hash") else "",
        str(manifest.get("finished", ""))[:4],
    ]
    return ", ".join(filter(None, parts)) + "."
