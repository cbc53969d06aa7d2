"""Self-contained HTML page of a study, and its pictures as files."""

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

from strozzi_sim.agent import load_agent
from strozzi_sim.errors import pluralize
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.custom_heatmaps import HeatMapSpec, custom_heat_map
from strozzi_sim.game.reporting import SCENARIO, THIN, Picture, Tables, headline_players, listed, pick, unknown_figures
from strozzi_sim.game.significance import MAX_CHUNKS
from strozzi_sim.play.calibrate import Calibration
from strozzi_sim.reports import changes, findings
from strozzi_sim.reports.heat import cells_of, draw_panels
from strozzi_sim.reports.heat_panels import known_rows
from strozzi_sim.reports.naming import Naming
from strozzi_sim.reports.painter import Painter, Part
from strozzi_sim.reports.series import players_title
from strozzi_sim.reports.sweep_findings import SHOWN, Sweep, shown_figures
from strozzi_sim.reports.sweep_pictures import paint_sweep, sweep_of
from strozzi_sim.studies.plan import AGENTS, SEATS, VARIANTS

MAX_SCENARIOS = 4  # maximum variants and line-ups with pictures; tables and heat maps contain all
MAX_CELLS = 2000  # maximum cells of a heat map inlined as SVG; larger ones are inlined as PNG
_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Item:
    """Picture or table on the page, with a part for each variant and line-up drawn.

    Attributes:
        title, caption: texts above and below it.
        parts: its parts.
        anchor: target of links.
        left_out: sentence on omitted variants and line-ups, or "".
    """

    title: str
    caption: str
    parts: tuple[Part, ...]
    anchor: str = ""
    left_out: str = ""


@dataclass(frozen=True)
class IndexLine:
    """Line of the index of heat maps: row label, cell label, and (anchor, name, title, whether flat) of each heat map."""

    rows: str
    cells: str
    links: tuple[tuple[str, str, str, bool], ...]


@dataclass(frozen=True)
class Section:
    """Section of the page.

    Attributes:
        anchor, title, question: its heading.
        sentences: findings.
        items: pictures and tables.
        index: index of the items, if there are many.
        counts: player counts, of which the page shows one at a time.
        first: player count shown first.
    """

    anchor: str
    title: str
    question: str
    sentences: tuple[Markup, ...]
    items: tuple[Item, ...]
    index: tuple[IndexLine, ...] = ()
    counts: tuple[int, ...] = ()
    first: int = 0


@dataclass(frozen=True)
class Content:
    """Content of a page, in addition to that of its manifest.

    Attributes:
        plan: the plan in a sentence. facts: the plan as a short table.
        headline: main finding in a sentence. sections: sections of the page.
        certainty: sentences on the statistical method.
        tables: names of the tables in the folder.
    """

    plan: str
    facts: list[tuple[str, str]]
    headline: str
    sections: list[Section]
    certainty: list[str]
    tables: list[str]


def study_page(
    manifest: Mapping[str, Any], tables: Mapping[str, pd.DataFrame], game: Game, painter: Painter
) -> Content:
    """Paint the pictures of a study and return the content of its page.

    Args:
        manifest: content of its manifest.json.
        tables: the study's tables by name.
        game: game of the study.
        painter: receives the pictures.
    """
    return Content(
        plan=plan_in_words(manifest, game),
        facts=_facts(manifest),
        headline=headline(manifest, tables, game),
        sections=_sections(manifest, tables, game, painter),
        certainty=findings.certainty(manifest),
        tables=sorted(tables),
    )


def headline(manifest: Mapping[str, Any], tables: Tables, game: Game) -> str:
    """Return the answer to the study's question in a sentence: the seats', or that of its agents, its variants or a page."""
    question = manifest.get("report", {}).get("question", SEATS)
    if question == VARIANTS and "sweep" in tables:
        return sweep_of(manifest, tables, game).headline(SHOWN[0])
    if question == VARIANTS and "changes" in tables:
        return changes.change_headline(tables, manifest)
    if question == AGENTS and len(tables["lineup"]):
        found = findings.lineup_sentences(tables, manifest.get("plan", {}).get("chunks") or MAX_CHUNKS)
        more = f" ({pluralize(len(found) - 1, 'other combination')} below.)" if len(found) > 1 else ""
        return f"{found[0]}{more}" if found else findings.headline(tables)
    if question == SEATS and len(game.tiers) > 1:
        tiers = {tier: load_agent(agent, game).text for tier, agent in game.tiers.items()}
        cells = tables["balance"][["variant", "lineup"]].drop_duplicates()
        if set(cells["lineup"]) == set(tiers.values()) and cells["variant"].nunique() == 1:
            return findings.headline_by_strength(tables, tiers)
    if question in tables:
        found = game.report.sentences(tables, _variants(manifest)).get(question, [])
        return str(found[0]) if found else findings.headline(tables)
    return findings.headline(tables)


