"""Multiple-observer information-set Monte Carlo tree search: a tree for every seat, of its observations."""

from typing import Any

from numba import int64, uint64

from strozzi_agents.search.analysis import tree_analyses
from strozzi_agents.search.halving import begin_playout, begin_sweep
from strozzi_agents.search.ismcts import choose, ismcts, most_visited, write_rewards
from strozzi_agents.search.playout import ILLEGAL, play_on, reset_memory
from strozzi_agents.search.tree import LEVELS, NO_NODE, fill_tables, grow, trees_memory
from strozzi_sim.agent import Choice, compiled_agent
from strozzi_sim.game.contract import actor, apply, conceal, is_over, kth_legal, seen_action
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, clone, is_stopped
from strozzi_sim.kernel.streams import mix

_ISMCTS_PARAMS: dict[str, Any] = {
    name: param for name, param in ismcts.params.items() if name not in ("root", "backup")
}


@jit
def _add_roots(memory, players, seat):
    """Add a root for every seat: node k for the seat k places after the searcher, so ROOT for the searcher."""
    memory.used = players
    for root in range(players):
        node = memory.nodes[root]
        node.first = NO_NODE
        node.children = 0
        node.visits = 0
        node.total = 0.0
        node.seat = seat


@jit
def _label(seen):
    """Return an observation as an int32 for a node: itself if it is small, else 31 bits of its hash, bit 20 set."""
    if -1 < seen < 1 << 20:
        return seen
    return int64(mix(uint64(seen)) >> uint64(33)) | 1 << 20


@jit
def _step_into(memory, tree, seat, label, expand, level):
    """Move down a tree to the child for what its owner observes of a step by `seat`; add the child if it is missing.

    For the owner's own step `seat` is the player count, which no seat has: such a node is not chosen as an action, nor
    rewarded. The iteration leaves the tree at a child with too few visits.
    """
    node = memory.at[tree]
    child = memory.nodes[node].first
    while child != NO_NODE and (memory.nodes[child].action != label or memory.nodes[child].seat != seat):
        child = memory.nodes[child].next
    if child == NO_NODE:
        child = grow(memory, node, seat, label)
    memory.left[tree] = memory.nodes[child].visits < expand
    memory.at[tree] = child
    memory.path[level] = child


@jit
def _descend(state, rules, params, memory, players, seat):
    """Play down the trees until the acting seat has left its own tree, or to the end; return the path's length."""
    for tree in range(players):
        memory.at[tree] = tree
        memory.left[tree] = 0
        memory.path[tree] = tree
    level = players
    while not is_over(state):
        acting = actor(state)
        own_tree = acting - seat if acting >= seat else acting - seat + players
        if memory.left[own_tree] or level + players >= LEVELS:  # a step adds a node in each tree
            break
        child, action = choose(state, rules, params, memory, memory.at[own_tree])
        if child == NO_NODE:
            child = grow(memory, memory.at[own_tree], acting, action)
        memory.left[own_tree] = memory.nodes[child].visits < params.expand
        memory.at[own_tree] = child
        memory.path[level] = child
        level += 1
        assign(memory.before, state)
        apply(state, rules, action, memory.chance, None)
        for tree in range(players):
            if not memory.left[tree]:
                viewer = seat + tree if seat + tree < players else seat + tree - players
                seen = seen_action(memory.before, state, rules, action, viewer)
                # The acting seat may learn more than its own action.
                if seen != 0 and (tree != own_tree or seen != action):
                    _step_into(
                        memory, tree, players if tree == own_tree else acting, _label(seen), params.expand, level
                    )
                    level += 1
    return level


@compiled_agent(
    name="mo_ismcts",
    stochastic=True,
    memory=trees_memory,
    any_length=True,
    analyse=tree_analyses,
    backup=Choice("maxn", ("maxn", "paranoid"), "rivals: for themselves, or against the searcher"),
    **_ISMCTS_PARAMS,
)
def mo_ismcts(state, rules, params, memory, rng):
    """Searches a tree for every seat, of that seat's observations, over many determinizations.

    Multiple-observer ISMCTS (Cowling, Powley, Whitehouse 2012): the acting seat chooses by its own tree, whose nodes
    stand for what it has seen, its own actions included; every step advances all trees, by what each seat learns from
    it. So in a tree no rival responds to what it cannot have seen, unlike in the tree of `ismcts`. An iteration adds at
    most one node to each tree. Its rollout begins when a seat must decide that has left its own tree.
    """
    seat, players = actor(state), state.players
    fill_tables(memory, params.iterations)
    _add_roots(memory, players, seat)
    reset_memory(params.rollout_memory, params.rollout_size)
    reset_memory(params.prior_memory, params.prior_size)
    reset_memory(params.model_memory, params.model_size)
    reset_memory(params.evaluate_memory, params.evaluate_size)
    root = clone(state)
    conceal(root, rules, seat)
    drawn, played = clone(root), clone(root)
    for _ in range(params.iterations):
        if is_stopped(params):  # the game is cancelled, so any legal action will do
            return kth_legal(state, rules, 0)
        stream = begin_sweep(drawn, root, rules, params, memory, seat, rng)
        begin_playout(played, drawn, memory, stream)
        level = _descend(played, rules, params, memory, players, seat)
        if not play_on(played, rules, memory.chance, memory.roll, params):
            return ILLEGAL
        write_rewards(played, rules, params, memory, players, seat)
        for step in range(level):
            node = memory.nodes[memory.path[step]]
            node.visits += 1
            if node.seat < players:
                node.total += memory.reward[node.seat]
    memory.playouts += params.iterations
    return most_visited(memory)
