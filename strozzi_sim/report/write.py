"""The report of results: one page for every kind of study, drawn from the sections that the kind declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from strozzi_sim.errors import InputError, suggest_names
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import SCENARIO, Picture, listed, pick
from strozzi_sim.reports.content import Answer, Content, Item, Part, section
from strozzi_sim.reports.explorer import packed_explorer
from strozzi_sim.reports.heat_tables import heat_tables
from strozzi_sim.reports.marks import HERO, WIDE
from strozzi_sim.reports.naming import Naming
from strozzi_sim.reports.page import render, write_page
from strozzi_sim.reports.painter import Painter
from strozzi_sim.study.files import REPORT
from strozzi_sim.study.results import Results

MOST_SCENES = 4  # variants and line-ups with pictures of their own; tables have all
DEFINITIONS = {
    "win_share": "games won / games; a win shared by k counts 1/k for each",
    "score_mean": "sum of final scores / (games times players)",
    "rank_mean": "sum of places / (games times players); a shared place is the mean of the places",
    "lead_mean": "own final score less the mean of the others, mean over games",
    "seat_gap": "share of wins of the best seat less that of the worst",
    "seat_fairness_p": "probability of a gap as large or larger if all seats are equal",
    "decisions_mean": "decisions of all players / games",
}
CERTAINTY = [
    "Every figure is an exact count over all games. Its interval comes from recomputing it without one chunk of deals at a time (the "
    "delete-one jackknife); all seatings of a deal are in one chunk.",
    "Intervals are 95 %: for means Student's t, corrected for skewness; for shares Wilson's formula, or the exact one if events are rare.",
    "Figures with fewer than 30 events have no value. n is the number of events. Intervals cover chance, not how well the agents play.",
]


def write_report(results: Results, path: str | Path | None = None) -> Path:
    """Write the page; default: into the results folder. Returns where it is."""
    if path is None and results.folder is None:
        raise InputError("path: nothing is kept in a folder; say where the report goes, such as 'report.html'")
    place = Path(path) if path is not None else Path(results.folder or "") / REPORT
    painter = Painter()
    page = render(_heading(results), results.study.the_game, content(results, painter), painter)
    write_page(place, page)
    return place


def picture(results: Results, name: str | None = None) -> Part:
    """Return a picture of the report."""
    pictures = [
        each
        for part in results.study.sections(results.tables, results.look)
        for each in part.shown
        if isinstance(each, Picture)
    ]
    known = {each.name: each for each in pictures if each.kind != "table"}
    name = next(iter(known), "") if name is None else name
    if name not in known:
        raise InputError(f"name: no picture {name!r}; {suggest_names(name, known)}")
    return _item(results, known[name], Painter(), WIDE).parts[0]


def content(results: Results, painter: Painter) -> Content:
    """Paint the pictures and return the content of the page."""
    study, look, sections = results.study, results.look, results.study.sections(results.tables, results.look)
    hero = sections[0].shown[0] if sections and sections[0].shown else None
    verdict, *details = results.verdict or [results.summary]
    made = []
    for number, each in enumerate(sections):
        shown = [one for one in each.shown if one is not hero]
        items = [
            _heat(results, *one) if isinstance(one, tuple) else _item(results, one, painter, WIDE) for one in shown
        ]
        made.append(
            section(
                f"section-{number}", each.name, each.question, each.sentences, [item for item in items if item.parts]
            )
        )
    definitions = {**DEFINITIONS, **study.the_game.report.definitions()}
    figures = {name for table in results.tables.values() if "figure" in table for name in table["figure"].unique()}
    return Content(
        answer=Answer(verdict, " ".join(details)),
        hero=(_item(results, hero, painter, HERO),) if isinstance(hero, Picture) else (),
        sections=[each for each in made if each.items],
        plan=f"{results.summary}.",
        facts=[("Players", listed([str(count) for count in study.players])), ("Line-ups", " | ".join(", ".join(each) for each in study.lineups)),
               ("Variants", ", ".join(study.variants)), ("Deals", f"{study.deals:,}"), ("Seatings", study.seatings), ("Games", f"{results.n_games:,}")],
        certainty=CERTAINTY,
        tables=sorted(results.tables),
        glossary={},
        explorer=packed_explorer(_heading(results), results.tables, study.the_game, look.maps_in(study.the_game)) if "explorer" in results.tables else "",
        definitions={name: text for name, text in definitions.items() if name in figures},
    )  # fmt: skip


def _item(results: Results, shown: Picture, painter: Painter, width: int) -> Item:
    """Return a picture or table with a part for each variant and line-up, or one part if these are its series."""
    table, together = results.tables[shown.table], shown.series == SCENARIO
    plain = {name: name.replace(".", "_") for name in (shown.x, shown.series) if "." in name}  # drawn by attribute
    shown, table = (
        replace(shown, x=plain.get(shown.x, shown.x), series=plain.get(shown.series, shown.series)),
        table.rename(columns=plain),
    )
    table = table.assign(**{key: "" for key in ("variant", "lineup") if key not in table})
    scenes = list(_scenes(shown, table))
    if together and scenes:
        whole = pd.concat([rows.assign(**{SCENARIO: name or lineup}) for name, _, lineup, rows in scenes])
        scenes = [("", "", "", whole)]
    compared = pd.concat([rows for *_, rows in scenes]) if scenes else table
    parts: list[Part] = []
    for name, variant, lineup, rows in scenes:
        slug = f"--{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')[:40]}" if name else ""
        components = results.study.variant_of[variant].components if variant else None
        parts += painter.parts(
            shown, shown.name + slug, rows, _words(results, variant, lineup), name, components, compared, width
        )
    count = len(table[["variant", "lineup"]].drop_duplicates()) if len(table) else 0
    left_out = f"The first {MOST_SCENES} of {count}; `tables/{shown.table}.csv` has all." if count > MOST_SCENES else ""
    return Item(shown.title, shown.caption, tuple(parts), f"item-{shown.name}", left_out)


def _heat(results: Results, name: str, heat_map: HeatMap) -> Item:
    """Return a heat map."""
    heat = heat_tables(heat_map, results.tables[name], _words(results, "", ""), chunks=results.study.chunks)
    return Item(heat_map.title, heat_map.caption, () if heat is None else (Part("", heat=heat),), f"heat-{name}")


def _scenes(shown: Picture, table: pd.DataFrame) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """Yield name, variant, line-up and rows of the first variants and line-ups of a table; the name says what differs.

    Variants that the axis tells apart, as in a sweep, stand together.
    """
    if (
        shown.x in table
        and len(table)
        and table.groupby(["variant", "lineup"])[shown.x].nunique().max() == 1 < table["variant"].nunique()
    ):
        table = table.assign(variant=table["variant"].iloc[0])
    every = list(dict.fromkeys(zip(table["variant"], table["lineup"], strict=True)))
    several = [len({each[k] for each in every}) > 1 for k in range(2)]
    for variant, lineup in every[:MOST_SCENES]:
        words = zip((variant, lineup.replace(",", ", ")), several, strict=True)
        yield (
            ": ".join(word for word, differs in words if differs),
            variant,
            lineup,
            pick(table, variant=variant, lineup=lineup),
        )


def _words(results: Results, variant: str, lineup: str) -> Mapping[str, str]:
    """Return raw value -> name, of the games of one variant and line-up, or of all."""
    if "lineup" not in results.tables or "balance" not in results.tables:
        return {}
    naming = Naming(results.study.the_game, results.tables, _components(results))
    return naming.of(variant, lineup) if lineup else naming.of_all()


def _components(results: Results) -> dict[str, Any]:
    return {name: variant.components for name, variant in results.study.variant_of.items()}


def _heading(results: Results) -> dict[str, Any]:
    """Return what the head of the page says of the run."""
    study, versions = results.study, results.about.get("versions", {})
    return {
        "name": results.look.name, "games": results.n_games, "seed": study.seed, "plan_hash": study.hash, "warnings": study.warnings,
        "versions": versions if isinstance(versions, dict) else {}, "command": results.about.get("command", ""),
        "reconstructed": {name: list(variant.reconstructed) for name, variant in study.variant_of.items()},
        "finished": results.about.get("finished", ""), "plan": {"variants": _components(results)},
    }  # fmt: skip
