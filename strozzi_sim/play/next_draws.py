"""What each draw that could have come is worth to every seat: all outcomes of chance after a decision, judged one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.analysis import WIN
from strozzi_sim.game.table import Table
from strozzi_sim.kernel.streams import mix
from strozzi_sim.play.judging import Judge, Worth
from strozzi_sim.play.position import Position
from strozzi_sim.play.scripted import successor_states
from strozzi_sim.simulation.luck import Luck
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
    judge, found = Judge(table, Luck(agent, DRAWS)), dict[int, list[Outcome]]()
    for number, action in enumerate(actions, 1):
        before = table.copy()
        table.play(action)
        ways = _ways(before, action, table, namer)
        if len(ways) > 1:
            came = namer.next_name(table.view())
            found[number] = [_judged(judge, name, states, name == came, number) for name, states in ways.items()]
    return found


def _ways(before: Position, action: int, after: Position, namer: Table) -> dict[str, list[Any]]:
    """Return the states to which an action may lead by the name of what is drawn; {} if the game is over, or nothing named was drawn."""
    if after.over:
        return {}
    came = after.view()
    successors = successor_states(before.game, before.variant.rules, before.state, action)
    states = [state for state, _ in islice(successors, MOST + 1)]
    by_name: dict[str, list[Any]] = {}
    if namer.next_name(came) and 1 < len(states) <= MOST:
        for state in states:
            seen = after.game.view.view_of(state[0], after.variant.components, after.actor)
            if namer.next_given(seen) == namer.next_given(came) and (drawn := namer.next_name(seen)):
                by_name.setdefault(drawn, []).append(state)
    return by_name


def _judged(judge: Judge, name: str, states: list[Any], came: bool, number: int) -> Outcome:
    table, worths = judge.table, list[Worth]()
    for batch in range(BATCHES):
        key = table.seed * 0x9E3779B97F4A7C15 + table.deal * 0xC2B2AE3D27D4EB4F + 8 * number + batch + 1
        worths.append(judge.state(states[0], mix.py_func(np.array([key % 2**64], np.uint64))[0]))
        if batch == 1 and np.array_equal(worths[0], worths[1]):  # a judge that draws nothing
            return Outcome(name, len(states), worths[0][:, WIN], 0.0, came)
    shares = np.array(worths)[:, :, WIN]
    half = t_quantile(BATCHES - 1) * shares.std(axis=0, ddof=1) / BATCHES**0.5
    return Outcome(name, len(states), shares.mean(axis=0), float(np.max(half)), came)
