"""Compiled kernels of the checks: the game's verbs on arrays of shape (1,), for any game."""

from functools import cache

import numpy as np
from numba import int64, types
from numpy.typing import NDArray

from strozzi_sim.agent import load_agent
from strozzi_sim.agent.compile import CompiledAgent, compile_agent
from strozzi_sim.game import contract as verb
from strozzi_sim.game.contract import Game
from strozzi_sim.kernel.jit import Kernels, jit
from strozzi_sim.kernel.journal import write_event
from strozzi_sim.kernel.pointers import clone
from strozzi_sim.kernel.record_types import array_type
from strozzi_sim.kernel.streams import CHANCE, RANDOM, randbelow, reseed, seed_chance
from strozzi_sim.play.kernels import kernels as play_kernels


@jit
def _determinize(states, rules, seat, randoms):
    verb.determinize(states[0], rules[0], seat, randoms[0])


@jit
def _imagine(states, rules, seat, policy, randoms):
    """Call `imagine` on a determinized state; policy: int64[3], addresses of a function, its parameters, its memory."""
    verb.imagine(states[0], rules[0], seat, (policy[0], policy[1], policy[2]), randoms[0])


@jit
def _observe(states, rules, seat, out):
    verb.observe(states[0], rules[0], seat, out)


@jit
def _is_legal(states, rules, action):
    return int64(verb.is_legal(states[0], rules[0], action))


@jit
def _leaves(state, rules, chance, depth):
    """Return the number of positions after `depth` decisions, one per sequence; a game that ends before counts once."""
    if depth == 0 or verb.is_over(state):
        return 1
    total = 0
    for k in range(verb.count_legal(state, rules)):
        branch, luck = clone(state), clone(chance)
        verb.apply(branch, rules, verb.kth_legal(state, rules, k), luck, None)
        total += _leaves(branch, rules, luck, depth - 1)
    return total


@jit
def _count(states, rules, chances, depth):
    return int64(_leaves(states[0], rules[0], chances[0], depth))


@jit
def _play_on(states, rules, chances, randoms):
    state = states[0]
    reseed(chances[0], randoms[0])
    while not verb.is_over(state):
        k = randbelow(randoms[0], verb.count_legal(state, rules[0]))
        verb.apply(state, rules[0], verb.kth_legal(state, rules[0], k), chances[0], None)


@jit
def _write_from_core(facts, states, rules, chances, key, players, number, actions):
    sink = facts[0]
    verb.begin_match(sink, rules[0], players)
    verb.open_game(sink, number)
    seed_chance(chances[0], key)
    verb.deal(states[0], rules[0], players, 0, chances[0], sink)
    for k in range(actions.shape[0]):
        verb.on_decision(sink, states[0], rules[0], actions[k])
        verb.apply(states[0], rules[0], actions[k], chances[0], sink)
    verb.close_game(sink, states[0], rules[0])


@jit
def _write_from_journal(facts, states, rules, players, number, rows):
    sink = facts[0]
    verb.begin_match(sink, rules[0], players)
    verb.open_game(sink, number)
    for k in range(rows.shape[0]):
        write_event(sink, rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3], rows[k, 4], rows[k, 5])
    verb.close_game(sink, states[0], rules[0])


@cache
def kernels(game: Game) -> Kernels:
    """Return the kernels of the checks of `game`."""
    game.register()
    state, rules, chance, rng = (array_type(dtype) for dtype in (game.state, game.rules, CHANCE, RANDOM))
    i8 = types.int64
    sink, rows = array_type(game.facts.SINK), types.Array(types.int32, 2, "C")
    table = {
        **{name: play_kernels(game).table[name] for name in ("conceal", "results", "seen")},
        "determinize": (_determinize, types.void(state, rules, i8, rng)),
        "imagine": (_imagine, types.void(state, rules, i8, i8[::1], rng)),
        "observe": (_observe, types.void(state, rules, i8, types.float32[::1])),
        "is_legal": (_is_legal, i8(state, rules, i8)),
        "count": (_count, i8(state, rules, chance, i8)),
        "play_on": (_play_on, types.void(state, rules, chance, rng)),
        "facts_of_core": (_write_from_core, types.void(sink, state, rules, chance, types.uint64, i8, i8, i8[::1])),
        "facts_of_journal": (_write_from_journal, types.void(sink, state, rules, i8, i8, rows)),
    }
    return Kernels(game.name, table)


@cache
def random_policy(game: Game) -> tuple[NDArray[np.int64], CompiledAgent]:
    """Return the policy of `imagine` that plays at random, int64[3], and the agent whose addresses it holds."""
    agent = compile_agent(load_agent("random", game), game)
    return np.array([agent.address, agent.params.ctypes.data, 0]), agent  # the agent `random` has no memory
