"""Whether what a report calls certain is: each claim of its verdict and findings, tested from the intervals of its tables.

A claim is one of `CLAIMS`, a pattern and the test of what it says. Tests are corrected for all comparisons of their family (Holm).
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

ALPHA = 0.05
CELL = ["players", "variant", "lineup"]
SEAT = r"the (?:first|second|third|last) (?:player|one)|(?:player|one) \d of \d"
Said, Array = Any, np.ndarray[Any, Any]


def holm(p: Array) -> Array:
    """Return p-values corrected for their number, one after the other from the smallest."""
    found, largest, known = np.ones(len(p)), 0.0, np.flatnonzero(~np.isnan(p))
    for rank, k in enumerate(known[np.argsort(p[known])]):
        largest = max(largest, min(1.0, (len(known) - rank) * p[k]))
        found[k] = largest
    return found


def p_of(rows: pd.DataFrame, null: Any, chunks: int, *, share: bool = False) -> Array:
    """Return p-values of "the figure is `null`": t tests from intervals; of shares with the variance that `null` has."""
    value, low, high = (rows[side].to_numpy(float) for side in ("value", "low", "high"))
    null, df = np.broadcast_to(null, value.shape), freedom(rows, chunks)
    end = np.where(value > null, low, high)
    with np.errstate(all="ignore"):
        error = np.abs(end - value) / stats.t.ppf(1 - ALPHA / 2, df)
        error = error * np.sqrt(null * (1 - null) / (end * (1 - end))) if share else error
        p = 2 * stats.t.sf(np.abs(value - null) / error, df)
    return np.where(np.isnan(end), np.nan, np.where(error > 0, p, np.abs(value - null) < 1e-12))


def freedom(rows: pd.DataFrame, chunks: int) -> Array:
    """Return the degrees of freedom of intervals."""
    return np.asarray(np.maximum(rows[["n", "deals"]].min(axis=1).clip(upper=chunks) - 1, 1))


def unequal(said: Said) -> dict[tuple[int, str, str], dict[int, int]]:
    """Return cell -> seat -> 1 if it wins more than an equal share, -1 if less, in the cells whose seats differ.

    They do by one test of all seats, from the variance of equal shares, corrected for all cells; a seat's own test is
    corrected for all seats of the table.
    """
    wins, found, p = said.table("seats", "win_share"), {}, {}
    for cell, rows in wins.groupby(CELL, sort=False):
        fair, df = 1 / cell[0], freedom(rows, said.chunks)
        own = p_of(rows, fair, said.chunks, share=True)
        t2 = float((stats.t.isf(own / 2, df) ** 2).sum()) * (cell[0] - 1) / cell[0]
        p[cell] = stats.f.sf(t2 / (cell[0] - 1), cell[0] - 1, df.min()) if rows["value"].notna().any() else np.nan
        alone = np.minimum(1, len(wins) * own)
        signs = np.sign(rows["value"].to_numpy() - fair)
        found[cell] = {
            int(seat): int(sign) for seat, sign, own_p in zip(rows["seat"], signs, alone, strict=True) if own_p < ALPHA
        }
    known = dict(zip(p, holm(np.array(list(p.values()))), strict=True))
    return {cell: seats for cell, seats in found.items() if known[cell] < ALPHA}


def seat_of(words: str, players: int) -> int:
    """Return the seat of a player: "the last player", "player 4 of 6"."""
    if "last" in words:
        return players - 1
    number = re.search(r"(\d) of", words)
    return int(number[1]) - 1 if number else ("first", "second", "third").index(words.lower().split()[1])


def kind_of(said: Said, agent: str) -> str:
    """Return what a sentence calls an agent, in one word if it is of a tier."""
    bare = agent.rpartition("::")[2].partition(":")[0].replace("_", " ")
    return str(said.game.player_names.get(agent, bare))


def named(said: Said, words: str) -> set[str]:
    """Return the agents that words name: "the usual player", "weak and usual players"."""
    kinds = set(
        re.split(r", | and | or ", re.sub(r"^(the|a) | players?$", "", words.strip(), flags=re.IGNORECASE).lower())
    )
    agents = {agent for lineup in said.study.lineups for agent in lineup}
    return {agent for agent in agents if kind_of(said, agent).lower() in kinds}


def lineups_in(said: Said, sentence: str) -> list[str]:
    """Return the line-ups of whose games a sentence on seats is said."""
    every = list(dict.fromkeys(said.lineups))
    some = re.search(r"with ([\w, ]+?)(?: players| nobody| the )", sentence, re.IGNORECASE)
    if "hoever plays" in sentence or not some:
        return every
    return [lineup for lineup in every if kind_of(said, lineup) in re.split(r", | and ", some[1])]


def cells_of(said: Said, lineups: list[str], counts: list[int]) -> list[tuple[int, str, str]]:
    """Return the cells of the first variant."""
    return [(count, said.study.reference, lineup) for lineup in lineups for count in counts]


def counts_in(text: str) -> list[int]:
    """Return player counts: "3, 4 and 5"."""
    return [int(count) for count in re.findall(r"\d", text)]


def seat_wins(said: Said, match: re.Match[str]) -> bool:
    """Return whether a seat, and another one beside it, wins more or less than a fair share, as often as is said."""
    players, known, claims = int(match[3]), unequal(said), []
    lineups = lineups_in(said, match.string)
    wins = said.table("seats", "win_share", players=players, variant=said.study.reference)
    usual = usual_of(said, lineups)
    for words, games in ((match[1], match[2]), (match[4], match[5])):
        if words:
            seat, share = seat_of(words, players), float(games)
            sign = 1 if share > 100 / players else -1
            step = 0.05 if "." in games else 0.5
            own = wins[(wins["lineup"] == usual) & (wins["seat"] == seat)]["value"]
            claims.append(abs(100 * own.iloc[0] - share) <= step + 1e-9)
            cells = cells_of(said, lineups if words == match[1] else [usual], [players])
            claims += [known.get(cell, {}).get(seat) == sign for cell in cells]
    return all(claims)


def seat_errors(said: Said, match: re.Match[str]) -> bool:
    """Return whether the errors of several strengths are those of their seats, widened to hold at once: up to twice."""
    rows = said.table("seats", "win_share", variant=said.study.reference)
    halves = 100 * np.maximum(rows["high"] - rows["value"], rows["value"] - rows["low"])
    least, most = float(match[1]), float(match[2] or match[1])
    return bool(halves.min() <= least <= most <= 2 * halves.max() + 0.1)


def seat_share(said: Said, match: re.Match[str]) -> bool:
    """Return whether a seat wins more, or less, than a fair share wherever that is said."""
    known, sign = unequal(said), 1 if match[2] == "more" else -1
    before, _, after = match.string.partition(":")
    counts = counts_in(re.sub(r"player \d of \d", "", before)) if re.search(r" at \d", before) else []
    is_note = not counts and not any(words in before for words in ("every player count", "hoever", "("))
    counts = counts or (counts_in(after.rpartition(" at ")[2]) if is_note else list(said.study.players))
    cells = cells_of(said, lineups_in(said, before), counts)
    return bool(cells) and all(known.get(cell, {}).get(seat_of(match[1], cell[0])) == sign for cell in cells)


def seat_wins_at(said: Said, match: re.Match[str]) -> bool:
    """Return whether a seat wins as often as is said at several player counts, each more, or only less, than a fair share."""
    known, sign = unequal(said), -1 if match[2] else 1
    lineup = usual_of(said, lineups_in(said, match.string))
    claims, counts = [], counts_in(match[4] or "") or list(said.study.players)
    for games, players in zip(re.findall(r"[\d.]+", match[3]), counts, strict=True):
        seat, cell = seat_of(match[1], players), (players, said.study.reference, lineup)
        wins = said.table("seats", "win_share", players=players, variant=cell[1], lineup=lineup, seat=seat)["value"]
        near = abs(100 * wins.iloc[0] - float(games)) <= (0.05 if "." in games else 0.5) + 1e-9
        claims.append(near and known.get(cell, {}).get(seat) == sign)
    return all(claims)


def nobody_more(said: Said, match: re.Match[str]) -> bool:
    """Return whether no seat is known to win more or less at player counts of which that is said."""
    lineup = usual_of(said, lineups_in(said, match.string))
    counts = counts_in(match[1] or match[2] or "") or list(said.study.players)
    return not any(unequal(said).get((players, said.study.reference, lineup)) for players in counts)


def at_most_each(said: Said, match: re.Match[str]) -> bool:
    """Return whether no seat's interval reaches beyond the number of its player count."""
    lineup = usual_of(said, lineups_in(said, match.string))
    wins = said.table("seats", "win_share", variant=said.study.reference, lineup=lineup)
    most = dict(zip(counts_in(match[2]), map(float, re.findall(r"[\d.]+", match[1])), strict=True))
    return all(
        (100 * wins[wins["players"] == players]["high"] <= number + 0.5).all() for players, number in most.items()
    )


