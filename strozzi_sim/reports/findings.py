"""What every report says and shows of seats and line-ups, whatever the game, and how certain it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.reporting import (
    SCENARIO,
    THIN,
    Picture,
    Tables,
    agent_names,
    cell_name,
    digits_for,
    in_words,
    listed,
    pick,
    reach_in_words,
    row_of,
)
from strozzi_sim.game.significance import MAX_CHUNKS, MIN_SHARE, degrees_of_freedom, p_value
from strozzi_sim.reports.style import SERIES
from strozzi_sim.stats.intervals import LEVEL
from strozzi_sim.stats.multiple_testing import holm

WHO = "who"
_LONG = 24
_CELL = ["players", "variant", "lineup"]
_MAX = 12  # cells spoken of one by one

WIN = Figure("win_share", "games won", "share")
SCORE = Figure("score_mean", "mean score", "amount")
RANK = Figure("rank_mean", "mean place", "number")


def scenarios(table: pd.DataFrame) -> list[tuple[str, str]]:
    """The (variant, line-up)s of a table, in its order."""
    return list(dict.fromkeys(zip(table["variant"], table["lineup"], strict=True)))


def scenario_words(scenario: tuple[str, str], every: list[tuple[str, str]]) -> str:
    """What tells this variant and line-up from the others: "variant: line-up"."""
    variant, lineup = scenario
    parts = [variant] if len({other[0] for other in every}) > 1 else []
    if len({other[1] for other in every}) > 1:
        parts.append(lineup.replace(",", ", "))
    return ": ".join(parts)


def with_scenario(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a column that tells variants and line-ups apart, the first few of them."""
    every = scenarios(table)
    names = {scenario: scenario_words(scenario, every) or scenario[1] for scenario in every[:SERIES]}
    keys = list(zip(table["variant"], table["lineup"], strict=True))
    keep = np.array([key in names for key in keys], bool)
    return table[keep].assign(**{SCENARIO: [names[key] for key in keys if key in names]})


def with_agents(lineup: pd.DataFrame) -> pd.DataFrame:
    """Return the line-up's table with a column that has what each agent is called, in lines short enough for an axis."""
    names = pd.Series("", index=lineup.index, dtype="str")
    for key, rows in lineup.groupby(_CELL, sort=False):
        called = agent_names(rows, int(key[0]))
        names[rows.index] = [_in_lines(called[position]) for position in rows["position"]]
    return lineup.assign(**{WHO: names})


def _in_lines(name: str) -> str:
    """Return an agent's name with line breaks between its parts."""
    lines = [""]
    for part in re.split(r"(?<=[ :,/])", name):
        if lines[-1] and len(lines[-1] + part) > _LONG:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def seat_pictures(tables: Tables) -> list[Picture]:
    """The pictures and tables of seats and, if agents differ by position, of the line-up."""
    drawn = [
        Picture(
            "seats", "balance", "intervals", "seats", (WIN,), "How often each seat wins",
            "Seat 0 starts round 1; the others follow clockwise. The broken line is an equal chance; whiskers are 95 "
            "% intervals. All panels have the same scale, cut off above 0 where the seats lie close together.",
            x="seat", series=SCENARIO, x_label="seat", equal=True,
        ),
        Picture(
            "seats-table", "balance", "table", "seats", (WIN, SCORE, RANK), "Seats in figures",
            "A shared win counts as its part, a shared place as the mean of the places. Each figure with its 95 % "
            "interval.",
            x="seat", x_label="seat",
        ),
    ]  # fmt: skip
    if len(tables["lineup"]):
        drawn += [
            Picture(
                "lineup", "balance", "intervals", "lineup", (WIN,), "How often each agent of the line-up wins",
                "Agents change seats from game to game, so that no seat favours one of them; who sits behind whom stays "
                "the same with the seatings `rotate`. Copies of an agent are numbered as the line-up names them.",
                x=WHO, series=SCENARIO, x_label="agent", equal=True,
            ),
            Picture(
                "lineup-table", "balance", "table", "lineup", (
                    WIN, SCORE, RANK,
                    Figure("win_share_minus_position_0", "games won, less the first agent's", "share"),
                    Figure("score_mean_minus_position_0", "mean score, less the first agent's", "amount"),
                ),
                "The line-up in figures",
                "Differences are from the agent that the line-up names first, and are formed deal by deal.",
                x="position", x_label="agent",
            ),
        ]  # fmt: skip
    return drawn


