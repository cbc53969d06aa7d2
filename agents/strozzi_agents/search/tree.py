"""The search trees of ISMCTS: nodes in one flat array of the agent's memory, without allocation during a search."""

from math import log, sqrt

import numpy as np

from strozzi_sim.errors import InputError
from strozzi_sim.game.contract import actor, count_legal, is_legal, kth_legal
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.pointers import float64_at
from strozzi_sim.kernel.streams import CHANCE, RANDOM, randbelow

ROOT = 0
NO_NODE = 0  # the root is not a child
MAX_BYTES = 1 << 30  # of all nodes
_MIN_NODES = 256
_TRIALS = 3  # per action, at most, if halving needs more than `iterations`: it tries all actions, then half, and so on
MAX_CHILDREN = 0xFFFF  # up to which a node counts its children
TABLE = 4096  # length of the tables of square roots
LEVELS = 4096  # most nodes on the path of an iteration; the tree grows no deeper

NODE = np.dtype([  #        meaning; 32 bytes, two to a cache line
    ("total", "f8"),  #     sum of the rewards of the seat that chose it
    ("visits", "i4"),  #    iterations that passed through it
    ("available", "i4"),  # without a prior: iterations that passed through its parent while its action was legal
    ("first", "i4"),  #     its first child, or NO_NODE
    ("next", "i4"),  #      the next child of the same node, or NO_NODE
    ("action", "i4"),  #    action that leads to it; of mo_ismcts also a label of what its owner observes
    ("children", "u2"),  #  number of its children
    ("seat", "u1"),  #      seat that chose it; of mo_ismcts the player count for the owner's own step
], align=True)  # fmt: skip


def tree_memory(values, game):
    """Return the dtype of the memory of `ismcts`: room for the root and a node of each iteration."""
    return np.dtype(_fields("ismcts", values, game, 1), align=True)


def trees_memory(values, game):
    """Return the dtype of the memory of `mo_ismcts`: the fields of `ismcts`, with a tree for every seat."""
    seats = int(game.max_players)
    # The additional fields are first, as numba takes records with equal first fields for one type.
    return np.dtype([  # shape            meaning
        ("at", "i4", (seats,)),  #       [P] node of the current iteration in each tree
        ("left", "u1", (seats,)),  #     [P] 1 = the current iteration has left that tree
        ("before", game.state),  #       the state before a step
        *_fields("mo_ismcts", values, game, seats),
    ], align=True)  # fmt: skip


def _fields(name, values, game, trees):
    actions = int(game.actions)
    visits = max(int(values["iterations"]), _TRIALS * actions)
    nodes = max(_MIN_NODES, (visits + 1) * trees)
    size = nodes * NODE.itemsize
    if size > MAX_BYTES:
        raise InputError(
            f"{name}: iterations={values['iterations']} would take {size / 2**20:,.0f} MiB of nodes for each seat "
            f"that it plays; at most {MAX_BYTES / 2**20:,.0f} MiB"
        )
    return [  # shape                                meaning
        ("chance", CHANCE),  #                       chance of the current iteration
        ("sweep", CHANCE),  #                        chance from which all iterations of a sweep start, see `halving`
        ("roll", RANDOM),  #                         random stream of the current iteration and its policies
        ("reward", "f8", (game.max_players,)),  #   [P] rewards at the end of the current iteration
        ("playouts", "i8"),  #                       number of playouts in this game
        ("filled", "i8"),  #                         filled length of the next two tables
        ("root_log", "f8", (TABLE,)),  #             [n] square root of log(n)
        ("inverse_root", "f8", (TABLE,)),  #         [n] 1 / square root of n
        ("highest_log", "f8"),  #                    square root of log(n) for the highest possible n
        ("stamp", "i8", (actions,)),  #              [action] number of the last selection that found a node of it
        ("selections", "i8"),  #                     number of selections
        ("ranked", "i4", (actions,)),  #             [i] children of the root with root=halving; first those still tried
        ("used", "i8"),  #                           number of nodes in use
        ("path", "i4", (LEVELS,)),  #                [level] nodes of the current iteration, the root first
        ("nodes", NODE, (nodes,)),  #                [node]; only its length depends on the parameters
    ]  # fmt: skip


@jit
def fill_tables(memory, iterations):
    """Fill the tables of UCB1, once per game, for all visits and availability below TABLE."""
    visits = max(iterations, _TRIALS * len(memory.ranked)) + 2  # `available` is at most the iterations + 1
    memory.highest_log = sqrt(log(float(visits)))
    visits = min(visits, TABLE)
    for n in range(max(memory.filled, 1), visits):
        memory.root_log[n] = sqrt(log(float(n)))
        memory.inverse_root[n] = 1.0 / sqrt(float(n))
    memory.filled = visits


@force_inline
def _root_log(memory, n):
    """Return the square root of log(n)."""
    return memory.root_log[n] if n < TABLE else sqrt(log(float(n)))


@force_inline
def _inverse_root(memory, n):
    """Return 1 / square root of n."""
    return memory.inverse_root[n] if n < TABLE else 1.0 / sqrt(float(n))


@force_inline
def clear(memory):
    """Remove all nodes except the root."""
    memory.used = 1
    root = memory.nodes[ROOT]
    root.first = NO_NODE
    root.children = 0
    root.visits = 0


