"""Positions, actions and possible draws, judged by an agent that evaluates; see `play.analyse`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.analysis import WIN, WORTHS, write_result
from strozzi_sim.game.contract import Game, actor, apply, conceal, count_legal, deal, determinize, kth_legal
from strozzi_sim.game.table import GameTable
from strozzi_sim.kernel.jit import Kernels, jit
from strozzi_sim.kernel.pointers import assign, int64_at
from strozzi_sim.kernel.record_types import array_type, exact_copy, record_type
from strozzi_sim.kernel.streams import deal_key, game_key, hash_combine, mix, stream_key
from strozzi_sim.play.position import Position
from strozzi_sim.play.start import successor_states
from strozzi_sim.simulation.interrupts import call_interruptible
from strozzi_sim.simulation.luck import LuckMethod, add_worth, evaluate, luck_dtype, luck_records, redraw_all
from strozzi_sim.stats.intervals import t_quantile

Worth = npt.NDArray[np.float64]  # [..., 3]: by WORTHS; [P, 3] unless another shape is given
_PURPOSE = 4_000  # of the stream that draws other deals
MAX_OUTCOMES = 2_000  # the draw after a decision is not judged if it has more
# The worth of an outcome is the mean of BATCHES independent means of DRAWS draws of the judge; two equal ones suffice.
BATCHES, DRAWS = 4, 2


@jit
def _judge_actions(states, rules, luck, word, worths):
    state = states[0]
    seat = actor(state)
    for k in range(luck.redraws):
        if int64_at(luck.stop) != 0:
            return
        drawn = hash_combine(word, k)
        assign(luck.before, state)
        conceal(luck.before, rules[0], seat)
        luck.random.cursor = drawn
        determinize(luck.before, rules[0], seat, luck.random)
        for place in range(count_legal(state, rules[0])):
            assign(luck.trial, luck.before)
            redraw_all(luck, drawn)
            apply(luck.trial, rules[0], kth_legal(state, rules[0], place), luck.other, None)
            evaluate(luck, luck.trial, rules[0], mix(drawn + 1))
            add_worth(luck, state.players, worths[place], 1.0 / luck.redraws)


@jit
def _judge_position(states, rules, luck, word, worth):
    for k in range(luck.redraws):
        if int64_at(luck.stop) != 0:
            return
        evaluate(luck, states[0], rules[0], hash_combine(word, k))
        add_worth(luck, states[0].players, worth, 1.0 / luck.redraws)


@jit
def _judge_deals(states, rules, luck, game, seed, players, number, start_player, worth):
    key = stream_key(deal_key(seed, game, players, number), _PURPOSE)
    for k in range(luck.redraws):
        if int64_at(luck.stop) != 0:
            return
        word = hash_combine(key, k)
        redraw_all(luck, word)
        deal(states[0], rules[0], players, start_player, luck.other, None)
        evaluate(luck, states[0], rules[0], mix(word + 1))
        add_worth(luck, players, worth, 1.0 / luck.redraws)


@jit
def _write_result(states, worth):
    write_result(states[0], worth)


@cache
def _kernels(game: Game) -> Kernels:
    game.register()
    start = [array_type(game.state), array_type(game.rules), record_type(luck_dtype(game))]
    worth, worths = types.float64[:, ::1], types.float64[:, :, ::1]
    table = {
        "actions": (_judge_actions, types.void(*start, types.uint64, worths)),
        "position": (_judge_position, types.void(*start, types.uint64, worth)),
        "deals": (_judge_deals, types.void(*start, *[types.int64] * 5, worth)),
        "result": (_write_result, types.void(start[0], worth)),
    }
    return Kernels(game.name, table)


class Judge:
    """The judge of positions and actions of one game; signals can interrupt it."""

    def __init__(self, table: Position, luck: LuckMethod) -> None:
        self.table, self._stop = table, np.zeros(1, np.int64)
        self._record, self._kept = luck_records(luck, table.game, self._stop)
        self._rules = exact_copy(table.variant.rules)
        self._judging = _kernels(table.game)

    def _call(self, judge: Any, state: Any, *key: Any, shape: tuple[int, ...] = ()) -> Worth:
        """Return the worths that a kernel adds to its last argument, float64[*shape, P, 3]."""

        def call() -> Worth:
            worths = np.zeros((*shape, self.table.players, len(WORTHS)))
            judge(state, self._rules, self._record[0], *key, worths)
            return worths

        return call_interruptible(self._stop, call)

    def _word(self, number: int, kind: int) -> np.uint64:
        """Return the key of the draws of a decision; `kind`: 0 for its actions, 1 for the position after it."""
        word = np.array([self.table.seed, self.table.deal, 2 * number + kind], np.uint64)
        for place in (1, 2):
            word[place] ^= mix.py_func(word[place - 1 : place])[0]
        return np.uint64(mix.py_func(word[2:])[0])

    def actions(self, number: int) -> Worth:
        """Return the worth of every legal action, float64[K, P, 3]; `number`: of the decision, from 1."""
        shape = (len(self.table.legal),)
        return self._call(self._judging.actions, self.table.state, self._word(number, 0), shape=shape)

    def position(self, number: int) -> Worth:
        """Return the worth of the position; `number`: of the last decision, or 0."""
        return self.state(self.table.state, self._word(number, 1))

    def state(self, state: Any, word: np.uint64) -> Worth:
        """Return the worth of a state, shape (1,); the key `word` determines the draws."""
        return self._call(self._judging.position, state, word)

    def before_the_deal(self) -> Worth:
        """Return the mean worth of other deals, drawn at random: the worth before the deal."""
        table = self.table
        deal = game_key(table.game.name), table.seed, table.players, table.deal, table.start_player
        return self._call(self._judging.deals, np.zeros(1, table.game.state), *deal)

    def result(self) -> Worth:
        """Return score, lead and share of the win of every seat of a finished game."""
        worth = np.zeros((self.table.players, len(WORTHS)))
        self._judging.result(self.table.state, worth)
        return worth


@dataclass(frozen=True)
class Outcome:
    """The outcomes of a draw that have one name; the first of them is judged."""

    name: str
    ways: int  # number of these outcomes
    win: npt.NDArray[np.float64]  # each seat's expected share of the win, float64[P]
    half_width: float  # half the 95 % interval of the least certain share
    came: bool  # whether the actual draw had this name


def outcomes_of_game(
    table: Position, actions: Sequence[int], agent: AgentSpec, namer: GameTable
) -> dict[int, list[Outcome]]:
    """Play all actions on `table`; return the possible outcomes of draws, by the number of the decision before, from 1.

    A draw counts if `namer` gives its outcomes two names or more, and it has at most MAX_OUTCOMES.
    """
    judge, outcomes = Judge(table, LuckMethod(agent, DRAWS)), dict[int, list[Outcome]]()
    for number, action in enumerate(actions, 1):
        before = table.copy()
        table.play(action)
        states_by_name = _named_outcomes(before, action, table, namer)
        if len(states_by_name) > 1:
            actual = namer.next_name(table.view())
            outcomes[number] = [
                _judge_outcome(judge, name, states, name == actual, number) for name, states in states_by_name.items()
            ]
    return outcomes


def _named_outcomes(before: Position, action: int, after: Position, namer: GameTable) -> dict[str, list[Any]]:
    """Return the states to which an action may lead by name of their draw, or {}; earlier draws are as in `after`."""
    if after.over:
        return {}
    actual = after.view()
    successors = successor_states(before.game, before.variant.rules, before.state, action)
    states = [state for state, _ in islice(successors, MAX_OUTCOMES + 1)]
    by_name: dict[str, list[Any]] = {}
    if namer.next_name(actual) and 1 < len(states) <= MAX_OUTCOMES:
        for state in states:
            view = after.game.view.view_of(state[0], after.variant.components, after.actor)
            if namer.next_given(view) == namer.next_given(actual) and (name := namer.next_name(view)):
                by_name.setdefault(name, []).append(state)
    return by_name


def _judge_outcome(judge: Judge, name: str, states: list[Any], came: bool, number: int) -> Outcome:
    table, worths = judge.table, list[Worth]()
    for batch in range(BATCHES):
        key = table.seed * 0x9E3779B97F4A7C15 + table.deal * 0xC2B2AE3D27D4EB4F + 8 * number + batch + 1
        worths.append(judge.state(states[0], mix.py_func(np.array([key % 2**64], np.uint64))[0]))
        if batch == 1 and np.array_equal(worths[0], worths[1]):  # the judge draws nothing
            return Outcome(name, len(states), worths[0][:, WIN], 0.0, came)
    shares = np.array(worths)[:, :, WIN]
    half = t_quantile(BATCHES - 1) * shares.std(axis=0, ddof=1) / BATCHES**0.5
    return Outcome(name, len(states), shares.mean(axis=0), float(np.max(half)), came)
