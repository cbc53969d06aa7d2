"""The size of the test of equal seats: how often it calls seats unequal that are equal.

Real games are played, and then the seats of every deal are exchanged at random, all seatings of the deal alike. So each
deal is as likely with any order of its seats, which is what the test supposes, and all else is as in the real games.
"""

from typing import Any

import numpy as np
import pandas as pd
from cases import GO
from joblib import Parallel, delayed
from scipy.stats import beta

from strozzi_sim.agent import load_agent
from strozzi_sim.declare.figure_tables import FigureTable
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.simulation.loop import OUTCOME
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.pool import PlayTask, play_tasks
from strozzi_sim.stats import holm
from strozzi_sim.study.cells import CellCounts
from strozzi_sim.study.games import _add_fairness
from strozzi_sim.study.model import CHUNKS

Array = np.ndarray[Any, Any]

POOL = 2000  # deals that are played
FIELDS = {  # name -> (game, players, line-up): self-play, and line-ups whose deals are played once from every seat
    "2, self-play": ("medici_vs_strozzi", 2, "fair-price"),
    "2, unequal agents": ("medici_vs_strozzi", 2, "fair-price,shader"),
    "3, self-play": ("strozzi", 3, "heuristic"),
    "4, self-play": ("strozzi", 4, "heuristic"),
    "4, mixed": ("strozzi", 4, "greedy,heuristic,random,racer"),
    "5, self-play": ("strozzi", 5, "heuristic"),
    "6, self-play": ("strozzi", 6, "heuristic"),
}
HOLM = "3 to 6, self-play (Holm)"


def _pool(field: str, most: int) -> tuple[Match, Array]:
    """Outcomes of `most` deals, one record each."""
    name, players, lineup = FIELDS[field]
    game = load_game(name)
    agents = tuple(load_agent(text, game) for text in lineup.split(","))
    variant = resolve_variant(game, "base")
    match = Match(game, players, agents, variant, 0, "one" if len(agents) == 1 else "rotate")
    tasks = (PlayTask(deal, match, deal, deal + 1) for deal in range(most))
    return match, np.concatenate([played.outcome for _, played in play_tasks(tasks, 1, GO)])


def _cell(match: Match, pool: Array, deals: int, number: int, rng: np.random.Generator) -> CellCounts:
    """Study `number` of deals out of the pool, the seats of each in a new order."""
    players = match.players
    outcome = pool[rng.choice(len(pool), deals, replace=False)]  # a copy
    order = rng.permuted(np.tile(np.arange(players), (deals, 1)), axis=1)
    for field in ("played", "wins", "places", "scores"):
        seats = outcome[field][:, :, :players]
        outcome[field][:, :, :players] = np.take_along_axis(seats, order[:, None, :], axis=2)
    chunks = min(deals, CHUNKS)
    edges = [chunk * deals // chunks for chunk in range(chunks)]
    summed = np.zeros(chunks, OUTCOME)
    for field in OUTCOME.names or ():
        summed[field] = np.add.reduceat(outcome[field], edges, axis=0)
    nothing = np.zeros((chunks, 0), np.int64)
    return CellCounts(number, match, deals, outcome=summed, counts=nothing, plan=match.plan([]))


def _p_values(field: str, sizes: list[int], tests: int) -> dict[int, Array]:
    """P-values float64[tests] by number of deals; NaN where none is given."""
    match, pool = _pool(field, max(POOL, *sizes))
    p_values = {}
    for deals in sizes:
        rng = np.random.default_rng([deals, match.players, len(match.lineup)])
        table = FigureTable()
        for number in range(tests):
            _add_fairness(table, _cell(match, pool, deals, number, rng))
        balance = table.frame()
        p_values[deals] = balance.loc[balance["figure"] == "seat_fairness_p", "value"].to_numpy()
    return p_values


def sizes_of_test(sizes: list[int], tests: int, workers: int, fields: list[str] | None = None) -> pd.DataFrame:
    """P(p < 0.05) and P(p < 0.01) by field and deals, with the 95 % interval of Clopper and Pearson (1934)."""
    names = fields or list(FIELDS)
    results = Parallel(n_jobs=workers)(delayed(_p_values)(name, sizes, tests) for name in names)
    by_name = dict(zip(names, results, strict=True))
    four = [by_name[name] for name in names if FIELDS[name][0] == "strozzi" and "self-play" in name]
    records = []
    for deals in sizes:
        p_values = {name: by_size[deals] for name, by_size in by_name.items()}
        if len(four) > 1:
            adjusted = [holm(np.array(together)) for together in zip(*(one[deals] for one in four), strict=True)]
            smallest = [np.nan if np.isnan(values).all() else np.nanmin(values) for values in adjusted]
            p_values[HOLM] = np.array(smallest)
        for name, p in p_values.items():
            given = p[~np.isnan(p)]
            hits = int((given < 0.05).sum())
            low, high = (beta.ppf([0.025, 0.975], [hits, hits + 1], [len(given) - hits + 1, len(given) - hits])
                         if len(given) else (np.nan, np.nan))  # fmt: skip
            records.append({
                "seats": name, "deals": deals, "tests": len(given), "refused": len(p) - len(given), "hits": hits,
                "below_05": hits / len(given) if len(given) else np.nan,
                "low": np.nan_to_num(low), "high": 1.0 if hits == len(given) else high,
                "below_01": float((given < 0.01).mean()) if len(given) else np.nan,
            })  # fmt: skip
    return pd.DataFrame(records)
