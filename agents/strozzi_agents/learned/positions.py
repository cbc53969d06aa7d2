"""Positions to learn from, with results: games that split at one decision into two branches with the same chance.

A game is played with some random actions up to a random decision. Two actions are tried there, and from both the
players of the stage play on without random actions. So the results show how these players fare from any position,
unusual ones too, and the difference of the two results has less noise than either.
"""

from functools import cache
from typing import Any

import numpy as np
from numba import types

from strozzi_agents.learned.learned import choose
from strozzi_agents.learned.value import evaluate_quiet
from strozzi_agents.learned.verbs import describe, guide_action, is_quiet
from strozzi_sim.agent.analysis import lead_of
from strozzi_sim.game.contract import Game, actor, apply, count_legal, deal, is_over, kth_legal, score
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.pointers import assign
from strozzi_sim.kernel.record_types import array_type, record_type
from strozzi_sim.kernel.streams import CHANCE, RANDOM, deal_key, hash_combine, randbelow, seed_chance

FIRST, LATER = 0, 1  # the positions kept of a branch: the first quiet one, and one of those after it
_PURPOSE = 2_000  # of the stream with which a game draws its random actions and seeds its chance

# Arguments of the kernel: which games to play, and how.
ORDER = np.dtype([
    ("game", "i8"),  #       game_key(name)
    ("seed", "i8"),
    ("players", "i8"),
    ("first", "i8"),  #      number of the first game
    ("weights", "i8"),  #    address of the table of network addresses by player count, or 0: no networks
    ("learners", "i8"),  #   seats that play by the networks: 0, 1 (random) or, above 1, all; 0 labels all seats
    ("trust", "f8"),  #      share of a label's `open` that each later quiet position's value takes (1 - lambda)
    ("prize", "f8"),  #      points of lead that a win is worth to the seats that play by the networks
    ("horizon", "i8"),  #    limit of the number of the decision at which a game splits, in a game that long
    ("explore", "f8"),  #    share of random actions before the split
], align=True)  # fmt: skip


def position_dtype(players: int, features: int) -> np.dtype[Any]:
    """Return the dtype of a game: two positions in each of its two branches, with features and labels."""
    return np.dtype([
        ("learners", "i8"),  #                          bit set of the seats with labels to learn from
        ("decision", "i8"),  #                          where it split: number among decisions of learners with a choice
        ("kept", "i8", (2, 2)),  #                      [FIRST or LATER, branch] 1 = the position was kept
        ("features", "f4", (2, 2, features)),
        ("now", "f4", (2, 2, players, 2)),  #           score and lead there
        ("label", "f8", (2, 2, players, 3)),  #         final score, lead and win share; with trust partly predicted
        ("open", "f8", (2, 2)),  #                      weight that is still to be added to the label; 0 after the game
    ])  # fmt: skip


@jit
def _act(state, rules, order, memory, learners, rng):
    """Return the acting seat's action: by the networks for a learner, unless order.learners = 0, else by the guide."""
    if order.learners != 0 and (learners >> actor(state)) & 1 == 1:
        return choose(state, rules, order.weights, memory, order.prize, 0, 1, 0.0, rng)
    return guide_action(state, rules, memory.guide)


@jit
def _keep(state, rules, memory, kind, branch, game):
    """Store a quiet position as FIRST or LATER of a branch, with an empty label."""
    describe(state, rules, memory.guide, memory.features)
    for k in range(game.features.shape[2]):
        game.features[kind, branch, k] = memory.features[k]
    for seat in range(state.players):
        game.now[kind, branch, seat, 0] = score(state, seat)
        game.now[kind, branch, seat, 1] = lead_of(state, seat)
    game.kept[kind, branch] = 1
    game.open[kind, branch] = 1.0
    for seat in range(state.players):
        for k in range(3):
            game.label[kind, branch, seat, k] = 0.0


@jit
def _add_label(state, memory, branch, game, share):
    """Add `memory.worth` to the labels of a branch, weighted by `share` of their open weight."""
    for kind in range(2):
        if game.kept[kind, branch] == 1:
            weight = share * game.open[kind, branch]
            game.open[kind, branch] -= weight
            for seat in range(state.players):
                for k in range(3):
                    game.label[kind, branch, seat, k] += weight * memory.worth[seat, k]


@jit
def _play_branch(state, rules, order, memory, chance, learners, branch, game, rng):
    """Play to the end without random actions; keep the first quiet position and a random later one, with labels."""
    quiet_count = 0
    while not is_over(state):
        if is_quiet(state, rules):
            if quiet_count > 0 and order.trust > 0.0:
                evaluate_quiet(state, rules, order.weights, memory)
                _add_label(state, memory, branch, game, order.trust)
            if quiet_count == 0:
                _keep(state, rules, memory, FIRST, branch, game)
            elif randbelow(rng, quiet_count) == 0:
                _keep(state, rules, memory, LATER, branch, game)
            quiet_count += 1
        apply(state, rules, _act(state, rules, order, memory, learners, rng), chance, None)
    evaluate_quiet(state, rules, order.weights, memory)
    _add_label(state, memory, branch, game, 1.0)


def _play(order, state, branched, rules, memory, chance, branch_chance, rng, games):
    """Play `len(games)` games up to a random decision each, then both branches, and store the results in `games`."""
    players = order.players
    for number in range(len(games)):
        game = games[number]
        key = deal_key(order.seed, order.game, players, order.first + number)
        rng.cursor = hash_combine(key, _PURPOSE)
        learners = (1 << players) - 1
        if order.learners == 1:
            learners = 1 << randbelow(rng, players)
        game.learners = learners
        target = randbelow(rng, order.horizon)
        reached = False
        while not reached:
            seed_chance(chance, hash_combine(key, _PURPOSE + 1 + randbelow(rng, 1 << 31)))
            deal(state, rules, players, 0, chance, None)
            decisions = 0
            while not is_over(state):
                count = count_legal(state, rules)
                if count > 1 and (learners >> actor(state)) & 1 == 1:
                    if decisions == target:
                        reached = True
                        break
                    decisions += 1
                if randbelow(rng, 1_000_000) < order.explore * 1e6:
                    action = kth_legal(state, rules, randbelow(rng, count))
                else:
                    action = _act(state, rules, order, memory, learners, rng)
                apply(state, rules, action, chance, None)
            if not reached:
                target = randbelow(rng, max(decisions, 1))
        game.decision = target
        count = count_legal(state, rules)
        first = kth_legal(state, rules, randbelow(rng, count))
        second = _act(state, rules, order, memory, learners, rng)
        while second == first:
            second = kth_legal(state, rules, randbelow(rng, count))
        start = rng.cursor
        for branch in range(2):
            rng.cursor = start
            assign(branched, state)
            assign(branch_chance, chance)
            for kind in range(2):
                game.kept[kind, branch] = 0
            apply(branched, rules, first if branch == 0 else second, branch_chance, None)
            _play_branch(branched, rules, order, memory, branch_chance, learners, branch, game, rng)


@cache
def positions_kernel(game: Game, memory: np.dtype[Any], kept: np.dtype[Any]) -> Any:
    """Return `_play`, compiled for a game, its `learned_memory` and its `position_dtype`."""
    game.register()
    states, chances = [record_type(game.state)] * 2, [record_type(CHANCE)] * 2
    order, rules, own_memory, rng = map(record_type, (ORDER, game.rules, memory, RANDOM))
    signature = types.void(order, *states, rules, own_memory, *chances, rng, array_type(kept))
    return entry(jit(_play), signature, game.name)
