"""Scripted chance: games whose chance is a list of outcomes, and all continuations of chance from a position."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from strozzi_sim.errors import ArgumentError
from strozzi_sim.game.contract import Game
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import SCRIPT
from strozzi_sim.play.kernels import kernels

Array = np.ndarray[Any, Any]


class ScriptEnded(ArgumentError):
    """A draw beyond the end of the script.

    Attributes:
        source: the number of the chance source, as in the game's state.py.
        outcomes: number of outcomes n of the draw; one of 0 .. n - 1 would continue the script.
    """

    def __init__(self, length: int, source: int, outcomes: int) -> None:
        super().__init__(
            "chance",
            f"the script of {length} outcomes ends before a draw of source {source}, which takes 0 to {outcomes - 1}",
        )
        self.source, self.outcomes = source, outcomes


def script_of(outcomes: Array) -> Array:
    """Return the SCRIPT record, shape (1,), of outcomes int64[n]; the caller keeps `outcomes` alive."""
    script = np.zeros(1, SCRIPT)
    script["place"], script["left"] = outcomes.ctypes.data, len(outcomes)
    return script


def check_drawn(outcomes: Array | None, chance: Array) -> None:
    """Refuse a script of these outcomes if a draw has failed (ScriptEnded if too short); None is no script."""
    if outcomes is None or chance["outcomes"][0] == 0:
        return
    left, source, among = (int(chance[name][0]) for name in ("left", "source", "outcomes"))
    if left == 0:
        raise ScriptEnded(len(outcomes), source, among)
    place = len(outcomes) - left
    what = f"outcome {place} of the script is drawn of source {source}: it must be from 0 to {among - 1}"
    raise ArgumentError("chance", f"{what}, got {int(outcomes[place])}")


def successor_states(game: Game, rules: Array, state: Array, action: int) -> Iterator[tuple[Array, float]]:
    """Yield every state to which a legal action may lead, shape (1,), and its probability.

    States may come more than once: then chance has several ways to the same one.

    >>> from strozzi_sim.play.position import Position
    >>> start = Position("strozzi", players=3)
    >>> len(list(successor_states(start.game, start.variant.rules, start.state, 1)))  # a pass draws nothing
    1
    """
    kernel = kernels(game, scripted=True).step
    return _branches(state, lambda after, script: kernel(after, rules, script, action))


def _branches(state: Array, play: Callable[[Array, Array], int]) -> Iterator[tuple[Array, float]]:
    """Search depth first: replay with longer scripts until one suffices."""
    waiting: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while waiting:
        outcomes, chance = waiting.pop()
        listed = np.array(outcomes, np.int64)
        script = script_of(listed)
        after = exact_copy(state)
        play(after, script)
        among = int(script["outcomes"][0])
        if among == 0:
            yield after, chance
        waiting += [((*outcomes, k), chance / among) for k in reversed(range(among))]
