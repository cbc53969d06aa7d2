"""The search tree of ISMCTS: nodes in one flat array of the agent's memory, nothing allocated while searching."""

from math import sqrt

import numpy as np
from numba import int64

from strozzi_sim.errors import InputError
from strozzi_sim.games.contract import actor, count_legal, is_legal, kth_legal
from strozzi_sim.kernel.jit import inlined, jit
from strozzi_sim.kernel.streams import CHANCE, RANDOM, random_below

ROOT = 0
NO_NODE = 0  # the root is nobody's child
MOST_BYTES = 1 << 30
_LEAST_NODES = 256

NODE = np.dtype([  #        meaning
    ("action", "i4"),  #    that leads here
    ("seat", "i4"),  #      who chose it
    ("first", "i4"),  #     its first child, or NO_NODE
    ("next", "i4"),  #      the next child of the same node, or NO_NODE
    ("visits", "i4"),  #    iterations that came through
    ("available", "i4"),  # iterations that came to its parent and could have come here
    ("favourite", "i4"),  # the action that the prior chose here when the node was new
    ("total", "f8"),  #     rewards of the seat that chose it
], align=True)  # fmt: skip


def tree_memory(values, game):
    """The memory of `ismcts`: one node for each iteration and the root.

    Sizes are rounded up to a power of two: each one is compiled anew.

    Raises:
        InputError: the tree would take more than a gibibyte.
    """
    nodes = max(_LEAST_NODES, 1 << int(values["iterations"]).bit_length())
    size = nodes * (NODE.itemsize + 4 + 8)
    if size > MOST_BYTES:
        raise InputError(
            f"ismcts: iterations={values['iterations']} would take a tree of {size / 2**20:,.0f} MiB for each seat; "
            f"at most {MOST_BYTES / 2**20:,.0f} MiB"
        )
    return np.dtype([  # shape                       meaning
        ("chance", CHANCE),  #                       of the iteration under way
        ("roll", RANDOM),  #                         what its policy draws from
        ("reward", "f8", (game.most_players,)),  #   [P] of its end
        ("playouts", "i8"),  #                       of all games
        ("logs", "i8"),  #                           1 = `log` is filled
        ("log", "f8", (nodes,)),  #                  [n] natural logarithm
        ("used", "i8"),  #                           nodes of the tree
        ("nodes", NODE, (nodes,)),  #                [node]
        ("path", "i4", (nodes,)),  #                 [level] nodes of the iteration under way, the root first
    ], align=True)  # fmt: skip


@inlined
def clear(memory):
    """Leave only the root."""
    memory.used = 1
    root = memory.nodes[ROOT]
    root.first = NO_NODE
    root.visits = 0
    root.favourite = 0


@inlined
def grow(memory, node, seat, action):
    """Add a child to `node`; returns its number."""
    child = memory.used
    memory.used = child + 1
    new = memory.nodes[child]
    new.action = action
    new.seat = seat
    new.first = NO_NODE
    new.next = memory.nodes[node].first
    new.visits = 0
    new.available = 1
    new.favourite = 0
    new.total = 0.0
    memory.nodes[node].first = child
    return child


@inlined
def _is_child(memory, node, seat, action):
    """Whether `action` of `seat` has been tried from `node`."""
    child = int64(memory.nodes[node].first)
    while child != NO_NODE:
        if memory.nodes[child].action == action and memory.nodes[child].seat == seat:
            return True
        child = int64(memory.nodes[child].next)
    return False


@jit
def _untried(state, rules, memory, node, seat, untried, random):
    """One of the `untried` legal actions that have no node yet: the favourite, else any with equal chance."""
    favourite = int64(memory.nodes[node].favourite)
    if is_legal(state, rules, favourite) and not _is_child(memory, node, seat, favourite):
        return favourite
    skip = random_below(random, untried)
    k = int64(-1)
    while True:
        k += 1
        action = kth_legal(state, rules, k)
        if not _is_child(memory, node, seat, action):
            if skip == 0:
                return action
            skip -= 1


@jit
def select(state, rules, params, memory, node, random):
    """(child, action) to follow from `node`; child is NO_NODE if the action has no node yet.

    UCB1 with availability counts (Cowling, Powley, Whitehouse 2012): mean + c * sqrt(log(available) / visits), over the
    actions that are legal in this determinization. An action without a node is worth `urgency` (first-play urgency:
    Gelly and Wang 2006). The favourite's bonus, `bias` / (visits + 1), is that of Chaslot et al. 2008.
    """
    seat = actor(state)
    favourite = int64(memory.nodes[node].favourite)
    best, chosen, known = -1e300, int64(NO_NODE), int64(0)
    child = int64(memory.nodes[node].first)
    while child != NO_NODE:
        here = memory.nodes[child]
        action = int64(here.action)
        if here.seat == seat and is_legal(state, rules, action):
            known += 1
            available = here.available + 1
            here.available = available
            visits = float(here.visits)
            value = here.total / visits + params.exploration * sqrt(memory.log[available] / visits)
            if action == favourite:
                value += params.bias / (visits + 1.0)
            if value > best:
                best, chosen = value, child
        child = int64(here.next)
    untried = count_legal(state, rules) - known
    if untried > 0 and params.urgency >= best:
        return int64(NO_NODE), _untried(state, rules, memory, node, seat, untried, random)
    return chosen, int64(memory.nodes[chosen].action)
