"""The outline of a page: the sections that a study declares, and the charts and tables of their pictures."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from itertools import takewhile
from typing import Any

import pandas as pd

from strozzi_sim.declare.figure_tables import Tables, Words, agent_names, pick
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import SCENARIO, HeatMap, Picture
from strozzi_sim.game.contract import Game
from strozzi_sim.pictures.draw import draw_picture
from strozzi_sim.pictures.ink import MOST_SCENARIOS, WIDE
from strozzi_sim.pictures.marks import Chart
from strozzi_sim.pictures.series import scenario_words, scenarios
from strozzi_sim.report.html_tables import PageTable, page_table
from strozzi_sim.study.look import Section
from strozzi_sim.study.results import Results
from strozzi_sim.study.wording import agent_labels, lineup_names, player_name, player_sentence, strengths

_SEPARATOR = " \N{MIDDLE DOT} "  # of the parts of a component's name
MOST_PARTS = 4  # most variants and line-ups with a separate picture or table


class Naming:
    """Display names of the raw values of a study's tables; `variants` is variant -> component data."""

    def __init__(self, game: Game, tables: Tables, variants: Mapping[str, Any]) -> None:
        self._game, self._tables = game, tables
        self._words = cache(lambda variant: report_of(game).words(tables, variants.get(variant, {})))

    def of(self, variant: str, lineup: str) -> Words:
        """Return raw value -> name for pictures and tables of one variant and line-up."""
        rows = pick(self._tables["lineup"], variant=variant, lineup=lineup)
        players = pick(self._tables["balance"], variant=variant, lineup=lineup)["players"].max()
        called = agent_labels(self._game, rows["agent"].unique())
        agents = agent_names(pick(rows, players=players), int(players), called)
        positions = {f"position={k}": name for k, name in enumerate(agents)}
        return {**self._words(variant), **positions}

    def of_all(self) -> Words:
        """Return raw value -> name for pictures of several variants, "varies" from the first part on that differs."""
        words_by_variant = [self._words(variant) for variant in self._tables["balance"]["variant"].unique()]
        raws = dict.fromkeys(raw for words in words_by_variant for raw in words)
        return {raw: _common(raw, {words[raw] for words in words_by_variant if raw in words}) for raw in raws}


def _common(raw: str, names: set[str]) -> str:
    """Return the only name, or the parts that all begin with, else the raw value: "S12 \N{MIDDLE DOT} varies"."""
    if len(names) == 1:
        return next(iter(names))
    parts_of_names = zip(*(name.split(_SEPARATOR) for name in names), strict=False)
    common_parts = [parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, parts_of_names)]
    return _SEPARATOR.join([*(common_parts or [raw]), "varies"])


