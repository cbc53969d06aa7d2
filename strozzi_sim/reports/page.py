"""One self-contained HTML page of a study, and its pictures as files."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from html import escape
from pathlib import Path
from typing import Any

import jinja2
import msgspec
import pandas as pd
from markupsafe import Markup

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.games.contract import Game
from strozzi_sim.games.own_maps import OwnMap, own_heat_map
from strozzi_sim.games.reporting import SCENARIO, THIN, Picture, Tables, listed, pick
from strozzi_sim.games.verdicts import MAX_CHUNKS
from strozzi_sim.play.calibrate import Calibration
from strozzi_sim.reports import findings
from strozzi_sim.reports.heat import cells_of, draw_panels
from strozzi_sim.reports.painter import Painter, Part

MAX_SCENARIOS = 4  # variants and line-ups of which there are pictures; the tables and heat maps hold all
MAX_CELLS = 2000  # of a heat map whose drawing stands on the page as text; of more, its pixels do
_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Item:
    """A picture or a table on the page, once for each variant and line-up drawn; its anchor, if links lead to it."""

    title: str
    caption: str
    parts: tuple[Part, ...]
    anchor: str = ""


@dataclass(frozen=True)
class IndexLine:
    """A line of the index of heat maps: their rows, what their cells show, (anchor, name, title, whether flat) of each."""

    rows: str
    cells: str
    links: tuple[tuple[str, str, str, bool], ...]


@dataclass(frozen=True)
class Section:
    """A page of the report: its anchor, title, question, what was found, what is shown, where that is."""

    anchor: str
    title: str
    question: str
    sentences: tuple[Markup, ...]
    items: tuple[Item, ...]
    index: tuple[IndexLine, ...] = ()


@dataclass(frozen=True)
class Content:
    """What a page says beside what every manifest says.

    Attributes:
        plan: the plan in a sentence. facts: the plan as a short table.
        headline: what was found, in a sentence. sections: what is shown.
        certainty: how sure figures are, in sentences.
        tables: names of the tables in the folder.
        spoken_of: which variant and line-up sentences speak of, if there are several.
        left_out: what is not drawn, in words.
    """

    plan: str
    facts: list[tuple[str, str]]
    headline: str
    sections: list[Section]
    certainty: list[str]
    tables: list[str]
    spoken_of: str = ""
    left_out: tuple[str, ...] = ()


def study_page(
    manifest: Mapping[str, Any], tables: Mapping[str, pd.DataFrame], game: Game, painter: Painter
) -> Content:
    """What the page of a study says, with its pictures painted.

    Args:
        manifest: what its manifest.json says.
        tables: the study's tables by name.
        game: what was played.
        painter: takes the pictures.
    """
    every = findings.scenarios(tables["balance"])
    return Content(
        plan=plan_in_words(manifest, game),
        facts=_facts(manifest),
        headline=findings.headline(tables),
        sections=_sections(manifest, tables, game, painter),
        certainty=findings.certainty(manifest),
        tables=sorted(tables),
        spoken_of=findings.scenario_words(every[0], every) if every else "",
        left_out=tuple(findings.scenario_words(scenario, every) for scenario in every[MAX_SCENARIOS:]),
    )


def section(anchor: str, title: str, question: str, sentences: Iterable[str], items: Iterable[Item]) -> Section:
    """A section without the items of which there is nothing to show."""
    said = tuple(marked(sentence) for sentence in sentences)
    return Section(anchor, title, question, said, tuple(item for item in items if item.parts))


def _sections(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> list[Section]:
    part = game.report
    variants = _variants(manifest)
    painted, heat = paint_study(manifest, tables, game, painter)
    tables = {**tables, "lineup": findings.with_agents(tables["lineup"])}
    said = part.sentences(tables, variants)
    chunks = manifest.get("plan", {}).get("chunks") or MAX_CHUNKS
    lineups = findings.lineup_sentences(tables, chunks)
    sections = []
    for page, items in painted.items():
        title, question = part.PAGE_TITLES[page]
        seats = [*lineups, *findings.seat_sentences(tables)] if page == "balance" else []
        sections.append(section(page, title, question, [*seats, *said.get(page, [])], items))
    return [*sections, heat] if heat.items else sections


def paint_study(
    manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter
) -> tuple[dict[str, list[Item]], Section]:
    """The pictures and tables of a study's page, by page of the game's report, and its heat maps; arguments as of `study_page`."""
    part = game.report
    variants = _variants(manifest)
    words = part.words(tables, variants)
    tables = {**tables, "lineup": findings.with_agents(tables["lineup"])}
    asked = manifest.get("report") or manifest.get("plan", {}).get("report") or {}
    pages = asked.get("pages", part.PAGES)
    chunks = manifest.get("plan", {}).get("chunks") or MAX_CHUNKS
    pictures = [*findings.seat_pictures(tables), *part.pictures(tables)]
    painted: dict[str, list[Item]] = {}
    for page in part.PAGES:
        if page in tables and page in pages:
            own = [picture for picture in pictures if picture.page == page]
            painted[page] = [_item(picture, tables[picture.table], words, variants, painter) for picture in own]
    return painted, _heat_maps(_maps_of(manifest, game), tables, words, painter, chunks)


def _heat_maps(
    maps: Mapping[str, HeatMap], tables: Tables, words: Mapping[str, str], painter: Painter, chunks: int
) -> Section:
    """All heat maps, each with all its player counts, variants and line-ups, and an index of them."""
    items, noise = [], False
    index: dict[tuple[str, str], list[tuple[str, str, str, bool]]] = {}
    for name, heat_map in maps.items():
        table = tables.get("heat_" + name.replace("-", "_"))
        drawn = None if table is None else draw_panels(heat_map, table, words, chunks=chunks)
        if table is None or drawn is None:
            continue
        anchor, pixels = f"heat-{name}", cells_of(heat_map, table) > MAX_CELLS
        parts = []
        for suffix, variant, drawing in drawn.drawings:
            title = f"{heat_map.title}: {variant}" if variant else heat_map.title
            parts.append(Part("", painter.paint(drawing, anchor + suffix, title, pixels=pixels), anchor + suffix, None))
        noise |= bool(drawn.noise)
        caption = f"{heat_map.caption} {drawn.noise}".strip()
        items.append(Item(heat_map.title, caption, tuple(parts), anchor))
        link = anchor, name, heat_map.title, drawn.flat
        index.setdefault((heat_map.row_label, heat_map.figure.label), []).append(link)
    notes = [
        "Cells without a figure are blank: it never happened, or fewer than 30 times. n is what is behind a row; above "
        "small panels, the least and the most that is behind a row of theirs."
    ]
    if noise:
        notes.append(
            "\N{ALMOST EQUAL TO} marks panels of one colour: one number fits all their cells, each within its interval, widened "
            "for how many cells there are. A panel of pure chance is shown with differences at most 1 time in 20."
        )
    order = {rows: k for k, rows in enumerate(dict.fromkeys(rows for rows, _ in index))}
    lines = [IndexLine(*key, tuple(index[key])) for key in sorted(index, key=lambda key: order[key[0]])]
    shown = tuple(lines) if len(items) > 1 else ()
    return replace(section("heatmaps", "Heat maps", "Where does what happen?", notes, items), index=shown)


def _maps_of(manifest: Mapping[str, Any], game: Game) -> dict[str, HeatMap]:
    """The heat maps of a study: the game's, and those of its own."""
    own = [msgspec.convert(asked, OwnMap) for asked in manifest.get("report", {}).get("own", [])]
    return {**game.report.HEATMAPS, **{asked.name: own_heat_map(game, asked) for asked in own}}


