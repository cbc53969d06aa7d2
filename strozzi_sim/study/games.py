"""Tables, sections and verdicts of studies that show the pages of a game, in one or several variants."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from textwrap import wrap
from typing import Any

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.declare.alarms import FoundAlarm
from strozzi_sim.declare.custom_heatmaps import map_table_name
from strozzi_sim.declare.figure_tables import (
    CELL,
    FIGURES,
    FigureTable,
    Tables,
    TableSpec,
    agent_names,
    figures_frame,
    figures_in,
    first_scenario,
    headline_players,
    pick,
)
from strozzi_sim.declare.finding import Comparison, Finding, finding_of
from strozzi_sim.declare.pages import HEAT_MAP, report_of
from strozzi_sim.declare.pictures import HeatMap, Picture
from strozzi_sim.declare.printing import format_value
from strozzi_sim.facts.blocks import ALL, Block
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.conditions import Condition
from strozzi_sim.facts.crosstabs import Crosstab, fact_union
from strozzi_sim.facts.figures import DECISIONS, SCORE, WIN_SHARE, Figure
from strozzi_sim.game import Game
from strozzi_sim.game.sentences import seat_words, with_capital
from strozzi_sim.stats.intervals import Estimate
from strozzi_sim.study.cells import (
    FAIRNESS_P,
    FAVOUR_BOUND,
    GAP_BY_CHANCE,
    OF_BALANCE,
    OF_SIDES,
    SEAT_GAP,
    WITH_LUCK,
    CellCounts,
    CountsOf,
    games_saved,
    minus_position_0,
    without_luck,
)
from strozzi_sim.study.changes import changes, changes_section, listed_changes
from strozzi_sim.study.look import KeyNumber, Look, Section, key_numbers, pictures_of
from strozzi_sim.study.model import Study
from strozzi_sim.study.verdict import Verdict
from strozzi_sim.study.wording import agent_labels, lineup_words, player_noun, player_words, players_words

EXPLORED = 24  # most cells of a study whose page has an explorer
SEATS, LINEUP = TableSpec(("seat",)), TableSpec(("position", "agent"))
EXPLORER = TableSpec(("map", "row", "column", "round"), compared=False)
ANSWERS = TableSpec(("agent",), compared=False)  # illegal answers


def specs_of_games(game: Game, maps: Mapping[str, HeatMap]) -> dict[str, TableSpec]:
    """Return the tables that studies of a game's pages may have, by name; `maps` are their heat maps."""
    specs = {name: TableSpec(page.keys) for name, page in report_of(game).pages.items()}
    specs |= {"seats": SEATS, "lineup": LINEUP, "explorer": EXPLORER, "answers": ANSWERS}
    return specs | {heat_map.table: HEAT_MAP for heat_map in maps.values()}


