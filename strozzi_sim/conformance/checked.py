"""The state of a game check: its counts, the game being played, and the error for a broken promise."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from strozzi_sim.errors import ContractViolation
from strozzi_sim.facts.columns import GameConfig
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.kernel.jit import Kernels
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.play.position import Position

Array = np.ndarray[Any, Any]


@dataclass
class GameCheck:
    """The counts of a check, and the promises that it found broken."""

    decisions: int = 0  # number of decisions of the games in `games`
    games: int = 0  # number of random games checked at every decision; some promises play more games
    promises: dict[str, int] = field(default_factory=dict)  # number of checks of each promise
    # the first violation of each promise that was broken, if it `continues`
    broken: dict[str, ContractViolation] = field(default_factory=dict, repr=False)
    # whether the check continues after a broken promise instead of raising the violation
    continues: bool = field(default=False, repr=False)
    under_way: str = field(default="", repr=False)  # the promise being checked; "" in games that check several at once


@dataclass
class Checked:
    """One game under check, with everything needed to reproduce it."""

    game: Game
    variant: Variant
    players: int
    seed: int
    deal: int
    result: GameCheck
    kernels: Kernels
    actions: list[int] = field(default_factory=list)  # actions played so far

    @property
    def setting(self) -> GameConfig:
        """The configuration on which levels of facts may depend."""
        return GameConfig(self.players, self.variant.components, self.game.journal_rows)

    def position(self) -> Position:
        """Return the initial position of the game."""
        return Position(self.game, self.players, seed=self.seed, deal=self.deal, variant=self.variant)

    def concealed(self, state: Array, seat: int) -> Array:
        """Return a copy of a state, concealed for a seat."""
        known = exact_copy(state)
        self.kernels.conceal(known, self.variant.rules, seat)
        return known

    def observation(self, state: Array, seat: int) -> Array:
        """Return the observation float32[F] of a state, not concealed first; NaN where `observe` writes nothing."""
        out = np.full(self.game.observation_size, np.nan, np.float32)
        self.kernels.observe(state, self.variant.rules, seat, out)
        return out

    def results(self, state: Array) -> Array:
        """Return (score, seats placed better, seats at its place, itself included) of each seat, int64[P, 3]."""
        out = np.zeros((self.players, 3), np.int64)
        self.kernels.results(state, out)
        return out

    def require(self, promise: str, holds: Any, what: str) -> None:
        """Count a check of a promise; if not `holds`, raise ContractViolation, or store it if the check continues."""
        self.result.promises[promise] = self.result.promises.get(promise, 0) + 1
        if bool(holds):
            return
        where = f"{self.players} players, variant {self.variant.name}, seed {self.seed}, deal {self.deal}"
        played = f"after {len(self.actions)} decisions: {' '.join(map(str, self.actions)) or 'none'}"
        violation = ContractViolation(promise, f"{self.game.name}: {promise}: {what} ({where}, {played})")
        if not self.result.continues:
            raise violation
        self.result.broken.setdefault(promise, violation)


def differing_fields(first: Array, second: Array) -> list[str]:
    """Return the names of the fields in which two states differ."""
    return [name for name in first.dtype.names or () if first[name].tobytes() != second[name].tobytes()]