def usual_of(said: Said, lineups: list[str]) -> str:
    """Return the line-up of whose games the numbers are: usual players, or else the last one."""
    return said.game.default_agent if said.game.default_agent in lineups else lineups[-1]


def at_most(said: Said, match: re.Match[str]) -> bool:
    """Return whether no seat's interval, corrected for the seats of its cell, reaches beyond the number."""
    wins = said.table("seats", "win_share", variant=said.study.reference)
    lineups = lineups_in(said, match.string)
    usual = said.game.default_agent if said.game.default_agent in lineups else lineups[-1]
    players = 4 if 4 in said.study.players else said.study.players[0]
    rows = wins[(wins["lineup"] == usual) & (wins["players"] == players)]
    return bool((100 * rows["high"] <= float(match[1]) + 0.5).all())


def within_share(said: Said, match: re.Match[str]) -> bool:
    """Return whether all cells have all their seats within half a point of an equal share."""
    wins = said.table("seats", "win_share", variant=said.study.reference)
    return bool(((wins["low"] > 1 / wins["players"] - 0.005) & (wins["high"] < 1 / wins["players"] + 0.005)).all())


def agent_most(said: Said, match: re.Match[str]) -> bool:
    """Return whether the agent that is said to win most does."""
    rows = said.table("lineup", "win_share", players=int(match[3])).reset_index(drop=True)
    p, best = holm(p_of(rows, 1 / int(match[3]), said.chunks, share=True)), int(rows["value"].idxmax())
    is_shown = abs(100 * rows["value"][best] - float(match[2])) <= 0.5
    return bool(
        rows["agent"][best] in named(said, match[1])
        and p[best] < ALPHA
        and rows["value"][best] > 1 / int(match[3])
        and is_shown
    )


