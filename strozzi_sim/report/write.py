"""The report of results: one page for every kind of study, made from the sections that the kind declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.pictures import SCENARIO, HeatMap, Picture, unknown_figures
from strozzi_sim.declare.printing import digits_for, format_beside, format_value, half_width
from strozzi_sim.errors import ArgumentError, InputError, pluralize, suggest_names
from strozzi_sim.game.sentences import listed, some_of
from strozzi_sim.pictures.draw import Drawing, draw_picture
from strozzi_sim.pictures.heat import draw_heat, heat_map_files
from strozzi_sim.pictures.heat_tables import HeatTables, heat_tables, known_rows
from strozzi_sim.pictures.ink import HERO, MOST_SCENARIOS, WIDE
from strozzi_sim.report.content import Content, Item, Number, Part, Shown
from strozzi_sim.report.content import Section as PageSection
from strozzi_sim.report.explorer import packed_explorer
from strozzi_sim.report.html_tables import page_table
from strozzi_sim.report.layout import MOST_SCENES, Layout, Scene
from strozzi_sim.report.naming import TEXTS, definitions_of
from strozzi_sim.report.page import render, write_page
from strozzi_sim.report.spreadsheet import spreadsheet as spreadsheet
from strozzi_sim.runtime.files import PICTURE, write_replacing
from strozzi_sim.study.files import REPORT, refuse_links
from strozzi_sim.study.look import KeyNumber, Section
from strozzi_sim.study.results import Results, notes
from strozzi_sim.study.wording import played_by

FIGURES = "figures"
MAX_MAP_ROWS = 6000  # most rows of a heat map's table, one per cell and figure, that the page shows
_WORDS = 60  # most words of details beside the verdict; the other details are in the first section


def write_report(
    results: Results, path: str | Path | None = None, *, figures: bool = False, overwrite: bool = False
) -> Path:
    """Write the page and return its path; default: into the results folder.

    With `figures`, every picture of the page and every heat map is also written as PNG and SVG into figures/ beside the
    page. With the default `path`, heat maps are also written if the study requests heat maps but no pages of the game.
    Only pages and pictures of ours are replaced, unless `overwrite`.
    """
    if path is None and results.folder is None:
        raise InputError("path: nothing is kept in a folder; say where the report goes, such as 'report.html'")
    place = Path(path) if path is not None else Path(results.folder or "") / REPORT
    if results.folder is not None:
        refuse_links(results.folder)
    layout = Layout(results)
    page = content(layout)
    look = results.look
    only_maps = path is None and bool(look.heatmaps or look.heatmap) and not look.pages_in(results.study.the_game)
    files = _heat_files(layout) if figures or only_maps else {}
    for name, shown in page.pictures.items() if figures else ():
        files |= {f"{name}.{kind}": drawn for kind, drawn in shown.drawn.files(shown.title).items()}
    drawn_files = {place.parent / FIGURES / name: drawn for name, drawn in files.items()}
    html = render(_manifest(results), results.study.the_game, page)
    write_page(place, html, within=results.folder if path is None else None, overwrite=overwrite)
    write_replacing(drawn_files, PICTURE, within=place.parent, overwrite=overwrite)
    return place


def pictures_of(results: Results) -> list[str]:
    """Return the names of the report's pictures and heat maps whose table has a value."""
    return list(Layout(results).pictures)


def picture(results: Results, name: str | None = None, ax: Any = None, players: int | None = None) -> Any:
    """Return a picture (default: the first) as a `Drawing`; with `ax`, draw its panel of `players` and return `ax`."""
    if ax is None and players is not None:
        raise ArgumentError("players", "chooses the panel that is drawn into ax; give ax too")
    layout = Layout(results)
    names = layout.pictures
    if not names:
        raise InputError("name: these results have no pictures")
    name = next(iter(names)) if name is None else name.replace("_", "-")
    if name not in names:
        raise ArgumentError("name", f"no picture {name!r}; {suggest_names(name, names)}")
    declared, shown = names[name]
    drawing = _drawing_of(layout, declared, shown)
    if not drawing.drawn:
        raise ArgumentError("name", "this picture has no values")
    if ax is None:
        return drawing
    next(iter(drawing.drawn.values())).on(ax, players)  # the first variant and line-up
    return ax


