"""Small end positions of Medici vs Strozzi, solved exactly: every draw, every placement, every price."""

from typing import Any

import numpy as np

from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.play.kernels import kernels
from strozzi_sim.play.position import Position


class Exact:
    """Expected margins of optimal play from the positions of a table in its last round.

    Margins are Medici's coins less Strozzi's still to come: what was paid and earned before is left out, what is paid
    for the lot in question too.
    """

    def __init__(self, table: Position) -> None:
        assert int(table.state["round"][0]) == table.variant.components["rounds"]["count"] - 1
        self.table, self.rules = table, table.variant.rules
        self.known: dict[bytes, float] = {}

    def after(self, state: np.ndarray[Any, Any], action: int) -> list[np.ndarray[Any, Any]]:
        """The states that an action leads to, one for each tile that may come, all as likely."""
        first, drawn = self._apply(state, action), None
        if int(first["unseen"][0]) < int(state["unseen"][0]):
            drawn = int(first["lot"][0, int(first["shown"][0]) - 1])
        if drawn is None:
            return [first]
        bag = state["unseen_tile"][0].tolist()
        place, found = bag.index(drawn), []
        for k in range(int(state["unseen"][0])):
            other = state.copy()
            other["unseen_tile"][0, place], other["unseen_tile"][0, k] = bag[k], bag[place]
            found.append(self._apply(other, action))
        return found

    def _apply(self, state: np.ndarray[Any, Any], action: int) -> np.ndarray[Any, Any]:
        after, chance = state.copy(), self.table.chance.copy()
        kernels(self.table.game).step(after, self.rules, chance, action)
        return after

    def legal(self, state: np.ndarray[Any, Any]) -> tuple[int, list[int]]:
        """The seat that must decide, and its legal actions."""
        out = np.zeros(1024, np.int64)
        count = kernels(self.table.game).legal(state, self.rules, out)
        return int(state["actor"][0]), out[:count].tolist()

    def play(self, state: np.ndarray[Any, Any], action: int) -> float:
        """Expected margin to come if `action` is played, the coins that it moves included."""
        before = _lead(state)
        return float(np.mean([_lead(after) - before + self.value(after) for after in self.after(state, action)]))

    def value(self, state: np.ndarray[Any, Any]) -> float:
        """Expected margin to come under optimal play of both."""
        key = self._key(state)
        if key not in self.known:
            self.known[key] = self._value(state)
        return self.known[key]

    def _value(self, state: np.ndarray[Any, Any]) -> float:
        seat, legal = self.legal(state)
        if not legal:
            return 0.0
        best = max if seat == s.MEDICI else min
        return best(self.play(state, action) for action in legal)

    def _key(self, state: np.ndarray[Any, Any]) -> bytes:
        bare = state.copy()
        bare["cash"] = 0
        if int(state["phase"][0]) not in (s.ANSWER,):
            bare["price"] = 0
        for name, first in (("unseen_tile", int(state["unseen"][0])), ("lot", int(state["shown"][0]))):
            bare[name][0, first:] = 0
        bare["unseen_tile"][0, : int(state["unseen"][0])].sort()
        return bare.tobytes()


def _lead(state: np.ndarray[Any, Any]) -> int:
    return int(state["cash"][0, s.MEDICI]) - int(state["cash"][0, s.STROZZI])
