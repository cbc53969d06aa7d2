"""Flat Monte Carlo: every legal action is tried in simulated games, and the one that did best is played."""

import numpy as np

from strozzi_agents.search.analysis import flat_analyses
from strozzi_agents.search.playout import DEPTH, ILLEGAL, SPREAD, UTILITY, forget, play_on, reward
from strozzi_sim.agent import Choice, Param, Policy, Seconds, compiled_agent
from strozzi_sim.games.contract import actor, apply, conceal, count_legal, determinize, kth_legal
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, clone
from strozzi_sim.kernel.streams import CHANCE, RANDOM, random_word, reseed

PER_ACTION, PER_DECISION = 0, 1  # `per`
UNIFORM, HALVING = 0, 1  # `allocation`


def flat_memory(values, game):
    """The memory of `flat_mc`: one entry for every legal action of a decision."""
    actions = int(game.actions)
    return np.dtype([  # shape             meaning
        ("sweep", CHANCE),  #              chance of the sweep under way
        ("chance", CHANCE),  #             of the playout under way
        ("roll", RANDOM),  #               what its policy draws from
        ("ranked", "i4", (actions,)),  #   [i] which of the legal actions; the first ones are still tried
        ("total", "f8", (actions,)),  #    [k] rewards of the k-th legal action
        ("tried", "i4", (actions,)),  #    [k] its playouts
        ("playouts", "i8"),  #             of this game
    ], align=True)  # fmt: skip


@jit
def _sweep(state, rules, params, memory, rng, seat, tried):
    """One playout for each action still tried, all with the same unseen things, chance and policy stream.

    Returns False if the policy chose an illegal action.
    """
    players = state.players
    drawn = clone(state)
    determinize(drawn, rules, seat, rng)
    reseed(memory.sweep, rng)
    stream = random_word(rng)
    played = clone(state)
    for i in range(tried):
        k = memory.ranked[i]
        assign(played, drawn)
        assign(memory.chance, memory.sweep)
        memory.roll.cursor = stream
        apply(played, rules, kth_legal(played, rules, k), memory.chance, None)
        if not play_on(played, rules, memory.chance, memory.roll, params):
            return False
        memory.total[k] += reward(played, players, seat, params.utility, params.spread)
        memory.tried[k] += 1
    memory.playouts += tried
    return True


@jit
def _best_first(memory, tried, keep):
    """Sort the first `keep` places of `ranked`: highest total first, then the lower action."""
    for place in range(keep):
        best = place
        for i in range(place + 1, tried):
            one, other = memory.ranked[i], memory.ranked[best]
            if memory.total[one] > memory.total[other] or (memory.total[one] == memory.total[other] and one < other):
                best = i
        chosen = memory.ranked[best]
        memory.ranked[best] = memory.ranked[place]
        memory.ranked[place] = chosen


@compiled_agent(
    name="flat_mc",
    stochastic=True,
    memory=flat_memory,
    analyse=flat_analyses,
    playouts=Param(100, 1, 1_000_000_000, "simulated games"),
    per=Choice("action", ("action", "decision"), "for each legal action, or for all of a decision together"),
    allocation=Choice("uniform", ("uniform", "halving"), "equal shares, or repeatedly more for the better half"),
    seconds=Seconds("playouts", "a decision, in place of `playouts`; calibrated at the start, not reproducible"),
    utility=UTILITY,
    spread=SPREAD,
    rollout=Policy("random", "who plays all seats in the simulated games"),
    depth=DEPTH,
)
def flat_mc(state, rules, params, memory, rng):
    """Tries every action in simulated games and plays the one that did best.

    Flat Monte Carlo as in Abramson 1990, "Expected-outcome". All actions of a sweep meet the same chance (common random
    numbers). `allocation=halving` is sequential halving (Karnin, Koren, Somekh 2013): the budget is split evenly over
    log2(actions) stages, and after each the worse half is dropped.
    """
    seat, count = actor(state), count_legal(state, rules)
    for k in range(count):
        memory.ranked[k] = k
        memory.total[k] = 0.0
        memory.tried[k] = 0
    forget(params.rollout_memory, params.rollout_size)
    root = clone(state)
    conceal(root, rules, seat)
    stages = 1
    if params.allocation == HALVING:
        while (1 << stages) < count:
            stages += 1
    budget = params.playouts * count if params.per == PER_ACTION else params.playouts
    tried = count
    for _ in range(stages):
        for _ in range(max(budget // (stages * tried), 1)):
            if not _sweep(root, rules, params, memory, rng, seat, tried):
                return ILLEGAL
        kept = (tried + 1) // 2
        _best_first(memory, tried, kept)
        tried = kept
    return kth_legal(state, rules, memory.ranked[0])
