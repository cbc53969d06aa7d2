"""How often an interval that should hold at every look (`--until`) is wrong at any."""

from collections.abc import Callable
from copy import copy

import numpy as np
import pandas as pd
from cases import Chunks
from joblib import Parallel, delayed
from judging import LONG_STARTS
from scipy.stats import beta
from strozzi_sim.studies.lookup import find_agents, find_variants
from strozzi_sim.studies.standings import add_agents
from strozzi_sim.studies.tournament import Tournament, plan_tournament

from strozzi_sim.game import load_game
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.kernel.units import WIN_UNITS

FIGURE = "win_share_anytime"


def _tournament(name: str, agents: list[str], players: int, deals: int) -> Tournament:
    game = load_game(name)
    field, variants = find_agents(agents, game), find_variants(game, "base")
    return plan_tournament(game, field, variants, [players], deals, "latin", 0, until="0.0001")


RUNS: dict[str, Callable[[int], Tournament]] = {
    "strozzi, 4 players: greedy, heuristic, random, racer": lambda deals: _tournament(
        "strozzi", ["greedy", "heuristic", "random", "racer"], 4, deals
    ),
    "medici_vs_strozzi: fair-price, random, shader": lambda deals: _tournament(
        "medici_vs_strozzi", ["fair-price", "random", "shader"], 2, deals
    ),
}


def _counts(name: str, first: int, deals: int) -> tuple[Tournament, object]:
    tournament = RUNS[name](deals)
    plan = tournament.plan
    return tournament, tournament._counts(plan, Chunks(plan, first), plan.players[0], "base")  # type: ignore[arg-type]


def _wrong(name: str, deals: int, runs: range, truth: dict[str, float]) -> list[dict[str, object]]:
    """By run and agent: whether the interval was ever wrong, and how wide the last one was."""
    outcomes = []
    for run in runs:
        tournament, whole = _counts(name, run * deals, deals)
        table = FigureTable("agent")
        for look in range(1, tournament.plan.chunks + 1):
            cut = copy(whole)
            cut.by_agent = whole.by_agent[:, :look]  # type: ignore[attr-defined]
            cut.deals_of_chunks = whole.deals_of_chunks[:look]  # type: ignore[attr-defined]
            cut.deals = tournament.plan.chunk_range(look - 1)[1]  # type: ignore[attr-defined]
            add_agents(table, cut)  # type: ignore[arg-type]
        frame = table.frame()
        rows = frame[(frame["figure"] == FIGURE) & frame["low"].notna()]
        true = rows["agent"].map(truth).to_numpy()
        off = (rows["low"].to_numpy() > true + 1e-9) | (rows["high"].to_numpy() < true - 1e-9)
        for agent, wrong in pd.Series(off).groupby(rows["agent"].to_numpy()):
            last = rows[rows["agent"] == agent].iloc[-1]
            outcomes.append({"agent": agent, "wrong": bool(wrong.any()), "width": last["high"] - last["low"]})
    return outcomes


def ever_wrong(deals: int, runs: int, workers: int, long: int) -> pd.DataFrame:
    """The share of runs of that many deals whose interval was wrong at any look, by field and agent."""
    records = []
    for name in RUNS:
        _, whole = _counts(name, LONG_STARTS, long * deals)
        wins, _, _, played = whole.by_agent.sum(axis=1)  # type: ignore[attr-defined]
        labels = whole.field.labels  # type: ignore[attr-defined]
        truth = dict(zip(labels, wins / WIN_UNITS / played, strict=True))
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