def styles(said: Said, match: re.Match[str]) -> bool:
    """Return whether a style that is said to win more than its share does; or all of them less."""
    rows = said.table("lineup", "win_share", position=0).reset_index(drop=True)
    p = holm(p_of(rows, 1 / rows["players"].to_numpy(), said.chunks, share=True))
    gap = rows["value"] - 1 / rows["players"]
    if match[0].startswith("No plan here"):
        return bool(((p < ALPHA) & (gap < 0)).all())
    return bool(named(said, match[1]) & set(rows["agent"][(p < ALPHA) & (gap > 0)]))


def differs(said: Said, match: re.Match[str]) -> bool:
    """Return whether an agent wins more than the other at all player counts, or at those that are named."""
    rows = said.table("difference", "win_share").dropna(subset="low").reset_index(drop=True)
    where = match.string.partition(" in its place")[2]
    counts = counts_in(where.partition(":")[0]) or list(rows["players"])
    p = holm(p_of(rows, 0.0, said.chunks))
    sides = said.study.sides
    words = match[1].lower()
    is_first = words == "the first agent" or (words != "the second agent" and sides[0] in named(said, words))
    sign = 1 if is_first else -1
    return all(p[k] < ALPHA and sign * row["value"] > 0 for k, row in rows.iterrows() if row["players"] in counts)


def rows_of_change(said: Said, figure: str, table: tuple[str, ...]) -> pd.DataFrame:
    """Return the differences of a figure with its p-values, corrected as a table's."""
    rows = said.results.tables["changes"].dropna(subset=["value"])
    own = rows[rows["table"].isin(table) & (rows["figure"] == figure)]
    return own.assign(p=np.where(own["low"].isna(), 0.0, own["p_corrected"]))


def gap_changes(said: Said, match: re.Match[str]) -> bool:
    """Return whether a gap between the seats falls or rises significantly from a number to another."""
    rows = rows_of_change(said, "seat_gap", ("balance",))
    sign, before, after = (-1 if match[1] == "falls" else 1), float(match[2]), float(match[3])
    near = (abs(100 * rows["before"] - before) <= 0.06) & (abs(100 * (rows["before"] + rows["value"]) - after) <= 0.06)
    return bool((near & (rows["p"] < ALPHA) & (sign * rows["value"] > 0)).any())


