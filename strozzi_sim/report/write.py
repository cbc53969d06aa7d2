"""The report of results: one page for every kind of study, made from the sections that the kind declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import FIGURES as FIGURE_TABLE
from strozzi_sim.declare.figure_tables import Tables
from strozzi_sim.declare.pictures import SCENARIO, HeatMap, Picture, unknown_figures
from strozzi_sim.declare.printing import digits_for, format_beside, format_value, half_width
from strozzi_sim.errors import ArgumentError, InputError, pluralize, suggest_names
from strozzi_sim.game.sentences import listed, some_of
from strozzi_sim.pictures.draw import Drawing
from strozzi_sim.pictures.heat import HeatTables, draw_heat, heat_map_files, heat_tables, known_rows
from strozzi_sim.pictures.ink import HERO, MOST_SCENARIOS, WIDE
from strozzi_sim.report.explorer import packed_explorer
from strozzi_sim.report.outline import MOST_PARTS, Outline
from strozzi_sim.report.page import TEXTS, Content, Item, Number, PageAlarm, PageSection, render, write_page
from strozzi_sim.report.spreadsheet import spreadsheet as spreadsheet
from strozzi_sim.runtime.files import PICTURE, write_replacing
from strozzi_sim.study.files import REPORT, refuse_links
from strozzi_sim.study.look import KeyNumber, Section
from strozzi_sim.study.results import NOT_PEOPLE, Results, notes
from strozzi_sim.study.verdict import MOST_WORDS_ON_SCREEN
from strozzi_sim.study.wording import lineup_words, players_words, tier_note

FIGURES = "figures"
MAX_MAP_ROWS = 6000  # most rows of a heat map's table, one per cell and figure, that the page shows


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
    outline = Outline(results)
    page = content(outline)
    look = results.look
    only_maps = path is None and bool(look.heatmaps or look.heatmap) and not look.pages_in(results.study.the_game)
    files = _heat_files(outline) if figures or only_maps else {}
    for name, chart in page.pictures.items() if figures else ():
        files |= {f"{name}.{kind}": drawn for kind, drawn in chart.files().items()}
    drawn_files = {place.parent / FIGURES / name: drawn for name, drawn in files.items()}
    html = render(_manifest(results), results.study.the_game, page)
    write_page(place, html, within=results.folder if path is None else None, overwrite=overwrite)
    write_replacing(drawn_files, PICTURE, within=place.parent, overwrite=overwrite)
    return place


def pictures_of(results: Results) -> list[str]:
    """Return the names of the report's pictures and heat maps whose table has a value."""
    return list(Outline(results).pictures)


def picture(results: Results, name: str | None = None, ax: Any = None, players: int | None = None) -> Any:
    """Return a picture (default: the first) as a `Drawing`; with `ax`, draw its panel of `players` and return `ax`."""
    if ax is None and players is not None:
        raise ArgumentError("players", "chooses the panel that is drawn into ax; give ax too")
    outline = Outline(results)
    names = outline.pictures
    if not names:
        raise InputError("name: these results have no pictures")
    name = next(iter(names)) if name is None else name.replace("_", "-")
    if name not in names:
        raise ArgumentError("name", f"no picture {name!r}; {suggest_names(name, names)}")
    declared, shown = names[name]
    charts: list[Any]
    if isinstance(shown, HeatMap):
        heat = _heat_tables(outline, declared, shown)
        charts = [draw_heat(shown, heat)] if heat else []
    else:
        charts = [chart for _, chart in outline.parts(declared, shown)]
    if not charts:
        raise ArgumentError("name", "this picture has no values")
    if ax is None:
        return Drawing(shown.title, charts, outline.table(declared, shown))
    charts[0].on(ax, players)  # the first variant and line-up
    return ax


def _heat_tables(outline: Outline, declared: Section, shown: HeatMap) -> HeatTables | None:
    table = outline.table(declared, shown)
    return heat_tables(shown, table, outline.words(), chunks=outline.results.study.chunks)


