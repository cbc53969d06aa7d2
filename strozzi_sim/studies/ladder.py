"""A ladder: does twice the budget win, and where does that stop?

Each step seats one agent with twice the budget among agents with the budget, in every seat (Lantz and others 2017,
"Depth in strategic games"). A step is flat if the interval of the win share holds the fair share, one over the number
of players. The lead, in points over the mean of the others, needs fewer games than the win share to be told from 0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from strozzi_sim.agent import Param, load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.games.contract import Game
from strozzi_sim.games.reporting import FigureTable
from strozzi_sim.play.calibrate import with_values
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.run import cell_counts
from strozzi_sim.studies.store import Store
from strozzi_sim.studies.tournament import orders_plan


@dataclass(frozen=True)
class Ladder:
    """A ladder, resolved.

    Attributes:
        param: the parameter that is the budget.
        budgets: the smaller budget of every step.
        plan: the study that plays it; line-up k is step k.
    """

    param: str
    budgets: tuple[float, ...]
    plan: Plan

    def summary(self) -> str:
        """What times what is how many games."""
        steps = ", ".join(f"{2 * budget:g} against {budget:g}" for budget in self.budgets)
        return f"{self.param}: {steps}. {self.plan.summary()}"

    def tables(self, plan: Plan, store: Store) -> dict[str, Any]:
        """The table: ladder, by step (from 1)."""
        table = FigureTable("step", "budget", "against")
        for k, cell in enumerate(plan.cells):
            counts = cell_counts(plan, store, cell)
            keys = {"step": str(k + 1), "budget": f"{2 * self.budgets[k]:g}", "against": f"{self.budgets[k]:g}"}
            for sums in counts.sums("position"):
                estimate = sums.of(0).estimate()
                table.add(counts, sums.figure, estimate, **keys)
                if sums.figure == "win_share":
                    table.add(counts, "win_share_minus_fair", estimate.minus(1 / counts.players), **keys)
        return {"ladder": table.frame()}


def flattens_at(table: Any) -> int | None:
    """The first step (from 1) whose interval holds the fair share, or None."""
    for row in table[table["figure"] == "win_share_minus_fair"].itertuples(index=False):
        if row.low <= 0 <= row.high or np.isnan(row.low):
            return int(row.step)
    return None


def plan_ladder(
    game: Game,
    agent: str,
    *,
    param: str,
    start: float,
    steps: int,
    players: int,
    deals: int,
    seatings: str = "rotate",
    seed: int = 0,
    variant: str = "base",
) -> Ladder:
    """The ladder of an agent: `steps` doublings of `param` from `start`.

    Raises:
        InputError: no such parameter, a budget out of its range, or something that cannot be played.
    """
    spec = load_agent(agent)
    if spec.in_seconds:
        raise InputError(
            f"agent {agent!r}: a ladder doubles a count, not {spec.in_seconds}; name the count with --param"
        )
    numbers = {key: known for key, known in spec.agent.params.items() if isinstance(known, Param)}
    if param not in numbers:
        known = ", ".join(numbers) or "it has none"
        raise InputError(f"--param: {spec.agent.name} has no parameter {param!r} that is a number; known: {known}")
    if not 0 < start < float("inf"):
        raise InputError(f"--from: must be above 0, got {start:g}")
    top = numbers[param].high
    if isinstance(numbers[param].default, int) and start != int(start):
        raise InputError(f"--from: {param} is a whole number, got {start:g}")
    if start * 2.0**steps > top:
        raise InputError(
            f"--steps: {param} of {spec.agent.name} is at most {top:g}; {steps} doublings of {start:g} exceed it"
        )
    budgets = [start * 2**k for k in range(steps + 1)]

    def with_budget(budget: float) -> str:
        return with_values(spec, {param: int(budget) if budget == int(budget) else budget}).text

    agents = [with_budget(budget) for budget in budgets]
    raw = {
        "name": f"ladder-{game.name.replace('_', '-')}",
        "game": game.name,
        "seed": seed,
        "players": [players],
        "deals": deals,
        "seatings": seatings,
        "lineups": [[agents[k + 1], *[agents[k]] * (players - 1)] for k in range(steps)],
        "variants": [variant],
    }
    return Ladder(param, tuple(budgets[:-1]), orders_plan(raw, "ladder"))
