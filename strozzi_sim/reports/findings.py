"""Sentences and pictures of every report: seats, line-ups and statistical method; independent of the game."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.missed import missed, not_excluded
from strozzi_sim.game.reporting import (
    SCENARIO,
    THIN,
    Picture,
    Tables,
    agent_names,
    cell_name,
    digits_for,
    format_half_width,
    format_row,
    format_value,
    listed,
    pick,
    row_of,
)
from strozzi_sim.game.significance import MAX_CHUNKS, MIN_SHARE, degrees_of_freedom, p_value
from strozzi_sim.reports.vega import MOST_SCENARIOS
from strozzi_sim.stats.intervals import LEVEL
from strozzi_sim.stats.multiple_testing import holm

WHO = "who"
_LONG = 24
_CELL = ["players", "variant", "lineup"]
_FALSE_ALARMS = 0.02  # of studies whose seats are equal: a headline is quoted without its footnote
_MAX = 12  # maximum cells with a sentence each

WIN = Figure("win_share", "games won", "share")
SCORE = Figure("score_mean", "mean score", "amount")
RANK = Figure("rank_mean", "mean place", "number")


def scenarios(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the distinct (variant, line-up) pairs of a table, in its order."""
    return list(dict.fromkeys(zip(table["variant"], table["lineup"], strict=True)))


def scenario_words(scenario: tuple[str, str], every: list[tuple[str, str]]) -> str:
    """Return the distinguishing name of this pair among `every`: "variant: line-up", without constant parts."""
    variant, lineup = scenario
    parts = [variant] if len({other[0] for other in every}) > 1 else []
    if len({other[1] for other in every}) > 1:
        parts.append(lineup.replace(",", ", "))
    return ": ".join(parts)


