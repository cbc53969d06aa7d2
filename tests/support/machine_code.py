"""Calls a compiled agent as the loop does: with the state itself; puts other functions in the place of kernels."""

import copy
import ctypes

import numpy as np

from strozzi_sim.kernel.streams import RANDOM


def decide(compiled, table, memory, rng):
    """What an agent chooses, or what one of its functions returns, at a position."""
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 5)(compiled.address)
    arrays = (table.state, table.variant.rules, compiled.params, memory, rng)
    return function(*(array.ctypes.data for array in arrays))


def with_kernels(kernels, **functions):
    """A copy in which some kernels are other functions."""
    other = copy.copy(kernels)
    vars(other).update(functions)
    return other


def worth_of(evaluator, table):
    """What a position is worth to every seat, by SCORE, LEAD and WIN."""
    memory = np.zeros(1, evaluator.memory)
    decide(evaluator, table, memory, np.zeros(1, RANDOM))
    return memory["worth"][0][: table.players].copy()
