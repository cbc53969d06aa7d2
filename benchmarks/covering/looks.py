"""How often an interval that should hold at every look (`--until`) is wrong at any."""

from typing import Any

import numpy as np
import pandas as pd
from cases import Chunks
from joblib import Parallel, delayed
from judging import LONG_STARTS
from scipy.stats import beta

import strozzi_sim as ss
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.stats.confidence_sequences import anytime_interval
from strozzi_sim.study.kinds.tournament import FieldCounts, Tournament, deals_by_chunk

RUNS: dict[str, dict[str, Any]] = {
    "strozzi, 4 players: greedy, heuristic, random, racer": {
        "game": "strozzi", "players": [4], "lineups": [["greedy"], ["heuristic"], ["racer"], ["random"]],
    },
    "medici_vs_strozzi: fair-price, random, shader": {
        "game": "medici_vs_strozzi", "players": [2], "lineups": [["fair-price"], ["random"], ["shader"]],
    },
}  # fmt: skip


def _counts(name: str, first: int, deals: int) -> tuple[Tournament, FieldCounts]:
    study = Tournament.of(**RUNS[name], deals=deals, seatings="latin", until="0.0001")
    chunks, field = Chunks(study, ss.Look(), first), FieldCounts(study, study.players[0], "base")
    for matchup, cell in study.cells_of(study.players[0], "base"):
        found = chunks.counts(cell, range(study.chunks))
        field.add(matchup, found.outcome, found.facts)
    return study, field


def _wrong(name: str, deals: int, runs: range, truth: dict[str, float]) -> list[dict[str, object]]:
    """Return by run and agent whether the interval was ever wrong, and how wide the last one was."""
    outcomes = []
    for run in runs:
        study, whole = _counts(name, run * deals, deals)
        wins, _, _, played = whole.by_agent
        shares, sizes = wins / WIN_UNITS / played, deals_by_chunk(study, study.cells[0])
        true, ever = np.array([truth[label] for label in study.labels]), np.zeros(len(study.labels), bool)
        for look in range(1, study.chunks + 1):
            low, high = anytime_interval(shares[:look], sizes[:look])
            ever |= (low > true + 1e-9) | (high < true - 1e-9)
        for k, label in enumerate(study.labels):
            outcomes.append({"agent": label, "wrong": bool(ever[k]), "width": high[k] - low[k]})
    return outcomes


def ever_wrong(deals: int, runs: int, workers: int, long: int) -> pd.DataFrame:
    """The share of runs of that many deals whose interval was wrong at any look, by field and agent."""
    records = []
    for name in RUNS:
        study, whole = _counts(name, LONG_STARTS, long * deals)
        wins, _, _, played = whole.by_agent.sum(axis=1)
        truth = dict(zip(study.labels, wins / WIN_UNITS / played, strict=True))
        step = max(1, runs // (4 * workers))
        blocks = [range(at, min(at + step, runs)) for at in range(0, runs, step)]
        parts = Parallel(n_jobs=workers)(delayed(_wrong)(name, deals, block, truth) for block in blocks)
        table = pd.DataFrame([row for part in parts for row in part])
        for agent, group in table.groupby("agent"):
            hits, count = int(group["wrong"].sum()), len(group)
            low, high = beta.ppf([0.025, 0.975], [hits, hits + 1], [count - hits + 1, count - hits])
            records.append({
                "field": name, "agent": agent, "win_share": truth[agent], "deals": deals, "runs": count, "hits": hits,
                "wrong": hits / count, "low": np.nan_to_num(low), "high": 1.0 if hits == count else high,
                "last_width": group["width"].mean(),
            })  # fmt: skip
    return pd.DataFrame(records)
