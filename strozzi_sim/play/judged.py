"""The decisions of an analysed game: what each cost in expected worth, what luck followed, and both in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from strozzi_sim.agent.analysis import LEAD, WIN
from strozzi_sim.play.judging import Worth


@dataclass(frozen=True)
class JudgedDecision:
    """A decision of the game; worths are float64[P, 3] by `agent.analysis.WORTHS`."""

    number: int  # from 1
    round: int  # of the game, from 1; 0 in a game without rounds
    seat: int  # the acting seat
    question: str  # the decision, as text
    played: str  # name of the action
    best: str  # name of the best action found, by the expected lead of the seat
    before: Worth  # expected worth before the decision, that of its best action
    effect: Worth  # worth of the action played less that of the best
    luck: Worth  # worth after the action's draws less that of the action
    unexplained: Worth  # worth of the best action less the worth after the previous decision or the deal
    is_choice: bool  # whether the expected leads of its actions differ by INDIFFERENT or more
    meanings: Mapping[str, str] = field(default_factory=dict, repr=False)  # of names of actions that do not say it
    # a sentence for each line of the record that the action wrote
    events: tuple[str, ...] = field(default=(), repr=False)

    @property
    def played_words(self) -> str:
        """The action played, as text."""
        return self.meanings.get(self.played, self.played.replace("_", " "))

    @property
    def best_words(self) -> str:
        """The best action found, as text."""
        return self.meanings.get(self.best, self.best.replace("_", " "))

    def chances(self, seat: int, *, by_luck: bool = False) -> str:
        """Return what the action did to a seat's chance to win: "fell from 20 to 2 of 100"; or the luck that followed.

        Noise of the draws beyond 0 and 1 is cut off.
        """
        after_action = self.before[seat, WIN] + self.effect[seat, WIN]
        before, after = self.before[seat, WIN], after_action
        if by_luck:
            before, after = after_action, after_action + self.luck[seat, WIN]
        old, new = (f"{100 * min(max(float(chance), 0.0), 1.0):.0f}" for chance in (before, after))
        moved = "rose" if after > before else "fell"
        if old == new:
            return f"{moved} by less than 1 of 100"
        return f"{moved} from {old} to {new} of 100"

    @property
    def loss(self) -> float:
        """Expected lead that the seat lost by its action, in points."""
        return float(0 - self.effect[self.seat, LEAD])

    @property
    def win_loss(self) -> float:
        """Expected share of the win that the seat lost by its action; may be negative, since `best` is best in lead."""
        return float(0 - self.effect[self.seat, WIN])

    def row(self) -> dict[str, Any]:
        """Return the decision as plain data: what was chosen, and the losses."""
        keys = ("seat", "question", "played", "best", "loss", "win_loss", "is_choice")
        return {"decision": self.number, "round": self.round} | {key: getattr(self, key) for key in keys}


class TurningPoint(NamedTuple):
    """A change of a seat's expected share of the win; `kind`: an "error" of that seat, or "luck" after a decision."""

    kind: str
    decision: JudgedDecision
    seat: int
    change: float
