"""The arrays that `vector.VectorEnv` takes and returns."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.kernel.record_types import Array
from strozzi_sim.simulation.vector_kernels import SKIPPED


class SupportsSlot(Protocol):
    """The attributes of a position that `VectorEnv.put` requires; `Position` has them."""

    game: Game
    variant: Variant
    players: int
    actor: int
    state: Array
    chance: Array
    rng: Array


class Info(NamedTuple):
    """Additional arrays of a step; k is the number of games that ended in it, without skipped ones."""

    random_bits: NDArray[np.uint64]  # [n], 64 random bits for each decision, from the stream of the acting seat
    num_legal: NDArray[np.int64]  # [n], number of legal actions, 2 or more
    deals: NDArray[np.int64]  # [n], the deal in each slot
    finished: NDArray[np.int64]  # [k], the slots whose game ended, in ascending order
    final_deals: NDArray[np.int64]  # [k], the deals of these games
    final_seats: NDArray[np.int64]  # [k], the caller's seat that acted last; with opponents the learner's seat
    final_scores: NDArray[np.int64]  # [k, P], the final score of every seat, in points of the game
    final_wins: NDArray[np.float32]  # [k, P], each seat's share of the win: 1, divided among several winners
    final_observations: NDArray[np.float32]  # [k, P, F], every seat's observation of the end


class SlotState(NamedTuple):
    """The game in a slot, copied."""

    deal: int
    actor: int  # the seat that must decide
    state: Array  # the full state, of shape (1,)
    chance: Array  # future chance, CHANCE record of shape (1,)


class Space(NamedTuple):
    """Shape and type of an array for n games that a step takes or returns, and its limits.

    The limits are inclusive and hold in the game's own variants, or are infinite; for observations they are float32[F].
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    low: Any
    high: Any


class Step(NamedTuple):
    """Result of `reset` and `step`: every game is at a decision of the caller. The arrays are new in every call."""

    observations: NDArray[np.float32]  # [n, F], observation of the acting seat; see `VectorEnv.slices`
    masks: NDArray[np.bool_]  # [n, A], True where an action is legal; action 0 never is
    seats: NDArray[np.int64]  # [n], acting seats
    rewards: NDArray[np.float32]  # [n, P], reward of every seat if the slot's game has ended in this step, else 0
    done: NDArray[np.bool_]  # [n], whether the slot's game has ended; the slot then has a later deal's first decision
    info: Info

    def keep_rows(self, previous: "Step", actions: Array) -> None:
        """Copy the rows of slots that waited in this step from the step before; their rewards and `done` stay 0."""
        waited = np.flatnonzero(actions == SKIPPED)
        if len(waited):
            own: tuple[Array, ...] = (*self[:3], *self.info[:3])
            kept: tuple[Array, ...] = (*previous[:3], *previous.info[:3])
            for new, old in zip(own, kept, strict=True):
                new[waited] = old[waited]


def record_bytes(records: Array) -> Array:
    """Return a view of the bytes of the first record, padding included, uint8."""
    return np.ndarray((records.itemsize,), np.uint8, records)