def headline(tables: Tables) -> str:
    """Return which seats win more or less than their share, in one sentence over all cells."""
    cells = _seat_cells(tables)
    if not cells:
        return ""
    groups = {verdict: [cell for cell in cells if cell.verdict == verdict] for verdict in (UNEQUAL, ALIKE, OPEN, FEW)}
    furthest = {cell.where: _share_words(cell) for cell in groups[UNEQUAL]}
    many = f"{len(cells)} combinations of players, line-up and variant"
    if len({(cell.test.variant, cell.test.lineup) for cell in cells}) > 1:
        if not furthest:
            return f"No seat is shown to be favoured in any of the {many}."
        most = max(groups[UNEQUAL], key=lambda cell: cell.distance)
        return f"Seats are unequal in {len(furthest)} of the {many}; most so at {most.where}: {furthest[most.where]}."
    words = {
        ALIKE: f"the seats win alike, to within {_POINTS} points, at {{}} players",
        OPEN: "no seat is shown to be favoured at {} players",
        FEW: "there are too few games to tell at {} players",
    }
    parts = [f"at {cell.test.players} players {furthest[cell.where]}" for cell in groups[UNEQUAL]]
    parts += [
        words[verdict].format(listed([str(cell.test.players) for cell in groups[verdict]]))
        for verdict in words
        if groups[verdict]
    ]
    _, of_all = cells[0].where.split(" (", 1)
    return f"With {of_all.removesuffix(')')}, {'; '.join(parts)}."


@dataclass(frozen=True)
class _SeatCell:
    """What is known of the seats of one cell.

    Attributes:
        test: the row of its test. shares: rows of the seats' win shares. where: the cell in words.
        verdict: UNEQUAL if the test says so, all cells judged together, and by enough to matter; ALIKE if every share
            is surely that near to its fair part; else OPEN, or FEW.
    """

    test: Any
    shares: pd.DataFrame
    where: str
    verdict: str

    @property
    def fair(self) -> float:
        """The share of games that each seat would win if all were equal."""
        return 1 / float(self.test.players)

    @property
    def distance(self) -> float:
        """How far the furthest share is from the fair one."""
        return float((self.shares["value"] - self.fair).abs().max())


UNEQUAL, ALIKE, OPEN, FEW = "unequal", "alike", "open", "few"
_POINTS = f"{100 * MIN_SHARE:g}"


def _seat_cells(tables: Tables) -> list[_SeatCell]:
    tests = pick(tables["balance"], figure="seat_fairness_p")
    several = tests["variant"].nunique() > 1
    adjusted = holm(tests["value"].to_numpy())
    seat_cells = []
    for row, p in zip(tests.itertuples(index=False), adjusted, strict=True):
        cell = {"players": row.players, "variant": row.variant, "lineup": row.lineup}
        shares = pick(tables["seats"], figure="win_share", **cell).dropna(subset="value")
        where = cell_name(row.players, row.variant, row.lineup, several=several)
        off = shares[["low", "high"]] - 1 / row.players
        verdict = OPEN
        if np.isnan(p) or shares.empty:
            verdict = FEW
        elif p < 1 - LEVEL and (shares["value"] - 1 / row.players).abs().max() >= MIN_SHARE:
            verdict = UNEQUAL
        elif (off.abs() < MIN_SHARE).all(axis=None):
            verdict = ALIKE
        seat_cells.append(_SeatCell(row, shares, where, verdict))
    return seat_cells


def _share_words(cell: _SeatCell) -> str:
    """The seat furthest from its fair share: "seat 0 wins 38.6 % (fair: 33.3 %)"."""
    row = cell.shares.loc[(cell.shares["value"] - cell.fair).abs().idxmax()]
    return f"seat {row['seat']} wins {in_words(row['value'], 'share')} (fair: {in_words(cell.fair, 'share')})"


def seat_sentences(tables: Tables) -> list[str]:
    """How often each seat wins, cell by cell, and whether that shows that one is favoured."""
    cells = _seat_cells(tables)
    statements = [_seat_sentence(cell, tables["balance"]) for cell in cells[:_MAX] if len(cell.shares)]
    if len(cells) > _MAX:
        statements.append("The other combinations are in `tables/balance.csv`.")
    if any(cell.verdict != FEW for cell in cells):
        statements.append(
            "Footnote: a perfectly fair game would be called unfair in 1 study of 20"
            f"{f' ({len(cells)} tests judged together)' if len(cells) > 1 else ''}; differences below {_POINTS} points are "
            "not told."
        )
    return statements


def _seat_sentence(cell: _SeatCell, balance: pd.DataFrame) -> str:
    of_cell = {"players": cell.test.players, "variant": cell.test.variant, "lineup": cell.test.lineup}
    names = ("seat_favour_bound", "seat_gap_by_chance")
    bound, chance = (row_of(balance, figure=name, **of_cell) for name in names)
    fair = in_words(cell.fair, "share")
    games = f"{cell.test.n:,} games"
    low, high = (
        in_words(end, "share").removesuffix(f"{THIN}%")
        for end in (cell.shares["value"].min(), cell.shares["value"].max())
    )
    between = f"{cell.where}: the seats win {low} to {high}{THIN}% of {games}"
    if cell.verdict == FEW:
        return f"{between}, too few to tell whether that is chance."
    if cell.verdict == UNEQUAL:
        rows = list(cell.shares.itertuples(index=False))
        shares, half_width = _shares_in_words([(f"seat {row.seat}", row) for row in rows])
        return f"{cell.where}: {shares} ({half_width}fair {fair}; {games})."
    if cell.verdict == ALIKE:
        return f"{between} (fair {fair}): alike, to within {_POINTS} points."
    by_chance = (
        f"; by chance alone the best and the worst lie at most {100 * chance.value:.1f} points apart in 19 of 20 studies"
        if chance
        else ""
    )
    limit = f", and none by more than about {100 * bound.value:.1f} points" if bound else ""
    return f"{between} (fair {fair}{by_chance}): no seat is shown to be favoured{limit}."