def content(outline: Outline) -> Content:
    """Return the content of the page."""
    results, hero, tables = outline.results, outline.hero, outline.tables
    study, look = results.study, results.look
    verdict = results.answer
    notes_shown = verdict.fitting(MOST_WORDS_ON_SCREEN)
    sections: list[PageSection] = []
    first = outline.sections[0] if outline.sections else None
    hero_items = [_item(outline, first, hero, HERO)] if first and hero else []
    for number, declared in enumerate(outline.sections):
        items = [_item(outline, declared, shown, WIDE) for shown in declared.shown if shown is not hero]
        sentences = [*(verdict.notes[notes_shown:] if number == 0 else ()), *declared.sentences]
        if number == 0 and hero_items and not any(item.kind in ("picture", "heat") for item in items):
            hero_items, items = [*hero_items, *items], []  # if all are tables, they follow the first screen's picture
        finding = "" if verdict.answer.casefold().endswith(declared.finding.casefold()) else declared.finding
        section = PageSection(
            anchor=f"section-{number}",
            name=declared.name,
            question=declared.question,
            title=finding or declared.name,
            sentences=sentences,
            items=[item for item in items if item.parts or item.notes],
            side_by_side=declared.beside,
            small_table=declared.keys,
        )
        sections.append(section)
    pictures = [shown for declared in outline.sections for shown in declared.shown if isinstance(shown, Picture)]
    maps = look.maps_in(study.the_game)
    explored = (look.name, tables, study.the_game, maps, outline.words(), pictures)
    caveats = [
        *(["The lowest score wins"] if study.the_game.lowest_wins else []),
        *(first.caveats if first else ()),
        *notes(study, results.originals),
        *([results.interrupted] if results.interrupted else []),
    ]
    return Content(
        verdict=verdict.answer,
        subject=verdict.subject,
        detail=" ".join(verdict.notes[:notes_shown]),
        printed=[" ".join(verdict.printed), *_on_paper(outline)],
        numbers=[_number(key) for key in first.numbers if not np.isnan(key.row.value)][:3] if first else [],
        hero=hero_items,
        sections=[part for part in sections if part.items or part.sentences or part.small_table],
        plan=_plan(results),
        facts=_facts(results),
        certainty=TEXTS["certainty"],
        tables=sorted(tables) if results.folder is not None else (),
        glossary=TEXTS["glossary"],
        players=outline.players,
        explorer=packed_explorer(*explored) if "seats" in tables else "",
        definitions=definitions_of(tables),
        alarms=_alarms(outline),
        caveat=NOT_PEOPLE,
        caveats=[caveat.removesuffix(".") for caveat in caveats],
    )


def _on_paper(outline: Outline) -> Iterator[str]:
    """Yield what a sheet of paper says instead of its links: who plays, what intervals mean, what is reconstructed."""
    study = outline.results.study
    notes = ((name, tier_note(study.the_game, agent)) for name, agent, _ in outline.players)
    if clauses := [f"{name} ({note.short})" for name, note in notes if note]:
        yield f"Who plays: {', '.join(clauses)}."
    yield TEXTS["paper"]["interval"]
    lines = [line.partition(" (")[0] for variant in study.variant_of.values() for line in variant.reconstructed]
    if lines:
        yield f"Reconstructed, as no known source has it: {'; '.join(dict.fromkeys(lines))}."


def _alarms(outline: Outline) -> list[PageAlarm]:
    """Return the alarms, each with the first picture that shows its figure, after that of the first screen."""
    pictures = [
        shown
        for section in outline.sections
        for shown in section.shown
        if isinstance(shown, Picture) and shown is not outline.hero
    ]
    anchors = {
        (shown.table, figure.name): f"item-{shown.name}" for shown in reversed(pictures) for figure in shown.figures
    }
    return [
        PageAlarm(alarm.text, alarm.evidence, anchors.get((alarm.table, alarm.figure), ""), alarm.is_mended)
        for alarm in outline.results.alarms
    ]


