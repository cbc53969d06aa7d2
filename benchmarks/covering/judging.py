"""Small studies against a long one: where the intervals of every figure lie.

Study r of n deals is of the deals [r n, (r + 1) n); the long study is of deals beyond all of these, many times as many,
and its values are taken for the truth. They are not: with 40 times the deals their own error is 16 % of a small
study's, so that intervals that hold in 95 % of cases are seen to hold in 94.7 %.

Axes: R studies, F figures (rows of all tables of a case).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from cases import Case, Frames
from joblib import Parallel, delayed
from scipy.stats import binom

Array = np.ndarray[Any, Any]

LONG_STARTS = 10**9  # the first deal of long studies
_FIGURE = {"figure", "value", "low", "high", "n", "deals"}
_THERE, _VALUE, _INTERVAL, _BELOW, _ABOVE, _SAME = (1 << k for k in range(6))
_CLOSE = 1e-9
_RARE = 10  # events, or events that fail to happen, that a share should have
# Intervals that promise at least 95 %, figure -> why not 95 %.
AT_LEAST = {
    "seat_favour_bound": "a bound for all seats at once",
    "rank": "whole numbers, for all pairs at once",
}
SIDES = "at least"


@dataclass(frozen=True)
class Truth:
    """The long study of a case.

    Attributes:
        rows: its figures with a value: table, figure, value, and n for each of its deals.
        number: row by table, figure and keys.
        error: what went wrong if there is none.
    """

    rows: pd.DataFrame
    number: dict[tuple[Any, ...], int]
    error: str = ""


def _stacked(frames: Frames) -> tuple[list[tuple[Any, ...]], Array]:
    """All tables below one another: (table, figure, keys..) of every row, and value, low, high, n as float64[F, 4]."""
    names: list[tuple[Any, ...]] = []
    numbers = [np.zeros((0, 4))]
    for table, frame in frames.items():
        if "value" not in frame:  # the table `figures`
            continue
        keys = [frame[column].tolist() for column in frame.columns if column not in _FIGURE]
        figures = frame["figure"].tolist()
        names += zip([table] * len(frame), figures, *keys, strict=True)
        columns = frame[["value", "low", "high", "n"]].to_numpy(np.float64)
        bound = np.array([figure == "seat_favour_bound" for figure in figures], bool)
        columns[bound, 1], columns[bound, 2] = -np.inf, columns[bound, 0]
        numbers.append(columns)
    return names, np.concatenate(numbers)


def long_study(case: Case, deals: int) -> Truth:
    """The truth about a case, as far as these deals tell it."""
    try:
        frames = case.frames(LONG_STARTS, deals)
    except ArithmeticError as error:  # a fit that fails is a finding, not the end of the measurement
        return Truth(pd.DataFrame(), {}, str(error))
    names, numbers = _stacked(frames)
    known = np.flatnonzero(~np.isnan(numbers[:, 0]))
    kept = [names[k] for k in known]
    rows = pd.DataFrame({
        "table": [name[0] for name in kept],
        "figure": [name[1] for name in kept],
        "value": numbers[known, 0],
        "n_per_deal": numbers[known, 3] / deals,
    })  # fmt: skip
    if "seats" in frames:  # what the bound is for: how much the best seat really gains
        shares = frames["seats"][frames["seats"]["figure"] == "win_share"]
        gain = shares["value"].max() - 1 / shares["players"].iloc[0]
        rows.loc[rows["figure"] == "seat_favour_bound", "value"] = gain
    return Truth(rows, {name: k for k, name in enumerate(kept)})


def judge(truth: Truth, frames: Frames) -> Array:
    """What a study says of every figure of the truth, bits uint8[F]."""
    names, numbers = _stacked(frames)
    known = [(truth.number[name], k) for k, name in enumerate(names) if name in truth.number]
    at, rows = np.array(known, np.int64).reshape(-1, 2).T
    value, low, high, _ = numbers[rows].T
    true = truth.rows["value"].to_numpy()[at]
    close = _CLOSE * np.maximum(np.abs(true), 1.0)
    interval = ~np.isnan(low) & ~np.isnan(high)
    bits = np.full(len(at), _THERE, np.uint8)
    for bit, holds in (
        (_VALUE, ~np.isnan(value)),
        (_INTERVAL, interval),
        (_BELOW, interval & (high < true - close)),
        (_ABOVE, interval & (low > true + close)),
        (_SAME, np.abs(value - true) <= close),
    ):
        bits |= np.where(holds, np.uint8(bit), np.uint8(0))
    judged = np.zeros(len(truth.rows), np.uint8)
    judged[at] = bits
    return judged


def _block(case: Case, truth: Truth, deals: int, studies: range) -> tuple[Array, int]:
    judgements, failed = [], 0
    for r in studies:
        try:
            judgements.append(judge(truth, case.frames(r * deals, deals)))
        except ArithmeticError:
            failed += 1
    return np.array(judgements, np.uint8).reshape(-1, len(truth.rows)), failed


def small_studies(case: Case, truth: Truth, deals: int, studies: int, workers: int) -> tuple[Array, int]:
    """`studies` studies of that many deals each: bits uint8[R, F], and how many ended in an error."""
    step = max(1, studies // (4 * workers))
    blocks = [range(at, min(at + step, studies)) for at in range(0, studies, step)]
    parts = Parallel(n_jobs=workers)(delayed(_block)(case, truth, deals, block) for block in blocks)
    return np.concatenate([block for block, _ in parts]), sum(failed for _, failed in parts)


def summary(case: Case, truth: Truth, deals: int, bits: Array) -> pd.DataFrame:
    """One row a table and figure of a case: counts, and the sums that the errors of coverage need.

    Figures that had the same value in all studies and in the truth are known beforehand and left out. Shares with few
    events, or few failures, are counted apart ("rare"): exact intervals of whole numbers hold more often than they say.
    """
    if not len(bits):
        return pd.DataFrame()
    rows = truth.rows
    constant = ((bits & (_SAME | _VALUE)) == (_SAME | _VALUE)).all(axis=0)
    share = rows["figure"].str.contains("share") & rows["value"].between(0, 1)
    events = rows["n_per_deal"] * deals * np.minimum(rows["value"], 1 - rows["value"])
    kind = np.where(share & (events < _RARE), "rare", "")
    kind = np.where(rows["figure"].isin(list(AT_LEAST)), SIDES, kind)
    there, value, interval, below, above = ((bits & bit) > 0 for bit in (_THERE, _VALUE, _INTERVAL, _BELOW, _ABOVE))
    heat = rows["table"].str.startswith("heat_")
    table = np.where(heat, "heat maps", rows["table"])
    records = []
    sorts = rows.assign(table=table, kind=kind)[~constant].groupby(["table", "figure", "kind"])
    for (name, figure, sort), group in sorts:
        at = group.index.to_numpy()
        refused = interval[:, at] & ~value[:, at]
        for without_value, judged in ((False, interval[:, at] & ~refused), (True, refused)):
            trials = judged.sum(axis=1)
            if without_value and not trials.any():
                continue
            missed = (judged & (below[:, at] | above[:, at])).sum(axis=1)
            enough = judged.sum(axis=0) >= len(bits) / 4
            shares = 1 - (judged & (below | above)[:, at]).sum(axis=0)[enough] / judged.sum(axis=0)[enough]
            records.append(
                {
                    "group": case.group,
                    "table": name,
                    "figure": figure,
                    "kind": "no value" if without_value else sort,
                    "deals": deals,
                    "figures": len(at),
                    "studies": len(bits),
                    "trials": int(trials.sum()),
                    "missed": int(missed.sum()),
                    "trials2": float((trials**2).sum()),
                    "missed2": float((missed**2).sum()),
                    "both": float((trials * missed).sum()),
                    "below": int((judged & below[:, at]).sum()),
                    "above": int((judged & above[:, at]).sum()),
                    "no_value": int((there[:, at] & ~value[:, at]).sum()),
                    "no_interval": int((there[:, at] & value[:, at] & ~interval[:, at]).sum()),
                    "absent": int((~there[:, at]).sum()),
                    "asked": int(bits[:, at].size),
                    "worst": float(shares.min()) if len(shares) else np.nan,
                }
            )
    return pd.DataFrame(records)


def together(summaries: pd.DataFrame) -> pd.DataFrame:
    """The cases of a group put together; coverage, its error, and how many independent trials it is worth.

    Studies are independent, figures of one study are not: the error of coverage is that of a ratio of sums over studies.
    """
    keys = ["group", "table", "figure", "kind", "deals"]
    sums = (
        summaries.groupby(keys, sort=False)
        .agg(
            **{name: (name, "sum") for name in summaries.columns if name not in (*keys, "worst")},
            worst=("worst", "min"),
        )
        .reset_index()
    )
    trials = sums["trials"].to_numpy(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        missed = sums["missed"] / trials
        variance = (sums["missed2"] - 2 * missed * sums["both"] + missed**2 * sums["trials2"]) / trials**2
        worth = np.where(variance > 0, missed * (1 - missed) / variance, np.minimum(sums["studies"], trials))
        error = np.sqrt(np.maximum(variance, 0))
        shares = {side: sums[side] / trials for side in ("below", "above")}
        of_all = {name: sums[name] / sums["asked"] for name in ("no_value", "no_interval", "absent")}
    return sums.assign(
        coverage=1 - missed,
        error=error,
        worth=np.clip(worth, np.minimum(sums["studies"], trials), trials),
        **shares,
        **of_all,
    )


def outside(table: pd.DataFrame, low: float, high: float, alarm: float, enough: int) -> pd.DataFrame:
    """The rows whose coverage is below `low` or above `high` beyond chance.

    Exact binomial tests of as many trials as a row is worth, so that the chance of any false alarm is at most `alarm`.
    Rows worth fewer than `enough` trials are not judged; those that promise at least 95 % have no upper limit.
    """
    judged = table[table["worth"] >= enough]
    worth = np.floor(judged["worth"].to_numpy())
    held = np.round(worth * judged["coverage"].to_numpy())
    level = alarm / max(2 * len(judged), 1)
    too_low = binom.cdf(held, worth, low) < level
    too_high = (binom.sf(held - 1, worth, high) < level) & (judged["kind"] == "").to_numpy()
    return judged[too_low | too_high]
