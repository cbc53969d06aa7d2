"""What changed between two variants: every figure of one minus that of the other, on the same deals.

A figure has changed if its difference is significant, corrected for the number of figures (Holm 1979) within its table and
kind of row, and not too small to matter. It is too small to matter if the whole interval is closer to 0 than the effect: a share
by `effect` (0.01: one point), a score by `effect` of the mean score, any other mean by `effect` of itself. A difference that is
neither is unclear: more deals decide it. A mean that differs by the same amount in every chunk has no interval, as nothing tells how
rare an exception is; it has changed, or is too small to matter, by that amount, once exceptions are rarer than the effect.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.game.reporting import CELL, FigureTable, TablePart
from strozzi_sim.game.significance import ALPHA, degrees_of_freedom, p_value
from strozzi_sim.stats.differences import paired
from strozzi_sim.stats.intervals import Estimate, divide
from strozzi_sim.stats.multiple_testing import holm

CHANGED, SMALL, UNCLEAR, EQUAL = "changed", "too small to matter", "unclear", "equal"
COLUMNS = (
    *CELL,
    "than",
    "table",
    "level",
    "figure",
    "value",
    "low",
    "high",
    "n",
    "deals",
    "before",
    "p",
    "p_corrected",
    "size",
    "verdict",
)
_OF_SCORE = ("score_mean", "lead_mean")  # measured by the mean score
_RULE_OF_THREE = 3  # if no deal of n is an exception, at most 3 / n of all deals are, with 95 % confidence
_ROUNDING = 1e-9  # of floating-point sums
_SHARES = ("seat_gap",)  # figures that are shares and no ratios
_LEFT_OUT = ("seat_fairness_p", "seat_gap_by_chance", "seat_favour_bound")  # no figures of the game, but of tests


def changes(tables: Mapping[str, FigureTable], pairs: Sequence[tuple[str, str]], effect: float) -> pd.DataFrame:
    """Return the differences of all figures, second variant minus first; one figure a row.

    Args:
        tables: tables with the counts of ratios, by name.
        pairs: names of the variants to compare, (first, second).
        effect: smallest difference that matters, as a part of 1 for shares and of the figure for means.

    Returns:
        Columns players, variant (the second), lineup, than (the first), table, level ("seat 0"), figure, value, low, high, n,
        deals, before (the figure of the first), p (below 5 % exactly if 0 is outside the interval), p_corrected, size (the difference
        in effects; none where an effect is 0, as of a figure that was 0 before), verdict.
    """
    return _judged(
        [row for pair in pairs for name, table in tables.items() for row in _rows(name, table, *pair)], effect
    )


def changes_between(
    first: Mapping[str, pd.DataFrame],
    second: Mapping[str, pd.DataFrame],
    names: tuple[str, str],
    effect: float,
) -> pd.DataFrame:
    """Return the differences of all figures that two studies share, second minus first, as `changes` does.

    The studies need not have the same deals, so the differences are not paired: an interval adds the squares of both (Newcombe 1998).

    Args:
        first: tables of the first study by name.
        second: tables of the second study.
        names: their names.
        effect: as in `changes`.
    """
    rows = []
    for table in first.keys() & second.keys():
        if {"figure", "value", "n"} <= set(first[table].columns) and not table.startswith(_APART):
            rows += list(_unpaired(table, first[table], second[table], names))
    rows.sort(key=lambda row: (row["table"] != "balance", row["table"]))
    return _judged(rows, effect)


_APART = ("heat_", "explorer", "changes", "worth", "sweep", "precision")


def _unpaired(name: str, first: pd.DataFrame, second: pd.DataFrame, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the differences of the rows that both tables have; of several variants those of the first."""
    keys = [key for key in first.columns if key not in ("variant", "value", "low", "high", "n", "deals")]
    one, two = (
        table[table["variant"] == table["variant"].iloc[0]] if len(table) else table for table in (first, second)
    )
    both = one.merge(two, "inner", keys, suffixes=("_1", "_2"))
    scores = both[both["figure"] == "score_mean"].groupby(["players", "lineup"])["value_1"].mean()
    levels = [key for key in keys if key not in ("players", "lineup", "figure")]
    for row in both.to_dict("records"):
        if row["figure"] in _LEFT_OUT or np.isnan(row["value_1"] - row["value_2"]):
            continue
        down = np.hypot(row["value_2"] - row["low_2"], row["high_1"] - row["value_1"])
        up = np.hypot(row["high_2"] - row["value_2"], row["value_1"] - row["low_1"])
        less = row["value_2"] - row["value_1"]
        is_share = "share" in row["figure"] or row["figure"] in _SHARES
        limit = 1.0 if is_share else abs(row["value_1"])
        if row["figure"].removesuffix("_minus_position_0") in _OF_SCORE:
            limit = float(scores.get((row["players"], row["lineup"]), limit))
        yield {
            "players": row["players"], "variant": names[1], "lineup": row["lineup"], "than": names[0], "table": name,
            "level": ", ".join(f"{key} {row[key]}" for key in levels), "figure": row["figure"],
            "value": less, "low": less - down, "high": less + up, "n": min(row["n_1"], row["n_2"]), "deals": min(row["deals_1"], row["deals_2"]),
            "before": row["value_1"], "family": str(row.get("by", "")), "limit": limit, "constant": False,
        }  # fmt: skip