def _shares_in_words(rows: list[tuple[str, Any]]) -> tuple[str, str]:
    """("seat 0 wins 38.6, seat 1 33.8 and seat 2 27.6 %", "±0.8; "), the largest half-width of all."""
    widest = max((row.high - row.low for _, row in rows if not np.isnan(row.low)), default=np.nan)
    digits = 1 if np.isnan(widest) else digits_for(widest / 2, "share")

    def said(row: Any) -> str:
        if not np.isnan(row.value):
            return in_words(row.value, "share", digits).removesuffix(f"{THIN}%")
        return "too seldom to say" if np.isnan(row.high) else f"below {in_words(row.high, 'share', digits)}"

    first, *rest = rows
    words = listed([f"{first[0]} wins {said(first[1])}", *(f"{name} {said(row)}" for name, row in rest)])
    reaches = [reach_in_words(row, "share", digits) for _, row in rows if not np.isnan(row.value)]
    half_width = max((reach for reach in reaches if reach), key=float, default="")
    return f"{words}{THIN}%", f"\N{PLUS-MINUS SIGN}{half_width}; " if half_width else ""


def lineup_sentences(tables: Tables, chunks: int = MAX_CHUNKS) -> list[str]:
    """Return what each agent wins, the best first, and who significantly wins more or less than the first of the line-up.

    All agents of all line-ups are judged together.
    """
    lineups = tables["lineup"]
    rows = pick(lineups, figure="win_share_minus_position_0").dropna(subset="value")
    df = degrees_of_freedom(rows["n"], rows["deals"], chunks)
    p = holm(p_value(rows["value"], rows["low"], rows["high"], 0.0, df))
    sure = (p < 1 - LEVEL) & (rows["value"].abs() >= MIN_SHARE).to_numpy()
    several = tables["balance"]["variant"].nunique() > 1
    statements = []
    for key, group in list(rows.assign(sure=sure).groupby(_CELL, sort=False))[:_MAX]:
        players, variant, lineup = key
        own = pick(lineups, players=players, variant=variant, lineup=lineup, figure="win_share")
        where = cell_name(players, variant, lineup, several=several)
        if (group["value"] == 0).all() and (group["low"] == 0).all():
            statements.append(f"{where}: all agents win exactly equally often, as identical agents must.")
            continue
        agents = set(own["agent"])
        who = [name if name in agents else f"the {name}" for name in agent_names(own, players)]
        ranked = own.sort_values("value", ascending=False, kind="stable")
        shares, half_width = _shares_in_words([(who[row.position], row) for row in ranked.itertuples(index=False)])
        sure_ones = group[group["sure"]].set_index("position")["value"]
        more, less = (
            [who[position] for position in ranked["position"] if sign * sure_ones.get(position, 0) > 0]
            for sign in (1, -1)
        )
        told = [f"{listed(names)} {word}" for names, word in ((more, "more"), (less, "less")) if names]
        verdict = f"surely {' and '.join(told)} than {who[0]}" if told else f"none is told from {who[0]}"
        rest = len(group) - len(more) - len(less)
        others = f", {rest} not told from it" if told and rest else ""
        statements.append(f"{where}: {shares} ({half_width}{verdict}{others}).")
    return statements


def certainty(manifest: Mapping[str, Any]) -> list[str]:
    """How intervals are made, in sentences."""
    plan = manifest.get("plan", {})
    chunks = plan.get("chunks")
    parts = f"{chunks} parts" if chunks else "parts"
    return [
        f"Every figure is an exact count over all games, or over those of a part of the deals where it says so. Its interval is found by leaving out one of {parts} of the "
        "study at a time and watching how far the figure moves (the delete-one jackknife). All seatings of a deal are "
        "in the same part, so playing a deal several times makes no interval look narrower than it is.",
        "Intervals are 95 %: means by Student's t, drawn to the side to which the parts are skewed; shares by Wilson's "
        "formula, or the exact one where events are rare; differences of shares from the intervals of both. Of twenty "
        "intervals about one misses its true value; in a table "
        "of a hundred figures expect five. In heat maps of games won, cells in italics cannot be told from an "
        "equal chance, all cells of a panel judged together (Benjamini and Hochberg): where all chances are equal, one "
        "panel in 20 still has a cell that stands upright.",
        "Figures with fewer than 30 events behind them have no value; shares keep their interval in `tables/`. n is the number of events behind a figure "
        "(games, rounds, decisions and so on); "
        "events of one game go together, so the interval, not n, says how certain a figure is.",
        "Intervals cover chance: what the game brings, and what agents that leave a choice to chance do. They do not "
        "cover how well the agents play. What holds for these agents may not hold for others, or for people.",
    ]
