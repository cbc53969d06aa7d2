"""The page of a study: its answer, what changed, the pages of the game's report, heat maps that were asked for."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec
import pandas as pd

from strozzi_sim.agent import load_agent
from strozzi_sim.errors import pluralize
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.custom_heatmaps import HeatMapSpec, custom_heat_map
from strozzi_sim.game.reporting import (
    SCENARIO,
    Picture,
    Tables,
    cell_name,
    first_scenario,
    headline_players,
    listed,
    pick,
    unknown_figures,
)
from strozzi_sim.game.significance import MAX_CHUNKS
from strozzi_sim.reports import changes, findings
from strozzi_sim.reports.answers import agents_answer, changes_numbers, seats_answer
from strozzi_sim.reports.content import Answer, Content, Item, Part, Section, marked, section
from strozzi_sim.reports.explorer import packed_explorer
from strozzi_sim.reports.heat_answer import heat_answer, not_shown, table_of_map
from strozzi_sim.reports.heat_tables import heat_tables
from strozzi_sim.reports.marks import HERO, WIDE
from strozzi_sim.reports.naming import Naming
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.styles import styles_answer
from strozzi_sim.reports.sweep_findings import SHOWN, Sweep
from strozzi_sim.reports.sweep_pictures import paint_sweep, sweep_of
from strozzi_sim.studies.plan import AGENTS, MAPS, SEATS, VARIANTS

MAX_CELLS = 6000  # rows of heat maps that a page has as tables; more are in its explorer
MAX_SCENARIOS = 4  # variants and line-ups with pictures; tables and heat maps contain all
_GLOSSARY = {
    "equal share": "What every seat would win if seats did not matter: one game in four with four players.",
    "interval": "The thin line through a point. If the study were played again with other luck, the true value would lie in it 95 times in 100.",
    "deal": "The order in which chance comes. Games of one deal share their luck, so deals are what is counted.",
    "seat": "Place in the turn order of round 1: seat 0 begins, the others follow clockwise.",
    "n": "The number of events behind a figure: games, rounds, decisions and so on.",
}
_OF_TIER = {
    "random": "moves at random", "weak": "plays like a beginner: a low level of the trained agent", "middle": "plays middling: a hand-made agent without search",
    "search": "searches before it moves", "learned": "was trained on many games of its own",
}  # fmt: skip


class StudyPage:
    """The page of a study.

    Args:
        manifest: content of its manifest.json.
        tables: the study's tables by name.
        game: its game.
        painter: receives the pictures.
    """

    def __init__(self, manifest: Mapping[str, Any], tables: Tables, game: Game, painter: Painter) -> None:
        self._manifest, self._game, self._painter = manifest, game, painter
        self._tables = {**tables, "lineup": findings.with_agents(tables["lineup"])}
        self._variants = variants_of(manifest)
        self._naming = Naming(game, self._tables, self._variants)
        self._question = str(manifest.get("report", {}).get("question", SEATS))
        self._chunks = int(manifest.get("plan", {}).get("chunks") or MAX_CHUNKS)
        self._tiers = tiers_of(tables, game)
        self._first = _middle_first(self._tables, self._tiers)
        self.sweep = sweep_of(manifest, tables, game) if "sweep" in tables else None
        self.pictures = self._pictures()
        self._hero = self._hero_pictures()

    def content(self) -> Content:
        """Paint the pictures and return the content of the page."""
        answer = answer_of(self._manifest, self._tables, self._game)
        said = str(marked(answer.verdict))  # a section does not say it again
        sections = [
            replace(each, title=marked(each.name)) if said.endswith(str(each.title)) else each
            for each in self._sections()
        ]
        return Content(
            answer=answer,
            hero=self._hero_items(),
            sections=sections,
            plan=plan_in_words(self._manifest, self._game),
            facts=_facts(self._manifest),
            certainty=findings.certainty(self._manifest),
            tables=sorted(self._tables),
            glossary=_GLOSSARY | self._agents_in_words(),
            definitions=definitions_of(self._tables, self._game),
            caveats=self.sweep.caveats() if self.sweep is not None else (),
            explorer=packed_explorer(self._manifest, self._tables, self._game, maps_of(self._manifest, self._game)),
        )

    def paint_all(self) -> None:
        """Paint every picture without its sentences, which take longer."""
        for pictures in self.pictures.values():
            for picture in pictures:
                self._item(picture)

    # -- the answer's picture -----------------------------------------------------------------------------------------

    def _pictures(self) -> dict[str, list[Picture]]:
        """Return the pictures of each page that is shown."""
        part = self._game.report
        report = self._manifest.get("report") or self._manifest.get("plan", {}).get("report") or {}
        pages = report.get("pages", part.PAGES)
        every = self._every_picture()
        shown = [page for page in part.PAGES if page in self._tables and page in pages]
        return {page: [picture for picture in every if picture.page == page] for page in shown}

    def _every_picture(self) -> list[Picture]:
        return [*findings.seat_pictures(self._tables), *self._game.report.pictures(self._tables)]

    def _hero_pictures(self) -> list[Picture]:
        """Return the picture and the table that answer a question on seats, agents or a page; none for variants."""
        balance = [picture for picture in self._every_picture() if picture.page == "balance"]  # also without its page
        if self._question == VARIANTS and "changes" in self._tables:
            return []
        if self._question in (SEATS, VARIANTS) and self.sweep is not None:
            return []
        if self._question == AGENTS and len(self._tables["lineup"]):
            return [picture for picture in balance if picture.table == "lineup"]
        if self._question in self.pictures and self._question not in (SEATS, AGENTS, VARIANTS):
            return [picture for picture in self.pictures[self._question] if picture.kind != "table"][:1]
        return [picture for picture in balance if picture.table == "seats"]

    def _hero_items(self) -> tuple[Item, ...]:
        if self._question == MAPS and (shown := self._first_map()):
            return shown
        if not self._hero:
            if self.sweep is not None:
                return tuple(paint_sweep(self.sweep, self._painter, width=HERO)[:1])
            return self._changed()[:1]
        names = {f"scenario={agent}": f"{findings.PLAY[tier]} ({agent})" for tier, agent in self._tiers.items()}
        return tuple(self._item(picture, names, HERO) for picture in self._hero)

    def _agents_in_words(self) -> dict[str, str]:
        return {agent: f"The agent {agent}; it {_OF_TIER.get(tier, tier)}." for tier, agent in self._tiers.items()}

    # -- sections ------------------------------------------------------------------------------------------------------

    def _sections(self) -> list[Section]:
        part = self._game.report
        sentences = part.sentences(self._first, self._variants)
        titles = part.titles(self._first, self._variants)
        lineups = findings.lineup_sentences(self._tables, self._chunks)
        sections = []
        for page, pictures in self.pictures.items():
            name, question = part.PAGE_TITLES[page]
            of_seats = [*lineups, *findings.seat_sentences(self._tables)] if self.sweep is None else []
            said = [*sentences.get(page, []), *(of_seats if page == "balance" else [])]
            items = [self._item(picture) for picture in pictures if picture not in self._hero]
            made = section(page, name, question, said, items, titles.get(page, ""))
            sections.append(replace(made, side_by_side=self._question == VARIANTS and self.sweep is None))
        if self.sweep is not None:
            sections.insert(0, self._swept(self.sweep))
        elif "changes" in self._tables:
            sections.insert(0 if self._question == VARIANTS else 1, self._what_changed())
        heat = self._heat_maps()
        return [*sections, heat] if heat.items or heat.paragraphs else sections

    def _swept(self, sweep: Sweep) -> Section:
        """Return the section of the other figures over the swept values, each with its finding as title."""
        items = paint_sweep(sweep, self._painter)[0 if self._hero else 1 :]
        sentences = [each for figure in SHOWN if figure in sweep.figures for each in sweep.sentences(figure)]
        keys = " and ".join(sweep.keys)
        return section("sweep", f"Values of {keys}", f"What do the values of {keys} change?", sentences, items)

    def _changed(self) -> tuple[Item, ...]:
        """Return the pictures and tables of what changed between variants."""
        labels, words = changes.labels_of_game(self._tables, self._game), self._naming.of_all()
        found = changes.change_parts(self._tables, self._manifest, labels, words, self._painter)
        items = (
            Item(title, caption, tuple(parts), f"item-changes-{number}")
            for number, (title, caption, parts) in enumerate(found)
        )
        return tuple(item for item in items if item.parts)

    def _what_changed(self) -> Section:
        labels, words = changes.labels_of_game(self._tables, self._game), self._naming.of_all()
        sentences = list(changes.change_sentences(self._tables, self._manifest, labels, words))
        unpaired = self._manifest.get("report", {}).get("unpaired")
        question = f"What is different between {'these studies' if unpaired else 'the variants, on the same deals'}?"
        items = self._changed()[0 if self._hero else 1 :]
        verdict = changes.change_verdict(self._tables, self._game)
        return section("changes", "What changed", question, sentences, items, verdict)

    def _heat_maps(self) -> Section:
        """Return the section of the requested heat maps: each as a table, or a sentence why not."""
        question, words = "How does each figure vary by row and column?", self._naming.of_all()
        maps, items = maps_of(self._manifest, self._game), []
        if self._cells_of_maps() > MAX_CELLS:
            said = f"The {len(maps)} heat maps have more than {MAX_CELLS:,} cells, too many for a page: a results folder has them as pictures in `figures/` and their cells in `tables/`."
            return section("heatmaps", "Heat maps", question, [said, *not_shown(maps, self._tables)], [])
        for name, heat_map in maps.items():
            table = table_of_map(self._tables, name)
            heat = None if table is None else heat_tables(heat_map, table, words, chunks=self._chunks)
            if heat is not None:
                items.append(Item(heat_map.title, heat_map.caption, (Part("", heat=heat),), f"heat-{name}"))
        return section("heatmaps", "Heat maps", question, list(not_shown(maps, self._tables)), items)

    def _first_map(self) -> tuple[Item, ...]:
        """Return the item of the first requested heat map, of the first variant and line-up alone."""
        for name, heat_map in maps_of(self._manifest, self._game).items():
            table = table_of_map(self._tables, name)
            heat = None if table is None else heat_tables(heat_map, first_scenario(table), self._naming.of_all(), chunks=self._chunks)  # fmt: skip
            if heat is not None:
                return (Item(heat_map.title, heat_map.caption, (Part("", heat=heat),), f"item-heat-{name}"),)
        return ()

    def _cells_of_maps(self) -> int:
        """Return the number of cells of all heat maps that were asked for."""
        return sum(len(table) for name, table in self._tables.items() if name.startswith("heat_"))

    def _item(self, shown: Picture, names: Mapping[str, str] | None = None, width: int = WIDE) -> Item:
        """Return the item of a picture or table: a part per variant and line-up, or one part if these are its series."""
        together = shown.series == SCENARIO
        table = (self._tables if together else self._first)[shown.table]
        scenes = [("", "", findings.with_scenario(table))] if together else list(by_scenario(table))
        middle = (
            f"{findings.PLAY['middle']} ({self._tiers['middle']})" if "middle" in self._tiers and not together else ""
        )
        if middle:  # the others are in the explorer and in the tables
            scenes = [(middle, "", scenes[0][2])]
        compared = pd.concat([rows for _, _, rows in scenes]) if scenes else table
        parts = []
        for scenario, slug, rows in scenes:
            if rows.empty:
                continue
            variant, lineup = rows[["variant", "lineup"]].iloc[0]
            words = {**(self._naming.of_all() if together else self._naming.of(variant, lineup)), **(names or {})}
            components = self._variants.get(variant)
            parts += self._painter.parts(shown, shown.name + slug, rows, words, scenario, components, compared, width)
        parts += [
            Part("", note=f"Not shown: {words} (table `{shown.table}`).") for words in unknown_figures(shown, table)
        ]
        every, drawn = len(findings.scenarios(table)), len(findings.scenarios(compared))
        if middle:
            return Item(shown.title, shown.caption, tuple(parts), f"item-{shown.name}")
        left_out = f"The first {drawn} of {every}; `tables/{shown.table}.csv` has all." if drawn < every else ""
        return Item(shown.title, shown.caption, tuple(parts), f"item-{shown.name}", left_out)


def answer_of(manifest: Mapping[str, Any], tables: Tables, game: Game) -> Answer:
    """Return the answer to a study's question: about its seats, its agents, its variants or a page."""
    question = manifest.get("report", {}).get("question", SEATS)
    if question in (SEATS, VARIANTS) and "sweep" in tables:
        return sweep_of(manifest, tables, game).answer()
    if question == VARIANTS and "changes" in tables:
        detail = changes.change_headline(tables, manifest)
        return Answer(changes.change_verdict(tables, game), detail, changes_numbers(tables))
    if question == AGENTS and len(tables["lineup"]):
        chunks = manifest.get("plan", {}).get("chunks") or MAX_CHUNKS
        return styles_answer(tables, game, chunks) or agents_answer(tables, game, chunks)
    if question == MAPS:
        words = Naming(game, tables, variants_of(manifest)).of_all()
        chunks = manifest.get("plan", {}).get("chunks") or MAX_CHUNKS
        return heat_answer(maps_of(manifest, game), tables, game, words, chunks)
    if question in tables and question in game.report.PAGE_TITLES:
        return _page_answer(question, manifest, tables, game)
    return seats_answer(tables, game, tiers_of(tables, game))


