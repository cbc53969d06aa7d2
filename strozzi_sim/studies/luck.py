"""Where outcomes come from: the share of the variance of wins and scores that agents, seats, the deal and the rest have."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.agent.registry import agents
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import CELL
from strozzi_sim.stats.intervals import Array, Estimate
from strozzi_sim.stats.latin_squares import moments, variance_shares
from strozzi_sim.studies.outputs import games_of
from strozzi_sim.studies.plan import Cell, Plan
from strozzi_sim.studies.store import MemoryStore
from strozzi_sim.studies.study import Kind

WIN, SCORE = "win", "score"
COLUMNS = (*CELL, "outcome", "source", "figure", "value", "low", "high", "n", "deals")


@dataclass(frozen=True)
class Luck(Kind):
    """A measurement of luck, resolved.

    Attributes:
        plan: the study that plays the line-ups, every deal in every rotation, and keeps the rows of games.
        seconds: seconds that a decision takes at a table, an assumption.
    """

    seconds: float

    def tables(self, plan: Plan, store: MemoryStore) -> dict[str, Any]:
        """Return the table luck: shares of variance by outcome and source, and the length of a game."""
        games = games_of(plan, store)
        rows: list[tuple[Any, ...]] = []
        for cell in plan.cells:
            where = (cell.match.players, cell.match.variant.name, cell.lineup)
            here = games[
                (games["players"] == where[0]) & (games["variant"] == where[1]) & (games["lineup"] == where[2])
            ]
            for outcome in (WIN, SCORE):
                squares, deals = _squares(here, outcome, where[0])
                shares, variance = variance_shares(moments(squares, _chunks(plan, deals)))
                for source, share in shares.items():
                    rows.append(_row(where, outcome, source, "variance_share", share, plan.deals))
                rows.append(_row(where, outcome, "all", "variance", variance, plan.deals))
            rows += _length(where, plan, store, cell, self.seconds)
        return {"luck": pd.DataFrame(rows, columns=list(COLUMNS))}


def usual_field(game: Game) -> list[AgentSpec]:
    """Return the agents of a game that do not search: its middle tier first, then its styles, the weak tier last."""
    shipped = [spec for name in agents(game) if (spec := load_agent(name, game)).builtin and not spec.searches]
    ends = {game.tiers.get("middle"): 0, game.tiers.get("weak"): 2}
    return sorted(shipped, key=lambda spec: (ends.get(spec.text, 1), spec.text))


def _squares(games: pd.DataFrame, outcome: str, players: int) -> tuple[Array, Array]:
    """Return outcomes by deal, position and seat, float64[D, K, K], and the deals."""
    deals, place = np.unique(games["deal"].to_numpy(), return_inverse=True)
    squares = np.zeros((len(deals), players, players))
    values = games["score"].to_numpy(np.float64) if outcome == SCORE else _wins(games)
    squares[place, games["position"].to_numpy(), games["seat"].to_numpy()] = values
    return squares, deals


def _wins(games: pd.DataFrame) -> Array:
    """Return the share of the win of every row."""
    keys = [games["deal"], games["seating"]]
    first = games["place"] == games["place"].groupby(keys).transform("min")
    return np.asarray(first / first.groupby(keys).transform("sum"), np.float64)


def _chunks(plan: Plan, deals: Array) -> Array:
    ends = np.array([plan.chunk_range(chunk)[1] for chunk in range(plan.chunks)])
    return np.asarray(np.searchsorted(ends, deals, side="right"))


def _length(
    where: tuple[int, str, str], plan: Plan, store: MemoryStore, cell: Cell, seconds: float
) -> list[tuple[Any, ...]]:
    """Return the decisions of a game, and the minutes that they take."""
    outcome = np.concatenate([store.read((cell.number, chunk))[0] for chunk in range(plan.chunks)])
    decisions = stats.ratio(outcome["decisions"], outcome["games"])
    value, low, high = (end * seconds / 60 for end in (decisions.value, decisions.low, decisions.high))
    minutes = Estimate(value, low, high, decisions.n)
    return [
        _row(where, "game", "all", "decisions_mean", decisions, plan.deals),
        _row(where, "game", "all", "minutes_mean", minutes, plan.deals),
    ]


def _row(
    where: tuple[int, str, str], outcome: str, source: str, figure: str, found: Estimate, deals: int
) -> tuple[Any, ...]:
    return (
        *where,
        outcome,
        source,
        figure,
        float(found.value),
        float(found.low),
        float(found.high),
        int(found.n),
        deals,
    )