def share_changes(said: Said, match: re.Match[str]) -> bool:
    """Return whether a share of wins changes significantly from a number to another; `worth_most` judges one of worth."""
    if "changes" not in said.results.tables:
        return "worth" in said.results.tables
    rows = rows_of_change(said, "win_share", ("seats", "lineup"))
    after, before = float(match[1]), float(match[2])
    near = (abs(100 * rows["before"] - before) <= 0.51) & (abs(100 * (rows["before"] + rows["value"]) - after) <= 0.51)
    return bool((near & (rows["p"] < ALPHA)).any())


def scores_change(said: Said, match: re.Match[str]) -> bool:
    """Return whether the mean score rises or falls significantly, by so much."""
    rows = rows_of_change(said, "score_mean", ("balance",))
    sign, size = (1 if match[1] == "rise" else -1), float(match[2].replace(",", ""))
    near = abs(sign * rows["value"] - size) <= max(0.5, 0.05 * size)
    return bool((near & (rows["p"] < ALPHA)).any())


def nobody(said: Said, match: re.Match[str]) -> bool:
    """Return whether every share of wins of some cell is known to change by less than a point."""
    rows = rows_of_change(said, "win_share", ("seats", "lineup"))
    is_small = rows[["low", "high"]].abs().max(axis=1) < 0.01
    return bool(is_small.groupby([rows["players"], rows["lineup"]]).all().any())


def pair(said: Said, one: Any, two: Any, table: pd.DataFrame, keys: list[str]) -> bool:
    """Return whether two rows differ, corrected for all pairs of levels of the key in which they differ, at every level of the others."""
    table = table.dropna(subset=["value", "low"]).reset_index(drop=True)
    (key,) = (each for each in keys if one[each] != two[each])
    df, p, place = freedom(table, said.chunks), [], -1
    error = ((table["high"] - table["low"]) / 2 / stats.t.ppf(1 - ALPHA / 2, df)).to_numpy()
    for at in (
        table.groupby([each for each in keys if each != key], dropna=False).indices.values()
        if len(keys) > 1
        else [range(len(table))]
    ):
        for j, k in [(j, k) for j in at for k in at if j < k and table[key][j] != table[key][k]]:
            if {table["value"][j], table["value"][k]} == {one["value"], two["value"]}:
                place = len(p)
            both = error[j] + error[k]
            p.append(
                2 * stats.t.sf(abs(table["value"][j] - table["value"][k]) / both, min(df[j], df[k]))
                if both > 0
                else 0.0
            )
    return place >= 0 and bool(holm(np.array(p))[place] < ALPHA)


def fairest(said: Said, match: re.Match[str]) -> bool:
    """Return whether some value has the gap that is said, and significantly less than the one it is compared with."""
    rows = rows_of_change(said, "seat_gap", ("balance",))
    after, before = float(match[1]), float(match[2])
    p = holm(p_of(rows, 0.0, said.chunks))
    near = (abs(100 * rows["before"] - before) <= 0.06) & (abs(100 * (rows["before"] + rows["value"]) - after) <= 0.06)
    return bool((near.to_numpy() & (p < ALPHA) & (rows["value"].to_numpy() < 0)).any())


def worth_most(said: Said, match: re.Match[str]) -> bool:
    """Return whether a thing is worth having, a loss of wins without it, to some agent at some player count."""
    rows = said.table("worth", "win_share_lost").reset_index(drop=True)
    known = (holm(p_of(rows, 0.0, said.chunks)) < ALPHA) & (rows["value"] > 0)
    return bool((known & (rows["thing"].map(said.noun) == match[1])).any())


def ahead(said: Said, match: re.Match[str]) -> bool:
    """Return whether an agent finishes ahead of each one that is named."""
    rows = said.table("pairwise", "ahead_share").query("agent < opponent").reset_index(drop=True)
    p, claims = holm(p_of(rows, 0.5, said.chunks, share=True)), []
    agents = {*rows["agent"], *rows["opponent"]}
    own_name = next((agent for agent in agents if agent.lower() == match[1].lower()), match[1])
    others = (
        re.split(r", | and ", match[2])
        if "other agents" not in match[2]
        else [agent for agent in agents if agent != own_name]
    )
    for other in others:
        first = own_name < other
        own = rows[(rows["agent"] == min(own_name, other)) & (rows["opponent"] == max(own_name, other))]
        claims += [bool(p[k] < ALPHA and (row["value"] > 0.5) == first) for k, row in own.iterrows()]
    return bool(claims) and all(claims)