_WORDS = 60  # of an answer


def _page_answer(page: str, manifest: Mapping[str, Any], tables: Tables, game: Game) -> Answer:
    """Return the finding of a page with whom it is about, the sentences behind it, and whether variants change who wins."""
    table = first_scenario(tables["balance"])
    if table.empty:
        return Answer(f"No game of {game.title} was played.")
    players, (variant, lineup) = headline_players(table), table[["variant", "lineup"]].iloc[0]
    name = cell_name(players, variant, lineup, several=tables["balance"]["variant"].nunique() > 1)
    of_page = game.report.sentences(tables, variants_of(manifest)).get(page, [])
    said = [text.removeprefix(f"{name}: ") for text in of_page if text.startswith(f"{name}: ")]
    title = game.report.titles(tables, variants_of(manifest)).get(page, "")
    if not (title or said):
        question = game.report.PAGE_TITLES[page][1]
        return Answer(f"There are too few games of {game.title} to answer: {question[:1].lower()}{question[1:]}")
    verdict, *rest = [title, *said] if title else said
    changed = [changes.change_verdict(tables, game)] if "changes" in tables and "sweep" not in tables else []
    whom = f"Played by {listed(list(dict.fromkeys(lineup.split(','))))}"
    where = (f" in {variant}" if variant != "base" else "") + f" at {players} players"
    answer = Answer(f"{whom}{where}: {verdict}", " ".join(changed))
    for detail in rest:
        longer = Answer(answer.verdict, " ".join(filter(None, [answer.detail, detail])))
        if len(f"{longer.verdict} {longer.detail}".split()) <= _WORDS:
            answer = longer
    return answer


