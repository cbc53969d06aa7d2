"""What each draw that could have come is worth to every seat: all outcomes of chance after a decision, judged one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.worth import WIN, WORTHS
from strozzi_sim.game.table import Table
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import mix
from strozzi_sim.play.judging import judging_kernels
from strozzi_sim.play.position import Position
from strozzi_sim.play.scripted import successor_states
from strozzi_sim.simulation.luck import Luck, luck_record
from strozzi_sim.stats.intervals import t_quantile

MOST = 2_000  # outcomes of a decision; beyond them none is judged
# A worth is the mean of BATCHES independent means of DRAWS draws of what the judge draws; two equal ones suffice.
BATCHES, DRAWS = 4, 2


@dataclass(frozen=True)
class Outcome:
    """One draw that could have come."""

    name: str  # its name; outcomes of one name are judged together
    ways: int  # number of equally named outcomes
    win: npt.NDArray[np.float64]  # each seat's expected share of the win, float64[P]
    half_width: float  # half the 95 % interval of the least certain of them
    came: bool  # whether it came


def outcomes_of_game(
    table: Position, actions: Sequence[int], agent: AgentSpec, namer: Table
) -> dict[int, list[Outcome]]:
    """Return the outcomes of each decision after which something was drawn that has a name, by number from 1."""
    judge = _OutcomeJudge(table, agent, namer)
    found = {}
    for number, action in enumerate(actions, 1):
        before = table.copy()
        table.play(action)
        outcomes = judge.outcomes(before, action, table, number)
        if len(outcomes) > 1:
            found[number] = outcomes
    return found


class _OutcomeJudge:
    def __init__(self, table: Position, agent: AgentSpec, namer: Table) -> None:
        self._namer, self._seed, self._deal = namer, table.seed, table.deal
        self._record, self._kept = luck_record(Luck(agent, DRAWS), table.game)
        self._position = judging_kernels(table.game)[1]
        self._rules = exact_copy(table.variant.rules)

    def outcomes(self, before: Position, action: int, after: Position, number: int) -> list[Outcome]:
        """Return the outcomes of an action; none if the game is over, or nothing named was drawn."""
        if after.over:
            return []
        came = after.view()
        name, given = self._namer.next_name(came), self._namer.next_given(came)
        ways = successor_states(before.game, before.variant.rules, before.state, action)
        states = [state for state, _ in islice(ways, MOST + 1)]
        if not name or not 1 < len(states) <= MOST:
            return []
        by_name: dict[str, list[Any]] = {}
        for state in states:
            seen = self._view(after, state)
            if self._namer.next_given(seen) == given and (drawn := self._namer.next_name(seen)):
                by_name.setdefault(drawn, []).append(state)
        return [self._judged(each, found, each == name, number, after.players) for each, found in by_name.items()]

    def _view(self, after: Position, state: Any) -> Any:
        return after.game.view.view_of(state[0], after.variant.components, after.actor)

    def _judged(self, name: str, states: list[Any], came: bool, number: int, players: int) -> Outcome:
        worths = np.zeros((BATCHES, players, len(WORTHS)))
        for batch in range(BATCHES):
            key = self._seed * 0x9E3779B97F4A7C15 + self._deal * 0xC2B2AE3D27D4EB4F + 8 * number + batch + 1
            word = np.array([key % 2**64], np.uint64)
            self._position(states[0], self._rules, self._record[0], mix.py_func(word)[0], worths[batch])
            if batch == 1 and np.array_equal(worths[0], worths[1]):  # a judge that draws nothing
                return Outcome(name, len(states), worths[0, :, WIN], 0.0, came)
        shares = worths[:, :, WIN]
        half = t_quantile(BATCHES - 1) * shares.std(axis=0, ddof=1) / BATCHES**0.5
        return Outcome(name, len(states), shares.mean(axis=0), float(np.max(half)), came)
