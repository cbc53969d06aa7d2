"""Information-set Monte Carlo tree search: one tree, over many determinizations."""

from strozzi_agents.search.analysis import tree_analyses
from strozzi_agents.search.halving import begin_playout, begin_sweep, keep_better_half, stages_for
from strozzi_agents.search.playout import (
    DEPTH,
    EVALUATE,
    ILLEGAL,
    MODEL,
    SPREAD,
    UTILITY,
    end_reward,
    end_rewards,
    play_on,
    query,
    reset_memory,
)
from strozzi_agents.search.tree import (
    LEVELS,
    NO_NODE,
    ROOT,
    clear,
    fill_tables,
    grow,
    select,
    select_by_prior,
    tree_memory,
)
from strozzi_sim.agent import Choice, Param, Policy, compiled_agent
from strozzi_sim.agent.parameters import Prior
from strozzi_sim.game.contract import actor, apply, conceal, count_legal, is_legal, is_over, kth_legal
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import call_at, clone, is_stopped

MAXN, PARANOID, SELFISH = 0, 1, 2  # `backup`
NO_FUNCTION = 0  # address of the function `probabilities` of a prior that has none
UCB, HALVING = 0, 1  # `root`


@jit
def _descend(state, rules, params, memory, seat, first):
    """Play down the tree to a node with fewer than `expand` visits, or to the end; return its level, 0 for the root.

    It is -1 if the policy chose an illegal action. `first` is the root's child to follow, or NO_NODE to select one.
    """
    node, level = ROOT, 0
    memory.path[0] = ROOT
    ready = True  # the tree may grow below `node`
    while not is_over(state):
        if params.backup == SELFISH and actor(state) != seat:  # rivals are part of chance, not of the tree
            action = query(params.rollout, params.rollout_params, params.rollout_memory, state, rules, memory.roll)
            if not is_legal(state, rules, action):
                return -1
        elif not ready:
            break
        else:
            if level == 0 and first != NO_NODE:
                child, action = first, memory.nodes[first].action
                memory.nodes[first].available += 1  # as `select` does, so that visits never exceed it
            else:
                child, action = choose(state, rules, params, memory, node)
            if child == NO_NODE:
                child = grow(memory, node, actor(state), action)
            level += 1
            ready = memory.nodes[child].visits >= params.expand and level < LEVELS - 1
            memory.path[level] = child
            node = child
        apply(state, rules, action, memory.chance, None)
    return level


@jit
def choose(state, rules, params, memory, node):
    """Return (child, action) to follow from `node`, by `select_by_prior` or `select`."""
    favourite = 0  # no favourite; an illegal action also counts as none
    if params.prior_function != NO_FUNCTION and params.bias == 0.0 and params.widening == 0.0:
        # writes the probabilities that `select_by_prior` reads
        call_at(params.prior_function, state, rules, params.prior_params, params.prior_memory, memory.roll)
        return select_by_prior(state, rules, params, memory, node)
    if params.bias > 0.0 or params.widening > 0.0:
        favourite = query(params.prior, params.prior_params, params.prior_memory, state, rules, memory.roll)
    return select(state, rules, params, memory, node, favourite, memory.roll)


@jit
def write_rewards(state, rules, params, memory, players, seat):
    """Write every seat's reward for the end of a playout into `memory.reward`, according to `backup`."""
    if params.backup == MAXN:
        end_rewards(state, rules, params, players, memory.roll, memory.reward)
    else:  # rivals want the searcher's loss; with SELFISH the tree has no rivals
        own_reward = end_reward(state, rules, params, players, seat, memory.roll)
        for other in range(players):
            memory.reward[other] = own_reward if other == seat else 1.0 - own_reward


@jit
def _back_up(state, rules, params, memory, players, seat, level):
    """Add a visit to every node of the path, and to its total the reward of the seat that chose it."""
    write_rewards(state, rules, params, memory, players, seat)
    memory.nodes[ROOT].visits += 1
    for step in range(1, level + 1):
        node = memory.nodes[memory.path[step]]
        node.visits += 1
        node.total += memory.reward[node.seat]


@jit
def _grow_all(state, rules, memory, seat):
    """Add a child of the root for each legal action, and list the children in `ranked`; return their number."""
    count = count_legal(state, rules)
    for k in range(count):
        memory.ranked[k] = grow(memory, ROOT, seat, kth_legal(state, rules, k))
    return count