def _middle_first(tables: Tables, tiers: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Return the tables with the rows of the middle tier first, of which a page's sections speak."""
    middle = tiers.get("middle", "")
    if not middle:
        return dict(tables)
    return {
        name: table.sort_values("lineup", key=lambda lineups: lineups != middle, kind="stable", ignore_index=True)
        if "lineup" in table
        else table
        for name, table in tables.items()
    }


_DEFINITIONS = {
    "win_share": "games won / games; a win shared by k counts 1/k for each",
    "score_mean": "sum of final scores / (games times players)",
    "rank_mean": "sum of places / (games times players); a shared place is the mean of the places",
    "lead_mean": "own final score less the mean of the others, mean over games",
    "seat_gap": "share of wins of the best seat less that of the worst",
    "seat_gap_by_chance": "what the gap stays below in 95 % of studies if all seats are equal",
    "seat_favour_bound": "the most by which a seat can be favoured without this study showing it (95 %)",
    "seat_fairness_p": "probability of a gap as large or larger if all seats are equal",
    "decisions_mean": "decisions of all players / games",
}

_ENDINGS = {
    "_minus_position_0": "less that of position 0, paired by deal",
    "_without_luck": "less a coefficient, fitted on the other chunks, times the luck of the chance events",
    "_games_saved": "variance of its mean over that of the mean without luck",
}


def definitions_of(tables: Tables, game: Game) -> dict[str, str]:
    """Return figure -> how it is counted, of the figures in these tables."""
    known = {**game.report.definitions(), **_DEFINITIONS}
    patterns = {
        re.compile(re.escape(name).replace(r"\{\}", ".+")): text for name, text in known.items() if "{}" in name
    }
    names = {name for table in tables.values() if "figure" in table for name in table["figure"].unique()}
    found = {}
    for name in names:
        base, more = name, ""
        for ending, words in _ENDINGS.items():
            if base.endswith(ending):
                base, more = base.removesuffix(ending), f"; {words}{more}"
        text = known.get(base) or next((text for pattern, text in patterns.items() if pattern.fullmatch(base)), "")
        if text:
            found[name] = text + more
    return found


def tiers_of(tables: Tables, game: Game) -> dict[str, str]:
    """Return strength -> agent if a study plays agents of the game's tiers, or `random`, each against itself; else nothing."""
    if len(game.tiers) < 2:
        return {}
    every = {findings.RANDOM: findings.RANDOM}
    for tier, agent in game.tiers.items():
        text = load_agent(agent, game).text
        every[findings.strength_of(tier, text)] = text
    cells = tables["balance"][["variant", "lineup"]].drop_duplicates()
    played = set(cells["lineup"])
    if len(played) < 2 or not played <= set(every.values()) or cells["variant"].nunique() > 1:
        return {}
    return {strength: agent for strength, agent in every.items() if agent in played}


def maps_of(manifest: Mapping[str, Any], game: Game) -> dict[str, HeatMap]:
    """Return the heat maps of a study by name: those of the game that were asked for, and the custom ones."""
    report = manifest.get("report", {})
    custom = [msgspec.convert(spec, HeatMapSpec) for spec in report.get("own", [])]
    named = {name: game.report.HEATMAPS[name] for name in report.get("heatmaps", []) if name in game.report.HEATMAPS}
    return {**named, **{spec.name: custom_heat_map(game, spec) for spec in custom}}


def variants_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return variant -> component data."""
    variants = manifest.get("plan", {}).get("variants", {})
    return dict(variants) if isinstance(variants, Mapping) else {}


def by_scenario(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield (name, suffix for file names, rows) of the first variants and line-ups of a table."""
    every = findings.scenarios(table)
    for number, (variant, lineup) in enumerate(every[:MAX_SCENARIOS]):
        name = findings.scenario_words((variant, lineup), every)
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
        yield name, f"--{number}-{slug}" if len(every) > 1 else "", pick(table, variant=variant, lineup=lineup)


# -- the plan in words --------------------------------------------------------------------------------------------------


def plan_in_words(manifest: Mapping[str, Any], game: Game) -> str:
    """Return the plan in one sentence, with the number of games."""
    plan = manifest.get("plan", {})
    players, lineups, variants = plan.get("players", []), plan.get("lineups", []), list(variants_of(manifest))
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
    swept = manifest.get("report", {}).get("sweep", {})
    facts = [
        ("Line-ups", " | ".join(_lineups(plan))),
        *([(key, ", ".join(f"{value:g}" for value in values)) for key, values in swept.items()]
          or [("Variants", ", ".join(variants_of(manifest)))]),
        ("Worth of", ", ".join(plan.get("worth", []))),
        ("Deals per combination", f"{plan['deals']:,}" if "deals" in plan else ""),
        ("Seatings", f"{seatings} (one seating for an agent against itself)" if seatings else ""),
    ]  # fmt: skip
    return known_facts(manifest, facts)


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


def _moment(text: Any) -> str:
    """Format an ISO 8601 time for display."""
    return str(text).replace("T", " ").replace("+00:00", " UTC")