def _drawing_of(layout: Layout, declared: Section, shown: Picture | HeatMap) -> Drawing:
    """Return a picture, with a figure per scene that has a value, or a heat map, with one figure, as a `Drawing`."""
    if isinstance(shown, HeatMap):
        heat = _heat_tables(layout, declared, shown)
        drawn = {shown.table: draw_heat(heat, shown.figure.label)} if heat else {}
        return Drawing(shown.title, drawn, layout.table(declared, shown))
    pictures = [picture for _, picture in _painted(shown, *layout.scenes(declared, shown), WIDE)]
    drawn, titles = {each.name: each.drawn for each in pictures}, {each.name: each.title for each in pictures}
    return Drawing(shown.title, drawn, layout.table(declared, shown), titles)


def _heat_tables(layout: Layout, declared: Section, shown: HeatMap) -> HeatTables | None:
    table, chunks = layout.table(declared, shown), layout.results.study.chunks
    return heat_tables(shown, table, layout.words(), chunks=chunks)


def content(layout: Layout) -> Content:
    """Return the content of the page."""
    results, hero = layout.results, layout.hero
    study, look, tables = results.study, results.look, layout.tables
    verdict, *details = study.verdict(results.originals, look) if results.originals else [results.summary]
    lengths = accumulate(len(detail.split()) for detail in details)
    details_shown = sum(length <= _WORDS for length in lengths)
    sections: list[PageSection] = []
    first = layout.sections[0] if layout.sections else None
    hero_items = [_item(layout, first, hero, HERO)] if first and hero else []
    for number, declared in enumerate(layout.sections):
        items = [_item(layout, declared, shown, WIDE) for shown in declared.shown if shown is not hero]
        sentences = [*(details[details_shown:] if number == 0 else ()), *declared.sentences]
        if number == 0 and hero_items and not any(item.kind in ("picture", "heat") for item in items):
            hero_items, items = [*hero_items, *items], []  # if all are tables, they follow the first screen's picture
        finding = "" if verdict.casefold().endswith(declared.finding.casefold()) else declared.finding
        shown_items = [item for item in items if item.parts]
        title, anchor, asks = finding or declared.name, f"section-{number}", (declared.name, declared.question)
        sections.append(PageSection(anchor, *asks, title, sentences, shown_items, declared.beside, declared.keys))
    pictures = [shown for declared in layout.sections for shown in declared.shown if isinstance(shown, Picture)]
    maps = look.maps_in(study.the_game)
    explored = (look.name, tables, study.the_game, maps, layout.words(), pictures)
    caveats = [
        *(["The lowest score wins"] if study.the_game.lowest_wins else []),
        *(first.caveats if first else ()),
        *notes(study, results.originals),
        *([results.interrupted] if results.interrupted else []),
    ]
    return Content(
        verdict=verdict,
        detail=" ".join(details[:details_shown]),
        numbers=[_number(key) for key in first.numbers if not np.isnan(key.row.value)][:3] if first else [],
        hero=hero_items,
        sections=[part for part in sections if part.items or part.sentences or part.keys],
        plan=_plan(results),
        facts=_facts(results),
        certainty=TEXTS["certainty"],
        tables=sorted(tables) if results.folder is not None else (),
        glossary=TEXTS["glossary"] | layout.players_in_words,
        explorer=packed_explorer(*explored) if "seats" in tables else "",
        definitions=definitions_of(tables),
        caveat=f"{played_by(study.the_game, map(','.join, study.lineups))}: computer players, not people",
        caveats=[caveat.removesuffix(".") for caveat in caveats],
    )


def _item(layout: Layout, declared: Section, shown: Picture | HeatMap, width: int) -> Item:
    """Return a picture, table or heat map as an item; a picture or table has a part for each scene with a value."""
    if isinstance(shown, HeatMap):
        return _heat(layout, declared, shown)
    scenes, compared = layout.scenes(declared, shown)
    if shown.kind == "table":
        tables = [(scene, page_table(shown, scene.rows, scene.words)) for scene in scenes]
        parts = [Part(scene.name, table=lines) for scene, lines in tables if lines]
    else:
        parts = [Part(scene.name, picture) for scene, picture in _painted(shown, scenes, compared, width)]
    table = layout.table(declared, shown)
    unknown = unknown_figures(shown, table)
    parts += [Part("", note=f"Not shown: {figure} (table `{shown.table}`).") for figure in unknown]
    count = len(table[["variant", "lineup"]].drop_duplicates())
    most = MOST_SCENARIOS if shown.series == SCENARIO else MOST_SCENES
    place = f"; `tables/{shown.table}.csv` has all" if _has_file(layout, shown) else ""
    left_out = f"The first {most} of {count}{place}." if count > most else ""
    return Item(shown.title, shown.caption, tuple(parts), f"item-{shown.name}", left_out)


def _has_file(layout: Layout, shown: Picture | HeatMap) -> bool:
    """Return whether the results folder has the table of a picture or heat map, as a .csv file."""
    return layout.results.folder is not None and shown.table in layout.results.originals


