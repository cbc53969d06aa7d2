"""Queries of agents at a position: the action that they choose for the acting seat, and their analysis of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from strozzi_sim.agent import AgentSpec, AnyAgent, check_lineup, find_agent
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.agent.python import InvalidAnswer
from strozzi_sim.errors import AgentFault, ArgumentError, as_argument_error, check_whole
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.seat import Seat

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray[Any, Any]


def analyses_of(seat: Seat, legal: tuple[int, ...]) -> list[ActionAnalysis]:
    """Return the analyses of `legal`, in that order, at the agent's last decision; omitted actions have 0 visits."""
    by_action = {analysis.action: analysis for analysis in seat.analyse(legal) or []}
    return [by_action.get(action, ActionAnalysis(action, 0)) for action in legal]


def rank_analyses(analyses: Sequence[ActionAnalysis]) -> list[ActionAnalysis]:
    """Return the analyses in order: most visits first, then the higher value (None is 0), then the lower action."""
    return sorted(analyses, key=lambda analysis: (-analysis.visits, -(analysis.value or 0.0), analysis.action))


class AgentQueries:
    """The part of a Position that queries agents."""

    game: Game
    variant: Variant
    players: int
    deal: int
    actor: int
    state: Array
    rng: Array
    legal: Any
    names: Any
    question: Any
    _where: Any
    _seats: dict[tuple[int, str, int], Seat]

    def _seat(self, argument: str, seat: int | None) -> int:
        if seat is not None:
            return check_whole(argument, seat, 0, self.players - 1)
        if self.actor < 0:
            words = f"no seat decides, since the game is over; give one of 0 to {self.players - 1}"
            raise ArgumentError(argument, words)
        return self.actor

    def seated(self, agent: AnyAgent) -> Seat:
        """Return the agent for the acting seat. Its memory is separate for each seat.

        Args:
            agent: a spec string, such as "ismcts:iterations=500", or an agent declared in code.

        Raises:
            InputError: the game is over, no such agent plays this game and player count, or it has a restriction.
            AgentFault: the agent's file or package cannot be imported, or the agent cannot be compiled or made.
        """
        if self.actor < 0:
            raise ArgumentError("agent", "no seat decides, since the game is over")
        seat = self.actor
        spec = as_argument_error("agent", find_agent, agent, self.game)
        key = seat, spec.text, id(spec.agent)  # agents declared in code may share a name
        if key not in self._seats:
            as_argument_error("agent", check_lineup, [spec], self.game, self.players)
            try:
                self._seats[key] = Seat(spec, self, seat)
            except InvalidAnswer as answer:
                raise self.fault(spec, answer.what) from answer.__cause__
        return self._seats[key]

    def ask(self, agent: AnyAgent) -> int:
        """Return the action that an agent would choose at the acting seat; see `seated`.

        Raises:
            InputError: see `seated`.
            AgentFault: see `seated`; or the agent failed or chose an illegal action.

        >>> import strozzi_sim as ss
        >>> ss.Position("strozzi", 4, seed=7).ask("greedy")
        4
        """
        return self._choice(self.seated(agent))

    def _choice(self, seat: Seat) -> int:
        try:
            action = seat.choose(self.state)
        except InvalidAnswer as answer:
            raise self.fault(seat.spec, answer.what) from answer.__cause__
        if action not in self.legal:
            raise self.fault(seat.spec, f"chose the illegal action {action}, or failed in compiled code")
        return action

    def analyse(self, agent: AnyAgent) -> "pd.DataFrame":
        """Return an agent's analysis of the legal actions at this decision: one row each, most visits first.

        The position stays unchanged: the next `ask` returns the action that is `chosen` here. Agents that declare
        `analyse` provide an analysis, such as `ismcts`; `strozzi replay --explain` shows analyses of whole games.

        Args:
            agent: see `seated`.

        Returns:
            Columns action, name, chosen, visits (of the agent's search), share (of all visits), value (expected for the
            acting seat, or NaN). `attrs` holds agent, seat, question, and under "value" the meaning of that column.

        Raises:
            InputError: see `seated`; or the agent provides no analysis.
            AgentFault: see `seated`; or the agent failed or chose an illegal action.

        >>> import strozzi_sim as ss
        >>> table = ss.Position("strozzi", 4, seed=7).analyse("ismcts:iterations=200")
        >>> int(table["visits"].sum()), bool(table["chosen"][0])
        (200, True)
        """
        import pandas as pd

        seat = self.seated(agent).copy()
        spec, analyse = seat.spec, seat.spec.agent.analyse
        if analyse is None:
            raise ArgumentError("agent", f"{spec.text} provides no analysis; use `ask` for its choice")
        chosen = self._choice(seat)
        names = dict(zip(self.legal, self.names, strict=True))
        analyses = analyses_of(seat, self.legal)
        visits = max(sum(each.visits for each in analyses), 1)
        rows = [
            (each.action, names[each.action], each.action == chosen, each.visits, each.visits / visits, each.value)
            for each in rank_analyses(analyses)
        ]
        table = pd.DataFrame(rows, columns=["action", "name", "chosen", "visits", "share", "value"])
        meaning = (analyse.__doc__ or "").strip().split("\n")[0]
        table.attrs |= {"agent": spec.text, "seat": self.actor, "question": self.question, "value": meaning}
        return table.astype({"value": "float64"})

    def fault(self, spec: AgentSpec, what: str) -> AgentFault:
        """Return the fault of an agent at the acting seat; `what`: what it did, such as "raised ValueError"."""
        return AgentFault(f"agent {spec.text!r} at seat {self.actor} {what} ({self._where})")
