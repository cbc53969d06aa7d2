"""Number and symmetry of the features that describe a game's positions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Features:
    """Features of a position, the common ones first, then those of each seat, and the symmetry of the game.

    Attributes:
        common: number of features that belong to no seat.
        own: number of features of each seat.
        turned: groups of common features, all of one size; the symmetry shifts each group by one place, cyclically.
        own_turned: such groups among the features of one seat, numbered from 0.
        scale: points of score or lead to come that one unit of output stands for during the fit.
    """

    common: int
    own: int
    turned: Sequence[Sequence[int]] = ()
    own_turned: Sequence[Sequence[int]] = ()
    scale: float = 50.0

    @property
    def symmetries(self) -> int:
        """Number of symmetries, including the identity."""
        groups = [*self.turned, *self.own_turned]
        return len(groups[0]) if groups else 1

    def order(self, players: int, turns: int) -> npt.NDArray[np.int64]:
        """Return the order of the features after the symmetry is applied `turns` times, as indices, int64[features].

        >>> Features(2, 1, [(0, 1)]).order(2, 1).tolist()
        [1, 0, 2, 3]
        """
        order = np.arange(self.common + self.own * players)
        groups = [*self.turned] + [
            [self.common + seat * self.own + k for k in group] for seat in range(players) for group in self.own_turned
        ]
        for group in groups:
            order[list(group)] = np.roll(list(group), -turns)
        return order
