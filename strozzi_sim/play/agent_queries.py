"""Agents at a position: seats with memory and random stream, the actions that they choose, and their analyses."""

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from strozzi_sim.agent import AgentSpec, AnyAgent, check_lineup, find_agent
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.agent.python import (
    BATCH_SIZE,
    InvalidAnswer,
    TimeLimit,
    aligned,
    ask_batch,
    ask_one,
    copy_player,
    make_player,
)
from strozzi_sim.errors import AgentFault, ArgumentError, InputError, as_argument_error, check_whole
from strozzi_sim.game.components import read_only
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.kernel.record_types import Array, exact_copy
from strozzi_sim.kernel.streams import SeatRng
from strozzi_sim.play.kernels import kernels
from strozzi_sim.runtime.threads import single_threaded_blas
from strozzi_sim.runtime.workers import active_heartbeat, heartbeat
from strozzi_sim.simulation.interrupts import call_interruptible

if TYPE_CHECKING:
    import pandas as pd


class Seat:
    """An agent at one seat of one game, with its memory and its random stream."""

    def __init__(self, spec: AgentSpec, position: Any, seat: int) -> None:
        if spec.without:
            why = "a restriction holds for whole games; play one with `simulate` or `record`"
            raise InputError(f"agent {spec.text!r}: {why}")
        self.spec, self.game, self.variant, self.seat = spec, position.game, position.variant, seat
        self._kernels = kernels(self.game)
        self._rng = position.rng[seat : seat + 1].copy()
        self._legal = np.zeros(self.game.actions, np.int64)
        self._beat, self._place = heartbeat(), (position.players, position.deal, seat)
        self._player: Any = None
        if spec.agent.kind == "compiled":
            self._stop = np.zeros(1, np.int64)
            self._bound = compile_agent(spec, self.game, stop=self._stop)
            self._memory = np.zeros(1, self._bound.memory)
        else:
            with active_heartbeat(self._beat, *self._place), TimeLimit() as clock:
                self._player = make_player(spec.agent.function, dict(spec.values), clock)
            self._stream = SeatRng(int(self._rng["cursor"][0]))
            self._components = read_only(self.variant.components)

    @property
    def sees_state(self) -> bool:
        """Whether the game loops pass the agent the state itself, not a concealed copy."""
        return self._player is None and self._bound.sees_state(self.variant.hidden)

    def copy(self) -> "Seat":
        """Return the agent with a copy of its memory and stream: it decides as this one would."""
        other = copy(self)
        other._rng = self._rng.copy()
        if self._player is None:
            other._memory = self._memory.copy()
        else:
            other._stream = copy(self._stream)
            if self.spec.agent.kind == "act":
                other._player = copy_player(self._player)
        return other

    def analyse(self, legal: tuple[int, ...], node: Any = None) -> list[ActionAnalysis] | None:
        """Return the analysis of the agent's last decision, or of `node` after it; None if it declares no `analyse`."""
        analyse = self.spec.agent.analyse
        return None if analyse is None else list(analyse(self._memory[0], legal, node))

    def choose(self, state: Array, *, concealed: bool = True) -> int:
        """Return the agent's action in a state, shape (1,), in which its seat acts.

        The agent receives what its seat knows; with `concealed=False` a copy of the full state, as the game loops pass
        it to agents with `sees_state`.
        """
        seen_state, rules = exact_copy(state), exact_copy(self.variant.rules)
        if concealed:
            self._kernels.conceal(seen_state, rules, self.seat)
        with active_heartbeat(self._beat, *self._place):
            if self._player is not None:
                return self._ask_python(seen_state, rules)
            action = self._ask_compiled(seen_state, rules)
        if rules.tobytes() != self.variant.rules.tobytes():
            raise InvalidAnswer("changed the rules that it received")
        return action

    def _ask_python(self, state: Any, rules: Any) -> int:
        count = self._kernels.legal(state, rules, self._legal)
        legal = tuple(self._legal[:count].tolist())
        view = self.game.view
        with single_threaded_blas(), TimeLimit() as clock:
            if self.spec.agent.kind == "act":
                view_of_seat = view.view_of(state[0], self._components, self.seat)
                return ask_one(self._player, view_of_seat, legal, self._stream, clock)
            observations = aligned((BATCH_SIZE, self.game.observation_size), np.float32)
            mask = aligned((BATCH_SIZE, self.game.actions), np.bool_)
            words = aligned((BATCH_SIZE,), np.uint64)
            self._kernels.observe(state, rules, self.seat, observations[0])
            mask[0, list(legal)] = True
            mask[1:, 0] = True
            words[0] = self._stream.word()
            return int(ask_batch(self._player, observations, mask, words, 1, clock)[0])

    def _ask_compiled(self, state: Any, rules: Any) -> int:
        stream_before, addresses = self._rng.copy(), (self._bound.params.ctypes.data, self._memory.ctypes.data)

        def ask() -> int:
            return int(self._kernels.ask(state, rules, self._bound.address, *addresses, self._rng))

        if self._bound.trusted and self.spec.searches:
            try:
                return call_interruptible(self._stop, ask)
            except BaseException:  # from a signal handler; the next query draws the same random numbers
                self._rng[:] = stream_before
                raise
        if self._bound.trusted:
            return ask()
        with TimeLimit() as clock:  # third-party code may never return
            return int(clock.call(ask))


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
        """Return the agent of a spec string, such as "ismcts:iterations=500", or declared in code, for the acting seat.

        Its memory is separate for each seat. An agent that cannot be imported, compiled or made raises AgentFault.
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

        Returns:
            Columns action, name, chosen, visits (of the agent's search), share (of all visits), value (expected for the
            acting seat, or NaN). `attrs` holds agent, seat, question, and under "value" the meaning of that column.

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
