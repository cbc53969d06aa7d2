"""Sequential halving (Karnin, Koren, Somekh 2013) in sweeps of playouts that meet the same chance.

Each search splits its budget over the stages in its own way.
"""

from strozzi_agents.search.playout import redraw
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.pointers import assign
from strozzi_sim.kernel.streams import random_word, reseed


@force_inline
def stages_for(count):
    """Return the number of stages until one of `count` actions is left, at least 1."""
    stages = 1
    while (1 << stages) < count:
        stages += 1
    return stages


@jit
def keep_better_half(ranked, total, tried):
    """Move the better half of the first `tried` entries of `ranked` to the front, best first; return its size.

    `total` holds the sum of rewards of each entry, all over equally many playouts; of entries with equal sums the
    smaller comes first.
    """
    kept = (tried + 1) // 2
    for k in range(kept):
        best = k
        for i in range(k + 1, tried):
            one, other = ranked[i], ranked[best]
            if total[one] > total[other] or (total[one] == total[other] and one < other):
                best = i
        chosen = ranked[best]
        ranked[best] = ranked[k]
        ranked[k] = chosen
    return kept


@force_inline
def begin_sweep(drawn, root, rules, params, memory, seat, rng):
    """Draw the unknowns and the chance of all playouts of a sweep; return the start of their policies' stream."""
    assign(drawn, root)
    redraw(drawn, rules, params, seat, rng)
    reseed(memory.sweep, rng)
    return random_word(rng)


@force_inline
def begin_playout(played, drawn, memory, stream):
    """Set the state, the chance and the policies' random stream to the start of the sweep."""
    assign(played, drawn)
    assign(memory.chance, memory.sweep)
    memory.roll.cursor = stream