def section(anchor: str, title: str, question: str, sentences: Iterable[str], items: Iterable[Item]) -> Section:
    """Return a section, without empty items."""
    texts = tuple(marked(sentence) for sentence in sentences)
    return Section(anchor, title, question, texts, tuple(item for item in items if item.parts))


def _sections(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> list[Section]:
    part = game.report
    variants = _variants(manifest)
    painted, heat = paint_study(manifest, tables, game, painter)
    tables = {**tables, "lineup": findings.with_agents(tables["lineup"])}
    sentences = part.sentences(tables, variants)
    chunks = manifest.get("plan", {}).get("chunks") or MAX_CHUNKS
    lineups = findings.lineup_sentences(tables, chunks)
    sections = []
    for page, items in painted.items():
        title, question = part.PAGE_TITLES[page]
        of_seats = [] if "sweep" in tables else [*lineups, *findings.seat_sentences(tables)]  # a sweep has its own
        seats = of_seats if page == "balance" else []
        sections.append(section(page, title, question, [*seats, *sentences.get(page, [])], items))
    if "sweep" in tables:
        sections.insert(0, _sweep(sweep_of(manifest, tables, game), painter))
    elif "changes" in tables:
        sections.insert(1, _changes(manifest, tables, game, painter))
    return [*sections, heat] if heat.items else sections


def _sweep(sweep: Sweep, painter: Painter) -> Section:
    """Return the section of the figures over the swept values, each with its finding as title."""
    items = [Item(title, caption, (part,), f"item-{part.file}") for title, caption, part in paint_sweep(sweep, painter)]
    sentences = [each for figure in shown_figures(sweep.figures) for each in sweep.sentences(figure)]
    keys = " and ".join(sweep.keys)
    return section("sweep", f"Values of {keys}", f"What do the values of {keys} change?", sentences, items)


def _changes(manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> Section:
    """Return the section of what changed between variants."""
    labels = changes.labels_of_game(tables, game)
    words = Naming(game, tables, _variants(manifest)).of_all()
    items = [
        Item(title, caption, tuple(parts), f"item-changes-{number}")
        for number, (title, caption, parts) in enumerate(changes.change_parts(tables, labels, words, painter))
    ]
    sentences = changes.change_sentences(tables, manifest, labels, words)
    return section(
        "changes", "What changed", "What is different between the variants, on the same deals?", sentences, items
    )


def paint_study(
    manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter
) -> tuple[dict[str, list[Item]], Section]:
    """Paint a study's pictures; return its items by page of the game's report, and its heat maps. Arguments: see `study_page`."""
    part = game.report
    variants = _variants(manifest)
    naming = Naming(game, tables, variants)
    tables = {**tables, "lineup": findings.with_agents(tables["lineup"])}
    report = manifest.get("report") or manifest.get("plan", {}).get("report") or {}
    pages = report.get("pages", part.PAGES)
    chunks = manifest.get("plan", {}).get("chunks") or MAX_CHUNKS
    pictures = [*findings.seat_pictures(tables), *part.pictures(tables)]
    painted: dict[str, list[Item]] = {}
    for page in part.PAGES:
        if page in tables and page in pages:
            own = [picture for picture in pictures if picture.page == page]
            painted[page] = [_item(picture, tables[picture.table], naming, variants, painter) for picture in own]
    return painted, _heat_maps(_maps_of(manifest, game), tables, naming.of_all(), painter, chunks)


def _heat_maps(
    maps: Mapping[str, HeatMap], tables: Tables, words: Mapping[str, str], painter: Painter, chunks: int
) -> Section:
    """Return the section of all heat maps, with their index."""
    items, noise = [], False
    index: dict[tuple[str, str], list[tuple[str, str, str, bool]]] = {}
    for name, heat_map in maps.items():
        table = tables.get("heat_" + name.replace("-", "_"))
        if table is None:
            continue
        parts, flat = _map_parts(heat_map, f"heat-{name}", table, words, painter, chunks)
        if not parts:
            continue
        anchor = f"heat-{name}"
        noise |= any(part.note for part in parts)
        items.append(Item(heat_map.title, heat_map.caption, tuple(parts), anchor))
        link = anchor, name, heat_map.title, flat
        index.setdefault((heat_map.row_label, heat_map.figure.label), []).append(link)
    notes = ["Blank cells: fewer than 30 events. n: events per row; above small panels, the range over their rows."]
    if noise:
        notes.append(
            "\N{ALMOST EQUAL TO} marks panels without significant differences, drawn in one colour: one number is within the "
            "intervals of all their cells, corrected for the number of cells. If all cells are equal, a panel shows "
            "differences at most 1 time in 20."
        )
    order = {rows: k for k, rows in enumerate(dict.fromkeys(rows for rows, _ in index))}
    lines = [IndexLine(*key, tuple(index[key])) for key in sorted(index, key=lambda key: order[key[0]])]
    shown = tuple(lines) if len(items) > 1 else ()
    found = section("heatmaps", "Heat maps", "How does each figure vary by row and column?", notes, items)
    counts = tuple(sorted({part.players for item in items for part in item.parts} - {0}))
    first = headline_players(pd.DataFrame({"players": counts})) if counts else 0
    return replace(found, index=shown, counts=counts, first=first)


def _map_parts(
    heat_map: HeatMap, name: str, table: pd.DataFrame, words: Mapping[str, str], painter: Painter, chunks: int
) -> tuple[list[Part], bool]:
    """Return the drawings of a heat map, in one scale, and whether no panel shows significant differences."""
    if known_rows(heat_map, table).empty:
        return [], False
    counts = sorted(int(players) for players in table["players"].unique())
    by_count = painter.by_players and len(counts) > 1
    pixels = cells_of(heat_map, table) > MAX_CELLS
    parts, flat = [], []
    for players in counts if by_count else [0]:
        rows = pick(table, players=players) if by_count else table
        drawn = draw_panels(heat_map, rows, words, chunks=chunks, compared=table)
        if drawn is None:
            parts.append(Part(players_title(players), "", "", None, players, "Too few events for a value."))
            continue
        flat.append(drawn.flat)
        for number, (suffix, variant, drawing) in enumerate(drawn.drawings, 1):
            file = f"{name}--{players}-players{suffix}" if by_count else f"{name}{suffix}"
            title = ": ".join(filter(None, [heat_map.title, players_title(players) if by_count else "", variant]))
            heading = players_title(players) if by_count and number == 1 else ""
            note = drawn.noise if number == len(drawn.drawings) else ""
            html = painter.paint(drawing, file, title, pixels=pixels)
            parts.append(Part(heading, html, file, None, players, note))
    return parts, all(flat)


def _maps_of(manifest: Mapping[str, Any], game: Game) -> dict[str, HeatMap]:
    """Return the heat maps of a study: the game's and the custom ones."""
    custom = [msgspec.convert(spec, HeatMapSpec) for spec in manifest.get("report", {}).get("own", [])]
    return {**game.report.HEATMAPS, **{spec.name: custom_heat_map(game, spec) for spec in custom}}


def _variants(manifest: Mapping[str, Any]) -> dict[str, Any]:
    variants = manifest.get("plan", {}).get("variants", {})
    return dict(variants) if isinstance(variants, Mapping) else {}


def marked(sentence: str) -> Markup:
    """Convert a sentence to HTML: back-ticks mark code, and a number keeps its per cent sign."""
    sentence = re.sub(r"(\d) %", rf"\1{THIN}%", sentence)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(sentence, quote=False)))


