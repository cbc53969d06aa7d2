"""A ladder: does twice the budget win, and where does that stop?

Each step seats one agent with twice the budget among agents with the budget, in every seat (Lantz and others 2017,
"Depth in strategic games"). A step is flat if the interval of the win share holds the fair share, one over the number
of players. The lead, in points over the mean of the others, needs fewer games than the win share to differ significantly from 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, Param
from strozzi_sim.errors import ArgumentError, InputError, check_range, short_repr, suggest_names
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.run import cell_counts
from strozzi_sim.studies.store import MemoryStore
from strozzi_sim.studies.study import Kind


@dataclass(frozen=True)
class Ladder(Kind):
    """A ladder, resolved.

    Attributes:
        plan: the study that plays it; line-up k is step k.
        param: the parameter that is the budget.
        budgets: the smaller budget of every step.
    """

    param: str
    budgets: tuple[float, ...]

    def summary(self) -> str:
        """Return the steps and the plan in one line."""
        steps = ", ".join(f"{2 * budget:g} against {budget:g}" for budget in self.budgets)
        return f"{self.param}: {steps}. {self.plan.summary()}"

    def tables(self, plan: Plan, store: MemoryStore) -> dict[str, Any]:
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
    """Return the first step (from 1) whose interval holds the fair share, or None; 0 if there are too few games."""
    for row in table[table["figure"] == "win_share_minus_fair"].itertuples(index=False):
        if np.isnan(row.low):
            return 0
        if row.low <= 0 <= row.high:
            return int(row.step)
    return None


def find_budgets(spec: AgentSpec, param: str, start: float, steps: int) -> list[float]:
    """The budget of every rung, float[steps + 1], each twice the one before.

    Raises:
        InputError: no such parameter, or a budget out of its range.
    """
    check_range("steps", steps, 1, 30)
    if spec.in_seconds:
        raise InputError(
            f"agent {spec.text!r}: a ladder doubles a count, not {spec.in_seconds}; name the count with param"
        )
    numbers = {key: known for key, known in spec.agent.params.items() if isinstance(known, Param)}
    if param not in numbers:
        known = suggest_names(param, numbers)
        raise ArgumentError(
            "param", f"{spec.agent.name} has no parameter {short_repr(param)} that is a number; {known}"
        )
    if not 0 < start < float("inf"):
        raise ArgumentError("start", f"must be above 0, got {start:g}")
    top = numbers[param].high
    if isinstance(numbers[param].default, int) and start != int(start):
        raise ArgumentError("start", f"{param} is a whole number, got {start:g}")
    if start * 2.0**steps > top:
        raise ArgumentError(
            "steps", f"{param} of {spec.agent.name} is at most {top:g}; {steps} doublings of {start:g} exceed it"
        )
    return [start * 2**k for k in range(steps + 1)]


def lineups_of(spec: AgentSpec, param: str, budgets: Sequence[float], players: int) -> list[list[AgentSpec]]:
    """The line-up of every step: one agent with a budget among agents with the budget before it."""
    agents = [spec.with_values({param: int(budget) if budget == int(budget) else budget}) for budget in budgets]
    return [[above, *[below] * (players - 1)] for below, above in pairwise(agents)]
