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
TURNS = ("begins", "moves second", "moves third", "moves fourth", "moves fifth", "moves sixth")
AGENT = r"(?:[Tt]he \w+ player|random moves|[^\s,]+(?:,\w+=[^\s,]+)*)"  # an agent in a sentence
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


def favoured(said: Said) -> dict[tuple[int, str, str], str]:
    """Return the cells whose seats differ, with the seat that wins most: one test of all seats, from the variance of equal shares."""
    wins, found, p = said.table("seats", "win_share"), {}, {}
    for cell, rows in wins.groupby(CELL, sort=False):
        own, fair = p_of(rows, 1 / cell[0], said.chunks, share=True), 1 / cell[0]
        df, best = freedom(rows, said.chunks), rows.loc[rows["value"].idxmax()] if rows["value"].notna().any() else None
        t2 = float((stats.t.isf(own / 2, df) ** 2).sum()) * (cell[0] - 1) / cell[0]
        p[cell] = np.nan if best is None else stats.f.sf(t2 / (cell[0] - 1), cell[0] - 1, df.min())
        if best is not None and best["low"] > fair:
            found[cell] = turn(int(best["seat"]), cell[0])
    known = dict(zip(p, holm(np.array(list(p.values()))), strict=True))
    return {cell: place for cell, place in found.items() if known[cell] < ALPHA}


def turn(seat: int, players: int) -> str:
    """Return what a seat does in round 1."""
    return "moves last" if seat == players - 1 > 1 else TURNS[seat]


def lineup_of(said: Said, name: str) -> str:
    """Return the line-up that a sentence names, of one agent: "usual players"."""
    return said.named(name)


def counts_in(text: str) -> list[int]:
    """Return player counts: "3, 4 and 5"."""
    return [int(count) for count in re.findall(r"\d", text)]


def seats_favoured(said: Said, match: re.Match[str]) -> bool:
    """Return whether every seat that is said to be favoured is, where it is said."""
    known, claims = favoured(said), []
    who = r"the player who (?:begins|moves \w+)"
    # the seat that wins most stands first
    text = re.sub(rf"({who})(?:(?:,| and) (?:perhaps )?(?:{who}|others))+", r"\1", match[1])
    for place, where in re.findall(r"the player who (begins|moves \w+)((?:(?!the player who).)*)", text):
        number = re.match(r" in (\d+)", where)
        if number and "cells" in match[1]:
            claims.append(list(known.values()).count(place) >= int(number[1]))
        for names, counts, variant in re.findall(
            r"(?:in games of (.+?) )?at ((?:\d, )*\d(?: (?:and|to) \d)?) players(?: in ([\w-]+))?", where
        ):
            for name in re.split(r", | and ", names) if names in said.text or said.game.tiers else [names]:
                for count in counts_in(counts):
                    cells = [
                        (count, variant or v, lineup_of(said, name) if name else lineup)
                        for v in said.study.variant_of
                        for lineup in said.lineups
                    ]
                    claims.append(any(known.get(cell) == place for cell in cells))
    return bool(claims) and all(claims)


def within_share(said: Said, match: re.Match[str]) -> bool:
    """Return whether some cell has all its seats within half a point of an equal share."""
    wins = said.table("seats", "win_share")
    inside = (wins["low"] > 1 / wins["players"] - 0.005) & (wins["high"] < 1 / wins["players"] + 0.005)
    return bool(inside.groupby([wins[key] for key in CELL]).all().any())


def agent_most(said: Said, match: re.Match[str]) -> bool:
    """Return whether the agent that is said to win most does."""
    rows = said.table("lineup", "win_share", players=int(match[2])).reset_index(drop=True)
    p, best = holm(p_of(rows, 1 / int(match[2]), said.chunks, share=True)), int(rows["value"].idxmax())
    return bool(
        rows["agent"][best] == said.named(match[1]) and p[best] < ALPHA and rows["value"][best] > 1 / int(match[2])
    )


