"""Games that are played for their own sake, in one or several variants: their tables, sections and verdict.

Seats, line-up and balance are the same for every game; the rest is declared by the pages of the game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from strozzi_sim import stats
from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.contract import Game
from strozzi_sim.game.missed import missed, not_excluded
from strozzi_sim.game.reporting import (
    SCENARIO,
    FigureTable,
    Picture,
    Tables,
    first_scenario,
    format_estimate,
    headline_players,
    pick,
)
from strozzi_sim.game.significance import differs_significantly
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.stats.intervals import Estimate
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.changes import CHANGED, SMALL, UNCLEAR, changes
from strozzi_sim.study.counts import GAMES_SAVED, CellCounts
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study, fact_union
from strozzi_sim.study.pages import Section

EXPLORER_KEYS = ("map", "row", "column", "round")
Pairs = Sequence[tuple[str, str]]
WIN, SCORE = Figure("win_share", "games won", "share"), Figure("score_mean", "mean score", "amount")
RANK = Figure("rank_mean", "mean place", "number")


def facts_of_games(study: Study, look: Look) -> tuple[Crosstab, ...]:
    """Return the facts that `tables_of_games` needs."""
    report, maps, explored = study.the_game.report, look.maps_in(study.the_game).values(), study.explored(look).values()
    return fact_union(
        report.crosstabs(look.pages_in(study.the_game)),
        (heat_map.block.crosstab for heat_map in maps if heat_map.block),
        (block.crosstab for block in explored),
    )


def tables_of_games(study: Study, counts: CountsOf, look: Look, pairs: Pairs | None = None) -> dict[str, Any]:
    """Return the tables of the cells without restrictions; `changes` has the differences of the pairs of variants.

    Args:
        study: the study.
        counts: counts of its cells.
        look: what is shown.
        pairs: names of variants to compare; default: the reference with each other one.
    """
    cells = [counts(cell) for cell in study.cells if not cell.without]
    if pairs is None:
        pairs = [(study.reference, other) for other in study.variant_of if other != study.reference]
    found: dict[str, Any] = {**figures_of_games(study.the_game, cells, look.pages_in(study.the_game), look.maps_in(study.the_game), sums=bool(pairs))}  # fmt: skip
    if pairs:
        compared = {name: table for name, table in found.items() if not name.startswith("heat_")}
        found["changes"] = changes(compared, pairs, look.effect)
    if explored := study.explored(look):
        found["explorer"] = table = FigureTable(*EXPLORER_KEYS)
        for name, block in explored.items():
            of_all = {} if "round" in block.axes else {"round": ALL}
            for cell in cells:
                replace(block, levels={**block.levels, "map": name, **of_all}).write(table, cell, stats)
    return found


def figures_of_games(
    game: Game, cells: Sequence[CellCounts], pages: Sequence[str], maps: Mapping[str, HeatMap], *, sums: bool = False
) -> dict[str, FigureTable]:
    """Return seats, line-up and balance of some cells, and the tables of these pages and heat maps of the game.

    Args:
        game: the game.
        cells: counts of the cells.
        pages: names of pages.
        maps: heat maps by name.
        sums: whether the sums by chunk are kept too, for differences.
    """
    seats, lineup, balance = (FigureTable(*keys, sums=sums) for keys in (("seat",), ("position", "agent"), ()))
    for cell in cells:
        _add_seats(seats, cell)
        _add_fairness(balance, cell)
        if not cell.selfplay:
            _add_lineup(lineup, cell)
    of_game = game.report.tables(cells, pages, maps, stats, sums=sums)
    order = {(cell.players, cell.variant, cell.lineup): number for number, cell in enumerate(cells)}
    balance.parts += of_game.pop("balance").parts
    balance.parts.sort(key=lambda part: order[part.players, part.variant, part.lineup])
    return {"balance": balance, "seats": seats, "lineup": lineup, **of_game}


def _add_seats(table: FigureTable, cell: CellCounts) -> None:
    for sums in cell.sums("seat"):
        table.add(cell, sums.figure, sums.estimate(), seat=range(cell.players))
    for figure, luck in cell.luck("seat").items():
        table.add(cell, f"{figure}{GAMES_SAVED}", luck.games_saved(), seat=range(cell.players))


def _add_lineup(table: FigureTable, cell: CellCounts) -> None:
    for sums in cell.sums("position"):
        _add_positions(table, cell, sums.figure, sums.estimate(), range(cell.players))
        first = sums.of(slice(0, 1))
        for position in range(1, cell.players):
            less = sums.of(slice(position, position + 1)).minus(
                first, same=cell.positions[position] == cell.positions[0]
            )
            _add_positions(table, cell, f"{sums.figure}_minus_position_0", less, range(position, position + 1))
    for name, luck in cell.luck("position").items():
        _add_positions(table, cell, f"{name}{GAMES_SAVED}", luck.games_saved(), range(cell.players))


def _add_positions(table: FigureTable, cell: CellCounts, figure: str, estimate: Estimate, positions: range) -> None:
    """Add a row for each position; its agent follows from it, so that it is no axis."""
    for k, position in enumerate(positions):
        table.add(cell, figure, estimate.at(k), position=position, agent=cell.positions[position])


def _add_fairness(table: FigureTable, cell: CellCounts) -> None:
    """Add the gap between seats, the gap expected by chance, and the test of equal seats."""
    wins = cell.sums("seat")[0].numerator
    gap = stats.seat_gap(wins, unit=WIN_UNITS, deals=cell.deals)
    games, nothing = np.asarray(cell.games), np.asarray(np.nan)
    for figure, value, without in (
        ("seat_gap", gap.gap, gap.without),
        ("seat_gap_by_chance", gap.by_chance, None),
        ("seat_favour_bound", gap.bound, None),
        ("seat_fairness_p", stats.equal_shares_p(wins, WIN_UNITS), None),
    ):
        table.add(cell, figure, Estimate(np.asarray(value), nothing, nothing, games, without=without))
    table.add(cell, "decisions_mean", stats.ratio(cell.outcome["decisions"], cell.outcome["games"]))


def sections_of_games(study: Study, tables: Tables, look: Look) -> list[Section]:
    """Return the sections of a study whose games are played for their own sake."""
    report = study.the_game.report
    sentences = report.sentences(tables, {name: variant.components for name, variant in study.variant_of.items()})
    pictures = [*seat_pictures(tables), *report.pictures(tables)]
    found = []
    for page in look.pages_in(study.the_game):
        name, question = report.PAGE_TITLES[page]
        shown = tuple(picture for picture in pictures if picture.page == page)
        found.append(Section(name, question, shown, tuple(sentences.get(page, ()))))
    maps = tuple(
        (f"heat_{name.replace('-', '_')}", heat_map) for name, heat_map in look.maps_in(study.the_game).items()
    )
    return [*found, Section("Heat maps", "How does each figure vary by row and column?", maps)] if maps else found


def seat_pictures(tables: Tables) -> list[Picture]:
    """Return the pictures of seats and, if agents differ by position, of the line-up."""
    by_seat = Picture(
        "seats", "balance", "intervals", "seats", (WIN,), "How often each seat wins",
        "Seat 0 begins round 1; the others follow clockwise. The broken line is an equal share, thin lines are 95 % intervals.",
        x="seat", series=SCENARIO, x_label="seat", equal=True,
    )  # fmt: skip
    in_figures = Picture(
        "seats-table", "balance", "table", "seats", (WIN, SCORE, RANK), "Seats in figures", x="seat", x_label="seat"
    )
    less = Figure("win_share_minus_position_0", "games won, minus the first agent's", "share")
    of_agents = Picture(
        "lineup", "balance", "intervals", "lineup", (WIN,), "How often each agent of the line-up wins",
        "Agents change seats from game to game, so that none gains from its seat.",
        x="position", series=SCENARIO, x_label="agent", equal=True,
    )  # fmt: skip
    agents = Picture(
        "lineup-table",
        "balance",
        "table",
        "lineup",
        (WIN, SCORE, RANK, less),
        "The line-up in figures",
        x="position",
        x_label="agent",
    )
    return [by_seat, in_figures, of_agents, agents] if len(tables["lineup"]) else [by_seat, in_figures]


def verdict_on_maps(study: Study, tables: Tables, look: Look) -> list[str]:
    """Return in what cells each heat map is surest to be low and high, at the player count of the headline."""
    said = []
    for name, heat_map in look.maps_in(study.the_game).items():
        rows = tables[f"heat_{name.replace('-', '_')}"].dropna(subset=["value", "low"])
        rows = rows[
            (rows["figure"] == heat_map.figure.name) & ~(rows[["row", "column"]].astype("str") == ALL).any(axis=1)
        ]
        rows = rows if rows.empty else first_scenario(pick(rows, players=headline_players(rows)))
        if len(rows) < 2 or not _are_apart(rows, study.chunks, share=heat_map.figure.unit == "share"):
            said.append(f"{heat_map.title}: no two cells are known to differ.")
            continue
        low, high = rows.loc[rows["high"].idxmin()], rows.loc[rows["low"].idxmax()]
        ends = (
            f"{format_estimate(row, heat_map.figure.unit)} ({heat_map.row_label} {row['row']}, {heat_map.column_label} {row['column']})"
            for row in (low, high)
        )
        said.append(f"{heat_map.title}: from {' to '.join(ends)}.")
    return said


def _are_apart(rows: Any, chunks: int, *, share: bool) -> bool:
    """Return whether some figure differs significantly from the mean of all, corrected for their number."""
    mean = float(np.average(rows["value"], weights=rows["n"]))
    return any(differs_significantly(rows.itertuples(index=False), mean, share=share, chunks=chunks))


def verdict_on_page(study: Study, tables: Tables, page: str) -> list[str]:
    """Return what a page of the game found."""
    components = {name: variant.components for name, variant in study.variant_of.items()}
    return list(study.the_game.report.sentences(tables, components).get(page, ()))


def verdict_on_variants(study: Study, tables: Tables) -> list[str]:
    """Return how many figures changed between the first variant and each other one, and those that changed most."""
    said = []
    for variant, rows in tables["changes"].groupby("variant", sort=False):
        changed, small = rows[rows["verdict"] == CHANGED], int((rows["verdict"] == SMALL).sum())
        of_wins = rows[rows["table"].isin(["seats", "lineup"]) & (rows["figure"] == "win_share")]
        unclear = of_wins[of_wins["verdict"] == UNCLEAR]
        size = missed(not_excluded(unclear, chunks=study.chunks), what="a change of games won") if len(unclear) else ""
        said.append(
            f"{variant} against {rows['than'].iloc[0]}: {len(changed)} of {len(rows)} figures of {study.the_game.title} changed, "
            f"{small} by too little to matter{f'; {size}' if size else ''}."
        )
        most = changed.reindex(changed["size"].abs().replace(np.inf, np.nan).sort_values(ascending=False).index).head(3)
        for row in most.itertuples(index=False):
            said.append(
                f"{row.figure}{f' ({row.level})' if row.level else ''} at {row.players} players: {row.before:.3g} becomes {row.before + row.value:.3g}."
            )
    return said
