"""Sequential halving (Karnin, Koren, Somekh 2013) in sweeps of playouts that meet the same chance.

How a budget is split over the stages is the searches' own.
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
    """Bring the better half of the first `tried` of `ranked` to the front, in order; return its size.

    `total` is what each entry of `ranked` has gained, in as many playouts as the others; of two with the same, the
    smaller entry comes first.
    """
    kept = (tried + 1) // 2
    for place in range(kept):
        best = place
        for i in range(place + 1, tried):
            one, other = ranked[i], ranked[best]
            if total[one] > total[other] or (total[one] == total[other] and one < other):
                best = i
        chosen = ranked[best]
        ranked[best] = ranked[place]
        ranked[place] = chosen
    return kept


@force_inline
def begin_sweep(drawn, root, rules, params, memory, seat, rng):
    """Draw what is unseen, and chance, for all playouts of a sweep; returns the stream that each of them draws from."""
    assign(drawn, root)
    redraw(drawn, rules, params, seat, rng)
    reseed(memory.sweep, rng)
    return random_word(rng)


@force_inline
def begin_playout(played, drawn, memory, stream):
    """Return to the start of the sweep."""
    assign(played, drawn)
    assign(memory.chance, memory.sweep)
    memory.roll.cursor = stream