def beats_copies(said: Said, match: re.Match[str]) -> bool:
    """Return whether the challenger that was chosen on other deals wins more than its share."""
    rows = said.results.tables["challengers"].query("chosen and figure == 'win_share'")
    return bool(
        (p_of(rows, 1 / rows["players"].to_numpy(), said.chunks, share=True) < ALPHA).all()
        and (rows["value"] > 1 / rows["players"]).all()
    )


def moves(said: Said, match: re.Match[str]) -> bool:
    """Return whether the number that is said to matter most changes a share of wins, as much as is said."""
    table = said.results.tables["weights"].dropna(subset="low").reset_index(drop=True)
    known = holm(p_of(table, 0.0, 20)) < ALPHA
    near = abs(100 * table["value"].abs() - float(match[1])) <= 0.06
    return bool((known & near & (table["figure"] == "win_share")).any())


def fits(said: Said, match: re.Match[str]) -> bool:
    """Return whether score sheets fit no strength better than the one that is named, a level to half of one."""
    fit = said.results.tables["fit"]
    if match[1]:
        return kind_of(said, fit.loc[fit["excess"].idxmin(), "agent"]) == match[1].removesuffix(" players")
    level = fit.iloc[int(match[3])]
    is_nearest = abs(said.results.tables["level"]["value"].iloc[0] - int(match[3])) <= 0.5
    is_weakest = not match[4] or abs(fit["error_rate"].iloc[0] - float(match[4])) <= 0.051
    return bool(is_nearest and is_weakest and abs(level["error_rate"] - float(match[2])) <= 0.051)


def unequal_players(said: Said, match: re.Match[str]) -> bool:
    """Return whether the lead of a seat on score sheets is as it is not among equal players."""
    leads = said.results.tables["bands"].query("figure == 'lead_mean'")
    return bool(((leads["value"] < leads["band_low"]) | (leads["value"] > leads["band_high"])).any())


def unlike(said: Said, match: re.Match[str]) -> bool:
    """Return whether a figure of score sheets has the value that is said, outside the band that is said."""
    figures = said.results.tables["bands"]
    columns = ("value", "band_low", "band_high")
    near = [abs(figures[column] - float(text)) <= 0.51 for column, text in zip(columns, match.groups(), strict=True)]
    outside = (figures["value"] < figures["band_low"]) | (figures["value"] > figures["band_high"])
    return bool((outside & near[0] & near[1] & near[2]).any())


def level_held(said: Said, match: re.Match[str]) -> bool:
    """Return whether the interval of the level of score sheets is the printed one."""
    level = said.results.tables["level"].iloc[0]
    return bool(level["low"] == float(match[1]) and level["high"] == float(match[2]))


def half_time(said: Said, match: re.Match[str]) -> bool:
    """Return whether the leader after half a game wins as often as is said, and whether chance is an equal share."""
    rows = said.results.tables["drama"].query("figure == 'halfway_leader_share'")
    shown = np.array([float(text) for text in match.groups()[:3]])
    near = np.abs(100 * rows[["value", "low", "high"]].to_numpy(float) - shown) <= 0.51
    return bool((near.all(axis=1) & (abs(100 / rows["players"] - float(match[4])) <= 0.51)).any())


def without_hope(said: Said, match: re.Match[str]) -> bool:
    """Return whether so many decisions of a game are by a seat that cannot win and picks who does."""
    rows = said.results.tables["drama"].query("figure == 'kings_mean'")
    low, high = float(match[1]), float(match[2] or match[1])
    near = (abs(rows["low"] - low) <= 0.51) & (abs(rows["high"] - high) <= 0.51)
    lengths = said.results.tables["luck"].query("figure == 'decisions_mean'")["value"]
    return bool(near.any() and (abs(lengths - float(match[3].replace(",", ""))) <= 0.51).any())


def level_expected(said: Said, match: re.Match[str]) -> bool:
    """Return whether so many score sheets tell a level as exactly as is said."""
    level = said.results.tables["level"].query(f"figure == 'level_expected' and n == {match[1]}").iloc[0]
    return bool(abs((level["high"] - level["low"]) / 2 - float(match[2])) <= 0.051)