@jit
def most_visited(memory):
    """Return the action of the root's child with the most visits; among equals, with the highest mean."""
    child = memory.nodes[ROOT].first
    best = child
    while child != NO_NODE:
        one, other = memory.nodes[child], memory.nodes[best]
        if one.visits > other.visits or (one.visits == other.visits and one.total > other.total):
            best = child
        child = one.next
    return memory.nodes[best].action


@compiled_agent(
    name="ismcts",
    stochastic=True,
    memory=tree_memory,
    any_length=True,
    analyse=tree_analyses,
    iterations=Param(1_000, 2, 1_000_000_000, "simulated games"),
    backup=Choice("maxn", ("maxn", "paranoid", "selfish"), "rivals: for themselves, against the searcher, `rollout`"),
    utility=UTILITY,
    spread=SPREAD,
    root=Choice("ucb", ("ucb", "halving"), "how the root's actions are tried: by UCB1, or by sequential halving"),
    expand=Param(1, 1, 1_000_000_000, "visits that a node needs before the tree grows below it"),
    exploration=Param(0.5, 0.0, 100.0, "weight of the exploration term of UCB1, or PUCT"),
    urgency=Param(100.0, -100.0, 100.0, "value of an untried action in UCB1; high: each action is tried once first"),
    widening=Param(
        0.0, 0.0, 1000.0, "tries 1 + widening * sqrt(visits) legal actions at a node, that of `prior` first; 0: all"
    ),
    bias=Param(0.0, 0.0, 1000.0, "bonus of the action that `prior` chooses in this state, divided by visits + 1"),
    prior=Prior(
        "random",
        "agent whose choice `bias` and `widening` favour; if both are 0, its probabilities, if any, are used by PUCT",
    ),
    rollout=Policy("random", "agent that plays all seats below the tree"),
    depth=DEPTH,
    evaluate=EVALUATE,
    model=MODEL,
)
def ismcts(state, rules, params, memory, rng):
    """Searches one tree over many determinizations, and plays the action tried most often.

    Single-observer ISMCTS (Cowling, Powley, Whitehouse 2012) over open-loop chance: every iteration redraws the
    unseen items and all chance, and a node stands for a sequence of actions, whatever was drawn. `backup`:

    - maxn : each seat seeks its own reward (Luckhardt and Irani 1986; in MCTS: Sturtevant 2008)
    - paranoid : all others seek the searcher's loss (Sturtevant and Korf 2000)
    - selfish : the tree has the searcher's decisions only; all others follow `rollout`

    With `root=halving` sequential halving (Karnin, Koren, Somekh 2013) tries and chooses the root's actions, in sweeps
    that meet the same chance, and the tree is below them (hybrid MCTS: Pepels and others 2014). A prior with
    probabilities of actions, such as `network`, replaces UCB1 if `bias` and `widening` are 0: `tree.select_by_prior`.
    """
    seat, players = actor(state), state.players
    fill_tables(memory, params.iterations)
    clear(memory)
    reset_memory(params.rollout_memory, params.rollout_size)
    reset_memory(params.prior_memory, params.prior_size)
    reset_memory(params.model_memory, params.model_size)
    reset_memory(params.evaluate_memory, params.evaluate_size)
    root = clone(state)
    conceal(root, rules, seat)
    # With UCB1 at the root there is one stage, and each of its sweeps is one iteration, which selects its own action.
    tried, stages, first, budget = 1, 1, NO_NODE, params.iterations
    if params.root == HALVING:
        tried = _grow_all(root, rules, memory, seat)
        stages = stages_for(tried)
    drawn, played = clone(root), clone(root)
    while stages > 0:
        sweeps = max(budget // (stages * tried), 1)
        for _ in range(sweeps):
            if is_stopped(params):  # the game is cancelled, so any legal action will do
                return kth_legal(state, rules, 0)
            stream = begin_sweep(drawn, root, rules, params, memory, seat, rng)
            for i in range(tried):
                if params.root == HALVING:
                    first = memory.ranked[i]
                begin_playout(played, drawn, memory, stream)
                level = _descend(played, rules, params, memory, seat, first)
                if level < 0 or not play_on(played, rules, memory.chance, memory.roll, params):
                    return ILLEGAL
                _back_up(played, rules, params, memory, players, seat, level)
        memory.playouts += sweeps * tried
        budget -= sweeps * tried
        stages -= 1
        if params.root == HALVING:
            tried = keep_better_half(memory.ranked, memory.nodes.total, tried)
    if params.root == HALVING:
        return memory.nodes[memory.ranked[0]].action
    return most_visited(memory)