def with_scenario(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the first variants and line-ups, with a column that names these."""
    every = scenarios(table)
    names = {scenario: scenario_words(scenario, every) or scenario[1] for scenario in every[:MOST_SCENARIOS]}
    keys = list(zip(table["variant"], table["lineup"], strict=True))
    keep = np.array([key in names for key in keys], bool)
    return table[keep].assign(**{SCENARIO: [names[key] for key in keys if key in names]})


def with_agents(lineup: pd.DataFrame) -> pd.DataFrame:
    """Return the line-up's table with a column of agents' names, broken into lines that fit an axis."""
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
    """Return the pictures and tables of seats and, if agents differ by position, of the line-up."""
    drawn = [
        Picture(
            "seats", "balance", "intervals", "seats", (WIN,), "How often each seat wins",
            "Seat 0 begins round 1; the others follow clockwise. The broken line is an equal share, thin lines are 95 % "
            "intervals. All panels have one scale.",
            x="seat", series=SCENARIO, x_label="seat", equal=True,
        ),
        Picture(
            "seats-table", "balance", "table", "seats", (WIN, SCORE, RANK), "Seats in figures",
            "A shared win counts as a fraction, a shared place as the mean of the places. Each figure has a 95 % "
            "interval.",
            x="seat", x_label="seat",
        ),
    ]  # fmt: skip
    if len(tables["lineup"]):
        drawn += [
            Picture(
                "lineup", "balance", "intervals", "lineup", (WIN,), "How often each agent of the line-up wins",
                "Agents change seats from game to game, so that none gains from its seat; the seatings `rotate` keep "
                "the order of agents. Copies of an agent are numbered in the order of the line-up.",
                x=WHO, series=SCENARIO, x_label="agent", equal=True,
            ),
            Picture(
                "lineup-table", "balance", "table", "lineup", (
                    WIN, SCORE, RANK,
                    Figure("win_share_minus_position_0", "games won, minus the first agent's", "share"),
                    Figure("score_mean_minus_position_0", "mean score, minus the first agent's", "amount"),
                ),
                "The line-up in figures",
                "Differences from the first agent of the line-up, paired by deal.",
                x="position", x_label="agent",
            ),
        ]  # fmt: skip
    return drawn


@dataclass(frozen=True)
class SeatCell:
    """Result of the test of one cell's seats.

    Attributes:
        test: row of the cell's test. shares: rows of the seats' win shares. where: name of the cell.
        p: p-value of the test, corrected for all cells.
        verdict: UNEQUAL if p is below `_FALSE_ALARMS` and a share is at least `MIN_SHARE` off; EQUAL if every interval is closer
            than that to the fair share; FEW without a test or shares; else OPEN.
    """

    test: Any
    shares: pd.DataFrame
    where: str
    p: float
    verdict: str

    @property
    def key(self) -> dict[str, Any]:
        """The cell's player count, variant and line-up."""
        return {"players": self.test.players, "variant": self.test.variant, "lineup": self.test.lineup}

    @property
    def fair(self) -> float:
        """Fair share of wins: 1 / players."""
        return 1 / float(self.test.players)

    @property
    def favoured(self) -> pd.Series:
        """The row of the seat that wins most."""
        return self.shares.loc[self.shares["value"].idxmax()]

    @property
    def distance(self) -> float:
        """Largest distance of a share from the fair one."""
        return float((self.shares["value"] - self.fair).abs().max())


UNEQUAL, EQUAL, OPEN, FEW = "unequal", "equal", "open", "few"
_POINTS = f"{100 * MIN_SHARE:g}"


def seat_cells(tables: Tables) -> list[SeatCell]:
    """Return the test of the seats of every cell, all corrected together."""
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
        elif p < _FALSE_ALARMS and (shares["value"] - 1 / row.players).abs().max() >= MIN_SHARE:
            verdict = UNEQUAL
        elif (off.abs() < MIN_SHARE).all(axis=None):
            verdict = EQUAL
        seat_cells.append(SeatCell(row, shares, where, float(p), verdict))
    return seat_cells


def headline_by_strength(tables: Tables, tiers: Mapping[str, str]) -> str:
    """Return a sentence per player count on its seats at each strength of play: of the game where all agree, else of the players.

    Args:
        tables: tables of a study in which the agent of each tier plays itself.
        tiers: strength, a key of `PLAY` -> spec string, the weakest first.
    """
    found: dict[str, list[str]] = {}
    for players in dict.fromkeys(tables["balance"]["players"]):
        cells = {cell.test.lineup: cell for cell in seat_cells(tables) if cell.test.players == players}
        by_tier = {tier: cells[agent] for tier, agent in tiers.items() if agent in cells}
        found.setdefault(_strength_words(by_tier, tables["balance"]), []).append(str(players))
    parts = [f"At {listed(counts)} players {words}" for words, counts in found.items()]
    return f"{'. '.join(parts)}."


RANDOM = "random"  # the strength of an agent that moves at random, whichever tier a game makes it
PLAY = {
    RANDOM: "random moves", "weak": "beginners' play", "middle": "middling play", "learned": "trained play", "search": "strong play",
}  # fmt: skip


def strength_of(tier: str, agent: str) -> str:
    """Return the strength of a tier's agent, a key of `PLAY`."""
    return RANDOM if agent == RANDOM else tier


def missed_by(cells: Sequence[SeatCell], balance: pd.DataFrame) -> float:
    """Return the largest gain of a seat that these cells could miss; NaN if they have too few games."""
    bounds = [row_of(balance, figure="seat_favour_bound", **cell.key) for cell in cells]
    return max((float(row.value) for row in bounds if row is not None and row.value > 0), default=float("nan"))


def _strength_words(by_tier: Mapping[str, SeatCell], balance: pd.DataFrame) -> str:
    """Return what the tiers say of the seats at one player count, and how large a gain could be missed where they say nothing."""

    def called(tier: str) -> str:
        words = missed(missed_by([by_tier[tier]], balance), what="a gain")
        return f"{PLAY[tier]} ({words})" if words else PLAY[tier]

    unequal = {tier: cell for tier, cell in by_tier.items() if cell.verdict == UNEQUAL}
    others = [tier for tier in by_tier if tier not in unequal]
    if not unequal:
        few = all(cell.verdict == FEW for cell in by_tier.values())
        return (
            "there are too few games for a test"
            if few
            else f"no seat is known to win more than its share under {listed([called(tier) for tier in by_tier])}"
        )
    favoured = {tier: cell.favoured for tier, cell in unequal.items()}
    seats = {row["seat"] for row in favoured.values()}
    shares = listed([f"{format_row(row, 'share')} under {PLAY[tier]}" for tier, row in favoured.items()])
    fair = format_value(next(iter(by_tier.values())).fair, "share")
    if len(seats) == 1:
        words = f"the game favours seat {next(iter(seats))}" if not others else f"seat {next(iter(seats))} is favoured"
        rest = f", but is not known to be favoured under {listed([called(tier) for tier in others])}" if others else ""
        return f"{words}: it wins {shares} (fair: {fair}){rest}"
    names = listed(
        [f"seat {row['seat']} under {PLAY[tier]} ({format_row(row, 'share')})" for tier, row in favoured.items()]
    )
    return f"it depends on the players who is favoured: {names} (fair: {fair})"


def seat_sentences(tables: Tables) -> list[str]:
    """Return a sentence per cell: how often each seat wins, and whether the seats differ significantly."""
    cells = seat_cells(tables)
    statements = [_seat_sentence(cell, tables["balance"]) for cell in cells[:_MAX] if len(cell.shares)]
    if len(cells) > _MAX:
        statements.append("The other combinations are in `tables/balance.csv`.")
    if any(cell.verdict != FEW for cell in cells):
        statements.append(
            f"Footnote: a perfectly fair game would be called unfair in 1 study of {1 / _FALSE_ALARMS:.0f}"
            f"{f' ({len(cells)} tests judged together)' if len(cells) > 1 else ''}; differences under {_POINTS} points are "
            "not reported."
        )
    return statements


def _seat_sentence(cell: SeatCell, balance: pd.DataFrame) -> str:
    names = ("seat_favour_bound", "seat_gap_by_chance")
    bound, chance = (row_of(balance, figure=name, **cell.key) for name in names)
    fair = format_value(cell.fair, "share")
    games = f"{cell.test.n:,} games"
    ordered = cell.shares.sort_values("value")
    low, high = (format_row(ordered.iloc[end], "share").removesuffix(f"{THIN}%") for end in (0, -1))
    between = f"{cell.where}: the seats win {low} to {high}{THIN}% of {games}"
    if cell.verdict == FEW:
        return f"{between}, too few for a test."
    if cell.verdict == UNEQUAL:
        rows = list(cell.shares.itertuples(index=False))
        shares, half_width = _shares_in_words([(f"seat {row.seat}", row) for row in rows])
        return f"{cell.where}: {shares} ({half_width}fair {fair}; {games})."
    if cell.verdict == EQUAL:
        return f"{between} (fair {fair}): equal to within {_POINTS} points."
    by_chance = (
        f"; fair seats stay within {100 * chance.value:.1f} points of each other in 95 % of studies" if chance else ""
    )
    limit = f"; no seat gains more than about {100 * bound.value:.1f} points" if bound else ""
    is_hint = cell.p < 1 - LEVEL and cell.distance >= MIN_SHARE
    found = "a difference that more games must confirm" if is_hint else "no significant difference"
    return f"{between} (fair {fair}{by_chance}): {found}{limit}."


def _shares_in_words(rows: list[tuple[str, Any]]) -> tuple[str, str]:
    """Return ("seat 0 wins 38.6, seat 1 33.8 and seat 2 27.6 %", "±0.8; "); the half-width is the largest of all."""
    widest = max((row.high - row.low for _, row in rows if not np.isnan(row.low)), default=np.nan)
    digits = 1 if np.isnan(widest) else digits_for(widest / 2, "share")

    def share_text(row: Any) -> str:
        if not np.isnan(row.value):
            return format_value(row.value, "share", digits).removesuffix(f"{THIN}%")
        return "too seldom for a figure" if np.isnan(row.high) else f"below {format_value(row.high, 'share', digits)}"

    first, *rest = rows
    words = listed([f"{first[0]} wins {share_text(first[1])}", *(f"{name} {share_text(row)}" for name, row in rest)])
    half_widths = [format_half_width(row, "share", digits) for _, row in rows if not np.isnan(row.value)]
    half_width = max((text for text in half_widths if text), key=float, default="")
    return f"{words}{THIN}%", f"\N{PLUS-MINUS SIGN}{half_width}; " if half_width else ""


def lineup_sentences(tables: Tables, chunks: int = MAX_CHUNKS) -> list[str]:
    """Return a sentence per cell: agents' win shares, the best first, and who differs significantly from the first one.

    The tests are corrected for all agents of all line-ups together.
    """
    lineups = tables["lineup"]
    rows = pick(lineups, figure="win_share_minus_position_0").dropna(subset="value")
    df = degrees_of_freedom(rows["n"], rows["deals"], chunks)
    p = holm(p_value(rows["value"], rows["low"], rows["high"], 0.0, df))
    significant = (p < 1 - LEVEL) & (rows["value"].abs() >= MIN_SHARE).to_numpy()
    several = tables["balance"]["variant"].nunique() > 1
    statements = []
    for key, group in list(rows.assign(significant=significant).groupby(_CELL, sort=False))[:_MAX]:
        players, variant, lineup = key
        own = pick(lineups, players=players, variant=variant, lineup=lineup, figure="win_share")
        where = cell_name(players, variant, lineup, several=several)
        if (group["value"] == 0).all() and (group["low"] == 0).all():
            statements.append(f"{where}: all agents win exactly equally often, as expected of identical agents.")
            continue
        agents = set(own["agent"])
        who = [name if name in agents else f"the {name}" for name in agent_names(own, players)]
        ranked = own.sort_values("value", ascending=False, kind="stable")
        shares, half_width = _shares_in_words([(who[row.position], row) for row in ranked.itertuples(index=False)])
        differences = group[group["significant"]].set_index("position")["value"]
        more, less = (
            [who[position] for position in ranked["position"] if sign * differences.get(position, 0) > 0]
            for sign in (1, -1)
        )
        found = [f"{listed(names)} significantly {word}" for names, word in ((more, "more"), (less, "less")) if names]
        verdict = f"{' and '.join(found)} than {who[0]}" if found else f"no significant difference from {who[0]}"
        open_ones = group[~group["significant"]]
        words = missed(not_excluded(open_ones, chunks=chunks), what="a difference")
        others = f"; {len(open_ones)} without a significant difference" if found and len(open_ones) else ""
        others += f": {words}" if words else ""
        statements.append(f"{where}: {shares} ({half_width}{verdict}{others}).")
    return statements


def certainty(manifest: Mapping[str, Any]) -> list[str]:
    """Return sentences on the statistical method."""
    plan = manifest.get("plan", {})
    chunks = plan.get("chunks")
    parts = f"{chunks} parts" if chunks else "parts"
    return [
        f"Every figure is an exact count over all games, or over the stated part of the deals. Its interval comes from recomputing it without one of {parts} of the "
        "study at a time (the delete-one jackknife). All seatings of a deal are "
        "in the same part, so that playing a deal several times does not narrow the intervals wrongly.",
        "Intervals are 95 %: for means Student's t, corrected for skewness; for shares Wilson's "
        "formula, or the exact one if events are rare; for differences of shares the intervals of both. About one "
        "interval in twenty misses its true value; in a table "
        "of a hundred figures expect five. In heat maps of games won, cells in italics do not differ significantly from a "
        "fair share, corrected for the cells of a panel (Benjamini and Hochberg): if all shares are fair, one "
        "panel in 20 still has a cell in upright type.",
        "Figures with fewer than 30 events have no value; shares keep their interval in `tables/`. n is the number of events "
        "(games, rounds, decisions and so on); "
        "events of one game are correlated, so the interval, not n, is the measure of certainty.",
        "Intervals cover chance: the game's and that of agents with random choices. They do not "
        "cover how well the agents play. Results may differ for other agents or for human players.",
    ]
