"""Flat Monte Carlo: try every legal action in simulated games, and play the best one."""

import numpy as np

from strozzi_agents.search.analysis import flat_analyses
from strozzi_agents.search.halving import begin_playout, begin_sweep, keep_better_half, stages_for
from strozzi_agents.search.playout import (
    DEPTH,
    EVALUATE,
    ILLEGAL,
    MODEL,
    SPREAD,
    UTILITY,
    end_reward,
    play_on,
    reset_memory,
)
from strozzi_sim.agent import Choice, Param, Policy, compiled_agent
from strozzi_sim.game.contract import actor, apply, conceal, count_legal, kth_legal
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import clone, is_stopped
from strozzi_sim.kernel.streams import CHANCE, RANDOM

PER_ACTION, PER_DECISION = 0, 1  # `per`
UNIFORM, HALVING = 0, 1  # `allocation`


def flat_memory(values, game):
    """Return the dtype of the memory of `flat_mc`, with an entry for every legal action of a decision."""
    actions = int(game.actions)
    return np.dtype([  # shape             meaning
        ("sweep", CHANCE),  #              chance of the current sweep
        ("chance", CHANCE),  #             chance of the current playout
        ("roll", RANDOM),  #               random stream of its policy
        ("ranked", "i4", (actions,)),  #   [i] number k of a legal action; those still tried come first
        ("total", "f8", (actions,)),  #    [k] sum of the rewards of the k-th legal action
        ("tried", "i4", (actions,)),  #    [k] number of its playouts
        ("playouts", "i8"),  #             number of playouts in this game
    ], align=True)  # fmt: skip


@jit
def _sweep(drawn, played, rules, params, memory, seat, tried, stream):
    """Play one playout for each action still tried; return False if the policy chose an illegal action."""
    players = drawn.players
    for i in range(tried):
        k = memory.ranked[i]
        begin_playout(played, drawn, memory, stream)
        apply(played, rules, kth_legal(played, rules, k), memory.chance, None)
        if not play_on(played, rules, memory.chance, memory.roll, params):
            return False
        memory.total[k] += end_reward(played, rules, params, players, seat, memory.roll)
        memory.tried[k] += 1
    memory.playouts += tried
    return True


@compiled_agent(
    name="flat_mc",
    stochastic=True,
    memory=flat_memory,
    analyse=flat_analyses,
    playouts=Param(100, 1, 1_000_000_000, "simulated games"),
    per=Choice("action", ("action", "decision"), "for each legal action, or for all of a decision together"),
    allocation=Choice("uniform", ("uniform", "halving"), "equal shares, or stages that each drop the worse half"),
    utility=UTILITY,
    spread=SPREAD,
    rollout=Policy("random", "agent that plays all seats in the simulated games"),
    depth=DEPTH,
    evaluate=EVALUATE,
    model=MODEL,
)
def flat_mc(state, rules, params, memory, rng):
    """Tries every action in simulated games and plays the one that did best.

    Flat Monte Carlo as in Abramson 1990, "Expected-outcome". All actions of a sweep meet the same chance (common random
    numbers). `allocation=halving` is sequential halving (Karnin, Koren, Somekh 2013): the budget is split equally over
    log2(actions) stages, rounded up. A stage tries each of its actions at least once, and drops the worse half.
    """
    seat, count = actor(state), count_legal(state, rules)
    for k in range(count):
        memory.ranked[k] = k
        memory.total[k] = 0.0
        memory.tried[k] = 0
    reset_memory(params.rollout_memory, params.rollout_size)
    reset_memory(params.model_memory, params.model_size)
    reset_memory(params.evaluate_memory, params.evaluate_size)
    root = clone(state)
    conceal(root, rules, seat)
    drawn, played = clone(root), clone(root)
    stages = stages_for(count) if params.allocation == HALVING else 1
    budget = params.playouts * count if params.per == PER_ACTION else params.playouts
    tried = count
    for _ in range(stages):
        for _ in range(max(budget // (stages * tried), 1)):
            if is_stopped(params):
                return kth_legal(state, rules, 0)
            stream = begin_sweep(drawn, root, rules, params, memory, seat, rng)
            if not _sweep(drawn, played, rules, params, memory, seat, tried, stream):
                return ILLEGAL
        tried = keep_better_half(memory.ranked, memory.total, tried)
    return kth_legal(state, rules, memory.ranked[0])