def _variants(manifest: Mapping[str, Any]) -> dict[str, Any]:
    variants = manifest.get("plan", {}).get("variants", {})
    return dict(variants) if isinstance(variants, Mapping) else {}


def marked(sentence: str) -> Markup:
    """Words between back-ticks are code; a number keeps its per cent sign."""
    sentence = re.sub(r"(\d) %", rf"\1{THIN}%", sentence)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(sentence, quote=False)))


def _apart(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The first variants and line-ups of a table: (in words, for a file name, their rows)."""
    every = findings.scenarios(table)
    for number, (variant, lineup) in enumerate(every[:MAX_SCENARIOS]):
        name = findings.scenario_words((variant, lineup), every)
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
        yield name, f"--{number}-{slug}" if len(every) > 1 else "", pick(table, variant=variant, lineup=lineup)


def _item(
    shown: Picture, table: pd.DataFrame, words: Mapping[str, str], variants: Mapping[str, Any], painter: Painter
) -> Item:
    """A picture or table, once for each variant and line-up, or once for all if it tells them apart itself."""
    together = shown.series == SCENARIO
    scenes = [("", "", findings.with_scenario(table))] if together else list(_apart(table))
    compared = pd.concat([rows for _, _, rows in scenes]) if scenes else table
    parts = [
        part
        for scenario, slug, rows in scenes
        for part in painter.parts(
            shown, shown.name + slug, rows, words, scenario, variants.get(next(iter(rows["variant"]), "")), compared
        )
    ]
    return Item(shown.title, shown.caption, tuple(parts))


def _heading(name: str, title: str) -> str:
    """A study's name as a heading; a game in it is written as on its box."""
    words = re.sub(r"[-_]", " ", name).capitalize()
    return re.sub(rf"\b{re.escape(title)}\b", title, words, flags=re.IGNORECASE)


def render(manifest: Mapping[str, Any], game: Game, content: Content) -> str:
    """The page as HTML."""
    loader = jinja2.FileSystemLoader(_TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"html": Markup, "marked": marked}
    return environment.get_template("report.html").render(
        style=Markup((_TEMPLATES / "report.css").read_text("utf-8")),
        title=_heading(str(manifest.get("name", game.title)), game.title),
        game=game.title,
        calibrated=calibrated_words(manifest),
        reconstructed=[(name, list(lines)) for name, lines in manifest.get("reconstructed", {}).items() if lines],
        warnings=manifest.get("warnings", []),
        command=manifest.get("command") or "",
        again=_again(manifest),
        **{part.name: getattr(content, part.name) for part in fields(content)},
    )


def plan_in_words(manifest: Mapping[str, Any], game: Game) -> str:
    """The plan in one sentence: what times what is how many games."""
    plan = manifest.get("plan", {})
    players, lineups, variants = plan.get("players", []), plan.get("lineups", []), list(_variants(manifest))
    names = _lineups(plan)
    parts = [f"{game.title} at {listed([str(count) for count in players])} players" if players else game.title]
    if names:
        alone = all(isinstance(lineup, list | tuple) and len(lineup) == 1 for lineup in lineups)
        themselves = f"{listed(names)} against {'itself' if len(names) == 1 else 'themselves'}"
        parts.append(f"played by {themselves if alone else '; '.join(names)}")
    if variants and variants != ["base"]:
        parts.append(f"variants {listed(variants)}")
    if plan.get("deals"):
        parts.append(f"{plan['deals']:,} deals for each combination")
    games = manifest.get("games")
    return ", ".join(parts) + (f": {games:,} games in all." if games else ".")


def _facts(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    plan = manifest.get("plan", {})
    seatings = plan.get("seatings")
    facts = [
        ("Line-ups", " | ".join(_lineups(plan))),
        ("Variants", ", ".join(_variants(manifest))),
        ("Deals per combination", f"{plan['deals']:,}" if "deals" in plan else ""),
        ("Seatings", f"{seatings} (an agent against itself sits one way)" if seatings else ""),
    ]
    return known_facts(manifest, facts)


def known_facts(manifest: Mapping[str, Any], of_plan: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The plan as a short table: player counts, these facts, how many games, and when; what is not known is left out."""
    facts = [
        ("Players", ", ".join(str(count) for count in manifest.get("plan", {}).get("players", []))),
        *of_plan,
        ("Games", f"{manifest['games']:,}" if manifest.get("games") else ""),
        ("Played", " to ".join(_moment(manifest[key]) for key in ("started", "finished") if manifest.get(key))),
    ]
    return [(name, value) for name, value in facts if value]


def _lineups(plan: Mapping[str, Any]) -> list[str]:
    return [", ".join(line) if isinstance(line, list | tuple) else str(line) for line in plan.get("lineups", [])]


def calibrated_words(manifest: Mapping[str, Any]) -> list[str]:
    """What agents given in seconds a decision played as, and that this cannot be reproduced."""
    return [str(calibration) for noted in manifest.get("calibrated", []) if (calibration := Calibration.of(noted))]


def _moment(text: Any) -> str:
    """A time as ISO 8601 writes it, for people."""
    return str(text).replace("T", " ").replace("+00:00", " UTC")


def _again(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What identifies the results."""
    versions = ", ".join(f"{name} {version}" for name, version in manifest.get("versions", {}).items())
    seed = manifest.get("seed", manifest.get("plan", {}).get("seed"))
    facts = {"Seed": "" if seed is None else str(seed), "Plan's hash": str(manifest.get("plan_hash") or "")}
    return [(name, value) for name, value in {**facts, "Versions": versions}.items() if value]
