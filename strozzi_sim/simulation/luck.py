"""Luck: for each chance event of a game, the worth of its result minus the mean worth of redrawn results.

An event is everything that one `deal` or one `apply` draws. It is redrawn `redraws` times from the same position, and
an agent that evaluates positions estimates the worth of each result to every seat. The result and the redrawn ones have
the same distribution, so the difference has mean zero whatever the evaluator's estimates; subtracting it changes no
expectation, only the variance (the chance terms of AIVAT, Burch et al. 2018; MIVAT, White and Bowling 2009). A choice
that the loop makes for the agent `random` is redrawn with the event, since its distribution is known.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import float64, int64, uint64

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.analysis import LEAD, WIN, WORTHS, lead_of, share_of_win
from strozzi_sim.agent.compile import compile_evaluator
from strozzi_sim.errors import InputError
from strozzi_sim.facts.sink import SEATS
from strozzi_sim.game.contract import Game, apply, count_legal, deal, kth_legal, score
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, call_at, float64_at, int64_at, zero_at
from strozzi_sim.kernel.record_types import Array, keep_words
from strozzi_sim.kernel.streams import CHANCE, RANDOM, SOURCES, below, hash_combine, mix, redraw, stream_key
from strozzi_sim.simulation.interrupts import NO_STOP

REDRAWS = 8
MOST_REDRAWS = 10_000

# Sums over games [position, seat, WORTHS], added to the outcome of a chunk whose luck is measured.
LUCK_SUMS = "luck", "luck_squares", "luck_products"  # of the luck of each game, its square, its product with the result
LUCK_FIELDS = [(name, "f8", (SEATS, SEATS, len(WORTHS))) for name in LUCK_SUMS]


@dataclass(frozen=True)
class LuckMethod:
    """A method of measuring luck."""

    agent: AgentSpec  # the evaluator of positions
    redraws: int = REDRAWS  # of each event

    def __post_init__(self) -> None:
        if self.agent.agent.evaluation is None:
            raise InputError(f"agent {self.agent.text!r} does not evaluate positions; give one that does")
        if not 1 <= self.redraws <= MOST_REDRAWS:
            raise InputError(f"redraws must be from 1 to {MOST_REDRAWS:,}, got {self.redraws}")


@cache
def luck_dtype(game: Game) -> np.dtype[Any]:
    """Return the dtype of the record in which kernels measure luck in a game."""
    return keep_words(np.dtype([  # shape                meaning
        ("address", "i8"),  #                            of the evaluator's function, and of its parameters and memory
        ("params", "i8"),
        ("memory", "i8"),
        ("memory_size", "i8"),
        ("worth", "i8"),  #                              address of the worths that the evaluator writes, float64[P, 3]
        ("stop", "i8"),  #                               address of `stop`, see `luck_records`
        ("redraws", "i8"),
        ("key", "u8"),  #                                of the redraws in this game
        ("events", "i8"),  #                             number of events of this game so far
        ("before", game.state),  #                       before the action
        ("chance", CHANCE),  #                           before the action
        ("trial", game.state),  #                        after the redrawn event
        ("other", CHANCE),  #                            of the redrawn event
        ("random", RANDOM),  #                           stream of the evaluator
        ("total", "f8", (SEATS, len(WORTHS))),  #       luck of this game, by seat
        ("mean", "f8", (SEATS, len(WORTHS))),  #        worth after the redrawn events
        *LUCK_FIELDS,
    ], align=True))  # fmt: skip


def luck_records(luck: LuckMethod, game: Game, stop: Array = NO_STOP, count: int = 1) -> tuple[Array, Any]:
    """Return `count` records of `luck_dtype` and the objects that must outlive them; redraws end once `stop` is set."""
    evaluator = compile_evaluator(luck.agent, game)
    memory, records = np.zeros(1, evaluator.memory), np.zeros(count, luck_dtype(game))
    records["address"], records["params"] = evaluator.address, evaluator.params.ctypes.data
    records["memory"], records["memory_size"] = memory.ctypes.data, evaluator.memory_size
    records["worth"], records["redraws"] = memory["worth"].ctypes.data, luck.redraws
    records["stop"] = stop.ctypes.data
    return records, (evaluator, memory, stop)


_PURPOSE = 3_000  # of the stream that draws chance anew


@jit
def evaluate(luck, state, rules, word):
    """Let the evaluator write what a position is worth to each seat; `word` begins its random stream."""
    luck.random.cursor = word
    call_at(luck.address, state, rules, luck.params, luck.memory, luck.random)


@jit
def add_worth(luck, players, target, share):
    """Add a share of the worth to `target`, float64[P, 3]."""
    for seat in range(players):
        for k in range(len(WORTHS)):
            target[seat, k] += share * float64_at(luck.worth + 8 * (len(WORTHS) * seat + k))


@jit
def redraw_all(luck, word):
    """Restart every source of `luck.other`, differently for every word; `redraw` adds the source to it once more."""
    for source in range(SOURCES):
        redraw(luck.other, source, hash_combine(word, source))


@jit
def _measure(luck, state, rules, start, action, count, start_player):
    """Add to `luck.total` the luck of what led to `state`: an action in `luck.before`, or the deal (action 0).

    `count`: the number of legal actions if the action was random, and is drawn again, else 1. `start`: key of redraws.
    """
    players = state.players
    for seat in range(SEATS):
        for k in range(len(WORTHS)):
            luck.mean[seat, k] = 0.0
    for k in range(luck.redraws):
        if int64_at(luck.stop) != 0:  # the game is discarded
            return
        word = hash_combine(start, k)
        redraw_all(luck, word)
        if action == 0:
            deal(luck.trial, rules, players, start_player, luck.other, None)
        else:
            assign(luck.trial, luck.before)
            other = kth_legal(luck.before, rules, below(mix(word), count)) if count > 1 else action
            apply(luck.trial, rules, other, luck.other, None)
        evaluate(luck, luck.trial, rules, mix(word + uint64(1)))
        add_worth(luck, players, luck.mean, 1.0 / luck.redraws)
    evaluate(luck, state, rules, mix(start))
    add_worth(luck, players, luck.total, 1.0)
    for seat in range(players):
        for k in range(len(WORTHS)):
            luck.total[seat, k] -= luck.mean[seat, k]


@jit
def measure_deal(luck, state, rules, key, start_player):
    """Begin a game that has been dealt to `state`, and measure the luck of the deal."""
    luck.key = stream_key(key, _PURPOSE)
    luck.events = 1
    if luck.memory_size > 0:
        zero_at(luck.memory, luck.memory_size)
    for seat in range(SEATS):
        for k in range(len(WORTHS)):
            luck.total[seat, k] = 0.0
    _measure(luck, state, rules, luck.key, 0, 1, start_player)


@jit
def before_action(luck, state, chance):
    """Store a position before an action."""
    assign(luck.before, state)
    assign(luck.chance, chance)


@jit
def after_action(luck, state, rules, action, at_random, chance):
    """Measure the luck of an action that has been played in `state`; `at_random`: the agent `random` chose it."""
    count = count_legal(luck.before, rules) if at_random else 1
    is_event = count > 1
    for source in range(SOURCES):
        is_event |= chance.cursor[source] != luck.chance.cursor[source]
    if not is_event:
        return
    luck.events += 1
    start = hash_combine(luck.key, luck.events * (MOST_REDRAWS + 1))  # no word that redraws of the deal have used
    _measure(luck, state, rules, start, action, count, 0)


@jit
def add_luck(luck, state, positions):
    """Add the luck of a finished game to the sums; `positions`: of every seat, its position in the line-up."""
    players = state.players
    for seat in range(players):
        position = int64(positions[seat])
        for k in range(len(WORTHS)):
            result = float64(score(state, seat))
            if k == LEAD:
                result = lead_of(state, seat)
            elif k == WIN:
                result = share_of_win(state, seat)
            luck_of_game = luck.total[seat, k]
            luck.luck[position, seat, k] += luck_of_game
            luck.luck_squares[position, seat, k] += luck_of_game * luck_of_game
            luck.luck_products[position, seat, k] += luck_of_game * result