def styles(said: Said, match: re.Match[str]) -> bool:
    """Return whether all styles that are said to win more, or less, than their share do, at some player count."""
    rows = said.table("lineup", "win_share", position=0).reset_index(drop=True)
    p = holm(p_of(rows, 1 / rows["players"].to_numpy(), said.chunks, share=True))
    gap = rows["value"] - 1 / rows["players"]
    if match[0].startswith("each wins less"):
        return bool(((p < ALPHA) & (gap < 0)).all())
    ahead = set(rows["agent"][(p < ALPHA) & (gap > 0)])
    return {said.named(name) for name in re.split(r", | and ", match[1])} <= ahead


def differs(said: Said, match: re.Match[str]) -> bool:
    """Return whether an agent wins more than the other at all player counts, or at those that are named."""
    rows = said.table("difference", "win_share").dropna(subset="low").reset_index(drop=True)
    p, counts = holm(p_of(rows, 0.0, said.chunks)), counts_in(match[3] or "") or list(rows["players"])
    sign = 1 if said.named(match[1]) == said.study.sides[0] else -1
    raw = p_of(rows, 0.0, said.chunks)
    return all(
        ((raw if not match[3] else p)[k] < ALPHA) and sign * row["value"] > 0
        for k, row in rows.iterrows()
        if row["players"] in counts
    )


def changed(said: Said, match: re.Match[str]) -> bool:
    """Return whether games won, or the mean score, differ between the variants."""
    first, second, words = match.groups()
    rows = said.results.tables["changes"].dropna(subset=["value", "low"])
    rows = rows[(rows["than"] == first) & (rows["variant"] == second)]
    figure, tables = ("win_share", ("seats", "lineup")) if words == "who wins" else ("score_mean", ("balance",))
    for _, own in rows[rows["table"].isin(tables)].groupby("table"):
        if ((holm(p_of(own, 0.0, said.chunks)) < ALPHA) & (own["figure"] == figure)).any():
            return True
    constant = rows[rows["table"].isin(tables) & (rows["figure"] == figure) & (rows["low"] == rows["high"])]
    return bool((constant["value"] != 0).any())


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


def nearer(said: Said, match: re.Match[str]) -> bool:
    """Return whether the seats are nearer to equal at every value that is named than at the reference."""
    rows = (
        said.results.tables["changes"]
        .query("table == 'balance' and figure == 'seat_gap'")
        .dropna(subset="low")
        .reset_index(drop=True)
    )
    p, sweep = holm(p_of(rows, 0.0, said.chunks)), said.results.tables["sweep"].query("figure == 'seat_gap'")
    better = set(rows["variant"][(p < ALPHA) & (rows["value"] < 0) & (rows["players"] == int(match[1]))])
    texts = [
        " and ".join(f"{row[key]:g}" for key in said.study.sweep)
        for row in sweep.to_dict("records")
        if row["variant"] in better
    ]
    return all(text.partition(" (")[0] in texts for text in match[2].split("; "))


def worth_most(said: Said, match: re.Match[str]) -> bool:
    """Return whether a thing is worth having: a loss without it."""
    rows = said.table("worth", "win_share_lost").reset_index(drop=True)
    known = (
        (holm(p_of(rows, 0.0, said.chunks)) < ALPHA)
        & (rows["value"] > 0)
        & (rows["thing"].map(said.noun) == (match[3] or match[4]))
    )
    return bool(known[(rows["agent"] == said.named(match[1])) & (rows["players"] == int(match[2]))].any())


def ahead(said: Said, match: re.Match[str]) -> bool:
    """Return whether an agent finishes ahead of each one that is named."""
    rows = said.table("pairwise", "ahead_share").query("agent < opponent").reset_index(drop=True)
    p, claims = holm(p_of(rows, 0.5, said.chunks, share=True)), []
    others = (
        re.split(r", | and ", match[2])
        if "other agents" not in match[2]
        else [agent for agent in {*rows["agent"], *rows["opponent"]} if agent != said.named(match[1])]
    )
    for best, other in ((said.named(match[1]), said.named(other)) for other in others):
        first = best < other
        own = rows[(rows["agent"] == min(best, other)) & (rows["opponent"] == max(best, other))]
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
    """Return whether numbers are known to change something, by any figure."""
    table = said.results.tables["weights"].dropna(subset="low").reset_index(drop=True)
    known = set(table["key"][holm(p_of(table, 0.0, 20)) < ALPHA])
    return set(re.findall(r"[a-z_]\w*\.[\w.]*\w", match[1] or match[2])) <= known


