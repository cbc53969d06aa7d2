"""Calls a compiled agent as the loop does: with the state itself."""

import ctypes


def decide(compiled, table, memory, rng):
    """What an agent chooses, or what one of its functions returns, at a position."""
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 5)(compiled.address)
    arrays = (table.state, table.variant.rules, compiled.params, memory, rng)
    return function(*(array.ctypes.data for array in arrays))