def _painted(
    shown: Picture, scenes: Sequence[Scene], compared: pd.DataFrame, width: int
) -> Iterator[tuple[Scene, Shown]]:
    """Yield the scenes that have a value, each with its picture; `compared` has the rows that share their scale."""
    for scene in scenes:
        if drawn := draw_picture(shown, scene.rows, scene.words, scene.components, compared, width):
            yield scene, Shown(shown.name + scene.slug, scene.title_of(shown), drawn)


def _heat(layout: Layout, declared: Section, shown: HeatMap) -> Item:
    """Return a heat map as an item, or a note why it is not shown."""
    table = layout.table(declared, shown)
    own = table[table["figure"] == shown.figure.name]
    n, why = int(own["n"].max()) if len(own) else 0, ""
    if known_rows(shown, table).empty:
        few = f"since every cell has too few events (at most {n}) for a value"
        why = few if n else "since nothing that it counts happened"
    elif len(table) > MAX_MAP_ROWS:
        place = f"`tables/{shown.table}.csv` has them, and " if _has_file(layout, shown) else ""
        why = f"{len(table):,} rows; {place}a report with figures draws them"
    note = f"Not shown: {shown.title}, {why}." if why else ""
    part = Part("", note=note, heat=None if why else _heat_tables(layout, declared, shown))
    return Item(shown.title, shown.caption if part.heat else "", (part,), f"item-{shown.name}")


def _heat_files(layout: Layout) -> dict[str, bytes]:
    """Return the files of all heat maps that have a value, by name."""
    files: dict[str, bytes] = {}
    for declared, shown in layout.pictures.values():
        if isinstance(shown, HeatMap):
            table, words = layout.table(declared, shown), layout.words()
            files |= heat_map_files(shown, table, words, layout.results.study.chunks)
    return files


def _number(key: KeyNumber) -> Number:
    """Return a number of the first screen, with its interval."""
    half = half_width(key.row)
    digits = digits_for(key.row.value, half, key.figure, 1)
    value = format_value(key.row.value, key.figure, digits, bare=key.is_change)
    if key.is_change:
        value = f"+{value}" if key.row.value > 0 and value.strip("0.") else value
    return Number(value, format_beside(key.row, key.figure, digits), key.what)


def _plan(results: Results) -> str:
    """Return the study in one sentence."""
    study = results.study
    lineups = [", ".join(lineup) for lineup in dict.fromkeys(study.lineups)]
    is_selfplay = all(len(lineup) == 1 for lineup in study.lineups)
    shown = listed(lineups) if is_selfplay else " | ".join(lineups)
    agents = shown if len(lineups) <= 3 else f"{len(lineups)} line-ups"
    if len(lineups) > 1 and is_selfplay:
        agents += ", each by itself"
    variants = f", in {some_of(list(study.variant_of), 3)}" if list(study.variant_of) != ["base"] else ""
    counts, games = listed([str(count) for count in study.players]), pluralize(results.n_games, "game")
    played = f"{pluralize(study.deals, 'deal')}, {games}"
    if results.n_games != study.deals:
        played = f"{pluralize(study.deals, 'deal')} for each, {games} in all"
    return f"{study.the_game.title} at {counts} players, played by {agents}{variants}: {played}."


def _facts(results: Results) -> list[tuple[str, str]]:
    """Return the study's plan as rows (name, value) of a short table."""
    study = results.study
    moments = [str(results.about[key]) for key in ("started", "finished") if results.about.get(key)]
    facts = {
        "Players": listed([str(count) for count in study.players]),
        "Line-ups": " | ".join(", ".join(lineup) for lineup in study.lineups),
        "Variants": ", ".join(study.variants),
        "Deals": f"{study.deals:,}",
        "Seatings": study.seatings,
        "Games": f"{results.n_games:,}",
        "Played": " to ".join(moment.replace("T", " ").replace("+00:00", " UTC") for moment in moments),
    }
    return [(name, value) for name, value in facts.items() if value]


def _manifest(results: Results) -> Mapping[str, Any]:
    """Return the manifest of the page: name, seed, versions and command of the run, and so on."""
    study, versions = results.study, results.about.get("versions", {})
    return {
        "name": results.look.name,
        "games": results.n_games,
        "seed": study.seed,
        "plan_hash": study.hash,
        "warnings": study.warnings,
        "versions": versions if isinstance(versions, dict) else {},
        "command": results.about.get("command", ""),
        "reconstructed": {name: list(variant.reconstructed) for name, variant in study.variant_of.items()},
        "finished": results.about.get("finished", ""),
    }