def with_figures(study: Study, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables and the table `figures`, which says what they measure; unchanged if they have it."""
    if not tables or FIGURES in tables:
        return dict(tables)
    with_luck = [derived(figure) for figure in WITH_LUCK for derived in (without_luck, games_saved)]
    of_all = (*OF_SIDES, *with_luck, *map(minus_position_0, (*OF_SIDES, *with_luck)), *OF_BALANCE, *study.measured)
    declared = report_of(study.the_game).figures
    of_game = (figure for figures in reversed(declared.values()) for figure in reversed(figures))
    return {**tables, FIGURES: figures_frame(tables, {"": (*of_game, *of_all), **declared})}


def facts_of_games(study: Study, look: Look) -> tuple[Crosstab, ...]:
    """Return the facts that `tables_of_games` needs."""
    report, maps = report_of(study.the_game), look.maps_in(study.the_game).values()
    return fact_union(
        report.crosstabs(look.pages_in(study.the_game)),
        (heat_map.block.crosstab for heat_map in maps if heat_map.block),
        (block.crosstab for block in _explored(study, look).values()),
    )


def _explored(study: Study, look: Look) -> dict[str, Block]:
    is_small = len(study.cells) <= EXPLORED
    return report_of(study.the_game).explored(study.the_game.fact_tables) if look.explorer and is_small else {}


def tables_of_games(
    study: Study, counts: CountsOf, look: Look, pairs: Sequence[tuple[str, str]] | None = None
) -> dict[str, Any]:
    """Return the tables of the cells without restrictions.

    The table `changes` compares `pairs`, names of variants (first, second); default: the reference with each other one.
    """
    cells = [counts(cell) for cell in study.cells if not cell.without]
    if pairs is None:
        pairs = [(study.reference, other) for other in study.variant_of if other != study.reference]
    game, tables = study.the_game, dict[str, Any]()
    tables |= figures_of_games(game, cells, look.pages_in(game), look.maps_in(game), sums=bool(pairs))
    if pairs:
        specs = specs_of_games(game, look.maps_in(game))
        compared = {name: figures for name, figures in tables.items() if specs[name].compared}
        tables["changes"] = changes(compared, pairs, look.effect)
    if explored := _explored(study, look):
        tables["explorer"] = table = FigureTable(*EXPLORER.keys)
        for name, block in explored.items():
            round_level = {} if "round" in block.axes else {"round": ALL}
            for cell in cells:
                replace(block, levels={**block.levels, "map": name, **round_level}).write(table, cell)
    return tables


def figures_of_games(
    game: Game, cells: Sequence[CellCounts], pages: Sequence[str], maps: Mapping[str, HeatMap], *, sums: bool = False
) -> dict[str, FigureTable]:
    """Return seats, line-up and balance of some cells, and the tables of these pages and heat maps of the game.

    With `sums` the tables other than heat maps also keep the sums of each chunk, which `changes` needs.
    """
    seats, lineup, balance = (FigureTable(*spec.keys, sums=sums) for spec in (SEATS, LINEUP, TableSpec()))
    for cell in cells:
        seats.add_all(cell, {**cell.figures("seat"), **cell.games_saved("seat")}, seat=range(cell.players))
        _add_fairness(balance, cell)
        if not cell.selfplay:
            _add_lineup(lineup, cell)
    of_game = report_of(game).tables(cells, pages, maps, sums=sums)
    order = {(cell.players, cell.variant, cell.lineup): number for number, cell in enumerate(cells)}
    balance.parts += of_game.pop("balance").parts
    balance.parts.sort(key=lambda part: order[part.players, part.variant, part.lineup])
    return {"balance": balance, "seats": seats, "lineup": lineup, **of_game}


def _add_lineup(table: FigureTable, cell: CellCounts) -> None:
    for figure, estimate in cell.figures("position").items():
        for position, agent in enumerate(cell.positions):
            table.add(cell, figure, estimate.at(position), position=position, agent=agent)
        for position, agent in enumerate(cell.positions[1:], start=1):
            difference = stats.paired(estimate.at(position), estimate.at(0), same=agent == cell.positions[0])
            table.add(cell, minus_position_0(figure), difference, position=position, agent=agent)
    for figure, saved in cell.games_saved("position").items():
        for position, agent in enumerate(cell.positions):
            table.add(cell, figure, saved.at(position), position=position, agent=agent)


def _add_fairness(table: FigureTable, cell: CellCounts) -> None:
    wins = cell.totals("seat", "wins")
    gap = stats.seat_gap(wins, unit=WIN_UNITS, deals=cell.deals)
    games, unknown = np.asarray(cell.games), np.asarray(np.nan)
    for figure, value, without in (
        (SEAT_GAP, gap.gap, gap.without),
        (GAP_BY_CHANCE, gap.by_chance, None),
        (FAVOUR_BOUND, gap.bound, None),
        (FAIRNESS_P, stats.equal_shares_p(wins, WIN_UNITS), None),
    ):
        table.add(cell, figure, Estimate(np.asarray(value), unknown, unknown, games, without=without))
    table.add(cell, DECISIONS, stats.ratio(cell.outcome["decisions"], cell.outcome["games"]))


def sections_of_games(
    study: Study, tables: Tables, look: Look, first: str = "", *, paired: bool = True
) -> list[Section]:
    """Return the sections of a study: changes between variants, the game's pages, heat maps.

    `first` is what the verdict is about, and its section comes first: a page, changes, lineup or heatmaps; default: the
    balance of the seats. `paired`: whether the variants were played on the same deals.
    """
    report, findings, sections = report_of(study.the_game), _findings(study, tables), dict[str, Section]()
    pictures = [*pictures_of("balance", tables), *report.pictures(tables)]
    numbers = (*_gap_numbers(tables, study.the_game), *_length_numbers(tables, study.the_game))
    if first == "lineup":
        pictures.sort(key=lambda picture: picture.table != "lineup")
        wins = _with_nouns(pick(tables["lineup"], figure="win_share"), study.the_game).dropna(subset="low")
        numbers = leading_agents(pick(wins, position=0) if company_of(tables["lineup"]) else first_scenario(wins))
    if first == "heatmaps":
        numbers = _map_numbers(study, tables, look)
    if first in report.pages:
        numbers = tuple(_page_numbers(study, tables, first)) or numbers
    if "changes" in tables:
        variants = {study.boxes[name]: variant for name, variant in study.variant_of.items()}
        named = _with_boxes(study, tables)
        sections["changes"] = changes_section(named, study.the_game, variants, _figures_of(pictures), paired=paired)
    for page in ("balance", *look.pages_in(study.the_game)):
        name, question = report.pages[page].title, report.pages[page].question
        shown = tuple(picture for picture in pictures if picture.page == page)
        tables_of_page = {"lineup": with_agents(tables["lineup"], study.the_game)} if page == "balance" else {}
        finding, beside = findings.get(page, ""), len(study.variant_of) > 1
        sections[page] = Section(name, question, shown, (), finding, numbers, tables_of_page, beside=beside)
    if maps := tuple(look.maps_in(study.the_game).values()):
        question = "How does each figure vary by row and column?"
        sections["heatmaps"] = Section("Heat maps", question, maps, numbers=numbers)
    first_name = "balance" if first in ("", "lineup") else first
    return sorted(sections.values(), key=lambda section: section is not sections.get(first_name))


def labelled_changes(study: Study, tables: Tables, *, every: bool) -> Iterator[tuple[str, str, Any]]:
    """Yield (first, second, changes) of every compared pair, with the words of the page; see `listed_changes`."""
    pictures = [*pictures_of("balance", tables), *report_of(study.the_game).pictures(tables)]
    yield from listed_changes(_with_boxes(study, tables), _figures_of(pictures), every=every)


def _with_boxes(study: Study, tables: Tables) -> Tables:
    """Return the tables with the variants of `changes` in words."""
    boxes = study.boxes
    return {**tables, "changes": tables["changes"].replace({"variant": boxes, "than": boxes})}


def _figures_of(pictures: Sequence[Picture]) -> dict[str, Figure]:
    """Return the figures of pictures by name; those of bars name their bar, as bars have parts of the same names."""
    figures = {figure.name: figure for picture in reversed(pictures) for figure in picture.figures}
    bars = [bar for picture in reversed(pictures) for bar in picture.groups.items()]
    return figures | {part.name: replace(part, label=f"{part.label}, {bar}") for bar, parts in bars for part in parts}


def _gap_numbers(tables: Tables, game: Game) -> tuple[KeyNumber, ...]:
    wins = pick(tables["seats"], figure="win_share").dropna(subset=["value", "low"]).reset_index(drop=True)
    if wins.empty:
        return ()
    gains = wins.assign(**{side: wins[side] - 1 / wins["players"] for side in ("value", "low", "high")})
    ends = gains.loc[[gains["value"].idxmax(), gains["value"].idxmin()]]
    who = [f"{seat_words(row.seat, row.players)}, {_games_of(row, wins, game)}" for row in ends.itertuples(index=False)]
    ends = ends.assign(who=who)
    return key_numbers(ends, WIN_SHARE.difference(), "points from an equal share: {who}", is_change=True)


def _page_numbers(study: Study, tables: Tables, page: str) -> Iterator[KeyNumber]:
    components = {name: variant.components for name, variant in study.variant_of.items()}
    for row, figure, place in report_of(study.the_game).ends(tables, components, page) if page != "balance" else ():
        yield KeyNumber(row, figure, f"{figure.words}: {place}, {_games_of(row, tables['balance'], study.the_game)}")


def _length_numbers(tables: Tables, game: Game) -> Iterator[KeyNumber]:
    """Yield the margin of the winner, else the mean score, else the number of decisions in a game."""
    balance, known = first_scenario(tables["balance"]).dropna(subset="value"), figures_in(tables, "balance")
    labels = {"margin_mean": "the winner's lead over the second", SCORE.name: "score of a player"}
    labels[DECISIONS.name] = "decisions in a game"
    for figure in [name for name in labels if name in set(balance["figure"])][:1]:
        rows = pick(balance, figure=figure)
        row = next(pick(rows, players=headline_players(rows)).itertuples(index=False))
        yield KeyNumber(row, known.get(figure, SCORE), f"{labels[figure]}, {_games_of(row, tables['balance'], game)}")


def _games_of(row: Any, table: Any, game: Game) -> str:
    lineup = f" ({lineup_words(game, row.lineup)})" if table["lineup"].nunique() > 1 else ""
    return f"{row.players} players{lineup}"


def company_of(lineup: Any) -> str:
    """Return the agent among whose copies several others play, each at position 0; "" for other line-ups."""
    lineups = [split_specs(names) for names in dict.fromkeys(lineup["lineup"])]
    others = {agent for names in lineups for agent in names[1:]}
    challengers = {names[0] for names in lineups}
    return others.pop() if len(others) == 1 and len(challengers) > 1 and challengers.isdisjoint(others) else ""


def leading_agents(wins: Any) -> tuple[KeyNumber, ...]:
    """Return the shares of wins of the three rows that have most, at the player count of the headline."""
    rows = wins.dropna(subset="low")
    if len(rows):
        rows = pick(rows, players=headline_players(rows)).sort_values("value", ascending=False, kind="stable")
    return key_numbers(rows.head(3), WIN_SHARE, "games won by {who}, {players} players")


def with_agents(lineup: Any, game: Game) -> Any:
    """Return the table `lineup` with a column `who` of agents' names, broken into lines that fit an axis."""
    called = agent_labels(game, lineup["agent"].unique())
    return lineup.assign(who=["\n".join(wrap(name, 24)) for name in _names_of_positions(lineup, called)])


def _with_nouns(lineup: Any, game: Game) -> Any:
    """Return the table `lineup` with a column `who` of agents in a sentence: "the second usual player"."""
    nouns = {agent: player_noun(game, agent) for agent in lineup["agent"].unique()}
    pairs = zip(_names_of_positions(lineup, nouns), lineup["agent"], strict=True)
    names = [
        f"the {name}" if agent in game.player_names or name != nouns[agent] else player_words(game, agent)
        for name, agent in pairs
    ]
    return lineup.assign(who=names)


def _names_of_positions(lineup: Any, called: Mapping[str, str]) -> Any:
    """Return the names of the rows of the table `lineup`, copies numbered; `called` is agent -> name."""
    names = lineup["agent"].astype("str").copy()
    for (players, *_), rows in lineup.groupby(list(CELL), sort=False):
        names_by_position = agent_names(rows, int(players), called)
        names[rows.index] = [names_by_position[position] for position in rows["position"]]
    return names


def verdict_on_maps(study: Study, tables: Tables, look: Look) -> Verdict:
    """Return the largest significant difference in each heat map, the first as the answer; see `_cells_of`.

    A cell that is drawn lower or higher is named too: it is not known to be, since it has few events or no interval.
    """
    answers = list[str]()
    finding = Finding("from {least.value} ({least}) to {most.value} ({most})")
    specs = [spec for spec in look.heatmap if spec.where]
    conditions = {map_table_name(spec.name): f", {Condition(spec.where).words}" for spec in specs}
    for heat_map in look.maps_in(study.the_game).values():
        rows, words = _cells_of(study, tables, heat_map), "no two cells are known to differ"
        if len(rows):
            compared, players = Comparison((heat_map.figure,), "cell", "", {}, ()), int(rows["players"].iloc[0])
            found = finding_of(compared, finding, rows, players, lambda key, level: level, study.chunks)
            words = "; ".join([found, *_uncertain_ends(rows, heat_map, found)]) if found else words
        where = conditions.get(heat_map.table, "")
        answers.append(f"{with_capital(heat_map.figure.words)}{where}: {words}.")
    return Verdict(answers[0], notes=(*_whose_numbers(study, tables), *answers[1:]))


def _uncertain_ends(rows: Any, heat_map: HeatMap, found: str) -> Iterator[str]:
    """Yield the lowest and the highest cell of a map, unless the sentence `found` names it."""
    values = rows["value"].dropna()
    for words, place in (("lowest", values.idxmin()), ("highest", values.idxmax())):
        row = rows.loc[place]
        if f"({row['cell']})" not in found:
            value = format_value(row["value"], heat_map.figure, 1)
            yield f"{words}, but uncertain: {value} ({row['cell']})"


def _map_numbers(study: Study, tables: Tables, look: Look) -> tuple[KeyNumber, ...]:
    for heat_map in look.maps_in(study.the_game).values():
        if len(rows := _cells_of(study, tables, heat_map).dropna(subset=["value", "low"])):
            ends = rows.loc[[rows["value"].idxmax(), rows["value"].idxmin()]]
            return key_numbers(ends, heat_map.figure, f"{heat_map.figure.label}: {{cell}}")
    return ()


def _cells_of(study: Study, tables: Tables, heat_map: HeatMap) -> Any:
    """Return a map's cells in the first variant and line-up at the headline's player count, with places as text."""
    rows = pick(tables[heat_map.table], figure=heat_map.figure.name)
    rows = rows[(rows[["row", "column"]].astype("str") != ALL).all(axis=1)]
    rows = rows if rows.empty else first_scenario(pick(rows, players=headline_players(rows)))
    return rows.assign(cell=[_place(study, tables, heat_map, row) for row in rows.to_dict("records")])


def _place(study: Study, tables: Tables, heat_map: HeatMap, row: Any) -> str:
    words = report_of(study.the_game).words(tables, study.variant_of[row["variant"]].components)
    parts = []
    for label, side in ((heat_map.row_label, "row"), (heat_map.column_label, "column")):
        level, short = str(row[side]), re.sub(r" \(.*?\)", "", label)
        if heat_map.column_of(side) == "seat":  # of some games the levels are names
            parts.append(seat_words(int(level), row["players"]) if level.isdecimal() else level)
        else:
            colon = ":" * ("," in short)
            parts.append(f"{short}{colon} {words.get(level, level.replace('_', ' '))}")
    return "; ".join(parts)


def verdict_on_page(study: Study, tables: Tables, page: str) -> Verdict:
    """Return the finding of a page of the game, or that no difference is certain."""
    title, game = report_of(study.the_game).pages[page].title, study.the_game.title
    finding = _findings(study, tables, named=False).get(page)
    if not finding:
        return Verdict(f"{title}: in these games of {game} no difference is certain.")
    return Verdict(finding, notes=_whose_numbers(study, tables))


def _whose_numbers(study: Study, tables: Tables) -> tuple[str, ...]:
    """Return a sentence on the games of the answer's numbers: of one player count and line-up; () if all are."""
    cells, first = tables["balance"][list(CELL)].drop_duplicates(), first_scenario(tables["balance"])
    if len(cells) < 2:
        return ()
    whom = f" of {players_words(study.the_game, first['lineup'].iloc[0])}" if cells["lineup"].nunique() > 1 else ""
    return (f"The numbers above are those{whom} at {headline_players(first)} players.",)


def _findings(study: Study, tables: Tables, *, named: bool | None = None) -> Mapping[str, str]:
    """Return the finding of each page that has one; with `named` each names its games, by default those of several."""
    components = {name: variant.components for name, variant in study.variant_of.items()}
    whom = partial(players_words, study.the_game)
    return report_of(study.the_game).findings(tables, components, study.chunks, named=named, whom=whom)


def alarms_of_games(study: Study, tables: Tables) -> list[FoundAlarm]:
    """Return the alarms of a study with the tables of its game; [] for other studies.

    The line-ups that are judged have as many deals as any, and no agent of the weakest strength unless all have one;
    the default agent comes first. The table `lineup` is judged by line-ups of one agent beside random ones.
    """
    balance = tables.get("balance")
    if balance is None or "lineup" not in balance or balance.empty:
        return []
    game, most = study.the_game, balance["deals"].max()
    weak = {"random", game.tiers.get("weak", "")}
    lineups = list(pick(balance, deals=most)["lineup"].unique())
    specs_of = {lineup: split_specs(lineup) for lineup in lineups}
    judged = [lineup for lineup in lineups if weak.isdisjoint(specs_of[lineup])] or lineups
    judged.sort(key=lambda lineup: lineup != game.default_agent)
    mixed = [name for name, specs in specs_of.items() if len(specs) > 1 and len({"random", *specs}) == 2]
    of_reference = study.variant_of[study.reference].components  # names things in boxes that a search found
    components = dict.fromkeys(balance["variant"].unique(), of_reference)
    components |= {name: variant.components for name, variant in study.variant_of.items()}

    def lineups_of(table: str) -> list[str]:
        return mixed if table == "lineup" else judged

    report, usual = report_of(game), game.default_agent
    return report.found_alarms(tables, components, lineups_of, study.reference, usual, study.boxes)