@force_inline
def grow(memory, node, seat, action):
    """Add a child to `node`; return its number."""
    child = memory.used
    memory.used = child + 1
    record = memory.nodes[child]
    record.action = action
    record.seat = seat
    record.first = NO_NODE
    record.children = 0
    record.next = memory.nodes[node].first
    record.visits = 0
    record.available = 1
    record.total = 0.0
    memory.nodes[node].first = child
    memory.nodes[node].children = min(memory.nodes[node].children + 1, MAX_CHILDREN)
    return child


@jit
def _untried(state, rules, memory, favourite, untried, rng):
    """Return one of the `untried` legal actions for which the current selection has found no node.

    It is the favourite if that is among them; otherwise each is equally likely.
    """
    selection = memory.selections
    if favourite != 0 and is_legal(state, rules, favourite) and memory.stamp[favourite] != selection:
        return favourite
    skip = randbelow(rng, untried)
    k = -1
    while True:
        k += 1
        action = kth_legal(state, rules, k)
        if memory.stamp[action] != selection:
            if skip == 0:
                return action
            skip -= 1


@jit
def select(state, rules, params, memory, node, favourite, rng):
    """Return (child, action) to follow from `node`; child is NO_NODE if the action has no node yet.

    UCB1 with availability counts (Cowling, Powley, Whitehouse 2012): mean + c * sqrt(log(available) / visits), over the
    actions that are legal in this determinization. An action without a node is worth `urgency` (first-play urgency:
    Gelly and Wang 2006). The bonus of the `favourite`, the prior's action in the current state (0: none), is `bias` /
    (visits + 1): progressive bias, Chaslot et al. 2008. With `widening`, in a node that was visited n times at most 1 +
    `widening` * sqrt(n), rounded up, of these actions get a node, the favourite first, the others in random order
    (progressive widening: Coulom 2007, "Computing Elo ratings of move patterns"; Chaslot et al. 2008).
    """
    seat = actor(state)
    best, chosen, tried = -1e300, NO_NODE, 0
    selection = memory.selections + 1
    memory.selections = selection
    parent = memory.nodes[node]
    count = count_legal(state, rules)
    # No action with a node is worth more than `highest`, as rewards are at most 1. If some legal action must lack a
    # node, and `urgency` is not below `highest`, such an action is chosen, and no value is computed.
    highest = 1.0 + params.exploration * memory.highest_log + params.bias
    valued = params.widening > 0.0 or parent.children >= count or params.urgency < highest
    child = parent.first
    while child != NO_NODE:
        record = memory.nodes[child]
        action = record.action
        # A node stands for a sequence of actions: in another determinization another seat may decide after them.
        if record.seat == seat and is_legal(state, rules, action):
            tried += 1
            memory.stamp[action] = selection
            available = record.available + 1
            record.available = available
            if valued:
                scale = _inverse_root(memory, record.visits)
                value = scale * (record.total * scale + params.exploration * _root_log(memory, available))
                if action == favourite:
                    value += params.bias / (record.visits + 1.0)
                if value > best:
                    best, chosen = value, child
        child = record.next
    untried = count - tried
    if params.widening > 0.0 and tried > 0 and tried >= 1.0 + params.widening * sqrt(float(parent.visits)):
        untried = 0  # no further action yet
    if untried > 0 and params.urgency >= best:
        return NO_NODE, _untried(state, rules, memory, favourite, untried, rng)
    return chosen, memory.nodes[chosen].action


@force_inline
def _probability(params, action):
    return float64_at(params.prior_probabilities + 8 * action)


@jit
def _likeliest_untried(state, rules, params, memory, count):
    """Return (action, probability) of the likeliest legal action without a node in this selection, or (0, -1)."""
    best, highest = 0, -1.0
    for k in range(count):
        action = kth_legal(state, rules, k)
        if memory.stamp[action] != memory.selections and _probability(params, action) > highest:
            best, highest = action, _probability(params, action)
    return best, highest


@jit
def select_by_prior(state, rules, params, memory, node):
    """Return (child, action) to follow from `node`; child is NO_NODE if the action has no node yet.

    PUCT (Rosin 2011; Silver and others 2017): mean + c * p * sqrt(visits of the node + 1) / (visits + 1), over the
    actions that are legal in this determinization, where p is the prior's probability of the action in the current
    state. The mean of an action without a node is that of all visits to those with one, at first 0.
    """
    seat = actor(state)
    memory.selections += 1
    scale = params.exploration * sqrt(memory.nodes[node].visits + 1.0)
    best, chosen, total, visits, tried = -1e300, NO_NODE, 0.0, 0, 0
    child = memory.nodes[node].first
    while child != NO_NODE:
        record = memory.nodes[child]
        action = record.action
        if record.seat == seat and is_legal(state, rules, action):  # see `select`
            memory.stamp[action] = memory.selections
            tried += 1
            total += record.total
            visits += record.visits
            value = record.total / max(record.visits, 1) + scale * _probability(params, action) / (record.visits + 1.0)
            if value > best or (value == best and action < memory.nodes[chosen].action):
                best, chosen = value, child
        child = record.next
    count = count_legal(state, rules)
    if tried < count:
        action, probability = _likeliest_untried(state, rules, params, memory, count)
        untried_value = total / visits if visits > 0 else 0.0
        if untried_value + scale * probability > best:
            return NO_NODE, action
    return chosen, memory.nodes[chosen].action