class Outline:
    """The sections and tables of the page of results; in a study of strengths, rows of usual play come first."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.tables = dict(results.originals)
        usual = self._tiers.get("usual", "")
        for name, table in self.tables.items() if usual else ():
            if "lineup" in table:
                first = (table["lineup"] != usual).argsort(kind="stable")
                self.tables[name] = table.iloc[first].reset_index(drop=True)
        self.sections = results.study.sections(self.tables, results.look)

    @cached_property
    def hero(self) -> Picture | HeatMap | None:
        """The picture of the first screen: the first picture or heat map of the first section, or None."""
        shown = self.sections[0].shown if self.sections else ()
        return next((picture for picture in shown if picture.kind != "table"), None)

    @cached_property
    def pictures(self) -> dict[str, tuple[Section, Picture | HeatMap]]:
        """The pictures and heat maps whose table has a value, by name, each with its section."""
        pictures: dict[str, tuple[Section, Picture | HeatMap]] = {}
        for section in self.sections:
            for shown in section.shown:
                if shown.kind != "table" and self.table(section, shown)["value"].notna().any():
                    pictures.setdefault(shown.name, (section, shown))
        return pictures

    def table(self, section: Section, shown: Picture | HeatMap) -> pd.DataFrame:
        """Return the table of a picture or heat map; columns `variant` and `lineup` that it lacks are ""."""
        table = {**self.tables, **section.tables}[shown.table]
        return table.assign(**{key: "" for key in ("variant", "lineup") if key not in table})

    def parts(
        self, section: Section, shown: Picture, width: int = WIDE, most: int | None = MOST_PARTS
    ) -> Iterator[tuple[str, Chart | PageTable]]:
        """Yield a picture or table of each variant and line-up that has a value: its name, and a chart or table.

        There are at most `most`, on one scale; if they are the series of the picture, one part has all of them.
        """
        table = self.table(section, shown)
        all_scenarios = scenarios(table)
        if shown.series == SCENARIO:
            words = self.words()
            names = {each: scenario_words(each, all_scenarios, words) for each in all_scenarios[:MOST_SCENARIOS]}
            names = {each: name or words.get(f"lineup={each[1]}", each[1]) for each, name in names.items()}
            column = [names.get(each) for each in zip(table["variant"], table["lineup"], strict=True)]
            rows = table.assign(**{SCENARIO: column}).dropna(subset=SCENARIO)
            if part := _part(shown, rows, words, None, rows, width):
                yield "", part
            return
        rows_of = {each: pick(table, variant=each[0], lineup=each[1]) for each in all_scenarios[:most]}
        compared = pd.concat(rows_of.values()) if rows_of else table
        for number, ((variant, lineup), rows) in enumerate(rows_of.items()):
            named = shown
            if name := scenario_words((variant, lineup), all_scenarios, self.words()):
                slug = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
                named = replace(shown, name=f"{shown.name}--{number}-{slug}", title=f"{shown.title}: {name}")
            components = self.variants.get(variant)
            if part := _part(named, rows, self.words(variant, lineup), components, compared, width):
                yield name, part

    def words(self, variant: str = "", lineup: str = "") -> Words:
        """Return raw value -> display name, for one variant and line-up or for all."""
        if self._naming is None:
            return self._player_words
        is_one = lineup and variant in self.variants
        return {**self._player_words, **(self._naming.of(variant, lineup) if is_one else self._naming.of_all())}

    @cached_property
    def _player_words(self) -> dict[str, str]:
        """The names of the agents, line-ups and variants that have one."""
        study = self.results.study
        boxes = {f"variant={name}": words for name, words in study.boxes.items()}
        return {**study.the_game.player_names, **lineup_names(study.the_game, map(",".join, study.lineups)), **boxes}

    @cached_property
    def variants(self) -> dict[str, Any]:
        """The component data of each variant by name."""
        return {name: variant.components for name, variant in self.results.study.variant_of.items()}

    @cached_property
    def _naming(self) -> Naming | None:
        if not {"lineup", "balance"} <= self.tables.keys():
            return None
        return Naming(self.results.study.the_game, self.tables, self.variants)

    @property
    def players(self) -> list[tuple[str, str, str]]:
        """Name, spec and a sentence on each player of the study, weakest first, then on each agent without a name."""
        game, played = self.results.study.the_game, {text for lineup in self.results.study.lineups for text in lineup}
        others = {text.partition(":")[0] for text in played - game.player_names.keys() if "::" not in text}
        agents = (*(agent for agent in game.player_names if agent in played), *sorted(others))
        described = [(player_name(game, agent), agent, player_sentence(game, agent)) for agent in agents]
        return [player for player in described if player[-1]]

    @cached_property
    def _tiers(self) -> dict[str, str]:
        """Strength -> agent, if only agents of two or more strengths play, each by itself, in one variant; else {}."""
        study = self.results.study
        return strengths(study.the_game, map(",".join, study.lineups)) if len(study.variant_of) == 1 else {}


def _part(
    shown: Picture,
    rows: pd.DataFrame,
    words: Words,
    components: Mapping[str, Any] | None,
    compared: pd.DataFrame,
    width: int,
) -> Chart | PageTable | None:
    if shown.kind == "table":
        return page_table(shown, rows, words)
    return draw_picture(shown, rows, words, components, compared, width)
