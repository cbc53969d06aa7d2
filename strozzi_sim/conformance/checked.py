"""The state of a game check: its counts, and the error for a broken promise."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from strozzi_sim.conformance.kernels import Kernels
from strozzi_sim.errors import ContractViolation
from strozzi_sim.facts.columns import GameConfig
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.play.position import Position

Array = np.ndarray[Any, Any]


@dataclass
class GameCheck:
    """The counts of a check."""

    decisions: int = 0  # number of decisions of random games
    games: int = 0  # number of games played
    promises: dict[str, int] = field(default_factory=dict)  # number of checks of each promise
    # the first violation of each promise that was broken, if it `continues`
    broken: dict[str, ContractViolation] = field(default_factory=dict, repr=False)
    # whether the check continues after a broken promise instead of raising the violation
    continues: bool = field(default=False, repr=False)
    under_way: str = field(default="", repr=False)  # the promise that is being checked; "" while a game checks many


@dataclass
class Checked:
    """One running game, with everything needed to reproduce it."""

    game: Game
    variant: Variant
    players: int
    seed: int
    deal: int
    result: GameCheck
    kernels: Kernels
    actions: list[int] = field(default_factory=list)

    @property
    def setting(self) -> GameConfig:
        """What levels of facts may depend on."""
        return GameConfig(self.players, self.variant.components, self.game.journal_rows)

    def position(self) -> Position:
        """Return the initial position of the game."""
        return Position(self.game, self.players, seed=self.seed, deal=self.deal, variant=self.variant)

    def concealed(self, state: Array, seat: int) -> Array:
        """Return a state as a seat knows it."""
        known = exact_copy(state)
        self.kernels.conceal(known, self.variant.rules, seat)
        return known

    def observation(self, state: Array, seat: int) -> Array:
        """Return the observation of the state itself, as agents receive it if nothing is hidden; NaN if not written."""
        out = np.full(self.game.observation_size, np.nan, np.float32)
        self.kernels.observe(state, self.variant.rules, seat, out)
        return out

    def results(self, state: Array) -> Array:
        """Return score, seats placed better, and seats that share the place of every seat, int64[P, 3]."""
        out = np.zeros((self.players, 3), np.int64)
        self.kernels.results(state, out)
        return out

    def require(self, promise: str, holds: Any, what: str) -> None:
        """Count a promise as checked; if it is broken, raise ContractViolation, or store it if the check continues."""
        self.result.promises[promise] = self.result.promises.get(promise, 0) + 1
        if bool(holds):
            return
        violation = ContractViolation(
            promise,
            f"{self.game.name}: {promise}: {what} ({self.players} players, variant {self.variant.name}, "
            f"seed {self.seed}, deal {self.deal}, after {len(self.actions)} decisions: "
            f"{' '.join(map(str, self.actions)) or 'none'})",
        )
        if not self.result.continues:
            raise violation
        self.result.broken.setdefault(promise, violation)
