"""Parts that the adapters share: the error for a missing library, render modes, masks, deals, rewards."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from secrets import randbits
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strozzi_sim.errors import InputError, as_argument_error, check_names, check_whole
from strozzi_sim.play.position import Position
from strozzi_sim.play.start import MAX_SEED
from strozzi_sim.simulation.vector import Reward

RENDER_MODES = ["human", "ansi"]


@contextmanager
def needs(library: str, extra: str) -> Iterator[None]:
    """Turn a ModuleNotFoundError in this block into an InputError that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = f"needs {library} ({error.name} is missing)"
        raise InputError(f"{missing}; install it with: pip install 'strozzi-sim[{extra}]'") from None


def check_render_mode(mode: str | None) -> None:
    """Check a render mode. Raises InputError."""
    if mode is not None:
        as_argument_error("render_mode", check_names, "mode", [mode], RENDER_MODES)


def no_action(actions: int) -> NDArray[np.int8]:
    """Return the mask of a seat that has nothing to decide, int8[A]: 1 at action 0, which is never legal, else 0.

    Many learning libraries, and PettingZoo's tests, reject an all-zero mask or warn about it.
    """
    mask = np.zeros(actions, np.int8)
    mask[0] = 1
    return mask


class Deals:
    """The deal of each `reset`: a given one, else the first of a given seed, else the next of the current seed."""

    def __init__(self) -> None:
        self.seed, self.deal = randbits(53), -1  # -1: the next deal is the first

    def advance(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Advance to the deal of a reset, or to `options["deal"]`. Raises ArgumentError; then nothing changes."""
        if (deal := (options or {}).get("deal")) is not None:
            deal = check_whole("options: deal", deal, 0, MAX_SEED)
        if seed is not None:
            self.seed, self.deal = check_whole("seed", seed, 0, MAX_SEED), -1
        self.deal = self.deal + 1 if deal is None else deal


def final_rewards(position: Position, reward: Reward) -> list[float]:
    """Return the reward of every seat of a finished game, as `VectorEnv` computes it.

    >>> position = Position("medici_vs_strozzi", 2)
    >>> while not position.over:
    ...     position.play(position.ask("random"))
    >>> sum(final_rewards(position, "win"))
    1.0
    """
    scores, players = [position.game.sign * score for score in position.scores], position.players
    if reward == "win":
        best = min(position.places)
        return [(place == best) / position.places.count(best) for place in position.places]
    if reward == "score":
        return [float(score) for score in scores]
    return [(players * score - sum(scores)) / (players - 1) for score in scores]
