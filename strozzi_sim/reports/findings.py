"""What every report says and shows of seats and line-ups, whatever the game, and how certain it is."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.games.pages import SCENARIO, THIN, Figure, Picture, Tables, in_words, listed, pick, quote, row_of
from strozzi_sim.reports.html_tables import p_in_words
from strozzi_sim.reports.style import SERIES
from strozzi_sim.stats.intervals import LEVEL
from strozzi_sim.stats.multiplicity import holm

WHO = "who"
_LONG = 24
_CELL = ["players", "variant", "lineup"]
_MOST = 12  # cells spoken of one by one

WIN = Figure("win_share", "games won", "share")
SCORE = Figure("score_mean", "mean score", "coins")
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
    names = {each: scenario_words(each, every) or each[1] for each in every[:SERIES]}
    keys = list(zip(table["variant"], table["lineup"], strict=True))
    keep = np.array([key in names for key in keys], bool)
    return table[keep].assign(**{SCENARIO: [names[key] for key in keys if key in names]})


def with_agents(lineup: pd.DataFrame) -> pd.DataFrame:
    """The line-up's table with a column for position and agent together."""

    def short(agent: str) -> str:
        return agent if len(agent) <= _LONG else f"{agent[: _LONG - 1]}\N{HORIZONTAL ELLIPSIS}"

    names = [f"{position}\n{short(agent)}" for position, agent in zip(lineup["position"], lineup["agent"], strict=True)]
    return lineup.assign(**{WHO: pd.Series(names, index=lineup.index, dtype="str")})