def by_scenario(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield (name, suffix for file names, rows) of the first variants and line-ups of a table."""
    every = findings.scenarios(table)
    for number, (variant, lineup) in enumerate(every[:MAX_SCENARIOS]):
        name = findings.scenario_words((variant, lineup), every)
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
        yield name, f"--{number}-{slug}" if len(every) > 1 else "", pick(table, variant=variant, lineup=lineup)


def _item(shown: Picture, table: pd.DataFrame, naming: Naming, variants: Mapping[str, Any], painter: Painter) -> Item:
    """Return the item of a picture or table: a part per variant and line-up, or one part if these are its series."""
    together = shown.series == SCENARIO
    scenes = [("", "", findings.with_scenario(table))] if together else list(by_scenario(table))
    compared = pd.concat([rows for _, _, rows in scenes]) if scenes else table
    parts = []
    for scenario, slug, rows in scenes:
        if rows.empty:
            continue
        variant, lineup = rows[["variant", "lineup"]].iloc[0]
        words = naming.of_all() if together else naming.of(variant, lineup)
        parts += painter.parts(shown, shown.name + slug, rows, words, scenario, variants.get(variant), compared)
    notes = [f"Not shown: {words} (table `{shown.table}`)." for words in unknown_figures(shown, table)]
    parts += [Part("", "", "", None, 0, note) for note in notes]
    every, drawn = len(findings.scenarios(table)), len(findings.scenarios(compared))
    left_out = f"The first {drawn} of {every}; `tables/{shown.table}.csv` has all." if drawn < every else ""
    return Item(shown.title, shown.caption, tuple(parts), f"item-{shown.name}", left_out)


def _heading(name: str, title: str) -> str:
    """Return a study's name as a heading, with the game's title as on its box."""
    words = re.sub(r"[-_]", " ", name).capitalize()
    return re.sub(rf"\b{re.escape(title)}\b", title, words, flags=re.IGNORECASE)


def render(manifest: Mapping[str, Any], game: Game, content: Content, mark: str = "") -> str:
    """Return the page as HTML, with `mark` in its head."""
    loader = jinja2.FileSystemLoader(_TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"html": Markup, "marked": marked}
    return environment.get_template("report.html").render(
        style=Markup((_TEMPLATES / "report.css").read_text("utf-8")),
        mark=Markup(mark),
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
    """Return the plan in one sentence, with the number of games."""
    plan = manifest.get("plan", {})
    players, lineups, variants = plan.get("players", []), plan.get("lineups", []), list(_variants(manifest))
    names = _lineups(plan)
    parts = [f"{game.title} at {listed([str(count) for count in players])} players" if players else game.title]
    if names:
        alone = all(isinstance(lineup, list | tuple) and len(lineup) == 1 for lineup in lineups)
        themselves = f"{listed(names)} against {'itself' if len(names) == 1 else 'themselves'}"
        parts.append(f"played by {themselves if alone else '; '.join(names)}")
    swept = manifest.get("report", {}).get("sweep")
    if swept:
        parts.append(f"{' x '.join(str(len(values)) for values in swept.values())} values of {listed(list(swept))}")
    elif variants and variants != ["base"]:
        parts.append(f"variants {listed(variants)}")
    if plan.get("deals"):
        parts.append(f"{plan['deals']:,} deals for each combination")
    if plan.get("worth"):
        parts.append(f"and without {pluralize(len(plan['worth']), 'thing')}, for what each is worth")
    games = manifest.get("games")
    return ", ".join(parts) + (f": {games:,} games in all." if games else ".")


def _facts(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    plan = manifest.get("plan", {})
    seatings = plan.get("seatings")
    facts = [
        ("Line-ups", " | ".join(_lineups(plan))),
        *(_swept(manifest) or [("Variants", ", ".join(_variants(manifest)))]),
        ("Worth of", ", ".join(plan.get("worth", []))),
        ("Deals per combination", f"{plan['deals']:,}" if "deals" in plan else ""),
        ("Seatings", f"{seatings} (one seating for an agent against itself)" if seatings else ""),
    ]
    return known_facts(manifest, facts)


def _swept(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the swept keys with their values."""
    swept = manifest.get("report", {}).get("sweep", {})
    return [(key, ", ".join(f"{value:g}" for value in values)) for key, values in swept.items()]


def known_facts(manifest: Mapping[str, Any], of_plan: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the plan as a short table: player counts, these facts, games and dates; unknown entries are omitted."""
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
    """Return a sentence for each agent with a budget in seconds: the calibrated count, and that it is not reproducible."""
    return [str(calibration) for noted in manifest.get("calibrated", []) if (calibration := Calibration.of(noted))]


def _moment(text: Any) -> str:
    """Format an ISO 8601 time for display."""
    return str(text).replace("T", " ").replace("+00:00", " UTC")


def _again(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the seed, the plan's hash and the versions, which identify the results."""
    versions = ", ".join(f"{name} {version}" for name, version in manifest.get("versions", {}).items())
    seed = manifest.get("seed", manifest.get("plan", {}).get("seed"))
    facts = {"Seed": "" if seed is None else str(seed), "Plan's hash": str(manifest.get("plan_hash") or "")}
    return [(name, value) for name, value in {**facts, "Versions": versions}.items() if value]