def _item(outline: Outline, declared: Section, shown: Picture | HeatMap, width: int) -> Item:
    if isinstance(shown, HeatMap):
        return _heat(outline, declared, shown)
    table = outline.table(declared, shown)
    notes = [f"Not shown: {figure} (table `{shown.table}`)." for figure in unknown_figures(shown, table)]
    count = len(table[["variant", "lineup"]].drop_duplicates())
    most = MOST_SCENARIOS if shown.series == SCENARIO else MOST_PARTS
    place = f"; `tables/{shown.table}.csv` has all" if _has_file(outline, shown) else ""
    left_out = f"The first {most} of {count}{place}." if count > most else ""
    parts = tuple(outline.parts(declared, shown, width))
    return Item(shown.title, shown.caption, parts, f"item-{shown.name}", notes, left_out)


def _has_file(outline: Outline, shown: Picture | HeatMap) -> bool:
    return outline.results.folder is not None and shown.table in outline.results.originals


def _heat(outline: Outline, declared: Section, shown: HeatMap) -> Item:
    table = outline.table(declared, shown)
    own = table[table["figure"] == shown.figure.name]
    why = ""
    if known_rows(shown, table).empty:
        n = int(own["n"].max()) if len(own) else 0
        few = f"since every cell has too few events (at most {n}) for a value"
        why = few if n else "since nothing that it counts happened"
    elif len(table) > MAX_MAP_ROWS:
        place = f"`tables/{shown.table}.csv` has them, and " if _has_file(outline, shown) else ""
        why = f"{len(table):,} rows; {place}a report with figures draws them"
    if not why and (heat := _heat_tables(outline, declared, shown)):
        return Item(shown.title, shown.caption, [("", heat)], f"item-{shown.name}")
    return Item(shown.title, "", (), f"item-{shown.name}", [f"Not shown: {shown.title}, {why}."])


def _heat_files(outline: Outline) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for declared, shown in outline.pictures.values():
        if isinstance(shown, HeatMap):
            table = outline.table(declared, shown)
            files |= heat_map_files(shown, table, outline.words(), outline.results.study.chunks)
    return files


def _number(key: KeyNumber) -> Number:
    half = half_width(key.row)
    digits = digits_for(key.row.value, half, key.figure, 1)
    value = format_value(key.row.value, key.figure, digits, bare=key.is_change)
    if key.is_change:
        value = f"+{value}" if key.row.value > 0 and value.strip("0.") else value
    return Number(value, format_beside(key.row, key.figure, digits), key.what)


def _plan(results: Results) -> str:
    study = results.study
    lineups = [",".join(lineup) for lineup in dict.fromkeys(study.lineups)]
    is_selfplay = all(len(lineup) == 1 for lineup in study.lineups)
    game = study.the_game
    shown = players_words(game, *lineups) if is_selfplay else " | ".join(lineup_words(game, each) for each in lineups)
    agents = shown if len(lineups) <= 4 else f"{len(lineups)} line-ups"
    if len(lineups) > 1 and is_selfplay:
        agents += ", each by itself"
    variants = f", in {some_of(list(study.boxes.values()), 3)}" if list(study.variant_of) != ["base"] else ""
    counts = listed([str(count) for count in study.players])
    games = pluralize(results.n_games, "game")
    played = f"{pluralize(study.deals, 'deal')}, {games}"
    if results.n_games != study.deals:
        played = f"{pluralize(study.deals, 'deal')} for each, {games} in all"
    return f"{game.title} at {counts} players, played by {agents}{variants}: {played}."


def _facts(results: Results) -> list[tuple[str, str]]:
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
    study = results.study
    versions = results.about.get("versions", {})
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


def definitions_of(tables: Tables) -> dict[str, str]:
    """Return figure -> how it is counted, in the first table that has the figure, of figures with a definition."""
    rows = tables[FIGURE_TABLE] if FIGURE_TABLE in tables else pd.DataFrame(columns=["name", "definition"])
    defined = rows[rows["definition"] != ""].drop_duplicates("name")
    return dict(zip(defined["name"], defined["definition"], strict=True))
