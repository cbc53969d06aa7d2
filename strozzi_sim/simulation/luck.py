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

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.analysis import WORTHS
from strozzi_sim.agent.compile import compile_evaluator
from strozzi_sim.errors import InputError
from strozzi_sim.facts.sink import SEATS
from strozzi_sim.game.contract import Game
from strozzi_sim.kernel.record_types import keep_words
from strozzi_sim.kernel.streams import CHANCE, RANDOM
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
        """Check the arguments."""
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


def luck_records(
    luck: LuckMethod, game: Game, stop: np.ndarray[Any, Any] = NO_STOP, count: int = 1
) -> tuple[np.ndarray[Any, Any], Any]:
    """Return `count` records of `luck_dtype` and the objects that must outlive them; redraws end once `stop` is set."""
    evaluator = compile_evaluator(luck.agent, game)
    memory, records = np.zeros(1, evaluator.memory), np.zeros(count, luck_dtype(game))
    records["address"], records["params"] = evaluator.address, evaluator.params.ctypes.data
    records["memory"], records["memory_size"] = memory.ctypes.data, evaluator.memory_size
    records["worth"], records["redraws"] = memory["worth"].ctypes.data, luck.redraws
    records["stop"] = stop.ctypes.data
    return records, (evaluator, memory, stop)