def fits(said: Said, match: re.Match[str]) -> bool:
    """Return whether score sheets fit no strength better than the one that is named, a level to half of one."""
    fit = said.results.tables["fit"]
    if match[1]:
        return said.named(match[1]) == fit.loc[fit["excess"].idxmin(), "agent"]
    level = fit.iloc[int(match[3])]
    is_nearest = abs(said.results.tables["level"]["value"].iloc[0] - int(match[3])) <= 0.5
    return bool(is_nearest and abs(level["error_rate"] - float(match[2])) <= 0.05)


def unequal(said: Said, match: re.Match[str]) -> bool:
    """Return whether a figure of score sheets is as it is not among equal players: a lead, or a large distance."""
    figures = said.results.tables["bands"]
    is_below, is_above = figures["value"] < figures["band_low"], figures["value"] > figures["band_high"]
    return bool((is_above & (figures["figure"] != "score_mean") | is_below & (figures["figure"] == "lead_mean")).any())


def level_held(said: Said, match: re.Match[str]) -> bool:
    """Return whether the interval of the level of score sheets is the printed one."""
    level = said.results.tables["level"].iloc[0]
    return bool(level["low"] == float(match[1]) and level["high"] == float(match[2]))


def counted(said: Said, match: re.Match[str]) -> bool:
    """Return whether the figures of a pair of variants are counted right, by their verdicts."""
    counts = sorted(int(text.replace(",", "")) for text in re.findall(r"[\d,]*\d", match[0]))
    pairs = said.results.tables["changes"].dropna(subset="value").groupby(["than", "variant"])["verdict"]
    return any(counts == sorted([len(own), *own.value_counts()]) for _, own in pairs)


CLAIMS: dict[str, Callable[[Said, re.Match[str]], bool]] = {
    r"favours (.+?)(?:; elsewhere|\.$)": seats_favoured,
    r"every seat .*wins its share": within_share,
    r"^(.+?) wins most in .+ at (\d) players": agent_most,
    r"dominant strategy: (.+?) (?:wins|each win) more than|each wins less than": styles,
    rf"^({AGENT}) wins more than ({AGENT}) in the same place(?:[^;:]* at ((?:\d, )*\d(?: (?:and|to) \d)?) players)?": differs,
    r"ompared with ([^,]+), (.+?) (?:[^.]*, and )?changes (who wins|how much is scored)": changed,
    r"At (\d) players, .*nearer to equal at [\w. ]+ = (.+?) than at": nearer,
    r"In the games(?: of \S+)? of (.+?) at (\d) players, (?:most is lost without ([^(]+)|([^(;]+) is worth having) \(": worth_most,
    rf"^({AGENT}) finishes ahead of (.+?) at \d": ahead,
    rf"({AGENT}) beats ({AGENT})(?=,|\.$)": ahead,
    rf"{AGENT} beats (?:copies of|\w+ players|random moves) .*in": beats_copies,
    r"(\S+) moves the shares of wins most|\((.+?)\) change something": moves,
    r"Of [\d,]+ figures, .*": counted,
    r" look (?:most like those of (.+?)\.$|like .* err about ([\d.]+) .* \(level (\d+) of)": fits,
    r"Your players are not equally strong": unequal,
    r"With 95 % certainty it is level ([\d.]+) to ([\d.]+)": level_held,
}  # fmt: skip


def false_claims(said: Said, sentence: str) -> Iterator[str]:
    """Yield the claims of a sentence that are not certain."""
    for pattern, test in CLAIMS.items():
        for match in re.finditer(pattern, sentence):
            if not test(said, match):
                yield f"{test.__name__}: {match[0]}"
