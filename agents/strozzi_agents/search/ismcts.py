"""Information-set Monte Carlo tree search: one tree of the searcher's decisions and his rivals', over many deals."""

from numba import int64

from strozzi_agents.search.playout import (
    DEPTH,
    ILLEGAL,
    SPREAD,
    UTILITY,
    ask,
    forget,
    play_on,
    reward,
)
from strozzi_agents.search.thoughts import tree_thoughts
from strozzi_agents.search.tree import NO_NODE, ROOT, clear, fill_tables, grow, select, tree_memory
from strozzi_sim.agent import Choice, Param, Policy, Seconds, compiled_agent
from strozzi_sim.games.contract import actor, apply, arrange, determinize, is_legal, is_over
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, clone
from strozzi_sim.kernel.streams import random_word, reseed

MAXN, PARANOID, SELFISH = 0, 1, 2  # `backup`


@jit
def _descend(state, rules, params, memory, seat):
    """Play down the tree until a node is added or the game ends; returns the length of the path, negative on a fault."""
    node, level = int64(ROOT), int64(0)
    memory.path[0] = ROOT
    grown = False
    while not grown and not is_over(state):
        if params.backup == SELFISH and actor(state) != seat:  # rivals belong to the world, not to the tree
            action = ask(params.rollout, params.rollout_params, params.rollout_memory, state, rules, memory.roll)
            if not is_legal(state, rules, action):
                return int64(-1)
            apply(state, rules, action, memory.chance, None)
            continue
        child, action = select(state, rules, params, memory, node, memory.roll)
        if child == NO_NODE:
            child = grow(memory, node, actor(state), action)
            grown = True
        apply(state, rules, action, memory.chance, None)
        level += 1
        memory.path[level] = child
        node = child
    if grown and params.bias > 0.0 and not is_over(state):
        memory.favourite[node] = _favourite(state, rules, params, memory)
    return level


@jit
def _favourite(state, rules, params, memory):
    """The action that the prior chooses; an illegal one counts as none."""
    return ask(params.prior, params.prior_params, params.prior_memory, state, rules, memory.roll)


@jit
def _back_up(state, params, memory, players, seat, level):
    """Give every node of the path the reward of the seat that chose it."""
    if params.backup == MAXN:
        seats = int64(0)  # set of those on the path
        for step in range(1, level + 1):
            seats |= int64(1) << int64(memory.nodes[int64(memory.path[step])].seat)
        for other in range(players):
            if (seats >> other) & 1 == 1:
                memory.reward[other] = reward(state, players, other, params.utility, params.spread)
    else:  # rivals want the searcher's loss; with SELFISH the tree has none
        mine = reward(state, players, seat, params.utility, params.spread)
        for other in range(players):
            memory.reward[other] = mine if other == seat else 1.0 - mine
    memory.nodes[ROOT].visits += 1
    for step in range(1, level + 1):
        node = memory.nodes[int64(memory.path[step])]
        node.visits += 1
        node.total += memory.reward[int64(node.seat)]


@jit
def _most_visited(memory):
    """The action of the root's child with the most visits, of two the one with the higher mean."""
    child = int64(memory.nodes[ROOT].first)
    best = child
    while child != NO_NODE:
        one, other = memory.nodes[child], memory.nodes[best]
        if one.visits > other.visits or (one.visits == other.visits and one.total > other.total):
            best = child
        child = int64(one.next)
    return int64(memory.nodes[best].action)


@compiled_agent(
    name="ismcts",
    stochastic=True,
    memory=tree_memory,
    thoughts=tree_thoughts,
    iterations=Param(1_000, 2, 1_000_000_000, "simulated games"),
    backup=Choice("maxn", ("maxn", "paranoid", "selfish"), "rivals seek their own best, my loss, or follow `rollout`"),
    seconds=Seconds("iterations", "a decision, in place of `iterations`; calibrated at the start, not reproducible"),
    utility=UTILITY,
    spread=SPREAD,
    exploration=Param(0.5, 0.0, 100.0, "weight of the exploration term of UCB1"),
    urgency=Param(100.0, -100.0, 100.0, "what an action not tried yet counts as; high: try each one first"),
    bias=Param(0.0, 0.0, 1000.0, "bonus of the action that `prior` would choose, divided by visits + 1"),
    prior=Policy("random", "whose choice `bias` favours"),
    rollout=Policy("random", "who plays all seats below the tree"),
    depth=DEPTH,
)
def ismcts(state, rules, params, memory, random):
    """Searches one tree over many deals of what is unseen, and plays the action tried most often.

    Single-observer ISMCTS (Cowling, Powley, Whitehouse 2012) over open-loop chance: every iteration draws the unseen
    things and all chance anew, and a node stands for a sequence of actions, whatever was drawn. `backup`:

    - maxn : each seat seeks its own reward (Luckhardt and Irani 1986; in MCTS: Sturtevant 2008)
    - paranoid : all others seek the searcher's loss (Sturtevant and Korf 2000)
    - selfish : the tree has the searcher's decisions only; all others follow `rollout`
    """
    seat, players = actor(state), int64(state.players)
    iterations = params.iterations
    if memory.filled == 0:
        fill_tables(memory, iterations)
    clear(memory)
    forget(params.rollout_memory, params.rollout_size)
    forget(params.prior_memory, params.prior_size)
    if params.bias > 0.0:
        memory.roll.cursor = random_word(random)
        memory.favourite[ROOT] = _favourite(state, rules, params, memory)
    root = clone(state)
    arrange(root, rules)
    played = clone(root)
    for _ in range(iterations):
        assign(played, root)
        determinize(played, rules, seat, random)
        reseed(memory.chance, random)
        memory.roll.cursor = random_word(random)
        level = _descend(played, rules, params, memory, seat)
        if level < 0 or not play_on(played, rules, memory.chance, memory.roll, params):
            return int64(ILLEGAL)
        _back_up(played, params, memory, players, seat, level)
    memory.playouts += iterations
    return _most_visited(memory)