def counted(said: Said, match: re.Match[str]) -> bool:
    """Return whether the figures of a pair of variants are counted right, by their verdicts."""
    counts = sorted(int(text.replace(",", "")) for text in re.findall(r"[\d,]*\d", match[0]))
    pairs = said.results.tables["changes"].dropna(subset="value").groupby(["than", "variant"])["verdict"]
    return any(counts == sorted([len(own), *own.value_counts()]) for _, own in pairs)


GAMES = r"([\d.]+) of 100 games"
NUMBERS, COUNTS = r"(?:[\d.]+, )*(?:[\d.]+ and )?[\d.]+", r"(?:\d, )*(?:\d and )?\d"
CLAIMS: dict[str, Callable[[Said, re.Match[str]], bool]] = {
    rf"(?i)^(?:with .+? players )?({SEAT}) wins {GAMES} at (\d) players(?:, ({SEAT}) ([\d.]+))?": seat_wins,
    rf"(?i)({SEAT}) wins (only )?({NUMBERS}) of 100(?: games)?(?: at ({COUNTS}))?": seat_wins_at,
    rf"(?:at ({COUNTS}) )?nobody clearly (?:wins )?(?:more|less)(?: at ({COUNTS}))?": nobody_more,
    rf"No seat clearly wins more.*: at most ({NUMBERS}) of 100 games at ({COUNTS}) players": at_most_each,
    rf"(?i)({SEAT}) wins (more|less) than its share": seat_share,
    r"; ± ([\d.]*\d)(?: to ([\d.]*\d))?[;.]": seat_errors,
    r"No seat (?:of .+ wins more than|is found to win more .*at most) ([\d.]+) of 100 games": at_most,
    r"Every seat .*wins its share": within_share,
    rf"^(.+?) wins most: {GAMES} at (\d) players": agent_most,
    r"^(.+?) wins [\d.]+ of 100 games alone among|^No plan here beats": styles,
    r"^(.+?) wins (?:[\d.]+ of 100 games )?more than .+? in its place": differs,
    r"gap between the seats (falls|rises) from ([\d.]+) to ([\d.]+) points": gap_changes,
    rf"wins {GAMES} instead of ([\d.]+)\.": share_changes,
    r"cores (rise|fall) by ([\d,.]*\d)": scores_change,
    r"obody wins (?:a game of 100 )?more or less": nobody,
    r"Fairest found.*?; best and worst seat are ([\d.]+) games of 100 apart \(\w+ .*: ([\d.]+)\)": fairest,
    r"^(?:(?:Most|Much) is lost w|W)ithout (?!each other thing)(.+?)(?: a (?:\w+ )?player (?:loses|wins \S+ of 100 games instead)|: )": worth_most,
    r"^(\S+) finishes ahead of (.+?) at \d": ahead,
    r"(\S+) beats (\S+?)(?=,|\.)": ahead,
    r"A challenger wins .* against copies": beats_copies,
    r"at [\d.,]+ instead of [\d.,]+ .* wins ([\d.]+) of 100 games (?:more|fewer)": moves,
    r"without hope pick the winner at ([\d.]+)(?: to ([\d.]+))? of ([\d,]+) decisions": without_hope,
    r"Of [\d,]+ figures, .*": counted,
    r" look (?:most like those of (.+?)\.$|like .* err about ([\d.]+) .* \(level (\d+) of \d+(?:; level 0 errs about ([\d.]+))?\))": fits,
    r"Your players are not equally strong": unequal_players,
    r"none of our players: \D+([\d.]+) \w+.*, not ([\d.]+) to ([\d.]+)": unlike,
    r"alf-time leaders win ([\d.]+) of 100 games \(([\d.]+) to ([\d.]+); chance (\d+)\)": half_time,
    r"With 95 % certainty it is level ([\d.]+) to ([\d.]+)": level_held,
    r"(\d+) games tell it to ± ([\d.]*\d)": level_expected,
}


def false_claims(said: Said, sentence: str) -> Iterator[str]:
    """Yield the claims of a sentence that are not certain."""
    for pattern, test in CLAIMS.items():
        for match in re.finditer(pattern, sentence):
            if not test(said, match):
                yield f"{test.__name__}: {match[0]}"
