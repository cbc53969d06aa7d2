"""The answer of a study: a verdict that can be repeated, the numbers behind it, and three numbers.

A verdict follows from the tables by rules, corrected for the number of cells. It says of whom it speaks: of a game only where
players of every strength agree, else of the agents that played.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.game.contract import Game
from strozzi_sim.game.missed import missed, not_excluded
from strozzi_sim.game.reporting import (
    THIN,
    Tables,
    digits_for,
    format_half_width,
    format_row,
    format_value,
    headline_players,
    listed,
    pick,
    some_of,
)
from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, MIN_SHARE, degrees_of_freedom, p_value_of_share
from strozzi_sim.reports.changes import change_estimate
from strozzi_sim.reports.content import Answer, Number
from strozzi_sim.reports.findings import EQUAL, FEW, OPEN, PLAY, UNEQUAL, SeatCell, missed_by, seat_cells
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.studies.changes import CHANGED, SMALL, UNCLEAR
from strozzi_sim.studies.changes import EQUAL as EQUALLY

_MOST = 4  # player counts or agents named one by one


def seats_answer(tables: Tables, game: Game, tiers: Mapping[str, str]) -> Answer:
    """Return whether the seats win alike.

    Args:
        tables: tables of a study.
        game: game of the study.
        tiers: strength, a key of `PLAY` -> spec string, the weakest first, if the agent of each tier plays itself; else empty.
    """
    cells = seat_cells(tables)
    if not cells:
        return Answer(f"No game of {game.title} was played.")
    unequal = [cell for cell in cells if cell.verdict == UNEQUAL]
    scenes = list(dict.fromkeys((cell.test.variant, cell.test.lineup) for cell in cells))
    if tiers:
        verdict = _by_strength(cells, unequal, game.title, tiers)
    elif len(scenes) == 1:
        verdict = _of_one(cells, unequal, game.title, scenes[0])
    else:
        verdict = _of_many(cells, unequal, game.title)
    detail = " ".join(_tier_sentences(cells, tables, tiers, game)) if tiers else _seats_detail(cells, unequal, tables)
    return Answer(verdict, detail, _seats_numbers(cells, unequal, tables))


def _tier_sentences(cells: Sequence[SeatCell], tables: Tables, tiers: Mapping[str, str], game: Game) -> Iterator[str]:
    """Yield a sentence for each strength of play with its own numbers, and one for a search that was left out."""
    for tier, agent in tiers.items():
        own = [cell for cell in cells if cell.test.lineup == agent]
        by_verdict = {
            verdict: [cell for cell in own if cell.verdict == verdict] for verdict in (UNEQUAL, EQUAL, OPEN, FEW)
        }
        parts = [_favoured_words(by_verdict[UNEQUAL])] if by_verdict[UNEQUAL] else []
        for verdict, words in (
            (EQUAL, f"the seats win alike to within {100 * MIN_SHARE:g} points"),
            (OPEN, "no seat is known to gain"),
            (FEW, "too few games to say"),
        ):
            if here := by_verdict[verdict]:
                size = missed(missed_by(here, tables["balance"]), what="a gain") if verdict == OPEN else ""
                where = f" at {_counts(here)}" if len(here) < len(own) else ""
                parts.append(f"{words}{where}{f' ({size})' if size else ''}")
        if parts:
            yield f"{PLAY[tier][:1].upper()}{PLAY[tier][1:]} ({agent}): {'; '.join(parts)}."
    if "search" in game.tiers and "search" not in tiers:
        yield f"{PLAY['search'].capitalize()} ({game.tiers['search']}) was left out: it takes search_deals."


def _favoured_words(cells: Sequence[SeatCell]) -> str:
    """Return the shares of the seats that are favoured: "seat 0 wins 38.4 at 3 and 30.6 % at 4 players (fair: 33.3 and 25.0 %)"."""
    who = _WHOSE.get(_who(cells), _who(cells) or "the best seat")
    named = not _who(cells)
    shares = [
        f"{format_row(cell.favoured, 'share').removesuffix(f'{THIN}%')}{f' (seat {cell.favoured.seat})' if named else ''}"
        for cell in cells
    ]
    fair = listed([format_value(cell.fair, "share").removesuffix(f"{THIN}%") for cell in cells])
    return f"{who} wins {listed(shares)}{THIN}% at {_counts(cells)} (fair: {fair}{THIN}%)"


_WHOSE = {"the player who begins": "seat 0", "the player who moves last": "the last seat"}


def _who(cells: Sequence[SeatCell]) -> str:
    """Return who is favoured in these cells in words, or "" if that differs."""
    seats = {int(cell.favoured["seat"]) for cell in cells}
    if seats == {0}:
        return "the player who begins"
    if all(int(cell.favoured["seat"]) == cell.test.players - 1 for cell in cells):
        return "the player who moves last"
    return f"seat {seats.pop()}" if len(seats) == 1 else ""


def _counts(cells: Sequence[SeatCell]) -> str:
    """Return the player counts of cells: "3 and 4 players"."""
    return f"{listed([str(count) for count in dict.fromkeys(cell.test.players for cell in cells)])} players"


def _equal_words(title: str, cells: Sequence[SeatCell], when: str = "") -> str:
    """Return the verdict where no seat is favoured."""
    if all(cell.verdict == FEW for cell in cells):
        return f"There are too few games to say whether a seat of {title} is favoured{when}."
    if all(cell.verdict == EQUAL for cell in cells):
        return f"Every seat of {title} wins its share to within {100 * MIN_SHARE:g} points{when}."
    return f"No seat of {title} is known to win more than its share{when}."


def _by_strength(cells: Sequence[SeatCell], unequal: Sequence[SeatCell], title: str, tiers: Mapping[str, str]) -> str:
    """Return the verdict on the game where all strengths of play agree, else on the players."""
    if not unequal:
        return _equal_words(title, cells, ", however well it is played")
    tier_of = {agent: tier for tier, agent in tiers.items()}
    by_tier = {tier: [cell for cell in unequal if tier_of.get(cell.test.lineup) == tier] for tier in tiers}
    found = [tier for tier, own in by_tier.items() if own]
    who = _who(unequal)
    where = {
        tier: _part_of(own, [c for c in cells if c.test.lineup == tiers[tier]]) for tier, own in by_tier.items() if own
    }
    places = list(dict.fromkeys(where.values()))
    if not who:
        partly = places[0] if len(places) == 1 else ""
        return f"Who is favoured in {title} depends on how well it is played{partly}."
    if set(found) == set(tiers) and len(places) == 1:
        return f"{title} favours {who}{places[0]}, however well it is played."
    rest = {
        tier: [cell for cell in cells if tier_of.get(cell.test.lineup) == tier] for tier in tiers if tier not in found
    }
    fair = [PLAY[tier] for tier, own in rest.items() if own and all(cell.verdict == EQUAL for cell in own)]
    unknown = [PLAY[tier] for tier, own in rest.items() if own and PLAY[tier] not in fair]
    under = [f"under {listed([PLAY[t] for t in found if where[t] == place])}{place}" for place in places]
    said = f"{title} favours {who} {listed(under)}"
    if fair:
        said += f", but not under {listed(fair)}"
    return said + (f"; under {listed(unknown)} that is not known." if unknown else ".")


def _part_of(cells: Sequence[SeatCell], every: Sequence[SeatCell]) -> str:
    """Return at which player counts these cells are, "" if at all."""
    return (
        ""
        if {cell.test.players for cell in cells} == {cell.test.players for cell in every}
        else f" at {_counts(cells)}"
    )


def _of_one(cells: Sequence[SeatCell], unequal: Sequence[SeatCell], title: str, scene: tuple[str, str]) -> str:
    """Return the verdict on one line-up in one variant."""
    variant, lineup = scene
    whom = "Played by " + listed(list(dict.fromkeys(lineup.split(",")))[:_MOST])
    called = title if variant == "base" else f"{title} ({variant})"
    if not unequal:
        words = _equal_words(called, cells)
        return f"{whom}: {words[0].lower()}{words[1:]}"
    if len(unequal) == len(cells):
        who = _who(unequal)
        return f"{whom}, {called} favours {who}." if who else f"{whom}, {called} does not treat its seats alike."
    who = _who(unequal) or "one seat"
    rest = [cell for cell in cells if cell.verdict != UNEQUAL]
    return f"{whom}, {called} favours {who} at {_counts(unequal)}; at {_counts(rest)} no seat is known to gain."


def _of_many(cells: Sequence[SeatCell], unequal: Sequence[SeatCell], title: str) -> str:
    """Return the verdict on several line-ups or variants."""
    many = f"{len(cells)} combinations of players, line-up and variant"
    if not unequal:
        return _equal_words(title, cells, f", in any of {many}").replace("Every seat", "Each seat")
    who = _who(unequal)
    named = f" favour {who}" if who else " treat the seats unequally"
    return f"{len(unequal)} of {many} of {title}{named}."


def _seats_detail(cells: Sequence[SeatCell], unequal: Sequence[SeatCell], tables: Tables) -> str:
    """Return the shares of the favoured seat of the line-up that most favours one, or how large a gain could be missed."""
    rest = [cell for cell in cells if cell.verdict != UNEQUAL]
    words = missed(missed_by(rest, tables["balance"]), what="a gain")
    if not unequal:
        return f"{words[:1].upper()}{words[1:]}." if words else ""
    most = max(unequal, key=lambda cell: cell.distance)
    same = [c for c in unequal if (c.test.variant, c.test.lineup) == (most.test.variant, most.test.lineup)][:_MOST]
    shares = [
        f"{format_row(cell.favoured, 'share')}{f' (seat {cell.favoured.seat})' if not _who(same) else ''} at {cell.test.players}"
        for cell in same
    ]
    fair = listed([format_value(cell.fair, "share").removesuffix(f"{THIN}%") for cell in same])
    who = _WHOSE.get(_who(same), _who(same) or "the best seat")
    said = f"With {most.test.lineup.replace(',', ', ')}, {who} wins {listed(shares)} players, where {fair}{THIN}% would be equal."
    return said + (f" Elsewhere {words}." if words else "")


def _seats_numbers(cells: Sequence[SeatCell], unequal: Sequence[SeatCell], tables: Tables) -> tuple[Number, ...]:
    """Return the largest gain and loss of a seat, and how long or how high games are."""
    known = [cell for cell in (unequal or cells) if len(cell.shares)]
    numbers = []
    for sign, word in ((1, "above"), (-1, "below")):
        ends = [(cell, cell.shares.loc[(sign * cell.shares["value"]).idxmax()]) for cell in known]
        if not ends:
            continue
        cell, row = max(ends, key=lambda found: sign * float(found[1]["value"] - found[0].fair))
        digits = digits_for((row["high"] - row["low"]) / 2, "share", 1) if not np.isnan(row["low"]) else 1
        value = format_value(abs(row["value"] - cell.fair), "share", digits).removesuffix(f"{THIN}%")
        where = f"points {word} its share: seat {row['seat']} at {cell.test.players} players ({cell.test.lineup})"
        numbers.append(
            Number(("+" if sign > 0 else "\N{MINUS SIGN}") + value, format_half_width(row, "share", digits), where)
        )
    most = max(known, key=lambda cell: cell.distance).test if known else cells[0].test
    balance = pick(tables["balance"], variant=most.variant, lineup=most.lineup)
    for figure, what in (("margin_mean", "the winner's lead over the second"), ("score_mean", "score of a player"), ("decisions_mean", "decisions in a game")):  # fmt: skip
        rows = pick(balance, figure=figure, players=headline_players(balance)).dropna(subset="value")
        if len(rows):
            numbers.append(number(rows.iloc[0], "amount", f"{what}, {rows.iloc[0]['players']} players"))
            break
    return tuple(numbers)


def number(row: Any, unit: Any, what: str) -> Number:
    """Return a row of a table as a number with its half-width."""
    half = (row.high - row.low) / 2
    digits = 1 if np.isnan(half) else digits_for(half, unit, 1)
    return Number(format_value(row.value, unit, digits), format_half_width(row, unit, digits), what)


def agents_answer(tables: Tables, game: Game, chunks: int = MAX_CHUNKS) -> Answer:
    """Return which agent of a line-up wins more than its share, over all cells with several agents."""
    rows = pick(tables["lineup"], figure="win_share").dropna(subset="value").reset_index(drop=True)
    if rows.empty:
        return Answer(f"There are too few games of {game.title} to say which agent wins most.")
    fair = 1 / rows["players"].to_numpy()
    df = degrees_of_freedom(rows["n"], rows["deals"], chunks)
    p = holm(p_value_of_share(rows["value"], rows["low"], rows["high"], fair, df))
    rows = rows.assign(ahead=(p < ALPHA) & (rows["value"] - fair >= MIN_SHARE), fair=fair)
    groups = list(rows.groupby(["players", "variant", "lineup"], sort=False))
    best = [group.loc[group["value"].idxmax()] for _, group in groups]
    leaders = {row["agent"] for row in best if row["ahead"]}
    field = listed(list(dict.fromkeys(rows["agent"]))[:6])
    if not leaders:
        words = missed(not_excluded(rows, fair, chunks, sign=1), what="a gain")
        verdict = (
            f"No agent of {field} is known to win more than its share of {game.title}{f': {words}' if words else ''}."
        )
    elif len(leaders) == 1 and all(row["ahead"] for row in best):
        counts = len({row["players"] for row in best}) > 1
        everywhere = " at every player count" * counts + " in every line-up and variant" * (
            len(best) > 1 and not counts
        )
        verdict = f"{leaders.pop()} wins most among {field}{everywhere}."
    else:
        verdict = f"Who wins most among {field} depends on the players and the variant."
    detail = f"Most games won: {_most_won(best)}."
    first = groups[0][1].sort_values("value", ascending=False, kind="stable")
    return Answer(verdict, detail, tuple(number(row, "share", f"games won by {row.agent}, {row.players} players") for row in first.head(3).itertuples(index=False)))  # fmt: skip


_NOT_CHANGED = {UNCLEAR: ", not known to be one", SMALL: ", too small to matter", EQUALLY: ", which is none"}


def _most_won(best: Sequence[Any]) -> str:
    """Return the share of the first agent of each cell, with its rivals where a player count has several line-ups."""
    several = len({row["players"] for row in best}) < len(best)
    variants = len({row["variant"] for row in best}) > 1
    parts = []
    for row in best[:_MOST]:
        rivals = [agent for agent in row["lineup"].split(",") if agent != row["agent"]]
        against = f" against {listed(list(dict.fromkeys(rivals)))}" if several and rivals else ""
        where = f" in {row['variant']}" if variants else ""
        fair = format_value(row["fair"], "share")
        parts.append(
            f"{row['agent']} {format_row(row, 'share')}{against}{where} at {row['players']} players ({fair} would be equal)"
        )
    return some_of([*parts, *[""] * (len(best) - len(parts))], _MOST)


def changes_numbers(tables: Tables) -> tuple[Number, ...]:
    """Return the largest known change of the wins of a seat or agent, of the gap, of the mean score and the length.

    Where none is known, the largest is given as one that is not.
    """
    table = tables["changes"].dropna(subset=["value", "low"])
    kinds: Sequence[tuple[pd.DataFrame, Any, str]] = (
        (table[table["table"].isin(["seats", "lineup"]) & (table["figure"] == "win_share")], "share", "games won"),
        (pick(table, table="balance", figure="seat_gap"), "share", "gap between the seats"),
        (pick(table, table="balance", figure="score_mean"), "amount", "mean score"),
        (pick(table, table="balance", figure="decisions_mean"), "amount", "decisions in a game"),
    )
    numbers = []
    for rows, unit, what in kinds:
        if len(rows):
            known = rows[rows["verdict"] == CHANGED] if CHANGED in set(rows["verdict"]) else rows
            row = known.loc[known["size"].abs().fillna(np.inf).idxmax()]  # without a size: it was 0 before
            place = f"{what}{f', {row.level}' if row.level else ''}, {row.players} players"
            points = "points of " if unit == "share" else ""
            said = f"{points}{place}: change to {row.variant}{_NOT_CHANGED.get(row.verdict, '')}"
            sign, found = "+" if row.value > 0 else "", number(row, unit, said)
            value, half = found.value.replace(f"{THIN}%", ""), found.half_width
            estimate = change_estimate(row, unit)
            if "(" in estimate:  # rounded to a half-width, a known change would look like none
                value, half = estimate.removesuffix(" points"), ""
            numbers.append(Number(sign + value, half, said))
    return tuple(numbers[:3])