def _judged(rows: Sequence[Mapping[str, Any]], effect: float) -> pd.DataFrame:
    """Return rows of differences with p-values, sizes and verdicts."""
    frame = pd.DataFrame(rows, columns=[*COLUMNS[:-4], "family", "limit", "constant"])
    df = degrees_of_freedom(frame["n"], frame["deals"])
    frame["p"] = p_value(frame["value"], frame["low"], frame["high"], 0.0, df) if rows else np.zeros(0)
    frame["p_corrected"] = frame.groupby(["variant", "than", "table", "family"], sort=False)["p"].transform(
        lambda of_family: holm(of_family.to_numpy())
    )
    in_effects = divide(frame["value"].to_numpy(np.float64), effect * frame["limit"].to_numpy(np.float64))
    frame["size"] = np.where(frame["value"] == 0, 0.0, in_effects)
    frame["verdict"] = [_verdict(row, effect) for row in frame.itertuples(index=False)]
    types = dict.fromkeys(COLUMNS, "str") | dict.fromkeys(("players", "n", "deals"), "int64")
    types |= dict.fromkeys(("value", "low", "high", "before", "p", "p_corrected", "size"), "float64")
    return frame[list(COLUMNS)].astype(types)


def _verdict(row: Any, effect: float) -> str:
    """Return the verdict on a difference."""
    if row.value == 0 and row.low == 0 and row.high == 0:
        return EQUAL
    limit = effect * row.limit
    if row.constant and np.isnan(row.low) and row.deals * effect >= _RULE_OF_THREE:
        return SMALL if abs(row.value) < limit or row.value == 0 else CHANGED
    if max(abs(row.low), abs(row.high)) < limit:
        return SMALL
    return CHANGED if row.p_corrected < ALPHA else UNCLEAR


def _rows(name: str, table: FigureTable, first: str, second: str) -> Iterator[dict[str, Any]]:
    """Yield the differences of a table, with the family of each for the correction, and the size of which `effect` is a part."""
    before = {_identity(part): part for part in table.parts if part.variant == first}
    score = {
        (part.players, part.lineup): float(np.nanmean(part.estimate.value))
        for part in table.parts
        if part.variant == first and part.figure == "score_mean" and not np.isnan(part.estimate.value).all()
    }
    for part in table.parts:
        other = before.get(_identity(part))
        if part.variant != second or other is None or part.figure in _LEFT_OUT:
            continue
        levels, one, two, keep = _matched(other, part)
        less = paired(two, one, same=first == second)
        constant = _is_constant(one, two)
        sums = part.estimate.sums
        for place in np.ndindex(np.shape(less.value)):
            if not keep[place]:
                continue
            at = {key: found[place[list(levels).index(key)]] for key, found in levels.items()}
            level = {**{key: found for key, found in part.levels.items() if not isinstance(found, list)}, **at}
            value = float(one.value[place])
            is_share = part.figure in _SHARES or (sums is not None and sums.n_deals is not None)
            limit = 1.0 if is_share else abs(value)
            if part.figure.removesuffix("_minus_position_0") in _OF_SCORE:
                limit = score.get((part.players, part.lineup), limit)
            yield {
                "players": part.players, "variant": second, "lineup": part.lineup, "than": first, "table": name,
                "level": ", ".join(f"{key} {found}" for key, found in level.items()), "figure": part.figure,
                "value": float(less.value[place]), "low": float(less.low[place]), "high": float(less.high[place]),
                "n": int(less.n[place]), "deals": part.deals, "before": value, "family": str(level.get("by", "")), "limit": limit,
                "constant": bool(constant[place]),
            }  # fmt: skip


def _is_constant(first: Estimate, second: Estimate) -> Any:
    """Return whether the figures differ by the same amount in every chunk, bool[...]; of figures without counts whether they are equal."""
    if first.sums is None or second.sums is None:
        return np.asarray(first.value == second.value)
    before, after = (divide(each.numerator, each.denominator) / each.unit for each in (first.sums, second.sums))
    spread: Any = np.ptp(after - before, axis=0)
    return (len(before) > 1) & (spread <= _ROUNDING)


def _identity(part: TablePart) -> tuple[Any, ...]:
    """Return all of a part but its variant and its lists of levels."""
    fixed = tuple((key, found) for key, found in part.levels.items() if not isinstance(found, list))
    return part.players, part.lineup, part.figure, fixed, tuple(part.axes)


def _matched(first: TablePart, second: TablePart) -> tuple[dict[str, list[Any]], Estimate, Estimate, Any]:
    """Return the levels that both parts have, their figures at these levels, and which combinations are possible."""
    axes, others = first.axes, second.axes
    common = {key: [level for level in axis if level in others[key]] for key, axis in axes.items()}
    sides = []
    for part, of_part in ((first, axes), (second, others)):
        places = np.ix_(*[[of_part[key].index(level) for level in found] for key, found in common.items()])
        shape = tuple(len(axis) for axis in of_part.values())
        sides.append((part.estimate.at(places), np.broadcast_to(part.keep, shape)[places]))
    (one, keep), (two, also) = sides
    return common, one, two, keep & also