def seat_pictures(tables: Tables) -> list[Picture]:
    """The pictures and tables of seats and, if agents differ by position, of the line-up."""
    found = [
        Picture(
            "seats", "balance", "intervals", "seats", (WIN,), "How often each seat wins",
            "Seat 0 starts round 1; the others follow clockwise. The broken line is an equal chance; whiskers are "
            "95 % intervals. "
            "All panels have the same scale, cut off above 0 where the seats lie close together.",
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
        found += [
            Picture(
                "lineup", "balance", "intervals", "lineup", (WIN,), "How often each position of the line-up wins",
                "Positions change seats from game to game, so that no seat favours one of them; who sits behind "
                "whom stays the same with the seatings `rotate`.",
                x=WHO, series=SCENARIO, x_label="position in the line-up", equal=True,
            ),
            Picture(
                "lineup-table", "balance", "table", "lineup", (
                    WIN, SCORE, RANK,
                    Figure("win_share_minus_position_0", "games won, less position 0", "share"),
                    Figure("score_mean_minus_position_0", "mean score, less position 0", "coins"),
                ),
                "The line-up in figures", "Differences are formed deal by deal.", x=WHO, x_label="position",
            ),
        ]  # fmt: skip
    return found


def headline(tables: Tables) -> str:
    """Whether any seat is favoured, in one sentence over all cells."""
    tests = _seat_tests(tables)
    every = scenarios(tests)
    groups: dict[str, list[str]] = {"unequal": [], "equal": [], "few": []}
    gains: list[float] = []
    best: set[int] = set()
    for row in tests.itertuples(index=False):
        name = scenario_words((row.variant, row.lineup), every)
        verdict = "few" if np.isnan(row.adjusted) else "unequal" if row.adjusted < 1 - LEVEL else "equal"
        groups[verdict].append(f"{row.players}{f' ({name})' if name else ''}")
        if verdict == "unequal":
            shares = pick(
                tables["seats"], figure="win_share", players=row.players, variant=row.variant, lineup=row.lineup
            )
            gains.append(100 * (shares["value"].max() - 1 / row.players))
            best.add(int(shares["seat"].iloc[shares["value"].argmax()]))
    words = {
        "unequal": "The seats are not equal at {} players",
        "equal": "no seat is shown to be favoured at {} players",
        "few": "there are too few games to tell at {} players",
    }
    parts = [words[verdict].format(listed(cells)) for verdict, cells in groups.items() if cells]
    if gains:
        points = (
            f"{min(gains):.1f}"
            if f"{min(gains):.1f}" == f"{max(gains):.1f}"
            else f"{min(gains):.1f} to {max(gains):.1f}"
        )
        seat = f"seat {best.pop()}" if len(best) == 1 else "the best seat"
        parts[0] += f", where {seat} wins {points} points more than its share"
    if len(every) > 1:
        many = f"{len(tests)} combinations of players, line-up and variant"
        parts = [f"no seat is shown to be favoured in any of the {many}"]
        if gains:
            most = f"the best seat wins up to {max(gains):.1f} points more than its share"
            parts = [f"the seats are not equal in {len(gains)} of the {many}: {most}"]
    sentence = "; ".join(parts)
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""


def _seat_tests(tables: Tables) -> pd.DataFrame:
    tests = pick(tables["balance"], figure="seat_fairness_p")
    return tests.assign(adjusted=holm(tests["value"].to_numpy()))


def seat_sentences(tables: Tables) -> list[str]:
    """Whether any seat is favoured, cell by cell, and how sure that is."""
    tests = _seat_tests(tables)
    every = scenarios(tests)
    found = [
        _seat_sentence(row, tables["balance"], tables["seats"], every)
        for row in tests.head(_MOST).itertuples(index=False)
    ]
    if len(tests) > _MOST:
        found.append("The other combinations are in `tables/balance.csv`.")
    if tests["adjusted"].notna().sum() > 1:
        found.append(
            f"The {len(tests)} tests are judged together (Holm): if all seats were equal everywhere, one study in "
            "20 would still "
            "report a difference."
        )
    return [sentence for sentence in found if sentence]


def _seat_sentence(test: Any, balance: pd.DataFrame, seats: pd.DataFrame, every: list[tuple[str, str]]) -> str:
    cell = {"players": test.players, "variant": test.variant, "lineup": test.lineup}
    rows = pick(seats, figure="win_share", **cell).dropna(subset="value")
    if rows.empty:
        return ""
    bound, chance = (row_of(balance, figure=name, **cell) for name in ("seat_favour_bound", "seat_gap_by_chance"))
    name = scenario_words((test.variant, test.lineup), every)
    where = f"At {test.players} players{f' ({name})' if name else ''}"
    low, high = in_words(rows["value"].min(), "share").removesuffix(f"{THIN}%"), in_words(rows["value"].max(), "share")
    between = f"the seats win between {low} and {high} of games"
    games = f"{test.n:,} games"
    equal = 1 / test.players
    if np.isnan(test.value):
        return f"{where} {between}; {games} are too few to test whether that is chance."
    p = p_in_words(test.value)
    said_p = (f"p {p}" if p.startswith("<") else f"p = {p}").replace(" ", "\N{NO-BREAK SPACE}")
    limit = f"{100 * bound.value:.1f}" if bound else "?"
    if test.adjusted < 1 - LEVEL:
        shares = ", ".join(f"seat {row.seat} wins {quote(row, 'share')}" for row in rows.itertuples(index=False))
        gain = 100 * (rows["value"].max() - equal)
        return (
            f"{where} the seats are not equal: {shares}, where {in_words(equal, 'share')} would be equal "
            f"({said_p}, {games}). "
            f"The best seat gains {gain:.1f} points, with 95 % confidence no more than {limit}."
        )
    doubt = (
        " On its own that would count as a difference; among so many tests it does not."
        if test.value < 1 - LEVEL
        else ""
    )
    by_chance = f"; chance alone makes gaps of up to {100 * chance.value:.1f} points" if chance else ""
    return (
        f"{where} {between}; a test of equal chances gives {said_p} ({games}{by_chance}): no seat is shown to be "
        "favoured, and none is "
        f"favoured by more than about {limit} points.{doubt}"
    )


def lineup_sentences(tables: Tables) -> list[str]:
    """Who wins more than the agent at position 0, by paired differences."""
    lineups = tables["lineup"]
    rows = pick(lineups, figure="win_share_minus_position_0").dropna(subset="value")
    every = scenarios(tables["balance"])
    found = []
    for key, group in list(rows.groupby(_CELL, sort=False))[:_MOST]:
        players, variant, lineup = key
        first = pick(lineups, players=players, variant=variant, lineup=lineup, position=0)["agent"].iloc[0]
        name = scenario_words((variant, lineup), every)
        where = f"At {players} players{f' ({name})' if name else ''}"
        told, equal = [], 0
        for row in group.itertuples(index=False):
            if not (row.low > 0 or row.high < 0):
                equal += 1
                continue
            size = row if row.value > 0 else row._replace(value=-row.value, low=-row.high, high=-row.low)
            points = quote(size, "share").replace(f"{THIN}%", " points")
            told.append(f"position {row.position} ({row.agent}) wins {points} {'more' if row.value > 0 else 'less'}")
        rest = f"; {equal} of the others cannot be told from it" if equal else ""
        if told:
            found.append(f"{where}, against position 0 ({first}), {listed(told)}{rest}.")
        elif (group["value"] == 0).all() and (group["low"] == 0).all():
            found.append(f"{where} all positions win exactly equally often, as identical agents must.")
        else:
            found.append(f"{where} no position can be told from position 0 ({first}).")
    return found


def certainty(manifest: Mapping[str, Any]) -> list[str]:
    """How intervals are made, in sentences."""
    plan = manifest.get("plan", {})
    chunks = plan.get("chunks")
    parts = f"{chunks} parts" if chunks else "parts"
    return [
        f"Every figure is an exact count over all games. Its interval is found by leaving out one of {parts} of "
        "the study at a time and "
        "watching how far the figure moves (the delete-one jackknife). All seatings of a deal are in the same "
        "part, so playing a deal "
        "several times makes no interval look narrower than it is.",
        "Intervals are 95 %: means and differences by Student's t, shares by Wilson's formula. Of twenty "
        "intervals about one misses its true value; in a table "
        "of a hundred figures expect five. In heat maps of games won, cells in italics cannot be told from an "
        "equal chance when false alarms "
        "are kept to 5 % (Benjamini and Hochberg).",
        "Figures with fewer than 30 events behind them are left out. n is the number of events behind a figure "
        "(games, rounds, decisions and so on); "
        "events of one game go together, so the interval, not n, says how certain a figure is.",
        "Intervals cover chance: what the game brings, and what agents that leave a choice to chance do. They do not cover how "
        "well the agents play. "
        "What holds for these agents may not hold for others, or for people.",
    ]
