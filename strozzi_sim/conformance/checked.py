"""The state of a game check: its counts, and the error for a broken promise."""

from dataclasses import dataclass, field
from typing import Any

from strozzi_sim.conformance.kernels import Kernels
from strozzi_sim.errors import ContractViolation
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.position import Position


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

    def position(self) -> Position:
        """Return the initial position of the game."""
        return Position(self.game, self.players, seed=self.seed, deal=self.deal, variant=self.variant)

    def require(self, promise: str, holds: Any, what: str) -> None:
        """Count a promise as checked; if it does not hold, raise ContractViolation, or store it if the check continues."""
        self.result.promises[promise] = self.result.promises.get(promise, 0) + 1
        if bool(holds):
            return
        violation = ContractViolation(
            promise,
            f"{self.game.name}: {promise}: {what} ({self.players} players, variant {self.variant.name}, seed {self.seed}, "
            f"deal {self.deal}, after {len(self.actions)} decisions: {' '.join(map(str, self.actions)) or 'none'})",
        )
        if not self.result.continues:
            raise violation
        self.result.broken.setdefault(promise, violation)
