"""The share of illegal answers of agents that replace them, such as programs and language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from strozzi_sim import stats
from strozzi_sim.runtime.digits import rounded
from strozzi_sim.studies.plan import Cell, Plan

if TYPE_CHECKING:
    import pandas as pd

    from strozzi_sim.studies.store import MemoryStore

TABLE = "answers"
COLUMNS = {
    "players": "int64", "variant": "str", "agent": "str", "figure": "str", "value": "float64", "low": "float64",
    "high": "float64", "n": "int64", "deals": "int64",
}  # fmt: skip


def answer_table(plan: Plan, store: MemoryStore) -> pd.DataFrame:
    """Return the table `answers`: the share of illegal answers of every agent that replaces them, over all line-ups; n counts answers."""
    import pandas as pd

    rows = []
    for players in plan.players:
        for variant in plan.variants:
            cells = [cell for cell in plan.cells if (cell.match.players, cell.match.variant) == (players, variant)]
            agents = [spec for cell in cells for spec in cell.match.positions if spec.agent.replaces]
            for agent in dict.fromkeys(spec.text for spec in agents):
                sums, deals = _sums(agent, cells, plan, store)
                share = stats.ratio(sums[:, 1], sums[:, 0], n_deals=deals)
                figures = share.value, share.low, share.high, share.n
                rows.append((players, variant.name, agent, "illegal_share", *figures, deals))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _sums(agent: str, cells: list[Cell], plan: Plan, store: MemoryStore) -> tuple[np.ndarray, int]:
    """Return the answers of an agent and those that it replaced, int64[C, 2], and the number of deals that it played."""
    sums, deals = np.zeros((plan.chunks, 2), np.int64), 0
    for cell in cells:
        asked = [position for position, spec in enumerate(cell.match.positions) if spec.text == agent]
        if not asked:
            continue
        deals = max(deals, cell.deals)
        for chunk in range(plan.chunks):
            outcome = store.read((cell.number, chunk))[0][0]
            sums[chunk] += outcome["answers"][asked].sum(), outcome["replaced"][asked].sum()
    return sums, deals


def answer_sentences(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return a sentence for each agent that replaces illegal answers: how many there were, with an interval; none without the table."""
    rows = tables[TABLE].to_dict("records") if TABLE in tables else []
    several = [key for key in ("players", "variant") if len({row[key] for row in rows}) > 1]
    found = []
    for row in rows:
        of = "".join(f", {row[key]} players" if key == "players" else f", variant {row[key]}" for key in several)
        share = "too few to say" if row["value"] != row["value"] else _in_per_cent(row)
        found.append(f"Illegal answers of {row['agent']}{of}: {share}, n = {row['n']:,} decisions.")
    return found


def _in_per_cent(row: Mapping[str, float]) -> str:
    value, low, high = rounded(
        (100 * row["value"], 100 * row["low"], 100 * row["high"]), 50 * (row["high"] - row["low"]), 2
    )
    return f"{value} % ({low} to {high})"
