"""Chance by script: every way in which chance may go on from a position, one after another."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numba import types

from strozzi_sim.games.contract import Game, apply, deal
from strozzi_sim.kernel.fields import array_type, exact_copy
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.streams import SCRIPT

Array = np.ndarray[Any, Any]


@jit
def _deal(states, rules, scripts, players, start_player):
    deal(states[0], rules[0], players, start_player, scripts[0], None)


@jit
def _apply(states, rules, scripts, action):
    apply(states[0], rules[0], action, scripts[0], None)


@cache
def _kernels(game: Game) -> tuple[Any, Any]:
    game.register()
    records = [array_type(dtype) for dtype in (game.state, game.rules, SCRIPT)]
    i8 = types.int64
    return entry(_deal, types.void(*records, i8, i8), game.name), entry(_apply, types.void(*records, i8), game.name)


def deals(game: Game, rules: Array, players: int, start_player: int = 0) -> Iterator[tuple[Array, float]]:
    """Every state in which a game may begin, array of shape (1,), and its probability; see `steps`."""
    kernel = _kernels(game)[0]
    return _branches(np.zeros(1, game.state), lambda state, script: kernel(state, rules, script, players, start_player))


def steps(game: Game, rules: Array, state: Array, action: int) -> Iterator[tuple[Array, float]]:
    """Every state to which a legal action may lead, array of shape (1,), and its probability.

    States may come more than once: then chance has several ways to the same one.

    >>> from strozzi_sim.games import load_game
    >>> from strozzi_sim.games.variants import resolve_variant
    >>> from strozzi_sim.play.position import Position
    >>> game = load_game("strozzi")
    >>> start = Position(game, resolve_variant(game, "base"), 3, seed=0, deal=0)
    >>> len(list(steps(game, start.variant.rules, start.state, 1)))  # a pass draws nothing
    1
    """
    kernel = _kernels(game)[1]
    return _branches(state, lambda after, script: kernel(after, rules, script, action))


def _branches(state: Array, play: Callable[[Array, Array], None]) -> Iterator[tuple[Array, float]]:
    """Depth first: play by ever longer scripts, until one is long enough."""
    waiting: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while waiting:
        outcomes, chance = waiting.pop()
        listed, script = np.array(outcomes, np.int64), np.zeros(1, SCRIPT)
        script["place"], script["left"] = listed.ctypes.data, len(outcomes)
        after = exact_copy(state)
        play(after, script)
        among = int(script["outcomes"][0])
        if among == 0:
            yield after, chance
        waiting += [((*outcomes, k), chance / among) for k in reversed(range(among))]
