"""What is counted from Medici vs Strozzi's journal, as exact integers: sums over games, chunks add in any order."""

import numpy as np
from numba import from_dtype

from strozzi_sim.games import contract
from strozzi_sim.games.medici_vs_strozzi.state import STATE
from strozzi_sim.kernel.jit import implement, jit

TALLIES = np.dtype([("games", "i8")], align=True)
NOTES = ()


@jit
def tally(state, rules, journal, t):
    """Add one finished game to the tallies `t`."""
    t.games += 1


implement(contract.tally, from_dtype(STATE), tally)
