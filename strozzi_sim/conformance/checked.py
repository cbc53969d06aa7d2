"""A game that is checked: what was looked at so far, and what to say when a promise does not hold."""

from dataclasses import dataclass, field
from typing import Any

from strozzi_sim.conformance.kernels import Kernels
from strozzi_sim.errors import BrokenPromise
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.position import Position


@dataclass
class GameCheck:
    """What was looked at.

    Attributes:
        decisions: decisions of random games. games: games played.
        promises: how often each promise was checked.
    """

    decisions: int = 0
    games: int = 0
    promises: dict[str, int] = field(default_factory=dict)


@dataclass
class Checked:
    """One game under way, with all that tells how to see it again."""

    game: Game
    variant: Variant
    players: int
    seed: int
    deal: int
    found: GameCheck
    kernels: Kernels
    actions: list[int] = field(default_factory=list)

    def position(self) -> Position:
        """Where the game begins."""
        return Position(self.game, self.players, seed=self.seed, deal=self.deal, variant=self.variant)

    def hold(self, promise: str, holds: Any, what: str) -> None:
        """Note a promise, and raise BrokenPromise if it does not hold."""
        self.found.promises[promise] = self.found.promises.get(promise, 0) + 1
        if not bool(holds):
            raise BrokenPromise(
                promise,
                f"{self.game.name}: {promise}: {what} ({self.players} players, variant {self.variant.name}, seed {self.seed}, "
                f"deal {self.deal}, after {len(self.actions)} decisions: {' '.join(map(str, self.actions)) or 'none'})",
            )
