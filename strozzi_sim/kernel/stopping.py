"""How a search is stopped: a number in memory, which is not 0 once the result is not awaited any more.

Every parameter record ends with the address of the number, so that a search can read it between playouts.
"""

from strozzi_sim.kernel.jit import force_inline
from strozzi_sim.kernel.pointers import int64_at

STOP_FIELD = "_stop"  # address of an int64, or 0: the agent cannot be stopped


@force_inline
def is_stopped(params):
    """Return whether the run is cancelled, so that any legal action will do: what is played now is discarded."""
    return params._stop != 0 and int64_at(params._stop) != 0
