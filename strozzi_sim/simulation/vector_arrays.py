"""The arrays that `vector.VectorEnv` takes and returns."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.simulation.vector_kernels import SKIPPED

Array = np.ndarray[Any, Any]


class SupportsSlot(Protocol):
    """The attributes of a position that `VectorEnv.put` requires; `Position` has them."""

    game: Game
    variant: Variant
    players: int
    actor: int
    state: Array
    chance: Array
    rng: Array


@dataclass(frozen=True)
class Info:
    """Additional arrays of a step; k is the number of games that ended in it, without skipped ones.

    Attributes:
        random_bits: uint64[n], 64 random bits for each decision, from the stream of the acting seat.
        num_legal: int64[n], number of legal actions, 2 or more.
        deals: int64[n], the deal in each slot.
        finished: int64[k], the slots whose game ended, in ascending order.
        final_deals: int64[k], the deals of these games.
        final_seats: int64[k], the caller's seat that acted last; with opponents the learner's seat in that game.
        final_scores: int64[k, P], the final score of every seat, in points of the game.
        final_wins: float32[k, P], the share of the win of every seat: 1 for the only winner, divided among several.
        final_observations: float32[k, P, F], every seat's observation of the end.
    """

    random_bits: NDArray[np.uint64]
    num_legal: NDArray[np.int64]
    deals: NDArray[np.int64]
    finished: NDArray[np.int64]
    final_deals: NDArray[np.int64]
    final_seats: NDArray[np.int64]
    final_scores: NDArray[np.int64]
    final_wins: NDArray[np.float32]
    final_observations: NDArray[np.float32]


class SlotState(NamedTuple):
    """The game in a slot, copied.

    Attributes:
        deal: number of the deal.
        actor: the seat that must decide.
        state: the full state, array of shape (1,) of the game's state record.
        chance: future chance, CHANCE record of shape (1,).
    """

    deal: int
    actor: int
    state: Array
    chance: Array


class Space(NamedTuple):
    """Shape, type and limits of an array that a step takes or returns.

    Attributes:
        shape, dtype: of the array for n games.
        low, high: inclusive limits in the game's own variants, or infinite; numbers, for observations float32[F].
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    low: Any
    high: Any


class Step(NamedTuple):
    """Result of `reset` and `step`: every game is at a decision of the caller. The arrays are new in every call.

    Attributes:
        observations: float32[n, F], observation of the acting seat; see `VectorEnv.slices`.
        masks: bool[n, A], True where an action is legal; action 0 never is.
        seats: int64[n], acting seats.
        rewards: float32[n, P], reward of every seat if the slot's game has ended in this step, else 0.
        done: bool[n], whether the slot's game has ended in this step; the slot then has a later deal's first decision.
        info: the rest.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    seats: NDArray[np.int64]
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    info: Info

    def keep_rows(self, previous: "Step", actions: Array) -> None:
        """Copy the rows of slots that waited in this step from the step before; their rewards and `done` stay 0."""
        slots = np.flatnonzero(actions == SKIPPED)
        if len(slots) == 0:
            return
        for old, new in zip(previous._decision_rows(), self._decision_rows(), strict=True):
            new[slots] = old[slots]

    def _decision_rows(self) -> tuple[Array, ...]:
        info = self.info
        return self.observations, self.masks, self.seats, info.random_bits, info.num_legal, info.deals


def record_bytes(records: Array) -> Array:
    """Return a view of the bytes of the first record, padding included, uint8."""
    return np.ndarray((records.itemsize,), np.uint8, records)
